//! The order filter: assumption 7 of Garcia-Molina 1982 by a number on every datagram.
//!
//! Invariant: of one sender and channel, what is admitted has ever higher (incarnation, sequence). So a reordering
//! before the filter is a loss, and a copy is nothing.

use std::collections::BTreeMap;

use crate::fault::Passage;
use crate::protocol::{Incarnation, NodeId};

/// Remembers the youngest datagram of each sender and channel.
#[derive(Clone, Default, Debug)]
pub struct OrderFilter {
    /// Keyed by the sender and whether the channel is the multicast, whose numbers are counted apart.
    youngest: BTreeMap<(NodeId, bool), (Incarnation, u64)>,
}

impl OrderFilter {
    /// Whether the datagram is younger than all that were admitted of its sender and channel; if so it is admitted.
    pub fn admits(&mut self, passage: &Passage) -> bool {
        let age = (passage.incarnation, passage.sequence);
        let channel = (passage.from, passage.multicast);
        if self.youngest.get(&channel).is_some_and(|youngest| age <= *youngest) {
            return false;
        }
        self.youngest.insert(channel, age);
        true
    }
}
