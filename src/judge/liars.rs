//! Which processes lie, and by which fault each lie is told.
//!
//! A process lies from the step in which it is ordered to, until the step in which it is ordered to be honest, or, if it
//! has died meanwhile, to stop. A dead liar's node is a liar's while its fault stands: its next process lies from its
//! start on.
//!
//! Invariant: what the machines were told counts, and the fault lines say by whose order.

use std::collections::BTreeMap;

use fault::{FaultId, FaultLine, ProcessFault};
use protocol::{Lie, LieSet, NodeId, NodeMap, NodeSet, Order};
use record::{Body, Input, Record};

/// The liars of a lab.
#[derive(Clone, Default, Debug)]
pub(super) struct Liars {
    /// The lies that were ordered and are not over.
    ordered: BTreeMap<FaultId, (Lie, NodeSet)>,
    lies: NodeMap<LieSet>,
}

/// What a record did to the liars.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum LiarChange {
    /// An honest process lies from here on.
    Liar,
    /// A liar is honest from here on.
    Honest,
}

impl Liars {
    /// Takes in the next record; says how its node has turned, if it has.
    pub fn take(&mut self, record: &Record) -> Option<LiarChange> {
        match &record.body {
            Body::FaultOrdered { id, line, nodes, .. } => {
                match line {
                    FaultLine::Process(ProcessFault::Liar(lie), _) => drop(self.ordered.insert(*id, (*lie, *nodes))),
                    FaultLine::Process(ProcessFault::Honest, _) => {
                        self.ordered.values_mut().for_each(|(_, liars)| *liars = liars.minus(nodes));
                    }
                    _ => {}
                }
                None
            }
            Body::FaultLifted { id } => {
                self.ordered.remove(id);
                None
            }
            Body::Step(step) => {
                let node = record.node?;
                let lies = match &step.input {
                    Input::Order { order: Order::Lie(lying) } => lying.lies,
                    // It is told in its next step what it lies.
                    Input::Start { .. } if self.is_liar(node) => self.ordered_of(node),
                    _ => return None,
                };
                let before = self.lies.insert(node, lies).unwrap_or_default();
                match (before.is_empty(), lies.is_empty()) {
                    (true, false) => Some(LiarChange::Liar),
                    (false, true) => Some(LiarChange::Honest),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether the node's process lies.
    pub fn is_liar(&self, node: NodeId) -> bool {
        self.lies.get(&node).is_some_and(|lies| !lies.is_empty())
    }

    /// Whether a process lies, or has lied.
    pub fn were_there(&self) -> bool {
        !self.lies.is_empty()
    }

    /// The nodes whose processes lie.
    pub fn nodes(&self) -> NodeSet {
        self.lies.iter().filter(|(_, lies)| !lies.is_empty()).map(|(node, _)| *node).collect()
    }

    /// The fault by which the node tells this lie.
    pub fn fault(&self, node: NodeId, lie: Lie) -> Option<FaultId> {
        let told = |(of, nodes): &(Lie, NodeSet)| *of == lie && nodes.contains(node);
        self.ordered.iter().find(|(_, ordered)| told(ordered)).map(|(id, _)| *id)
    }

    /// Whether this fault makes a process lie.
    pub fn is_by(&self, id: FaultId) -> bool {
        self.ordered.contains_key(&id)
    }

    /// The latest fault that makes a process lie.
    pub fn latest(&self) -> Option<FaultId> {
        self.ordered.keys().next_back().copied()
    }

    /// The latest fault that makes this process lie.
    pub fn latest_of(&self, node: NodeId) -> Option<FaultId> {
        self.ordered.iter().rev().find(|(_, (_, nodes))| nodes.contains(node)).map(|(id, _)| *id)
    }

    fn ordered_of(&self, node: NodeId) -> LieSet {
        self.ordered.values().filter(|(_, nodes)| nodes.contains(node)).map(|(lie, _)| *lie).collect()
    }
}
