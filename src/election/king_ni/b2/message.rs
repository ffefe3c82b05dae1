//! What Algorithm B.2 sends (section 5.2, Table 3), and what its mends and the watch over its master add.
//!
//! Invariant: to the letter the election number is 0.

use serde::{Deserialize, Serialize};

use super::super::{ElectionNumber, succession, watch};
use super::lists::List;
use protocol::Described;

/// A message of Algorithm B.2.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `init,v`, by broadcast: the sender takes part, with this capacity.
    Init {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`; -1 for a non-candidate that begins.
        capacity: i64,
    },
    /// `vect,S`, by broadcast: the inits that the sender has collected.
    Vect {
        /// Which election.
        election: ElectionNumber,
        /// `S`, or its length.
        list: List,
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
            Message::Init { .. } => "init",
            Message::Vect { .. } => "vect",
            Message::Succession(message) => message.kind(),
            Message::Watch(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Init { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Vect { election, list } => {
                vec![("list", list.to_string()), ("election", election.to_string())]
            }
            Message::Succession(message) => message.fields(),
            Message::Watch(message) => message.fields(),
        }
    }

    fn is_for_all(&self) -> bool {
        match self {
            Message::Init { .. } | Message::Vect { .. } => true,
            Message::Succession(message) => message.is_for_all(),
            Message::Watch(_) => false,
        }
    }
}
