//! What Algorithm A sends (section 4, Table 1), and what its mends and the watch over its master add.
//!
//! Invariant: to the letter the election number is 0.

use serde::{Deserialize, Serialize};

use super::super::{ElectionNumber, succession, watch};
use protocol::Described;

/// A message of Algorithm A.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `v`, by broadcast: the sender takes part, with this capacity; -1 for a non-candidate.
    Capacity {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`.
        capacity: i64,
    },
    /// By broadcast: all begin this election when it is delivered (mend of hole 6).
    Call {
        /// Which election.
        election: ElectionNumber,
    },
    /// What is sent around the table.
    Succession(succession::Message),
    /// Between a follower and its master.
    Watch(watch::Message),
}

impl From<succession::Message> for Message {
    fn from(message: succession::Message) -> Message {
        Message::Succession(message)
    }
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
            Message::Call { .. } => "call",
            Message::Succession(message) => message.kind(),
            Message::Watch(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Capacity { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Call { election } => vec![("election", election.to_string())],
            Message::Succession(message) => message.fields(),
            Message::Watch(message) => message.fields(),
        }
    }

    fn is_for_all(&self) -> bool {
        match self {
            Message::Capacity { .. } | Message::Call { .. } => true,
            Message::Succession(message) => message.is_for_all(),
            Message::Watch(_) => false,
        }
    }
}
