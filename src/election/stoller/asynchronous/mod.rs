//! The Asynchronous Bully algorithm: Stoller 1997, section 7, figure 3. Groups that cannot reach each other have
//! leaders of their own; the election identifier is the group's.
//!
//! Each procedure stands under its pseudo-code, in the figure's order. There `lesser(i)` are the nodes that outrank i,
//! and `greater(i)` those that i outranks; `Start`, `Stop`, `PlayDead` and `PlayAlive` are the failure detector's. The
//! figure's Ldr prints `t` for `elid`; here it is `elid`. With `errata = false` the machine is figure 3 to the letter; the
//! mends of its holes are the lines from 101 on.
//!
//! Against figure 1 there is no stage 1; a node refuses a Halt from a node that would be a worse leader; and a halted
//! node plays dead to the nodes that it outranks: its detector is silent towards them, so that its former members get
//! free of it. The paper's paragraph on PlayDead is lost in our copy; appendix B shows the sense: it lasts until the
//! node's own next stage 2, and only the detector is silent.
//!
//! Invariant: in Norm, ldr is the starter of elid (which is what ALE1 rests on). `pendack` is watched by the detector
//! whenever the node is in stage 2, and so is whoever else it waits for.

mod card;
#[cfg(test)]
mod tests;

use card as line;
pub use card::ladder;
use serde::{Deserialize, Serialize};

pub use super::Timer;
use super::{ElectionId, ElectionStage, Hole, Said};
use crate::detector::{self, Detector};
use protocol::{
    Algorithm, Card, Described, Effects, GroupNumber, Incarnation, Mends, NodeId, NodeSet, Roster, Setup, Span,
    StateVector,
};

/// One node of the Asynchronous Bully: the variables of figure 3.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct AsynchronousBully {
    /// `i`.
    me: NodeId,
    roster: Roster,
    status: ElectionStage,
    /// `ldr`.
    leader: Option<NodeId>,
    /// `elid`, which is `grp` too.
    election: ElectionId,
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
}

/// What the paper keeps on stable storage.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Stable {
    /// How often the node has started, `incarn`.
    pub incarnation: Incarnation,
}

impl Algorithm for AsynchronousBully {
    type Message = Message;
    type Timer = Timer;
    type Saved = Stable;
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, saved: Option<Stable>, fx: &mut Effects<AsynchronousBully>) -> AsynchronousBully {
        let Stable { incarnation } = saved.unwrap_or_default();
        let mut node = AsynchronousBully {
            me: setup.me,
            roster: setup.roster,
            status: ElectionStage::Norm,
            leader: None,
            election: ElectionId { starter: setup.me, incarnation, sequence: 0 },
            acks: NodeSet::EMPTY,
            next_election: 1,
            pending_ack: setup.me,
            incarnation,
            period: setup.timing.check,
            detector: Detector::begin(setup),
            mends: Mends::of(&setup.settings, card::HOLES),
        };
        node.on_recovery(fx);
        node.end_step(fx);
        node
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Effects<AsynchronousBully>) {
        match message {
            Message::Election(Said::Halt { election }) => self.on_halt(from, election, fx),
            Message::Election(Said::Ack { election }) => self.on_ack(from, election, fx),
            Message::Election(Said::Ldr { election }) => self.on_ldr(from, election, fx),
            Message::Election(Said::IsNorm { election }) => self.on_is_norm(from, election, fx),
            Message::Election(Said::NotNorm { election }) => self.on_not_norm(election, fx),
            Message::Rej { election } => self.on_rej(from, election, fx),
            Message::Detector(message) => self.detector.hear(from, message),
        }
        self.end_step(fx);
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<AsynchronousBully>) {
        match timer {
            Timer::Period => self.periodically(fx),
            Timer::Detector(timer) => self.detector.time_out(timer),
        }
        self.end_step(fx);
    }

    fn on_elect(&mut self, fx: &mut Effects<AsynchronousBully>) {
        fx.line(line::ORDER);
        self.start_stage_2(fx);
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
            group: Some(self.election.group()),
            up: if counts_acks { self.acks } else { NodeSet::EMPTY },
            halted_by: (self.status == ElectionStage::Wait).then_some(self.election.starter),
            ..self.status.state_vector(self.leader)
        }
    }
}

impl ElectionId {
    /// The election identifier as a group's number. No process begins a billion elections, so the two halves of its
    /// counter can be read: incarnation 2, election 7 is 2000000007, and is shown as `2.7`.
    fn group(self) -> GroupNumber {
        let counter = u64::from(self.incarnation.0) * GroupNumber::OF_INCARNATION + u64::from(self.sequence);
        GroupNumber { node: self.starter, counter }
    }
}

/// Figure 3.
impl AsynchronousBully {
    /// ```text
    /// On Halt(t) from j
    ///     if (status = Norm and ldr < j) or (status = Wait and elid's starter < j) then
    ///         send Rej(t) to j
    ///     else Halting(t, j)
    /// ```
    ///
    /// A repeated Halt is like any other, and hole 9 is figure 1's alone: a node refuses it under a better leader, and in
    /// Norm ldr is the starter of elid, to whichever election the node goes back.
    fn on_halt(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<AsynchronousBully>) {
        let is_worse_than = |other| self.roster.outranks(other, from);
        if self.mends(Hole::H8) && !(election.starter == from && self.roster.outranks(from, self.me)) {
            fx.line(line::MEND_8_NO_HALT);
        } else if self.status == ElectionStage::Norm && self.leader.is_some_and(is_worse_than)
            || self.status == ElectionStage::Wait && is_worse_than(self.election.starter)
        {
            fx.line(line::HALT_REFUSED);
            fx.send(from, Message::Rej { election });
        } else {
            self.halting(from, election, fx);
        }
    }

    /// ```text
    /// procedure Halting(t, j)
    ///     PlayDead(greater(i))
    ///     Start(j)
    ///     elid := t
    ///     status := Wait
    ///     send Ack(t) to j
    /// ```
    fn halting(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<AsynchronousBully>) {
        fx.line(line::HALTING);
        self.detector.play_dead(self.greater());
        self.detector.start(NodeSet::of(from));
        self.election = election;
        self.status = ElectionStage::Wait;
        fx.send(from, Said::Ack { election }.into());
    }

    /// ```text
    /// On DownSig(j)
    ///     if (status = Norm and j = ldr) or (status = Wait and j = elid's starter) then StartStage2()
    ///     else if status = Elec2 and j = pendack then ContinStage2()
    /// ```
    fn on_down_sig(&mut self, down: NodeId, fx: &mut Effects<AsynchronousBully>) {
        if self.status == ElectionStage::Norm && self.leader == Some(down)
            || self.status == ElectionStage::Wait && self.election.starter == down
        {
            fx.line(line::DOWN_LEADER);
            self.start_stage_2(fx);
        } else if self.status == ElectionStage::Elec2 && self.pending_ack == down {
            fx.line(line::DOWN_PENDING);
            self.continue_stage_2(fx);
        } else {
            fx.line(line::DOWN_OTHER);
        }
    }

    /// ```text
    /// procedure StartStage2()
    ///     PlayAlive(greater(i))
    ///     elid := (i, incarn, nextel)
    ///     nextel := nextel + 1
    ///     status := Elec2
    ///     acks := {}
    ///     pendack := i
    ///     ContinStage2()
    /// ```
    fn start_stage_2(&mut self, fx: &mut Effects<AsynchronousBully>) {
        fx.line(line::STAGE_2);
        self.detector.play_alive();
        self.election = ElectionId { starter: self.me, incarnation: self.incarnation, sequence: self.next_election };
        self.next_election += 1;
        self.status = ElectionStage::Elec2;
        self.acks = NodeSet::EMPTY;
        self.pending_ack = self.me;
        self.continue_stage_2(fx);
    }

    /// ```text
    /// On Rej(t) from j
    ///     if status = Elec2 and j = pendack then ContinStage2()
    /// ```
    fn on_rej(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<AsynchronousBully>) {
        if !(self.status == ElectionStage::Elec2 && from == self.pending_ack) {
            fx.line(line::REJ_IGNORED);
        } else if self.mends(Hole::H6) && election != self.election {
            fx.line(line::MEND_6_STALE_REJ);
        } else {
            fx.line(line::REJ);
            self.continue_stage_2(fx);
        }
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
    fn continue_stage_2(&mut self, fx: &mut Effects<AsynchronousBully>) {
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
    fn on_ack(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<AsynchronousBully>) {
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
    fn on_ldr(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<AsynchronousBully>) {
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
    fn periodically(&mut self, fx: &mut Effects<AsynchronousBully>) {
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
    ///     if (status <> Norm and j < elid's starter) or (status = Norm and j < ldr) then
    ///         send NotNorm(t) to j
    /// ```
    fn on_is_norm(&mut self, from: NodeId, election: ElectionId, fx: &mut Effects<AsynchronousBully>) {
        self.detector.shown_by(from);
        let is_normal = self.status == ElectionStage::Norm;
        let is_better_than = |other| self.roster.outranks(from, other);
        let starter = self.election.starter;
        let line = if !is_normal && is_better_than(starter) {
            line::IS_NORM_NOT
        } else if is_normal && self.leader.is_some_and(is_better_than) {
            line::IS_NORM_BETTER
        } else if self.mends(Hole::H3) && !is_normal && from == starter {
            line::MEND_3_OWN_STARTER
        } else if self.mends(Hole::H4) && is_normal && self.leader == Some(from) && election != self.election {
            line::MEND_4_OLDER_ELECTION
        } else {
            fx.line(line::IS_NORM);
            return;
        };
        fx.line(line);
        fx.send(from, Said::NotNorm { election }.into());
    }

    /// ```text
    /// On NotNorm(t) from j
    ///     if status = Norm and ldr = i and t = elid then
    ///         StartStage2()
    /// ```
    fn on_not_norm(&mut self, election: ElectionId, fx: &mut Effects<AsynchronousBully>) {
        if self.leads() && election == self.election {
            fx.line(line::NOT_NORM);
            self.start_stage_2(fx);
        } else {
            fx.line(line::NOT_NORM_IGNORED);
        }
    }

    /// ```text
    /// On recovery
    ///     incarn := incarn + 1
    ///     StartStage2()
    /// ```
    fn on_recovery(&mut self, fx: &mut Effects<AsynchronousBully>) {
        // A forged cell may hold the last number: no number is ever lower than one before it.
        self.incarnation = Incarnation(self.incarnation.0.saturating_add(1));
        fx.save(Stable { incarnation: self.incarnation });
        fx.set_timer(Timer::Period, self.period);
        fx.line(line::RECOVERY);
        self.start_stage_2(fx);
    }
}

/// What the procedures use.
impl AsynchronousBully {
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

    /// After an input: DownSig for each node that the detector reports, then what the detector itself wants done.
    fn end_step(&mut self, fx: &mut Effects<AsynchronousBully>) {
        while let Some(node) = self.detector.take_down() {
            self.on_down_sig(node, fx);
        }
        self.detector.act(fx, Message::Detector, Timer::Detector);
    }
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
