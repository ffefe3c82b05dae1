//! Algorithm B.1: transitions 1 to 6 of Table 2 to the letter, and the mends of holes 5, 6 and 7. A phase, one input,
//! exact effects, the next phase.
//!
//! Invariant: each test of a transition names it, and asserts the line that the machine cites. 4 and 7, a fault, are the
//! death of the process: nothing of it is left to cite a line.

use super::{AlgorithmB1, ElectionNumber, Message, Timer};
use crate::king_ni::tests::network::{
    Errata::{self, Mended, ToTheLetter},
    settings, t, timing,
};
use crate::king_ni::watch;
use protocol::{Algorithm, Effect, Effects, Incarnation, LineNumber, Order, Roster, Setup, Status, Timing};
use test_harness::node;

fn setup(me: u16, nodes: u16, errata: Errata) -> Setup {
    let roster = Roster::new(nodes).unwrap();
    Setup {
        me: node(me),
        roster,
        timing: timing(),
        settings: settings::<AlgorithmB1>(nodes, errata),
        incarnation: Incarnation(1),
        keyring: None,
    }
}

/// Effects and lines.
type Answer = (Vec<Effect<AlgorithmB1>>, Vec<LineNumber>);

/// Process 3 of five, one input at a time; its capacity is 3 unless it is no candidate.
struct Bench {
    machine: AlgorithmB1,
    capacity: i64,
}

impl Bench {
    fn to_the_letter(capacity: i64) -> Bench {
        Bench::new(ToTheLetter, capacity)
    }

    /// Mended, and its time of asking is over.
    fn mended(capacity: i64) -> Bench {
        let mut bench = Bench::new(Mended, capacity);
        assert_eq!(bench.runs_out(Timer::Ready), (vec![], vec![]));
        bench
    }

    fn new(errata: Errata, capacity: i64) -> Bench {
        let machine = AlgorithmB1::start(&setup(3, 5, errata), None, &mut Effects::new(capacity));
        Bench { machine, capacity }
    }

    fn input(&mut self, input: impl FnOnce(&mut AlgorithmB1, &mut Effects<AlgorithmB1>)) -> Answer {
        let mut fx = Effects::new(self.capacity);
        input(&mut self.machine, &mut fx);
        fx.into_parts()
    }

    fn begins(&mut self) -> Answer {
        self.input(|machine, fx| machine.on_order(Order::Elect, fx))
    }

    fn hears(&mut self, from: u16, message: Message) -> Answer {
        self.input(|machine, fx| machine.on_message(node(from), message, fx))
    }

    fn runs_out(&mut self, timer: Timer) -> Answer {
        self.input(|machine, fx| machine.on_timer(timer, fx))
    }

    fn is_in(&self, word: &str) {
        assert_eq!(self.machine.state().word, word);
    }

    /// Asserts that `S` has these ids, each with a capacity equal to it.
    fn s_is(&self, ids: &[u16]) {
        let expected = ids.iter().map(|id| (node(*id), i64::from(*id))).collect();
        assert_eq!(self.machine.candidates, expected);
    }
}

fn capacity(election: u64, capacity: i64) -> Message {
    Message::Capacity { election: ElectionNumber(election), capacity }
}

fn elected(election: u64) -> Message {
    Message::Elected { election: ElectionNumber(election) }
}

fn broadcast(message: Message) -> Effect<AlgorithmB1> {
    Effect::Broadcast { message }
}

fn set(timer: Timer, times: f64) -> Effect<AlgorithmB1> {
    Effect::SetTimer { timer, shortest: t(times), longest: t(times) }
}

#[test]
fn a_message_fits_64_bytes() {
    assert!(size_of::<Message>() <= 64, "{} bytes", size_of::<Message>());
}

#[test]
fn the_card_states_the_papers_bound() {
    let settings = setup(1, 5, Mended).settings;
    let facts = AlgorithmB1::CARD.facts(&timing(), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (t(3.0), t(23.0)));
    let rule = &AlgorithmB1::CARD.periods[0];
    assert!((rule.holds)(&timing(), 5, &settings));
    assert!(!(rule.holds)(&Timing { check: t(1.9), ..timing() }, 5, &settings));
}

fn save(election: u64) -> Effect<AlgorithmB1> {
    Effect::Save { saved: ElectionNumber(election) }
}

fn ended(election: u64, master: Option<u16>) -> Message {
    Message::Ended { election: ElectionNumber(election), master: master.map(node) }
}

fn collect() -> Bench {
    let mut bench = Bench::to_the_letter(3);
    bench.begins();
    bench
}

#[test]
fn transition_1_normal_begins() {
    let mut bench = Bench::to_the_letter(3);
    assert_eq!(bench.begins().0.last(), Some(&set(Timer::Table, 2.0)));
    let mut bench = Bench::to_the_letter(3);
    let (effects, lines) = bench.begins();
    assert!(effects.contains(&broadcast(capacity(0, 3))) && lines == [1], "{effects:?}");
    bench.is_in("collect");
    bench.s_is(&[3]);
    assert_eq!(bench.begins(), (vec![], vec![]), "begins counts in normal only");
    assert_eq!(Bench::to_the_letter(-1).begins(), (vec![], vec![]), "only a candidate begins");
}

#[test]
fn transition_6_collect_time_out() {
    let mut bench = collect();
    bench.hears(4, capacity(0, 4));
    assert_eq!(bench.runs_out(Timer::Table), (vec![set(Timer::Elected, 2.0)], vec![6]));
    bench.is_in("stop");
    let state = bench.machine.state();
    assert_eq!((state.status, state.coordinator, state.election), (Status::Normal, Some(node(4)), None));
    // Of equal capacities the larger id is max(S).
    let mut bench = collect();
    bench.hears(2, capacity(0, 3));
    assert_eq!(bench.runs_out(Timer::Table), (vec![broadcast(elected(0))], vec![6, 205]));
    assert_eq!(bench.machine.state().coordinator, Some(node(3)));
}

#[test]
fn a_message_without_a_row_changes_nothing() {
    let mut stop = collect();
    stop.hears(4, capacity(0, 4));
    stop.runs_out(Timer::Table);
    let before = stop.machine.clone();
    assert_eq!(stop.hears(5, capacity(0, 5)), (vec![], vec![]));
    assert_eq!(stop.hears(5, elected(0)), (vec![], vec![]), "5 is not its master");
    assert_eq!(stop.begins(), (vec![], vec![]));
    assert_eq!(stop.machine, before);
}

#[test]
fn transition_6_without_a_candidate() {
    let mut bench = Bench::to_the_letter(-1);
    bench.hears(5, capacity(0, -1));
    assert_eq!(bench.runs_out(Timer::Table), (vec![], vec![6]));
    bench.is_in("stop");
    assert_eq!((bench.machine.state().believes_in(), bench.begins()), (None, (vec![], vec![])));
}

#[test]
fn hole_5_left_in_a_process_asks_nothing() {
    let mut fx = Effects::new(3);
    let machine = AlgorithmB1::start(&setup(3, 5, ToTheLetter), None, &mut fx);
    assert_eq!(fx.into_parts(), (vec![], vec![]));
    let mut bench = Bench { machine, capacity: 3 };
    assert_eq!(bench.hears(5, elected(0)), (vec![], vec![]));
    bench.is_in("normal");
}

#[test]
fn hole_7_mended_a_non_candidate_begins() {
    let mut bench = Bench::mended(-1);
    let (effects, lines) = bench.begins();
    assert!(effects.contains(&broadcast(capacity(1, -1))) && effects.contains(&set(Timer::Table, 2.0)), "{effects:?}");
    assert_eq!(lines, [107]);
    bench.s_is(&[]);
    assert_eq!(bench.runs_out(Timer::Table), (vec![], vec![117]), "nobody is a candidate, and nobody is elected");
    bench.is_in("normal");
}

/// The master died as it was elected. To the letter nothing begins in stop, now and later.
#[test]
fn who_hears_no_elected_for_2_t_begins() {
    for (errata, number, lines) in [(Mended, 1, &[207, 146, 1][..]), (ToTheLetter, 0, &[207])] {
        let mut bench = Bench::new(errata, 3);
        bench.runs_out(Timer::Ready);
        bench.hears(5, capacity(number, 5));
        bench.runs_out(Timer::Table);
        bench.runs_out(Timer::Ready);
        assert_eq!(bench.runs_out(Timer::Elected).1, lines);
    }
}

#[test]
fn an_order_outlasts_following_a_master() {
    let mut bench = Bench::new(Mended, 3);
    assert_eq!(bench.begins().1, [156]);
    assert_eq!(bench.hears(4, ended(2, Some(4))).1, [125, 206]);
    assert_eq!(bench.runs_out(Timer::Ready).1, [146, 1]);
}

#[test]
fn hole_6_mended_an_initiator_waits_t() {
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
fn hole_6_mended_a_higher_election_takes_over() {
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
fn hole_6_mended_a_taken_number_begins_anew() {
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
fn hole_6_mended_who_is_ahead_begins_anew() {
    let mut bench = Bench::mended(3);
    bench.hears(5, Message::Ask { election: ElectionNumber(4) });
    assert_eq!(bench.hears(1, capacity(3, -1)).1, [136, 166, 1], "without it that election may elect nobody");
    bench.is_in("collect");
}

#[test]
fn hole_5_mended_no_taken_number_is_used() {
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
fn hole_6_mended_nobody_stands_again_after_death() {
    let machine = AlgorithmB1::start(&setup(3, 5, Mended), Some(ElectionNumber(5)), &mut Effects::new(3));
    let mut bench = Bench { machine, capacity: 3 };
    bench.runs_out(Timer::Ready);
    assert_eq!(bench.hears(4, capacity(5, 4)), (vec![], vec![]));
    bench.is_in("normal");
    assert_eq!(bench.hears(4, capacity(6, 4)).1, [106, 2]);
}

#[test]
fn hole_5_mended_a_starting_process_stands_aside() {
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
fn hole_5_mended_a_missed_candidate_begins() {
    for (capacity_of_3, lines) in [(3, &[1][..]), (-1, &[])] {
        let mut bench = Bench::new(Mended, capacity_of_3);
        bench.begins();
        assert_eq!(bench.hears(1, capacity(1, -1)).1, [115]);
        assert_eq!(bench.runs_out(Timer::Ready).1, lines);
    }
}

#[test]
fn ask_is_answered_with_number_and_master() {
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
fn one_lost_answer_is_enough() {
    let mut bench = Bench::mended(3);
    bench.hears(5, capacity(1, 5));
    bench.hears(5, elected(1));
    assert_eq!(bench.runs_out(Timer::Table).1, [6, 206], "the master has stopped first");
    bench.runs_out(Timer::Ready);
    bench.runs_out(Timer::Watch(watch::Timer::Ask));
    assert_eq!(bench.runs_out(Timer::Watch(watch::Timer::Answer)).1, [203, 204, 146, 1]);
}
