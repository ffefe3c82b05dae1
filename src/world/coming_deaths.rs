//! Ordered crashes whose deaths are not on record yet: one of them may be the cause of a time-out.
//!
//! Invariant: a node named here had a process when its crash was ordered, and the record of that process's
//! death has not been passed on.

use std::collections::BTreeMap;

use fault::{FaultId, FaultLine, ProcessFault};
use protocol::{NodeId, NodeSet};
use record::{Body, Input, Record};

/// The nodes whose death is still to come.
#[derive(Clone, Default, Debug)]
pub struct ComingDeaths {
    /// The nodes that have a process.
    alive: NodeSet,
    /// The nodes that each ordered crash must still kill, and since when.
    orders: BTreeMap<FaultId, (i64, NodeSet)>,
}

impl ComingDeaths {
    /// Takes in the next record as it is read.
    pub fn take(&mut self, record: &Record) {
        match (record.node, &record.body) {
            (Some(node), Body::Spawned { .. } | Body::Step(_)) => {
                self.alive.insert(node);
            }
            (Some(node), Body::Died { .. }) => {
                self.alive.remove(node);
            }
            (_, Body::FaultOrdered { id, line: FaultLine::Process(ProcessFault::Crash, _), nodes, .. }) => {
                let nodes = nodes.intersection(&self.alive);
                if !nodes.is_empty() {
                    self.orders.insert(*id, (record.at, nodes));
                }
            }
            _ => {}
        }
    }

    /// The order was carried out, or given up: nodes without a death record by now will have none.
    pub fn settle(&mut self, id: FaultId) {
        let Some((at, nodes)) = self.orders.remove(&id) else { return };
        let coming = nodes.minus(&self.alive);
        if !coming.is_empty() {
            self.orders.insert(id, (at, coming));
        }
    }

    /// The record of the node's death is passed on.
    pub fn has_died(&mut self, node: NodeId) {
        self.orders.retain(|_, (_, nodes)| {
            nodes.remove(node);
            !nodes.is_empty()
        });
    }

    /// The nodes that this record times out on, and whose death is still to come.
    pub fn waited_for(&self, record: &Record) -> NodeSet {
        let Some(Input::Timer { waited_for, .. }) = record.step().map(|step| &step.input) else {
            return NodeSet::EMPTY;
        };
        let ordered = self.orders.values().filter(|(ordered, _)| *ordered <= record.at);
        ordered.fold(NodeSet::EMPTY, |all, (_, nodes)| all.union(&nodes.intersection(waited_for)))
    }
}
