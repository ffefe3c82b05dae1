//! The mends of holes 5 and 6, and how all begin together.
//!
//! Invariant: each mend has a scenario that fails to the letter.

use super::{AlgorithmA, ELECTED, Errata, READY, Timer, broadcast, call, capacity, elected, mended, word};
use crate::king_ni::tests::network::{
    self,
    Errata::{Mended, ToTheLetter},
    Event, t,
};
use crate::king_ni::{ElectionNumber, succession};
use bench::{save, set};
use protocol::{Algorithm, Effect};

type Network = network::Network<AlgorithmA>;

fn all_begin(network: &mut Network, at: f64) {
    (1..=3).for_each(|number| network.at(t(at), Event::Elect(number)));
}

/// The master 3 dies, and all are ordered to begin.
fn second_election(errata: Errata) -> Network {
    let mut network = Network::new(errata, &[1, 2, 3], 0.75, 7);
    all_begin(&mut network, 5.0);
    network.at(t(7.5), Event::Crash(3));
    all_begin(&mut network, 8.0);
    network.run_until(t(10.0));
    network
}

#[test]
fn hole_6_to_the_letter_there_is_no_second_election() {
    let mut network = second_election(ToTheLetter);
    network.run_until(t(100.0));
    assert_eq!(network.masters(), [Some(3), Some(3), None]);
    assert_eq!(network.broadcasts.len(), 3 + 1, "three capacities and the word of 3");
}

#[test]
fn hole_6_mended_a_higher_number_opens_a_fresh_machine() {
    let network = second_election(Mended);
    assert_eq!(network.masters(), [Some(2), Some(2), None]);
    assert_eq!(network.machine(1).state().election, Some(2));
}

/// 1 has come back, and watches by another clock than 2: the call still makes them begin together.
#[test]
fn hole_6_mended_who_finds_the_master_gone_calls_all_to_begin_at_one_moment() {
    let mut network = Network::new(Mended, &[1, 2, 3, 4], 0.75, 7);
    (1..=4).for_each(|number| network.at(t(5.0), Event::Elect(number)));
    network.at(t(8.0), Event::Crash(1));
    network.at(t(9.7), Event::Recover(1));
    network.at(t(13.0), Event::Crash(4));
    network.run_until(t(30.0));
    assert_eq!(network.masters(), [Some(3), Some(3), Some(3), None]);
    let waits: Vec<_> = network.changes.iter().filter(|change| change.word == "wait" && change.at > t(13.0)).collect();
    assert_eq!(waits.len(), 3);
    assert!(waits.iter().all(|change| change.at == waits[0].at), "{waits:?}");
    assert_eq!(network.two_masters, Vec::<String>::new());
}

/// 1 is no candidate, and is ordered to begin alone, which nobody hears. To the letter stop is final: nothing begins.
#[test]
fn who_is_alone_in_an_election_and_elects_nobody_asks_for_the_master_that_it_had() {
    for (errata, word) in [(Mended, "wait"), (ToTheLetter, "stop")] {
        let mut network = Network::new(errata, &[-1, 2, 3], 0.75, 7);
        all_begin(&mut network, 5.0);
        network.at(t(8.0), Event::Elect(1));
        network.run_until(t(8.5));
        assert_eq!(network.word(1), word);
        network.run_until(t(8.0 + 1.0 + 0.76 + 0.9));
        assert_eq!(network.masters(), [Some(3); 3], "T, what it asks, and the answer");
        assert_eq!(network.machine(1).state().election, (errata == Mended).then_some(1));
    }
}

/// It has heard all that there was to hear, so it need not stand aside from a call that comes meanwhile.
#[test]
fn who_asks_for_having_elected_nobody_begins_with_all_when_it_is_called() {
    let mut bench = mended();
    bench.elect();
    bench.hear(1, capacity(1, -1));
    let asks = succession::Message::Ask { election: ElectionNumber(1) };
    assert_eq!(bench.time_out(Timer::Table), [broadcast(asks.into()), set(READY, t(2.0))]);
    bench.hear(5, call(3));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[186, 1][..], "wait".into()));
}

#[test]
fn hole_6_mended_a_call_counts_once_and_from_any_phase() {
    let mut bench = mended();
    bench.hear(1, call(4));
    assert_eq!(bench.lines, [186, 1]);
    assert!(bench.effects.contains(&save(ElectionNumber(4))), "{:?}", bench.effects);
    assert!(bench.effects.ends_with(&[broadcast(capacity(4, 3)), set(Timer::Table, t(1.0))]), "{:?}", bench.effects);
    assert_eq!(bench.hear(2, call(4)), [], "another has found the master gone too");
    assert_eq!(bench.lines, [136]);
    bench.hear(2, call(5));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[186, 1][..], "wait".into()));
}

#[test]
fn hole_6_mended_a_higher_capacity_makes_nobody_begin_and_a_lower_one_is_dropped() {
    let mut bench = mended();
    assert_eq!(bench.hear(5, capacity(4, 5)), [save(ElectionNumber(4))]);
    assert_eq!(word(&bench), "start");
    bench.elect();
    assert!(bench.effects.contains(&broadcast(capacity(5, 3))), "{:?}", bench.effects);
    assert_eq!(bench.hear(5, capacity(4, 5)), []);
    assert_eq!(bench.lines, [136]);
}

#[test]
fn hole_6_mended_an_initiator_waits_t_after_its_own_stop_and_answers_a_taken_number_after_that() {
    let mut bench = mended();
    bench.elect();
    bench.hear(3, capacity(1, 3));
    bench.time_out(Timer::Table);
    assert_eq!(bench.elect(), []);
    assert_eq!(bench.lines, [156]);
    assert_eq!(bench.time_out(READY), [broadcast(call(3))], "others may have begun 2 meanwhile");
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[176][..], "stop".into()));
    bench.hear(3, call(3));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[186, 1][..], "wait".into()));
    bench.hear(3, capacity(3, 3));
    bench.time_out(Timer::Table);
    assert_eq!(bench.hear(1, capacity(1, 1)), [], "it may have begun a little later");
    bench.time_out(READY);
    assert_eq!(bench.hear(1, capacity(1, 1)), [broadcast(call(5))]);
    assert_eq!(bench.lines, [136, 166, 176]);
}

/// All are ordered to begin when 3 still asks: 1 and 2 begin, and 3 would begin by itself .4T later.
#[test]
fn hole_6_mended_an_order_that_comes_while_one_asks_makes_nobody_begin_alone() {
    let mut network = Network::new(Mended, &[1, 2, 3], 0.75, 7);
    network.at(t(4.0), Event::Crash(3));
    network.at(t(6.0), Event::Recover(3));
    all_begin(&mut network, 7.6);
    network.run_until(t(14.0));
    assert_eq!(network.two_masters, Vec::<String>::new());
    assert_eq!(network.masters(), [Some(3); 3]);
    let waits = |number| network.entered_last(number, "wait");
    assert_eq!((waits(1), waits(2)), (waits(3), waits(3)), "all begin at one moment");
}

/// 1 has returned and has just followed 3 when all are ordered to begin.
#[test]
fn hole_6_mended_an_order_that_comes_just_after_a_stop_makes_nobody_begin_alone() {
    let mut network = Network::new(Mended, &[9, 2, 3], 0.75, 7);
    network.at(t(4.0), Event::Crash(1));
    network.at(t(5.0), Event::Elect(2));
    network.at(t(5.0), Event::Elect(3));
    network.at(t(9.0), Event::Recover(1));
    all_begin(&mut network, 11.0);
    network.run_until(t(10.9));
    assert_eq!((network.masters(), network.word(1)), (vec![Some(3); 3], "stop".into()));
    network.run_until(t(17.0));
    assert_eq!(network.two_masters, Vec::<String>::new());
    assert_eq!(network.masters(), [Some(1); 3]);
}

#[test]
fn hole_6_mended_a_call_outranks_an_election_that_an_order_began_meanwhile() {
    let mut bench = mended();
    bench.elect();
    bench.hear(5, call(2));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[186, 1][..], "wait".into()));
    assert!(bench.effects.contains(&broadcast(capacity(2, 3))), "{:?}", bench.effects);
    // A process that asks may not have heard what the others heard before the call.
    let mut bench = super::Bench::<AlgorithmA>::start(3, 5, network::timing(), super::with(Mended, "1-5"));
    assert_eq!(bench.hear(5, call(2)), [save(ElectionNumber(2)), set(READY, t(2.0))]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[115][..], "start".into()));
    bench.hear(5, elected(2));
    assert_eq!(bench.lines, [125, 206]);
}

/// The order comes while 3 asks, and the answer makes it a follower: the order is not lost.
#[test]
fn hole_6_mended_an_order_that_waits_outlasts_the_answer() {
    let mut bench = super::Bench::<AlgorithmA>::start(3, 5, network::timing(), super::with(Mended, "1-5"));
    assert_eq!((bench.elect().len(), bench.lines.as_slice()), (0, &[156][..]));
    bench.hear(5, elected(4));
    assert_eq!(bench.lines, [125, 206]);
    assert_eq!(bench.time_out(READY), [broadcast(call(6))]);
}

/// 1 is down through an election of 2 and 3.
fn down_through_an_election(errata: Errata) -> Network {
    let mut network = Network::new(errata, &[1, 2, 3], 0.75, 7);
    network.at(t(3.0), Event::Crash(1));
    network.at(t(5.0), Event::Elect(2));
    network.at(t(5.0), Event::Elect(3));
    network.at(t(8.0), Event::Recover(1));
    network.run_until(t(11.0));
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
fn hole_5_mended_a_starting_process_stands_aside_and_hears_the_masters_word() {
    let mut bench = super::Bench::<AlgorithmA>::start(3, 5, network::timing(), super::with(Mended, "1-5"));
    let asks = succession::Message::Ask { election: ElectionNumber(0) };
    assert_eq!(bench.effects, [broadcast(asks.into()), set(READY, t(2.0))]);
    assert_eq!(bench.hear(5, capacity(1, 5)), [save(ElectionNumber(1)), set(READY, t(2.0))]);
    assert_eq!(bench.lines, [115]);
    assert_eq!(bench.elect(), [], "as in mid-election");
    let (effects, lines) = (bench.hear(5, elected(1)).to_vec(), &bench.lines);
    assert_eq!(lines, &[125, 206]);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Broadcast { .. })), "{effects:?}");
    assert_eq!(word(&bench), "stop");
}

#[test]
fn hole_5_mended_a_candidate_begins_if_the_election_that_it_stood_aside_from_elected_nobody() {
    let mut bench = super::Bench::<AlgorithmA>::start(3, 5, network::timing(), super::with(Mended, "1-5"));
    bench.hear(5, succession::Message::UnderWay { election: ElectionNumber(1) }.into());
    assert_eq!(bench.lines, [115]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [105], "it asks how that one ended");
    bench.time_out(READY);
    assert!(bench.effects.contains(&broadcast(super::call(3))), "{:?}", bench.effects);
}

/// 4 began election 2, died, and is back: it follows the master of election 1 under number 1, though 2 is taken.
#[test]
fn hole_5_mended_a_master_is_followed_under_the_number_of_its_own_election() {
    let mut bench = super::Bench::<AlgorithmA>::start(3, 5, network::timing(), super::with(Mended, "1-5"));
    let ended = |election, taken| {
        let (election, taken) = (ElectionNumber(election), ElectionNumber(taken));
        succession::Message::Ended { election, master: Some(super::node(2)), taken }
    };
    bench.hear(2, ended(1, 2).into());
    assert_eq!(bench.lines, [125, 206]);
    assert_eq!((bench.machine.state().election, word(&bench)), (Some(1), "stop".into()));
    bench.time_out(READY);
    bench.elect();
    assert!(bench.effects.contains(&broadcast(capacity(3, 3))), "{:?}", bench.effects);
    // A garbled answer may tell of more than is taken; it is still saved once.
    let mut bench = super::Bench::<AlgorithmA>::start(3, 5, network::timing(), super::with(Mended, "1-5"));
    let effects = bench.hear(2, ended(9, 2).into()).to_vec();
    assert!(effects.contains(&save(ElectionNumber(9))), "{effects:?}");
}

#[test]
fn a_master_that_dies_as_it_is_elected_is_found_by_2_t_of_silence() {
    let mut network = Network::new(Mended, &[1, 2, 3], 0.75, 7);
    all_begin(&mut network, 5.0);
    network.at(t(5.9), Event::Crash(3));
    network.run_until(t(20.0));
    assert_eq!(network.masters(), [Some(2), Some(2), None]);
    let silent = network.lines.iter().position(|line| line.1 == 207).unwrap();
    assert!(network.lines[..silent].iter().all(|line| line.1 != 204), "no answer was missing before");
    assert_eq!(ELECTED, Timer::Succession(succession::Timer::Elected));
}
