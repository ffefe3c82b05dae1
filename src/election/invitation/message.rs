//! What Invitation sends: the calls of Garcia-Molina 1982, Appendix II, and their answers.
//!
//! Invariant: an answer carries the number of its call. Invitation is answered in the sequential form only, when it has
//! ended: a node that takes it calls Accept.

use serde::{Deserialize, Serialize};

use crate::garcia_molina::YesOrNo;
use protocol::{CallNumber, Described, GroupNumber, NodeId, Task};

/// A call, or its answer. The caller is the sender.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Does the node coordinate a group, in Normal?
    AreYouCoordinator {
        /// The call's number.
        call: CallNumber,
    },
    /// The answer to the caller.
    AreYouCoordinatorAnswer {
        /// The number of the call it answers.
        call: CallNumber,
        /// Whether it coordinates.
        coordinator: YesOrNo,
    },
    /// Does the node coordinate this group, and does the caller belong to it?
    AreYouThere {
        /// The call's number.
        call: CallNumber,
        /// The group's number.
        group: GroupNumber,
    },
    /// The answer to the caller.
    AreYouThereAnswer {
        /// The number of the call it answers.
        call: CallNumber,
        /// Whether both are true.
        there: YesOrNo,
    },
    /// Join this group.
    Invitation {
        /// The call's number.
        call: CallNumber,
        /// The inviter; not the sender, if a former coordinator passes it on.
        coordinator: NodeId,
        /// The group's number.
        group: GroupNumber,
    },
    /// The invited node has accepted, or declined, and has nothing more to do.
    InvitationAnswer {
        /// The number of the call it answers.
        call: CallNumber,
    },
    /// The caller has joined this group.
    Accept {
        /// The call's number.
        call: CallNumber,
        /// The group's number.
        group: GroupNumber,
    },
    /// The inviter has heard.
    AcceptAnswer {
        /// The number of the call it answers.
        call: CallNumber,
        /// Whether the caller belongs to Up. The paper's Accept does not return it.
        accepted: YesOrNo,
    },
    /// The caller gives out the task.
    Ready {
        /// The call's number.
        call: CallNumber,
        /// The group's number.
        group: GroupNumber,
        /// The task definition `d`.
        task: Box<Task>,
    },
    /// The node has heard.
    ReadyAnswer {
        /// The number of the call it answers.
        call: CallNumber,
        /// Whether it has taken the task. The paper's Ready does not return it.
        taken: YesOrNo,
    },
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::AreYouCoordinator { .. } => "AreYouCoordinator",
            Message::AreYouCoordinatorAnswer { .. } => "AreYouCoordinatorAnswer",
            Message::AreYouThere { .. } => "AreYouThere",
            Message::AreYouThereAnswer { .. } => "AreYouThereAnswer",
            Message::Invitation { .. } => "Invitation",
            Message::InvitationAnswer { .. } => "InvitationAnswer",
            Message::Accept { .. } => "Accept",
            Message::AcceptAnswer { .. } => "AcceptAnswer",
            Message::Ready { .. } => "Ready",
            Message::ReadyAnswer { .. } => "ReadyAnswer",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::AreYouCoordinator { call } | Message::InvitationAnswer { call } => {
                vec![("call", call.to_string())]
            }
            Message::AreYouCoordinatorAnswer { call, coordinator } => {
                vec![("call", call.to_string()), ("coordinator", coordinator.to_string())]
            }
            Message::AreYouThereAnswer { call, there } => {
                vec![("call", call.to_string()), ("there", there.to_string())]
            }
            Message::AcceptAnswer { call, accepted } => {
                vec![("call", call.to_string()), ("accepted", accepted.to_string())]
            }
            Message::ReadyAnswer { call, taken } => vec![("call", call.to_string()), ("taken", taken.to_string())],
            Message::AreYouThere { call, group } | Message::Accept { call, group } => {
                vec![("call", call.to_string()), ("group", group.to_string())]
            }
            Message::Invitation { call, coordinator, group } => {
                vec![("call", call.to_string()), ("coordinator", coordinator.to_string()), ("group", group.to_string())]
            }
            Message::Ready { call, group, task } => vec![
                ("call", call.to_string()),
                ("group", group.to_string()),
                ("task", task.to_string()),
                ("members", task.members.to_string()),
            ],
        }
    }
}
