//! The scenarios of the holes as the lab's notes on the paper tell them, number by number: who comes when into which
//! phase, to the letter and mended.
//!
//! Invariant: times are in T from the first start; nothing is lost unless the scenario says so.

use super::super::Message;
use super::later_mends::{hole_12, hole_13, hole_14, hole_15};
use super::mends::{hole_2, hole_3};
use super::network::{Datagram, Event, Network};
use super::t;
use crate::king_ni::tests::network::Errata::{self, Mended, ToTheLetter};
use protocol::Algorithm;

#[test]
fn hole_2_to_the_letter_b_waits_from_2_9_for_what_it_heard_at_2_3() {
    let network = hole_2(ToTheLetter);
    assert_eq!(network.course(2), "coll1 0, coll2 2, master 5");
    assert_eq!(network.course(1), "coll1 0.9, wait1 2.9, help 5.9");
}

#[test]
fn hole_2_mended_b_follows_from_2_9() {
    let network = hole_2(Mended);
    assert_eq!(network.course(2), "coll1 0, coll2 2, master 5");
    assert_eq!(network.course(1), "coll1 0.9, wait2 2.9, stop 5.9");
}

#[test]
fn hole_3_to_the_letter_c_is_in_wait3_from_2_6_to_6_and_misses_the_announcement_of_5_5() {
    let network = hole_3(ToTheLetter);
    assert_eq!(network.course(3), "coll1 0, coll2 2, coll3 2.6, coll2 5, master 8");
    assert_eq!(network.course(2), "coll1 0.1, coll2 2.1, coll3 2.5, wait1 5.1, wait2 5.5, stop 8.1");
    assert_eq!(network.course(1), "wait1 1, wait2 2.5, wait3 2.6, wait1 6, help 9");
}

#[test]
fn hole_3_mended_c_follows_from_5_5() {
    let network = hole_3(Mended);
    assert_eq!(network.course(3), "coll1 0, coll2 2, coll3 2.6, coll2 5, master 8");
    assert_eq!(network.course(1), "wait1 1, wait2 2.5, wait3 2.6, wait2 5.5, stop 8.5");
}

/// The master 3 dies at 9. 2 has crashed since it was elected, is in normal again, and begins at 10.
fn hole_6(errata: Errata) -> Network {
    let delay = |datagram: &Datagram| match datagram.message {
        Message::Init { .. } => Some(t(0.4)),
        _ => Some(t(0.5)),
    };
    let mut network = Network::bare(errata, &[1, 2, 3], t(100.0), Box::new(delay));
    network.at(t(0.0), Event::Elect(3));
    network.at(t(8.0), Event::Crash(2));
    network.at(t(9.0), Event::Crash(3));
    network.at(t(9.1), Event::Recover(2));
    network.at(t(10.0), Event::Elect(2));
    network.run_until(t(9.25));
    assert_eq!(network.course(3), "coll1 0, coll2 2, master 5");
    assert_eq!((network.course(1), network.master(1)), ("coll1 0.4, wait1 2.4, wait2 2.5, stop 5.4".into(), Some(3)));
    network.changes.clear();
    network.run_until(t(20.0));
    network
}

#[test]
fn hole_6_to_the_letter_the_master_dies_at_9_and_whoever_begins_elects_itself() {
    let network = hole_6(ToTheLetter);
    assert_eq!(network.course(2), "coll1 10, coll2 12, master 15");
    assert_eq!((network.course(1).as_str(), network.master(1)), ("", Some(3)), "it is in stop, under the dead 3");
}

#[test]
fn hole_6_mended_the_master_dies_at_9_and_the_stopped_take_part_in_the_next_election() {
    let network = hole_6(Mended);
    assert_eq!(network.course(2), "coll1 10, coll2 12, master 15");
    assert_eq!((network.word(1), network.master(1)), ("stop".into(), Some(2)));
    assert_eq!(network.machine(1).state().election, network.machine(2).state().election);
}

/// 3, the one candidate, is master, dies at 9 and is back at 9.5, knowing nothing. 1 and 2 find it silent.
fn hole_7(errata: Errata) -> Network {
    let mut network = Network::bare(errata, &[-1, -1, 3], t(4.0), Box::new(|_| Some(t(0.5))));
    network.at(t(0.0), Event::Elect(3));
    network.at(t(9.0), Event::Crash(3));
    network.at(t(9.5), Event::Recover(3));
    network.run_until(t(100.0));
    assert!([1, 2].iter().all(|number| network.lines.contains(&(*number, 204))), "both gave it up");
    network
}

#[test]
fn hole_7_to_the_letter_non_candidates_that_find_the_master_silent_cannot_call_an_election() {
    let network = hole_7(ToTheLetter);
    assert_eq!(network.word(3), "normal");
    assert_eq!((network.master(1), network.master(2)), (Some(3), Some(3)), "it is no master any more");
    assert_eq!(network.course(1), "wait1 0.5, wait2 2.5, stop 5.5");
}

#[test]
fn hole_7_mended_non_candidates_that_find_the_master_silent_call_an_election() {
    let network = hole_7(Mended);
    assert_eq!([1, 2, 3].map(|number| network.master(number)), [Some(3); 3]);
    assert_eq!(network.word(3), "master");
}

#[test]
fn hole_12_to_the_letter_as_coll3_ends_at_6_the_announcement_of_5_5_makes_a_third_round() {
    let network = hole_12(ToTheLetter);
    assert_eq!(network.course(2), "coll1 0, coll2 2, coll3 3.5, coll2 5, coll3 6, coll2 8, master 11");
    assert_eq!(network.course(1), "coll1 1, coll2 3, coll3 4, wait1 6, wait2 8.5, stop 9");
    assert!(network.lines.contains(&(1, 12)));
}

#[test]
fn hole_12_mended_b_follows_from_5_5() {
    let network = hole_12(Mended);
    assert_eq!(network.course(2), "coll1 0, coll2 2, coll3 3.5, coll2 5, master 8");
    assert_eq!(network.course(1), "coll1 1, coll2 3, coll3 4, wait2 5.5, stop 8.5");
}

#[test]
fn hole_13_to_the_letter_a_is_master_at_5_and_b_at_8() {
    let network = hole_13(ToTheLetter);
    assert_eq!(network.course(1), "coll1 0, coll2 2, master 5");
    assert_eq!(network.course(2), "coll1 0, coll2 2, coll3 2.5, coll2 5, master 8");
}

#[test]
fn hole_13_mended_a_follows_b_from_5_5() {
    let network = hole_13(Mended);
    assert_eq!(network.course(1), "coll1 0, coll2 2, master 5, wait2 5.5, stop 8.5");
    assert_eq!(network.course(2), "coll1 0, coll2 2, coll3 2.5, coll2 5, master 8");
}

/// The same a and b, and two at their end when b announces itself again: c = 3, in stop behind a, and d = 4, in help, for
/// it missed a's announcement. What b sends before that is lost to all.
fn hole_13_at_followers(errata: Errata) -> Network {
    let (mut of_a, mut of_b) = (0, [0; 5]);
    let delay = move |datagram: &Datagram| match (datagram.message, datagram.from, datagram.to) {
        (Message::Init { .. }, 1 | 2, 1 | 2) | (Message::Dup { .. }, 2, _) => None,
        (Message::Init { .. }, ..) => Some(t(0.1)),
        (Message::Elected { .. }, 1, 4) => {
            of_a += 1;
            (of_a > 1).then_some(t(0.5))
        }
        (Message::Elected { .. }, 2, to) => {
            of_b[usize::from(to)] += 1;
            (of_b[usize::from(to)] > 1).then_some(t(0.5))
        }
        _ => Some(t(0.5)),
    };
    let mut network = Network::bare(errata, &[5, 9, 1, 2], t(100.0), Box::new(delay));
    network.at(t(0.0), Event::Elect(1));
    network.at(t(0.0), Event::Elect(2));
    network.run_until(t(30.0));
    network
}

#[test]
fn hole_13_to_the_letter_stop_and_help_are_as_deaf() {
    let network = hole_13_at_followers(ToTheLetter);
    assert_eq!((network.entered(1, "master"), network.entered(2, "master")), (Some(t(5.0)), Some(t(8.0))));
    assert_eq!((network.course(3).as_str(), network.master(3)), ("coll1 0.1, wait1 2.1, wait2 2.5, stop 5.1", Some(1)));
    assert_eq!(network.course(4), "coll1 0.1, wait1 2.1, help 5.1");
}

#[test]
fn hole_13_mended_stop_and_who_was_in_help_follow_b() {
    let network = hole_13_at_followers(Mended);
    assert_eq!([1, 2, 3, 4].map(|number| network.master(number)), [Some(2); 4]);
    assert_eq!(network.course(3), "coll1 0.1, wait1 2.1, wait2 2.5, stop 5.1, wait2 5.5, stop 8.5");
    assert_eq!(network.entered(4, "help"), None, "it asks first");
}

#[test]
fn hole_14_to_the_letter_d_begins_at_3_and_announces_itself_at_5_as_a_becomes_master() {
    let network = hole_14(ToTheLetter, 9);
    assert_eq!([2, 3].map(|number| network.entered(number, "coll1")), [Some(t(1.0)), Some(t(2.0))]);
    assert_eq!(network.course(1), "coll1 0, coll2 2, master 5");
    assert_eq!(network.course(4), "coll1 3, coll2 5, master 8");
}

#[test]
fn hole_14_mended_a_answers_the_init_of_d_at_4_and_gives_way_at_5_5() {
    let network = hole_14(Mended, 9);
    assert!(network.broadcasts.iter().any(|(at, from, message)| {
        (*at, *from) == (t(4.0), 1) && matches!(message, Message::Elected { round: 1, .. })
    }));
    assert_eq!(network.master(1), Some(4));
}

#[test]
fn hole_15_to_the_letter_everybody_is_in_help_at_6() {
    let network = hole_15(ToTheLetter, &[1, 2, 3]);
    assert_eq!(network.course(3), "coll1 0");
    for number in [1, 2] {
        assert_eq!(network.course(number), "coll1 1, wait1 3, help 6");
    }
}

#[test]
fn hole_15_mended_the_candidates_ask_at_6_8_and_10_and_begin_at_12() {
    let network = hole_15(Mended, &[1, 2, 3]);
    assert_eq!(network.course(2), "coll1 1, wait1 3, coll1 12, coll2 14, master 17");
    for number in [1, 2] {
        let asks = network.broadcasts.iter().filter(|(_, from, message)| {
            *from == number && matches!(message, Message::Ask { election } if election.0 == 1)
        });
        assert_eq!(asks.map(|(at, ..)| *at).collect::<Vec<_>>(), [t(6.0), t(8.0), t(10.0)]);
    }
}
