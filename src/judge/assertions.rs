//! The properties: one function and one table line each.
//!
//! Sources: assertions 1 and 3 from Garcia-Molina 1982, sections III and IV; SLE1 and ALE1 from Stoller 1997; uniqueness and freedom from deadlock from
//! King, Gendreau and Ni 1988, section 3.
//!
//! Invariant: a function here sees claims of one consistent cut, or the end of an election, and nothing of time or
//! faults.

use super::ending::{Ending, Named, WithoutMaster};
use super::interval::{Belief, Interval};
use protocol::{Assumption, GroupNumber, NodeId, NodeSet, Property, Standing, Status};
use record::{BreakManner, Claim, ClaimedTask, Contradiction};

/// A property of two states of one consistent cut.
pub(super) struct Assertion {
    pub property: Property,
    /// The dispute in which two claims of different nodes contradict each other.
    pub dispute: fn(&Belief, &Belief) -> Option<Dispute>,
}

/// The properties of every consistent cut.
pub(super) const ASSERTIONS: &[Assertion] = &[
    Assertion { property: Property::Assertion1, dispute: assertion_1 },
    Assertion { property: Property::Assertion3, dispute: assertion_3 },
    Assertion { property: Property::Sle1, dispute: sle_1 },
    Assertion { property: Property::Ale1, dispute: ale_1 },
];

/// A property of the end of an election.
pub(super) struct EndAssertion {
    pub property: Property,
    /// What is wrong with this end.
    pub wrong: fn(&Ending) -> Option<Contradiction>,
    /// The nodes that are wrong.
    pub accused: fn(&Ending) -> NodeSet,
    /// When the election began that this end belongs to.
    pub since: fn(&Ending) -> i64,
}

/// The properties of every end of an election.
pub(super) const END_ASSERTIONS: &[EndAssertion] = &[
    EndAssertion {
        property: Property::Uniqueness,
        wrong: uniqueness,
        accused: Ending::with_masters,
        since: |end| end.decided,
    },
    EndAssertion {
        property: Property::Largest,
        wrong: largest,
        accused: Ending::with_candidates,
        since: |end| end.decided,
    },
    EndAssertion {
        property: Property::DeadlockFree,
        wrong: deadlock_free,
        accused: Ending::with_masters,
        since: |end| end.began,
    },
    EndAssertion {
        property: Property::DeadlockFreeMalicious,
        wrong: deadlock_free_malicious,
        accused: Ending::with_masters,
        since: |end| end.decided,
    },
];

/// Properties that need only some of the assumptions that their algorithm's Card names.
///
/// A group number is kept in safe cells; order, loss and pauses do nothing to it. But a garbled, forged or lying
/// message may name its receiver as the coordinator of a group whose number another node has made: the receiver then
/// forms a group under a used number.
///
/// The same holds for the leader of a term: its votes are kept in safe cells.
///
/// Loss cannot prevent that some process takes itself for master ([`may_excuse`]).
const NARROWER_NEEDS: &[(Property, &[Assumption])] = &[
    (Property::GroupNumbers, OF_NUMBERS),
    (Property::ElectionSafety, OF_NUMBERS),
    (
        Property::DeadlockFree,
        &[
            Assumption::AllCooperate,
            Assumption::NothingFromNowhere,
            Assumption::SafeCells,
            Assumption::FailStop,
            Assumption::NothingGarbled,
            Assumption::Order,
            Assumption::DeliveryInTime,
            Assumption::NoPauses,
            Assumption::OneClockRate,
            Assumption::RecoveryOutlasts,
        ],
    ),
];

/// What numbers that are used once need.
const OF_NUMBERS: &[Assumption] =
    &[Assumption::AllCooperate, Assumption::NothingFromNowhere, Assumption::SafeCells, Assumption::NothingGarbled];

/// Whether the property may need this assumption, if its algorithm does.
pub(super) fn may_need(property: Property, assumption: Assumption) -> bool {
    let narrower = NARROWER_NEEDS.iter().find(|(of, _)| *of == property);
    narrower.is_none_or(|(_, needs)| needs.contains(&assumption))
}

/// Whether such a bite may excuse a failure of the property, if the property needs the assumption.
///
/// Loss cannot prevent that some process takes itself for master. The largest of those that begin has its own capacity
/// on its list, and nothing above it, whatever else it misses; it announces itself, and outlasts the others that it
/// hears of. A late message may prevent it, if its sender announced itself long ago and has crashed since.
pub(super) fn may_excuse(property: Property, bite: &BreakManner) -> bool {
    property != Property::DeadlockFree
        || !matches!(
            bite,
            BreakManner::Lost { .. }
                | BreakManner::Missing { .. }
                | BreakManner::Overflowed { .. }
                | BreakManner::SendFailed { .. }
        )
}

/// The matter that two claims contradict each other about. Equal disputes that follow each other are one.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Dispute {
    /// Who coordinates (of this group, if groups have numbers): the lower claim first.
    Coordinator(NodeId, NodeId, Option<GroupNumber>),
    /// What the task of this coordinator (and group) is.
    Task(NodeId, Option<GroupNumber>),
}

impl Dispute {
    /// The group that it is about, if groups have numbers.
    pub fn group(self) -> Option<GroupNumber> {
        let (Dispute::Coordinator(_, _, group) | Dispute::Task(_, group)) = self;
        group
    }
}

/// Two nodes in Reorganization or Normal have one coordinator; two in Normal have one task definition.
fn assertion_1(a: &Belief, b: &Belief) -> Option<Dispute> {
    disputed(a, b, None)
}

/// The same, for two nodes with the same group number.
fn assertion_3(a: &Belief, b: &Belief) -> Option<Dispute> {
    let group = a.group.filter(|group| b.group == Some(*group))?;
    disputed(a, b, Some(group))
}

/// Two nodes in Normal have one leader.
fn sle_1(a: &Belief, b: &Belief) -> Option<Dispute> {
    both_normal(a, b).then(|| led_apart(a, b, None)).flatten()
}

/// The same, for two nodes in one group.
fn ale_1(a: &Belief, b: &Belief) -> Option<Dispute> {
    let group = a.group.filter(|group| b.group == Some(*group) && both_normal(a, b))?;
    led_apart(a, b, Some(group))
}

fn disputed(a: &Belief, b: &Belief, group: Option<GroupNumber>) -> Option<Dispute> {
    let two_tasks = || (both_normal(a, b) && a.task != b.task).then_some(Dispute::Task(a.coordinator, group));
    led_apart(a, b, group).or_else(two_tasks)
}

fn led_apart(a: &Belief, b: &Belief, group: Option<GroupNumber>) -> Option<Dispute> {
    let (low, high) = (a.coordinator.min(b.coordinator), a.coordinator.max(b.coordinator));
    (low != high).then_some(Dispute::Coordinator(low, high, group))
}

fn both_normal(a: &Belief, b: &Belief) -> bool {
    a.status == Status::Normal && b.status == Status::Normal
}

/// At the end all correct processes name one master. A process that returned within the election need not, and nobody
/// need if none of the correct ones may be elected. An idle process may still hear how the election ended: that is
/// judged in the quiet after it.
fn uniqueness(end: &Ending) -> Option<Contradiction> {
    let is_any_named = !end.named.is_empty();
    let able = end.candidates.intersection(&end.nodes()).minus(&end.started_within);
    let is_failed = end.failed().next().is_some() && (is_any_named || !able.is_empty());
    // If all deferred to a process that crashed, the others have no master: that is a matter of deadlock.
    let is_excused = !is_any_named && !end.crashed_within.is_empty();
    if end.outcome().1.len() < 2 && (!is_failed || is_excused) {
        return None;
    }
    Some(Contradiction::Ends(end.latest().map(Named::end).chain(end.failed().map(WithoutMaster::end)).collect()))
}

/// At the end the one master that all name is the largest of the candidates that took part in its election and did not
/// crash: by capacity, then by id. Where a list decides, it is the largest of that list. A master that crashed within
/// its election, or does not run, is not judged. Neither is an election in which a process crashed that outranked all
/// candidates: they may have given way to it.
fn largest(end: &Ending) -> Option<Contradiction> {
    let (_, masters) = end.outcome();
    let [master] = masters[..] else { return None };
    if !end.running.contains(master) || end.crashed_within.contains(master) {
        return None;
    }
    let rank = |(node, capacity): &Standing| (*capacity, *node);
    let able = |list: &[Standing]| list.iter().filter(|(_, capacity)| *capacity >= 0).map(rank).max();
    let standing = |(capacity, node): (i64, NodeId)| (node, capacity);
    let mut of_lists = end.latest().filter_map(|named| Some((named.node, able(named.list.as_ref()?)?)));
    if end.latest().any(|named| named.list.is_some()) {
        if let Some((node, best)) = of_lists.find(|(_, (_, best))| *best != master) {
            return Some(Contradiction::NotLargestOfList { node, master, largest: standing(best) });
        }
        return listed_amiss(end, master);
    }
    let best = able(&end.stood)?;
    if able(&end.fallen).is_some_and(|fallen| fallen > best) {
        return None;
    }
    let own = end.stood.iter().find(|(node, _)| *node == master).map(rank);
    match own {
        Some(own) if own >= best => None,
        own => {
            let stood = own.map(|(capacity, _)| capacity);
            Some(Contradiction::NotLargest { master, stood, largest: standing(best) })
        }
    }
}

/// A list that decides has the master with the capacity with which it stood: a liar may leave names out of a list, but not
/// make up candidates. A process that has just started does not know of the election in which it stood before.
fn listed_amiss(end: &Ending, master: NodeId) -> Option<Contradiction> {
    let is_at_its_end = end.latest().any(|named| named.node == master && named.master == master);
    if !is_at_its_end || end.started_within.contains(master) {
        return None;
    }
    let of = |list: &[Standing]| list.iter().find(|(node, _)| *node == master).copied();
    let own = of(&end.stood).map(|(_, capacity)| capacity);
    // A candidate may have stood in an earlier election of that number.
    if own.is_none() && end.candidates.contains(master) {
        return None;
    }
    let mut listed = end.latest().filter_map(|named| Some((named.node, of(named.list.as_ref()?)?.1)));
    let (node, capacity) = listed.find(|(_, capacity)| Some(*capacity) != own)?;
    Some(Contradiction::WronglyListed { node, listed: (master, capacity), stood: own })
}

/// At the end at least one process takes itself for master. Exceptions: no candidate came to the end (a list with
/// nothing above -1 elects nobody); the named master has crashed or is paused; or nobody is named and some process
/// crashed within this election. All may have deferred to that process, and processes that fail during the election are
/// outside the paper's conditions.
fn deadlock_free(end: &Ending) -> Option<Contradiction> {
    if end.named.iter().any(|named| named.master == named.node) {
        return None;
    }
    if end.candidates.intersection(&end.nodes()).is_empty() {
        return None;
    }
    let mut latest = end.latest().peekable();
    let excused = match latest.peek() {
        Some(_) => latest.any(|named| end.crashed_within.contains(named.master) || !end.running.contains(named.master)),
        None => !end.crashed_within.is_empty(),
    };
    if excused {
        return None;
    }
    let ends = end.named.iter().map(Named::end).chain(end.nameless.iter().map(WithoutMaster::end));
    Some(Contradiction::NoMasterOfItself(ends.collect()))
}

/// At the end the elected process takes itself for master, if it runs and has not crashed within the election. If
/// nobody is elected, there is nothing to judge.
fn deadlock_free_malicious(end: &Ending) -> Option<Contradiction> {
    let is_deaf = |named: &&Named| {
        let itself = end.named.iter().find(|other| other.node == named.master);
        end.running.contains(named.master)
            && !end.crashed_within.contains(named.master)
            && itself.is_none_or(|itself| itself.master != named.master)
    };
    end.latest().find(is_deaf).map(|named| Contradiction::Unaccepted(named.end()))
}

/// What the node of an interval claims in it, as far as that belongs to the dispute.
pub(super) fn claim(interval: &Interval, dispute: Dispute) -> Claim {
    let Belief { word, coordinator, group, task, .. } = interval.claim.clone();
    let task = match (dispute, task) {
        (Dispute::Task(..), Some(task)) => ClaimedTask::Task(task),
        (Dispute::Task(..), None) => ClaimedTask::None,
        (Dispute::Coordinator(..), _) => ClaimedTask::NotAsked,
    };
    Claim { node: interval.node, word, coordinator, group, task, since: interval.since, until: interval.until() }
}
