//! A moment of a node in the order of all events, by happened-before.
//!
//! Invariant: of two moments of one node the later one knows everything that the earlier one knows.

use super::turns::KnownTurns;
use protocol::NodeId;

/// A node's place in the order of all events: its turns so far, and its past.
#[derive(Clone, Debug)]
pub struct CausalMoment {
    pub node: NodeId,
    /// How many turns the node had taken by then, this one included.
    pub own: u64,
    /// How many turns of each other node it knows. Shared until the node next learns of one.
    pub(super) known: KnownTurns,
    /// Counts the changes of this node's pasts: of two pasts of one node the later includes the earlier.
    pub(super) edition: u64,
    /// Whether edges may be missing.
    pub chain: PastExtent,
}

/// Whether a past is complete.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PastExtent {
    Whole,
    /// Goes through a gap.
    Broken,
}

impl CausalMoment {
    pub(super) fn take_turn(&mut self) {
        self.own += 1;
        self.edition += 1;
    }

    pub(super) fn become_broken(&mut self) {
        self.chain = PastExtent::Broken;
        self.edition += 1;
    }

    /// Whether that turn of that node happened before this moment, or is this moment.
    pub fn knows(&self, node: NodeId, own: u64) -> bool {
        if node == self.node { self.own >= own } else { self.known.of(index(node)) >= own }
    }
}

/// A node's place in a list with an entry for each node.
pub fn index(node: NodeId) -> usize {
    usize::from(node.get() - 1)
}
