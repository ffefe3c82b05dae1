//! Algorithm B.1 of King, Gendreau and Ni 1988, section 5.1, Table 2: election with partial synchrony, fail-stop.
//!
//! All tell all their capacities by a reliable, ordered broadcast, collect for 2T, and take the largest. The table
//! sends nothing from `stop`: here the master announces itself there, and its followers watch it. Mended are the holes
//! 5 (a process that was down never learns the outcome), 6 (no second election) and 7 (only a candidate begins).
//!
//! It does not use `succession`, which asks again until it knows: here any message of a higher number opens that
//! election at once, so a process needs no more than the highest number.
//!
//! What a process does in a phase stands in `table`; here stands what is around the table. A process that recovers in
//! the midst of an election would start later than T after the first one, so it stands aside while it asks which
//! election numbers are taken; by the master's word it hears who is elected. The master announces itself in `stop`, and
//! its followers wait 2T for that (it may stop T later, and its word takes T).
//!
//! Invariants:
//! - The table's timer runs in collect and nowhere else; a process's own broadcast comes back to it and says nothing
//!   new; the watch over the master, and the wait for its first word, run in `stop` alone.
//! - The highest number seen never goes back, not across a crash either: it is saved before it is sent. An election in
//!   which the last incarnation may have stood is not taken part in, and an answer makes nobody stand in one.

mod card;
mod table;
#[cfg(test)]
mod tests;

use super::table::{Event, Phase, Row, TableMachine, step};
use super::watch::{self, Claim, Watch, WatchFinding};
use super::{ElectionNumber, Hole};
use protocol::{Algorithm, Ballot, Card, Effects, Mends, NodeId, NodeMap, NodeSet, Order, Setup, Span, StateVector};

pub use self::card::{LOST_ANSWERS, Message};

/// The machine of Algorithm B.1 at one process.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct AlgorithmB1 {
    me: NodeId,
    t: Span,
    mends: Mends,
    phase: Phase,
    readiness: Readiness,
    /// An order to begin that came before its time.
    waiting: Option<Order>,
    /// `S`.
    candidates: NodeMap<i64>,
    /// `ms`; means something in stop.
    master: Option<NodeId>,
    /// The process that has said in this election that it is the master.
    announced: Option<NodeId>,
    /// Which election this is; 0 to the letter, and before the first.
    election: ElectionNumber,
    /// The highest election number ever seen.
    highest: ElectionNumber,
    watch: Watch,
}

/// Whether a process may begin an election, when mended.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Readiness {
    Ready,
    /// Has just started, and does not know yet which numbers are taken, or whether an election is under way.
    Started,
    /// Has just started, and an election is under way in which it takes no part.
    StandsAside,
    /// Has just stopped, and a peer may be T behind.
    Stopped,
}

/// The timers of this algorithm.
pub type Timer = super::Timer<2>;

type Fx = Effects<AlgorithmB1>;

impl Algorithm for AlgorithmB1 {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = card::CARD;

    /// A process starts in normal and begins nothing: starting an election is the application's doing. Mended, it asks
    /// what it has missed.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> AlgorithmB1 {
        let mends = Mends::of(&setup.settings, card::HOLES);
        let highest = saved.unwrap_or_default();
        let mut machine = AlgorithmB1 {
            me: setup.me,
            t: setup.timing.t,
            mends,
            phase: Phase::Normal,
            readiness: Readiness::Ready,
            waiting: None,
            candidates: NodeMap::new(),
            master: None,
            announced: None,
            election: highest,
            highest,
            watch: Watch::new(setup, mends, LOST_ANSWERS),
        };
        machine.ask_at_start(fx);
        machine
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        // A process's own v changes nothing that 1 and 2 have not done, and may be a dead incarnation's.
        if from == self.me && self.phase != Phase::Collect {
            return;
        }
        match message {
            Message::Capacity { election, capacity } => {
                if self.admits(election, fx) {
                    step(self, Event::Value, &(from, capacity), fx);
                }
            }
            Message::Elected { election } => self.on_elected(from, election, fx),
            Message::Ask { election } => self.on_ask(from, election, fx),
            Message::UnderWay { election } => self.on_under_way(election, fx),
            Message::Ended { election, master } => self.on_ended(from, election, master, fx),
            Message::Watch(watch::Message::Ask { call, .. }) => self.watch.answer(from, call, fx),
            Message::Watch(watch::Message::Claim(claim)) => self.on_claim(from, claim, fx),
            Message::Watch(watch::Message::Answer(number)) => self.watch.take_answer(from, number, fx),
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        match timer {
            Timer::Table => step(self, Event::TimeOut, &(self.me, fx.capacity()), fx),
            Timer::Ready | Timer::Kept => self.become_ready(fx),
            Timer::Elected => self.miss_elected(fx),
            Timer::Watch(timer) => {
                if self.watch.on_timer(timer, self.election, fx) == WatchFinding::MasterGone {
                    self.begin(fx);
                }
            }
        }
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        self.begin(fx);
    }

    /// A phase of the table waits for nobody in particular; in stop a process waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Table | Timer::Ready | Timer::Kept => NodeSet::EMPTY,
            Timer::Elected => self.master.map_or(NodeSet::EMPTY, NodeSet::of),
            Timer::Watch(timer) => self.watch.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let stands_with = self.candidates.get(&self.me).copied().filter(|capacity| *capacity >= 0);
        StateVector {
            election: self.mends(Hole::NoSecondElection).then_some(self.election.0),
            ballot: Some(Box::new(Ballot { course: self.phase.course(), stands_with, announcements: 0, lists: None })),
            ..StateVector::new(self.phase.status_under(self.master), self.phase.word(), self.master)
        }
    }
}

impl TableMachine for AlgorithmB1 {
    /// `(j,w)`.
    type Heard = (NodeId, i64);
    const PAPER: &'static [Row<AlgorithmB1>] = table::PAPER;
    const MENDS: &'static [Row<AlgorithmB1>] = table::MENDS;

    fn phase(&self) -> Phase {
        self.phase
    }

    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }

    fn enter(&mut self, phase: Phase, fx: &mut Fx) {
        self.phase = phase;
        if let (Phase::Stop, Some(master)) = (phase, self.master) {
            self.stop_under(master, fx);
        }
    }

    fn set_table_timer(&self, times: u64, fx: &mut Fx) {
        fx.set_timer(Timer::Table, self.t * times);
    }
}

/// Elections and their numbers (mend of hole 6), and who may begin one when (mends of holes 6 and 7).
impl AlgorithmB1 {
    /// `begins`: to the letter, a candidate begins in normal; mended, any process does, and in stop too; never in
    /// mid-election.
    fn begin(&mut self, fx: &mut Fx) {
        self.begin_above(self.highest, fx);
    }

    /// The same, with a number above this one too.
    fn begin_above(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        let is_in_time = match self.phase {
            Phase::Normal => true,
            Phase::Stop => self.mends(Hole::NoSecondElection),
            _ => false,
        };
        let may = fx.capacity() >= 0 || self.mends(Hole::OnlyCandidatesBegin);
        if !(is_in_time && may) {
            return;
        }
        if self.readiness != Readiness::Ready {
            fx.line(156);
            self.learn(taken, fx);
            self.waiting = Some(Order::Elect);
            return;
        }
        if self.mends(Hole::NoSecondElection) {
            if self.phase == Phase::Stop {
                fx.line(146);
            }
            self.raise_highest(self.highest.max(taken).next(), fx);
        }
        self.become_normal(fx);
        step(self, Event::Begins, &(self.me, fx.capacity()), fx);
    }

    /// Timer Ready has run out: the process now does what was ordered too early. Where it may be elected, and the
    /// election that it stood aside from has elected nobody, it begins one: without it that one may have had no
    /// candidate.
    fn become_ready(&mut self, fx: &mut Fx) {
        let is_left_out = self.readiness == Readiness::StandsAside && fx.capacity() >= 0;
        self.readiness = Readiness::Ready;
        if self.waiting.take().is_some() || is_left_out {
            self.begin(fx);
        }
    }

    /// Whether the table hears a message of that election now; opens a fresh machine for a higher one.
    fn admits(&mut self, election: ElectionNumber, fx: &mut Fx) -> bool {
        if !self.mends(Hole::NoSecondElection) {
            return true;
        }
        self.learn(election, fx);
        if self.is_starting() {
            self.stand_aside(fx);
            return false;
        }
        if election == self.election {
            // In normal this election was another incarnation's, or this process has stood aside from it.
            let takes_part = self.phase == Phase::Collect;
            if self.phase == Phase::Stop {
                self.answer_taken_number(fx);
            }
            return takes_part;
        }
        if election < self.highest {
            fx.line(136);
            let may_be_missed = self.phase == Phase::Normal && fx.capacity() >= 0;
            if self.phase == Phase::Stop || may_be_missed {
                self.answer_taken_number(fx);
            }
            return false;
        }
        // This does not wait for the end of this election: all hear the message within T, so a process that leaves now
        // starts within T of the rest.
        fx.line(if self.phase == Phase::Collect { 116 } else { 106 });
        self.become_normal(fx);
        true
    }

    /// A process begins an election under a number that is taken, for it has missed that one. T after this process's
    /// own stop, the sender cannot be a latecomer of the same election. All take part in the election that is begun
    /// instead. A candidate in normal has been in none, and without it the sender's election may elect nobody.
    fn answer_taken_number(&mut self, fx: &mut Fx) {
        if self.readiness == Readiness::Ready {
            fx.line(166);
            self.begin(fx);
        }
    }

    fn raise_highest(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.highest = election;
        fx.save(election);
    }

    /// A fresh machine for the highest election; `ms` stays for display.
    fn become_normal(&mut self, fx: &mut Fx) {
        self.phase = Phase::Normal;
        self.election = self.highest;
        self.candidates.clear();
        self.announced = None;
        self.waiting = None;
        if self.readiness != Readiness::Ready {
            self.readiness = Readiness::Ready;
            fx.cancel_timer(Timer::Ready);
        }
        fx.cancel_timer(Timer::Elected);
        self.watch.rest(fx);
    }
}

/// What a starting process has missed (mend of hole 5), and the master's word.
impl AlgorithmB1 {
    fn ask_at_start(&mut self, fx: &mut Fx) {
        if self.mends(Hole::NoSecondElection) {
            fx.line(105);
            self.readiness = Readiness::Started;
            fx.broadcast(Message::Ask { election: self.highest });
            fx.set_timer(Timer::Ready, self.t * 2);
        }
    }

    /// An election is under way: it ends within 3T.
    fn stand_aside(&mut self, fx: &mut Fx) {
        fx.line(115);
        self.readiness = Readiness::StandsAside;
        // As in mid-election, `begins` counts for nothing.
        self.waiting = None;
        self.election = self.highest;
        fx.set_timer(Timer::Ready, self.t * 3);
    }

    fn on_ask(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) {
        if !self.mends(Hole::NoSecondElection) || from == self.me {
            return;
        }
        self.learn(election, fx);
        let answer = match self.phase {
            Phase::Collect => Message::UnderWay { election: self.highest },
            // If a higher election is known to have begun, this process's master is not the master of that one.
            Phase::Stop => {
                let master = self.master.filter(|_| self.election == self.highest);
                Message::Ended { election: self.highest, master }
            }
            Phase::Normal if election < self.highest => Message::Ended { election: self.highest, master: None },
            _ => return,
        };
        fx.line(135);
        fx.send(from, answer);
    }

    fn on_under_way(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.learn(election, fx);
        if self.is_starting() {
            self.stand_aside(fx);
        }
    }

    /// Whether it takes part in no election yet.
    fn is_starting(&self) -> bool {
        matches!(self.readiness, Readiness::Started | Readiness::StandsAside)
    }

    /// Only the master's own word makes a master; the others' words tell which numbers are taken.
    fn on_ended(&mut self, from: NodeId, election: ElectionNumber, master: Option<NodeId>, fx: &mut Fx) {
        if master == Some(from) {
            self.on_elected(from, election, fx);
        } else {
            self.learn(election, fx);
        }
    }

    /// `elected`, of this election or of one that this process took no part in.
    fn on_elected(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) {
        if from == self.me {
            return;
        }
        let took_part = election == self.election && self.phase != Phase::Normal;
        if !self.mends(Hole::NoSecondElection) || took_part {
            return self.hear_master(from, fx);
        }
        self.learn(election, fx);
        if election < self.highest {
            fx.line(136);
        } else {
            fx.line(125);
            // An order that waits is not lost by following a master.
            let waiting = self.waiting.take();
            self.become_normal(fx);
            self.waiting = waiting;
            self.announced = Some(from);
            self.master = Some(from);
            self.enter(Phase::Stop, fx);
        }
    }

    /// A process at rest tells under whom it is. In normal a master's claim counts as its word, unless it is of an
    /// election before one that this process knows of.
    fn on_claim(&mut self, from: NodeId, claim: Claim, fx: &mut Fx) {
        let begins = match (self.phase, self.master) {
            _ if !self.mends(Hole::NoSecondElection) => false,
            (Phase::Stop, Some(master)) => watch::meet(from, claim, Claim { election: self.election, master }, fx),
            (Phase::Normal, _) if self.readiness == Readiness::Ready && claim.master == from => {
                self.on_elected(from, claim.election, fx);
                claim.election < self.highest
            }
            _ => false,
        };
        if begins {
            self.begin_above(claim.election, fx);
        }
    }

    fn learn(&mut self, election: ElectionNumber, fx: &mut Fx) {
        if election > self.highest {
            self.raise_highest(election, fx);
        }
    }

    /// In stop now, under this master.
    fn stop_under(&mut self, master: NodeId, fx: &mut Fx) {
        if self.mends(Hole::NoSecondElection) {
            self.readiness = Readiness::Stopped;
            fx.set_timer(Timer::Ready, self.t);
        }
        if master == self.me {
            fx.line(205);
            fx.broadcast(Message::Elected { election: self.election });
            self.watch.lead(fx);
        } else if self.announced == Some(master) {
            fx.line(206);
            self.watch.begin(master, fx);
        } else {
            fx.set_timer(Timer::Elected, self.t * 2);
        }
    }

    /// `elected` of this election: in collect it is remembered, for the master may stop first.
    fn hear_master(&mut self, from: NodeId, fx: &mut Fx) {
        match self.phase {
            Phase::Collect => self.announced = Some(from),
            Phase::Stop if self.master == Some(from) && self.announced != Some(from) => {
                fx.line(206);
                self.announced = Some(from);
                fx.cancel_timer(Timer::Elected);
                self.watch.begin(from, fx);
            }
            _ => {}
        }
    }

    /// The master's word is overdue: it died as it was elected. A process that cannot begin an election asks it from
    /// now on.
    fn miss_elected(&mut self, fx: &mut Fx) {
        if let (Phase::Stop, Some(master)) = (self.phase, self.master) {
            fx.line(207);
            self.watch.begin(master, fx);
            self.begin(fx);
        }
    }
}
