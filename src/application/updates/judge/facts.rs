//! What all logs together say, who has prepared what, and what was aborted.
//!
//! Invariant: memory is bounded: what is forgotten proves nothing.

use std::collections::{BTreeMap, VecDeque};

use protocol::{
    AcknowledgedUpdate, LOG_MAX, LogDigest, NodeId, NodeSet, OrderId, PreparedUpdate, TransactionId, UpdateWork,
};
use record::WorkContradiction;
use world::moment::{CausalMoment, PastExtent};

/// The first of each.
pub(super) type Firsts<K> = BTreeMap<K, (NodeId, i64)>;

/// The most attempts of which it is kept who has prepared them, and the most that are known to be aborted.
const ATTEMPTS_MAX: usize = 512;

/// What a coordinator decided.
#[derive(Clone, Debug)]
pub(super) struct DecidedUpdate {
    pub by: TransactionId,
    pub position: u32,
    pub moment: CausalMoment,
    pub at: i64,
    /// The processes that were to say yes, if that is known.
    pub voters: Option<NodeSet>,
    /// The group of the coordinator.
    pub group: NodeSet,
    /// The processes that had prepared it by then.
    pub yes: NodeSet,
}

impl DecidedUpdate {
    /// Whether neither of the two decisions happened before the other.
    pub fn is_apart_from(&self, other: &DecidedUpdate) -> bool {
        let (one, other) = (&self.moment, &other.moment);
        let is_whole = one.chain == PastExtent::Whole && other.chain == PastExtent::Whole;
        is_whole && !one.knows(other.node, other.own) && !other.knows(one.node, one.own)
    }
}

/// One place of all logs.
#[derive(Copy, Clone, Debug)]
struct CommonPlace {
    digest: LogDigest,
    counter: i64,
    /// The update, if somebody had it last in its log.
    update: Option<(OrderId, TransactionId)>,
    /// Who had it first, and when.
    first: (NodeId, i64),
    /// Whether it was told that two logs have two updates here.
    is_told: bool,
}

/// The one log that all processes have parts of.
#[derive(Clone, Default, Debug)]
pub(super) struct CommonLog {
    places: Vec<Option<CommonPlace>>,
    done: Firsts<TransactionId>,
    /// The place of each update.
    positions: BTreeMap<OrderId, u32>,
}

impl CommonLog {
    /// A process has a longer log. Returns with whom it does not go together, since when, and how.
    pub fn take(&mut self, node: NodeId, work: &UpdateWork, at: i64) -> Option<(NodeId, i64, WorkContradiction)> {
        let length = work.length.min(LOG_MAX) as usize;
        if self.places.len() < length {
            self.places.resize(length, None);
        }
        let update = work.last.map(|last| (last.id, last.by));
        if let Some((_, by)) = update {
            self.done.entry(by).or_insert((node, at));
        }
        if let Some((order, other)) = update.and_then(|(id, _)| Some((id, self.other_place(id, work.length)?))) {
            let what = WorkContradiction::OrderAtTwoPlaces { node, order, position: work.length, other };
            return Some((node, at, what));
        }
        let (digest, counter) = (work.digest, work.counter);
        let place = self.places.get_mut(length.checked_sub(1)?)?;
        let Some(other) = place else {
            *place = Some(CommonPlace { digest, counter, update, first: (node, at), is_told: false });
            return None;
        };
        other.update = other.update.or(update.filter(|_| other.digest == digest));
        if other.is_told || (other.digest, other.counter) == (digest, counter) {
            return None;
        }
        other.is_told = true;
        let (first, since) = other.first;
        let what = match other.digest == digest {
            true => {
                let by_other = other.counter;
                WorkContradiction::TwoCounters { length: work.length, by_other, other: first, counter, node }
            }
            false => WorkContradiction::TwoLogs { other: first, position: work.length, node },
        };
        Some((first, since, what))
    }

    /// Another place at which this update is.
    fn other_place(&mut self, id: OrderId, length: u32) -> Option<u32> {
        let position = *self.positions.entry(id).or_insert(length);
        (position != length).then_some(position)
    }

    /// The transaction at this place, if it is known.
    pub fn by_at(&self, position: u32) -> Option<TransactionId> {
        let place = self.places.get((position as usize).checked_sub(1)?)?.as_ref()?;
        place.update.map(|(_, by)| by)
    }

    /// Who did this first, and when.
    pub fn done_by(&self, by: TransactionId) -> Option<(NodeId, i64)> {
        self.done.get(&by).copied()
    }

    /// What is wrong with what a process acknowledges, whose log has this length.
    pub fn contradicts(
        &self,
        node: NodeId,
        acknowledged: &AcknowledgedUpdate,
        length: u32,
    ) -> Option<WorkContradiction> {
        let AcknowledgedUpdate { id: order, position, .. } = *acknowledged;
        if position > length {
            return Some(WorkContradiction::AcknowledgesBeyondLog { node, order, position, length });
        }
        let place = self.places.get((position as usize).checked_sub(1)?)?.as_ref()?;
        let (other, _) = place.update.filter(|(other, _)| *other != order)?;
        Some(WorkContradiction::AcknowledgesOther { node, order, position, other })
    }
}

/// Who has prepared and who has aborted what.
#[derive(Clone, Default, Debug)]
pub(super) struct Attempts {
    prepared: VecDeque<(TransactionId, NodeSet)>,
    aborted: VecDeque<(TransactionId, (NodeId, i64))>,
    /// The processes of which records are missing since the last attempt that is kept began.
    unknown: NodeSet,
}

impl Attempts {
    /// A process has prepared this.
    pub fn prepare(&mut self, node: NodeId, prepared: &PreparedUpdate) {
        let by = prepared.update.by;
        if let Some((_, nodes)) = self.prepared.iter_mut().rev().find(|(other, _)| *other == by) {
            nodes.insert(node);
            return;
        }
        if self.prepared.len() == ATTEMPTS_MAX {
            self.prepared.pop_front();
        }
        self.prepared.push_back((by, NodeSet::of(node)));
    }

    /// The processes that have prepared it.
    pub fn prepared_by(&self, by: TransactionId) -> NodeSet {
        let found = self.prepared.iter().rev().find(|(other, _)| *other == by);
        found.map_or(NodeSet::EMPTY, |(_, nodes)| *nodes)
    }

    /// A process has aborted it.
    pub fn abort(&mut self, node: NodeId, by: TransactionId, at: i64) {
        if self.aborted_by(by).is_none() {
            if self.aborted.len() == ATTEMPTS_MAX {
                self.aborted.pop_front();
            }
            self.aborted.push_back((by, (node, at)));
        }
    }

    /// Who aborted it first, and when.
    pub fn aborted_by(&self, by: TransactionId) -> Option<(NodeId, i64)> {
        self.aborted.iter().rev().find(|(other, _)| *other == by).map(|(_, first)| *first)
    }

    /// Records of this node are missing.
    pub fn touch_gap(&mut self, node: NodeId) {
        self.unknown.insert(node);
    }

    /// The processes that may have prepared anything.
    pub fn unknown(&self) -> NodeSet {
        self.unknown
    }
}
