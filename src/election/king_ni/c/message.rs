//! What Algorithm C sends (section 6, Tables 4a and 4b).
//!
//! Invariant: to the letter the election number and the round are 0 and a name bears no capacity; mended, all three
//! are filled in (mends of holes 6, 3 and 4).

use serde::{Deserialize, Serialize};

use super::super::{ElectionNumber, watch};
use protocol::{Described, NodeId};

/// A message of Algorithm C, or of the watch over its master.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `init,v`: the sender takes part, with this capacity.
    Init {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`.
        capacity: i64,
    },
    /// `elected`: the sender takes itself for the one with the largest capacity.
    Elected {
        /// Which election.
        election: ElectionNumber,
        /// Which round of announcements.
        round: u32,
        /// The sender's capacity, when mended.
        capacity: Option<i64>,
    },
    /// `dup k,l`: both have announced themselves.
    Dup {
        /// Which election.
        election: ElectionNumber,
        /// Which round of announcements.
        round: u32,
        /// One of them.
        k: Name,
        /// The other.
        l: Name,
    },
    /// Between a follower and its master.
    Watch(watch::Message),
    /// `ask`: the sender has heard of no master; each process that has announced itself must do so again (mends of
    /// holes 5 and 15).
    Ask {
        /// The latest election that the sender has heard of.
        election: ElectionNumber,
    },
}

/// A process that a message names.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Name {
    /// The process.
    pub node: NodeId,
    /// Its capacity, when mended.
    pub capacity: Option<i64>,
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
            Message::Elected { .. } => "elected",
            Message::Dup { .. } => "dup",
            Message::Watch(message) => message.kind(),
            Message::Ask { .. } => "ask",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Init { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Elected { election, round, capacity } => {
                let capacity = capacity.map(|capacity| ("capacity", capacity.to_string()));
                let numbers = [("election", election.to_string()), ("round", round.to_string())];
                capacity.into_iter().chain(numbers).collect()
            }
            Message::Dup { election, round, k, l } => {
                vec![("k", k.text()), ("l", l.text()), ("election", election.to_string()), ("round", round.to_string())]
            }
            Message::Watch(message) => message.fields(),
            Message::Ask { election } => vec![("election", election.to_string())],
        }
    }
}

impl Name {
    fn text(self) -> String {
        match self.capacity {
            Some(capacity) => format!("{} ({capacity})", self.node),
            None => self.node.to_string(),
        }
    }
}
