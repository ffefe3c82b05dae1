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

mod card;
mod table;
#[cfg(test)]
mod tests;

use super::succession::{Admission, Heard, Stage, Succession, Trust};
use super::table::{Event, Phase, Row, TableMachine, step};
use super::{ElectionNumber, Hole};
use protocol::{Algorithm, Ballot, Card, Effects, NodeId, NodeMap, NodeSet, Setup, Span, StateVector};

pub use self::card::{LOST_ANSWERS, Message};

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

/// The timers of this algorithm.
pub type Timer = super::Timer<1>;

type Fx = Effects<AlgorithmA>;

impl Algorithm for AlgorithmA {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = card::CARD;

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
                    step(self, Event::Value, &(from, capacity), fx);
                }
            }
            Message::Call { election } => self.on_call(election, fx),
            Message::Succession(message) => {
                if let Some(master) = self.succession.on_message(from, message, stage, fx) {
                    self.follow(master, fx);
                }
            }
            Message::Watch(message) => match self.succession.on_watch(from, message, stage, fx) {
                Heard::Nothing => {}
                Heard::Master(master) => self.follow(master, fx),
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
        let begins = match timer {
            Timer::Table => {
                step(self, Event::TimeOut, &(self.me, fx.capacity()), fx);
                false
            }
            Timer::Ready | Timer::Kept => self.succession.on_ready(stage, fx),
            Timer::Elected => self.succession.miss_elected(stage, fx),
            Timer::Watch(timer) => self.succession.on_watch_timer(timer, fx),
        };
        if begins {
            self.call(fx);
        }
    }

    /// For a process that begins by itself; mended, from stop too, with a fresh machine.
    fn on_elect(&mut self, fx: &mut Fx) {
        let is_in_time = match self.phase {
            Phase::Stop => self.succession.mends(Hole::NoSecondElection),
            phase => phase == Phase::Start,
        };
        if is_in_time && self.succession.may_begin(fx) {
            self.succession.open_next(self.stage(), fx);
            self.begin(fx);
        }
    }

    /// The table waits for nobody in particular; in stop a process waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        self.succession.waits_for(timer)
    }

    fn state(&self) -> StateVector {
        let master = self.succession.master();
        let (course, stands_with) = (self.phase.course(), self.succession.stands_with());
        StateVector {
            election: self.succession.shown_election(),
            ballot: Some(Box::new(Ballot { course, stands_with, announcements: 0, lists: None })),
            ..StateVector::new(self.phase.status_under(master), self.phase.word(), master)
        }
    }
}

impl TableMachine for AlgorithmA {
    /// `(j,w)`.
    type Heard = (NodeId, i64);
    const PAPER: &'static [Row<AlgorithmA>] = table::PAPER;
    const MENDS: &'static [Row<AlgorithmA>] = table::MENDS;

    fn phase(&self) -> Phase {
        self.phase
    }

    fn mends(&self, hole: Hole) -> bool {
        self.succession.mends(hole)
    }

    fn enter(&mut self, phase: Phase, fx: &mut Fx) {
        self.phase = phase;
        match phase {
            Phase::Stop => self.succession.stop(fx),
            Phase::Start => self.succession.ask_on(fx),
            _ => {}
        }
    }

    fn set_table_timer(&self, times: u64, fx: &mut Fx) {
        fx.set_timer(Timer::Table, self.t * times);
    }
}

/// Elections and their numbers (mend of hole 6), and how all begin one together.
impl AlgorithmA {
    /// Whether the table hears a capacity of that election. A capacity of a higher election makes nobody begin, for A
    /// has no row for that in start: its number is taken, and the master's word will tell how it ended.
    fn is_heard(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) -> bool {
        if !self.succession.mends(Hole::NoSecondElection) {
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
        if self.succession.mends(Hole::NoSecondElection) && self.phase != Phase::Wait {
            fx.line(176);
            fx.broadcast(Message::Call { election: self.succession.next_election().next() });
        }
    }

    /// The call is delivered everywhere at one moment, so all that hear it begin at one moment. A process that asks may
    /// not have heard all that the others heard before it, and stands aside; the master's word follows.
    fn on_call(&mut self, election: ElectionNumber, fx: &mut Fx) {
        if !self.succession.mends(Hole::NoSecondElection) {
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
        self.begin(fx);
    }

    /// A fresh machine, which begins. `S` is empty: its own v comes back through 2.
    fn begin(&mut self, fx: &mut Fx) {
        self.phase = Phase::Start;
        self.candidates.clear();
        step(self, Event::Begins, &(self.me, fx.capacity()), fx);
    }

    /// Into stop, under the master of an election in which it took no part.
    fn follow(&mut self, master: NodeId, fx: &mut Fx) {
        self.succession.elect(Some(master));
        self.enter(Phase::Stop, fx);
    }

    fn stage(&self) -> Stage {
        match self.phase {
            Phase::Start => Stage::Rest,
            Phase::Wait => Stage::Election,
            _ => Stage::Stop,
        }
    }
}
