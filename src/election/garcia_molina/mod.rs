//! What the two algorithms of Garcia-Molina 1982 share: their loops of calls, their safe cells, their
//! yes and no.
//!
//! The algorithms are written down twice: in the paper's appendices, and in the listings of Chow and Johnson 1997,
//! which say something else in places. Most of these differences are slips, and holes of their own.
//!
//! Invariant: what is here means the same to both.

mod calls;

use std::ops::{Deref, DerefMut};

pub(super) use calls::{CallPace, Loop, Sequence};
use serde::{Deserialize, Serialize};

use protocol::{SettingCard, SettingKind};

/// Writes a listing: each line becomes a constant to cite it by, and a row of the table `LISTING`.
macro_rules! listing {
    ($($name:ident = $number:literal, $procedure:literal, $text:literal;)*) => {
        $(pub const $name: ::protocol::LineNumber = $number;)*
        pub const LISTING: &[::protocol::Line] =
            &[$(::protocol::Line::new($number, $procedure, $text)),*];
    };
}
pub(super) use listing;

/// The row of `letter` in a Card: the text whose procedures are followed where no hole is mended.
pub(super) const fn letter(about: &'static str) -> SettingCard {
    SettingCard { name: "letter", kind: SettingKind::Word(&["paper", "book"]), about }
}

/// The machine's safe cells in memory. Most steps only read them, and cells that were not written are not compared.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct Cells<T> {
    now: T,
    /// The content before the first write since the last save.
    before: Option<T>,
}

impl<T> Cells<T> {
    /// Cells with this content, as it was saved.
    pub fn new(now: T) -> Cells<T> {
        Cells { now, before: None }
    }

    /// The content to be saved, if it has changed since the last call.
    pub fn take_change(&mut self) -> Option<T>
    where
        T: Clone + PartialEq,
    {
        let is_new = self.before.as_ref()? != &self.now;
        self.before = None;
        is_new.then(|| self.now.clone())
    }
}

impl<T> Deref for Cells<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.now
    }
}

impl<T: Clone> DerefMut for Cells<T> {
    fn deref_mut(&mut self) -> &mut T {
        if self.before.is_none() {
            self.before = Some(self.now.clone());
        }
        &mut self.now
    }
}

protocol::worded! {
    /// The answer to a question of the paper.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum YesOrNo {
        Yes = "yes",
        No = "no",
    }
}

impl From<bool> for YesOrNo {
    fn from(holds: bool) -> YesOrNo {
        if holds { YesOrNo::Yes } else { YesOrNo::No }
    }
}
