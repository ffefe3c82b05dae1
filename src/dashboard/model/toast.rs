//! Messages that are shown for a while.
//!
//! Invariant: no two of them say the same; the newest is always kept.

use std::collections::VecDeque;
use std::time::Duration;

use crate::view::paint;
use crate::view::theme::Theme;
use crate::view::widths::told_most;

/// This many are kept.
const TOASTS_MAX: usize = 4;

/// A message that is shown for a while.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Toast {
    /// What the message tells of.
    pub tone: Tone,
    /// The sentence; lines are kept.
    pub text: String,
    /// How often it was said while it was shown.
    pub count: usize,
    /// Until when, by the screen's own clock.
    pub until: Duration,
    /// The row to which it belongs: it goes with that row.
    pub row: Option<u64>,
}

impl Toast {
    /// The lines in a strip of this width, without the sign before the first one.
    pub fn lines(&self, theme: &Theme, width: u16) -> Vec<String> {
        let times = if self.count > 1 { format!("{}{}  ", theme.glyphs.times, self.count) } else { String::new() };
        // The sign and a blank come before a line, and another sign after it if it is cut.
        paint::wrap(&format!("{times}{}", self.text), width.saturating_sub(3))
    }
}

/// The kind of a toast.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Tone {
    /// Something was done.
    Good,
    /// Something is worth knowing.
    Plain,
    /// Something is wrong.
    Bad,
}

impl Tone {
    /// How long it is shown.
    pub fn lasts(self) -> Duration {
        match self {
            Tone::Good | Tone::Plain => Duration::from_secs(4),
            Tone::Bad => Duration::from_secs(10),
        }
    }
}

/// The messages that are shown now, newest last.
#[derive(Clone, Default, Debug)]
pub struct Toasts(VecDeque<Toast>);

impl Toasts {
    /// Adds one. If it is shown already it counts once more, and is the newest again.
    pub fn push(&mut self, toast: Toast) {
        let like = self.0.iter().position(|shown| (shown.tone, &shown.text) == (toast.tone, &toast.text));
        let before = like.and_then(|place| self.0.remove(place)).map_or(0, |shown| shown.count);
        self.0.push_back(Toast { count: before + toast.count, ..toast });
        while self.0.len() > TOASTS_MAX {
            self.0.pop_front();
        }
    }

    /// Takes away those that are over; returns whether there were any.
    pub fn expire(&mut self, clock: Duration) -> bool {
        let count = self.0.len();
        self.0.retain(|toast| toast.until > clock);
        self.0.len() < count
    }

    /// Takes away those about rows from this number on.
    pub fn forget_from(&mut self, row: u64) {
        self.0.retain(|toast| toast.row.is_none_or(|of| of < row));
    }

    /// Takes away those that tell of something good about a row.
    pub fn forget_good_rows(&mut self) {
        self.0.retain(|toast| toast.tone != Tone::Good || toast.row.is_none());
    }

    /// No row goes with any of them any more.
    pub fn forget_rows(&mut self) {
        self.0.iter_mut().for_each(|toast| toast.row = None);
    }

    /// How many rows their strip takes on a screen of this size: none while there is no message.
    pub fn rows(&self, theme: &Theme, size: (u16, u16)) -> u16 {
        let most = told_most(size);
        let wanted: usize = self.iter().map(|toast| toast.lines(theme, size.0).len()).sum();
        u16::try_from(wanted).unwrap_or(most).min(most)
    }

    /// The newest.
    pub fn back(&self) -> Option<&Toast> {
        self.0.back()
    }

    /// Takes away the newest.
    pub fn pop_back(&mut self) {
        self.0.pop_back();
    }

    /// Takes away all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// All, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Toast> {
        self.0.iter()
    }
}
