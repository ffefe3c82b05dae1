//! Elections that do not end although nothing but lies disturbs them.
//!
//! While a process lies a lab need not come to rest: a liar may begin one election after the other, and its silence
//! makes the others begin some. But each election has to end. If the algorithm bears liars, a process may not stay in one
//! election, by its number, for longer than the bound of rest. If it bears none, lies excuse everything, and a process that
//! is on its way through elections for so long shows what they do.
//!
//! Invariant: only an honest process is overdue, and only once for each time that it is.

use super::liveness::is_within;
use protocol::{Assumption, NodeId, NodeMap, NodeSet, Property, Span, StateVector};
use record::Head;

/// The properties that say that elections end.
const ENDS: [Property; 2] = [Property::DeadlockFree, Property::DeadlockFreeMalicious];

/// What must end.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum MustEnd {
    /// Each election by itself: liars may begin others.
    OfOneElection,
    /// All that a process goes through until it is at rest.
    OfAll,
}

/// How long each process has been in an election.
#[derive(Clone, Debug)]
pub(super) struct Overdue {
    /// The property that it is held against, if one is promised.
    property: Option<Property>,
    ending: MustEnd,
    /// The bound of rest, in nanoseconds.
    bound: i64,
    /// How long an election takes: so much later those are told together that began it one after the other.
    time_bound: i64,
    /// The processes that are on their way through an election.
    stays: NodeMap<ElectionSpan>,
    /// The processes of these that were told.
    told: NodeSet,
}

/// Since when a process is on its way, and through which election.
#[derive(Copy, Clone, Debug)]
struct ElectionSpan {
    since: i64,
    election: Option<u64>,
}

impl Overdue {
    /// Of a lab, before its first record.
    pub fn new(head: &Head) -> Overdue {
        let facts = &head.facts;
        let nanos = |span: Span| i64::try_from(span.nanos()).unwrap_or(i64::MAX);
        let bears_liars = !facts.needs.contains(&Assumption::AllCooperate);
        Overdue {
            property: ENDS.into_iter().find(|property| facts.promises.contains(property)),
            ending: if bears_liars { MustEnd::OfOneElection } else { MustEnd::OfAll },
            bound: nanos(facts.quiet_bound),
            time_bound: nanos(facts.time_bound),
            stays: NodeMap::new(),
            told: NodeSet::EMPTY,
        }
    }

    /// The property that an election without an end contradicts, if one is promised.
    pub fn property(&self) -> Option<Property> {
        self.property
    }

    /// The node has this state from then on.
    pub fn take_state(&mut self, node: NodeId, state: &StateVector, at: i64) {
        let goes_on = |stay: &ElectionSpan| self.ending == MustEnd::OfAll || stay.election == state.election;
        if is_within(state) && self.stays.get(&node).is_some_and(goes_on) {
            return;
        }
        self.forget(node);
        if is_within(state) {
            self.stays.insert(node, ElectionSpan { since: at, election: state.election });
        }
    }

    /// The node's process has died, or lies.
    pub fn forget(&mut self, node: NodeId) {
        self.stays.remove(&node);
        self.told.remove(node);
    }

    /// When the next processes are told, if it has been quiet since that stamp.
    pub fn due_at(&self, quiet_since: i64) -> Option<i64> {
        let waiting = self.stays.iter().filter(|(node, _)| !self.told.contains(**node));
        waiting.map(|(_, stay)| self.due(stay, quiet_since).saturating_add(self.time_bound)).min()
    }

    /// All processes that are overdue at that stamp, and since when the first of them is on its way. They are told now.
    pub fn tell(&mut self, quiet_since: i64, at: i64) -> Option<(NodeSet, i64)> {
        let overdue = || self.stays.iter().filter(|(_, stay)| self.due(stay, quiet_since) <= at);
        let since = overdue().map(|(_, stay)| stay.since).min()?;
        self.told = overdue().map(|(node, _)| *node).collect();
        Some((self.told, since))
    }

    fn due(&self, stay: &ElectionSpan, quiet_since: i64) -> i64 {
        stay.since.max(quiet_since).saturating_add(self.bound)
    }
}
