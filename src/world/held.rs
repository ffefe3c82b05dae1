//! What waits on held links: the queue of each, out of the records of what was held, released and dropped.
//!
//! Invariant: a queue has the order in which its datagrams would be delivered, and what is not listed is counted.

use serde::{Deserialize, Serialize};

use fault::{DatagramName, FaultId};
use protocol::NodeId;
use record::{Body, CopyFate, Input, MessageId, MessageText, Record};

/// A queue lists this many datagrams; those that come when it is full are only counted.
const LISTED_MAX: usize = 256;

/// The queues of all links on which something waits, by sender and receiver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldQueues(Vec<HeldQueue>);

/// The queue of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldQueue {
    /// The sender.
    pub from: NodeId,
    /// The receiver, in whose process they wait.
    pub to: NodeId,
    /// The datagrams, the next one first.
    pub listed: Vec<HeldDatagram>,
    /// How many more wait behind them.
    #[serde(default)]
    pub unlisted: u64,
}

/// A datagram that waits until it is released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldDatagram {
    /// Which. As a copy of an ordered broadcast it has the broadcast's identity.
    pub id: MessageId,
    /// What is in it, if the record says so.
    pub message: Option<MessageText>,
    /// Since when it waits.
    pub since: i64,
    /// The fault that holds it.
    pub by: FaultId,
}

impl HeldQueue {
    /// How many wait.
    pub fn len(&self) -> u64 {
        self.listed.len() as u64 + self.unlisted
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl HeldDatagram {
    /// The name in a fault line, on the link from this node.
    pub fn name(&self, from: NodeId) -> DatagramName {
        let MessageId { from: first, incarnation, to, sequence } = self.id;
        let of = (first != from).then_some(first);
        DatagramName::Numbered { of, multicast: to.is_none(), incarnation, sequence }
    }
}

impl HeldQueues {
    /// Whether nothing waits anywhere.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The queues in which something waits, by sender and receiver.
    pub fn iter(&self) -> impl Iterator<Item = &HeldQueue> {
        self.0.iter()
    }

    /// The queue of this link, if something waits there.
    pub fn of(&self, from: NodeId, to: NodeId) -> Option<&HeldQueue> {
        self.place(from, to).ok().map(|place| &self.0[place])
    }

    /// Takes in the next record, of this node.
    pub(super) fn take(&mut self, node: NodeId, record: &Record) {
        match &record.body {
            Body::Held { id, by, span: None, message } => {
                let datagram = HeldDatagram { id: *id, message: message.clone(), since: record.at, by: *by };
                self.push(id.from, node, datagram);
            }
            Body::Copy { id, through, by, fate: CopyFate::Held(None) } => {
                self.push(*through, node, HeldDatagram { id: *id, message: None, since: record.at, by: *by });
            }
            Body::Released { id, .. } | Body::Dropped { id, .. } => self.remove(id.from, node, *id),
            Body::Copy { id, through, fate: CopyFate::Released | CopyFate::Dropped, .. } => {
                self.remove(*through, node, *id);
            }
            Body::PutFirst { id, through, .. } => self.put_first(*through, node, *id),
            // What a machine was given waits no longer, even if the record that says why is missing. Where it is not
            // listed, its release was counted already.
            Body::Step(step) => {
                if let Input::Message { id, .. } = &step.input
                    && self.lists(id.from, node, *id)
                {
                    self.remove(id.from, node, *id);
                }
            }
            // They wait in the receiver's process.
            Body::Died { .. } => self.0.retain(|queue| queue.to != node),
            _ => {}
        }
    }

    fn push(&mut self, from: NodeId, to: NodeId, datagram: HeldDatagram) {
        let place = self.place(from, to).unwrap_or_else(|place| {
            self.0.insert(place, HeldQueue { from, to, listed: Vec::new(), unlisted: 0 });
            place
        });
        let queue = &mut self.0[place];
        if queue.listed.len() < LISTED_MAX && queue.unlisted == 0 {
            queue.listed.push(datagram);
        } else {
            queue.unlisted += 1;
        }
    }

    /// One that is only counted stays so.
    fn put_first(&mut self, from: NodeId, to: NodeId, id: MessageId) {
        let Ok(place) = self.place(from, to) else { return };
        let listed = &mut self.0[place].listed;
        if let Some(at) = listed.iter().position(|datagram| datagram.id == id) {
            listed[..=at].rotate_right(1);
        }
    }

    /// A message that no queue lists was never held, or is one of those that are counted.
    fn remove(&mut self, from: NodeId, to: NodeId, id: MessageId) {
        let Ok(place) = self.place(from, to) else { return };
        let queue = &mut self.0[place];
        match queue.listed.iter().position(|datagram| datagram.id == id) {
            Some(listed) => drop(queue.listed.remove(listed)),
            None => queue.unlisted = queue.unlisted.saturating_sub(1),
        }
        if queue.is_empty() {
            self.0.remove(place);
        }
    }

    fn lists(&self, from: NodeId, to: NodeId, id: MessageId) -> bool {
        self.of(from, to).is_some_and(|queue| queue.listed.iter().any(|datagram| datagram.id == id))
    }

    fn place(&self, from: NodeId, to: NodeId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&(from, to), |queue| (queue.from, queue.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Incarnation;
    use record::{Death, Step, Words};

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn id(sequence: u64) -> MessageId {
        MessageId { from: node(1), incarnation: Incarnation(1), to: Some(node(2)), sequence }
    }

    fn held(sequence: u64) -> Body {
        Body::Held { id: id(sequence), by: FaultId(1), span: None, message: None }
    }

    fn given(id: MessageId) -> Body {
        let message = Words { kind: "Halt".into(), fields: Vec::new(), body: String::new() }.into();
        Body::Step(Step::first(Input::Message { id, message }))
    }

    fn taken(bodies: Vec<Body>) -> HeldQueues {
        let mut queues = HeldQueues::default();
        for (at, body) in (1..).zip(bodies) {
            queues.take(node(2), &Record::of_node(at, node(2), body));
        }
        queues
    }

    fn listed(queues: &HeldQueues, from: u16) -> Vec<(u64, i64)> {
        let queue = queues.of(node(from), node(2));
        queue.map_or_else(Vec::new, |queue| queue.listed.iter().map(|of| (of.id.sequence, of.since)).collect())
    }

    #[test]
    fn what_is_held_waits_in_the_order_in_which_it_came_until_it_is_released_or_dropped() {
        let dropped = Body::Dropped { id: id(2), by: FaultId(2), message: None };
        let released = Body::Released { id: id(1), by: FaultId(3) };
        assert_eq!(listed(&taken(vec![held(1), held(2), held(3), dropped.clone()]), 1), [(1, 1), (3, 3)]);
        let rest = taken(vec![held(1), held(2), held(3), dropped, released]);
        assert_eq!(listed(&rest, 1), [(3, 3)]);
        assert_eq!(rest.iter().map(|queue| (queue.from, queue.to)).collect::<Vec<_>>(), [(node(1), node(2))]);
    }

    #[test]
    fn what_is_put_first_stands_before_all_others() {
        let first = Body::PutFirst { id: id(3), through: node(1), by: FaultId(2) };
        assert_eq!(
            listed(&taken(vec![held(1), held(2), held(3), held(4), first]), 1),
            [(3, 3), (1, 1), (2, 2), (4, 4)]
        );
    }

    #[test]
    fn a_delay_is_no_queue_and_a_queue_dies_with_its_receiver() {
        let delayed = Body::Held { id: id(1), by: FaultId(1), span: Some(protocol::Span::ZERO), message: None };
        assert!(taken(vec![delayed]).is_empty());
        assert!(taken(vec![held(1), Body::Died { death: Death::Killed { by: FaultId(2) } }]).is_empty());
    }

    #[test]
    fn copies_wait_on_the_link_on_which_they_came() {
        let copy = |fate| Body::Copy { id: MessageId { to: None, ..id(4) }, through: node(3), by: FaultId(1), fate };
        let queues = taken(vec![copy(CopyFate::Held(None))]);
        assert_eq!((listed(&queues, 1), listed(&queues, 3)), (vec![], vec![(4, 1)]));
        for fate in [CopyFate::Released, CopyFate::Dropped] {
            assert!(taken(vec![copy(CopyFate::Held(None)), copy(fate)]).is_empty());
        }
    }

    #[test]
    fn a_datagram_has_the_name_by_which_an_act_finds_it() {
        let name = |id, from| HeldDatagram { id, message: None, since: 0, by: FaultId(1) }.name(node(from)).to_string();
        assert_eq!(name(id(7), 1), "7");
        assert_eq!(name(MessageId { incarnation: Incarnation(2), ..id(7) }, 1), "2.7");
        assert_eq!(name(MessageId { to: None, ..id(7) }, 1), "m7");
        assert_eq!(name(MessageId { to: None, ..id(7) }, 3), "1:m7");
    }

    #[test]
    fn what_is_too_much_to_list_is_counted() {
        let all = LISTED_MAX as u64 + 3;
        let mut bodies: Vec<Body> = (1..=all).map(held).collect();
        let len = |bodies: &[Body]| taken(bodies.to_vec()).of(node(1), node(2)).map(HeldQueue::len);
        assert_eq!(len(&bodies), Some(all));
        bodies.push(Body::Released { id: id(1), by: FaultId(2) });
        bodies.push(held(all + 1));
        let queues = taken(bodies.clone());
        let queue = queues.of(node(1), node(2)).unwrap();
        assert_eq!((queue.listed.len(), queue.unlisted), (LISTED_MAX - 1, 4), "no place in the middle is given anew");
        bodies.extend((2..=all + 1).map(|sequence| Body::Released { id: id(sequence), by: FaultId(2) }));
        assert_eq!(len(&bodies), None);
    }

    #[test]
    fn what_a_machine_was_given_waits_no_longer_and_is_counted_once() {
        assert!(taken(vec![held(1), given(id(1))]).is_empty(), "the record of its release is missing");
        let all = LISTED_MAX as u64 + 3;
        let released = |sequence| Body::Released { id: id(sequence), by: FaultId(2) };
        let mut bodies: Vec<Body> = (1..=all).map(held).collect();
        for (left, sequence) in [(all - 1, 1), (all - 2, all)] {
            bodies.extend([released(sequence), given(id(sequence))]);
            assert_eq!(taken(bodies.clone()).of(node(1), node(2)).map(HeldQueue::len), Some(left));
        }
    }

    #[test]
    fn what_waits_outlives_its_sender() {
        let mut queues = taken(vec![held(1)]);
        let death = Body::Died { death: Death::Killed { by: FaultId(2) } };
        queues.take(node(1), &Record::of_node(9, node(1), death));
        assert_eq!(listed(&queues, 1), [(1, 1)]);
    }
}
