//! Where a liar stands: who it is, among whom, and how it reaches them.
//!
//! Invariant: it is what the process learns at its start, and does not change.

use protocol::{Incarnation, NodeId, Property, Roster};

/// Where a liar stands.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct LiarContext {
    /// The node.
    pub me: NodeId,
    /// The lab's nodes.
    pub roster: Roster,
    pub incarnation: Incarnation,
    /// How it sends to several nodes.
    pub reach: BroadcastForm,
    /// What its algorithm promises.
    pub promises: &'static [Property],
}

/// How the algorithm's processes speak to all.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum BroadcastForm {
    /// Through the ordered broadcast.
    Ordered,
    /// By bare multicast.
    Bare,
    /// Not at all: each gets a datagram of its own.
    None,
}
