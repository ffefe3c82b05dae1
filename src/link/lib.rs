//! What stands between socket and machine at one receiver: fault verdict, verdict queue, order filter, tampering.
//!
//! The order is this project's: a datagram that link faults let pass waits in the queue for its moment, then meets the
//! order filter (assumption 7 of Garcia-Molina 1982), or as a copy of a broadcast the ordered broadcast, then the
//! faults that bite behind it, then the machine. Time is an argument, in nanoseconds of lab time, so a real and a
//! simulated link are the same.
//!
//! Invariant: a datagram's fate is thrown once, when it arrives, by the faults that are in force then. A later change
//! of the table neither drops nor frees what a delay holds; what a `hold` keeps it frees when no hold concerns its link
//! any more. What bites behind the filter is thrown when it leaves the
//! queue, by the faults that are in force at that moment.

#[cfg(test)]
mod copies;
mod courier;
mod held;
#[cfg(test)]
mod holds;
mod order;
mod ordered;
mod queue;
mod tampering;
#[cfg(test)]
mod tests;

pub use courier::ActResult;
use held::{CourierChanges, Held, HeldDatagrams};
pub use order::OrderFilter;
pub use ordered::{BroadcastCount, BroadcastId, CopySource, CopyTaken, MissChance, OrderedBroadcast};
pub use queue::VerdictQueue;
pub use tampering::{Lane, MessageOrigin, TamperedQueue};

use fault::{
    CopyKind, FaultId, LinkFault, LinkVerdict, Passage, RateLimits, ReleaseOrder, Tampering, freeing, holding,
    tampered, verdict,
};
use protocol::{Delivery, NodeId, Span};

/// The most datagrams that wait in a link's queue.
const WAITING_MAX: usize = 65_536;

/// All that stands before one node's machine.
#[derive(Clone, Debug)]
pub struct Link<P> {
    terms: LinkTerms,
    faults: Vec<LinkFault>,
    paces: RateLimits,
    queue: VerdictQueue<DatagramContent<P>>,
    kept: HeldDatagrams<DatagramContent<P>>,
    /// How many datagrams found the queue full, since the last call.
    overflow: u64,
    filter: Option<OrderFilter>,
    ordered: OrderedBroadcast<P>,
    tampered: TamperedQueue<P>,
}

/// The content of a datagram.
#[derive(Clone, Debug)]
struct DatagramContent<P> {
    /// The ordered broadcast of which it is a copy, if it is one.
    original: Option<BroadcastId>,
    /// When it left its sender, in nanoseconds of lab time.
    sent: u64,
    /// What a person did to it while it was held.
    by_hand: CourierChanges,
    payload: P,
}

/// The fixed terms of a link.
#[derive(Copy, Clone, Debug)]
pub struct LinkTerms {
    /// The node whose link it is.
    pub me: NodeId,
    /// The seed of the dice.
    pub seed: u64,
    /// What stands between the queue and the machine.
    pub delivery: Delivery,
    /// The most that one way may take: a message that is to be overtaken waits no longer than that leaves it.
    pub one_way: Span,
    /// How long after its stamp an ordered broadcast is delivered.
    pub delta: Span,
}

/// What a link made of a datagram when it arrived.
#[derive(Debug, PartialEq)]
pub enum Arrival<'a, P> {
    /// Waits in the queue, and may leave it at once: see [`Link::depart`].
    Passes,
    /// Is the node's own multicast, which the group gives back to its sender. It is gone, and nothing is recorded of
    /// it.
    Own,
    /// The queue is full: it is gone, and counted, see [`Link::take_overflow`].
    Overflows,
    /// A fault dropped it.
    Dropped {
        /// The fault.
        by: FaultId,
        /// What was in it.
        payload: P,
    },
    /// Is held back.
    Held {
        /// The fault that holds it, or that holds the datagram of the same link behind which it stands.
        by: FaultId,
        /// For how long from now; `None` if only a release ends it.
        span: Option<Span>,
        /// What is in it.
        payload: &'a P,
    },
}

/// A held datagram that is let go. It leaves by [`Link::depart`].
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Released {
    /// The way.
    pub passage: Passage,
    /// The ordered broadcast of which it is a copy, if it is one.
    pub original: Option<BroadcastId>,
    /// The release; or the hold itself, if that was lifted.
    pub by: FaultId,
}

/// What the short way makes of a datagram.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FastPathResult {
    /// Goes to the machine.
    Deliver,
    /// The order filter drops it: a younger one of its sender and channel has passed before.
    Stale,
    /// Is the node's own multicast, which the group gives back to its sender.
    Own,
}

/// What leaves a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Departure<P> {
    /// Goes to the machine.
    Deliver(Passage, P),
    /// Goes to the machine with another body, or not at all if that is no message.
    Garble {
        /// The way.
        passage: Passage,
        /// What was in it.
        payload: P,
        /// The fault.
        by: FaultId,
        /// Where in the body it bites, as a share of its length in [0, 1).
        place: f64,
    },
    /// A fault doubles it: it leaves twice after this.
    Duplicated {
        /// The way.
        passage: Passage,
        /// The fault.
        by: FaultId,
    },
    /// Waits for another to overtake it, and leaves after this long if none has.
    Waits {
        /// The way.
        passage: Passage,
        /// What is in it.
        payload: P,
        /// The fault.
        by: FaultId,
        /// How long.
        span: Span,
    },
    /// A fault let it be overtaken by what has just left; it leaves next.
    Overtaken {
        /// The way.
        passage: Passage,
        /// The fault.
        by: FaultId,
    },
    /// The order filter drops it: a younger one of its sender and channel has passed before.
    Stale(Passage),
    /// The ordered broadcast wants this copy relayed to all. It goes to the machine later.
    Relay(BroadcastId, P),
    /// The ordered broadcast discards it: no copy of it came in time. It came this long past its moment.
    Late(BroadcastId, Span, P),
}

impl<P: Clone> Link<P> {
    /// The link with these terms, with these faults in force.
    pub fn new(terms: LinkTerms, faults: Vec<LinkFault>) -> Link<P> {
        let filter = match terms.delivery {
            Delivery::InOrder | Delivery::OrderedBroadcast => Some(OrderFilter::default()),
            Delivery::AsItComes => None,
        };
        let tampered = TamperedQueue::new(terms.one_way);
        let ordered = OrderedBroadcast::new(terms.delta);
        let (queue, kept) = (VerdictQueue::default(), HeldDatagrams::default());
        Link { terms, faults, paces: RateLimits::default(), queue, kept, overflow: 0, filter, ordered, tampered }
    }

    /// From `now` on these faults are in force, and no others. A datagram that a delay holds stays held until its time.
    /// Datagrams that were kept on links that no hold concerns any more are let go, and returned in the order in which
    /// they go.
    pub fn set_faults(&mut self, now: u64, faults: Vec<LinkFault>) -> Vec<Released> {
        self.faults = faults;
        self.paces.keep(&self.faults);
        let (faults, me) = (&self.faults, self.terms.me);
        let freed = |from, hold| freeing(faults, hold, from, me);
        let held = self.kept.take(|from, hold| match holding(faults, from, me) {
            Some(_) => None,
            None => Some(freed(from, hold).map_or(ReleaseOrder::InOrder, |(_, order)| order)),
        });
        let releaser =
            |held: &Held<DatagramContent<P>>| freed(held.passage.from, held.by).map_or(held.by, |(release, _)| release);
        let released: Vec<_> = courier::in_order(held).into_iter().map(|held| (releaser(&held), held)).collect();
        released.into_iter().map(|(by, held)| self.let_go(now, held, by)).collect()
    }

    /// Puts what was held in line; it is let go by this fault.
    fn let_go(&mut self, now: u64, held: Held<DatagramContent<P>>, by: FaultId) -> Released {
        let Held { by: hold, passage, payload, until } = held;
        let original = payload.original;
        let delay = (until > now).then(|| (hold, Span::from_nanos(until - now)));
        self.queue.push(now, passage, payload, delay);
        Released { passage, original, by }
    }

    /// Whether a fault spoils the datagram before its tag is checked, and where in its bytes, as a share of their
    /// length in [0, 1). Call it before [`Link::arrive`]; the caller does the spoiling and checks the tag.
    pub fn spoils(&self, passage: &Passage) -> Option<(FaultId, f64)> {
        if self.is_own(passage) {
            return None;
        }
        tampered(&self.faults, self.terms.seed, passage, Tampering::Corrupt, CopyKind::Original)
    }

    /// The short way of a datagram that is no copy of an ordered broadcast, while no fault is in force and nothing
    /// waits: what [`Link::arrive`] and [`Link::depart`] would make of it at one moment. `None`: it must go the long
    /// way.
    pub fn pass(&mut self, passage: &Passage) -> Option<FastPathResult> {
        let is_clear = self.faults.is_empty()
            && self.queue.is_empty()
            && self.tampered.is_idle()
            && self.ordered.next_late().is_none();
        if !is_clear {
            return None;
        }
        if self.is_own(passage) {
            return Some(FastPathResult::Own);
        }
        let is_stale = self.filter.as_mut().is_some_and(|filter| !filter.admits(passage));
        Some(if is_stale { FastPathResult::Stale } else { FastPathResult::Deliver })
    }

    /// Takes in a datagram that left its sender at `sent` and arrived at `now`. [`Link::depart`] gives what may go on.
    /// A copy of an ordered broadcast names its original: its passage is then the copy's own, from the node that sent
    /// the copy.
    pub fn arrive(
        &mut self,
        now: u64,
        sent: u64,
        passage: Passage,
        original: Option<BroadcastId>,
        payload: P,
    ) -> Arrival<'_, P> {
        if self.is_own(&passage) {
            return Arrival::Own;
        }
        let is_full = self.queue.len() + self.kept.len() >= WAITING_MAX;
        let parcel = |payload| DatagramContent { original, sent, by_hand: CourierChanges::default(), payload };
        let hold = match verdict(&self.faults, self.terms.seed, &passage, now, &mut self.paces) {
            LinkVerdict::Drop(by) => return Arrival::Dropped { by, payload },
            // The fault would hold it and finds no room: the fault loses it.
            LinkVerdict::Keep(by, _) | LinkVerdict::Hold(by, _) if is_full => return Arrival::Dropped { by, payload },
            LinkVerdict::Deliver if is_full => {
                self.overflow += 1;
                return Arrival::Overflows;
            }
            LinkVerdict::Keep(by, span) => {
                let until = now.saturating_add(span.nanos());
                let parcel = self.kept.push(Held { by, passage, payload: parcel(payload), until });
                return Arrival::Held { by, span: None, payload: &parcel.payload };
            }
            LinkVerdict::Hold(by, span) => Some((by, span)),
            LinkVerdict::Deliver => None,
        };
        match self.queue.push(now, passage, parcel(payload), hold) {
            None => Arrival::Passes,
            Some((by, span, parcel)) => Arrival::Held { by, span: Some(span), payload: &parcel.payload },
        }
    }

    /// How many datagrams found the queue full since the last call. They are lost as in a receive buffer that is full
    /// (assumption 8).
    pub fn take_overflow(&mut self) -> u64 {
        std::mem::take(&mut self.overflow)
    }

    /// This node has sent an ordered broadcast, which will come back to it through the layer.
    pub fn broadcast(&mut self, original: BroadcastId, payload: P) {
        self.ordered.sent(original, payload);
    }

    /// What leaves next, or `None` when nothing more leaves by `now`.
    pub fn depart(&mut self, now: u64) -> Option<Departure<P>> {
        if self.is_idle() {
            return None;
        }
        loop {
            if let Some(leaves) = self.tampered.pop(now) {
                return Some(leaves);
            }
            let Some((passage, DatagramContent { original, sent, by_hand, payload })) = self.queue.pop(now) else {
                break;
            };
            if let Some(original) = original {
                let hop = if passage.from == original.from { CopySource::Direct } else { CopySource::Relayed };
                match self.ordered.take(now, original, hop, payload) {
                    CopyTaken::Nothing => continue,
                    CopyTaken::Relay(payload) => return Some(Departure::Relay(original, payload)),
                    CopyTaken::Late(span, payload) => return Some(Departure::Late(original, span, payload)),
                }
            }
            let is_stale = self.filter.as_mut().is_some_and(|filter| !filter.admits(&passage));
            // A hand let another overtake it behind the filter.
            if is_stale && by_hand.overtaken.is_none() {
                return Some(Departure::Stale(passage));
            }
            let way = MessageOrigin { lane: Some(passage.from), passage, sent, by_hand };
            self.tampered.push(&self.faults, self.terms.seed, now, way, payload);
        }
        self.ordered.pop_late(now).map(|(original, span, payload)| Departure::Late(original, span, payload))
    }

    /// Lets the next ordered broadcast go whose moment has come by `by`; [`Link::depart`] then gives it. Returns
    /// whether there was one. (This is apart from the rest, so that broadcasts and time-outs can be taken in the order
    /// of their moments.)
    pub fn release_ordered(&mut self, now: u64, by: u64) -> bool {
        let Some((original, payload)) = self.ordered.pop(by) else { return false };
        let passage = original.passage(self.terms.me);
        let way = MessageOrigin { lane: None, passage, sent: original.stamp, by_hand: CourierChanges::default() };
        self.tampered.push(&self.faults, self.terms.seed, now, way, payload);
        true
    }

    /// When the next ordered broadcast is to be let go.
    pub fn next_ordered(&self) -> Option<u64> {
        self.ordered.next_delivery()
    }

    /// When the next one may leave, if one waits.
    pub fn next_release(&self) -> Option<u64> {
        // Most of the time nothing waits before a machine, and this is called after every event.
        if self.is_idle() {
            return None;
        }
        let all = [
            self.queue.next_release(),
            self.tampered.next_release(),
            self.ordered.next_delivery(),
            self.ordered.next_late(),
        ];
        all.into_iter().flatten().min()
    }

    /// Whether nothing waits in it.
    fn is_idle(&self) -> bool {
        self.queue.is_empty()
            && self.tampered.is_idle()
            && self.ordered.next_delivery().is_none()
            && self.ordered.next_late().is_none()
    }

    /// Whether it is the node's own multicast, which the group gives back to its sender.
    fn is_own(&self, passage: &Passage) -> bool {
        passage.multicast && passage.from == self.terms.me
    }
}
