//! The watch over the master: requests, answers, three lost ones, and the election that follows.
//!
//! Invariant: a crash of the master leaves nobody who names it once the quiet bound has passed.

use super::super::{AlgorithmC, ElectionNumber, Message, Timer, watch};
use super::bench::{Answer, Bench, broadcast, elected, nothing};
use super::network::{Datagram, Event, Network, Xorshift};
use super::{T_NANOS, node, t};
use crate::king_ni::tests::network::Errata::{Mended, ToTheLetter};
use protocol::{Algorithm, CallNumber, Effect, Incarnation, NodeSet, Span};

const ASK: Timer = Timer::Watch(watch::Timer::Ask);
const ANSWER: Timer = Timer::Watch(watch::Timer::Answer);

fn number(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(1), serial }
}

fn query(serial: u32, election: u64) -> Message {
    Message::Watch(watch::Message::Ask { call: number(serial), election: ElectionNumber(election) })
}

fn set(timer: Timer, span: Span) -> Effect<AlgorithmC> {
    Effect::SetTimer { timer, shortest: span, longest: span }
}

fn runs_out(bench: &mut Bench, timer: Timer) -> Answer {
    bench.input(|machine, fx| machine.on_timer(timer, fx))
}

/// Process 3 in stop, to the letter, behind master 4; a candidate or not.
fn stopped(mut bench: Bench) -> Bench {
    bench.hears(4, elected());
    bench.times_out();
    bench.is_in("stop");
    bench
}

fn asks(bench: &mut Bench, serial: u32) {
    let ask = Effect::Send { to: node(4), message: query(serial, 0) };
    assert_eq!(runs_out(bench, ASK), (vec![ask, set(ANSWER, t(2.0)), set(ASK, t(4.0))], vec![200]));
}

#[test]
fn the_third_lost_answer_in_a_row_gives_the_master_up_and_to_the_letter_nothing_begins_in_stop() {
    let mut bench = stopped(Bench::candidate());
    for serial in 1..=2 {
        asks(&mut bench, serial);
        assert_eq!(bench.machine.waits_for(ANSWER), NodeSet::of(node(4)));
        assert_eq!(bench.machine.waits_for(ASK), NodeSet::EMPTY);
        assert_eq!(runs_out(&mut bench, ANSWER), (vec![], vec![203]));
    }
    asks(&mut bench, 3);
    assert_eq!(runs_out(&mut bench, ANSWER), (vec![], vec![203, 204]));
    bench.is_in("stop");
}

#[test]
fn an_answer_to_the_open_request_alone_forgets_the_lost_ones() {
    let mut bench = stopped(Bench::candidate());
    let answer = |serial| Message::Watch(watch::Message::Answer(number(serial)));
    asks(&mut bench, 1);
    runs_out(&mut bench, ANSWER);
    asks(&mut bench, 2);
    runs_out(&mut bench, ANSWER);
    assert_eq!(bench.hears(4, answer(2)), nothing(), "it came too late");
    asks(&mut bench, 3);
    assert_eq!(bench.hears(5, answer(3)), nothing(), "5 was not asked");
    assert_eq!(bench.hears(4, answer(3)), (vec![Effect::CancelTimer { timer: ANSWER }], vec![202]));
    for serial in 4..=5 {
        asks(&mut bench, serial);
        assert_eq!(runs_out(&mut bench, ANSWER), (vec![], vec![203]));
    }
    bench.is_in("stop");
}

#[test]
fn who_is_no_candidate_goes_on_asking() {
    let mut bench = stopped(Bench::follower());
    for serial in 1..=3 {
        asks(&mut bench, serial);
        runs_out(&mut bench, ANSWER);
    }
    bench.is_in("stop");
    asks(&mut bench, 4);
}

#[test]
fn the_master_answers_in_phase_master_only() {
    let ask = query(9, 0);
    let mut bench = Bench::coll2();
    assert_eq!(bench.hears(1, ask), nothing());
    bench.times_out();
    bench.is_in("master");
    let answer = Effect::Send { to: node(1), message: Message::Watch(watch::Message::Answer(number(9))) };
    assert_eq!(bench.hears(1, ask), (vec![answer], vec![201]));
}

#[test]
fn mend_6_a_master_tells_a_follower_from_an_earlier_election_of_its_own() {
    let mut bench = Bench::mended();
    bench.begins();
    bench.times_out();
    bench.times_out();
    bench.is_in("master");
    let answer = Effect::Send { to: node(1), message: Message::Watch(watch::Message::Answer(number(9))) };
    let elected = Message::Elected { election: ElectionNumber(1), round: 1, capacity: Some(3) };
    assert_eq!(bench.hears(1, query(9, 0)), (vec![answer, broadcast(elected)], vec![201, 175]));
    assert_eq!(bench.hears(1, query(9, 1)).1, [201]);
    bench.is_in("master");
}

#[test]
fn a_dead_master_is_followed_by_the_next_largest() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let delay = move |_: &Datagram| Some(Span::from_nanos(random.below(T_NANOS) + 1));
    let mut network = Network::bare(Mended, &[1, 2, -1, 4, 5], t(4.0), Box::new(delay));
    network.at(t(0.0), Event::Elect(1));
    network.run_until(t(19.0));
    assert_eq!([1, 2, 3, 4].map(|number| network.master(number)), [Some(5); 4]);
    network.at(t(20.0), Event::Crash(5));
    network.changes.clear();
    let setup = super::setup(1, 5, Mended, t(4.0));
    let facts = AlgorithmC::CARD.facts(&setup.timing, 5, &setup.settings);
    network.run_until(t(20.0) + facts.quiet_bound);
    assert_eq!([1, 2, 3, 4].map(|number| network.master(number)), [Some(4); 4]);
    // The earliest first lost answer is one that was asked for at 20, with two check periods and 2T after it.
    let first = network.changes.first().map(|change| change.at).unwrap_or_default();
    assert!(first >= t(20.0 - 1.0 + 2.0 * 4.0 + 2.0), "{first} is before the third lost answer");
    assert_eq!(network.machine(4).state().election, Some(2), "one election, whoever else found out");

    network.at(t(90.0), Event::Recover(5));
    network.at(t(95.0), Event::Elect(2));
    network.run_until(t(110.0));
    assert_eq!([1, 2, 3, 4, 5].map(|number| network.master(number)), [Some(5); 5]);
    assert_eq!(network.machine(5).state().election, Some(ElectionNumber(3).0));
}

#[test]
fn a_dead_master_is_missed_with_the_shortest_check_that_is_allowed() {
    let shortest = t(2.0) + Span::from_nanos(1);
    let mut network = Network::bare(Mended, &[1, 2, 3], shortest, Box::new(|_| Some(t(0.5))));
    network.at(t(0.0), Event::Elect(1));
    network.at(t(20.0), Event::Crash(3));
    network.run_until(t(60.0));
    assert_eq!([1, 2].map(|number| network.master(number)), [Some(2); 2]);
}

#[test]
fn nothing_happens_while_the_master_answers() {
    for errata in [ToTheLetter, Mended] {
        let mut network = Network::bare(errata, &[1, 2, 3], t(2.0), Box::new(|_| Some(t(0.5))));
        for number in [1, 2, 3] {
            network.at(t(0.0), Event::Elect(number));
        }
        network.run_until(t(10.0));
        network.changes.clear();
        network.run_until(t(1_000.0));
        assert_eq!(network.changes, []);
        assert!(network.lines.iter().filter(|line| line.1 == 202).count() > 900);
    }
}
