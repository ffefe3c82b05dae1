//! The datagrams that a node has had: a copy of one of them was sent again from outside, for neither the kernel nor a
//! fault doubles a datagram before this place. (`duplicate` works behind the link.)
//!
//! A sender numbers its datagrams. Of each sender and channel the node remembers the newest number and which of the
//! [`WINDOW`] before it have come; anything older may be a copy, and counts as one. The host tells a new process what
//! the earlier processes of the node had, so a copy of that is no news either.
//!
//! Invariant: of one sender, incarnation and channel, no number is admitted twice, whichever process of the node had it.

use crate::fault::Passage;
use crate::protocol::Incarnation;
use crate::record::HeardUpTo;

/// How many numbers before the newest are remembered one by one.
const WINDOW: u64 = 1024;
const WORDS: usize = (WINDOW / 64) as usize;

/// What has come, of all senders.
#[derive(Clone, Default, Debug)]
pub struct ReplayGuard {
    /// The place is the sender's number doubled, plus one for the multicast, whose numbers are counted apart.
    channels: Vec<Option<ReplayWindow>>,
}

#[derive(Copy, Clone, Debug)]
struct ReplayWindow {
    incarnation: Incarnation,
    newest: u64,
    /// The bit of a number is the number modulo [`WINDOW`].
    bits: [u64; WORDS],
}

impl ReplayGuard {
    /// What earlier processes of the node had: those numbers and all before them.
    pub fn after(heard: &[HeardUpTo]) -> ReplayGuard {
        let mut seen = ReplayGuard::default();
        for HeardUpTo { from, multicast, incarnation, sequence } in heard {
            let all = ReplayWindow { incarnation: *incarnation, newest: *sequence, bits: [u64::MAX; WORDS] };
            *seen.channel(2 * usize::from(from.get()) + usize::from(*multicast)) = Some(all);
        }
        seen
    }

    /// Whether the datagram has not come before; from now on it has.
    pub fn admits(&mut self, passage: &Passage) -> bool {
        let place = 2 * usize::from(passage.from.get()) + usize::from(passage.multicast);
        let channel = self.channel(place);
        let begun = ReplayWindow { incarnation: passage.incarnation, newest: 0, bits: [0; WORDS] };
        let window = match channel {
            Some(window) if window.incarnation >= passage.incarnation => window,
            // Of a younger process nothing has come.
            _ => channel.insert(begun),
        };
        window.incarnation == passage.incarnation && window.admits(passage.sequence)
    }

    fn channel(&mut self, place: usize) -> &mut Option<ReplayWindow> {
        if place >= self.channels.len() {
            self.channels.resize(place + 1, None);
        }
        &mut self.channels[place]
    }
}

impl ReplayWindow {
    fn admits(&mut self, number: u64) -> bool {
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
    use crate::protocol::NodeId;

    fn passage(incarnation: u32, sequence: u64) -> Passage {
        let node = |number| NodeId::new(number).unwrap();
        Passage { from: node(2), to: node(1), multicast: false, incarnation: Incarnation(incarnation), sequence }
    }

    #[test]
    fn a_copy_is_not_admitted_and_what_comes_out_of_order_is() {
        let mut seen = ReplayGuard::default();
        for (number, is_new) in [(1, true), (1, false), (5, true), (3, true), (3, false), (5, false), (4, true)] {
            assert_eq!(seen.admits(&passage(1, number)), is_new, "{number}");
        }
        assert!(seen.admits(&Passage { multicast: true, ..passage(1, 1) }), "the multicast is counted apart");
        assert!(seen.admits(&passage(1, 5000)));
        assert!(!seen.admits(&passage(1, 5000 - WINDOW)), "older than the window may be a copy");
        assert!(seen.admits(&passage(1, 5001 - WINDOW)));
        assert!(seen.admits(&passage(2, 1)) && !seen.admits(&passage(2, 1)));
        assert!(!seen.admits(&passage(1, 5002)), "an earlier process of the sender sends nothing any more");
    }

    #[test]
    fn a_new_process_admits_nothing_that_an_earlier_one_had() {
        let from = NodeId::new(2).unwrap();
        let had = HeardUpTo { from, multicast: false, incarnation: Incarnation(3), sequence: 700 };
        let mut seen = ReplayGuard::after(&[had]);
        for (incarnation, number, is_new) in
            [(3, 700, false), (3, 1, false), (2, 900, false), (3, 701, true), (4, 1, true)]
        {
            assert_eq!(seen.admits(&passage(incarnation, number)), is_new, "{incarnation} {number}");
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
                prop_assert_eq!(seen.admits(&passage(1, number)), expected);
                if expected {
                    admitted.push(number);
                }
            }
        }
    }
}
