//! Group numbers: whether one was used for two groups (Garcia-Molina 1982, section IV; the notes' "group numbers").
//!
//! A node forms a group when it takes a number as coordinator: when it begins to coordinate under a new number, when it
//! gathers members anew, at a start, and when it gives out a second task under one number. Other nodes only join. Used
//! numbers are kept as ranges of their counters; a machine that counts upwards has one range.
//!
//! What the last step of a process says may never have come to its safe cells: its record is written before its effects are
//! carried out. A number that was taken in it is used only if another node has seen it.
//!
//! Invariant: memory does not grow with the number of groups, as long as numbers are counted.

use std::collections::VecDeque;

use protocol::{GroupNumber, NodeId, Roster, StateVector, Status, Task};
use world::index;

/// The most ranges of used counters that are kept of one maker; the lowest are forgotten first.
const RANGES_MAX: usize = 256;
/// For how many of a maker's latest numbers the time of their first use is kept.
const RECENT_MAX: usize = 32;

/// The numbers that were used.
#[derive(Clone, Debug)]
pub(super) struct UsedNumbers {
    by_maker: Vec<UsedCounters>,
    /// The latest numbers that were used for two groups, and about when they were used first.
    anew: VecDeque<(GroupNumber, i64)>,
    groups: Vec<Option<Formed>>,
    /// By node: the number that it took in its last step, or in the last step of its process that died.
    last: Vec<Option<LastTaken>>,
}

/// A number that may not have been kept.
#[derive(Copy, Clone, Debug)]
struct LastTaken {
    number: GroupNumber,
    at: i64,
    /// Whether the process that took it still runs: its next step shows that it was kept.
    lives: bool,
}

/// A maker's used counters.
#[derive(Clone, Default, Debug)]
struct UsedCounters {
    /// Ranges without holes, in order, both ends included.
    ranges: Vec<(u64, u64)>,
    recent: VecDeque<(u64, i64)>,
    first_at: Option<i64>,
}

/// The group that a node coordinates.
#[derive(Copy, Clone, Debug)]
struct Formed {
    number: GroupNumber,
    status: Status,
    task: Option<Task>,
}

/// A new group's number, and whether it was new.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) struct NumberUse {
    pub number: GroupNumber,
    /// About when it was used before, if it was.
    pub before: Option<i64>,
}

/// Whether a state is a process's first.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ProcessLife {
    Begins,
    GoesOn,
}

impl UsedNumbers {
    pub fn new(roster: Roster) -> UsedNumbers {
        let nodes = usize::from(roster.len());
        UsedNumbers {
            by_maker: vec![UsedCounters::default(); nodes],
            anew: VecDeque::new(),
            groups: vec![None; nodes],
            last: vec![None; nodes],
        }
    }

    /// A node has taken another step: what the step before wanted has been carried out.
    pub fn go_on(&mut self, node: NodeId) {
        if let Some(last) = self.last[index(node)].take_if(|last| last.lives) {
            self.by_maker[index(last.number.node)].take(last.number.counter, last.at);
        }
    }

    /// The process of a node has died: what its last step wanted may not have been carried out.
    pub fn take_crash(&mut self, node: NodeId) {
        if let Some(last) = &mut self.last[index(node)] {
            last.lives = false;
        }
    }

    /// A node's state after a step. Returns the number of a group that it formed by this step.
    pub fn take_state(&mut self, node: NodeId, state: &StateVector, life: ProcessLife, at: i64) -> Option<NumberUse> {
        // A number that another node has heard of is used, whatever became of the process that took it.
        if let Some(number) = state.group.filter(|number| number.node != node)
            && let Some(last) = self.last.get_mut(index(number.node))
            && let Some(last) = last.take_if(|last| last.number == number)
        {
            self.by_maker[index(number.node)].take(number.counter, last.at);
        }
        let group = &mut self.groups[index(node)];
        let coordinated = state.group.filter(|_| state.coordinator == Some(node));
        let Some(number) = coordinated.filter(|_| state.status != Status::Down) else {
            *group = None;
            return None;
        };
        let given = state.task.filter(|_| state.status == Status::Normal);
        let before = group.filter(|formed| formed.number == number && life == ProcessLife::GoesOn);
        let is_formed = before.is_none_or(|formed| {
            let gathers = state.status == Status::Election && formed.status != Status::Election;
            gathers || given.is_some() && formed.task.is_some() && given != formed.task
        });
        let task = given.or(before.filter(|_| !is_formed).and_then(|formed| formed.task));
        *group = Some(Formed { number, status: state.status, task });
        let used = self.by_maker.get_mut(index(number.node)).filter(|_| is_formed)?;
        let before = used.first_use(number.counter);
        self.last[index(node)] = Some(LastTaken { number, at, lives: true });
        if let Some(first) = before {
            if self.anew.len() == RECENT_MAX {
                self.anew.pop_front();
            }
            self.anew.push_back((number, first));
        }
        Some(NumberUse { number, before })
    }

    /// About when that number was used first, if it was used for two groups.
    pub fn first_of_two(&self, number: GroupNumber) -> Option<i64> {
        self.anew.iter().filter(|(other, _)| *other == number).map(|(_, first)| *first).min()
    }
}

impl UsedCounters {
    /// When a counter was taken first, if it was.
    fn first_use(&self, counter: u64) -> Option<i64> {
        let place = self.place_of(counter);
        self.ranges.get(place).filter(|(first, _)| *first <= counter)?;
        let exact = self.recent.iter().find(|(other, _)| *other == counter);
        exact.map(|(_, at)| *at).or(self.first_at)
    }

    /// Takes a counter, if it was not taken before.
    fn take(&mut self, counter: u64, at: i64) {
        self.first_at.get_or_insert(at);
        if self.first_use(counter).is_some() {
            return;
        }
        self.note(self.place_of(counter), counter);
        if self.recent.len() == RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back((counter, at));
    }

    /// The first range that does not end before this counter.
    fn place_of(&self, counter: u64) -> usize {
        self.ranges.partition_point(|(_, last)| *last < counter)
    }

    fn note(&mut self, place: usize, counter: u64) {
        let follows = place > 0 && self.ranges[place - 1].1 + 1 == counter;
        let precedes = self.ranges.get(place).is_some_and(|(first, _)| counter + 1 == *first);
        match (follows, precedes) {
            (true, true) => {
                self.ranges[place - 1].1 = self.ranges[place].1;
                self.ranges.remove(place);
            }
            (true, false) => self.ranges[place - 1].1 = counter,
            (false, true) => self.ranges[place].0 = counter,
            (false, false) => self.ranges.insert(place, (counter, counter)),
        }
        if self.ranges.len() > RANGES_MAX {
            self.ranges.remove(0);
        }
    }
}
