//! The holes 5, 7 and 12 to 15 of Tables 4a and 4b: each fails to the letter as the scenario says, and is mended.
//!
//! Invariant: times are in T from the first start; nothing is lost unless the scenario says so.

use super::super::Message;
use super::network::{Datagram, Event, Network};
use super::t;
use crate::king_ni::tests::network::Errata::{self, Mended, ToTheLetter};
use protocol::{Algorithm, Span};

fn network(errata: Errata, capacities: &[i64], delay: impl FnMut(&Datagram) -> Option<Span> + 'static) -> Network {
    Network::bare(errata, capacities, t(100.0), Box::new(delay))
}

/// An init takes 0.4T and all else 0.5T, so nobody hears an announcement in coll1.
fn usual(datagram: &Datagram) -> Option<Span> {
    match datagram.message {
        Message::Init { .. } => Some(t(0.4)),
        _ => Some(t(0.5)),
    }
}

fn announced(network: &Network, number: u16) -> usize {
    network.lines.iter().filter(|line| line.0 == number && [8, 14].contains(&line.1)).count()
}

/// 1 is down through an election of 2 and 3.
fn hole_5(errata: Errata) -> Network {
    let mut network = network(errata, &[1, 2, 3], usual);
    network.at(t(0.0), Event::Crash(1));
    network.at(t(0.1), Event::Elect(3));
    network.at(t(20.0), Event::Recover(1));
    network.run_until(t(40.0));
    assert_eq!((network.master(2), network.master(3)), (Some(3), Some(3)));
    network
}

#[test]
fn hole_5_to_the_letter_who_was_down_never_learns_the_outcome() {
    assert_eq!(hole_5(ToTheLetter).word(1), "normal");
}

#[test]
fn hole_5_mended_a_starting_process_asks_and_the_master_tells_it() {
    let network = hole_5(Mended);
    assert_eq!((network.entered(1, "stop"), network.master(1)), (Some(t(24.0)), Some(3)));
    let asked = network.lines.iter().filter(|line| **line == (1, 105)).count();
    assert_eq!(asked, 2, "once into the void before its crash, once answered");
}

#[test]
fn hole_5_mended_a_process_that_died_in_an_election_does_not_stand_in_it_again() {
    let mut network = network(Mended, &[1, 2, 3], usual);
    network.at(t(0.0), Event::Elect(2));
    network.at(t(0.5), Event::Crash(3));
    network.at(t(0.6), Event::Recover(3));
    network.at(t(0.7), Event::Deliver { to: 3, up_since: None, from: 1, message: init_of_first_election() });
    network.run_until(t(1.0));
    assert_eq!(network.word(3), "normal");
    network.run_until(t(60.0));
    assert_eq!([1, 2, 3].map(|number| network.master(number)), [Some(3); 3]);
    assert_eq!(network.machine(3).state().election, Some(2), "it was elected in the next one");
}

fn init_of_first_election() -> Message {
    Message::Init { election: super::ElectionNumber(1), capacity: 1 }
}

/// 1, no candidate, begins.
fn hole_7(errata: Errata) -> Network {
    let mut network = network(errata, &[-1, 2, 3], |_| Some(t(1.0)));
    network.at(t(0.0), Event::Elect(1));
    network.run_until(t(20.0));
    network
}

#[test]
fn hole_7_to_the_letter_a_non_candidate_begins_nothing() {
    assert_eq!(hole_7(ToTheLetter).changes, []);
}

#[test]
fn hole_7_mended_a_non_candidate_starts_the_others_and_is_never_elected() {
    let network = hole_7(Mended);
    assert_eq!([1, 2, 3].map(|number| network.master(number)), [Some(3); 3]);
    assert_eq!(network.entered(3, "master"), Some(t(6.0)));
    assert_eq!((announced(&network, 1), announced(&network, 2)), (0, 0));
}

#[test]
fn hole_7_mended_without_a_candidate_nobody_is_elected() {
    let mut network = network(Mended, &[-1, -1], |_| Some(t(1.0)));
    network.at(t(0.0), Event::Elect(1));
    network.run_until(t(40.0));
    assert_eq!((network.entered(1, "help"), network.entered(2, "help")), (Some(t(11.0)), Some(t(12.0))));
}

/// a = 2 and b = 1 both announce, for a's init and its first announcement are lost to b, which starts at T. a's coll3 ends
/// at 5, b's at 6; a announces at 5 again.
pub fn hole_12(errata: Errata) -> Network {
    let mut announcements = 0;
    let delay = move |datagram: &Datagram| match (datagram.message, datagram.from, datagram.to) {
        (Message::Init { .. }, 2, 1) => None,
        (Message::Elected { .. }, 2, 1) => {
            announcements += 1;
            (announcements > 1).then_some(t(0.5))
        }
        _ => Some(t(0.5)),
    };
    let mut network = network(errata, &[5, 9], delay);
    network.at(t(0.0), Event::Elect(2));
    network.at(t(1.0), Event::Elect(1));
    network.run_until(t(30.0));
    assert_eq!((network.master(1), network.master(2)), (Some(2), Some(2)));
    network
}

#[test]
fn hole_12_to_the_letter_coll3_takes_the_next_round_for_this_one_and_a_third_follows() {
    let network = hole_12(ToTheLetter);
    assert_eq!((network.entered(2, "master"), announced(&network, 2)), (Some(t(11.0)), 3));
}

#[test]
fn hole_12_mended_coll3_gives_way_to_the_later_round() {
    let network = hole_12(Mended);
    assert_eq!((network.entered(2, "master"), announced(&network, 2)), (Some(t(8.0)), 2));
    assert_eq!(network.entered(1, "stop"), Some(t(8.5)));
}

/// a = 1 (5) and b = 2 (9) miss each other's init; b's first elected and its dup are lost to a.
pub fn hole_13(errata: Errata) -> Network {
    let mut announcements = 0;
    let delay = move |datagram: &Datagram| match (datagram.message, datagram.from, datagram.to) {
        (Message::Init { .. }, ..) | (Message::Dup { .. }, 2, 1) => None,
        (Message::Elected { .. }, 2, 1) => {
            announcements += 1;
            (announcements > 1).then_some(t(0.5))
        }
        _ => Some(t(0.5)),
    };
    let mut network = network(errata, &[5, 9], delay);
    network.at(t(0.0), Event::Elect(1));
    network.at(t(0.0), Event::Elect(2));
    network.run_until(t(20.0));
    assert_eq!((network.entered(1, "master"), network.entered(2, "master")), (Some(t(5.0)), Some(t(8.0))));
    network
}

#[test]
fn hole_13_to_the_letter_a_master_is_deaf_and_there_are_two() {
    let network = hole_13(ToTheLetter);
    assert_eq!((network.master(1), network.master(2)), (Some(1), Some(2)));
    assert_ne!(network.two_masters, Vec::<String>::new());
}

#[test]
fn hole_13_mended_the_master_gives_way_to_whom_it_does_not_outrank() {
    let network = hole_13(Mended);
    assert_eq!((network.entered(1, "stop"), network.master(1)), (Some(t(8.5)), Some(2)));
    assert_eq!(network.two_masters, Vec::<String>::new());
}

/// a = 1 at 0, b = 2 by a at 1, c = 3, who missed a, by b at 2, d = 4, who missed both, by c at 3; and d misses what a
/// announces before a can have heard of d.
pub fn hole_14(errata: Errata, capacity_of_d: i64) -> Network {
    let before_d_is_heard = if errata == Mended { 3 } else { 1 };
    let mut announcements = 0;
    let delay = move |datagram: &Datagram| match (datagram.message, datagram.from, datagram.to) {
        (Message::Init { .. }, 1, 3 | 4) | (Message::Init { .. }, 2, 4) => None,
        (Message::Init { .. }, ..) => Some(t(1.0)),
        (Message::Elected { .. }, 1, 4) => {
            announcements += 1;
            (announcements > before_d_is_heard).then_some(t(0.5))
        }
        _ => Some(t(0.5)),
    };
    let mut network = network(errata, &[7, 1, 2, capacity_of_d], delay);
    network.at(t(0.0), Event::Elect(1));
    network.run_until(t(4.1));
    assert_eq!((network.word(1), network.word(4)), ("coll2".into(), "coll1".into()));
    network.run_until(t(30.0));
    assert_eq!(network.entered(1, "master"), Some(t(5.0)));
    network
}

#[test]
fn hole_14_to_the_letter_nobody_answers_the_late_candidate_and_there_are_two_masters() {
    for capacity in [3, 9] {
        let network = hole_14(ToTheLetter, capacity);
        assert_eq!((network.master(1), network.master(4)), (Some(1), Some(4)));
        assert_eq!(network.entered(4, "master"), Some(t(8.0)));
    }
}

#[test]
fn hole_14_mended_a_late_candidate_hears_the_announcement_again_and_follows() {
    let network = hole_14(Mended, 3);
    assert_eq!([1, 2, 3, 4].map(|number| network.master(number)), [Some(1); 4]);
    assert_eq!((announced(&network, 1), announced(&network, 4)), (1, 0));
    assert_eq!(network.entered(4, "stop"), Some(t(8.0)));
}

#[test]
fn hole_14_mended_a_late_candidate_that_outranks_the_announcer_is_elected() {
    let network = hole_14(Mended, 9);
    assert_eq!([1, 2, 3, 4].map(|number| network.master(number)), [Some(4); 4]);
}

/// Both 1 and 2 defer to 3, which dies before 2T.
pub fn hole_15(errata: Errata, capacities: &[i64]) -> Network {
    let mut network = network(errata, capacities, |_| Some(t(1.0)));
    network.at(t(0.0), Event::Elect(3));
    network.at(t(1.9), Event::Crash(3));
    network.run_until(t(40.0));
    network
}

#[test]
fn hole_15_to_the_letter_a_dead_favourite_leaves_everybody_in_help() {
    let network = hole_15(ToTheLetter, &[1, 2, 3]);
    assert_eq!((network.entered(1, "help"), network.entered(2, "help")), (Some(t(6.0)), Some(t(6.0))));
}

#[test]
fn hole_15_mended_the_candidates_ask_in_vain_and_begin_a_new_election() {
    let network = hole_15(Mended, &[1, 2, 3]);
    assert_eq!((network.entered(1, "help"), network.entered(2, "help")), (None, None));
    assert_eq!((network.entered(2, "master"), network.master(1)), (Some(t(17.0)), Some(2)));
}

#[test]
fn hole_15_mended_a_non_candidate_asks_in_vain_and_calls_for_help_until_it_hears_of_a_master() {
    let mut network = hole_15(Mended, &[-1, -1, 3]);
    assert_eq!((network.entered(1, "help"), network.entered(2, "help")), (Some(t(12.0)), Some(t(12.0))));
    network.at(t(50.0), Event::Recover(3));
    network.at(t(51.0), Event::Elect(3));
    network.run_until(t(70.0));
    assert_eq!([1, 2, 3].map(|number| network.master(number)), [Some(3); 3]);
}

/// 1 misses the one elected of 3.
fn a_lost_elected(errata: Errata) -> Network {
    let mut announcements = 0;
    let delay = move |datagram: &Datagram| match (datagram.message, datagram.from, datagram.to) {
        (Message::Elected { .. }, 3, 1) => {
            announcements += 1;
            (announcements > 1).then_some(t(0.5))
        }
        _ => usual(datagram),
    };
    let mut network = network(errata, &[1, 2, 3], delay);
    network.at(t(0.0), Event::Elect(3));
    network.run_until(t(40.0));
    assert_eq!((network.master(2), network.master(3)), (Some(3), Some(3)));
    network
}

#[test]
fn hole_15_to_the_letter_one_lost_datagram_leaves_a_follower_in_help() {
    assert_eq!(a_lost_elected(ToTheLetter).entered(1, "help"), Some(t(5.4)));
}

#[test]
fn hole_15_mended_it_asks_and_follows() {
    let network = a_lost_elected(Mended);
    assert_eq!((network.entered(1, "stop"), network.master(1)), (Some(t(7.4)), Some(3)));
}
