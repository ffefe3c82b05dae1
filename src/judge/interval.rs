//! Intervals: how long a node makes one claim about the election, between two events of its own.
//!
//! Two intervals of different nodes belong to one consistent cut exactly when neither ends before the other begins, by
//! happened-before. Records come in causal order, so a new interval can only come after others, never before. So it is
//! compared with their open intervals, and with those past ones whose end it does not know. Claims about different
//! groups never contradict each other, so it is compared only with the past ones of its own group.
//!
//! A past interval is dropped when every node knows its end, or when a later one of its node with the same claim has
//! ended too: an event that does not know the earlier end does not know the later one either. Of intervals that differ
//! only in their task the last two are enough, for the same reason. A dead node learns of no end, so beside a dead node
//! the past ones of each group are kept, and the oldest groups are dropped when they are too many.
//!
//! Invariant: an interval that touches a gap, or whose past goes through one, is not kept at all: it proves nothing and
//! excuses nothing. A claim about a group whose past intervals were dropped too early is not known to be correct.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use protocol::{GroupNumber, NodeId, NodeMap, Roster, StateVector, Status, Task};
use world::index;
use world::moment::{CausalMoment, PastExtent};

/// How many groups of one node keep past intervals at most.
const GROUPS_MAX: usize = 512;
/// The most past intervals of one node in one group that are kept.
const PAST_MAX: usize = 1024;

/// What a node in Reorganization or Normal believes.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct Belief {
    pub status: Status,
    /// The paper's word for the status.
    pub word: Cow<'static, str>,
    pub coordinator: NodeId,
    pub group: Option<GroupNumber>,
    pub task: Option<Task>,
}

impl Belief {
    /// What a node in this state believes, if it believes in anybody.
    pub fn of(state: &StateVector) -> Option<Belief> {
        let coordinator = state.believes_in()?;
        let (status, word) = (state.status, state.word.clone());
        Some(Belief { status, word, coordinator, group: state.group, task: state.task })
    }

    /// Whether they differ only in their task, if at all.
    fn is_kin(&self, other: &Belief) -> bool {
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
    pub claim: Belief,
    /// The stamp of its first event.
    pub since: i64,
    /// Which turn of its node it began with.
    pub first_turn: u64,
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
}

/// All intervals that may still contradict another.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    /// By node.
    open: Vec<Option<Interval>>,
    past: Vec<PastIntervals>,
    /// The ids of the open ones.
    standing: BTreeSet<IntervalId>,
    /// The ids of the past ones.
    kept: BTreeSet<IntervalId>,
    last_id: IntervalId,
}

/// The past intervals of one node, by their group.
#[derive(Clone, Default, Debug)]
struct PastIntervals {
    groups: BTreeMap<Option<GroupNumber>, Vec<Interval>>,
    /// The groups, in the order in which the node entered them.
    entered: VecDeque<Option<GroupNumber>>,
    /// For each maker, the highest counter of a group that was dropped before everybody knew its end.
    let_go: NodeMap<u64>,
    /// Before this turn of the node none of them ended.
    first_end: u64,
}

/// What a change of a node's claim did.
#[derive(Clone, Debug, Default)]
pub(super) struct ClaimChange {
    /// The interval that ended, and its stamp.
    pub ended: Option<(IntervalId, i64)>,
    /// Whether a new one began: it is [`Intervals::open_of`] the node.
    pub began: bool,
    /// Whether one began, but too little is known to compare it with others.
    pub unknown: bool,
}

impl Intervals {
    /// None yet.
    pub fn new(roster: Roster) -> Intervals {
        let nodes = usize::from(roster.len());
        Intervals {
            open: vec![None; nodes],
            past: vec![PastIntervals::default(); nodes],
            standing: BTreeSet::new(),
            kept: BTreeSet::new(),
            last_id: 0,
        }
    }

    /// From this moment on the node makes that claim, or none.
    pub fn become_claim(&mut self, claim: Option<Belief>, moment: &CausalMoment, at: i64) -> ClaimChange {
        let node = moment.node;
        let mut change = ClaimChange::default();
        let open = &mut self.open[index(node)];
        if open.as_ref().map(|interval| &interval.claim) == claim.as_ref() {
            return change;
        }
        if let Some(mut interval) = open.take() {
            self.standing.remove(&interval.id);
            change.ended = Some((interval.id, at));
            interval.end = Some(End { own: moment.own, at });
            self.past[index(node)].keep(interval, &mut self.kept);
        }
        let is_known = |claim: &Belief| {
            moment.chain == PastExtent::Whole && self.past.iter().all(|past| !past.has_let_go(claim.group))
        };
        match claim {
            Some(claim) if is_known(&claim) => {
                self.last_id += 1;
                let (id, first_turn) = (self.last_id, moment.own);
                self.open[index(node)] = Some(Interval { id, node, claim, since: at, first_turn, end: None });
                self.standing.insert(id);
                change.began = true;
            }
            claim => change.unknown = claim.is_some(),
        }
        change
    }

    /// Records of the node are missing here: what it claims from now on is not known.
    pub fn touch_gap(&mut self, node: NodeId) {
        if let Some(interval) = self.open[index(node)].take() {
            self.standing.remove(&interval.id);
        }
    }

    /// The node lies: what it claimed before is held against nobody any more, for it does not tell that it is over.
    pub fn forget(&mut self, node: NodeId) {
        self.touch_gap(node);
        let past = std::mem::take(&mut self.past[index(node)]);
        for interval in past.groups.values().flatten() {
            self.kept.remove(&interval.id);
        }
    }

    /// The node's present interval.
    pub fn open_of(&self, node: NodeId) -> Option<&Interval> {
        self.open[index(node)].as_ref()
    }

    /// The intervals of other nodes that belong to one consistent cut with this one, which has just begun at that moment.
    pub fn concurrent_with<'a>(
        &'a self,
        new: &'a Interval,
        begin: &'a CausalMoment,
    ) -> impl Iterator<Item = &'a Interval> {
        let unknown_end = |past: &&Interval| past.end.is_none_or(|end| !begin.knows(past.node, end.own));
        let past = self.past.iter().filter_map(|past| past.groups.get(&new.claim.group)).flatten();
        let all = self.open.iter().flatten().chain(past);
        all.filter(move |other| other.node != new.node).filter(unknown_end)
    }

    /// Whether it has not ended.
    pub fn is_open(&self, id: IntervalId) -> bool {
        self.standing.contains(&id)
    }

    /// Whether it has ended, and is kept.
    pub fn is_past(&self, id: IntervalId) -> bool {
        self.kept.contains(&id)
    }

    /// Drops those of one node whose end all others know, up to this turn of it.
    pub fn let_go(&mut self, node: NodeId, known: u64) {
        let past = &mut self.past[index(node)];
        if past.first_end > known {
            return;
        }
        let kept = &mut self.kept;
        past.groups.retain(|_, of_group| {
            retain(of_group, kept, |interval| interval.end.is_some_and(|end| end.own > known));
            !of_group.is_empty()
        });
        let groups = &past.groups;
        past.entered.retain(|group| groups.contains_key(group));
        let ends = groups.values().flatten().filter_map(|interval| interval.end);
        past.first_end = ends.map(|end| end.own).min().unwrap_or(u64::MAX);
    }

    /// The nodes with kept past intervals.
    pub fn with_past(&self) -> impl Iterator<Item = NodeId> {
        let kept = self.past.iter().zip(1..).filter(|(past, _)| !past.groups.is_empty());
        kept.filter_map(|(_, number)| NodeId::new(number))
    }

    /// How many are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        let past = self.past.iter().flat_map(|past| past.groups.values()).map(Vec::len);
        self.open.iter().flatten().count() + past.sum::<usize>()
    }
}

impl PastIntervals {
    fn keep(&mut self, interval: Interval, kept: &mut BTreeSet<IntervalId>) {
        let group = interval.claim.group;
        if !self.groups.contains_key(&group) {
            self.entered.push_back(group);
        }
        let of_group = self.groups.entry(group).or_default();
        let last_kin_of_other_task = of_group
            .iter()
            .rposition(|other| other.claim.is_kin(&interval.claim) && other.claim.task != interval.claim.task)
            .map(|place| of_group[place].id);
        retain(of_group, kept, |other| {
            !other.claim.is_kin(&interval.claim) || Some(other.id) == last_kin_of_other_task
        });
        kept.insert(interval.id);
        self.first_end = self.first_end.min(interval.end.map_or(u64::MAX, |end| end.own));
        of_group.push(interval);
        if of_group.len() > PAST_MAX {
            kept.remove(&of_group.remove(0).id);
        }
        if self.entered.len() > GROUPS_MAX
            && let Some(oldest) = self.entered.pop_front()
        {
            for interval in self.groups.remove(&oldest).into_iter().flatten() {
                kept.remove(&interval.id);
            }
            if let Some(number) = oldest {
                let highest = self.let_go.get_or_default(number.node);
                *highest = (*highest).max(number.counter);
            }
        }
    }

    /// Whether intervals in this group may have been dropped before everybody knew their ends.
    fn has_let_go(&self, group: Option<GroupNumber>) -> bool {
        let Some(number) = group else { return false };
        self.let_go.get(&number.node).is_some_and(|highest| number.counter <= *highest)
            && !self.groups.contains_key(&group)
    }
}

/// Keeps those of these intervals that are wanted.
fn retain(intervals: &mut Vec<Interval>, kept: &mut BTreeSet<IntervalId>, is_wanted: impl Fn(&Interval) -> bool) {
    intervals.retain(|interval| {
        let stays = is_wanted(interval);
        if !stays {
            kept.remove(&interval.id);
        }
        stays
    });
}
