//! Elections of mended and unmended Algorithm C under loss, and under crashes, recoveries and orders without loss.
//!
//! Invariant: the same seed gives the same elections on every machine.

use super::elections::elect;
use super::network::{Datagram, Event, Network, Xorshift};
use super::{T_NANOS, t};
use crate::king_ni::tests::network::Errata::{self, Mended, ToTheLetter};
use protocol::Span;

const ELECTIONS: usize = 4_000;

/// In how many of 1,000 elections of five candidates everybody ends under the one master, without a second election.
fn well_of_1000(errata: Errata, loss_percent: u64) -> f64 {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    let mut one = || {
        let beginner = random.below(5) as u16 + 1;
        elect(errata, &[1, 2, 3, 4, 5], beginner, loss_percent, &mut random).is_well(5)
    };
    let well = (0..ELECTIONS).filter(|_| one()).count();
    well as f64 * 1_000.0 / ELECTIONS as f64
}

/// Three standard deviations of the share among this many elections.
fn is_near(measured: f64, expected: f64) -> bool {
    let share = expected / 1_000.0;
    (measured - expected).abs() <= 3_000.0 * (share * (1.0 - share) / ELECTIONS as f64).sqrt()
}

#[test]
fn to_the_letter_40_of_100_elections_end_well_at_a_loss_of_10_percent_and_13_at_30() {
    for (loss_percent, expected) in [(10, 400.0), (30, 130.0)] {
        let measured = well_of_1000(ToTheLetter, loss_percent);
        assert!(is_near(measured, expected), "{measured} of 1,000 at {loss_percent} %");
    }
}

#[test]
fn mended_998_of_1000_elections_end_well_at_a_loss_of_10_percent_and_900_at_30() {
    for (loss_percent, expected) in [(10, 998.0), (30, 900.0)] {
        let measured = well_of_1000(Mended, loss_percent);
        assert!(is_near(measured, expected), "{measured} of 1,000 at {loss_percent} %");
    }
}

/// Five processes for 80T: now and then one crashes, recovers with what it saved, or is ordered to elect.
fn turmoil(random: &mut Xorshift) -> Network {
    let mut delays = Xorshift(random.below(u64::MAX >> 12) | 1);
    let delay = move |_: &Datagram| Some(Span::from_nanos(delays.below(T_NANOS) + 1));
    let mut network = Network::bare(Mended, &[1, 2, -1, 4, 5], t(4.0), Box::new(delay));
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
fn mended_without_loss_no_election_number_ends_with_two_masters_whatever_crashes_recovers_and_begins() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for trial in 0..1_000 {
        let mut network = turmoil(&mut random);
        network.at(t(130.0), Event::Elect(1));
        network.run_until(t(150.0));
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
        assert_eq!([1, 2, 3, 4, 5].map(|number| network.master(number)), [Some(5); 5], "trial {trial}");
    }
}
