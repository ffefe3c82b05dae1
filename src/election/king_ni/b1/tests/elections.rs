//! Many elections over the ordered broadcast: with Delta = 3/4 T all agree, with Delta = T the first one ends with two
//! masters; and crashes, recoveries and orders.
//!
//! Invariant: the same seed gives the same elections on every machine.

use super::AlgorithmB1;
use crate::king_ni::tests::network::{
    self,
    Errata::{self, Mended, ToTheLetter},
    Event, T_NANOS, Xorshift, t,
};
use protocol::Span;

type Network = network::Network<AlgorithmB1>;

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

#[test]
fn delta_of_three_quarters_of_t_all_agree_within_3_t_of_the_first_start() {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    for trial in 0..1_000 {
        let errata: Errata = if trial % 2 == 0 { Mended } else { ToTheLetter };
        let (capacities, largest) = capacities(&mut random);
        let mut network = Network::new(errata, &capacities, 0.75, random.below(1 << 40));
        let begin = t(5.0);
        // All are told to begin within T, and a process that has heard of the election by then has begun.
        for number in (1..=7).filter(|number| capacities[*number as usize - 1] >= 0) {
            network.at(begin + Span::from_nanos(random.below(T_NANOS + 1)), Event::Elect(number));
        }
        network.run_until(begin + t(4.0));
        assert_eq!(network.masters(), [Some(largest); 7], "trial {trial}: {capacities:?}");
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
        assert!(network.changes.iter().all(|change| change.at <= begin + t(4.0)), "trial {trial}");
        network.run_until(begin + t(50.0));
        assert_eq!(network.masters(), [Some(largest); 7], "trial {trial}: {capacities:?}");
    }
}

/// The starter's 2T are over just before the answers come: it has heard of nobody but itself.
fn by_one_starter(delta: f64, random: &mut Xorshift) -> Network {
    let mut network = Network::new(Mended, &[1, 2, 3, 4, 5], delta, random.below(1 << 40));
    network.at(t(5.0), Event::Elect(random.below(4) as u16 + 1));
    network.run_until(t(9.0));
    network
}

#[test]
fn delta_of_t_breaks_uniqueness_in_the_first_election_every_time_and_three_quarters_never() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for _ in 0..100 {
        assert_eq!(by_one_starter(1.0, &mut random).two_masters.len(), 1);
        assert_eq!(by_one_starter(0.75, &mut random).two_masters.len(), 0);
    }
}

#[test]
fn an_election_takes_a_broadcast_of_each_candidate_and_the_masters_word() {
    let mut network = Network::new(ToTheLetter, &[1, 2, -1, 4, 5], 0.75, 3);
    network.at(t(0.0), Event::Elect(1));
    network.run_until(t(50.0));
    assert_eq!(network.broadcasts.len(), 4 + 1);
    assert_eq!(network.entered_last(1, "stop"), Some(t(2.0)));
}

/// Five processes for 80T: now and then one crashes, recovers with what it saved, or is ordered to elect.
fn turmoil(random: &mut Xorshift) -> Network {
    let mut network = Network::new(Mended, &[1, 2, -1, 4, 5], 0.75, random.below(1 << 40));
    for _ in 0..30 {
        let at = Span::from_nanos(random.below(80 * T_NANOS));
        let number = random.below(5) as u16 + 1;
        let event = match random.below(4) {
            0 => Event::Crash(number),
            1 => Event::Recover(number),
            _ => Event::Elect(number),
        };
        network.at(at, event);
    }
    for number in 1..=5 {
        network.at(t(81.0), Event::Recover(number));
    }
    network
}

#[test]
fn no_election_number_ends_with_two_masters_whatever_crashes_recovers_and_begins() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for trial in 0..1_000 {
        let mut network = turmoil(&mut random);
        network.at(t(120.0), Event::Elect(1));
        network.run_until(t(130.0));
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
        assert_eq!(network.masters(), [Some(5); 5], "trial {trial}");
    }
}
