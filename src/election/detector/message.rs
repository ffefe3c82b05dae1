//! What failure detectors send each other (Stoller 1997, sections 2 and 6).
//!
//! Invariant: a new kind stands behind the others, so that a datagram of an old one reads as before.

use serde::{Deserialize, Serialize};

use super::Attendance;
use protocol::{CallNumber, Described, NodeId};

/// What detectors send each other.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Is the node alive?
    AreYouAlive {
        /// The question's number.
        call: CallNumber,
    },
    /// The node is alive.
    Alive {
        /// The number of the question.
        call: CallNumber,
    },
    /// From now on send I'm alive.
    Watch {
        /// The watch's number.
        call: CallNumber,
    },
    /// The sender is alive; the Watch asked for this.
    IAmAlive {
        /// The number of the watch.
        call: CallNumber,
    },
    /// Send I'm alive no longer, for this watch and all before it.
    Unwatch {
        /// The number of the latest watch that is over.
        call: CallNumber,
    },
    /// The attendance list, on its way round the ring.
    Attendance(Box<Attendance>),
    /// The sender cannot reach this node. Can the receiver?
    CanYouReach {
        /// Which node.
        node: NodeId,
        /// The inquiry's number.
        call: CallNumber,
    },
    /// Is the node alive, for this watcher?
    AreYouAliveFor {
        /// The node that inquires.
        watcher: NodeId,
        /// The watcher's number of the inquiry.
        call: CallNumber,
    },
    /// The node is alive, for this watcher.
    AliveFor {
        /// The node that inquires.
        watcher: NodeId,
        /// The watcher's number of the inquiry.
        call: CallNumber,
    },
    /// The sender has reached the node.
    Reached {
        /// Which node.
        node: NodeId,
        /// The inquiry's number.
        call: CallNumber,
    },
    /// The sender has not reached the node.
    NotReached {
        /// Which node.
        node: NodeId,
        /// The inquiry's number.
        call: CallNumber,
    },
}

impl Message {
    /// The kinds of all of them.
    pub const KINDS: [&str; 11] = [
        "AreYouAlive",
        "Alive",
        "Watch",
        "IAmAlive",
        "Unwatch",
        "Attendance",
        "CanYouReach",
        "AreYouAliveFor",
        "AliveFor",
        "Reached",
        "NotReached",
    ];
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        let place = match self {
            Message::AreYouAlive { .. } => 0,
            Message::Alive { .. } => 1,
            Message::Watch { .. } => 2,
            Message::IAmAlive { .. } => 3,
            Message::Unwatch { .. } => 4,
            Message::Attendance(_) => 5,
            Message::CanYouReach { .. } => 6,
            Message::AreYouAliveFor { .. } => 7,
            Message::AliveFor { .. } => 8,
            Message::Reached { .. } => 9,
            Message::NotReached { .. } => 10,
        };
        Message::KINDS[place]
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::AreYouAlive { call }
            | Message::Alive { call }
            | Message::Watch { call }
            | Message::IAmAlive { call }
            | Message::Unwatch { call } => vec![("call", call.to_string())],
            Message::Attendance(list) => vec![
                ("issuer", list.issuer.to_string()),
                ("lap", list.lap.to_string()),
                ("attended", list.attended.to_string()),
                ("before", list.before.to_string()),
            ],
            Message::CanYouReach { node, call }
            | Message::Reached { node, call }
            | Message::NotReached { node, call } => vec![("node", node.to_string()), ("call", call.to_string())],
            Message::AreYouAliveFor { watcher, call } | Message::AliveFor { watcher, call } => {
                vec![("watcher", watcher.to_string()), ("call", call.to_string())]
            }
        }
    }
}
