//! What figures 1 and 3 of Stoller 1997 have in common, which is most of both: the node, and its procedures under the
//! paper's names and in figure 1's order.
//!
//! A [`Figure`] is what section 7 changes to make figure 3 of figure 1: how an election begins, and what Halt, DownSig
//! and Norm? do. The roster's `above` is the paper's `lesser`, `below` its `greater`. Nodes are halted one after the
//! other, in the order of their rank: the safety rests on this. Both Ldr print `t` for `elid`; here it is `elid`.
//!
//! Invariant: the status changes in `become_*` only. `pendack` is watched by the detector whenever the node is in stage
//! 2, and so is whoever else it waits for.

use std::fmt::Debug;
use std::hash::Hash;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ElectionId, ElectionStage, Hole, Said};
use crate::detector::{self, Detector};
use protocol::{
    Algorithm, Card, Described, Effects, GroupNumber, Incarnation, LineNumber, Mends, NodeId, NodeSet, Roster, Setup,
    Span, StateVector,
};

/// The effects of a figure's node.
pub(super) type Fx<F> = Effects<Node<F>>;

/// What one of the two figures does in its own way, and what it alone remembers.
pub trait Figure: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// What its nodes send.
    type Message: Clone
        + Ord
        + Hash
        + Debug
        + Serialize
        + DeserializeOwned
        + Described
        + From<Said>
        + From<detector::Message>
        + Send
        + Sync
        + 'static;
    /// What a node keeps on stable storage.
    type Stable: Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What it says of itself.
    const CARD: Card;
    /// Its numbers for the lines that both figures have.
    const LINES: SharedLines;

    /// What a recovery finds: `incarn`, and what the figure keeps beside it.
    fn recovered(stable: Option<Self::Stable>) -> (Incarnation, Self);
    /// What a node has to keep.
    fn stable(&self, incarnation: Incarnation) -> Self::Stable;
    /// The group of an election, if groups have numbers.
    fn group(election: ElectionId) -> Option<GroupNumber>;
    /// A message, each kind to its procedure.
    fn hear(node: &mut Node<Self>, from: NodeId, message: Self::Message, fx: &mut Fx<Self>);
    /// An election of the node's own, from its first stage on.
    fn start_election(node: &mut Node<Self>, fx: &mut Fx<Self>);
    /// On Halt, from a node that may be obeyed.
    fn halt(node: &mut Node<Self>, from: NodeId, election: ElectionId, fx: &mut Fx<Self>);
    /// On DownSig.
    fn down_sig(node: &mut Node<Self>, down: NodeId, fx: &mut Fx<Self>);
    /// On Norm?: the line, and whether the node must answer NotNorm.
    fn is_norm(node: &Node<Self>, from: NodeId, election: ElectionId) -> (LineNumber, NormReply);
}

/// Whether a Norm? is answered.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum NormReply {
    /// With NotNorm.
    NotNorm,
    /// Not at all.
    Silence,
}

/// The lines that both listings have, under the names of their constants there.
#[derive(Copy, Clone, Debug)]
pub struct SharedLines {
    pub recovery: LineNumber,
    pub halting: LineNumber,
    pub stage_2: LineNumber,
    pub continue_halt: LineNumber,
    pub continue_lead: LineNumber,
    pub ack: LineNumber,
    pub ack_ignored: LineNumber,
    pub ldr: LineNumber,
    pub ldr_ignored: LineNumber,
    pub period: LineNumber,
    pub not_norm: LineNumber,
    pub not_norm_ignored: LineNumber,
    pub order: LineNumber,
    pub mend_1_halt_again: LineNumber,
    pub mend_8_no_halt: LineNumber,
    pub mend_10_stop: LineNumber,
}

/// One node.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Node<F> {
    pub(super) me: NodeId,
    pub(super) roster: Roster,
    /// The period of Norm?, `tau`.
    period: Span,
    mends: Mends,
    /// `incarn`.
    pub(super) incarnation: Incarnation,
    pub(super) status: ElectionStage,
    /// `ldr`.
    pub(super) leader: Option<NodeId>,
    /// `elid`.
    pub(super) election: ElectionId,
    /// `nextel`.
    next_election: u32,
    pub(super) acks: NodeSet,
    /// `pendack`.
    pub(super) pending_ack: NodeId,
    pub(super) detector: Detector,
    pub(super) figure: F,
}

/// The timers of both figures.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// Periodically(tau).
    Period,
    /// One of the failure detector.
    Detector(detector::Timer),
}

impl<F: Figure> Algorithm for Node<F> {
    type Message = F::Message;
    type Timer = Timer;
    type Saved = F::Stable;
    const CARD: Card = F::CARD;

    fn start(setup: &Setup, saved: Option<F::Stable>, fx: &mut Fx<F>) -> Node<F> {
        let (Incarnation(before), figure) = F::recovered(saved);
        // A forged cell may hold the last number: no number is ever lower than one before it.
        let incarnation = Incarnation(before.saturating_add(1));
        let mut node = Node {
            me: setup.me,
            roster: setup.roster,
            period: setup.timing.check,
            mends: Mends::of(&setup.settings, F::CARD.holes()),
            incarnation,
            status: ElectionStage::Norm,
            leader: None,
            election: ElectionId { starter: setup.me, incarnation, sequence: 0 },
            next_election: 1,
            acks: NodeSet::EMPTY,
            pending_ack: setup.me,
            detector: Detector::begin(setup),
            figure,
        };
        node.step(fx, |node, fx| {
            node.save(fx);
            fx.set_timer(Timer::Period, node.period);
            fx.line(F::LINES.recovery);
            F::start_election(node, fx);
        });
        node
    }

    fn on_message(&mut self, from: NodeId, message: F::Message, fx: &mut Fx<F>) {
        self.step(fx, |node, fx| F::hear(node, from, message, fx));
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx<F>) {
        self.step(fx, |node, fx| match timer {
            Timer::Period => {
                fx.set_timer(Timer::Period, node.period);
                node.periodically(fx);
            }
            Timer::Detector(timer) => node.detector.time_out(timer),
        });
    }

    fn on_elect(&mut self, fx: &mut Fx<F>) {
        self.step(fx, |node, fx| {
            fx.line(F::LINES.order);
            F::start_election(node, fx);
        });
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Period => NodeSet::EMPTY,
            Timer::Detector(timer) => self.detector.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let leader = self.leader.filter(|_| self.status == ElectionStage::Norm);
        let counts_acks = self.status == ElectionStage::Elec2 || leader == Some(self.me);
        StateVector {
            group: F::group(self.election),
            up: if counts_acks { self.acks } else { NodeSet::EMPTY },
            halted_by: (self.status == ElectionStage::Wait).then_some(self.election.starter),
            ..StateVector::new(self.status.status(), self.status.word(), leader)
        }
    }
}

/// The procedures, in figure 1's order.
impl<F: Figure> Node<F> {
    /// Halting(t, j).
    pub(super) fn halting(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx<F>) {
        fx.line(F::LINES.halting);
        self.detector.start(NodeSet::of(from));
        self.become_halted(election);
        self.say(from, Said::Ack { election }, fx);
    }

    pub(super) fn start_stage_2(&mut self, fx: &mut Fx<F>) {
        fx.line(F::LINES.stage_2);
        self.become_halting();
        self.continue_stage_2(fx);
    }

    pub(super) fn continue_stage_2(&mut self, fx: &mut Fx<F>) {
        let left = self.roster.below(self.pending_ack);
        let election = self.election;
        match self.roster.rank().first_of(&left) {
            Some(next) => {
                fx.line(F::LINES.continue_halt);
                self.pending_ack = next;
                self.detector.start(NodeSet::of(next));
                self.say(next, Said::Halt { election }, fx);
            }
            None => {
                fx.line(F::LINES.continue_lead);
                self.become_leader();
                self.acks.iter().for_each(|node| self.say(node, Said::Ldr { election }, fx));
                if self.mends(Hole::H10) {
                    fx.line(F::LINES.mend_10_stop);
                    self.detector.stop(self.roster.others(self.me));
                }
            }
        }
    }

    /// On a message that both figures have.
    pub(super) fn hear(&mut self, from: NodeId, said: Said, fx: &mut Fx<F>) {
        match said {
            Said::Halt { election } if self.mends(Hole::H8) && !self.may_halt(from, election) => {
                fx.line(F::LINES.mend_8_no_halt);
            }
            Said::Halt { election } => F::halt(self, from, election, fx),
            Said::Ack { election } => self.ack(from, election, fx),
            Said::Ldr { election } => self.ldr(from, election, fx),
            Said::IsNorm { election } => self.is_norm(from, election, fx),
            Said::NotNorm { election } => self.not_norm(election, fx),
        }
    }

    fn ack(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx<F>) {
        if self.is_pending(from) && election == self.election {
            fx.line(F::LINES.ack);
            self.acks.insert(from);
            self.continue_stage_2(fx);
        } else {
            fx.line(F::LINES.ack_ignored);
        }
    }

    fn ldr(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx<F>) {
        if self.status == ElectionStage::Wait && election == self.election {
            fx.line(F::LINES.ldr);
            self.become_member_of(from);
            self.detector.stop(self.roster.others(self.me));
            self.detector.start(NodeSet::of(from));
        } else {
            fx.line(F::LINES.ldr_ignored);
        }
    }

    fn periodically(&mut self, fx: &mut Fx<F>) {
        let election = self.election;
        if self.leads() {
            fx.line(F::LINES.period);
            let greater = self.roster.below(self.me);
            greater.iter().for_each(|node| self.say(node, Said::IsNorm { election }, fx));
            self.detector.shown_to(greater);
        }
        if self.mends(Hole::H1) && self.status == ElectionStage::Elec2 {
            fx.line(F::LINES.mend_1_halt_again);
            self.say(self.pending_ack, Said::Halt { election }, fx);
        }
    }

    fn is_norm(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx<F>) {
        self.detector.shown_by(from);
        let (line, reply) = F::is_norm(self, from, election);
        fx.line(line);
        if reply == NormReply::NotNorm {
            self.say(from, Said::NotNorm { election }, fx);
        }
    }

    fn not_norm(&mut self, election: ElectionId, fx: &mut Fx<F>) {
        if self.leads() && election == self.election {
            fx.line(F::LINES.not_norm);
            F::start_election(self, fx);
        } else {
            fx.line(F::LINES.not_norm_ignored);
        }
    }
}

/// What the procedures ask.
impl<F: Figure> Node<F> {
    /// Whether the hole is mended.
    pub(super) fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }

    /// Whether this node follows the other one, or is halted by it.
    pub(super) fn is_under(&self, other: NodeId) -> bool {
        match self.status {
            ElectionStage::Norm => self.leader == Some(other),
            ElectionStage::Wait => self.election.starter == other,
            ElectionStage::Elec1 | ElectionStage::Elec2 => false,
        }
    }

    /// Whether this node is halting the other one at the moment.
    pub(super) fn is_pending(&self, other: NodeId) -> bool {
        self.status == ElectionStage::Elec2 && self.pending_ack == other
    }

    /// Whether a Halt of this election can come from this node, if it has not been garbled.
    fn may_halt(&self, from: NodeId, election: ElectionId) -> bool {
        election.starter == from && self.roster.outranks(from, self.me)
    }

    fn leads(&self) -> bool {
        self.status == ElectionStage::Norm && self.leader == Some(self.me)
    }

    pub(super) fn say(&self, to: NodeId, said: Said, fx: &mut Fx<F>) {
        fx.send(to, said.into());
    }

    pub(super) fn save(&self, fx: &mut Fx<F>) {
        fx.save(self.figure.stable(self.incarnation));
    }

    /// One step: the work, then the work for each node that the detector reports, then the acts of the detector.
    fn step(&mut self, fx: &mut Fx<F>, work: impl FnOnce(&mut Node<F>, &mut Fx<F>)) {
        work(self, fx);
        while let Some(node) = self.detector.take_down() {
            F::down_sig(self, node, fx);
        }
        self.detector.act(fx, F::Message::from, Timer::Detector);
    }
}

/// How the state changes.
impl<F: Figure> Node<F> {
    /// The node starts an election of its own, with a new identifier.
    pub(super) fn become_starter(&mut self) {
        self.election = ElectionId { starter: self.me, incarnation: self.incarnation, sequence: self.next_election };
        self.next_election += 1;
    }

    pub(super) fn become_asking(&mut self) {
        self.status = ElectionStage::Elec1;
        self.become_starter();
    }

    fn become_halting(&mut self) {
        self.status = ElectionStage::Elec2;
        self.acks = NodeSet::EMPTY;
        self.pending_ack = self.me;
    }

    fn become_leader(&mut self) {
        self.leader = Some(self.me);
        self.status = ElectionStage::Norm;
    }

    fn become_halted(&mut self, election: ElectionId) {
        self.election = election;
        self.status = ElectionStage::Wait;
    }

    fn become_member_of(&mut self, leader: NodeId) {
        self.leader = Some(leader);
        self.status = ElectionStage::Norm;
    }
}
