//! What each node has had of every other, or will never have: a new process of it must not take a copy of that for news.
//! A datagram to one node that left while the node had no process is gone. It has left when its sender took another
//! step, or died. (A broadcast may still come to the new process, by a relay.)
//!
//! Invariant: only what is on record counts, so a datagram that can still come is never refused.

use std::collections::BTreeMap;

use protocol::{Incarnation, NodeId, NodeMap};
use record::{Body, EffectText, HeardUpTo, Input, MessageId, Record};

/// The newest number of each receiver, sender and channel.
#[derive(Clone, Default, Debug)]
pub struct ReceivedSoFar {
    newest: NodeMap<NewestNumbers>,
    /// By sender: what its latest step sends, which may not have left yet.
    leaving: NodeMap<Vec<MessageId>>,
}

/// By sender, and whether it came by multicast.
type NewestNumbers = BTreeMap<(NodeId, bool), (Incarnation, u64)>;

impl ReceivedSoFar {
    /// Takes in a record of a node.
    pub fn take(&mut self, record: &Record) {
        let Some(node) = record.node else { return };
        if let Some(id) = had(&record.body) {
            self.note(node, id);
        }
        if !matches!(record.body, Body::Step(_) | Body::Died { .. }) {
            return;
        }
        let sends = |effect: &EffectText| if let EffectText::Send { id, .. } = effect { Some(*id) } else { None };
        let sent = record.step().map_or(&[][..], |step| &step.effects[..]).iter().filter_map(sends);
        let left = self.leaving.insert(node, sent.filter(|id| id.to.is_some()).collect());
        for id in left.into_iter().flatten() {
            id.to.into_iter().for_each(|receiver| self.note(receiver, id));
        }
    }

    fn note(&mut self, receiver: NodeId, id: MessageId) {
        let number = (id.incarnation, id.sequence);
        let newest = self.newest.get_or_default(receiver).entry((id.from, id.to.is_none())).or_insert(number);
        *newest = number.max(*newest);
    }

    /// What the node's processes have had, and no new one can have: those numbers and all before them.
    pub fn of(&self, node: NodeId) -> Vec<HeardUpTo> {
        let of_node = self.newest.get(&node).into_iter().flatten();
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
    use fault::FaultId;
    use protocol::Order;
    use record::{Death, Step, Words};

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

    #[test]
    fn what_has_left_counts_whether_or_not_it_came() {
        let node = |number| NodeId::new(number).unwrap();
        let id = |sequence| MessageId { from: node(2), incarnation: Incarnation(1), to: Some(node(1)), sequence };
        let sends = |sequence| {
            let message = Words { kind: "Word".into(), fields: Vec::new(), body: String::new() }.into();
            let step = Step {
                step: sequence,
                effects: vec![EffectText::Send { id: id(sequence), message }],
                ..Step::first(Input::Order { order: Order::Elect })
            };
            Record::of_node(0, node(2), Body::Step(step))
        };
        let mut heard = ReceivedSoFar::default();
        let newest = |heard: &ReceivedSoFar| heard.of(node(1)).first().map(|up_to| up_to.sequence);
        heard.take(&sends(1));
        assert_eq!(newest(&heard), None, "it may not have left");
        heard.take(&sends(2));
        assert_eq!(newest(&heard), Some(1));
        heard.take(&Record::of_node(0, node(2), Body::Died { death: Death::Signalled { signal: 9 } }));
        assert_eq!(newest(&heard), Some(2));
    }
}
