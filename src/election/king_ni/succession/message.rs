//! What is sent around a table: the master's word, and what a starting process asks.
//!
//! Invariant: to the letter nothing is sent but `elected`, with the number 0.

use serde::{Deserialize, Serialize};

use super::super::ElectionNumber;
use protocol::{Described, NodeId};

/// What is sent around a table.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// By broadcast: the sender has stopped as master.
    Elected {
        /// Which election.
        election: ElectionNumber,
    },
    /// `ask`, by broadcast: the sender does not know what it has missed.
    Ask {
        /// The highest election number that it has seen.
        election: ElectionNumber,
    },
    /// The answer of a process in mid-election.
    UnderWay {
        /// The highest election number that it has seen; among the malicious, the highest that the order has brought.
        election: ElectionNumber,
    },
    /// The answer of a process that is not in mid-election.
    Ended {
        /// Which election was its last.
        election: ElectionNumber,
        /// The master that it has since then, if it has one.
        master: Option<NodeId>,
        /// The highest election number that it has seen; among the malicious, the highest that the order has brought.
        taken: ElectionNumber,
    },
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Elected { .. } => "elected",
            Message::Ask { .. } => "ask",
            Message::UnderWay { .. } => "underway",
            Message::Ended { .. } => "ended",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let (Message::Elected { election }
        | Message::Ask { election }
        | Message::UnderWay { election }
        | Message::Ended { election, .. }) = self;
        let (master, taken) = match self {
            Message::Ended { master, taken, .. } => {
                (master.map(|master| ("master", master.to_string())), Some(("taken", taken.to_string())))
            }
            _ => (None, None),
        };
        master.into_iter().chain([("election", election.to_string())]).chain(taken).collect()
    }

    fn is_for_all(&self) -> bool {
        matches!(self, Message::Elected { .. } | Message::Ask { .. })
    }
}
