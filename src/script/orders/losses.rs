//! Losses of stores that were ordered and have not come about: each waits for its node's next start.
//!
//! A running process has in memory what it saved, and a store is read at a start alone. So a loss is noted here with a
//! mark of what the store holds, and the start that comes next is told of it if the mark is the same by then. Until that
//! start it can be called off, and then nothing was lost.
//!
//! Invariant: of each node one loss waits at the most, and each is decided once: by a start, or by being called off.

use std::collections::BTreeMap;

use crate::fault::{FaultId, StoreLoss};
use crate::protocol::{NodeId, NodeSet};

/// The losses that wait.
#[derive(Debug, Default)]
pub struct Losses(BTreeMap<NodeId, PendingLoss>);

#[derive(Copy, Clone, Debug)]
struct PendingLoss {
    loss: StoreLoss,
    mark: u64,
}

impl Losses {
    /// The nodes for which one waits.
    pub fn nodes(&self) -> NodeSet {
        self.0.keys().copied().collect()
    }

    /// Whether one waits that this fault ordered.
    pub fn any_by(&self, id: FaultId) -> bool {
        self.0.values().any(|waiting| waiting.loss.by == id)
    }

    /// A loss waits from now on; the mark stands for what the store holds.
    pub fn enter(&mut self, node: NodeId, loss: StoreLoss, mark: u64) {
        self.0.insert(node, PendingLoss { loss, mark });
    }

    /// What this fault ordered and has not come about does not come about any more.
    pub fn call_off(&mut self, id: FaultId) {
        self.0.retain(|_, waiting| waiting.loss.by != id);
    }

    /// The node starts, and this stands for what its store holds now: the loss that it finds.
    pub fn take(&mut self, node: NodeId, mark: u64) -> Option<StoreLoss> {
        self.0.remove(&node).filter(|waiting| waiting.mark == mark).map(|waiting| waiting.loss)
    }
}
