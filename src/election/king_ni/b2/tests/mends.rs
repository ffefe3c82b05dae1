//! The mends of holes 5, 6 and 7, and the master's sign of life.
//!
//! Invariant: each mend has a scenario that fails to the letter.

use super::{AlgorithmB2, Errata, READY, Timer, broadcast, ended, faulty, init, mended, vect, with, word};
use crate::king_ni::tests::network::{
    self,
    Errata::{Mended, ToTheLetter},
    Event, t, timing,
};
use crate::king_ni::{ElectionNumber, succession, watch};
use bench::{Bench, save, set};
use protocol::{Algorithm, Effect, NodeSet, SettingValue, errata_of};

type Network = network::Network<AlgorithmB2>;

fn of_four(errata: Errata, capacities: [i64; 4]) -> Network {
    Network::with(faulty(4, errata, 2, "full"), &capacities, 0.75, 7)
}

/// 1 has been away and is back. The master 4 dies, and 1 begins before the others can have missed it.
fn second_election(errata: Errata) -> Network {
    let mut network = of_four(errata, [1, 2, 3, 4]);
    network.at(t(5.0), Event::Elect(1));
    network.at(t(11.0), Event::Crash(1));
    network.at(t(11.5), Event::Recover(1));
    network.at(t(17.5), Event::Crash(4));
    network.at(t(17.6), Event::Elect(1));
    network.run_until(t(22.5));
    network
}

#[test]
fn hole_11_mended_an_empty_list_and_a_second_one_of_the_same_sender_are_no_lists() {
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), with(Mended, "1-5"));
    bench.time_out(READY);
    bench.hear(4, init(1, 4));
    let lines = |bench: &mut Bench<AlgorithmB2>, from, list| {
        bench.hear(from, vect(1, list));
        bench.lines.clone()
    };
    assert_eq!(lines(&mut bench, 5, super::full(&[])), [111]);
    assert_eq!(lines(&mut bench, 5, super::full(&[(4, 4)])), [101]);
    assert_eq!(lines(&mut bench, 5, super::full(&[(4, 4)])), [111]);
    assert_eq!(bench.machine.lists.len(), 1);
}

/// Process 3 of five, which has just begun; these holes are left in.
fn begun_with(left: &'static [&'static str]) -> Bench<AlgorithmB2> {
    let errata = errata_of(AlgorithmB2::CARD.holes(), move |hole| !left.contains(&hole.number));
    let settings = move |settings| with(Mended, "1-5")(settings).with("errata", errata);
    let mut bench = Bench::start(3, 5, timing(), settings);
    bench.time_out(READY);
    bench.elect();
    bench
}

#[test]
fn hole_8_left_in_a_list_before_the_first_init_is_kept_unless_hole_11_is_mended() {
    for (left, line) in [(&["8", "11"][..], 101), (&["11"], 108), (&["8"], 111), (&[], 108)] {
        let mut bench = begun_with(left);
        bench.hear(4, vect(1, super::full(&[(2, 9)])));
        assert_eq!(bench.lines, [line], "{left:?}");
    }
}

#[test]
fn hole_11_left_in_empty_lists_and_second_ones_count() {
    let mut bench = begun_with(&["11"]);
    bench.hear(4, init(1, 4));
    for _ in 0..2 {
        bench.hear(4, vect(1, super::full(&[])));
        assert_eq!(bench.lines, [101]);
    }
    assert_eq!(bench.machine.lists.len(), 2);
}

#[test]
fn hole_6_to_the_letter_the_stopped_ignore_the_next_election_and_el_is_not_defined() {
    let network = second_election(ToTheLetter);
    assert_eq!((network.masters()[0], network.word(1)), (None, "stop".into()));
}

#[test]
fn hole_6_mended_a_higher_number_opens_a_fresh_machine() {
    let network = second_election(Mended);
    assert_eq!(network.masters(), [Some(3), Some(3), Some(3), None]);
    assert_eq!(network.machine(1).state().election, Some(2));
}

#[test]
fn hole_6_mended_an_initiator_waits_t_after_its_own_stop_and_answers_a_taken_number_after_that() {
    let mut bench = stopped();
    assert_eq!(bench.elect(), []);
    assert_eq!(bench.lines, [156]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [146, 1]);
    assert!(bench.effects.contains(&save(ElectionNumber(2))) && bench.effects.contains(&broadcast(init(2, 3))));
    for number in [1, 0] {
        let mut bench = stopped();
        assert_eq!(bench.hear(2, init(number, 2)), [], "a peer may be T behind");
        bench.time_out(READY);
        bench.hear(2, init(number, 2));
        assert_eq!(bench.lines[bench.lines.len() - 3..], [166, 146, 1]);
    }
}

pub(super) fn under_way(election: u64) -> super::Message {
    succession::Message::UnderWay { election: ElectionNumber(election) }.into()
}

/// 3 has stopped under 4, after election 1.
fn stopped() -> Bench<AlgorithmB2> {
    let mut bench = mended();
    bench.hear(4, init(1, 4));
    bench.hear(3, init(1, 3));
    bench.time_out(Timer::Table);
    for from in [4, 1, 3, 2] {
        bench.hear(from, vect(1, super::full(&[(4, 4), (3, 3)])));
    }
    bench.time_out(Timer::Table);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[9, 109, 302][..], "stop".into()));
    bench
}

#[test]
fn hole_6_mended_a_higher_election_takes_the_place_of_this_one_and_a_lower_one_is_dropped() {
    let mut bench = mended();
    bench.hear(5, init(4, 5));
    assert_eq!(bench.lines, [106, 2]);
    assert_eq!(bench.hear(5, init(3, 5)), []);
    assert_eq!(bench.lines, [136]);
    bench.hear(5, vect(4, super::full(&[(5, 5)])));
    assert_eq!(bench.lines, [101]);
    bench.hear(1, init(5, 1));
    assert_eq!(bench.lines, [116, 2]);
    assert_eq!((bench.machine.candidates.len(), bench.machine.lists.len()), (1, 0));
    assert_eq!(bench.hear(1, vect(6, super::full(&[(1, 1)]))), [], "a list opens no election");
    assert_eq!(word(&bench), "coll1");
}

/// 1, no candidate, begins.
fn non_candidate_begins(errata: Errata, capacities: [i64; 4]) -> Network {
    let mut network = of_four(errata, capacities);
    network.at(t(5.0), Event::Elect(1));
    network.run_until(t(12.0));
    network
}

#[test]
fn hole_7_to_the_letter_a_non_candidate_begins_nothing() {
    assert_eq!(non_candidate_begins(ToTheLetter, [-1, 2, 3, 4]).changes, []);
}

#[test]
fn hole_7_mended_a_non_candidate_starts_the_others_and_is_never_elected() {
    assert_eq!(non_candidate_begins(Mended, [-1, 2, 3, 4]).masters(), [Some(4); 4]);
    let network = non_candidate_begins(Mended, [-1; 4]);
    assert_eq!(
        (network.masters(), network.word(1), network.word(4)),
        (vec![None; 4], "normal".into(), "normal".into())
    );
    assert!(network.lines.contains(&(1, 107)) && network.lines.contains(&(2, 117)));
}

/// 1 is down through an election of the others.
fn down_through_an_election(errata: Errata) -> Network {
    let mut network = of_four(errata, [1, 2, 3, 4]);
    network.at(t(3.0), Event::Crash(1));
    network.at(t(5.0), Event::Elect(2));
    network.at(t(12.0), Event::Recover(1));
    network.run_until(t(16.0));
    network
}

#[test]
fn hole_5_to_the_letter_who_was_down_never_learns_the_outcome() {
    assert_eq!(down_through_an_election(ToTheLetter).masters(), [None, Some(4), Some(4), Some(4)]);
}

#[test]
fn hole_5_mended_a_starting_process_asks_and_t_plus_1_tell_it() {
    let network = down_through_an_election(Mended);
    assert_eq!(network.masters(), [Some(4); 4]);
    assert_eq!(network.machine(1).state().election, Some(1));
}

/// 1 to 3 still ask when all are ordered to begin; 4's init alone tells nobody that an election is under way.
#[test]
fn hole_5_mended_an_order_that_waits_is_not_lost_by_one_init() {
    let mut network = of_four(Mended, [1, 2, 3, 4]);
    for of in 1..=3 {
        network.at(t(3.0), Event::Crash(of));
        network.at(t(5.0), Event::Recover(of));
    }
    (1..=4).for_each(|of| network.at(t(5.5), Event::Elect(of)));
    network.run_until(t(20.0));
    assert_eq!(network.masters(), [Some(4); 4]);
}

#[test]
fn hole_5_mended_who_had_too_few_lists_is_not_put_aside_by_those_who_end_a_moment_later() {
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), with(Mended, "1-5"));
    bench.time_out(READY);
    bench.hear(4, init(2, 4));
    bench.time_out(Timer::Table);
    bench.time_out(Timer::Table);
    assert_eq!(bench.lines, [117, 301, 105]);
    assert_eq!((bench.hear(1, under_way(2)).len(), bench.hear(2, under_way(2)).len()), (0, 0));
    assert_eq!(bench.hear(1, under_way(3)).len(), 0, "one alone may lie");
    bench.hear(2, under_way(3));
    assert_eq!(bench.lines, [115]);
}

#[test]
fn hole_5_mended_a_starting_process_follows_when_t_plus_1_say_the_same() {
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), with(Mended, "1-5"));
    assert_eq!(bench.lines, [105]);
    assert_eq!(bench.hear(5, ended(6, Some(5))), [save(ElectionNumber(6))], "what it begins itself will be above that");
    assert_eq!(
        bench.hear(5, ended(6, Some(5))),
        [],
        "5 says so itself, and may be malicious; twice is no second voice"
    );
    assert_eq!(bench.hear(1, ended(6, Some(4))), []);
    assert_eq!(word(&bench), "normal");
    bench.hear(2, ended(6, Some(4)));
    assert_eq!(bench.lines, [125, 206]);
    assert_eq!(bench.machine.state().believes_in(), Some(super::node(4)));
    assert_eq!(bench.hear(5, ended(9, Some(5))), [], "it asks no more");
}

#[test]
fn hole_5_mended_who_stands_aside_follows_the_next_election() {
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), with(Mended, "1-5"));
    bench.hear(1, under_way(2));
    bench.hear(2, under_way(2));
    assert_eq!(bench.lines, [115]);
    assert_eq!(bench.hear(5, init(2, 5)), [], "its first init is gone");
    bench.hear(4, init(3, 4));
    assert_eq!(bench.lines, [106, 2]);
}

#[test]
fn hole_5_mended_a_starting_process_stands_aside_and_asks_again() {
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), with(Mended, "1-5"));
    assert_eq!(bench.hear(1, under_way(2)), [], "one alone may lie");
    assert_eq!(bench.hear(4, init(2, 4)), [save(ElectionNumber(2)), set(READY, t(6.0))]);
    assert_eq!(bench.lines, [115]);
    assert_eq!((bench.elect().len(), bench.hear(5, init(2, 5)).len()), (0, 0), "as in mid-election");
    assert_eq!((bench.hear(1, ended(1, Some(5))).len(), bench.hear(2, ended(1, Some(5))).len()), (0, 0), "of old");
    let asks = succession::Message::Ask { election: ElectionNumber(2) };
    for lines in [&[105][..], &[145, 105]] {
        assert_eq!(bench.time_out(READY), [broadcast(asks.into()), set(READY, t(2.0))]);
        assert_eq!(bench.lines, lines);
    }
    bench.hear(4, init(3, 4));
    assert_eq!(bench.lines, [106, 2]);
}

#[test]
fn hole_5_mended_a_candidate_begins_if_the_election_that_it_stood_aside_from_elected_nobody() {
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), with(Mended, "1-5"));
    bench.hear(1, under_way(2));
    bench.hear(4, init(2, 4));
    assert_eq!(bench.lines, [115]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [105], "it asks how that one ended");
    bench.hear(1, ended(2, None));
    bench.hear(2, ended(2, None));
    bench.time_out(READY);
    assert!(bench.effects.contains(&broadcast(init(3, 3))), "{:?}", bench.effects);
}

#[test]
fn more_than_t_are_down_and_the_operator_is_told() {
    let mut bench = mended();
    bench.elect();
    bench.hear(3, init(1, 3));
    bench.time_out(Timer::Table);
    bench.hear(3, vect(1, super::full(&[(3, 3)])));
    let effects = bench.time_out(Timer::Table).to_vec();
    let Effect::Help { text } = &effects[0] else { panic!("{effects:?}") };
    assert!(text.contains("only 1 of the 4 lists"), "{text}");
    assert_eq!(effects.last(), Some(&set(READY, t(2.0))), "it asks whether the others have elected somebody");
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[117, 301, 105][..], "normal".into()));
    bench.hear(4, init(2, 4));
    assert_eq!(bench.lines, [106, 2], "it has heard all there was to hear, and may take part while it asks");
}

#[test]
fn a_master_that_dies_as_it_is_elected_is_found_by_2_t_of_silence() {
    let mut network = of_four(Mended, [1, 2, 3, 4]);
    network.at(t(5.0), Event::Elect(1));
    network.at(t(9.0), Event::Crash(4));
    network.run_until(t(10.7));
    assert_eq!(network.masters(), [Some(4), Some(4), Some(4), None]);
    network.run_until(t(30.0));
    assert_eq!(network.masters(), [Some(3), Some(3), Some(3), None]);
    assert!(network.lines.iter().any(|line| line.1 == 207) && network.lines.iter().all(|line| line.1 != 204));
}

/// A claim that t+1 do not bear out makes a process begin; with hole 7 left in, a candidate alone.
#[test]
fn hole_7_left_in_a_claim_makes_no_non_candidate_begin() {
    for (mended, begins) in [(vec!["6"], false), (vec!["6", "7"], true)] {
        let mended = SettingValue::Holes(mended.into_iter().map(str::to_owned).collect());
        let candidates: NodeSet = "4,5".parse().unwrap();
        let mut bench: Bench<AlgorithmB2> = Bench::start(3, 5, timing(), |settings| {
            settings.with("errata", mended).with("candidates", SettingValue::Nodes(candidates))
        });
        bench.time_out(READY);
        let claim = watch::Claim { election: ElectionNumber(3), master: super::node(4) };
        bench.hear(4, watch::Message::Claim(claim).into());
        assert_eq!((bench.lines.contains(&107), word(&bench) == "coll1"), (begins, begins), "{:?}", bench.lines);
    }
}
