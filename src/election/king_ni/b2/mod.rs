//! Algorithm B.2 of King, Gendreau and Ni 1988, section 5.2, Table 3: election with partial synchrony, up to t
//! malicious.
//!
//! All tell all their capacities (`init`), collect for 2T, tell all what they have collected (`vect`), collect for
//! another 2T, and let the first n-t lists decide, which are the same everywhere, for the broadcast is ordered. The
//! table sends nothing from `stop`: here the master announces itself there, and its followers watch it. Mended are the
//! holes 1 and 8 to 11 (which inits and which lists count, and where), 5 (a process that was down never learns the
//! outcome), 6 (no second election) and 7 (only a candidate begins).
//!
//! The one order itself mends hole 8: lists count from the first init of their election on, and that init is at the
//! same place everywhere. A process that has just started takes no part, and is one of the t. `succession/order.rs`
//! says which election a process is in, and how far a liar's word counts for that.
//!
//! Invariant: the table's timer runs in coll1 and coll2 and nowhere else; `S` and `Y` are ordered by delivery, and
//! one's own entry comes by one's own broadcast; mended, both are prefixes of one order that all have in common.

mod kept;
mod listing;
mod lists;
mod message;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::kept::{KeptMessage, KeptWord};
use super::succession::{self, Admission, Heard, Stage, Succession, Trust};
use super::{ElectionNumber, Hole, watch};
use protocol::{Algorithm, Ballot, Card, Course, Effects, Lists, NodeId, NodeSet, Setup, Span, StateVector, Status};

pub use self::listing::LOST_ANSWERS;
pub use self::lists::{Decision, Entry, List, ListForm, WalkedList, el};
pub use self::message::Message;

/// The machine of Algorithm B.2 at one process.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct AlgorithmB2 {
    me: NodeId,
    t: Span,
    /// n-t: this many lists decide.
    enough: usize,
    form: ListForm,
    phase: Phase,
    /// `S`.
    candidates: Vec<Entry>,
    /// `Y`.
    lists: Vec<(NodeId, List)>,
    /// The list that decided, by `el(Y)`.
    decided: Option<Vec<Entry>>,
    /// Of elections that wait for the end of this one.
    kept: Vec<KeptMessage>,
    /// The number of the election, `ms`, and what the process asks and tells besides the table.
    succession: Succession,
}

/// A phase of Table 3. The paper's `fail` is a process that has been killed.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Phase {
    Normal,
    Coll1,
    Coll2,
    Stop,
    /// To the letter: in stop, and `el(Y)` was not defined.
    StopWithoutMaster,
}

/// The timers of Algorithm B.2.
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
            Timer::Table => f.write_str("time-out of Table 3"),
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

type Fx = Effects<AlgorithmB2>;

impl Algorithm for AlgorithmB2 {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = listing::CARD;

    /// A process starts in normal and begins nothing: starting an election is the application's doing. Mended, it asks
    /// what it has missed.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> AlgorithmB2 {
        // The Card bounds t by n-1, and n by a number that fits.
        let faulty = setup.settings.number("t") as usize;
        let terms = (Trust::Agreement(faulty + 1), setup.timing.t * 6, LOST_ANSWERS);
        AlgorithmB2 {
            me: setup.me,
            t: setup.timing.t,
            enough: usize::from(setup.roster.len()) - faulty,
            form: if setup.settings.word("lists") == "full" { ListForm::Full } else { ListForm::Lengths },
            phase: Phase::Normal,
            candidates: Vec::new(),
            lists: Vec::new(),
            decided: None,
            kept: Vec::new(),
            succession: Succession::start(setup, saved, terms, fx),
        }
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        let stage = self.stage();
        match message {
            // A process's own words in normal are a dead incarnation's.
            Message::Init { .. } | Message::Vect { .. } if from == self.me && self.phase == Phase::Normal => {}
            Message::Init { election, capacity } => {
                let waits = self.waits(election);
                match self.succession.admits(from, election, waits, stage, fx) {
                    Admission::Drop => {}
                    Admission::Hear => self.on_init(from, capacity, fx),
                    Admission::Keep => self.keep(election, from, KeptWord::Init(capacity)),
                    Admission::Fresh => {
                        self.become_fresh(election, fx);
                        self.on_init(from, capacity, fx);
                    }
                    Admission::BeginAnew => self.begin(fx),
                }
            }
            Message::Vect { election, list } => {
                if self.waits(election) {
                    self.keep(election, from, KeptWord::Vect(list));
                } else if self.is_of_this(from, election, fx) {
                    self.on_vect(from, list, fx);
                }
            }
            Message::Succession(message) => {
                let before = self.succession.election();
                if let Some(master) = self.succession.on_message(from, message, stage, fx) {
                    if self.succession.election() != before {
                        self.become_normal();
                    }
                    self.become_stopped(master, fx);
                }
            }
            Message::Watch(message) => match self.succession.on_watch(from, message, stage, fx) {
                Heard::Nothing => {}
                Heard::Master(_) => unreachable!("one word makes no master here"),
                Heard::Begin(_) if fx.capacity() < 0 && !self.succession.mends(Hole::H7) => {}
                Heard::Begin(taken) if self.succession.may_begin(fx) => {
                    self.succession.open_above(taken, stage, fx);
                    self.become_beginner(fx);
                }
                Heard::Begin(taken) => self.succession.learn(taken, fx),
            },
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        let begins = match timer {
            Timer::Table => {
                self.on_time_out(fx);
                false
            }
            Timer::Succession(timer) => {
                let begins = self.succession.on_timer(timer, self.stage(), fx);
                !self.opens_kept(fx) && begins
            }
            Timer::Watch(timer) => self.succession.on_watch_timer(timer, fx),
        };
        if begins {
            self.begin(fx);
        }
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        self.begin(fx);
    }

    /// A phase of the table waits for nobody in particular; in stop a process waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Table => NodeSet::EMPTY,
            Timer::Succession(timer) => self.succession.waits_for(timer),
            Timer::Watch(timer) => self.succession.watch_waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let (status, word, course) = match self.phase {
            Phase::Normal => (Status::Down, "normal", Course::Idle),
            Phase::Coll1 => (Status::Election, "coll1", Course::Electing),
            Phase::Coll2 => (Status::Election, "coll2", Course::Electing),
            Phase::StopWithoutMaster => (Status::Election, "stop", Course::AtRest),
            Phase::Stop => (Status::Normal, "stop", Course::AtRest),
        };
        let stands_with = self.succession.stands_with();
        StateVector {
            election: self.succession.shown_election(),
            ballot: Some(Box::new(Ballot { course, stands_with, announcements: 0, lists: self.lists_to_show() })),
            ..StateVector::new(status, word, self.succession.master())
        }
    }
}

/// Elections and their numbers (mend of hole 6), and who may begin one (mend of hole 7).
impl AlgorithmB2 {
    /// `begins`: to the letter a candidate's in normal; mended anybody's, and in stop too; never in mid-election.
    fn begin(&mut self, fx: &mut Fx) {
        let is_in_time = match self.stage() {
            Stage::Rest => true,
            Stage::Stop => self.succession.mends(Hole::H6),
            Stage::Beginning | Stage::Election => false,
        };
        let may = fx.capacity() >= 0 || self.succession.mends(Hole::H7);
        if !(is_in_time && may && self.succession.may_begin(fx)) {
            return;
        }
        self.succession.open_next(self.stage(), fx);
        self.become_beginner(fx);
    }

    /// Into coll1, of an election of its own, which is above all that wait.
    fn become_beginner(&mut self, fx: &mut Fx) {
        self.become_normal();
        self.kept.clear();
        fx.line(if fx.capacity() >= 0 { 1 } else { 107 });
        self.broadcast_init(fx);
        self.become_collector(fx);
    }

    /// Whether a list is of the election that this process takes part in. A list of a higher election opens no fresh
    /// machine: an honest one never comes first, and no other can make anybody give up its master. But it is a voice:
    /// enough voices tell that an election is under way.
    fn is_of_this(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) -> bool {
        if !self.succession.mends(Hole::H6) {
            return true;
        }
        match self.stage() {
            Stage::Beginning | Stage::Election => {
                if election < self.succession.election() {
                    fx.line(136);
                }
                election == self.succession.election()
            }
            stage @ (Stage::Rest | Stage::Stop) => {
                self.succession.hear_of(from, election, stage, fx);
                false
            }
        }
    }

    /// A fresh machine.
    fn become_normal(&mut self) {
        self.phase = Phase::Normal;
        self.candidates.clear();
        self.lists.clear();
        self.decided = None;
    }

    /// What it has collected; others' lists as they read in its own `S`.
    fn lists_to_show(&self) -> Option<Lists> {
        if self.candidates.is_empty() && self.lists.is_empty() {
            return None;
        }
        let shown = |(from, list): &(NodeId, List)| (*from, list.received(&self.candidates));
        let received = self.lists.iter().map(shown).collect();
        Some(Lists { candidates: self.candidates.clone(), received, decided: self.decided.clone() })
    }

    fn stage(&self) -> Stage {
        match self.phase {
            Phase::Normal => Stage::Rest,
            Phase::Coll1 | Phase::Coll2 if self.candidates.is_empty() => Stage::Beginning,
            Phase::Coll1 | Phase::Coll2 => Stage::Election,
            Phase::Stop | Phase::StopWithoutMaster => Stage::Stop,
        }
    }
}
