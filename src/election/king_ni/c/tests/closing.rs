//! The mends of holes 6, 7, 12, 13 and 15 at one machine: a phase, one input, exact effects, the next phase.
//!
//! Invariant: each test asserts the line that the machine cites.

use super::super::{AlgorithmC, ElectionNumber, Message, Name, Timer, watch};
use super::bench::{Bench, broadcast, timer};
use super::{node, setup, t};
use crate::king_ni::tests::network::Errata::Mended;
use protocol::{Algorithm, Effect, Effects, SettingValue};

const FIRST: ElectionNumber = ElectionNumber(1);

fn elected(round: u32, capacity: i64) -> Message {
    Message::Elected { election: FIRST, round, capacity: Some(capacity) }
}

fn dup(round: u32, k: u16, l: u16) -> Message {
    let name = |number| Name { node: node(number), capacity: Some(i64::from(number)) };
    Message::Dup { election: FIRST, round, k: name(k), l: name(l) }
}

fn init(capacity: i64) -> Message {
    Message::Init { election: FIRST, capacity }
}

fn ask(election: u64) -> Effect<AlgorithmC> {
    broadcast(Message::Ask { election: ElectionNumber(election) })
}

fn watches() -> Effect<AlgorithmC> {
    let check = t(4.0);
    Effect::SetTimer { timer: Timer::Watch(watch::Timer::Ask), shortest: check, longest: check }
}

fn rests() -> [Effect<AlgorithmC>; 2] {
    [watch::Timer::Ask, watch::Timer::Answer].map(|timer| Effect::CancelTimer { timer: Timer::Watch(timer) })
}

/// Process 3 in coll2 of round 1.
fn coll2() -> Bench {
    let mut bench = Bench::mended();
    bench.begins();
    bench.times_out();
    bench.is_in("coll2");
    bench
}

fn master() -> Bench {
    let mut bench = coll2();
    bench.times_out();
    bench.is_in("master");
    bench
}

/// Process 3 in stop behind 4, after round 2.
fn stop() -> Bench {
    let mut bench = Bench::mended();
    bench.hears(4, elected(2, 4));
    bench.times_out();
    bench.is_in("stop");
    bench
}

/// Process 3, no candidate, at its end in round 1.
fn help() -> Bench {
    let mut bench = Bench::new(Mended, -1);
    bench.hears(5, init(5));
    for _ in 0..3 {
        assert_eq!(bench.times_out(), (vec![ask(1), timer(2)], vec![115]));
    }
    assert_eq!(bench.times_out().1, [18]);
    bench.is_in("help");
    bench
}

#[test]
fn mend_5_a_starting_process_asks_three_times_and_begins_nothing() {
    let mut fx = Effects::new(3);
    let machine = AlgorithmC::start(&setup(3, 5, Mended, t(4.0)), Some(ElectionNumber(7)), &mut fx);
    assert_eq!(fx.into_parts(), (vec![ask(7), timer(2)], vec![105]));
    let mut bench = Bench { machine, capacity: 3 };
    for _ in 0..2 {
        assert_eq!(bench.times_out(), (vec![ask(7), timer(2)], vec![105]));
    }
    assert_eq!(bench.times_out(), (vec![], vec![]));
    bench.is_in("normal");
}

#[test]
fn mend_7_a_non_candidate_that_gives_its_master_up_begins() {
    let mut bench = Bench::new(Mended, -1);
    bench.hears(4, elected(1, 4));
    bench.times_out();
    for _ in 0..2 {
        bench.input(|machine, fx| machine.on_timer(Timer::Watch(watch::Timer::Ask), fx));
        bench.input(|machine, fx| machine.on_timer(Timer::Watch(watch::Timer::Answer), fx));
    }
    bench.input(|machine, fx| machine.on_timer(Timer::Watch(watch::Timer::Ask), fx));
    let (effects, lines) = bench.input(|machine, fx| machine.on_timer(Timer::Watch(watch::Timer::Answer), fx));
    assert_eq!(lines, [203, 204, 146, 107]);
    let begins = Message::Init { election: ElectionNumber(2), capacity: -1 };
    assert_eq!(effects[3..], [broadcast(begins), timer(5)]);
    bench.is_in("wait1");
}

#[test]
fn mend_7_an_init_of_minus_one_starts_a_candidate_that_it_never_outranks() {
    let mut bench = Bench::mended();
    assert_eq!(bench.hears(5, init(-1)).1, [106, 2]);
    assert_eq!(bench.times_out(), (vec![broadcast(elected(1, 3)), timer(3)], vec![8]));
}

#[test]
fn mend_12_coll2_and_coll3_give_way_to_a_later_round_from_above_and_take_it_from_below() {
    let mut coll3 = coll2();
    coll3.hears(1, elected(1, 1));
    for (bench, own) in [(coll2(), 9), (coll3, 12)] {
        let mut from_above = bench;
        assert_eq!(from_above.hears(4, elected(2, 4)), (vec![timer(3)], vec![104, 142]));
        from_above.is_in("wait2");
        assert_eq!(from_above.machine.state().coordinator, Some(node(4)));

        let mut from_below = if own == 9 { coll2() } else { coll2_with_rival() };
        assert_eq!(from_below.hears(2, elected(2, 2)), (vec![broadcast(dup(2, 3, 2))], vec![104, 152, own]));
        from_below.is_in("coll3");
        assert_eq!(from_below.times_out(), (vec![broadcast(elected(3, 3)), timer(3)], vec![14]));
    }
}

fn coll2_with_rival() -> Bench {
    let mut bench = coll2();
    bench.hears(1, elected(1, 1));
    bench
}

/// A process that leaves phase master no longer tells anybody that it is master.
fn claims_no_more() -> Effect<AlgorithmC> {
    Effect::CancelTimer { timer: Timer::Watch(watch::Timer::Ask) }
}

#[test]
fn mend_13_a_master_gives_way_to_one_above_and_announces_itself_again_to_one_below() {
    let mut bench = master();
    assert_eq!(bench.hears(4, elected(1, 4)), (vec![claims_no_more(), timer(3)], vec![104, 133]));
    bench.is_in("wait2");
    assert_eq!(bench.machine.state().coordinator, Some(node(4)));

    let mut bench = master();
    let again = vec![claims_no_more(), broadcast(elected(2, 3)), timer(3)];
    assert_eq!(bench.hears(2, elected(1, 2)), (again, vec![104, 143]));
    bench.is_in("coll2");
    bench.times_out();
    bench.is_in("master");
    assert_eq!(bench.hears(4, elected(1, 4)), (vec![broadcast(elected(2, 3))], vec![123, 104, 193]));
    bench.is_in("master");
}

#[test]
fn mend_13_a_dup_opens_the_contest_again_for_a_master() {
    for (pair, line) in [((1, 2), 14), ((2, 4), 15)] {
        let mut bench = master();
        let (effects, lines) = bench.hears(1, dup(1, pair.0, pair.1));
        assert_eq!((effects, lines.last()), (vec![claims_no_more(), timer(3)], Some(&153)));
        bench.is_in("coll3");
        assert_eq!(bench.times_out().1, [line]);
    }
}

#[test]
fn mend_13_stop_moves_to_a_later_round_and_to_a_larger_master_of_this_one() {
    let mut bench = stop();
    let [ask, answer] = rests();
    assert_eq!(bench.hears(2, elected(3, 2)), (vec![ask, answer, timer(3)], vec![104, 163]));
    bench.is_in("wait2");

    let mut bench = stop();
    assert_eq!(bench.hears(4, elected(2, 4)), (vec![], vec![]), "its own master's");
    assert_eq!(bench.hears(5, elected(2, 5)), (vec![watches()], vec![104, 173]));
    bench.is_in("stop");
    assert_eq!(bench.machine.state().coordinator, Some(node(5)));
}

#[test]
fn mend_13_stop_tells_an_announcer_below_its_master_or_of_an_earlier_round_that_there_is_another() {
    let mut bench = stop();
    assert_eq!(bench.hears(2, elected(2, 2)), (vec![broadcast(dup(2, 4, 2))], vec![104, 183]));
    assert_eq!(bench.hears(5, elected(1, 5)), (vec![broadcast(dup(2, 4, 5))], vec![123, 104, 183]));
    bench.is_in("stop");
    assert_eq!(bench.machine.state().coordinator, Some(node(4)));
}

#[test]
fn mend_13_help_follows_whoever_announces_itself() {
    for round in [1, 2] {
        let mut bench = help();
        let (effects, lines) = bench.hears(4, elected(round, 4));
        assert_eq!((effects, lines.last()), (vec![timer(3)], Some(&163)));
        bench.is_in("wait2");
    }
}

#[test]
fn mend_15_what_answers_the_ask_after_a_claim_counts_whatever_round_help_knows_of() {
    let mut bench = help();
    bench.hears(4, dup(9, 4, 5));
    assert_eq!(bench.hears(4, elected(1, 4)), (vec![], vec![123]));
    let claim = watch::Message::Claim(watch::Claim { election: FIRST, master: node(4) });
    assert_eq!(bench.hears(4, Message::Watch(claim)), (vec![ask(1)], vec![165]));
    assert_eq!(bench.hears(4, elected(1, 4)).1, [163]);
    bench.is_in("wait2");
}

#[test]
fn mend_14_an_init_or_an_ask_makes_coll2_coll3_and_master_say_elected_again() {
    for mut bench in [coll2(), coll2_with_rival(), master()] {
        let word = bench.word();
        assert_eq!(bench.hears(5, init(5)), (vec![broadcast(elected(1, 3))], vec![114]), "{word}");
        let asks = Message::Ask { election: FIRST };
        assert_eq!(bench.hears(5, asks), (vec![broadcast(elected(1, 3))], vec![125]), "{word}");
        bench.is_in(&word);
    }
}

#[test]
fn mend_15_an_ask_of_a_higher_number_starts_that_election() {
    let asks = Message::Ask { election: ElectionNumber(4) };
    let saved = Effect::Save { saved: ElectionNumber(4) };
    let own = Message::Init { election: ElectionNumber(4), capacity: 3 };
    assert_eq!(master().hears(5, asks), (vec![saved, claims_no_more(), broadcast(own), timer(2)], vec![106, 2]));
    assert_eq!(coll2().hears(5, asks).1, [116], "in mid-election it waits");
}

#[test]
fn mend_15_an_ask_says_nothing_of_its_senders_capacity() {
    let mut bench = master();
    bench.hears(5, Message::Ask { election: ElectionNumber(4) });
    bench.s_is(&[3], &[3]);
}

#[test]
fn mend_15_while_it_asks_a_process_takes_up_a_higher_election_at_once() {
    let mut bench = Bench::mended();
    bench.hears(5, init(5));
    bench.times_out();
    assert_eq!(bench.times_out(), (vec![ask(1), timer(2)], vec![115]));
    let higher = Message::Init { election: ElectionNumber(2), capacity: 4 };
    assert_eq!(bench.hears(4, higher).1, [106, 2]);
    bench.is_in("coll1");
}

#[test]
fn mend_6_help_makes_its_higher_number_known_to_those_of_a_lower_one() {
    let mut bench = help();
    let lower = Message::Init { election: ElectionNumber(0), capacity: 4 };
    assert_eq!(bench.hears(4, lower), (vec![ask(1)], vec![136, 156]));
    let lower = Message::Init { election: ElectionNumber(0), capacity: 4 };
    assert_eq!(stop().hears(4, lower), (vec![], vec![136]));
}

#[test]
fn hole_3_left_in_an_ask_after_a_claim_opens_no_round() {
    for (mended, round) in [(vec!["6"], 0), (vec!["3", "6"], 1)] {
        let mut setup = setup(3, 5, Mended, t(4.0));
        let mended = SettingValue::Holes(mended.into_iter().map(str::to_owned).collect());
        setup.settings = setup.settings.with("errata", mended);
        let machine = AlgorithmC::start(&setup, None, &mut Effects::new(3));
        let mut bench = Bench { machine, capacity: 3 };
        let claim = watch::Message::Claim(watch::Claim { election: FIRST, master: node(4) });
        assert_eq!(bench.hears(4, Message::Watch(claim)).1, [165]);
        assert_eq!(bench.machine.round, round);
    }
}
