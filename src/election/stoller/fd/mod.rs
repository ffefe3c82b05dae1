//! The Bully algorithm on a failure detector: Stoller 1997, section 4, figure 1. The operational node with the lowest id
//! leads.
//!
//! The procedures bear the paper's names, the roster's `above` is its `lesser`, `below` its `greater`. Nodes are halted one
//! after the other, in the order of their rank: the safety (SLE1) rests on it; only stage 1 asks all at once. With
//! `errata = false` the machine is figure 1 to the letter, with the slip that its Ldr prints `t` where it means `elid`
//! put right; the mends of its holes are the lines from 101 on.
//!
//! Invariant: `pendack` is watched by the detector whenever the node is in stage 2, and so is whoever else it waits for.

mod card;
mod procedures;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use card as line;
use serde::{Deserialize, Serialize};

use super::{ElectionId, Said, Stage};
use crate::election::detector::{self, Detector};
use crate::election::garcia_molina::Reading;
use crate::protocol::{
    Algorithm, Card, Described, Effects, Incarnation, NodeId, NodeSet, Order, Roster, Setup, Span, StateVector,
};

/// What a node keeps on stable storage.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Stable {
    /// How often the node has started, `incarn`. To the letter there is nothing else.
    pub incarnation: Incarnation,
    /// The latest election of each other node whose Halt this node has obeyed. A crash ends an election for the node as
    /// another's Halt does, and a Halt that is sent again may still be under way.
    pub obeyed: BTreeMap<NodeId, ElectionId>,
}

/// One node of Bully-FD.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct BullyFd {
    me: NodeId,
    roster: Roster,
    /// The period of Norm?, `tau`.
    period: Span,
    reading: Reading,
    stable: Stable,
    status: Stage,
    leader: Option<NodeId>,
    election: ElectionId,
    next_election: u32,
    down: NodeSet,
    acks: NodeSet,
    pending_ack: NodeId,
    detector: Detector,
}

/// What Bully-FD sends.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Of an election.
    Election(Said),
    /// Of the failure detector.
    Detector(detector::Message),
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

/// Bully-FD's timers.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// Periodically(tau).
    Period,
    /// One of the failure detector.
    Detector(detector::Timer),
}

impl Algorithm for BullyFd {
    type Message = Message;
    type Timer = Timer;
    type Saved = Stable;
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, saved: Option<Stable>, fx: &mut Effects<BullyFd>) -> BullyFd {
        let mut stable = saved.unwrap_or_default();
        stable.incarnation.0 += 1;
        let incarnation = stable.incarnation;
        let mut node = BullyFd {
            me: setup.me,
            roster: setup.roster,
            period: setup.timing.check,
            reading: Reading::of(&setup.settings),
            stable,
            status: Stage::Norm,
            leader: None,
            election: ElectionId { starter: setup.me, incarnation, sequence: 0 },
            next_election: 1,
            down: NodeSet::EMPTY,
            acks: NodeSet::EMPTY,
            pending_ack: setup.me,
            detector: Detector::begin(setup),
        };
        node.step(fx, |node, fx| {
            fx.save(node.stable.clone());
            fx.set_timer(Timer::Period, node.period);
            fx.line(line::RECOVERY);
            node.start_stage_1(fx);
        });
        node
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Effects<BullyFd>) {
        self.step(fx, |node, fx| match message {
            Message::Election(Said::Halt { election }) => node.halt(from, election, fx),
            Message::Election(Said::Ack { election }) => node.ack(from, election, fx),
            Message::Election(Said::Ldr { election }) => node.ldr(from, election, fx),
            Message::Election(Said::IsNorm { election }) => node.is_norm(from, election, fx),
            Message::Election(Said::NotNorm { election }) => node.not_norm(election, fx),
            Message::Detector(message) => node.detector.hear(from, message),
        });
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<BullyFd>) {
        self.step(fx, |node, fx| match timer {
            Timer::Period => {
                fx.set_timer(Timer::Period, node.period);
                node.periodically(fx);
            }
            Timer::Detector(timer) => node.detector.time_out(timer),
        });
    }

    fn on_order(&mut self, order: Order, fx: &mut Effects<BullyFd>) {
        self.step(fx, |node, fx| match order {
            Order::Elect => {
                fx.line(line::ORDER);
                node.start_stage_1(fx);
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
            group: None,
            task: None,
            up: if counts_acks { self.acks } else { NodeSet::EMPTY },
            halted_by: (self.status == Stage::Wait).then_some(self.election.starter),
            election: None,
            ballot: None,
        }
    }
}

impl BullyFd {
    /// One step: what it does, then what it does about those that the detector reports, then what the detector wants.
    fn step(&mut self, fx: &mut Effects<BullyFd>, work: impl FnOnce(&mut BullyFd, &mut Effects<BullyFd>)) {
        work(self, fx);
        while let Some(node) = self.detector.take_down() {
            self.down_sig(node, fx);
        }
        self.detector.act(fx, Message::Detector, Timer::Detector);
    }
}
