//! Bully-FD, for synchronous systems: Stoller 1997, section 4, figure 1. The operational node with the lowest id leads.
//!
//! Each procedure stands under its pseudo-code, in the figure's order. There `lesser(i)` are the nodes that outrank i,
//! and `greater(i)` those that i outranks; `Start` and `Stop` are the failure detector's. The figure's Ldr prints `t` for
//! `elid`; here it is `elid`. Only stage 1 asks all nodes at once: stage 2 halts them one after the other, in the order of
//! their rank, and the safety rests on this. With `errata = false` the machine is figure 1 to the letter; the mends of
//! its holes are the lines from 101 on.
//!
//! Invariant: `down` holds nodes that outrank this one only. `pendack` is watched by the detector whenever the node is in
//! stage 2, and so is whoever else it waits for.

mod card;
#[cfg(test)]
mod tests;

use card as line;
use serde::{Deserialize, Serialize};

pub use super::Timer;
use super::{ElectionId, ElectionStage, Hole, Said};
use crate::detector::{self, Detector};
use protocol::{
    Algorithm, Card, Described, Effects, Incarnation, Mends, NodeId, NodeMap, NodeSet, Roster, Setup, Span, StateVector,
};

/// One node of Bully-FD: the variables of figure 1, and what the mends remember.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct BullyFd {
    /// `i`.
    me: NodeId,
    roster: Roster,
    status: ElectionStage,
    /// `ldr`.
    leader: Option<NodeId>,
    /// `elid`.
    election: ElectionId,
    down: NodeSet,
    acks: NodeSet,
    /// `nextel`.
    next_election: u32,
    /// `pendack`.
    pending_ack: NodeId,
    /// `incarn`, which is on stable storage.
    incarnation: Incarnation,
    /// The period of Norm?, `tau`.
    period: Span,
    detector: Detector,
    mends: Mends,
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

impl Algorithm for BullyFd {
    type Message = Message;
    type Timer = Timer;
    type Saved = Stable;
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, saved: Option<Stable>, fx: &mut Effects<BullyFd>) -> BullyFd {
        let Stable { incarnation, obeyed } = saved.unwrap_or_default();
        let mut node = BullyFd {
            me: setup.me,
            roster: setup.roster,
            status: ElectionStage::Norm,
            leader: None,
            election: ElectionId { starter: setup.me, incarnation, sequence: 0 },
            down: NodeSet::EMPTY,
            acks: NodeSet::EMPTY,
            next_election: 1,
            pending_ack: setup.me,
            incarnation,
            period: setup.timing.check,
            detector: Detector::begin(setup),
            mends: Mends::of(&setup.settings, card::HOLES),
            obeyed,
        };
        node.on_recovery(fx);
        node.end_step(fx);
        node
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Effects<BullyFd>) {
        match message {
            Message::Election(Said::Halt { election }) => self.on_halt(from, election, fx),
            Message::Election(Said::Ack { election }) => self.on_ack(from, election, fx),
            Message::Election(Said::Ldr { election }) => self.on_ldr(from, election, fx),
            Message::Election(Said::IsNorm { election }) => self.on_is_norm(from, election, fx),
            Message::Election(Said::NotNorm { election }) => self.on_not_norm(election, fx),
            Message::Detector(message) => self.detector.hear(from, message),
        }
        self.end_step(fx);
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<BullyFd>) {
        match timer {
            Timer::Period => self.periodically(fx),
            Timer::Detector(timer) => self.detector.time_out(timer),
        }
        self.end_step(fx);
    }

    fn on_elect(&mut self, fx: &mut Effects<BullyFd>) {
        fx.line(line::ORDER);
        self.start_stage_1(fx);
        self.end_step(fx);
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Period => NodeSet::EMPTY,
            Timer::Detector(timer) => self.detector.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let counts_acks = self.status == ElectionStage::Elec2 || self.leads();
        StateVector {
            up: if counts_acks { self.acks } else { NodeSet::EMPTY },
            halted_by: (self.status == ElectionStage::Wait).then_some(self.election.starter),
            ..self.status.state_vector(self.leader)
        }
    }
}

/// Figure 1.
impl BullyFd {
    /// ```text
    /// procedure StartStage1()
    ///     status := Elec1
    ///     elid := (i, incarn, nextel)
    ///     nextel := nextel + 1
    ///     down := {}
    ///     if i = 1 then StartStage2() else Start(lesser(i))
    /// ```
    fn start_stage_1(&mut self, fx: &mut Effects<BullyFd>) {
        fx.line(line::STAGE_1);
        self.status = ElectionStage::Elec1;
        self.election = ElectionId { starter: self.me, incarnation: self.incarnation, sequence: self.next_election };
        self.next_election += 1;
        self.down = NodeSet::EMPTY;
        if self.lesser().is_empty() {
            fx.line(line::STAGE_1_FIRST);
            self.start_stage_2(fx);
        } else {
            fx.line(line::STAGE_1_WATCH);
            self.detector.start(self.lesser());
        }
    }

    /// ```text
    /// On Halt(t) from j
    ///     Halting(t, j)
    /// ```
    fn on_halt(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<BullyFd>) {
        if self.mends(Hole::H8) && !(election.starter == from && self.roster.outranks(from, self.me)) {
            fx.line(line::MEND_8_NO_HALT);
            return;
        }
        if self.mends(Hole::H9) {
            if self.obeyed.insert(from, election) == Some(election) {
                fx.line(line::MEND_9_OBEYED);
                fx.send(from, Said::Ack { election }.into());
                return;
            }
            self.save(fx);
        }
        self.halting(from, election, fx);
    }

    /// ```text
    /// procedure Halting(t, j)
    ///     down := down - j
    ///     Start(j)
    ///     elid := t
    ///     status := Wait
    ///     send Ack(t) to j
    /// ```
    fn halting(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<BullyFd>) {
        fx.line(line::HALT);
        self.down.remove(from);
        self.detector.start(NodeSet::of(from));
        self.election = election;
        self.status = ElectionStage::Wait;
        fx.send(from, Said::Ack { election }.into());
    }

    /// ```text
    /// On DownSig(j)
    ///     if j in lesser(i) then
    ///         down := down + j
    ///         if (status = Norm and j = ldr) or (status = Wait and j = elid's starter) then StartStage1()
    ///         else if status = Elec1 and down contains lesser(i) then StartStage2()
    ///     else (* j in greater(i) *)
    ///         if status = Elec2 and j = pendack then ContinStage2()
    /// ```
    fn on_down_sig(&mut self, down: NodeId, fx: &mut Effects<BullyFd>) {
        if self.lesser().contains(down) {
            self.down.insert(down);
            if self.status == ElectionStage::Norm && self.leader == Some(down)
                || self.status == ElectionStage::Wait && self.election.starter == down
            {
                fx.line(line::DOWN_LEADER);
                self.start_stage_1(fx);
            } else if self.status == ElectionStage::Elec1 && self.lesser().minus(&self.down).is_empty() {
                fx.line(line::DOWN_LESSER);
                self.start_stage_2(fx);
            } else {
                fx.line(line::DOWN_NOTED);
            }
        } else if self.status == ElectionStage::Elec2 && self.pending_ack == down {
            fx.line(line::DOWN_PENDING);
            self.continue_stage_2(fx);
        } else {
            fx.line(line::DOWN_GREATER);
        }
    }

    /// ```text
    /// procedure StartStage2()
    ///     status := Elec2
    ///     acks := {}
    ///     pendack := i
    ///     ContinStage2()
    /// ```
    fn start_stage_2(&mut self, fx: &mut Effects<BullyFd>) {
        fx.line(line::STAGE_2);
        self.status = ElectionStage::Elec2;
        self.acks = NodeSet::EMPTY;
        self.pending_ack = self.me;
        self.continue_stage_2(fx);
    }

    /// ```text
    /// procedure ContinStage2()
    ///     if pendack < N then
    ///         pendack := pendack + 1
    ///         Start(pendack)
    ///         send Halt(elid) to pendack
    ///     else (* I'm the leader *)
    ///         ldr := i
    ///         status := Norm
    ///         send Ldr(elid) to acks
    /// ```
    fn continue_stage_2(&mut self, fx: &mut Effects<BullyFd>) {
        let election = self.election;
        let left = self.roster.below(self.pending_ack);
        if let Some(next) = self.roster.rank().first_of(&left) {
            fx.line(line::CONTINUE_HALT);
            self.pending_ack = next;
            self.detector.start(NodeSet::of(next));
            fx.send(next, Said::Halt { election }.into());
        } else {
            fx.line(line::CONTINUE_LEAD);
            self.leader = Some(self.me);
            self.status = ElectionStage::Norm;
            self.acks.iter().for_each(|node| fx.send(node, Said::Ldr { election }.into()));
            if self.mends(Hole::H10) {
                fx.line(line::MEND_10_STOP);
                self.detector.stop(self.roster.others(self.me));
            }
        }
    }

    /// ```text
    /// On Ack(t) from j
    ///     if status = Elec2 and t = elid and j = pendack then
    ///         acks := acks + j
    ///         ContinStage2()
    /// ```
    fn on_ack(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<BullyFd>) {
        if self.status == ElectionStage::Elec2 && election == self.election && from == self.pending_ack {
            fx.line(line::ACK);
            self.acks.insert(from);
            self.continue_stage_2(fx);
        } else {
            fx.line(line::ACK_IGNORED);
        }
    }

    /// ```text
    /// On Ldr(t) from j
    ///     if status = Wait and t = elid then
    ///         ldr := j
    ///         status := Norm
    ///         Stop(ID - i)
    ///         Start(ldr)
    /// ```
    fn on_ldr(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<BullyFd>) {
        if self.status == ElectionStage::Wait && election == self.election {
            fx.line(line::LDR);
            self.leader = Some(from);
            self.status = ElectionStage::Norm;
            self.detector.stop(self.roster.others(self.me));
            self.detector.start(NodeSet::of(from));
        } else {
            fx.line(line::LDR_IGNORED);
        }
    }

    /// ```text
    /// Periodically(tau)
    ///     if status = Norm and ldr = i then
    ///         send Norm?(elid) to greater(i)
    /// ```
    fn periodically(&mut self, fx: &mut Effects<BullyFd>) {
        fx.set_timer(Timer::Period, self.period);
        let election = self.election;
        if self.leads() {
            fx.line(line::PERIOD);
            let greater = self.greater();
            greater.iter().for_each(|node| fx.send(node, Said::IsNorm { election }.into()));
            self.detector.shown_to(greater);
        }
        if self.mends(Hole::H1) && self.status == ElectionStage::Elec2 {
            fx.line(line::MEND_1_HALT_AGAIN);
            fx.send(self.pending_ack, Said::Halt { election }.into());
        }
    }

    /// ```text
    /// On Norm?(t) from j
    ///     if status <> Norm then
    ///         send NotNorm(t) to j
    /// ```
    fn on_is_norm(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<BullyFd>) {
        self.detector.shown_by(from);
        if self.status != ElectionStage::Norm {
            fx.line(line::IS_NORM_NOT);
            fx.send(from, Said::NotNorm { election }.into());
        } else if self.mends(Hole::H7) && !(self.leader == Some(from) && self.election == election) {
            fx.line(line::MEND_7_OTHER_LEADER);
            fx.send(from, Said::NotNorm { election }.into());
        } else {
            fx.line(line::IS_NORM);
        }
    }

    /// ```text
    /// On NotNorm(t) from j
    ///     if status = Norm and ldr = i and t = elid then
    ///         StartStage1()
    /// ```
    fn on_not_norm(&mut self, election: ElectionId, fx: &mut Effects<BullyFd>) {
        if self.leads() && election == self.election {
            fx.line(line::NOT_NORM);
            self.start_stage_1(fx);
        } else {
            fx.line(line::NOT_NORM_IGNORED);
        }
    }

    /// ```text
    /// On recovery
    ///     incarn := incarn + 1
    ///     StartStage1()
    /// ```
    fn on_recovery(&mut self, fx: &mut Effects<BullyFd>) {
        // A forged cell may hold the last number: no number is ever lower than one before it.
        self.incarnation = Incarnation(self.incarnation.0.saturating_add(1));
        self.save(fx);
        fx.set_timer(Timer::Period, self.period);
        fx.line(line::RECOVERY);
        self.start_stage_1(fx);
    }
}

/// What the procedures use.
impl BullyFd {
    fn lesser(&self) -> NodeSet {
        self.roster.above(self.me)
    }

    fn greater(&self) -> NodeSet {
        self.roster.below(self.me)
    }

    fn leads(&self) -> bool {
        self.status == ElectionStage::Norm && self.leader == Some(self.me)
    }

    /// Whether the hole is mended.
    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }

    fn save(&self, fx: &mut Effects<BullyFd>) {
        fx.save(Stable { incarnation: self.incarnation, obeyed: self.obeyed.clone() });
    }

    /// After an input: DownSig for each node that the detector reports, then what the detector itself wants done.
    fn end_step(&mut self, fx: &mut Effects<BullyFd>) {
        while let Some(node) = self.detector.take_down() {
            self.on_down_sig(node, fx);
        }
        self.detector.act(fx, Message::Detector, Timer::Detector);
    }
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
