//! Many elections over the ordered broadcast: all agree when all begin together; apart they need not.
//!
//! Invariant: the same seed gives the same elections on every machine.

use super::AlgorithmA;
use crate::king_ni::tests::network::{
    self,
    Errata::{self, Mended, ToTheLetter},
    Event, T_NANOS, Xorshift, t,
};
use protocol::Span;

type Network = network::Network<AlgorithmA>;

#[test]
fn all_that_begin_within_a_quarter_of_t_agree_t_after_they_began() {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    for trial in 0..1_000 {
        let errata: Errata = if trial % 2 == 0 { Mended } else { ToTheLetter };
        let capacities: Vec<i64> = (0..7).map(|_| random.below(5) as i64 - 1).collect();
        let (capacity, largest) = capacities.iter().copied().zip(1..).max().unwrap();
        let mut network = Network::new(errata, &capacities, 0.75, random.below(1 << 40));
        let begin = t(5.0);
        for number in 1..=7 {
            // A little is left for the handling of a broadcast.
            network.at(begin + Span::from_nanos(random.below(T_NANOS * 23 / 100)), Event::Elect(number));
        }
        network.run_until(begin + t(1.24));
        let elected = (capacity >= 0).then_some(largest);
        assert_eq!(network.masters(), [elected; 7], "trial {trial}: {capacities:?}");
        assert_eq!(network.broadcasts.iter().filter(|(.., message)| is_capacity(message)).count(), 7);
        network.run_until(begin + t(40.0));
        assert_eq!(network.masters(), [elected; 7], "trial {trial}: {capacities:?}");
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
    }
}

fn is_capacity(message: &super::Message) -> bool {
    matches!(message, super::Message::Capacity { .. })
}

/// Outside the conditions: 2 begins this much later than 1.
fn apart(by: f64) -> Network {
    let mut network = Network::new(Mended, &[1, 2], 0.75, 7);
    network.at(t(5.0), Event::Elect(1));
    network.at(t(5.0 + by), Event::Elect(2));
    network.run_until(t(8.0));
    network
}

#[test]
fn outside_two_that_begin_half_a_t_apart_are_two_masters() {
    assert_eq!(apart(0.2).masters(), [Some(2); 2]);
    let network = apart(0.5);
    assert_eq!((network.masters(), network.two_masters.len()), (vec![Some(1), Some(2)], 1));
    // A process that has heard of an election begins the next one.
    assert_eq!(apart(0.8).masters(), [Some(2); 2]);
}

/// Five processes for 240T: now and then one crashes and recovers, and every 16T all are ordered to elect, whatever
/// they are doing. No process is left to begin alone.
#[test]
fn one_order_to_all_never_ends_with_two_masters_whoever_asks_or_has_just_stopped() {
    let mut random = Xorshift(0x0123_4567_89ab_cdef);
    for trial in 0..500 {
        let mut network = Network::new(Mended, &[5, 2, -1, 4, 1], 0.75, random.below(1 << 40));
        for round in 1..15 {
            let begin = round * 16 * T_NANOS + random.below(2 * T_NANOS);
            let (crash, recover) = (random.below(4 * T_NANOS), random.below(4 * T_NANOS));
            let number = random.below(5) as u16 + 1;
            network.at(Span::from_nanos(begin - 12 * T_NANOS + crash), Event::Crash(number));
            network.at(Span::from_nanos(begin - 4 * T_NANOS + recover), Event::Recover(number));
            (1..=5).for_each(|number| network.at(Span::from_nanos(begin), Event::Elect(number)));
        }
        network.run_until(t(240.0));
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
    }
}

/// Five processes for 80T: now and then one crashes, recovers with what it saved, or all are ordered to elect.
#[test]
fn no_election_ends_with_two_masters_whatever_crashes_recovers_and_is_called() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for trial in 0..1_000 {
        let mut network = Network::new(Mended, &[1, 2, -1, 4, 5], 0.75, random.below(1 << 40));
        for _ in 0..20 {
            let at = Span::from_nanos(random.below(80 * T_NANOS));
            let number = random.below(5) as u16 + 1;
            match random.below(4) {
                0 => network.at(at, Event::Crash(number)),
                1 => network.at(at, Event::Recover(number)),
                _ => (1..=5).for_each(|number| network.at(at, Event::Elect(number))),
            }
        }
        for number in 1..=5 {
            network.at(t(81.0), Event::Recover(number));
            network.at(t(120.0), Event::Elect(number));
        }
        network.run_until(t(130.0));
        assert_eq!(network.masters(), [Some(5); 5], "trial {trial}");
    }
}
