//! What the host knows of the nodes' stores while no process has them open: whether they are as they were left.
//!
//! A process knows nothing of the one before it but what the store says. So the host remembers the highest incarnation
//! of each node, and a mark of its store when its process died, and gives both to the next process, which says what it
//! finds. Two changes from outside stay hidden: one that is made while a process runs, if that process overwrites it or
//! the incarnation in it is not lower; and any that is made after the host's own death, but then the lab is over and no
//! other host uses its stores.
//!
//! Invariant: a change by a fault is none from outside: faults change a store at a start, and marks are of deaths.

use protocol::{Incarnation, NodeId, NodeMap};
use record::{SinceDeath, StorePast};

/// The stores of all nodes.
#[derive(Debug, Default)]
pub struct StoreWatch(NodeMap<WatchedStore>);

#[derive(Copy, Clone, Debug, Default)]
struct WatchedStore {
    incarnation: Incarnation,
    /// Of its bytes, when its last process died; absent while one runs, or if it could not be read.
    mark: Option<u64>,
}

impl StoreWatch {
    /// A process of the node has this incarnation.
    pub fn is_ready(&mut self, node: NodeId, incarnation: Incarnation) {
        let store = self.0.get_or_default(node);
        store.incarnation = store.incarnation.max(incarnation);
    }

    /// The node's process is dead, and this stands for the content of its store, if that can be read.
    pub fn has_died(&mut self, node: NodeId, mark: Option<u64>) {
        self.0.get_or_default(node).mark = mark;
    }

    /// A process of the node starts, and this stands for the content of its store, if that can be read: what it is told.
    pub fn starts(&mut self, node: NodeId, mark: Option<u64>) -> StorePast {
        let store = self.0.get_or_default(node);
        let since_death = match (store.mark.take(), mark) {
            (Some(left), Some(found)) if left != found => SinceDeath::Changed,
            // If it cannot be read, the process itself reports it.
            _ => SinceDeath::Unchanged,
        };
        StorePast { incarnation: store.incarnation, since_death }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_changed_if_it_is_not_as_a_death_left_it() {
        let (mut watch, node) = (StoreWatch::default(), NodeId::new(1).unwrap());
        let told = |past: StorePast| (past.incarnation.0, past.since_death);
        assert_eq!(told(watch.starts(node, Some(7))), (0, SinceDeath::Unchanged));
        watch.is_ready(node, Incarnation(4));
        watch.has_died(node, Some(8));
        assert_eq!(told(watch.starts(node, Some(8))), (4, SinceDeath::Unchanged));
        watch.has_died(node, Some(9));
        assert_eq!(told(watch.starts(node, Some(8))), (4, SinceDeath::Changed));
        // It began on an older store, and the highest still counts.
        watch.is_ready(node, Incarnation(2));
        for (left, found) in [(None, Some(9)), (Some(9), None)] {
            watch.has_died(node, left);
            assert_eq!(told(watch.starts(node, found)), (4, SinceDeath::Unchanged));
        }
    }
}
