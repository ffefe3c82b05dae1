//! The candidate list `S` of Algorithm C, and the capacities by which it is ranked.
//!
//! Invariant: `S` holds names; what is known of their capacities outlives a new round, which empties `S` (8, 14). A
//! process's own word about its capacity counts more than what others say of it.

use protocol::{NodeId, NodeMap, NodeSet};

/// The candidate list `S`.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CandidateList {
    names: NodeSet,
    capacities: NodeMap<i64>,
}

/// Who told a capacity.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum HeardFrom {
    /// The process itself, by its `init` or `elected`.
    Itself,
    /// Another, by a `dup`.
    Another,
}

impl CandidateList {
    /// `S += j`.
    pub fn add(&mut self, node: NodeId) {
        self.names.insert(node);
    }

    /// `S = {i}`.
    pub fn reset_to(&mut self, node: NodeId) {
        self.names = NodeSet::of(node);
    }

    /// Learns a capacity. Among others' words the first counts, among the process's own words the last: a word that was
    /// garbled once must not stand for the rest of the election. Returns whether anything was new.
    pub fn learn(&mut self, node: NodeId, capacity: i64, source: HeardFrom) -> bool {
        if source == HeardFrom::Another && self.capacities.contains_key(&node) {
            return false;
        }
        self.capacities.insert(node, capacity) != Some(capacity)
    }

    /// What is known of a node's capacity.
    pub fn capacity(&self, node: NodeId) -> Option<i64> {
        self.capacities.get(&node).copied()
    }

    /// Whether the node is `max(S)`: nobody in `S` has a larger capacity, or the same and a larger id.
    pub fn is_max(&self, node: NodeId) -> bool {
        self.names.iter().filter(|other| *other != node).all(|other| self.outranks(node, other))
    }

    /// Whether the node comes before the other one. If a capacity is not known, it cannot rank them: that leaves the
    /// tie's rule, the larger id.
    pub fn outranks(&self, node: NodeId, other: NodeId) -> bool {
        match (self.capacity(node), self.capacity(other)) {
            (Some(own), Some(theirs)) => (own, node) > (theirs, other),
            _ => node > other,
        }
    }
}
