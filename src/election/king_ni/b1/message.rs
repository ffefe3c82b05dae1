//! What Algorithm B.1 sends (section 5.1, Table 2), and what its mends and the watch over its master add.
//!
//! Invariant: to the letter the election number is 0.

use serde::{Deserialize, Serialize};

use super::super::{ElectionNumber, watch};
use protocol::{Described, NodeId};

/// A message of Algorithm B.1.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `v`, by broadcast: the sender takes part, with this capacity.
    Capacity {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`; -1 for a non-candidate that begins.
        capacity: i64,
    },
    /// By broadcast: the sender has stopped as master.
    Elected {
        /// Which election.
        election: ElectionNumber,
    },
    /// `ask`, by broadcast: the sender has just started, and has missed what came before (mend of hole 5).
    Ask {
        /// The highest election number that it has saved.
        election: ElectionNumber,
    },
    /// The answer of a process in mid-election.
    UnderWay {
        /// Which election.
        election: ElectionNumber,
    },
    /// The answer of a process that is not in mid-election.
    Ended {
        /// The highest election number that it has seen.
        election: ElectionNumber,
        /// Its master, if it has one.
        master: Option<NodeId>,
    },
    /// Between a follower and its master.
    Watch(watch::Message),
}

impl From<watch::Message> for Message {
    fn from(message: watch::Message) -> Message {
        Message::Watch(message)
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Capacity { .. } => "capacity",
            Message::Elected { .. } => "elected",
            Message::Ask { .. } => "ask",
            Message::UnderWay { .. } => "underway",
            Message::Ended { .. } => "ended",
            Message::Watch(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Capacity { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Elected { election } | Message::Ask { election } | Message::UnderWay { election } => {
                vec![("election", election.to_string())]
            }
            Message::Ended { election, master } => {
                let master = master.map(|master| ("master", master.to_string()));
                master.into_iter().chain([("election", election.to_string())]).collect()
            }
            Message::Watch(message) => message.fields(),
        }
    }

    fn is_for_all(&self) -> bool {
        matches!(self, Message::Capacity { .. } | Message::Elected { .. } | Message::Ask { .. })
    }
}
