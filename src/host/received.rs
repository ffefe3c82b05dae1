//! What each node has had of every other: a new process of it must not take a copy of that for news.
//!
//! Invariant: only what is on record counts, so a datagram that no process of the node has had is never refused.

use std::collections::BTreeMap;

use crate::protocol::{Incarnation, NodeId};
use crate::record::{Body, HeardUpTo, Input, MessageId, Record};

/// The newest number of each receiver, sender and channel.
#[derive(Clone, Default, Debug)]
pub struct ReceivedSoFar(BTreeMap<NodeId, NewestNumbers>);

/// By sender, and whether it came by multicast.
type NewestNumbers = BTreeMap<(NodeId, bool), (Incarnation, u64)>;

impl ReceivedSoFar {
    /// Takes in a record of a node.
    pub fn take(&mut self, record: &Record) {
        if let (Some(node), Some(id)) = (record.node, had(&record.body)) {
            let number = (id.incarnation, id.sequence);
            let newest = self.0.entry(node).or_default().entry((id.from, id.to.is_none())).or_insert(number);
            *newest = number.max(*newest);
        }
    }

    /// What the node's processes have had.
    pub fn of(&self, node: NodeId) -> Vec<HeardUpTo> {
        let of_node = self.0.get(&node).into_iter().flatten();
        let told = |(&(from, multicast), &(incarnation, sequence)): (&(NodeId, bool), &(Incarnation, u64))| HeardUpTo {
            from,
            multicast,
            incarnation,
            sequence,
        };
        of_node.map(told).collect()
    }
}

/// The datagram that the node has had, if the record tells of one.
fn had(body: &Body) -> Option<MessageId> {
    match body {
        Body::Step(step) => match &step.input {
            Input::Message { id, .. } => Some(*id),
            _ => None,
        },
        Body::Dropped { id, .. } | Body::Held { id, .. } | Body::Spoiled { id, .. } | Body::Stale { id } => Some(*id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultId;

    #[test]
    fn the_newest_number_of_each_channel_counts() {
        let node = |number| NodeId::new(number).unwrap();
        let id = |to, incarnation, sequence| MessageId {
            from: node(2),
            incarnation: Incarnation(incarnation),
            to,
            sequence,
        };
        let mut heard = ReceivedSoFar::default();
        for id in [id(Some(node(1)), 1, 9), id(Some(node(1)), 2, 3), id(Some(node(1)), 1, 12), id(None, 1, 4)] {
            let body = Body::Dropped { id, by: FaultId(1), message: None };
            heard.take(&Record::of_node(0, node(1), body));
        }
        let up_to = |multicast, incarnation, sequence| HeardUpTo {
            from: node(2),
            multicast,
            incarnation: Incarnation(incarnation),
            sequence,
        };
        assert_eq!(heard.of(node(1)), [up_to(false, 2, 3), up_to(true, 1, 4)]);
        assert_eq!(heard.of(node(2)), []);
    }
}
