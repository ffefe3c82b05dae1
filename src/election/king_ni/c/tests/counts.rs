//! What the Card of C says of its cost, held against what elections cost.
//!
//! Invariant: all begin at once, a datagram takes T/2, and nothing but inits is lost: so each hears all announcements of a
//! round before any dup, and the bound is met exactly.

use std::collections::BTreeMap;

use super::super::super::Errata::{self, Mended, ToTheLetter};
use super::super::{AlgorithmC, Message};
use super::network::{Datagram, Event, Network, Xorshift};
use super::{setup, t};
use crate::protocol::Algorithm;

/// The fifth and the seventh are no candidates. A larger id has a larger capacity, or hole 4 would strike.
const CAPACITIES: [i64; 7] = [1, 2, 3, 4, -1, 6, -1];
const CANDIDATES: [u16; 5] = [1, 2, 3, 4, 6];
/// Who asks at its start has done so by then.
const BEGIN: f64 = 20.0;

fn election(errata: Errata, seed: u64) -> Network {
    let mut random = Xorshift(seed);
    let delay = move |datagram: &Datagram| {
        let lost = matches!(datagram.message, Message::Init { .. }) && random.below(2) == 0;
        (!lost).then_some(t(0.5))
    };
    let mut network = Network::new(errata, &CAPACITIES, t(1_000.0), Box::new(delay));
    network.run_until(t(BEGIN - 1.0));
    network.broadcasts.clear();
    for candidate in CANDIDATES {
        network.at(t(BEGIN), Event::Elect(candidate));
    }
    // The Card's bound on an election, from its beginning.
    let facts = setup(1, 7, errata, t(4.0));
    network.run_until(t(BEGIN) + AlgorithmC::CARD.facts(&facts.timing, 7, &facts.settings).time_bound);
    network
}

#[test]
fn an_election_costs_the_inits_and_for_each_round_what_the_card_says_of_who_announces_itself() {
    let n = CAPACITIES.len();
    let bound = "c + a*a + n - a broadcasts for each round (c candidates; a announce themselves)";
    assert_eq!(AlgorithmC::CARD.message_bound, bound);
    let mut contested = 0;
    for (errata, seed) in [ToTheLetter, Mended].into_iter().flat_map(|errata| (1..=100).map(move |seed| (errata, seed)))
    {
        let network = election(errata, 0x9e37_79b9_7f4a_7c15 ^ (seed << 20));
        // All announce themselves at once: a round is known by its moment.
        let mut rounds: BTreeMap<_, usize> = BTreeMap::new();
        for (at, _, message) in &network.broadcasts {
            if matches!(message, Message::Elected { .. }) {
                *rounds.entry(*at).or_default() += 1;
            }
        }
        let costs = |announcers: usize| if announcers > 1 { announcers * announcers + n - announcers } else { 1 };
        let expected = CANDIDATES.len() + rounds.values().map(|announcers| costs(*announcers)).sum::<usize>();
        assert_eq!(network.broadcasts.len(), expected, "{errata:?}, seed {seed}: {rounds:?}");
        contested += usize::from(rounds.values().next() > Some(&1));
    }
    assert!(contested > 50, "{contested}");
}

#[test]
fn an_election_whose_master_announces_itself_three_times_at_most_is_over_within_the_cards_time_bound() {
    for (errata, seed) in [ToTheLetter, Mended].into_iter().flat_map(|errata| (1..=100).map(move |seed| (errata, seed)))
    {
        let network = election(errata, 0x2545_f491_4f6c_dd1d ^ (seed << 20));
        for number in 1..=7 {
            let word = network.word(number);
            assert!(
                ["master", "stop", "help"].contains(&word.as_str()),
                "{errata:?}, seed {seed}: {number} is in {word}"
            );
        }
    }
}
