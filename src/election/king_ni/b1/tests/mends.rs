//! The mends of holes 5, 6 and 7, and the master's sign of life.
//!
//! Invariant: each mend has a scenario that fails to the letter.

use super::{AlgorithmB1, Bench, ElectionNumber, Message, Timer, broadcast, capacity, elected, node, set, setup, t};
use crate::king_ni::tests::network::{
    self,
    Errata::{self, Mended, ToTheLetter},
    Event,
};
use crate::king_ni::watch;
use protocol::{Algorithm, Effect, Effects};

type Network = network::Network<AlgorithmB1>;

fn save(election: u64) -> Effect<AlgorithmB1> {
    Effect::Save { saved: ElectionNumber(election) }
}

fn ended(election: u64, master: Option<u16>) -> Message {
    Message::Ended { election: ElectionNumber(election), master: master.map(node) }
}

/// 1 has been away and is back. The master 3 dies, and 1 begins before 2 can have missed it.
fn second_election(errata: Errata) -> Network {
    let mut network = Network::new(errata, &[1, 2, 3], 0.75, 7);
    network.at(t(5.0), Event::Elect(1));
    network.at(t(8.0), Event::Crash(1));
    network.at(t(8.5), Event::Recover(1));
    network.at(t(14.5), Event::Crash(3));
    network.at(t(14.6), Event::Elect(1));
    network.run_until(t(17.7));
    network
}

#[test]
fn hole_6_to_the_letter_the_stopped_ignore_the_next_election_and_there_are_two_masters() {
    let network = second_election(ToTheLetter);
    assert_eq!(network.masters(), [Some(1), Some(3), None], "1 has elected itself");
    assert_ne!(network.two_masters, Vec::<String>::new());
}

#[test]
fn hole_6_mended_a_higher_number_opens_a_fresh_machine() {
    let network = second_election(Mended);
    assert_eq!(network.masters(), [Some(2), Some(2), None]);
    assert_eq!(network.machine(1).state().election, Some(2));
    assert_eq!(network.two_masters, Vec::<String>::new());
}

#[test]
fn hole_6_mended_an_initiator_waits_t_after_its_own_stop() {
    let mut bench = Bench::mended(3);
    bench.begins();
    bench.runs_out(Timer::Table);
    assert_eq!(bench.begins(), (vec![], vec![156]));
    let (effects, lines) = bench.runs_out(Timer::Ready);
    assert_eq!(lines, [146, 1]);
    assert_eq!(effects[0], save(2));
    assert!(effects.contains(&broadcast(capacity(2, 3))), "{effects:?}");
    bench.is_in("collect");
}

#[test]
fn hole_6_mended_a_higher_election_takes_the_place_of_this_one_and_a_lower_one_is_dropped() {
    let mut bench = Bench::mended(3);
    assert_eq!(bench.hears(5, capacity(4, 5)).1, [106, 2]);
    assert_eq!(bench.hears(5, capacity(3, 5)), (vec![], vec![136]));
    let (effects, lines) = bench.hears(1, capacity(5, 1));
    assert_eq!(lines, [116, 2]);
    assert_eq!(effects[0], save(5));
    assert!(effects.contains(&broadcast(capacity(5, 3))), "{effects:?}");
    assert!(effects.contains(&set(Timer::Table, 2.0)), "{effects:?}");
    bench.is_in("collect");
    bench.s_is(&[1, 3]);
}

#[test]
fn hole_6_mended_who_stopped_t_ago_begins_anew_when_it_hears_that_its_number_is_given_out_again() {
    for number in [3, 4] {
        let mut bench = Bench::mended(3);
        bench.hears(5, capacity(4, 5));
        bench.runs_out(Timer::Table);
        assert_eq!(bench.hears(1, capacity(number, 1)).0, [], "a peer may be T behind");
        bench.runs_out(Timer::Ready);
        let (effects, lines) = bench.hears(1, capacity(number, 1));
        assert_eq!(lines[lines.len() - 3..], [166, 146, 1]);
        assert!(effects.contains(&broadcast(capacity(5, 3))), "{effects:?}");
        bench.s_is(&[3]);
    }
}

#[test]
fn hole_6_mended_a_candidate_in_normal_that_is_ahead_begins_when_it_hears_of_a_lower_election() {
    let mut bench = Bench::mended(3);
    bench.hears(5, Message::Ask { election: ElectionNumber(4) });
    assert_eq!(bench.hears(1, capacity(3, -1)).1, [136, 166, 1], "without it that election may elect nobody");
    bench.is_in("collect");
}

/// 4 was cut off and elected itself in an election of which nobody heard, so its number is one ahead; then 3 and 4
/// begin at one moment.
#[test]
fn hole_6_mended_two_that_begin_at_once_under_different_numbers_elect_one_master() {
    let mut network = Network::new(Mended, &[1, 2, 3, 4, 5], 0.75, 7);
    network.at(t(5.0), Event::Elect(1));
    let lone = Message::Ended { election: ElectionNumber(2), master: None };
    let ahead = Event::Deliver { to: 4, up_since: Some(1), from: 1, message: lone };
    network.at(t(12.0), ahead);
    network.at(t(13.0), Event::Elect(3));
    network.at(t(13.0), Event::Elect(4));
    network.run_until(t(20.0));
    assert_eq!(network.two_masters, Vec::<String>::new());
    assert_eq!(network.masters(), [Some(5); 5]);
    assert_eq!(network.machine(1).state().election, Some(3));
}

/// 1, no candidate, begins.
fn non_candidate_begins(errata: Errata) -> Network {
    let mut network = Network::new(errata, &[-1, 2, 3], 0.75, 7);
    network.at(t(5.0), Event::Elect(1));
    network.run_until(t(12.0));
    network
}

#[test]
fn hole_7_to_the_letter_a_non_candidate_begins_nothing() {
    assert_eq!(non_candidate_begins(ToTheLetter).changes, []);
}

#[test]
fn hole_7_mended_a_non_candidate_starts_the_others_and_is_never_elected() {
    assert_eq!(non_candidate_begins(Mended).masters(), [Some(3); 3]);
    let mut network = Network::new(Mended, &[-1, -1], 0.75, 7);
    network.at(t(5.0), Event::Elect(1));
    network.run_until(t(12.0));
    assert_eq!(
        (network.masters(), network.word(1), network.word(2)),
        (vec![None; 2], "normal".into(), "normal".into())
    );
}

/// 1 is down through an election of 2 and 3.
fn down_through_an_election(errata: Errata) -> Network {
    let mut network = Network::new(errata, &[1, 2, 3], 0.75, 7);
    network.at(t(3.0), Event::Crash(1));
    network.at(t(5.0), Event::Elect(2));
    network.at(t(12.0), Event::Recover(1));
    network.run_until(t(16.0));
    network
}

#[test]
fn hole_5_to_the_letter_who_was_down_never_learns_the_outcome() {
    assert_eq!(down_through_an_election(ToTheLetter).masters(), [None, Some(3), Some(3)]);
}

#[test]
fn hole_5_mended_a_starting_process_asks_and_the_master_tells_it() {
    let network = down_through_an_election(Mended);
    assert_eq!(network.masters(), [Some(3); 3]);
    assert_eq!(network.machine(1).state().election, Some(1));
}

#[test]
fn hole_5_mended_an_order_that_waits_is_not_lost_by_following_a_master() {
    let mut network = Network::new(Mended, &[1, 2, 3], 0.75, 7);
    network.at(t(3.0), Event::Elect(3));
    network.at(t(8.0), Event::Crash(1));
    network.at(t(10.0), Event::Recover(1));
    network.at(t(10.5), Event::Elect(1));
    network.run_until(t(12.0));
    assert_eq!((network.masters(), network.machine(1).state().election), (vec![Some(3); 3], Some(1)));
    network.run_until(t(20.0));
    assert_eq!((network.masters(), network.machine(1).state().election), (vec![Some(3); 3], Some(2)));
}

#[test]
fn hole_5_mended_a_starting_process_takes_no_number_that_is_taken() {
    let mut fx = Effects::new(3);
    let machine = AlgorithmB1::start(&setup(3, 5, Mended), Some(ElectionNumber(5)), &mut fx);
    let asks = Message::Ask { election: ElectionNumber(5) };
    assert_eq!(fx.into_parts(), (vec![broadcast(asks), set(Timer::Ready, 2.0)], vec![105]));
    let mut bench = Bench { machine, capacity: 3 };
    assert_eq!(bench.begins(), (vec![], vec![156]));
    assert_eq!(bench.hears(1, ended(6, Some(5))), (vec![save(6)], vec![]), "5 does not say so itself");
    bench.is_in("normal");
    let (effects, lines) = bench.runs_out(Timer::Ready);
    assert_eq!((&effects[0], lines), (&save(7), vec![1]));
}

#[test]
fn hole_6_mended_a_process_does_not_stand_again_in_an_election_in_which_it_died() {
    let machine = AlgorithmB1::start(&setup(3, 5, Mended), Some(ElectionNumber(5)), &mut Effects::new(3));
    let mut bench = Bench { machine, capacity: 3 };
    bench.runs_out(Timer::Ready);
    assert_eq!(bench.hears(4, capacity(5, 4)), (vec![], vec![]));
    bench.is_in("normal");
    assert_eq!(bench.hears(4, capacity(6, 4)).1, [106, 2]);
}

#[test]
fn hole_5_mended_a_starting_process_stands_aside_from_an_election_under_way() {
    let mut bench = Bench::new(Mended, 3);
    bench.begins();
    let answer = Message::UnderWay { election: ElectionNumber(2) };
    assert_eq!(bench.hears(1, answer), (vec![save(2), set(Timer::Ready, 3.0)], vec![115]));
    assert_eq!(bench.hears(4, capacity(2, 4)), (vec![set(Timer::Ready, 3.0)], vec![115]));
    bench.is_in("normal");
    assert_eq!(bench.hears(4, elected(2)).1, [125, 206]);
    bench.is_in("stop");
    assert_eq!(bench.machine.state().believes_in(), Some(node(4)));
}

#[test]
fn hole_5_mended_a_candidate_begins_if_the_election_that_it_stood_aside_from_elected_nobody() {
    for (capacity_of_3, lines) in [(3, &[1][..]), (-1, &[])] {
        let mut bench = Bench::new(Mended, capacity_of_3);
        bench.begins();
        assert_eq!(bench.hears(1, capacity(1, -1)).1, [115]);
        assert_eq!(bench.runs_out(Timer::Ready).1, lines);
    }
}

#[test]
fn an_ask_is_answered_with_the_number_and_from_stop_with_the_master() {
    let asks = Message::Ask { election: ElectionNumber(0) };
    let answer = |message| (vec![Effect::Send { to: node(1), message }], vec![135]);
    let mut bench = Bench::mended(3);
    assert_eq!(bench.hears(1, asks), (vec![], vec![]));
    bench.begins();
    assert_eq!(bench.hears(1, asks), answer(Message::UnderWay { election: ElectionNumber(1) }));
    bench.runs_out(Timer::Table);
    assert_eq!(bench.hears(1, asks), answer(ended(1, Some(3))));
    // 1 began a second election and crashed before anybody heard of it: 3 is not the master of that one.
    let asks = Message::Ask { election: ElectionNumber(2) };
    let taken = vec![save(2), Effect::Send { to: node(1), message: ended(2, None) }];
    assert_eq!(bench.hears(1, asks), (taken, vec![135]));
    assert_eq!(bench.machine.state().election, Some(1));
}

#[test]
fn a_master_that_dies_as_it_is_elected_is_found_by_2_t_of_silence() {
    let mut network = Network::new(Mended, &[1, 2, 3], 0.75, 7);
    network.at(t(5.0), Event::Elect(1));
    network.at(t(7.0), Event::Crash(3));
    network.run_until(t(8.9));
    assert_eq!(network.masters(), [Some(3), Some(3), None]);
    network.run_until(t(20.0));
    assert_eq!(network.masters(), [Some(2), Some(2), None]);
    let silent = network.lines.iter().position(|line| line.1 == 207).unwrap();
    assert!(network.lines[..silent].iter().all(|line| line.1 != 204), "no answer was missing before");
}

#[test]
fn one_lost_answer_is_enough_and_the_master_answers() {
    let mut bench = Bench::mended(3);
    bench.hears(5, capacity(1, 5));
    bench.hears(5, elected(1));
    assert_eq!(bench.runs_out(Timer::Table).1, [6, 206], "the master has stopped first");
    bench.runs_out(Timer::Ready);
    bench.runs_out(Timer::Watch(watch::Timer::Ask));
    assert_eq!(bench.runs_out(Timer::Watch(watch::Timer::Answer)).1, [203, 204, 146, 1]);

    let mut network = Network::new(Mended, &[1, 2, 3], 0.75, 7);
    network.at(t(5.0), Event::Elect(1));
    network.run_until(t(500.0));
    assert_eq!((network.masters(), network.machine(1).state().election), (vec![Some(3); 3], Some(1)));
    assert!(network.lines.iter().filter(|line| line.1 == 202).count() > 200);
}
