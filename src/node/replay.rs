//! The datagrams that a node has had: a copy of one of them was sent again from outside, for neither the kernel nor a
//! fault doubles a datagram before this place. (`duplicate` works behind the link.)
//!
//! A sender numbers its datagrams. Of each sender and channel the node remembers the newest number and which of the
//! [`WINDOW`] before it have come; anything older may be a copy, and counts as one. A node sends or relays each ordered
//! broadcast once: of these the node remembers the same for each pair of relaying node and sender. The host tells a new
//! process what the earlier processes of the node had, so a copy of that is no news either.
//!
//! Invariant: of one sender, incarnation and channel, no number is admitted twice, whichever process of the node had it;
//! and of one node no copy of an ordered broadcast.

use std::collections::BTreeMap;

use fault::Passage;
use link::BroadcastId;
use protocol::{Incarnation, NodeId};
use record::HeardUpTo;

/// How many numbers before the newest are remembered one by one.
const WINDOW: u64 = 1024;
const WORDS: usize = (WINDOW / 64) as usize;

/// What has come, of all senders.
#[derive(Clone, Default, Debug)]
pub struct ReplayGuard {
    /// The place is the sender's number doubled, plus one for the multicast, whose numbers are counted apart.
    channels: Vec<Option<ReplayWindow>>,
    /// By the node that sent the copy, and the broadcast's sender.
    copies: BTreeMap<(NodeId, NodeId), ReplayWindow>,
}

#[derive(Copy, Clone, Debug)]
struct ReplayWindow {
    /// The sender's; of copies also the one of the broadcast's sender.
    incarnation: (Incarnation, Incarnation),
    newest: u64,
    /// The bit of a number is the number modulo [`WINDOW`].
    bits: [u64; WORDS],
}

impl ReplayGuard {
    /// What earlier processes of the node had: those numbers and all before them.
    pub fn after(heard: &[HeardUpTo]) -> ReplayGuard {
        let mut seen = ReplayGuard::default();
        for HeardUpTo { from, multicast, incarnation, sequence } in heard {
            let incarnation = (*incarnation, Incarnation::default());
            let all = ReplayWindow { incarnation, newest: *sequence, bits: [u64::MAX; WORDS] };
            *seen.channel(place_of(*from, *multicast)) = Some(all);
        }
        seen
    }

    /// Whether the datagram, which is a copy of this ordered broadcast if it is one, has not come before; from now on it
    /// has.
    pub fn admits(&mut self, passage: &Passage, original: Option<&BroadcastId>) -> bool {
        let Some(original) = original else {
            let incarnation = (passage.incarnation, Incarnation::default());
            let window = self.channel(place_of(passage.from, passage.multicast));
            let window = window.get_or_insert_with(|| ReplayWindow::begun(incarnation));
            return window.admits(incarnation, passage.sequence);
        };
        // An earlier process took this broadcast, or a later one of its sender, at its moment.
        let number = ((original.incarnation, Incarnation::default()), original.sequence);
        let had = self.channel(place_of(original.from, true));
        if had.is_some_and(|window| (window.incarnation, window.newest) >= number) {
            return false;
        }
        let incarnation = (passage.incarnation, original.incarnation);
        let window = self.copies.entry((passage.from, original.from));
        window.or_insert_with(|| ReplayWindow::begun(incarnation)).admits(incarnation, original.sequence)
    }

    fn channel(&mut self, place: usize) -> &mut Option<ReplayWindow> {
        if place >= self.channels.len() {
            self.channels.resize(place + 1, None);
        }
        &mut self.channels[place]
    }
}

fn place_of(from: NodeId, multicast: bool) -> usize {
    2 * usize::from(from.get()) + usize::from(multicast)
}

impl ReplayWindow {
    /// Of this process nothing has come.
    fn begun(incarnation: (Incarnation, Incarnation)) -> ReplayWindow {
        ReplayWindow { incarnation, newest: 0, bits: [0; WORDS] }
    }

    fn admits(&mut self, incarnation: (Incarnation, Incarnation), number: u64) -> bool {
        if incarnation != self.incarnation {
            if incarnation < self.incarnation {
                return false;
            }
            *self = ReplayWindow::begun(incarnation);
        }
        if number > self.newest {
            // The numbers between take the places of numbers that leave the window.
            let passed = (number - self.newest).min(WINDOW);
            (0..passed).for_each(|back| self.set(number - back, false));
            self.newest = number;
        } else if self.newest - number >= WINDOW || self.holds(number) {
            return false;
        }
        self.set(number, true);
        true
    }

    fn holds(&self, number: u64) -> bool {
        let place = number % WINDOW;
        self.bits[(place / 64) as usize] >> (place % 64) & 1 == 1
    }

    fn set(&mut self, number: u64, has_come: bool) {
        let place = number % WINDOW;
        let bit = 1 << (place % 64);
        let word = &mut self.bits[(place / 64) as usize];
        *word = if has_come { *word | bit } else { *word & !bit };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use protocol::NodeId;

    fn passage(incarnation: u32, sequence: u64) -> Passage {
        let node = |number| NodeId::new(number).unwrap();
        Passage { from: node(2), to: node(1), multicast: false, incarnation: Incarnation(incarnation), sequence }
    }

    #[test]
    fn a_copy_is_not_admitted_and_what_comes_out_of_order_is() {
        let mut seen = ReplayGuard::default();
        for (number, is_new) in [(1, true), (1, false), (5, true), (3, true), (3, false), (5, false), (4, true)] {
            assert_eq!(seen.admits(&passage(1, number), None), is_new, "{number}");
        }
        assert!(seen.admits(&Passage { multicast: true, ..passage(1, 1) }, None), "the multicast is counted apart");
        assert!(seen.admits(&passage(1, 5000), None));
        assert!(!seen.admits(&passage(1, 5000 - WINDOW), None), "older than the window may be a copy");
        assert!(seen.admits(&passage(1, 5001 - WINDOW), None));
        assert!(seen.admits(&passage(2, 1), None) && !seen.admits(&passage(2, 1), None));
        assert!(!seen.admits(&passage(1, 5002), None), "an earlier process of the sender sends nothing any more");
    }

    #[test]
    fn a_new_process_admits_nothing_that_an_earlier_one_had() {
        let from = NodeId::new(2).unwrap();
        let had = HeardUpTo { from, multicast: false, incarnation: Incarnation(3), sequence: 700 };
        let mut seen = ReplayGuard::after(&[had]);
        for (incarnation, number, is_new) in
            [(3, 700, false), (3, 1, false), (2, 900, false), (3, 701, true), (4, 1, true)]
        {
            assert_eq!(seen.admits(&passage(incarnation, number), None), is_new, "{incarnation} {number}");
        }
    }

    #[test]
    fn a_copy_of_an_ordered_broadcast_is_admitted_once_from_each_node() {
        let node = |number| NodeId::new(number).unwrap();
        let original = |incarnation, sequence| BroadcastId {
            stamp: 1,
            from: node(3),
            incarnation: Incarnation(incarnation),
            sequence,
        };
        let had = HeardUpTo { from: node(3), multicast: true, incarnation: Incarnation(1), sequence: 7 };
        let mut seen = ReplayGuard::after(&[had]);
        let mut takes = |through: u16, original: BroadcastId| {
            let sequence = if through == 3 { original.sequence } else { original.relay_number() };
            let way = Passage { from: node(through), multicast: true, ..passage(1, sequence) };
            seen.admits(&way, Some(&original))
        };
        for (through, incarnation, number, is_new) in [
            (3, 1, 7, false),
            (2, 1, 6, false),
            (3, 1, 8, true),
            (2, 1, 8, true),
            (2, 1, 8, false),
            (3, 1, 8, false),
            (3, 1, 9, true),
            (2, 2, 1, true),
            (2, 1, 9, false),
        ] {
            assert_eq!(takes(through, original(incarnation, number)), is_new, "{through} {incarnation} {number}");
        }
    }

    proptest! {
        #[test]
        fn no_number_is_admitted_twice(numbers in prop::collection::vec(1u64..4000, 0..300)) {
            let mut seen = ReplayGuard::default();
            let mut admitted = Vec::new();
            for number in numbers {
                let newest = admitted.iter().copied().max().unwrap_or(0);
                let expected = !admitted.contains(&number) && number + WINDOW > newest;
                prop_assert_eq!(seen.admits(&passage(1, number), None), expected);
                if expected {
                    admitted.push(number);
                }
            }
        }
    }
}
