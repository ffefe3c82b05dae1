//! The Asynchronous Bully algorithm: Stoller 1997, section 7, figure 3. Groups that cannot reach each other have
//! leaders of their own; the election identifier is the group's.
//!
//! This file has what figure 3 changes of figure 1; the rest is in [`machine`](super::machine). There is no stage 1. A
//! node refuses a Halt from a node that would be a worse leader. A halted node plays dead to the nodes that it
//! outranks: its detector is silent towards them, so that its former members get free of it. The paper's paragraph on
//! PlayDead is lost in our copy; appendix B shows the sense: it lasts until the node's own next stage 2, and only the
//! detector is silent. With `errata = false` the machine is figure 3 to the letter; the mends of its holes are the
//! lines from 101 on.
//!
//! Invariant: in Norm, ldr is the starter of elid (which is what ALE1 rests on).

mod card;
mod ladder;
#[cfg(test)]
mod tests;

use card as line;
pub use ladder::ladder;
use serde::{Deserialize, Serialize};

pub use super::machine::Timer;
use super::machine::{Figure, Fx, Node, NormReply, SharedLines};
use super::{ElectionId, ElectionStage, Hole, Said};
use crate::detector;
use protocol::{Card, Described, GroupNumber, Incarnation, LineNumber, NodeId};

/// One node of the Asynchronous Bully.
pub type AsynchronousBully = Node<Figure3>;

/// Figure 3 remembers nothing more.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Figure3;

/// What the paper keeps on stable storage.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Stable {
    /// How often the node has started, `incarn`.
    pub incarnation: Incarnation,
}

/// What the Asynchronous Bully sends.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Of an election.
    Election(Said),
    /// A Halt is refused: the node has a better leader, or waits for one.
    Rej {
        /// The election of the Halt.
        election: ElectionId,
    },
    /// Of the failure detector.
    Detector(detector::Message),
}

impl From<Said> for Message {
    fn from(said: Said) -> Message {
        Message::Election(said)
    }
}

impl From<detector::Message> for Message {
    fn from(message: detector::Message) -> Message {
        Message::Detector(message)
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Election(said) => said.kind(),
            Message::Rej { .. } => "Rej",
            Message::Detector(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Election(said) => said.fields(),
            Message::Rej { election } => vec![("election", election.to_string())],
            Message::Detector(message) => message.fields(),
        }
    }
}

impl Figure for Figure3 {
    type Message = Message;
    type Stable = Stable;
    const CARD: Card = card::CARD;
    const LINES: SharedLines = SharedLines {
        recovery: line::RECOVERY,
        halting: line::HALTING,
        stage_2: line::STAGE_2,
        continue_halt: line::CONTINUE_HALT,
        continue_lead: line::CONTINUE_LEAD,
        ack: line::ACK,
        ack_ignored: line::ACK_IGNORED,
        ldr: line::LDR,
        ldr_ignored: line::LDR_IGNORED,
        period: line::PERIOD,
        not_norm: line::NOT_NORM,
        not_norm_ignored: line::NOT_NORM_IGNORED,
        order: line::ORDER,
        mend_1_halt_again: line::MEND_1_HALT_AGAIN,
        mend_8_no_halt: line::MEND_8_NO_HALT,
        mend_10_stop: line::MEND_10_STOP,
    };

    fn recovered(stable: Option<Stable>) -> (Incarnation, Figure3) {
        (stable.unwrap_or_default().incarnation, Figure3)
    }

    fn stable(&self, incarnation: Incarnation) -> Stable {
        Stable { incarnation }
    }

    /// The election identifier as a group's number. No process begins a billion elections, so the two halves of its
    /// counter can be read: incarnation 2, election 7 is 2000000007, and is shown as `2.7`.
    fn group(election: ElectionId) -> Option<GroupNumber> {
        let counter = u64::from(election.incarnation.0) * GroupNumber::OF_INCARNATION + u64::from(election.sequence);
        Some(GroupNumber { node: election.starter, counter })
    }

    fn hear(node: &mut AsynchronousBully, from: NodeId, message: Message, fx: &mut Fx<Figure3>) {
        match message {
            Message::Election(said) => node.hear(from, said, fx),
            Message::Rej { election } => rej(node, from, election, fx),
            Message::Detector(message) => node.detector.hear(from, message),
        }
    }

    /// What figure 3's StartStage2 does before figure 1's.
    fn start_election(node: &mut AsynchronousBully, fx: &mut Fx<Figure3>) {
        node.detector.play_alive();
        node.become_starter();
        node.start_stage_2(fx);
    }

    /// A repeated Halt is like any other, and hole 9 is figure 1's alone: a node refuses it under a better leader, and
    /// in Norm ldr is the starter of elid, to whichever election the node goes back.
    fn halt(node: &mut AsynchronousBully, from: NodeId, election: ElectionId, fx: &mut Fx<Figure3>) {
        let better = match node.status {
            ElectionStage::Norm => node.leader,
            ElectionStage::Wait => Some(node.election.starter),
            ElectionStage::Elec1 | ElectionStage::Elec2 => None,
        };
        if better.is_some_and(|better| node.roster.outranks(better, from)) {
            fx.line(line::HALT_REFUSED);
            fx.send(from, Message::Rej { election });
        } else {
            node.detector.play_dead(node.roster.below(node.me));
            node.halting(from, election, fx);
        }
    }

    fn down_sig(node: &mut AsynchronousBully, down: NodeId, fx: &mut Fx<Figure3>) {
        if node.is_under(down) {
            fx.line(line::DOWN_LEADER);
            Figure3::start_election(node, fx);
        } else if node.is_pending(down) {
            fx.line(line::DOWN_PENDING);
            node.continue_stage_2(fx);
        } else {
            fx.line(line::DOWN_OTHER);
        }
    }

    fn is_norm(node: &AsynchronousBully, from: NodeId, election: ElectionId) -> (LineNumber, NormReply) {
        let is_better_than = |other| node.roster.outranks(from, other);
        let starter = node.election.starter;
        match node.status {
            ElectionStage::Norm if node.leader.is_some_and(is_better_than) => {
                (line::IS_NORM_BETTER, NormReply::NotNorm)
            }
            ElectionStage::Norm if node.mends(Hole::H4) && node.leader == Some(from) && election != node.election => {
                (line::MEND_4_OLDER_ELECTION, NormReply::NotNorm)
            }
            ElectionStage::Norm => (line::IS_NORM, NormReply::Silence),
            _ if is_better_than(starter) => (line::IS_NORM_NOT, NormReply::NotNorm),
            _ if node.mends(Hole::H3) && from == starter => (line::MEND_3_OWN_STARTER, NormReply::NotNorm),
            _ => (line::IS_NORM, NormReply::Silence),
        }
    }
}

/// On Rej, which figure 1 does not have.
fn rej(node: &mut AsynchronousBully, from: NodeId, election: ElectionId, fx: &mut Fx<Figure3>) {
    if !node.is_pending(from) {
        fx.line(line::REJ_IGNORED);
    } else if node.mends(Hole::H6) && election != node.election {
        fx.line(line::MEND_6_STALE_REJ);
    } else {
        fx.line(line::REJ);
        node.continue_stage_2(fx);
    }
}
