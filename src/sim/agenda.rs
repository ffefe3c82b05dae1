//! The agenda: everything that is still to happen in virtual time, in one order.
//!
//! What falls on one instant goes in this order: machines start, datagrams arrive, nodes wake for their timers; so an
//! answer that comes just in time comes before the time-out on it (the notes: deliveries before time-outs). Among equals
//! the order is that of their entry, which the seed has drawn.
//!
//! Invariant: nothing happens before it was entered; the same entries in the same order come out in one order.

use std::cmp::Reverse;
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
#[derive(Copy, Clone, Debug)]
pub(super) enum Event {
    /// A process that was started opens for its machine; the number tells its process from later ones of the node.
    Start(NodeId, u32),
    /// A datagram arrives: [`Agenda::take_arrived`] has it.
    Arrive(Slot),
    /// A node may have something due.
    Wake(NodeId),
}

/// Where a datagram lies that has arrived.
#[derive(Copy, Clone, Debug)]
pub(super) struct Slot(usize);

/// What is to happen, by its moment.
#[derive(Debug)]
pub(super) struct Agenda<M> {
    heap: BinaryHeap<Reverse<Entry>>,
    /// Datagrams lie still here, while their entries move.
    datagrams: Vec<Option<Datagram<M>>>,
    free: Vec<usize>,
    /// Every start that was ever entered: there are few.
    starts: Vec<(NodeId, u32)>,
    entered: u64,
}

/// The moment, the class, the number of the entry, the payload, from the highest bits to the lowest: one number is
/// moved and compared faster than four.
type Entry = u128;

const CLASS_BITS: u32 = 2;
const PAYLOAD_BITS: u32 = 24;
const NUMBER_BITS: u32 = 64 - CLASS_BITS - PAYLOAD_BITS;

/// The classes, in the order in which they come at one instant. A start's payload and an arrival's is a slot, a wake's
/// is the node.
const START: u64 = 0;
const ARRIVAL: u64 = 1;
const WAKE: u64 = 2;

impl<M> Default for Agenda<M> {
    fn default() -> Agenda<M> {
        Agenda { heap: BinaryHeap::new(), datagrams: Vec::new(), free: Vec::new(), starts: Vec::new(), entered: 0 }
    }
}

impl<M> Agenda<M> {
    /// A machine is to start at this moment of lab time, in nanoseconds, as all moments here.
    pub fn enter_start(&mut self, at: u64, node: NodeId, process: u32) {
        self.starts.push((node, process));
        self.enter(at, START, self.starts.len() - 1);
    }

    /// A datagram is to arrive.
    pub fn enter_arrival(&mut self, at: u64, datagram: Datagram<M>) {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.datagrams[slot] = Some(datagram);
                slot
            }
            None => {
                self.datagrams.push(Some(datagram));
                self.datagrams.len() - 1
            }
        };
        self.enter(at, ARRIVAL, slot);
    }

    /// A node is to be looked at.
    pub fn enter_wake(&mut self, at: u64, node: NodeId) {
        self.enter(at, WAKE, usize::from(node.get()));
    }

    /// The moment of the next event.
    pub fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| moment(*entry))
    }

    /// Takes out the next event, if it comes by this moment.
    pub fn pop_by(&mut self, until: u64) -> Option<(u64, Event)> {
        if self.next_at()? > until {
            return None;
        }
        let Reverse(entry) = self.heap.pop()?;
        // The low half has the class, the number and the payload.
        let low = entry as u64;
        let payload = (low & ((1 << PAYLOAD_BITS) - 1)) as usize;
        let event = match low >> (64 - CLASS_BITS) {
            START => Event::Start(self.starts[payload].0, self.starts[payload].1),
            ARRIVAL => Event::Arrive(Slot(payload)),
            _ => Event::Wake(NodeId::new(payload as u16).expect("it was entered with its number")),
        };
        Some((moment(entry), event))
    }

    /// The datagram that has arrived.
    pub fn take_arrived(&mut self, Slot(slot): Slot) -> Datagram<M> {
        self.free.push(slot);
        self.datagrams[slot].take().expect("a datagram lies in its slot until it arrives, and arrives once")
    }

    fn enter(&mut self, at: u64, class: u64, payload: usize) {
        self.entered += 1;
        assert!(self.entered >> NUMBER_BITS == 0, "there were more events than an entry can count");
        assert!(payload >> PAYLOAD_BITS == 0, "there are more datagrams in flight than an entry can name");
        let low = class << (64 - CLASS_BITS) | self.entered << PAYLOAD_BITS | payload as u64;
        self.heap.push(Reverse(u128::from(at) << 64 | u128::from(low)));
    }
}

fn moment(entry: Entry) -> u64 {
    (entry >> 64) as u64
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
        let mut order = Vec::new();
        while let Some((at, event)) = agenda.pop_by(5) {
            order.push(match event {
                Event::Start(node, process) => (at, format!("start {node} {process}")),
                Event::Arrive(slot) => (at, format!("arrive {}", agenda.take_arrived(slot).message)),
                Event::Wake(node) => (at, format!("wake {node}")),
            });
        }
        let expected = [(4, "arrive 3"), (5, "start 3 1"), (5, "arrive 1"), (5, "arrive 2"), (5, "wake 1")];
        assert_eq!(order, expected.map(|(at, what)| (at, what.to_owned())));
        assert_eq!(agenda.next_at(), None);
    }
}
