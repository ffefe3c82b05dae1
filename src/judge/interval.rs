//! Intervals: how long a node claims what it claims of the election, between two events of its own.
//!
//! Two intervals of different nodes belong to one consistent cut exactly when neither ends before the other begins, by
//! happened-before. Records come in causal order, so a new interval can only be ordered after others: it is held
//! against their open intervals, and against those past ones whose end it does not know.
//!
//! A past interval is let go when every node knows its end, or when a later one of its node with the same claim has
//! ended too: what does not know the earlier end does not know the later one either. Of those that differ in their
//! task alone the last two are enough, by the same reasoning.
//!
//! Invariant: an interval that touches a gap, or whose past goes through one, is not kept at all: it neither convicts
//! nor acquits.

use std::collections::BTreeSet;

use super::clock::{Chain, Moment, index};
use crate::protocol::{GroupNumber, NodeId, Roster, StateVector, Status, Task};

/// The most past intervals of one node that are kept.
const PAST_MAX: usize = 1024;

/// What a node in Reorganization or Normal claims.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct Claim {
    pub status: Status,
    pub coordinator: NodeId,
    pub group: Option<GroupNumber>,
    pub task: Option<Task>,
}

impl Claim {
    /// What this state claims, if it claims anything.
    pub fn of(state: &StateVector) -> Option<Claim> {
        let coordinator = state.believes_in()?;
        Some(Claim { status: state.status, coordinator, group: state.group, task: state.task })
    }

    /// Whether they differ in their task alone, if at all.
    fn is_kin(&self, other: &Claim) -> bool {
        (self.status, self.coordinator, self.group) == (other.status, other.coordinator, other.group)
    }
}

/// The number of an interval.
pub(super) type IntervalId = u64;

/// A node's claim from one event of its own to another.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    pub id: IntervalId,
    pub node: NodeId,
    pub claim: Claim,
    /// The stamp of its first event.
    pub since: i64,
    begin: Moment,
    end: Option<End>,
}

#[derive(Copy, Clone, Debug)]
struct End {
    own: u64,
    at: i64,
}

impl Interval {
    /// The stamp of the event that ended it.
    pub fn until(&self) -> Option<i64> {
        self.end.map(|end| end.at)
    }

    /// Which turn of its node it began with.
    pub fn first_turn(&self) -> u64 {
        self.begin.own
    }
}

/// All intervals that may still contradict another.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    /// By node.
    open: Vec<Option<Interval>>,
    past: Vec<Vec<Interval>>,
    /// The ids of the open ones.
    standing: BTreeSet<IntervalId>,
    last_id: IntervalId,
}

/// What a change of a node's claim did.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    /// The interval that ended, and its stamp.
    pub ended: Option<(IntervalId, i64)>,
    /// Whether a new one began: it is [`Intervals::open_of`] the node.
    pub began: bool,
    /// Whether one began of which too little is known to hold it against others.
    pub unknown: bool,
    /// Whether one had to be dropped that might still have mattered.
    pub overflowed: bool,
}

impl Intervals {
    /// None yet.
    pub fn new(roster: Roster) -> Intervals {
        let nodes = usize::from(roster.len());
        Intervals { open: vec![None; nodes], past: vec![Vec::new(); nodes], standing: BTreeSet::new(), last_id: 0 }
    }

    /// From this moment on the node makes that claim, or none.
    pub fn become_claim(&mut self, claim: Option<Claim>, moment: &Moment, at: i64) -> Change {
        let node = moment.node;
        let mut change = Change::default();
        let open = &mut self.open[index(node)];
        if open.as_ref().map(|interval| &interval.claim) == claim.as_ref() {
            return change;
        }
        if let Some(mut interval) = open.take() {
            self.standing.remove(&interval.id);
            change.ended = Some((interval.id, at));
            interval.end = Some(End { own: moment.own, at });
            change.overflowed = self.keep_past(interval);
        }
        match (claim, moment.chain) {
            (Some(claim), Chain::Whole) => {
                self.last_id += 1;
                let (id, begin) = (self.last_id, moment.clone());
                self.open[index(node)] = Some(Interval { id, node, claim, since: at, begin, end: None });
                self.standing.insert(id);
                change.began = true;
            }
            (claim, _) => change.unknown = claim.is_some(),
        }
        change
    }

    /// Records of the node are missing here: what it claims from now on is not known.
    pub fn touch_gap(&mut self, node: NodeId) {
        if let Some(interval) = self.open[index(node)].take() {
            self.standing.remove(&interval.id);
        }
    }

    /// The node's present interval.
    pub fn open_of(&self, node: NodeId) -> Option<&Interval> {
        self.open[index(node)].as_ref()
    }

    /// Those of other nodes that stand in one consistent cut with this one, which has just begun.
    pub fn concurrent_with<'a>(&'a self, new: &'a Interval) -> impl Iterator<Item = &'a Interval> {
        let unknown_end = |past: &&Interval| past.end.is_none_or(|end| !new.begin.knows(past.node, end.own));
        let all = self.open.iter().flatten().chain(self.past.iter().flatten());
        all.filter(move |other| other.node != new.node).filter(unknown_end)
    }

    /// Whether it has not ended.
    pub fn is_open(&self, id: IntervalId) -> bool {
        self.standing.contains(&id)
    }

    /// The ids of the past ones that are kept.
    pub fn past_ids(&self) -> BTreeSet<IntervalId> {
        self.past.iter().flatten().map(|interval| interval.id).collect()
    }

    /// Lets go of those whose end all others know.
    pub fn let_go(&mut self, known_to_all: impl Fn(NodeId) -> u64) {
        for past in &mut self.past {
            let Some(node) = past.first().map(|interval| interval.node) else { continue };
            let known = known_to_all(node);
            past.retain(|interval| interval.end.is_some_and(|end| end.own > known));
        }
    }

    /// Whether one that might still have mattered had to be dropped.
    fn keep_past(&mut self, interval: Interval) -> bool {
        let past = &mut self.past[index(interval.node)];
        let last_kin_of_other_task = past
            .iter()
            .rposition(|other| other.claim.is_kin(&interval.claim) && other.claim.task != interval.claim.task)
            .map(|place| past[place].id);
        past.retain(|other| !other.claim.is_kin(&interval.claim) || Some(other.id) == last_kin_of_other_task);
        past.push(interval);
        let overflows = past.len() > PAST_MAX;
        if overflows {
            past.remove(0);
        }
        overflows
    }

    /// How many are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.open.iter().flatten().count() + self.past.iter().map(Vec::len).sum::<usize>()
    }
}
