//! Algorithm C of King, Gendreau and Ni 1988, section 6, Tables 4a and 4b: election over an unreliable broadcast.
//!
//! A process that has the largest capacity it has heard of announces itself; a process that hears of two announcements
//! says so (`dup`), and the announcers do it again in a new round. What a process does in a phase stands in `table`; here
//! stands what is around the tables: election numbers, rounds, and what is known of capacities. Mended are the holes of
//! the tables: 2 (`elected` or `dup` in coll1), 3 (wait3 deaf to the next round), 4 (names without capacities), 5 (a
//! process that was down never learns the outcome), 6 (no second election), 7 (only a candidate begins), 12 (coll3 takes
//! the next round for this one), 13 (final is deaf), 14 (a late candidate) and 15 (`help` after one lost datagram, or a
//! dead favourite).
//!
//! Invariants:
//! - At most one timer of the table runs (`Timer::Table`), and none in a final phase; in normal it is that of a starting
//!   process that asks.
//! - A process never hears its own broadcast; the watch over the master runs in `stop` alone.
//! - The highest election number seen never goes back, not across a crash either: it is saved before it is sent. In the
//!   election in which its last incarnation may have stood, a process only follows.

mod card;
mod table;
#[cfg(test)]
mod tests;

use super::table::{Event, Phase, Row, TableMachine, step};
use super::watch::{self, Claim, Watch, WatchFinding};
use super::{ElectionNumber, Hole};
use protocol::{Algorithm, Ballot, Card, Effects, Mends, NodeId, NodeMap, NodeSet, Setup, Span, StateVector};

pub use self::card::{LOST_ANSWERS, Message, Name};

/// How often a process asks before it gives up: one `ask` or its answer may be lost, three hardly.
const ASKS: u32 = 3;

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

/// The candidate list `S`: names, and what is known of their capacities, which outlives a new round (8, 14).
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
struct CandidateList {
    names: NodeSet,
    capacities: NodeMap<i64>,
}

/// Who told a capacity.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum HeardFrom {
    /// The process itself, by its `init` or `elected`.
    Itself,
    /// Another, by a `dup`.
    Another,
}

/// The `elected` and `dup` that came in coll1 (mend of hole 2).
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
struct Early {
    announcers: NodeSet,
    duplicated: NodeSet,
}

/// What a row sees of an input: of a `dup` k and l, of another message its sender, twice.
#[derive(Copy, Clone, Debug)]
pub(super) struct Heard {
    event: Event,
    k: Name,
    l: Name,
    age: Age,
}

/// How a message's round compares with the latest one that had come (mend of hole 3).
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Age {
    Earlier,
    Current,
    Later,
}

/// The timers of this algorithm.
pub type Timer = super::Timer<4>;

type Fx = Effects<AlgorithmC>;

impl TableMachine for AlgorithmC {
    type Heard = Heard;
    const PAPER: &'static [Row<AlgorithmC>] = table::PAPER;
    const MENDS: &'static [Row<AlgorithmC>] = table::MENDS;

    fn phase(&self) -> Phase {
        self.phase
    }

    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }

    fn leave(&mut self, next: Phase, fx: &mut Fx) {
        if !matches!(next, Phase::Master | Phase::Stop) {
            self.watch.rest(fx);
        }
    }

    fn enter(&mut self, phase: Phase, fx: &mut Fx) {
        self.phase = phase;
        match (phase, self.master) {
            (Phase::Wait1 | Phase::Wait2 | Phase::Wait3, _) => self.asked = 0,
            (Phase::Master, _) => self.watch.lead(fx),
            (Phase::Stop, Some(master)) => self.watch.begin(master, fx),
            _ => {}
        }
    }

    fn set_table_timer(&self, times: u64, fx: &mut Fx) {
        fx.set_timer(Timer::Table, self.t * times);
    }
}

impl Algorithm for AlgorithmC {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = card::CARD;

    /// A process starts in normal and begins nothing: starting an election is the application's doing. Mended, it asks
    /// whether there is a master; no answer is no reason to begin an election.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> AlgorithmC {
        let mends = Mends::of(&setup.settings, card::HOLES);
        let highest = saved.unwrap_or_default();
        let mut machine = AlgorithmC {
            me: setup.me,
            t: setup.timing.t,
            mends,
            phase: Phase::Normal,
            candidates: CandidateList::default(),
            master: None,
            round: 0,
            stands_with: None,
            announcements: 0,
            early: Early::default(),
            election: highest,
            highest,
            kept: Vec::new(),
            asked: 0,
            watch: Watch::new(setup, mends, LOST_ANSWERS),
        };
        // With election numbers a fresh machine sets round 1. Until then the round is 0, so that a process that only
        // follows takes any round for a later one.
        if !machine.mends(Hole::NoSecondElection) {
            machine.round = machine.first_round();
        }
        machine.step_alone(Event::Starts, fx);
        machine
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        match message {
            _ if from == self.me => {}
            Message::Watch(message) => self.on_watch_message(from, message, fx),
            Message::Ask { election } if election <= self.election || !self.mends(Hole::HelpAtOnce) => {
                self.step_alone(Event::Ask, fx);
            }
            Message::Ask { election }
            | Message::Init { election, .. }
            | Message::Elected { election, .. }
            | Message::Dup { election, .. } => {
                if self.admits(from, election, message, fx) {
                    self.hear(from, message, fx);
                }
            }
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        match timer {
            Timer::Table => self.on_time_out(fx),
            Timer::Watch(timer) => {
                if self.watch.on_timer(timer, self.election, fx) == WatchFinding::MasterGone {
                    self.begin_above(self.highest, fx);
                }
            }
            Timer::Ready | Timer::Kept | Timer::Elected => {}
        }
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        self.begin_above(self.highest, fx);
    }

    /// A phase of the table waits for nobody in particular; the watch waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Watch(timer) => self.watch.waits_for(timer),
            _ => NodeSet::EMPTY,
        }
    }

    fn state(&self) -> StateVector {
        let AlgorithmC { stands_with, announcements, .. } = *self;
        StateVector {
            election: self.mends(Hole::NoSecondElection).then_some(self.election.0),
            ballot: Some(Box::new(Ballot { course: self.phase.course(), stands_with, announcements, lists: None })),
            ..StateVector::new(self.phase.status(), self.phase.word(), self.master)
        }
    }
}

/// What a row sees of the messages of the table.
impl AlgorithmC {
    fn hear(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        let sender = |capacity| Name { node: from, capacity };
        match message {
            Message::Init { capacity, .. } => {
                let j = sender(Some(capacity));
                self.step(Heard { event: Event::Init, k: j, l: j, age: Age::Current }, fx);
            }
            Message::Elected { round, capacity, .. } => {
                let (j, age) = (sender(capacity), self.take_round(round, fx));
                self.learn(&[j], HeardFrom::Itself, fx);
                // Of an earlier round it is dropped, but a process at its end tells the announcer that others are further.
                if age != Age::Earlier || matches!(self.phase, Phase::Master | Phase::Stop) {
                    self.step(Heard { event: Event::Elected, k: j, l: j, age }, fx);
                }
            }
            Message::Dup { round, k, l, .. } => {
                let age = self.take_round(round, fx);
                if age != Age::Earlier {
                    self.learn(&[k, l], HeardFrom::Another, fx);
                    self.step(Heard { event: Event::Dup, k, l, age }, fx);
                }
            }
            // The first message of an election is an `ask`: it starts this process as an init would. It does not tell its
            // sender's capacity, so the sender is not entered in `S`: nobody would ever give way to it as a non-candidate.
            Message::Ask { .. } => self.step_alone(Event::Init, fx),
            Message::Watch(_) => {}
        }
    }

    fn step(&mut self, heard: Heard, fx: &mut Fx) {
        step(self, heard.event, &heard, fx);
    }

    /// An event that no other process is named in.
    fn step_alone(&mut self, event: Event, fx: &mut Fx) {
        let own = Name { node: self.me, capacity: None };
        self.step(Heard { event, k: own, l: own, age: Age::Current }, fx);
    }

    fn on_time_out(&mut self, fx: &mut Fx) {
        if self.phase == Phase::Wait1 && !self.kept.is_empty() {
            // This election has ended without a master that this process could hear of, and the next waits.
            self.phase = Phase::Normal;
        } else {
            self.candidates.add(self.early.names());
            self.step_alone(Event::TimeOut, fx);
            if !self.early.names().is_empty() {
                self.step_alone(Event::Remembered, fx);
                self.early = Early::default();
            }
        }
        self.take_up_kept(fx);
    }

    fn on_watch_message(&mut self, from: NodeId, message: watch::Message, fx: &mut Fx) {
        match message {
            watch::Message::Ask { call, election } => {
                self.watch.answer(from, call, fx);
                // The follower may have missed this election. If the master then crashed, it would begin a new one under
                // the number of this one.
                if election < self.election {
                    self.step_alone(Event::Query, fx);
                }
            }
            watch::Message::Answer(number) => self.watch.take_answer(from, number, fx),
            watch::Message::Claim(claim) => match (self.phase, self.master) {
                (Phase::Master | Phase::Stop, Some(master)) if self.mends(Hole::NoSecondElection) => {
                    if watch::meet(from, claim, Claim { election: self.election, master }, fx) {
                        self.begin_above(claim.election, fx);
                    }
                }
                _ => self.step_alone(Event::Claim, fx),
            },
        }
    }

    /// Mend of hole 3: how a message's round compares with the latest one, which it becomes.
    fn take_round(&mut self, round: u32, fx: &mut Fx) -> Age {
        if !self.mends(Hole::NextRoundInWait3) || round == self.round {
            return Age::Current;
        }
        if round < self.round {
            fx.line(123);
            return Age::Earlier;
        }
        self.round = round;
        // Messages that came in coll1 of an earlier round are out of date.
        self.early = Early::default();
        Age::Later
    }

    fn first_round(&self) -> u32 {
        u32::from(self.mends(Hole::NextRoundInWait3))
    }

    /// Mend of hole 4.
    fn learn(&mut self, names: &[Name], source: HeardFrom, fx: &mut Fx) {
        for name in names.iter().filter(|_| self.mends.has(Hole::NamesWithoutCapacities as u8)) {
            if name.capacity.is_some_and(|capacity| self.candidates.learn(name.node, capacity, source)) {
                fx.line(104);
            }
        }
    }

    fn name(&self, node: NodeId) -> Name {
        let is_told = self.mends(Hole::NamesWithoutCapacities);
        Name { node, capacity: self.candidates.capacity(node).filter(|_| is_told) }
    }

    fn broadcast_elected(&self, fx: &mut Fx) {
        let capacity = self.name(self.me).capacity;
        fx.broadcast(Message::Elected { election: self.election, round: self.round, capacity });
    }

    fn broadcast_dup(&self, k: NodeId, l: NodeId, fx: &mut Fx) {
        let (k, l) = (self.name(k), self.name(l));
        fx.broadcast(Message::Dup { election: self.election, round: self.round, k, l });
    }
}

/// Elections and their numbers (mend of hole 6).
impl AlgorithmC {
    /// `begins`: to the letter, a candidate begins in normal; mended, any process does, and in a final phase too; never
    /// in mid-election. Its number is above any seen, and above this one.
    fn begin_above(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        let is_in_time = self.phase == Phase::Normal || (self.mends(Hole::NoSecondElection) && self.phase.is_final());
        let may = fx.capacity() >= 0 || self.mends(Hole::OnlyCandidatesBegin);
        if is_in_time && may {
            if self.phase.is_final() {
                fx.line(146);
            }
            self.begin_anew(taken, fx);
        }
    }

    fn begin_anew(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        if self.mends(Hole::NoSecondElection) {
            self.raise_highest(self.highest.max(taken).next(), fx);
        }
        self.become_normal(fx);
        self.step_alone(Event::Begins, fx);
    }

    /// Whether the table hears a message of that election now; opens a fresh machine for a higher one.
    fn admits(&mut self, from: NodeId, election: ElectionNumber, message: Message, fx: &mut Fx) -> bool {
        if !self.mends(Hole::NoSecondElection) {
            return true;
        }
        if election > self.highest {
            self.raise_highest(election, fx);
        }
        if election == self.election {
            // In normal this election was another incarnation's: it may have stood in it, so this process only follows.
            return self.phase != Phase::Normal || !matches!(message, Message::Init { .. });
        }
        if election < self.highest {
            fx.line(136);
            if matches!(self.phase, Phase::Normal | Phase::Help) {
                // Its sender would never hear of the higher number from a process that is at its end without a master.
                fx.line(156);
                fx.broadcast(Message::Ask { election: self.highest });
            }
            return false;
        }
        if !self.has_ended() {
            fx.line(116);
            if !self.kept.contains(&(from, message)) {
                self.kept.push((from, message));
            }
            return false;
        }
        fx.line(106);
        self.become_normal(fx);
        true
    }

    fn raise_highest(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.highest = election;
        self.kept.clear();
        fx.save(election);
    }

    fn take_up_kept(&mut self, fx: &mut Fx) {
        if self.has_ended() && !self.kept.is_empty() {
            fx.line(126);
            for (from, message) in std::mem::take(&mut self.kept) {
                self.on_message(from, message, fx);
            }
        }
    }

    /// Whether this election is over for this process, or none has begun. A process that asks in wait1 stands where the
    /// table would have it in help.
    fn has_ended(&self) -> bool {
        match self.phase {
            Phase::Wait1 => self.asked > 0,
            phase => phase == Phase::Normal || phase.is_final(),
        }
    }

    /// A fresh machine for the highest election; `ms` stays for display.
    fn become_normal(&mut self, fx: &mut Fx) {
        self.phase = Phase::Normal;
        self.election = self.highest;
        self.candidates = CandidateList::default();
        self.early = Early::default();
        self.round = self.first_round();
        self.stands_with = None;
        self.announcements = 0;
        self.asked = 0;
        self.watch.rest(fx);
    }
}

impl CandidateList {
    /// `S += (j,w)`, by its own word.
    fn enter(&mut self, node: NodeId, capacity: i64) {
        self.names.insert(node);
        self.learn(node, capacity, HeardFrom::Itself);
    }

    /// The same of a name, whose capacity may not be known.
    fn enter_name(&mut self, name: Name) {
        self.names.insert(name.node);
        if let Some(capacity) = name.capacity {
            self.learn(name.node, capacity, HeardFrom::Itself);
        }
    }

    /// `S += j`.
    fn add(&mut self, nodes: NodeSet) {
        self.names = self.names.union(&nodes);
    }

    /// `S = {i}`.
    fn reset_to(&mut self, node: NodeId) {
        self.names = NodeSet::of(node);
    }

    /// Learns a capacity. Among others' words the first counts, among the process's own words the last: a word that was
    /// garbled once must not stand for the rest of the election. Returns whether anything was new.
    fn learn(&mut self, node: NodeId, capacity: i64, source: HeardFrom) -> bool {
        if source == HeardFrom::Another && self.capacities.contains_key(&node) {
            return false;
        }
        self.capacities.insert(node, capacity) != Some(capacity)
    }

    /// What is known of a node's capacity.
    fn capacity(&self, node: NodeId) -> Option<i64> {
        self.capacities.get(&node).copied()
    }

    /// Whether the node is `max(S)`: nobody in `S` has a larger capacity, or the same and a larger id.
    fn is_max(&self, node: NodeId) -> bool {
        self.names.iter().filter(|other| *other != node).all(|other| self.outranks(node, other))
    }

    /// Whether the node comes before the other one. If a capacity is not known, it cannot rank them: that leaves the
    /// tie's rule, the larger id.
    fn outranks(&self, node: NodeId, other: NodeId) -> bool {
        match (self.capacity(node), self.capacity(other)) {
            (Some(own), Some(theirs)) => (own, node) > (theirs, other),
            _ => node > other,
        }
    }
}

impl Early {
    fn names(&self) -> NodeSet {
        self.announcers.union(&self.duplicated)
    }
}

impl Heard {
    fn j(&self) -> NodeId {
        self.k.node
    }

    fn names(&self) -> NodeSet {
        [self.k.node, self.l.node].into_iter().collect()
    }
}
