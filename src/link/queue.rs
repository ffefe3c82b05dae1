//! The verdict queue: datagrams wait here until the moment that their verdict names.
//!
//! Invariant: datagrams of one sender leave in the order in which they came, so a delay breaks assumption 8 and never
//! assumption 7: one that was not delayed waits behind one that was.

use std::collections::BTreeMap;

use crate::fault::{FaultId, Passage};
use crate::protocol::{NodeId, Span};

/// Datagrams by the moment at which they may leave, in nanoseconds of lab time.
#[derive(Clone, Debug)]
pub struct VerdictQueue<P> {
    /// Keyed by release and arrival number, so that equal releases leave as they came.
    waiting: BTreeMap<(u64, u64), (Passage, P)>,
    arrivals: u64,
    /// For each sender the release of its last held datagram, and the fault that holds it.
    tails: BTreeMap<NodeId, (u64, FaultId)>,
}

impl<P> Default for VerdictQueue<P> {
    fn default() -> VerdictQueue<P> {
        VerdictQueue { waiting: BTreeMap::new(), arrivals: 0, tails: BTreeMap::new() }
    }
}

impl<P> VerdictQueue<P> {
    /// Puts a datagram in line. If it has to wait: the fault because of which it does, for how long, and what is in it.
    pub fn push(
        &mut self,
        now: u64,
        passage: Passage,
        payload: P,
        hold: Option<(FaultId, Span)>,
    ) -> Option<(FaultId, Span, &P)> {
        let own = hold.map(|(by, span)| (now.saturating_add(span.nanos()), by));
        let ahead = self.tails.get(&passage.from).copied().filter(|(release, _)| *release > now);
        let held = match (own, ahead) {
            (Some(own), Some(ahead)) if ahead.0 > own.0 => Some(ahead),
            (own, ahead) => own.or(ahead),
        };
        match held {
            Some(tail) => self.tails.insert(passage.from, tail),
            None => self.tails.remove(&passage.from),
        };
        self.arrivals += 1;
        let release = held.map_or(now, |(release, _)| release);
        let (_, payload) = self.waiting.entry((release, self.arrivals)).or_insert((passage, payload));
        held.map(|(release, by)| (by, Span::from_nanos(release - now), &*payload))
    }

    /// Takes out the first datagram that may leave by `now`.
    pub fn pop(&mut self, now: u64) -> Option<(Passage, P)> {
        let first = self.waiting.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(first.remove())
    }

    /// When the first one may leave.
    pub fn next_release(&self) -> Option<u64> {
        self.waiting.first_key_value().map(|((release, _), _)| *release)
    }
}
