//! What a liar can make of the calls of Garcia-Molina's Bully and Invitation.
//!
//! Invariant: a claim is the calls by which a coordinator takes office, in their order.

use crate::garcia_molina::YesOrNo;
use crate::{bully, invitation};
use protocol::{CallNumber, Claimant, Deceit, GroupNumber, NodeSet, Roster, Task};

fn yes_or_no(answer: YesOrNo) -> i64 {
    i64::from(answer == YesOrNo::Yes)
}

impl Deceit for bully::Message {
    /// A yes is 1, a no is 0; of a task, the number of the definition.
    fn value(&self) -> Option<i64> {
        match self {
            bully::Message::AreYouNormalAnswer { normal, .. } => Some(yes_or_no(*normal)),
            bully::Message::Ready { task, .. } => Some(i64::from(task.serial)),
            _ => None,
        }
    }

    fn with_value(self, value: i64, _: Roster) -> Self {
        match self {
            bully::Message::AreYouNormalAnswer { call, .. } => {
                bully::Message::AreYouNormalAnswer { call, normal: YesOrNo::from(value & 1 == 1) }
            }
            bully::Message::Ready { call, task } => {
                bully::Message::Ready { call, task: Task { serial: value.unsigned_abs() as u32, ..task } }
            }
            other => other,
        }
    }

    fn with_names(self, names: NodeSet) -> Option<Self> {
        match self {
            bully::Message::Ready { call, task } => {
                let members = task.members.union(&names);
                Some(bully::Message::Ready { call, task: Task { members, ..task } })
            }
            _ => None,
        }
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        let call = |place| call(claimant, place);
        let task = task(claimant);
        vec![
            bully::Message::Halt { call: call(0) },
            bully::Message::NewCoordinator { call: call(1) },
            bully::Message::Ready { call: call(2), task },
        ]
    }
}

impl Deceit for invitation::Message {
    /// A yes is 1, a no is 0; of a task, the number of the definition.
    fn value(&self) -> Option<i64> {
        match self {
            invitation::Message::AreYouCoordinatorAnswer { coordinator, .. } => Some(yes_or_no(*coordinator)),
            invitation::Message::AreYouThereAnswer { there, .. } => Some(yes_or_no(*there)),
            invitation::Message::AcceptAnswer { accepted, .. } => Some(yes_or_no(*accepted)),
            invitation::Message::ReadyAnswer { taken, .. } => Some(yes_or_no(*taken)),
            invitation::Message::Ready { task, .. } => Some(i64::from(task.serial)),
            _ => None,
        }
    }

    fn with_value(self, value: i64, _: Roster) -> Self {
        let answer = YesOrNo::from(value & 1 == 1);
        match self {
            invitation::Message::AreYouCoordinatorAnswer { call, .. } => {
                invitation::Message::AreYouCoordinatorAnswer { call, coordinator: answer }
            }
            invitation::Message::AreYouThereAnswer { call, .. } => {
                invitation::Message::AreYouThereAnswer { call, there: answer }
            }
            invitation::Message::AcceptAnswer { call, .. } => {
                invitation::Message::AcceptAnswer { call, accepted: answer }
            }
            invitation::Message::ReadyAnswer { call, .. } => invitation::Message::ReadyAnswer { call, taken: answer },
            invitation::Message::Ready { call, group, task } => {
                let task = Box::new(Task { serial: value.unsigned_abs() as u32, ..*task });
                invitation::Message::Ready { call, group, task }
            }
            other => other,
        }
    }

    fn with_names(self, names: NodeSet) -> Option<Self> {
        match self {
            invitation::Message::Ready { call, group, task } => {
                let members = task.members.union(&names);
                Some(invitation::Message::Ready { call, group, task: Box::new(Task { members, ..*task }) })
            }
            _ => None,
        }
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        let group = GroupNumber { node: claimant.node, counter: FORGED_SERIAL.into() };
        let ready = invitation::Message::Ready { call: call(claimant, 1), group, task: Box::new(task(claimant)) };
        vec![invitation::Message::Invitation { call: call(claimant, 0), coordinator: claimant.node, group }, ready]
    }
}

/// Beyond the numbers that the machine gives out.
const FORGED_SERIAL: u32 = 1 << 30;

fn call(claimant: &Claimant, place: u32) -> CallNumber {
    let serial = FORGED_SERIAL.saturating_add(claimant.claims.saturating_mul(4)).saturating_add(place);
    CallNumber { incarnation: claimant.incarnation, serial }
}

fn task(claimant: &Claimant) -> Task {
    Task {
        author: claimant.node,
        incarnation: claimant.incarnation,
        serial: FORGED_SERIAL.saturating_add(claimant.claims),
        members: claimant.roster.electors().others(claimant.node),
    }
}
