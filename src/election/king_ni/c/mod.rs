//! Algorithm C of King, Gendreau and Ni 1988, section 6, Tables 4a and 4b: election over an unreliable broadcast.
//!
//! A process that has the largest capacity it has heard of announces itself; a process that hears of two announcements
//! says so (`dup`), and the announcers do it again in a new round. Mended are the holes of the tables: 2 (`elected` or
//! `dup` in coll1), 3 (wait3 deaf to the next round), 4 (names without capacities), 5 (a process that was down never
//! learns the outcome), 6 (no second election), 7 (only a candidate begins), 12 (coll3 takes the next round for this
//! one), 13 (final is deaf), 14 (a late candidate) and 15 (`help` after one lost datagram, or a dead favourite).
//!
//! Invariant: at most one timer of the table runs (`Timer::Table`), and none in a final phase; in normal it is that of
//! a starting process that asks. A process never hears its own broadcast; the watch over the master runs in `stop`
//! alone; in the election in which its last incarnation may have stood, a process only follows.

mod asking;
mod candidates;
mod closing;
mod listing;
mod message;
mod numbers;
mod phase;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::candidates::CandidateList;
use self::phase::Phase;
use super::watch::{self, Watch, WatchFinding};
use super::{ElectionNumber, Hole};
use protocol::{Algorithm, Ballot, Card, Effects, Mends, NodeId, NodeSet, Setup, Span, StateVector};

pub use self::listing::LOST_ANSWERS;
pub use self::message::{Message, Name};

/// The machine of Algorithm C at one process.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct AlgorithmC {
    me: NodeId,
    t: Span,
    mends: Mends,
    phase: Phase,
    /// `S`.
    candidates: CandidateList,
    /// `ms`; means something in stop and master.
    master: Option<NodeId>,
    /// The latest round of announcements heard of, from 1; 0 to the letter.
    round: u32,
    /// The capacity with which this process stands in this election.
    stands_with: Option<i64>,
    /// How often it has announced itself in this election.
    announcements: u32,
    early: Early,
    /// Which election this is; 0 to the letter, and before the first.
    election: ElectionNumber,
    /// The highest election number ever seen.
    highest: ElectionNumber,
    /// Messages of the election `highest` that have come while this one goes on, in order of arrival.
    kept: Vec<(NodeId, Message)>,
    /// How often it has asked since it entered wait1, or started.
    asked: u32,
    watch: Watch,
}

/// The `elected` and `dup` that came in coll1 (mend of hole 2).
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
struct Early {
    announcers: NodeSet,
    duplicated: NodeSet,
}

/// The timers of Algorithm C.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// The one timer of the table.
    Table,
    /// The watch's over the master.
    Watch(watch::Timer),
}

/// What it waits for, in words.
impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timer::Table => f.write_str("time-out of Table 4"),
            Timer::Watch(timer) => timer.fmt(f),
        }
    }
}

impl From<watch::Timer> for Timer {
    fn from(timer: watch::Timer) -> Timer {
        Timer::Watch(timer)
    }
}

type Fx = Effects<AlgorithmC>;

impl Algorithm for AlgorithmC {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = listing::CARD;

    /// A process starts in normal and begins nothing: starting an election is the application's doing. Mended, it asks
    /// whether there is a master.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> AlgorithmC {
        let mends = Mends::of(&setup.settings, listing::HOLES);
        let highest = saved.unwrap_or_default();
        let mut machine = AlgorithmC {
            me: setup.me,
            t: setup.timing.t,
            mends,
            phase: Phase::Normal,
            candidates: CandidateList::default(),
            master: None,
            // With election numbers a fresh machine sets round 1. Until then the round is 0, so that a process that
            // only follows takes any round for a later one.
            round: u32::from(mends.has(Hole::H3 as u8) && !mends.has(Hole::H6 as u8)),
            stands_with: None,
            announcements: 0,
            early: Early::default(),
            election: highest,
            highest,
            kept: Vec::new(),
            asked: 0,
            watch: Watch::new(setup, mends, LOST_ANSWERS),
        };
        machine.ask_at_start(fx);
        machine
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        if from == self.me {
            return;
        }
        match message {
            Message::Init { election, capacity } => {
                if self.admits(from, election, message, fx) {
                    self.on_init(from, capacity, fx);
                }
            }
            Message::Elected { election, round, capacity } => {
                if self.admits(from, election, message, fx) {
                    self.on_elected(Name { node: from, capacity }, round, fx);
                }
            }
            Message::Dup { election, round, k, l } => {
                if self.admits(from, election, message, fx) {
                    self.on_dup(k, l, round, fx);
                }
            }
            Message::Watch(watch::Message::Ask { call, election }) => self.on_query(from, call, election, fx),
            Message::Watch(watch::Message::Claim(claim)) => self.on_claim(from, claim, fx),
            Message::Ask { election } => self.on_ask(from, election, fx),
            Message::Watch(watch::Message::Answer(number)) => self.watch.take_answer(from, number, fx),
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        match timer {
            Timer::Table => {
                if self.phase == Phase::Wait1 && !self.kept.is_empty() {
                    // This election has ended without a master that this process could hear of, and the next waits.
                    self.phase = Phase::Normal;
                } else {
                    self.on_time_out(fx);
                }
                self.take_up_kept(fx);
            }
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

    /// A phase of the table waits for nobody in particular; the watch waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Table => NodeSet::EMPTY,
            Timer::Watch(timer) => self.watch.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let AlgorithmC { stands_with, announcements, .. } = *self;
        StateVector {
            election: self.mends(Hole::H6).then_some(self.election.0),
            ballot: Some(Box::new(Ballot { course: self.phase.course(), stands_with, announcements, lists: None })),
            ..StateVector::new(self.phase.status(), self.phase.word(), self.master)
        }
    }
}

impl AlgorithmC {
    /// Whether the hole is mended.
    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }
}
