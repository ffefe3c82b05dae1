//! The order filter: assumption 7 of Garcia-Molina 1982 by a number on every datagram.
//!
//! Invariant: of one sender and channel, what is admitted has ever higher (incarnation, sequence). So a reordering
//! before the filter is a loss, and a copy is nothing.

use fault::Passage;
use protocol::Incarnation;

/// Remembers the youngest datagram of each sender and channel.
#[derive(Clone, Default, Debug)]
pub struct OrderFilter {
    /// The place is the sender's number doubled, plus one for the multicast, whose numbers are counted apart.
    youngest: Vec<Option<(Incarnation, u64)>>,
}

impl OrderFilter {
    /// Whether the datagram is younger than all that were admitted of its sender and channel; if so it is admitted.
    pub fn admits(&mut self, passage: &Passage) -> bool {
        let age = (passage.incarnation, passage.sequence);
        let place = 2 * usize::from(passage.from.get()) + usize::from(passage.multicast);
        if place >= self.youngest.len() {
            self.youngest.resize(place + 1, None);
        }
        let youngest = &mut self.youngest[place];
        if youngest.is_some_and(|youngest| age <= youngest) {
            return false;
        }
        *youngest = Some(age);
        true
    }
}
