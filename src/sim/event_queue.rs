//! The agenda: all future events of virtual time, in one order.
//!
//! Events of one instant come in this order: machines start, datagrams arrive, nodes wake for their timers. So an
//! answer that comes just in time comes before the time-out on it (the notes: deliveries before time-outs). Equal
//! events come in the order of their entry, which the seed has drawn.
//!
//! Invariant: nothing happens before it was entered; the same entries in the same order come out in one order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fault::Passage;
use link::BroadcastId;
use protocol::NodeId;

/// A datagram on its way.
#[derive(Clone, Debug)]
pub(super) struct Datagram<M> {
    /// When it left, in nanoseconds of lab time.
    pub sent: u64,
    /// The sender and its receiver.
    pub passage: Passage,
    /// The ordered broadcast that it is a copy of, if it is a copy.
    pub original: Option<BroadcastId>,
    /// What is in it.
    pub message: M,
}

/// Something that happens.
#[derive(Copy, Clone, Debug)]
pub(super) enum ScheduledEvent {
    /// A process that was started opens for its machine; the number tells its process from later ones of the node.
    Start(NodeId, u32),
    /// A datagram arrives: [`EventQueue::take_arrived`] has it.
    Arrive(Slot),
    /// A node may have something due. Its wake stays until it is entered again or removed.
    Wake(NodeId),
}

/// The place of a datagram that has arrived.
#[derive(Copy, Clone, Debug)]
pub(super) struct Slot(usize);

/// The future events, by their moment.
#[derive(Debug)]
pub(super) struct EventQueue<M> {
    /// Starts and arrivals.
    heap: BinaryHeap<Reverse<AgendaEntry>>,
    wakes: Wakes,
    /// Datagrams stay here, while their entries move.
    datagrams: Vec<Option<Datagram<M>>>,
    free: Vec<usize>,
    /// Every start that was ever entered: there are few.
    starts: Vec<(NodeId, u32)>,
    entered: u64,
}

/// The moment, the class, the number of the entry, the payload, from the highest bits to the lowest: one number is
/// moved and compared faster than four.
type AgendaEntry = u128;

const CLASS_BITS: u32 = 2;
const PAYLOAD_BITS: u32 = 24;
const NUMBER_BITS: u32 = 64 - CLASS_BITS - PAYLOAD_BITS;

/// The classes, in the order in which they come at one instant. A start's payload and an arrival's is a slot, a wake's
/// is the node.
const START: u64 = 0;
const ARRIVAL: u64 = 1;
const WAKE: u64 = 2;

/// Later than everything that is entered.
const NOTHING: AgendaEntry = AgendaEntry::MAX;

/// The next wake of each node: a tournament; the earlier of two goes on.
#[derive(Debug)]
struct Wakes {
    /// The winner of all is at 1, the winner of 2p and 2p + 1 at p; the nodes' own are in the second half.
    places: Vec<AgendaEntry>,
}

impl Wakes {
    fn new(nodes: u16) -> Wakes {
        Wakes { places: vec![NOTHING; 2 * usize::from(nodes).next_power_of_two()] }
    }

    fn earliest(&self) -> AgendaEntry {
        // With one node, place 1 is its own.
        self.places[1]
    }

    fn of(&self, node: NodeId) -> AgendaEntry {
        self.places[self.place(node)]
    }

    fn place(&self, node: NodeId) -> usize {
        self.places.len() / 2 + usize::from(node.get() - 1)
    }

    fn set(&mut self, node: NodeId, entry: AgendaEntry) {
        let mut place = self.place(node);
        self.places[place] = entry;
        while place > 1 {
            // Nobody can predict which of the two wins, so no branch decides it.
            let winner = self.places[place ^ usize::from(self.places[place ^ 1] < self.places[place])];
            place /= 2;
            if self.places[place] == winner {
                break;
            }
            self.places[place] = winner;
        }
    }
}

impl<M> EventQueue<M> {
    /// No events yet, for this many nodes.
    pub fn new(nodes: u16) -> EventQueue<M> {
        EventQueue {
            heap: BinaryHeap::new(),
            wakes: Wakes::new(nodes),
            datagrams: Vec::new(),
            free: Vec::new(),
            starts: Vec::new(),
            entered: 0,
        }
    }

    /// Enters the start of a machine at this moment of lab time, in nanoseconds, as all moments here.
    pub fn enter_start(&mut self, at: u64, node: NodeId, process: u32) {
        self.starts.push((node, process));
        let entry = self.entry(at, START, self.starts.len() - 1);
        self.heap.push(Reverse(entry));
    }

    /// Enters the arrival of a datagram.
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
        let entry = self.entry(at, ARRIVAL, slot);
        self.heap.push(Reverse(entry));
    }

    /// Wakes a node then, and no longer at its earlier moment.
    pub fn enter_wake(&mut self, at: u64, node: NodeId) {
        let entry = self.entry(at, WAKE, usize::from(node.get()));
        self.wakes.set(node, entry);
    }

    /// Wakes a node no longer.
    pub fn strike_wake(&mut self, node: NodeId) {
        self.wakes.set(node, NOTHING);
    }

    /// Whether a node wakes by this moment.
    pub fn wakes_by(&self, at: u64, node: NodeId) -> bool {
        let wake = self.wakes.of(node);
        wake != NOTHING && moment(wake) <= at
    }

    /// How many datagrams are under way.
    pub fn under_way(&self) -> usize {
        self.datagrams.len() - self.free.len()
    }

    /// The moment of the next event.
    pub fn next_at(&self) -> Option<u64> {
        let next = self.earliest().min(self.wakes.earliest());
        (next != NOTHING).then(|| moment(next))
    }

    /// Takes out the next event, if it comes by this moment.
    pub fn pop_by(&mut self, until: u64) -> Option<(u64, ScheduledEvent)> {
        let (entry, wake) = (self.earliest(), self.wakes.earliest());
        let next = entry.min(wake);
        if next == NOTHING || moment(next) > until {
            return None;
        }
        // The low half has the class, the number and the payload.
        let low = next as u64;
        let payload = (low & ((1 << PAYLOAD_BITS) - 1)) as usize;
        let event = if wake < entry {
            ScheduledEvent::Wake(NodeId::new(payload as u16).expect("it was entered with its number"))
        } else {
            self.heap.pop();
            match low >> (64 - CLASS_BITS) {
                START => ScheduledEvent::Start(self.starts[payload].0, self.starts[payload].1),
                _ => ScheduledEvent::Arrive(Slot(payload)),
            }
        };
        Some((moment(next), event))
    }

    /// The datagram that has arrived.
    pub fn take_arrived(&mut self, Slot(slot): Slot) -> Datagram<M> {
        self.free.push(slot);
        self.datagrams[slot].take().expect("a datagram lies in its slot until it arrives, and arrives once")
    }

    fn earliest(&self) -> AgendaEntry {
        self.heap.peek().map_or(NOTHING, |Reverse(entry)| *entry)
    }

    fn entry(&mut self, at: u64, class: u64, payload: usize) -> AgendaEntry {
        self.entered += 1;
        assert!(self.entered >> NUMBER_BITS == 0, "there were more events than an entry can count");
        assert!(payload >> PAYLOAD_BITS == 0, "there are more datagrams in flight than an entry can name");
        let low = class << (64 - CLASS_BITS) | self.entered << PAYLOAD_BITS | payload as u64;
        u128::from(at) << 64 | u128::from(low)
    }
}

fn moment(entry: AgendaEntry) -> u64 {
    (entry >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Incarnation;

    #[test]
    fn at_one_instant_starts_come_before_arrivals() {
        let node = |number| NodeId::new(number).unwrap();
        let passage =
            |sequence| Passage { from: node(1), to: node(2), multicast: false, incarnation: Incarnation(1), sequence };
        let datagram = |sequence| Datagram { sent: 0, passage: passage(sequence), original: None, message: sequence };
        let mut agenda = EventQueue::new(3);
        agenda.enter_wake(5, node(1));
        agenda.enter_arrival(5, datagram(1));
        agenda.enter_arrival(5, datagram(2));
        agenda.enter_arrival(4, datagram(3));
        agenda.enter_start(5, node(3), 1);
        let mut order = Vec::new();
        while let Some((at, event)) = agenda.pop_by(5) {
            order.push(match event {
                ScheduledEvent::Start(node, process) => (at, format!("start {node} {process}")),
                ScheduledEvent::Arrive(slot) => (at, format!("arrive {}", agenda.take_arrived(slot).message)),
                ScheduledEvent::Wake(node) => {
                    agenda.strike_wake(node);
                    (at, format!("wake {node}"))
                }
            });
        }
        let expected = [(4, "arrive 3"), (5, "start 3 1"), (5, "arrive 1"), (5, "arrive 2"), (5, "wake 1")];
        assert_eq!(order, expected.map(|(at, what)| (at, what.to_owned())));
        assert_eq!(agenda.next_at(), None);
    }

    #[test]
    fn a_node_is_woken_when_entered_last() {
        for nodes in [1, 2, 3, 5, 8, 200] {
            let mut agenda: EventQueue<()> = EventQueue::new(nodes);
            let node = |number| NodeId::new(number).unwrap();
            (1..=nodes).for_each(|number| agenda.enter_wake(9, node(number)));
            agenda.enter_wake(7, node(nodes));
            agenda.enter_wake(8, node(1));
            (2..nodes).rev().for_each(|number| agenda.enter_wake(8, node(number)));
            let next = || {
                let (at, event) = agenda.pop_by(8)?;
                let ScheduledEvent::Wake(node) = event else { unreachable!("nothing else was entered") };
                agenda.strike_wake(node);
                Some((at, format!("{event:?}")))
            };
            let woken: Vec<(u64, String)> = std::iter::from_fn(next).take(2 * usize::from(nodes)).collect();
            let last = (nodes > 1).then_some((7, nodes));
            let in_order = last.into_iter().chain([(8, 1)]).chain((2..nodes).rev().map(|number| (8, number)));
            let expected: Vec<_> = in_order.map(|(at, number)| (at, format!("Wake(n{number})"))).collect();
            assert_eq!((woken, agenda.next_at()), (expected, None), "{nodes} nodes");
        }
    }
}
