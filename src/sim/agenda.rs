//! The agenda: everything that is still to happen in virtual time, in one order.
//!
//! What falls on one instant goes in this order: machines start, datagrams arrive, nodes wake for their timers; so an
//! answer that comes just in time comes before the time-out on it (the notes: deliveries before time-outs). Among equals
//! the order is that of their entry, which the seed has drawn.
//!
//! Invariant: nothing happens before it was entered; the same entries in the same order come out in one order.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::fault::Passage;
use crate::link::Original;
use crate::protocol::NodeId;

/// A datagram on its way.
#[derive(Clone, Debug)]
pub(super) struct Datagram<M> {
    /// From whom to whom.
    pub passage: Passage,
    /// Of which ordered broadcast it is a copy, if it is one.
    pub original: Option<Original>,
    /// What is in it.
    pub message: M,
}

/// Something that happens.
#[derive(Debug)]
pub(super) enum Event<M> {
    /// A process that was started opens for its machine; the number tells its process from later ones of the node.
    Start(NodeId, u32),
    /// A datagram arrives.
    Arrive(Datagram<M>),
    /// A node may have something due.
    Wake(NodeId),
}

/// What is to happen, by its moment.
#[derive(Debug)]
pub(super) struct Agenda<M> {
    heap: BinaryHeap<Reverse<Entry>>,
    /// Datagrams lie still here, while their entries move.
    datagrams: Vec<Option<Datagram<M>>>,
    free: Vec<u32>,
    entered: u64,
}

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct Entry {
    at: u64,
    /// The class in the two highest bits, then the number of the entry.
    place: u64,
    what: What,
}

impl Entry {
    /// The order of events, as one number: two of them are compared without a branch.
    fn order(&self) -> u128 {
        u128::from(self.at) << 64 | u128::from(self.place)
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum What {
    Start(NodeId, u32),
    Arrive(u32),
    Wake(NodeId),
}

impl What {
    fn class(self) -> u64 {
        match self {
            What::Start(..) => 0,
            What::Arrive(_) => 1,
            What::Wake(_) => 2,
        }
    }
}

impl<M> Default for Agenda<M> {
    fn default() -> Agenda<M> {
        Agenda { heap: BinaryHeap::new(), datagrams: Vec::new(), free: Vec::new(), entered: 0 }
    }
}

impl<M> Agenda<M> {
    /// A machine is to start at this moment of lab time, in nanoseconds, as all moments here.
    pub fn enter_start(&mut self, at: u64, node: NodeId, process: u32) {
        self.enter(at, What::Start(node, process));
    }

    /// A datagram is to arrive.
    pub fn enter_arrival(&mut self, at: u64, datagram: Datagram<M>) {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.datagrams[slot as usize] = Some(datagram);
                slot
            }
            None => {
                self.datagrams.push(Some(datagram));
                u32::try_from(self.datagrams.len() - 1).expect("fewer datagrams are in flight than a u32 counts")
            }
        };
        self.enter(at, What::Arrive(slot));
    }

    /// A node is to be looked at.
    pub fn enter_wake(&mut self, at: u64, node: NodeId) {
        self.enter(at, What::Wake(node));
    }

    /// The moment of the next event.
    pub fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }

    /// Takes out the next event, if it comes by this moment.
    pub fn pop_by(&mut self, until: u64) -> Option<(u64, Event<M>)> {
        if self.next_at()? > until {
            return None;
        }
        let Reverse(Entry { at, what, .. }) = self.heap.pop()?;
        let event = match what {
            What::Start(node, process) => Event::Start(node, process),
            What::Wake(node) => Event::Wake(node),
            What::Arrive(slot) => {
                self.free.push(slot);
                let datagram = self.datagrams[slot as usize].take();
                Event::Arrive(datagram.expect("an arrival's datagram lies in its slot until it arrives"))
            }
        };
        Some((at, event))
    }

    fn enter(&mut self, at: u64, what: What) {
        self.entered += 1;
        self.heap.push(Reverse(Entry { at, place: what.class() << 62 | self.entered, what }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Incarnation;

    #[test]
    fn at_one_instant_machines_start_then_datagrams_arrive_then_timers_run_out() {
        let node = |number| NodeId::new(number).unwrap();
        let passage =
            |sequence| Passage { from: node(1), to: node(2), multicast: false, incarnation: Incarnation(1), sequence };
        let datagram = |sequence| Datagram { passage: passage(sequence), original: None, message: sequence };
        let mut agenda = Agenda::default();
        agenda.enter_wake(5, node(1));
        agenda.enter_arrival(5, datagram(1));
        agenda.enter_arrival(5, datagram(2));
        agenda.enter_arrival(4, datagram(3));
        agenda.enter_start(5, node(3), 1);
        let order: Vec<(u64, String)> = std::iter::from_fn(|| agenda.pop_by(5))
            .map(|(at, event)| match event {
                Event::Start(node, process) => (at, format!("start {node} {process}")),
                Event::Arrive(datagram) => (at, format!("arrive {}", datagram.message)),
                Event::Wake(node) => (at, format!("wake {node}")),
            })
            .collect();
        let expected = [(4, "arrive 3"), (5, "start 3 1"), (5, "arrive 1"), (5, "arrive 2"), (5, "wake 1")];
        assert_eq!(order, expected.map(|(at, what)| (at, what.to_owned())));
        assert_eq!(agenda.next_at(), None);
    }
}
