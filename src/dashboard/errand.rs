//! Where a screen goes once a session file has been read so far: nobody has to wait for it with a dead keyboard.
//!
//! Invariant: an errand is done as soon as its end is known, and what is asked for next takes its place.

use super::action::Action;
use super::playback::{Landmark, Playback};

/// Where a screen goes, and how.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ReadingErrand {
    /// What has to be known for it.
    pub to: Destination,
    /// What is done then.
    pub deed: ErrandDeed,
}

/// What has to be known of a session before a screen can go there.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Destination {
    /// The whole session.
    End,
    /// All records up to this time.
    Time(i64),
    /// So many records.
    Record(u64),
    /// The next such landmark.
    Next(Landmark),
    /// The landmark of this ordinal, from 1.
    Nth(Landmark, usize),
}

/// What is done once that is known.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ErrandDeed {
    /// What a key does.
    Key(Action),
    /// What a line says after `seek`.
    Seek(String),
}

impl Playback {
    /// Whether the session has been read so far that this is known.
    pub fn knows(&self, to: Destination) -> bool {
        let count = |landmark| self.times_of(landmark).count();
        self.is_whole()
            || match to {
                Destination::End => false,
                Destination::Time(at) => self.end() > at,
                Destination::Record(number) => self.len() as u64 > number,
                Destination::Next(landmark) => self.has_next(landmark),
                Destination::Nth(landmark, ordinal) => count(landmark) >= ordinal,
            }
    }
}
