//! Losses of stores that were ordered and have not happened: each waits for its node's next start.
//!
//! A running process has in memory what it saved, and a process reads its store only at a start. So a loss is noted
//! here with a mark of the store's content, and the next start finds the loss if the mark is the same by then. Until
//! that start the loss can be cancelled, and then nothing was lost.
//!
//! Invariant: at most one loss waits for each node, and each is decided once: by a start, or by being cancelled.

use fault::{FaultId, StoreLoss};
use protocol::{NodeId, NodeMap, NodeSet};

/// The waiting losses.
#[derive(Debug, Default)]
pub struct Losses(NodeMap<PendingLoss>);

#[derive(Copy, Clone, Debug)]
struct PendingLoss {
    loss: StoreLoss,
    mark: u64,
}

impl Losses {
    /// The nodes that have one.
    pub fn nodes(&self) -> NodeSet {
        self.0.keys().copied().collect()
    }

    /// Whether a loss of this fault waits.
    pub fn any_by(&self, id: FaultId) -> bool {
        self.0.values().any(|waiting| waiting.loss.by == id)
    }

    /// A loss waits from now on; the mark stands for the content of the store.
    pub fn enter(&mut self, node: NodeId, loss: StoreLoss, mark: u64) {
        self.0.insert(node, PendingLoss { loss, mark });
    }

    /// Cancels the losses of this fault that have not happened.
    pub fn call_off(&mut self, id: FaultId) {
        self.0.retain(|_, waiting| waiting.loss.by != id);
    }

    /// The node starts, and this stands for the present content of its store: the loss that it finds.
    pub fn take(&mut self, node: NodeId, mark: u64) -> Option<StoreLoss> {
        self.0.remove(&node).filter(|waiting| waiting.mark == mark).map(|waiting| waiting.loss)
    }
}
