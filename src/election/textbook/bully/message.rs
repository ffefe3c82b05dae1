//! What the textbook's Bully sends.
//!
//! Invariant: an answer and a reply carry the number of what they answer, so that a late one is recognized.

use serde::{Deserialize, Serialize};

use protocol::{CallNumber, Described, NodeId};

/// A message of the textbook's Bully.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// The sender has started an election.
    Election {
        /// The number.
        call: CallNumber,
    },
    /// The response to it: a process with a higher number is up.
    Answer {
        /// The number of the election that it answers.
        call: CallNumber,
    },
    /// The sender is the new coordinator.
    Coordinator,
    /// The sender wants something of its coordinator.
    Request {
        /// The number.
        call: CallNumber,
    },
    /// The reply to a request.
    Reply {
        /// The number of the request that it replies to.
        call: CallNumber,
        /// Who coordinates, as far as the sender knows. In the algorithm as printed the reply does not contain it.
        coordinator: Option<NodeId>,
    },
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Election { .. } => "election",
            Message::Answer { .. } => "answer",
            Message::Coordinator => "coordinator",
            Message::Request { .. } => "request",
            Message::Reply { .. } => "reply",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Coordinator => Vec::new(),
            Message::Election { call } | Message::Answer { call } | Message::Request { call } => {
                vec![("call", call.to_string())]
            }
            Message::Reply { call, coordinator } => {
                let coordinator = coordinator.map(|node| ("coordinator", node.to_string()));
                [("call", call.to_string())].into_iter().chain(coordinator).collect()
            }
        }
    }
}
