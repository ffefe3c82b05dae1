//! What a session tells of its ordered broadcasts: who sent and who delivered each; and if a node did not deliver one,
//! what became of the copies that were sent to it.
//!
//! A copy that a fault took has its record, and so has a broadcast of which nothing came in time; a copy that never
//! came leaves none. The relayers are not recorded and need not be: a node has relayed if no fault took its direct
//! copy.
//!
//! Invariant: what is looked at are the first broadcasts, as many as are wanted, from the moment on at which a fault is
//! first in force; what is sent before or later is left aside, whoever delivers it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use link::BroadcastCount;
use protocol::{NodeId, NodeMap, NodeSet};
use record::{Body, CopyFate, EffectText, Input, MessageId, Record};

/// The ordered broadcasts of a session.
#[derive(Clone, Debug)]
pub struct Broadcasts {
    nodes: NodeSet,
    wanted: usize,
    is_begun: bool,
    census: BroadcastCount<MessageId>,
    by_sender: NodeMap<usize>,
    fates: BTreeMap<(NodeId, MessageId), BroadcastTrace>,
}

/// What a node's records tell of one broadcast besides its delivery.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
struct BroadcastTrace {
    /// The nodes whose copies a fault took: the sender's, and relays.
    lost: NodeSet,
    is_late: bool,
}

/// A broadcast that a node did not deliver, or could not.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct MissedBroadcast {
    /// The node that did not deliver it.
    pub node: NodeId,
    pub broadcast: MessageId,
    /// The nodes that sent it a copy, as far as faults let them have one: the broadcast's sender, and each node that
    /// took a direct copy.
    pub copies: NodeSet,
    /// The nodes whose copies a fault took from it.
    pub lost: NodeSet,
    /// Whether a copy came, too late, and was discarded.
    pub is_late: bool,
}

impl Broadcasts {
    /// This many broadcasts of these nodes are wanted.
    pub fn new(nodes: NodeSet, wanted: usize) -> Broadcasts {
        Broadcasts {
            nodes,
            wanted,
            is_begun: false,
            census: BroadcastCount::new(nodes),
            by_sender: NodeMap::new(),
            fates: BTreeMap::new(),
        }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        self.is_begun |= matches!(record.body, Body::FaultInForce { .. });
        let Some(node) = record.node else { return };
        match &record.body {
            Body::Step(step) => {
                if let Input::Message { id, .. } = &step.input {
                    self.census.deliver(node, *id);
                }
                for effect in &step.effects {
                    if let EffectText::Send { id: id @ MessageId { to: None, .. }, .. } = effect {
                        self.send(*id);
                    }
                }
            }
            Body::Copy { id, through, fate: CopyFate::Dropped | CopyFate::Spoiled, .. } => {
                let through = *through;
                self.befall(node, *id, |fate| {
                    fate.lost.insert(through);
                });
            }
            Body::Late { id, .. } => self.befall(node, *id, |fate| fate.is_late = true),
            _ => {}
        }
    }

    /// The broadcasts, and who delivered them.
    pub fn census(&self) -> &BroadcastCount<MessageId> {
        &self.census
    }

    /// How many each node broadcast; a node that broadcast nothing is absent.
    pub fn by_sender(&self) -> &NodeMap<usize> {
        &self.by_sender
    }

    /// How many came too late somewhere and were discarded there.
    pub fn late(&self) -> usize {
        self.fates.values().filter(|fate| fate.is_late).count()
    }

    /// The broadcasts that some node did not deliver, by the deliveries, and why.
    pub fn missed(&self) -> Vec<MissedBroadcast> {
        self.census.missed().into_iter().map(|(node, broadcast)| self.tell(node, broadcast)).collect()
    }

    /// The broadcasts that some node cannot deliver, by the faults and the late copies, whatever is delivered.
    pub fn undeliverable(&self) -> Vec<MissedBroadcast> {
        // The sender has it without any copy.
        let all = self.fates.keys().filter(|(node, broadcast)| *node != broadcast.from);
        all.map(|(node, broadcast)| self.tell(*node, *broadcast)).filter(MissedBroadcast::is_explained).collect()
    }

    fn send(&mut self, id: MessageId) {
        if self.is_begun && self.census.broadcasts() < self.wanted {
            self.census.send(id);
            *self.by_sender.get_or_default(id.from) += 1;
        }
    }

    fn befall(&mut self, node: NodeId, id: MessageId, happens: impl FnOnce(&mut BroadcastTrace)) {
        if self.census.knows(id) {
            let fate = self.fates.entry((node, id)).or_insert(BroadcastTrace::NOTHING);
            happens(fate);
        }
    }

    fn tell(&self, node: NodeId, broadcast: MessageId) -> MissedBroadcast {
        let BroadcastTrace { lost, is_late } = self.fate(node, broadcast);
        let from = broadcast.from;
        let has_direct = |by: &NodeId| *by != node && !self.fate(*by, broadcast).lost.contains(from);
        let copies = self.nodes.iter().filter(has_direct).collect();
        MissedBroadcast { node, broadcast, copies, lost, is_late }
    }

    fn fate(&self, node: NodeId, id: MessageId) -> BroadcastTrace {
        self.fates.get(&(node, id)).copied().unwrap_or(BroadcastTrace::NOTHING)
    }
}

impl BroadcastTrace {
    const NOTHING: BroadcastTrace = BroadcastTrace { lost: NodeSet::EMPTY, is_late: false };
}

impl MissedBroadcast {
    /// Whether the records say why: a fault took every copy that was sent to the node, or the best of them was too late.
    pub fn is_explained(&self) -> bool {
        self.is_late || self.lost == self.copies
    }
}
