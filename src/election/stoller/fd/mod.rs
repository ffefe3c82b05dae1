//! The Bully algorithm on a failure detector: Stoller 1997, section 4, figure 1. The operational node with the lowest
//! id leads.
//!
//! This file has what figure 1 has and figure 3 has not; the rest is in [`machine`](super::machine). Only stage 1 asks
//! all nodes at once. With `errata = false` the machine is figure 1 to the letter; the mends of its holes are the lines
//! from 101 on.
//!
//! Invariant: `down` holds nodes that outrank this one only.

mod card;
#[cfg(test)]
mod tests;

use card as line;
use serde::{Deserialize, Serialize};

pub use super::machine::Timer;
use super::machine::{Figure, Fx, Node, NormReply, SharedLines};
use super::{ElectionId, ElectionStage, Hole, Said};
use crate::detector;
use protocol::{Card, Described, GroupNumber, Incarnation, LineNumber, NodeId, NodeMap, NodeSet};

/// One node of Bully-FD.
pub type BullyFd = Node<Figure1>;

/// What figure 1 alone remembers.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Figure1 {
    down: NodeSet,
    /// [`Stable::obeyed`].
    obeyed: NodeMap<ElectionId>,
}

/// What a node keeps on stable storage.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Stable {
    /// How often the node has started, `incarn`. To the letter there is nothing else.
    pub incarnation: Incarnation,
    /// The latest election of each other node whose Halt this node has obeyed. A crash ends an election for the node as
    /// another's Halt does, and a repeated Halt of that election may still be under way.
    pub obeyed: NodeMap<ElectionId>,
}

/// What Bully-FD sends.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Of an election.
    Election(Said),
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
            Message::Detector(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Election(said) => said.fields(),
            Message::Detector(message) => message.fields(),
        }
    }
}

impl Figure for Figure1 {
    type Message = Message;
    type Stable = Stable;
    const CARD: Card = card::CARD;
    const LINES: SharedLines = SharedLines {
        recovery: line::RECOVERY,
        halting: line::HALT,
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

    fn recovered(stable: Option<Stable>) -> (Incarnation, Figure1) {
        let Stable { incarnation, obeyed } = stable.unwrap_or_default();
        (incarnation, Figure1 { down: NodeSet::EMPTY, obeyed })
    }

    fn stable(&self, incarnation: Incarnation) -> Stable {
        Stable { incarnation, obeyed: self.obeyed.clone() }
    }

    fn group(_: ElectionId) -> Option<GroupNumber> {
        None
    }

    fn hear(node: &mut BullyFd, from: NodeId, message: Message, fx: &mut Fx<Figure1>) {
        match message {
            Message::Election(said) => node.hear(from, said, fx),
            Message::Detector(message) => node.detector.hear(from, message),
        }
    }

    /// StartStage1.
    fn start_election(node: &mut BullyFd, fx: &mut Fx<Figure1>) {
        fx.line(line::STAGE_1);
        node.become_asking();
        node.figure.down = NodeSet::EMPTY;
        let lesser = node.roster.above(node.me);
        if lesser.is_empty() {
            fx.line(line::STAGE_1_FIRST);
            node.start_stage_2(fx);
        } else {
            fx.line(line::STAGE_1_WATCH);
            node.detector.start(lesser);
        }
    }

    fn halt(node: &mut BullyFd, from: NodeId, election: ElectionId, fx: &mut Fx<Figure1>) {
        if node.mends(Hole::H9) {
            if node.figure.obeyed.insert(from, election) == Some(election) {
                fx.line(line::MEND_9_OBEYED);
                return node.say(from, Said::Ack { election }, fx);
            }
            node.save(fx);
        }
        node.figure.down.remove(from);
        node.halting(from, election, fx);
    }

    fn down_sig(node: &mut BullyFd, down: NodeId, fx: &mut Fx<Figure1>) {
        if node.roster.outranks(down, node.me) {
            node.figure.down.insert(down);
            let lesser_are_down = node.roster.above(node.me).minus(&node.figure.down).is_empty();
            if node.is_under(down) {
                fx.line(line::DOWN_LEADER);
                Figure1::start_election(node, fx);
            } else if node.status == ElectionStage::Elec1 && lesser_are_down {
                fx.line(line::DOWN_LESSER);
                node.start_stage_2(fx);
            } else {
                fx.line(line::DOWN_NOTED);
            }
        } else if node.is_pending(down) {
            fx.line(line::DOWN_PENDING);
            node.continue_stage_2(fx);
        } else {
            fx.line(line::DOWN_GREATER);
        }
    }

    fn is_norm(node: &BullyFd, from: NodeId, election: ElectionId) -> (LineNumber, NormReply) {
        let belongs = node.leader == Some(from) && node.election == election;
        match node.status {
            ElectionStage::Norm if node.mends(Hole::H7) && !belongs => (line::MEND_7_OTHER_LEADER, NormReply::NotNorm),
            ElectionStage::Norm => (line::IS_NORM, NormReply::Silence),
            _ => (line::IS_NORM_NOT, NormReply::NotNorm),
        }
    }
}
