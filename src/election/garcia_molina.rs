//! What the two algorithms of Garcia-Molina 1982 share: how they are read, their yes and no, one step's save.
//!
//! Invariant: whatever a step changes in the safe cells (assumption 4) is saved once, before anything the step sends.

use serde::{Deserialize, Serialize};

use crate::protocol::{Algorithm, Effect, Effects, SettingCard, SettingKind, Settings};

/// Writes a listing: each line becomes a constant to cite it by, and a row of the table `LISTING`.
macro_rules! listing {
    ($($name:ident = $number:literal, $procedure:literal, $text:literal;)*) => {
        $(pub const $name: $crate::protocol::LineNumber = $number;)*
        pub const LISTING: &[$crate::protocol::Line] =
            &[$($crate::protocol::Line { number: $number, procedure: $procedure, text: $text }),*];
    };
}
pub(super) use listing;

/// Whether the paper's holes are mended: the setting `errata`.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum Reading {
    /// The holes are mended.
    Mended,
    /// The procedures are those of 1982, holes and all.
    ToTheLetter,
}

impl Reading {
    /// The setting's row in a Card.
    pub const fn setting(about: &'static str) -> SettingCard {
        SettingCard { name: "errata", kind: SettingKind::Flag { default: true }, about }
    }

    /// The reading that the lab asks for.
    pub fn of(settings: &Settings) -> Reading {
        if settings.flag("errata") { Reading::Mended } else { Reading::ToTheLetter }
    }
}

/// What a question of the paper is answered with.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Answer {
        if holds { Answer::Yes } else { Answer::No }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Answer::Yes => "yes",
            Answer::No => "no",
        })
    }
}

/// Passes on what a step wants done, behind the save of what it changed, if it changed anything.
pub(super) fn save_first<A: Algorithm>(changed: Option<A::Saved>, step: Effects<A>, fx: &mut Effects<A>) {
    if let Some(saved) = changed {
        fx.save(saved);
    }
    let (effects, lines) = step.into_parts();
    for line in lines {
        fx.line(line);
    }
    for effect in effects {
        match effect {
            Effect::Send { to, message } => fx.send(to, message),
            Effect::SetTimer { timer, shortest, .. } => fx.set_timer(timer, shortest),
            Effect::CancelTimer { timer } => fx.cancel_timer(timer),
            Effect::Broadcast { .. } | Effect::Save { .. } | Effect::Help { .. } => {
                unreachable!("the algorithms of this paper send to one node at a time and save here")
            }
        }
    }
}
