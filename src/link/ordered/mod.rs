//! The ordered broadcast: the synchronous atomic broadcast for one crash (Cristian, Aghili, Strong and Dolev), which
//! King, Gendreau and Ni 1988 take for granted under Algorithms A, B.1 and B.2 (their conditions a, b and c).
//!
//! A broadcast bears the moment of its sending, on the clock that all processes of this computer share. A node that
//! receives it from its sender relays it, once; every node that has it delivers it at stamp + Delta, in the order of
//! stamp and sender. The hop rule makes it all or nothing: a direct copy is taken only until stamp + Delta/2, a relayed
//! one until stamp + Delta. So a node that takes a direct copy has Delta/2 left for its relay to reach all. Without
//! that rule a copy that is just in time here is relayed too late for others, and some deliver what others do not.
//!
//! A broadcast that comes too late is discarded and recorded, once for each broadcast: the layer's condition (c) is
//! broken then, the papers' assumption 8. A late direct copy is recorded only when no relay has made it good by stamp +
//! Delta.
//!
//! The fault `clock` leaves that clock alone: it runs a machine's timers at another rate, and the clocks that this
//! layer is built on stay synchronised.
//!
//! Invariant: what is delivered is ever higher in (stamp, sender), and nothing is delivered twice.

mod broadcast_count;
#[cfg(test)]
mod loss;
#[cfg(test)]
mod tests;

pub use broadcast_count::{BroadcastCount, MissChance};

use std::collections::BTreeMap;

use litemap::LiteMap;

use fault::Passage;
use protocol::{Incarnation, NodeId, NodeMap, Span};

/// The most broadcasts of one sender that are remembered. A copy of an older one is ignored.
const REMEMBERED_MAX: usize = 1024;

/// A broadcast as all its copies name it. Originals are ordered as they are delivered.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct BroadcastId {
    /// When it was sent, in nanoseconds of lab time.
    pub stamp: u64,
    /// The sender.
    pub from: NodeId,
    /// The sender's incarnation.
    pub incarnation: Incarnation,
    /// The number among the sender's broadcasts.
    pub sequence: u64,
}

impl BroadcastId {
    /// The way to this node, as if it had come straight from its sender.
    pub fn passage(&self, to: NodeId) -> Passage {
        let BroadcastId { from, incarnation, sequence, .. } = *self;
        Passage { from, to, multicast: true, incarnation, sequence }
    }

    /// The number of a relay of it. It is made of what it relays, so that a relay's dice do not depend on what else its
    /// relayer has relayed before.
    pub fn relay_number(&self) -> u64 {
        let incarnation = u64::from(self.incarnation.0) & 0xffff;
        u64::from(self.from.get()) << 48 | incarnation << 32 | self.sequence & 0xffff_ffff
    }
}

/// Where a copy came from.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum CopySource {
    /// From the broadcast's sender.
    Direct,
    /// From another receiver.
    Relayed,
}

/// What to do about a copy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CopyTaken<P> {
    /// Relay it to all.
    Relay(P),
    /// Nothing: it waits for its moment, or is known already.
    Nothing,
    /// Is discarded, this long past its moment, and its broadcast is not delivered here.
    Late(Span, P),
}

/// The broadcasts that wait at one receiver, and those that it knows.
#[derive(Clone, Debug)]
pub struct OrderedBroadcast<P> {
    delta: Span,
    /// How long a direct copy is taken: Delta/2, by the hop rule.
    direct: Span,
    accepted: LiteMap<BroadcastId, P>,
    /// Direct copies that came too late, and how late: a relay may still make them good.
    doubtful: LiteMap<BroadcastId, (Span, P)>,
    known: NodeMap<BTreeMap<(Incarnation, u64), Handled>>,
    /// The last one that was delivered.
    delivered: Option<BroadcastId>,
}

/// What was done about a broadcast.
#[derive(Copy, Clone, Debug, Default)]
struct Handled {
    is_settled: bool,
    is_relayed: bool,
}

impl<P: Clone> OrderedBroadcast<P> {
    /// A layer that delivers at stamp + `delta`.
    pub fn new(delta: Span) -> OrderedBroadcast<P> {
        OrderedBroadcast {
            delta,
            direct: delta / 2,
            accepted: LiteMap::new(),
            doubtful: LiteMap::new(),
            known: NodeMap::new(),
            delivered: None,
        }
    }

    /// This node has sent it: it is delivered here too, through the layer like all others.
    pub fn sent(&mut self, original: BroadcastId, payload: P) {
        let known = self.known(original);
        (known.is_settled, known.is_relayed) = (true, true);
        self.accepted.insert(original, payload);
    }

    /// A copy has come at `now`.
    pub fn take(&mut self, now: u64, original: BroadcastId, hop: CopySource, payload: P) -> CopyTaken<P> {
        if self.is_forgotten(original) {
            return CopyTaken::Nothing;
        }
        let span = match hop {
            CopySource::Direct => self.direct,
            CopySource::Relayed => self.delta,
        };
        let until = original.stamp.saturating_add(span.nanos());
        // A delivery stays: nothing can go before it any more, not even at its very moment.
        if now > until || self.delivered.is_some_and(|delivered| original <= delivered) {
            return self.take_late(now, until, original, payload);
        }
        let known = self.known(original);
        let (was_settled, was_relayed) = (known.is_settled, known.is_relayed);
        known.is_settled = true;
        known.is_relayed |= hop == CopySource::Direct;
        if !was_settled {
            self.doubtful.remove(&original);
            self.accepted.insert(original, payload.clone());
        }
        // Also when a relay was faster than the direct copy: that relayer may be dead.
        if hop == CopySource::Direct && !was_relayed { CopyTaken::Relay(payload) } else { CopyTaken::Nothing }
    }

    /// The next broadcast that is to be delivered by `by`.
    pub fn pop(&mut self, by: u64) -> Option<(BroadcastId, P)> {
        let original = self.accepted.first().map(|(first, _)| *first).filter(|first| due(first, self.delta) <= by)?;
        let payload = self.accepted.remove(&original)?;
        self.delivered = Some(original);
        Some((original, payload))
    }

    /// The next broadcast that came too late and that nothing can make good any more at `now`.
    pub fn pop_late(&mut self, now: u64) -> Option<(BroadcastId, Span, P)> {
        let original = self.doubtful.first().map(|(first, _)| *first).filter(|first| due(first, self.delta) < now)?;
        let (late, payload) = self.doubtful.remove(&original)?;
        self.known(original).is_settled = true;
        Some((original, late, payload))
    }

    /// When the next broadcast is to be delivered.
    pub fn next_delivery(&self) -> Option<u64> {
        self.accepted.first().map(|(original, _)| due(original, self.delta))
    }

    /// When the next one that came too late is to be recorded.
    pub fn next_late(&self) -> Option<u64> {
        self.doubtful.first().map(|(original, _)| due(original, self.delta).saturating_add(1))
    }

    fn take_late(&mut self, now: u64, until: u64, original: BroadcastId, payload: P) -> CopyTaken<P> {
        let ends = due(&original, self.delta);
        let may_be_made_good = now <= ends && self.delivered.is_none_or(|delivered| original > delivered);
        let late = Span::from_nanos(now.saturating_sub(until));
        let known = self.known(original);
        if known.is_settled {
            return CopyTaken::Nothing;
        }
        if may_be_made_good {
            self.doubtful.entry(original).or_insert((late, payload));
            return CopyTaken::Nothing;
        }
        known.is_settled = true;
        self.doubtful.remove(&original);
        CopyTaken::Late(late, payload)
    }

    fn known(&mut self, original: BroadcastId) -> &mut Handled {
        let of_sender = self.known.get_or_default(original.from);
        let number = (original.incarnation, original.sequence);
        if of_sender.len() >= REMEMBERED_MAX && !of_sender.contains_key(&number) {
            of_sender.pop_first();
        }
        of_sender.entry(number).or_default()
    }

    /// Whether it is so old that the layer no longer knows what was done about it.
    fn is_forgotten(&self, original: BroadcastId) -> bool {
        let of_sender = self.known.get(&original.from).filter(|known| known.len() >= REMEMBERED_MAX);
        let oldest = of_sender.and_then(|known| known.first_key_value());
        oldest.is_some_and(|(oldest, _)| (original.incarnation, original.sequence) < *oldest)
    }
}

/// When it is delivered everywhere.
fn due(original: &BroadcastId, delta: Span) -> u64 {
    original.stamp.saturating_add(delta.nanos())
}
