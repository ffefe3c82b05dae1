//! What Bully sends: the calls of Garcia-Molina 1982, Appendix I, and their answers.
//!
//! Invariant: an answer carries the number of its call and means "heard"; only AreYouNormal's says more.

use serde::{Deserialize, Serialize};

use crate::garcia_molina::YesOrNo;
use protocol::{CallNumber, Described, Task};

/// A call of one of the immediate procedures, or its answer. The caller is the sender.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Is the node up?
    AreYouThere {
        /// The call's number.
        call: CallNumber,
    },
    /// The node is up.
    AreYouThereAnswer {
        /// The number of the call it answers.
        call: CallNumber,
    },
    /// A coordinator asks for the state of a node.
    AreYouNormal {
        /// The call's number.
        call: CallNumber,
    },
    /// The node's answer.
    AreYouNormalAnswer {
        /// The number of the call it answers.
        call: CallNumber,
        /// Whether the node is normal.
        normal: YesOrNo,
    },
    /// The caller is about to become coordinator.
    Halt {
        /// The call's number.
        call: CallNumber,
    },
    /// The node has halted.
    HaltAnswer {
        /// The number of the call it answers.
        call: CallNumber,
    },
    /// The caller has become coordinator.
    NewCoordinator {
        /// The call's number.
        call: CallNumber,
    },
    /// The node has heard it, and may have refused.
    NewCoordinatorAnswer {
        /// The number of the call it answers.
        call: CallNumber,
    },
    /// The caller gives out the task.
    Ready {
        /// The call's number.
        call: CallNumber,
        /// The task definition `d`.
        task: Task,
    },
    /// The node has heard it, and may have refused.
    ReadyAnswer {
        /// The number of the call it answers.
        call: CallNumber,
    },
}

impl Message {
    fn call(&self) -> CallNumber {
        match self {
            Message::AreYouThere { call }
            | Message::AreYouThereAnswer { call }
            | Message::AreYouNormal { call }
            | Message::AreYouNormalAnswer { call, .. }
            | Message::Halt { call }
            | Message::HaltAnswer { call }
            | Message::NewCoordinator { call }
            | Message::NewCoordinatorAnswer { call }
            | Message::Ready { call, .. }
            | Message::ReadyAnswer { call } => *call,
        }
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::AreYouThere { .. } => "AreYouThere",
            Message::AreYouThereAnswer { .. } => "AreYouThereAnswer",
            Message::AreYouNormal { .. } => "AreYouNormal",
            Message::AreYouNormalAnswer { .. } => "AreYouNormalAnswer",
            Message::Halt { .. } => "Halt",
            Message::HaltAnswer { .. } => "HaltAnswer",
            Message::NewCoordinator { .. } => "NewCoordinator",
            Message::NewCoordinatorAnswer { .. } => "NewCoordinatorAnswer",
            Message::Ready { .. } => "Ready",
            Message::ReadyAnswer { .. } => "ReadyAnswer",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("call", self.call().to_string())];
        match self {
            Message::AreYouNormalAnswer { normal, .. } => fields.push(("normal", normal.to_string())),
            Message::Ready { task, .. } => {
                fields.extend([("task", task.to_string()), ("members", task.members.to_string())]);
            }
            _ => {}
        }
        fields
    }
}
