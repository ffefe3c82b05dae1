//! The two channels on which datagrams travel, for a fault that acts on one of them.
//!
//! Invariant: every datagram is of one of the two; the copies and the relays of an ordered broadcast are multicasts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Passage;

/// What a datagram was sent by.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cast {
    /// To one receiver.
    Unicast,
    /// To the group.
    Multicast,
}

impl Cast {
    /// Both.
    pub const ALL: [Cast; 2] = [Cast::Unicast, Cast::Multicast];

    /// The channel of that name.
    pub fn named(word: &str) -> Option<Cast> {
        Cast::ALL.into_iter().find(|cast| cast.word() == word)
    }

    /// What stands for it in a fault line.
    pub fn word(self) -> &'static str {
        match self {
            Cast::Unicast => "unicast",
            Cast::Multicast => "multicast",
        }
    }

    /// Whether the datagram travels on it.
    pub fn carries(self, passage: &Passage) -> bool {
        passage.multicast == (self == Cast::Multicast)
    }
}

impl fmt::Display for Cast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
