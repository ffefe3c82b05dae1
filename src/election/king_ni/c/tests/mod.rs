//! Algorithm C: what Tables 4a and 4b have no row for, and the watch over the master. The mends are in `mends`, and what
//! the Card says of cost in `costs`.
//!
//! Invariant: every phase is reached by inputs alone.

mod costs;
mod mends;

use super::{AlgorithmC, ElectionNumber, Message, Name, Timer, watch};
use super::{CandidateList, HeardFrom};
use crate::king_ni::tests::network::{
    Errata::{self, Mended, ToTheLetter},
    settings, t, timing,
};
use protocol::{
    Algorithm, CallNumber, Described, Effect, Effects, Incarnation, LineNumber, NodeSet, Order, Roster, Setup, Span,
    Timing,
};
use test_harness::node;

fn setup(me: u16, nodes: u16, errata: Errata, check: Span) -> Setup {
    let roster = Roster::new(nodes).unwrap();
    Setup {
        me: node(me),
        roster,
        timing: Timing { check, ..timing() },
        settings: settings::<AlgorithmC>(nodes, errata),
        incarnation: Incarnation(1),
        keyring: None,
    }
}

/// The effects and the listing's lines of one input.
type Answer = (Vec<Effect<AlgorithmC>>, Vec<LineNumber>);

/// Process 3 of five. Its capacity is 3, or -1 if it is no candidate. What is made in a phase (`coll2`) runs to the
/// letter.
struct Bench {
    machine: AlgorithmC,
    capacity: i64,
}

impl Bench {
    fn candidate() -> Bench {
        Bench::new(ToTheLetter, 3)
    }

    fn follower() -> Bench {
        Bench::new(ToTheLetter, -1)
    }

    /// A candidate with the mends.
    fn mended() -> Bench {
        Bench::new(Mended, 3)
    }

    fn new(errata: Errata, capacity: i64) -> Bench {
        let setup = setup(3, 5, errata, t(4.0));
        Bench { machine: AlgorithmC::start(&setup, None, &mut Effects::new(capacity)), capacity }
    }

    fn input(&mut self, input: impl FnOnce(&mut AlgorithmC, &mut Effects<AlgorithmC>)) -> Answer {
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

    fn times_out(&mut self) -> Answer {
        self.input(|machine, fx| machine.on_timer(Timer::Table, fx))
    }

    fn word(&self) -> String {
        self.machine.state().word.into_owned()
    }

    fn is_in(&self, word: &str) {
        assert_eq!(self.word(), word);
    }

    /// Asserts that `S` has these names, and that these ids' capacities are known, each equal to its id.
    fn s_is(&self, names: &[u16], capacities: &[u16]) {
        let mut expected = CandidateList::default();
        for number in names {
            expected.add(NodeSet::of(node(*number)));
        }
        for number in capacities {
            expected.learn(node(*number), i64::from(*number), HeardFrom::Itself);
        }
        assert_eq!(self.machine.candidates, expected);
    }

    fn coll1() -> Bench {
        let mut bench = Bench::candidate();
        bench.begins();
        bench
    }

    fn coll2() -> Bench {
        let mut bench = Bench::coll1();
        bench.hears(2, init(2));
        bench.times_out();
        bench
    }

    /// With `S` = {3, other}.
    fn coll3(other: u16) -> Bench {
        let mut bench = Bench::coll2();
        bench.hears(other, elected());
        bench
    }

    fn wait1() -> Bench {
        let mut bench = Bench::follower();
        bench.hears(5, init(5));
        bench
    }

    fn wait2(master: u16) -> Bench {
        let mut bench = Bench::follower();
        bench.hears(master, elected());
        bench
    }

    fn wait3() -> Bench {
        let mut bench = Bench::follower();
        bench.hears(4, dup(4, 5));
        bench
    }
}

fn init(capacity: i64) -> Message {
    Message::Init { election: ElectionNumber(0), capacity }
}

fn elected() -> Message {
    Message::Elected { election: ElectionNumber(0), round: 0, capacity: None }
}

fn dup(k: u16, l: u16) -> Message {
    let name = |number| Name { node: node(number), capacity: None };
    Message::Dup { election: ElectionNumber(0), round: 0, k: name(k), l: name(l) }
}

fn broadcast(message: Message) -> Effect<AlgorithmC> {
    Effect::Broadcast { message }
}

fn timer(times: u64) -> Effect<AlgorithmC> {
    let span = t(times as f64);
    Effect::SetTimer { timer: Timer::Table, shortest: span, longest: span }
}

fn nothing() -> Answer {
    (vec![], vec![])
}

#[test]
fn a_message_fits_64_bytes() {
    assert!(size_of::<Message>() <= 64, "{} bytes", size_of::<Message>());
    let name = |number| Name { node: node(number), capacity: Some(i64::from(number)) };
    let dup = Message::Dup { election: ElectionNumber(7), round: 2, k: name(4), l: name(5) };
    assert_eq!(dup.kind(), "dup");
    let fields = [("k", "4 (4)"), ("l", "5 (5)"), ("election", "7"), ("round", "2")];
    assert_eq!(dup.fields(), fields.map(|(name, value)| (name, value.to_owned())));
}

#[test]
fn the_listing_has_every_transition_once() {
    let numbers: Vec<_> = AlgorithmC::CARD.listing.iter().map(|line| line.number).collect();
    assert_eq!(numbers[..22], (1..=22).collect::<Vec<_>>());
    let distinct: std::collections::BTreeSet<_> = numbers.iter().collect();
    assert_eq!(distinct.len(), numbers.len());
}

#[test]
fn the_card_holds_check_against_an_answer() {
    let rule = &AlgorithmC::CARD.periods[0];
    let timing = |check| Timing { t: t(1.0), check, silence: t(1.0) };
    let settings = setup(1, 5, Mended, t(4.0)).settings;
    assert!((rule.holds)(&timing(t(2.1)), 5, &settings) && !(rule.holds)(&timing(t(2.0)), 5, &settings));
    let facts = AlgorithmC::CARD.facts(&timing(t(4.0)), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (t(12.0), t(44.0)));
}

#[test]
fn hole_5_left_in_a_process_asks_nothing() {
    let mut fx = Effects::new(5);
    let machine = AlgorithmC::start(&setup(5, 5, ToTheLetter, t(4.0)), None, &mut fx);
    assert!(fx.list().is_empty());
    assert_eq!((machine.state().word.as_ref(), machine.state().election), ("normal", None));
}

#[test]
fn what_s_has_decides_14_or_15() {
    for (mut bench, from, message, transition) in [
        (Bench::coll2(), 4, elected(), 15),
        (Bench::coll2(), 1, dup(2, 5), 15),
        (Bench::coll2(), 1, dup(1, 2), 14),
        (Bench::coll3(2), 5, elected(), 15),
        (Bench::coll3(2), 2, dup(2, 5), 15),
    ] {
        bench.hears(from, message);
        assert_eq!(bench.times_out().1, [transition]);
    }
}

#[test]
fn a_message_without_a_row_changes_nothing() {
    let mut master = Bench::coll2();
    master.times_out();
    let mut stop = Bench::wait2(4);
    stop.times_out();
    let mut help = Bench::wait1();
    help.times_out();
    let all = [init(9), elected(), dup(1, 5)];
    let (coll1, init_only) = (&all[1..], &all[..1]);
    let wait3 = [all[0], all[1], all[2]];
    assert_eq!(Bench::coll1().begins(), nothing(), "begins counts in normal only");
    assert_eq!(Bench::follower().begins(), nothing(), "only a candidate begins");
    assert_eq!(Bench::wait2(4).hears(4, elected()), nothing(), "the same j has no row");
    let cases: [(Bench, &[Message]); 9] = [
        (Bench::coll1(), coll1),
        (Bench::coll2(), init_only),
        (Bench::coll3(2), init_only),
        (Bench::wait1(), init_only),
        (Bench::wait2(4), init_only),
        (Bench::wait3(), &wait3),
        (master, &all),
        (stop, &all),
        (help, &all),
    ];
    for (mut bench, messages) in cases {
        let before = bench.machine.clone();
        for message in messages {
            assert_eq!(bench.hears(5, *message), nothing(), "{message:?} in {}", bench.word());
            assert_eq!(bench.machine, before, "{message:?} in {}", bench.word());
        }
    }
}

#[test]
fn an_own_broadcast_is_never_heard() {
    let mut bench = Bench::coll2();
    let before = bench.machine.clone();
    for message in [init(3), elected(), dup(3, 3)] {
        assert_eq!(bench.hears(3, message), nothing());
    }
    assert_eq!(bench.machine, before);
}

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
fn the_third_lost_answer_gives_the_master_up() {
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
fn the_answer_asked_for_forgets_lost_ones() {
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
