//! What the applications with a critical section have in common: their settings, and whether a process wants in by
//! itself.
//!
//! Invariant: a setting means the same in all of them.

pub mod conditions;
pub mod judge;
pub mod words;

use protocol::{NodeId, SectionFacts, SettingCard, SettingKind, Settings, Span};

/// Which processes want in again and again.
pub const ASKS: &str = "asks";
/// How long such a process stays outside, in milliseconds.
pub const OUTSIDE_MS: &str = "outside_ms";
/// How long a process stays inside, in milliseconds.
pub const INSIDE_MS: &str = "inside_ms";

pub const SETTINGS: &[SettingCard] = &[
    SettingCard {
        name: ASKS,
        kind: SettingKind::NodesOrNone,
        about: "Which processes want in again and again; the others want in when a user asks (`request N`).",
    },
    SettingCard {
        name: OUTSIDE_MS,
        kind: SettingKind::Number { default: 1_000, most: |_| 60_000 },
        about: "How many milliseconds such a process stays outside before it wants in again.",
    },
    SettingCard {
        name: INSIDE_MS,
        kind: SettingKind::Number { default: 500, most: |_| 60_000 },
        about: "How many milliseconds a process stays inside.",
    },
];

/// Whether a process wants in by itself.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum EntryPolicy {
    /// Again and again.
    Asks,
    /// Only if a user asks.
    Obeys,
    /// Never: the lab says that it is no candidate.
    Abstains,
}

impl EntryPolicy {
    /// That of a process which may want in.
    pub fn of(me: NodeId, settings: &Settings) -> EntryPolicy {
        match settings.nodes(ASKS).is_some_and(|nodes| nodes.contains(me)) {
            true => EntryPolicy::Asks,
            false => EntryPolicy::Obeys,
        }
    }
}

/// What the judge must know of the section. No process overtakes another one twice.
pub fn facts(settings: &Settings) -> SectionFacts {
    SectionFacts { overtakes: 1, inside: spans(settings).1 }
}

/// How long a process stays outside, and how long inside.
pub fn spans(settings: &Settings) -> (Span, Span) {
    let span = |name| Span::from_millis(settings.number(name));
    (span(OUTSIDE_MS), span(INSIDE_MS))
}
