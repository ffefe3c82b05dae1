//! What stands between socket and machine at one receiver: fault verdict, verdict queue, order filter.
//!
//! The order is the house's: what link faults let pass waits in the queue for its moment, then meets the order filter
//! (assumption 7 of Garcia-Molina 1982), then the machine. Time is an argument, in nanoseconds of lab time, so that a
//! real and a simulated link are this one.
//!
//! Invariant: a datagram's fate is thrown once, when it arrives, by the faults that are in force then. A later change
//! of the table neither drops nor frees what is already held.

mod order;
mod queue;
#[cfg(test)]
mod tests;

pub use order::OrderFilter;
pub use queue::VerdictQueue;

use crate::fault::{FaultId, LinkFault, Passage, Verdict, verdict};
use crate::protocol::{Delivery, NodeId, Span};

/// All that stands before one node's machine.
#[derive(Clone, Debug)]
pub struct Link<P> {
    me: NodeId,
    seed: u64,
    faults: Vec<LinkFault>,
    queue: VerdictQueue<P>,
    filter: Option<OrderFilter>,
}

/// What a link made of a datagram when it arrived.
#[derive(Debug, PartialEq)]
pub enum Arrival<'a, P> {
    /// It waits in the queue, and may leave it at once: see [`Link::depart`].
    Passes,
    /// It is one's own multicast, which the group gives back to its sender. It is gone, and nothing is told of it.
    Own,
    /// A fault dropped it.
    Dropped {
        /// The fault.
        by: FaultId,
        /// What was in it.
        payload: P,
    },
    /// It is held back.
    Held {
        /// The fault that holds it, or that holds the datagram of the same link behind which it stands.
        by: FaultId,
        /// For how long from now.
        span: Span,
        /// What is in it.
        payload: &'a P,
    },
}

/// What leaves a link.
#[derive(Debug, PartialEq)]
pub enum Departure<P> {
    /// It goes to the machine.
    Deliver(Passage, P),
    /// The order filter drops it: a younger one of its sender and channel has gone before.
    Stale(Passage),
}

impl<P> Link<P> {
    /// The link to this node, with these faults in force; `seed` is that of the dice.
    pub fn new(me: NodeId, seed: u64, delivery: Delivery, faults: Vec<LinkFault>) -> Link<P> {
        let filter = match delivery {
            Delivery::InOrder | Delivery::OrderedBroadcast => Some(OrderFilter::default()),
            Delivery::AsItComes => None,
        };
        Link { me, seed, faults, queue: VerdictQueue::default(), filter }
    }

    /// From now on these faults are in force, and no others. What is held stays held until its time.
    pub fn set_faults(&mut self, faults: Vec<LinkFault>) {
        self.faults = faults;
    }

    /// Takes in a datagram that arrived at `now`. What may go on is to be had from [`Link::depart`].
    pub fn arrive(&mut self, now: u64, passage: Passage, payload: P) -> Arrival<'_, P> {
        if passage.multicast && passage.from == self.me {
            return Arrival::Own;
        }
        let hold = match verdict(&self.faults, self.seed, &passage) {
            Verdict::Drop(by) => return Arrival::Dropped { by, payload },
            Verdict::Hold(by, span) => Some((by, span)),
            Verdict::Deliver => None,
        };
        match self.queue.push(now, passage, payload, hold) {
            None => Arrival::Passes,
            Some((by, span, payload)) => Arrival::Held { by, span, payload },
        }
    }

    /// The next datagram whose moment has come, or `None` when no more may leave by `now`.
    pub fn depart(&mut self, now: u64) -> Option<Departure<P>> {
        let (passage, payload) = self.queue.pop(now)?;
        let stale = self.filter.as_mut().is_some_and(|filter| !filter.admits(&passage));
        Some(if stale { Departure::Stale(passage) } else { Departure::Deliver(passage, payload) })
    }

    /// When the next datagram may leave, if one waits.
    pub fn next_release(&self) -> Option<u64> {
        self.queue.next_release()
    }
}
