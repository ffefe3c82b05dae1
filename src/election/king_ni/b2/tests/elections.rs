//! Many elections over the ordered broadcast: all agree, with lists and with lengths alike; hole 1 without any D; and
//! crashes, recoveries and orders.
//!
//! Invariant: the same seed gives the same elections on every machine.

use super::{AlgorithmB2, faulty};
use crate::king_ni::tests::network::{
    self,
    Errata::{Mended, ToTheLetter},
    Event, T_NANOS, Xorshift, t,
};
use protocol::Span;

type Network = network::Network<AlgorithmB2>;

/// Seven capacities from -1 to 3, of which one at least is a candidate's; and who is elected.
fn capacities(random: &mut Xorshift) -> (Vec<i64>, u16) {
    loop {
        let capacities: Vec<i64> = (0..7).map(|_| random.below(5) as i64 - 1).collect();
        if let Some((capacity, largest)) = capacities.iter().copied().zip(1..).max()
            && capacity >= 0
        {
            return (capacities, largest);
        }
    }
}

/// All are told to begin within T, two crash, and with t = 2 the election does not need them.
fn election(lists: &str, capacities: &[i64], seed: u64) -> Network {
    let mut random = Xorshift(seed | 1);
    let mut network = Network::with(faulty(7, Mended, 2, lists), capacities, 0.75, seed);
    for number in 1..=7 {
        network.at(t(5.0) + Span::from_nanos(random.below(T_NANOS + 1)), Event::Elect(number));
    }
    for _ in 0..2 {
        let (at, number) = (Span::from_nanos(random.below(6 * T_NANOS)), random.below(7) as u16 + 1);
        network.at(t(5.0) + at, Event::Crash(number));
    }
    network.run_until(t(5.0) + t(5.0));
    network
}

#[test]
fn with_honest_lists_full_lists_and_lengths_elect_alike_within_5_t() {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    for trial in 0..500 {
        let (capacities, _) = capacities(&mut random);
        let seed = random.below(1 << 40);
        let [full, lengths] = ["full", "lengths"].map(|lists| election(lists, &capacities, seed));
        assert_eq!(full.masters(), lengths.masters(), "trial {trial}: {capacities:?}");
        assert_eq!((full.two_masters.len(), lengths.two_masters.len()), (0, 0), "trial {trial}");
        let masters: std::collections::BTreeSet<_> = full.masters().into_iter().flatten().collect();
        assert!(masters.len() <= 1, "trial {trial}: {masters:?}");
    }
}

#[test]
fn without_a_fault_the_largest_is_elected_by_one_starter_and_by_many() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for trial in 0..500 {
        let (capacities, largest) = capacities(&mut random);
        let mut network = Network::with(faulty(7, Mended, 2, "full"), &capacities, 0.75, random.below(1 << 40));
        for _ in 0..=random.below(3) {
            let at = t(5.0) + Span::from_nanos(random.below(T_NANOS * 3 / 4));
            network.at(at, Event::Elect(random.below(7) as u16 + 1));
        }
        network.run_until(t(60.0));
        assert_eq!(network.masters(), [Some(largest); 7], "trial {trial}: {capacities:?}");
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
    }
}

/// All but the starter begin at Delta, so its list (sent at 2T, delivered at 2T + Delta) meets the end of their coll1.
#[test]
fn hole_1_to_the_letter_strikes_where_a_starters_list_meets_the_end_of_the_others_coll1() {
    let mut network = Network::with(faulty(4, ToTheLetter, 1, "full"), &[1, 2, 3, 4], 0.75, 1);
    network.delay(1, "init", t(0.75));
    network.delay(1, "vect", t(0.75));
    network.at(t(5.0), Event::Crash(4));
    network.at(t(6.0), Event::Elect(1));
    network.run_until(t(11.0));
    assert_eq!(network.masters(), [Some(3), None, None, None]);
}

#[test]
fn an_election_takes_a_broadcast_of_each_candidate_a_list_of_each_process_and_the_masters_word() {
    let mut network = Network::with(faulty(5, ToTheLetter, 1, "full"), &[1, 2, -1, 4, 5], 0.75, 3);
    for number in [1, 2, 4, 5] {
        network.at(t(0.0), Event::Elect(number));
    }
    network.run_until(t(50.0));
    assert_eq!(network.broadcasts.len(), 4 + 5 + 1);
}

/// Five processes for 120T: now and then one crashes, recovers with what it saved, or is ordered to elect.
#[test]
fn no_election_number_ends_with_two_masters_whatever_crashes_recovers_and_begins() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for trial in 0..1_000 {
        let lists = if trial % 2 == 0 { "full" } else { "lengths" };
        let mut network = Network::with(faulty(5, Mended, 1, lists), &[1, 2, -1, 4, 5], 0.75, random.below(1 << 40));
        for _ in 0..30 {
            let at = Span::from_nanos(random.below(120 * T_NANOS));
            let number = random.below(5) as u16 + 1;
            let event = match random.below(4) {
                0 => Event::Crash(number),
                1 => Event::Recover(number),
                _ => Event::Elect(number),
            };
            network.at(at, event);
        }
        for number in 1..=5 {
            network.at(t(121.0), Event::Recover(number));
        }
        network.at(t(150.0), Event::Elect(1));
        network.run_until(t(165.0));
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
        assert_eq!(network.masters(), [Some(5); 5], "trial {trial}");
    }
}
