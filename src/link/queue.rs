//! The verdict queue: datagrams wait here until the moment that their verdict names.
//!
//! Invariant: datagrams of one sender leave in the order in which they came, so a delay breaks assumption 8 and never
//! assumption 7: one that was not delayed waits behind one that was. What was held and is let go reversed comes in line
//! in that order.

use std::collections::VecDeque;

use fault::{FaultId, Passage};
use protocol::{NodeMap, Span};

/// Datagrams by the moment at which they may leave, in nanoseconds of lab time.
#[derive(Clone, Debug)]
pub struct VerdictQueue<P> {
    /// In the order of their places.
    line: VecDeque<(Place, Passage, P)>,
    arrivals: u64,
    /// For each sender the release of its last held datagram, and the fault that holds it.
    tails: NodeMap<(u64, FaultId)>,
}

/// A place in line: release and arrival number, so that equal releases leave as they came.
type Place = (u64, u64);

impl<P> Default for VerdictQueue<P> {
    fn default() -> VerdictQueue<P> {
        VerdictQueue { line: VecDeque::new(), arrivals: 0, tails: NodeMap::new() }
    }
}

impl<P> VerdictQueue<P> {
    /// Puts a datagram in line. If it must wait: the fault that makes it wait, for how long, and what is in it.
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
        self.arrivals += 1;
        let Some((release, by)) = held else {
            self.tails.remove(&passage.from);
            self.stand((now, self.arrivals), passage, payload);
            return None;
        };
        self.tails.insert(passage.from, (release, by));
        let payload = self.stand((release, self.arrivals), passage, payload);
        Some((by, Span::from_nanos(release - now), payload))
    }

    /// Takes out the first datagram that may leave by `now`.
    pub fn pop(&mut self, now: u64) -> Option<(Passage, P)> {
        self.line.front().filter(|(place, ..)| place.0 <= now)?;
        self.line.pop_front().map(|(_, passage, payload)| (passage, payload))
    }

    /// How many are in line.
    pub fn len(&self) -> usize {
        self.line.len()
    }

    /// Whether nothing is in line.
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// When the first one may leave.
    pub fn next_release(&self) -> Option<u64> {
        self.line.front().map(|(place, ..)| place.0)
    }

    /// Puts a datagram in its place, which is most often the last or the first.
    fn stand(&mut self, place: Place, passage: Passage, payload: P) -> &P {
        let index = self.line.partition_point(|(earlier, ..)| *earlier < place);
        self.line.insert(index, (place, passage, payload));
        &self.line[index].2
    }
}
