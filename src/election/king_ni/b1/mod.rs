//! Algorithm B.1 of King, Gendreau and Ni 1988, section 5.1, Table 2: election with partial synchrony, fail-stop.
//!
//! All tell all their capacities by a reliable, ordered broadcast, collect for 2T, and take the largest. The table
//! sends nothing from `stop`: here the master announces itself there, and its followers watch it. Mended are the holes
//! 5 (a process that was down never learns the outcome), 6 (no second election) and 7 (only a candidate begins).
//!
//! It does not use `succession`, which asks again until it knows: here any message of a higher number opens that
//! election at once, so a process needs no more than the highest number.
//!
//! Invariant: the table's timer runs in collect and nowhere else; a process's own broadcast comes back to it and says
//! nothing new; the watch over the master, and the wait for its first word, run in `stop` alone.

mod asking;
mod listing;
mod message;
mod numbers;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::watch::{self, Watch, WatchFinding};
use super::{ElectionNumber, Hole};
use protocol::{
    Algorithm, Ballot, Card, Course, Effects, Mends, NodeId, NodeMap, NodeSet, Order, Setup, Span, StateVector, Status,
};

pub use self::listing::LOST_ANSWERS;
pub use self::message::Message;

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

/// A phase of Table 2. The paper's `fail` is a process that has been killed.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Phase {
    Normal,
    Collect,
    Stop,
    /// To the letter: in stop, and nobody in `S` is a candidate.
    StopWithoutMaster,
}

/// Whether a process may begin an election, when mended.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Readiness {
    /// It may.
    Ready,
    /// It has just started, and does not know yet which numbers are taken, or whether an election is under way.
    Started,
    /// It has just started, and an election is under way in which it takes no part.
    StandsAside,
    /// It has just stopped, and a peer may be T behind.
    Stopped,
}

/// The timers of Algorithm B.1.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// The one timer of the table.
    Table,
    /// The process may begin an election.
    Ready,
    /// The master's first word is overdue.
    Elected,
    /// The watch's over the master.
    Watch(watch::Timer),
}

/// What it waits for, in words.
impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timer::Table => f.write_str("time-out of Table 2"),
            Timer::Ready => f.write_str("time to begin an election"),
            Timer::Elected => f.write_str("first word of the master"),
            Timer::Watch(timer) => timer.fmt(f),
        }
    }
}

impl From<watch::Timer> for Timer {
    fn from(timer: watch::Timer) -> Timer {
        Timer::Watch(timer)
    }
}

type Fx = Effects<AlgorithmB1>;

impl Algorithm for AlgorithmB1 {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = listing::CARD;

    /// A process starts in normal and begins nothing: starting an election is the application's doing. Mended, it asks
    /// what it has missed.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> AlgorithmB1 {
        let mends = Mends::of(&setup.settings, listing::HOLES);
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
                    self.on_capacity(from, capacity, fx);
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
            Timer::Table => self.on_time_out(fx),
            Timer::Ready => self.become_ready(fx),
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
            Timer::Table | Timer::Ready => NodeSet::EMPTY,
            Timer::Elected => self.master.map_or(NodeSet::EMPTY, NodeSet::of),
            Timer::Watch(timer) => self.watch.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let (status, word, course) = match self.phase {
            Phase::Normal => (Status::Down, "normal", Course::Idle),
            Phase::Collect => (Status::Election, "collect", Course::Electing),
            Phase::StopWithoutMaster => (Status::Election, "stop", Course::AtRest),
            Phase::Stop => (Status::Normal, "stop", Course::AtRest),
        };
        let stands_with = self.candidates.get(&self.me).copied().filter(|capacity| *capacity >= 0);
        StateVector {
            election: self.mends(Hole::H6).then_some(self.election.0),
            ballot: Some(Box::new(Ballot { course, stands_with, announcements: 0, lists: None })),
            ..StateVector::new(status, word, self.master)
        }
    }
}

impl AlgorithmB1 {
    /// Whether the hole is mended.
    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }
}
