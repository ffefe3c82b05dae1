//! Algorithm A of King, Gendreau and Ni 1988, section 4, Table 1: election in a synchronous environment.
//!
//! All begin at the same time, tell all their capacities by a reliable, ordered broadcast, and after T take the largest
//! that they have heard: one round. A value that comes before a process has begun has no row, so nobody hears a process
//! that begins alone; an operator begins an election with `elect *`. The table sends nothing from `stop`: here the
//! master announces itself there, and its followers watch it. Mended are the holes 5 (a process that was down never
//! learns the outcome) and 6 (no second election): a process that finds the master gone calls all to begin, and the
//! call is delivered everywhere at one moment. Hole 7 does not exist here: a non-candidate begins too.
//!
//! A process cannot follow an order at once while it asks what it has missed, or just after its stop. Such an order
//! must not make it begin alone later: the others may have followed it at once. So the order becomes a call. A call has
//! the number after the next, and so is above an election that others have begun by an order while the call was on its
//! way.
//!
//! A process that is no candidate and is ordered to begin alone is outside the paper's condition (1.1): it elects
//! nobody, though it had a master. It asks for that master again.
//!
//! Invariant: the table's timer runs in wait and nowhere else; `S` begins empty, and one's own capacity comes into it
//! by one's own broadcast; the first that somebody says counts.

mod listing;
mod message;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::succession::{self, Admission, Heard, Stage, Succession, Trust};
use super::{ElectionNumber, Hole, watch};
use protocol::{Algorithm, Ballot, Card, Course, Effects, NodeId, NodeMap, NodeSet, Setup, Span, StateVector, Status};

pub use self::listing::LOST_ANSWERS;
pub use self::message::Message;

/// The machine of Algorithm A at one process.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct AlgorithmA {
    me: NodeId,
    t: Span,
    phase: Phase,
    /// `S`.
    candidates: NodeMap<i64>,
    /// The number of the election, `ms`, and what the process asks and tells besides the table.
    succession: Succession,
}

/// A phase of Table 1. The paper's `fail` is a process that has been killed.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Phase {
    Start,
    Wait,
    Stop,
    /// To the letter: in stop, and nobody in `S` is a candidate.
    StopWithoutMaster,
}

/// The timers of Algorithm A.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// The one timer of the table.
    Table,
    /// Around the table.
    Succession(succession::Timer),
    /// The watch's over the master.
    Watch(watch::Timer),
}

/// What it waits for, in words.
impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timer::Table => f.write_str("time-out of Table 1"),
            Timer::Succession(timer) => timer.fmt(f),
            Timer::Watch(timer) => timer.fmt(f),
        }
    }
}

impl From<succession::Timer> for Timer {
    fn from(timer: succession::Timer) -> Timer {
        Timer::Succession(timer)
    }
}

impl From<watch::Timer> for Timer {
    fn from(timer: watch::Timer) -> Timer {
        Timer::Watch(timer)
    }
}

type Fx = Effects<AlgorithmA>;

impl Algorithm for AlgorithmA {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = listing::CARD;

    /// A process begins nothing by itself: the application initiates an election.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> AlgorithmA {
        let terms = (Trust::MastersWord, setup.timing.t * 2, LOST_ANSWERS);
        AlgorithmA {
            me: setup.me,
            t: setup.timing.t,
            phase: Phase::Start,
            candidates: NodeMap::new(),
            succession: Succession::start(setup, saved, terms, fx),
        }
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        let stage = self.stage();
        match message {
            Message::Capacity { election, capacity } => {
                if self.is_heard(from, election, fx) {
                    self.on_capacity(from, capacity, fx);
                }
            }
            Message::Call { election } => self.on_call(election, fx),
            Message::Succession(message) => {
                if let Some(master) = self.succession.on_message(from, message, stage, fx) {
                    self.become_stopped(master, fx);
                }
            }
            Message::Watch(message) => match self.succession.on_watch(from, message, stage, fx) {
                Heard::Nothing => {}
                Heard::Master(master) => self.become_stopped(master, fx),
                Heard::Begin(taken) => {
                    self.succession.learn(taken, fx);
                    if self.succession.may_begin(fx) {
                        self.call(fx);
                    }
                }
            },
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        let stage = self.stage();
        match timer {
            Timer::Table => self.on_time_out(fx),
            Timer::Succession(timer) => {
                if self.succession.on_timer(timer, stage, fx) {
                    self.call(fx);
                }
            }
            Timer::Watch(timer) => {
                if self.succession.on_watch_timer(timer, fx) {
                    self.call(fx);
                }
            }
        }
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        self.begin(fx);
    }

    /// The table waits for nobody in particular; in stop a process waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Table => NodeSet::EMPTY,
            Timer::Succession(timer) => self.succession.waits_for(timer),
            Timer::Watch(timer) => self.succession.watch_waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let (status, word, course) = match self.phase {
            Phase::Start => (Status::Down, "start", Course::Idle),
            Phase::Wait => (Status::Election, "wait", Course::Electing),
            Phase::StopWithoutMaster => (Status::Election, "stop", Course::AtRest),
            Phase::Stop => (Status::Normal, "stop", Course::AtRest),
        };
        let stands_with = self.succession.stands_with();
        StateVector {
            election: self.succession.shown_election(),
            ballot: Some(Box::new(Ballot { course, stands_with, announcements: 0, lists: None })),
            ..StateVector::new(status, word, self.succession.master())
        }
    }
}

/// Table 1.
impl AlgorithmA {
    /// Transition 1, for a process that begins by itself; mended, from stop too, with a fresh machine.
    fn begin(&mut self, fx: &mut Fx) {
        match self.phase {
            Phase::Wait | Phase::StopWithoutMaster => {}
            Phase::Stop if !self.succession.mends(Hole::H6) => {}
            Phase::Start | Phase::Stop => {
                if self.succession.may_begin(fx) {
                    self.succession.open_next(self.stage(), fx);
                    self.become_waiting(fx);
                }
            }
        }
    }

    fn become_waiting(&mut self, fx: &mut Fx) {
        fx.line(1);
        self.phase = Phase::Wait;
        self.candidates.clear();
        self.succession.stand(fx.capacity());
        fx.broadcast(Message::Capacity { election: self.succession.election(), capacity: fx.capacity() });
        fx.set_timer(Timer::Table, self.t);
    }

    /// Transition 2. What is heard in start and in stop has no row.
    fn on_capacity(&mut self, from: NodeId, capacity: i64, fx: &mut Fx) {
        if self.phase == Phase::Wait && !self.candidates.contains_key(&from) {
            fx.line(2);
            self.candidates.insert(from, capacity);
        }
    }

    /// Transition 3.
    fn on_time_out(&mut self, fx: &mut Fx) {
        if self.phase != Phase::Wait {
            return;
        }
        let largest = super::largest(self.candidates.iter().map(|(node, capacity)| (*node, *capacity)));
        match largest {
            Some(master) => {
                fx.line(3);
                self.become_stopped(master, fx);
            }
            None if !self.succession.mends(Hole::H6) => {
                fx.line(3);
                self.phase = Phase::StopWithoutMaster;
                self.succession.elect_nobody();
            }
            None => {
                fx.line(208);
                self.phase = Phase::Start;
                self.succession.elect_nobody();
                self.succession.ask_on(fx);
            }
        }
    }

    fn become_stopped(&mut self, master: NodeId, fx: &mut Fx) {
        self.phase = Phase::Stop;
        self.succession.stop(master, fx);
    }
}

/// Elections and their numbers (mend of hole 6), and how all begin one together.
impl AlgorithmA {
    /// Whether the table hears a capacity of that election. A capacity of a higher election makes nobody begin, for A
    /// has no row for that in start: its number is taken, and the master's word will tell how it ended.
    fn is_heard(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) -> bool {
        if !self.succession.mends(Hole::H6) {
            return true;
        }
        self.succession.learn(election, fx);
        if (from != self.me && self.succession.is_aside_from(election, fx)) || election > self.succession.election() {
            return false;
        }
        if election < self.succession.election() {
            fx.line(136);
        }
        let is_heard = self.phase == Phase::Wait && election == self.succession.election();
        if self.phase == Phase::Stop && self.succession.answer_to_taken(self.stage(), fx) == Admission::BeginAnew {
            self.call(fx);
        }
        is_heard
    }

    /// Calls all to begin; the caller begins with them, when it hears its own call. To the letter stop is final.
    fn call(&mut self, fx: &mut Fx) {
        if self.succession.mends(Hole::H6) && self.phase != Phase::Wait {
            fx.line(176);
            fx.broadcast(Message::Call { election: self.succession.next_election().next() });
        }
    }

    /// The call is delivered everywhere at one moment, so all that hear it begin at one moment. A process that asks may
    /// not have heard all that the others heard before it, and stands aside; the master's word follows.
    fn on_call(&mut self, election: ElectionNumber, fx: &mut Fx) {
        if !self.succession.mends(Hole::H6) {
            return;
        }
        if election < self.succession.next_election() {
            fx.line(136);
            return;
        }
        self.succession.learn(election, fx);
        if self.succession.is_aside_from(election, fx) {
            return;
        }
        fx.line(186);
        self.succession.open(fx);
        self.become_waiting(fx);
    }

    fn stage(&self) -> Stage {
        match self.phase {
            Phase::Start => Stage::Rest,
            Phase::Wait => Stage::Election,
            Phase::Stop | Phase::StopWithoutMaster => Stage::Stop,
        }
    }
}
