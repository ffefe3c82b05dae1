//! What the Card of C says of its cost, compared with what elections cost on a bare network.
//!
//! Invariant: nothing but inits is lost.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::king_ni::tests::network::{self, T_NANOS, Xorshift};

type Network = network::Network<AlgorithmC>;
type Event = network::Event<AlgorithmC>;
type Datagram = network::Datagram<AlgorithmC>;

/// The fifth and the seventh are no candidates. Capacities increase with the ids; otherwise defect 4 of the paper would
/// change the result.
const CAPACITIES: [i64; 7] = [1, 2, 3, 4, -1, 6, -1];

const CANDIDATES: [u16; 5] = [1, 2, 3, 4, 6];

/// Every process that asks for a master at its start is finished by this time.
const BEGIN: f64 = 20.0;

fn election(errata: Errata, seed: u64) -> Network {
    let mut random = Xorshift(seed);
    let delay = move |datagram: &Datagram| {
        let lost = matches!(datagram.message, Message::Init { .. }) && random.below(2) == 0;
        (!lost).then_some(t(0.5))
    };
    let mut network = Network::bare(errata, &CAPACITIES, t(1_000.0), Box::new(delay));
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

/// Where all begin at once and a datagram takes T/2, each hears all announcements of a round before any dup, and the
/// bound is met exactly.
#[test]
fn an_election_costs_what_the_card_says() {
    let n = CAPACITIES.len();
    let bound = "c + b broadcasts (c candidates, b others that begin it), and a*a + n - a for each round";
    assert!(AlgorithmC::CARD.message_bound.contains(bound));
    let mut contested = 0;
    for (errata, seed) in [ToTheLetter, Mended].into_iter().flat_map(|errata| (1..=100).map(move |seed| (errata, seed)))
    {
        let network = election(errata, 0x9e37_79b9_7f4a_7c15 ^ (seed << 20));
        // All announce themselves at the same time, so the time identifies the round.
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
        for number in 1..=7 {
            let word = network.word(number);
            assert!(
                ["master", "stop", "help"].contains(&word.as_str()),
                "{errata:?}, seed {seed}: {number} is in {word}"
            );
        }
    }
    assert!(contested > 50, "{contested}");
}

/// An election of seven, some of which are ordered to begin at random moments within T; this many of a hundred inits
/// are lost, and nothing else.
fn at_random(lost_percent: u64, random: &mut Xorshift) -> (Vec<i64>, Network) {
    let capacities: Vec<i64> = (0..7).map(|_| random.below(5) as i64 - 1).collect();
    let mut delays = Xorshift(random.below(1 << 40) | 1);
    let delay = move |datagram: &Datagram| {
        let lost = matches!(datagram.message, Message::Init { .. }) && delays.below(100) < lost_percent;
        let delay = Span::from_nanos(delays.below(T_NANOS) + 1);
        (!lost).then_some(delay)
    };
    let mut network = Network::bare(Mended, &capacities, t(1_000.0), Box::new(delay));
    network.run_until(t(BEGIN - 1.0));
    network.broadcasts.clear();
    let one = random.below(7) as u16 + 1;
    for number in 1..=7 {
        if number == one || random.below(2) == 0 {
            network.at(t(BEGIN) + Span::from_nanos(random.below(T_NANOS)), Event::Elect(number));
        }
    }
    (capacities, network)
}

/// How many inits there were; and for each round its announcers, and how many announcements and dups.
fn costs(network: &Network) -> (usize, BTreeMap<u32, (BTreeSet<u16>, usize)>) {
    let (mut inits, mut rounds): (usize, BTreeMap<_, (BTreeSet<u16>, usize)>) = (0, BTreeMap::new());
    for (_, from, message) in &network.broadcasts {
        match message {
            Message::Init { .. } => inits += 1,
            Message::Elected { round, .. } => {
                let (announcers, words) = rounds.entry(*round).or_default();
                announcers.insert(*from);
                *words += 1;
            }
            Message::Dup { round, .. } => rounds.entry(*round).or_default().1 += 1,
            Message::Ask { .. } | Message::Watch(_) => {}
        }
    }
    (inits, rounds)
}

#[test]
fn elections_and_failovers_keep_to_the_card() {
    let n = 7;
    let (mut random, mut began, mut contested) = (Xorshift(0x9e37_79b9_7f4a_7c15), 0, 0);
    for trial in 0..1_000 {
        let lost_percent = [0, 30][trial % 2];
        let (capacities, mut network) = at_random(lost_percent, &mut random);
        let mut candidates = capacities.iter().filter(|capacity| **capacity >= 0).count();
        if candidates == 0 {
            continue;
        }
        for crashes in [false, true] {
            if crashes {
                // The followers begin as if they had found it gone, at any moment within T.
                let master = (1..=n).find(|number| network.word(*number) == "master").unwrap();
                candidates -= usize::from(capacities[usize::from(master) - 1] >= 0);
                network.at(t(BEGIN + 30.0), Event::Crash(master));
                for number in (1..=n).filter(|number| *number != master) {
                    let at = t(BEGIN + 31.0) + Span::from_nanos(random.below(T_NANOS));
                    network.at(at, Event::Elect(number));
                }
                network.broadcasts.clear();
                network.lines.clear();
            }
            if candidates == 0 {
                break;
            }
            network.run_until(t(BEGIN + if crashes { 60.0 } else { 30.0 }));
            if lost_percent == 0 {
                let largest = capacities.iter().zip(1..).filter(|(_, number)| network.is_up(*number)).max();
                let largest = largest.map(|(_, number)| number);
                let up: BTreeSet<_> = (1..=n).filter(|number| network.is_up(*number)).collect();
                assert!(up.iter().all(|number| network.master(*number) == largest), "trial {trial}: {capacities:?}");
            }
            let others = network.lines.iter().filter(|(_, line)| *line == 107).count();
            let (inits, rounds) = costs(&network);
            let most = candidates + others;
            assert!(inits == most || lost_percent > 0 && inits < most, "trial {trial}: {inits} of {capacities:?}");
            for (announcers, words) in rounds.values().map(|(announcers, words)| (announcers.len(), *words)) {
                assert!(words <= announcers * announcers + usize::from(n) - announcers, "trial {trial}: {rounds:?}");
                contested += usize::from(announcers > 1);
            }
            began += others;
        }
    }
    assert!(began > 100 && contested > 100, "{began} began, {contested} contested");
}
