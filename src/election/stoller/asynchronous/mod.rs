//! The Asynchronous Bully algorithm: Stoller 1997, section 7, figure 3. Groups that cannot reach each other have leaders of
//! their own; the election identifier is the group's.
//!
//! There is no stage 1. A Halt from one who would be a worse leader is refused, and a node that is halted plays dead to
//! those that it outranks: its detector is silent towards them, so that its former members get free of it. What the
//! paper's paragraph on PlayDead says is lost in our copy; appendix B shows the sense: it lasts until the node's own next
//! stage 2, and only the detector is silent. With `errata = false` the machine is figure 3 to the letter, with the slip
//! that its Ldr prints `t` where it means `elid` put right; the mends of its holes are the lines from 101 on.
//!
//! Invariant: in Norm, ldr is the starter of elid (which is what ALE1 rests on).

mod card;
mod procedures;
#[cfg(test)]
mod tests;

use card as line;
use serde::{Deserialize, Serialize};

use super::{ElectionId, Said, Stage};
use crate::election::detector::{self, Detector};
use crate::election::garcia_molina::Reading;
use crate::protocol::{
    Algorithm, Card, Described, Effects, GroupNumber, Incarnation, NodeId, NodeSet, Order, Roster, Setup, Span,
    StateVector,
};

/// What the paper keeps on stable storage.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Stable {
    /// How often the node has started, `incarn`.
    pub incarnation: Incarnation,
}

/// One node of the Asynchronous Bully.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct AsynchronousBully {
    me: NodeId,
    roster: Roster,
    /// The period of Norm?, `tau`.
    period: Span,
    reading: Reading,
    incarnation: Incarnation,
    status: Stage,
    leader: Option<NodeId>,
    /// The election identifier, which is the group's too.
    election: ElectionId,
    next_election: u32,
    acks: NodeSet,
    pending_ack: NodeId,
    detector: Detector,
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

/// The Asynchronous Bully's timers.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// Periodically(tau).
    Period,
    /// One of the failure detector.
    Detector(detector::Timer),
}

impl Algorithm for AsynchronousBully {
    type Message = Message;
    type Timer = Timer;
    type Saved = Stable;
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, saved: Option<Stable>, fx: &mut Effects<AsynchronousBully>) -> AsynchronousBully {
        let incarnation = Incarnation(saved.unwrap_or_default().incarnation.0 + 1);
        let mut node = AsynchronousBully {
            me: setup.me,
            roster: setup.roster,
            period: setup.timing.check,
            reading: Reading::of(&setup.settings),
            incarnation,
            status: Stage::Norm,
            leader: None,
            election: ElectionId { starter: setup.me, incarnation, sequence: 0 },
            next_election: 1,
            acks: NodeSet::EMPTY,
            pending_ack: setup.me,
            detector: Detector::begin(setup),
        };
        node.step(fx, |node, fx| {
            fx.save(Stable { incarnation });
            fx.set_timer(Timer::Period, node.period);
            fx.line(line::RECOVERY);
            node.start_stage_2(fx);
        });
        node
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Effects<AsynchronousBully>) {
        self.step(fx, |node, fx| match message {
            Message::Election(Said::Halt { election }) => node.halt(from, election, fx),
            Message::Election(Said::Ack { election }) => node.ack(from, election, fx),
            Message::Rej { election } => node.rej(from, election, fx),
            Message::Election(Said::Ldr { election }) => node.ldr(from, election, fx),
            Message::Election(Said::IsNorm { election }) => node.is_norm(from, election, fx),
            Message::Election(Said::NotNorm { election }) => node.not_norm(election, fx),
            Message::Detector(message) => node.detector.hear(from, message),
        });
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<AsynchronousBully>) {
        self.step(fx, |node, fx| match timer {
            Timer::Period => {
                fx.set_timer(Timer::Period, node.period);
                node.periodically(fx);
            }
            Timer::Detector(timer) => node.detector.time_out(timer),
        });
    }

    fn on_order(&mut self, order: Order, fx: &mut Effects<AsynchronousBully>) {
        self.step(fx, |node, fx| match order {
            Order::Elect => {
                fx.line(line::ORDER);
                node.start_stage_2(fx);
            }
            Order::StartOver => unreachable!("the Card does not list {order}"),
        });
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Period => NodeSet::EMPTY,
            Timer::Detector(timer) => self.detector.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let leader = self.leader.filter(|_| self.status == Stage::Norm);
        let counts_acks = self.status == Stage::Elec2 || leader == Some(self.me);
        StateVector {
            status: self.status.status(),
            word: self.status.word().into(),
            coordinator: leader,
            group: Some(group_number(self.election)),
            task: None,
            up: if counts_acks { self.acks } else { NodeSet::EMPTY },
            halted_by: (self.status == Stage::Wait).then_some(self.election.starter),
            election: None,
            ballot: None,
        }
    }
}

impl AsynchronousBully {
    /// One step: what it does, then what it does about those that the detector reports, then what the detector wants.
    fn step(
        &mut self,
        fx: &mut Effects<AsynchronousBully>,
        work: impl FnOnce(&mut AsynchronousBully, &mut Effects<AsynchronousBully>),
    ) {
        work(self, fx);
        while let Some(node) = self.detector.take_down() {
            self.down_sig(node, fx);
        }
        self.detector.act(fx, Message::Detector, Timer::Detector);
    }
}

/// The election identifier as a group's number. No process begins a billion elections, and so the two halves of its
/// counter can be read: incarnation 2, election 7 is 2000000007.
fn group_number(election: ElectionId) -> GroupNumber {
    let counter = u64::from(election.incarnation.0) * 1_000_000_000 + u64::from(election.sequence);
    GroupNumber { node: election.starter, counter }
}
