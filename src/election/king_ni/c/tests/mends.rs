//! The mends of holes 2 to 7 and 12 to 15 at one machine: a phase, one input, exact effects, the next phase.
//!
//! Invariant: each test asserts the line that the machine cites.

use super::*;
use protocol::SettingValue;

const FIRST: ElectionNumber = ElectionNumber(1);

fn init(election: u64, capacity: i64) -> Message {
    Message::Init { election: ElectionNumber(election), capacity }
}

fn elected(round: u32, capacity: i64) -> Message {
    Message::Elected { election: FIRST, round, capacity: Some(capacity) }
}

fn dup(round: u32, k: u16, l: u16) -> Message {
    let name = |number: u16| Name { node: node(number), capacity: Some(i64::from(number)) };
    Message::Dup { election: FIRST, round, k: name(k), l: name(l) }
}

fn save(election: u64) -> Effect<AlgorithmC> {
    Effect::Save { saved: ElectionNumber(election) }
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

fn coll1() -> Bench {
    let mut bench = Bench::mended();
    bench.begins();
    bench
}

/// Process 3 in coll2 of round 1.
fn coll2() -> Bench {
    let mut bench = Bench::mended();
    bench.begins();
    bench.times_out();
    bench.is_in("coll2");
    bench
}

fn coll2_with_rival() -> Bench {
    let mut bench = coll2();
    bench.hears(1, elected(1, 1));
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
    bench.hears(5, init(1, 5));
    for _ in 0..3 {
        assert_eq!(bench.times_out(), (vec![ask(1), timer(2)], vec![115]));
    }
    assert_eq!(bench.times_out().1, [18]);
    bench.is_in("help");
    bench
}

/// A process that leaves phase master no longer tells anybody that it is master.
fn claims_no_more() -> Effect<AlgorithmC> {
    Effect::CancelTimer { timer: Timer::Watch(watch::Timer::Ask) }
}

#[test]
fn mend_2_the_largest_says_dup_at_once() {
    let mut bench = coll1();
    assert_eq!(bench.hears(2, elected(1, 2)), (vec![], vec![104, 102]));
    let effects = vec![broadcast(elected(1, 3)), timer(3), broadcast(dup(1, 3, 2))];
    assert_eq!(bench.times_out(), (effects, vec![8, 112]));
    bench.is_in("coll3");
    assert_eq!(bench.times_out(), (vec![broadcast(elected(2, 3)), timer(3)], vec![14]), "the round goes up at 14");
}

#[test]
fn mend_2_coll1_remembers_who_announces_itself() {
    let mut bench = coll1();
    bench.hears(5, elected(1, 5));
    assert_eq!(bench.times_out(), (vec![timer(3)], vec![122]));
    bench.is_in("wait2");
    assert_eq!(bench.machine.state().coordinator, Some(node(5)));

    let mut bench = coll1();
    bench.hears(5, elected(1, 5));
    bench.hears(4, elected(1, 4));
    assert_eq!(bench.times_out(), (vec![broadcast(dup(1, 4, 5)), timer(3)], vec![132]));
    bench.is_in("wait3");

    let mut bench = coll1();
    bench.hears(5, elected(1, 5));
    bench.hears(1, dup(1, 4, 5));
    assert_eq!(bench.times_out(), (vec![timer(3)], vec![132]), "the dup was heard");
    bench.is_in("wait3");
}

#[test]
fn mend_3_a_later_round_overtakes_coll1() {
    let mut bench = coll1();
    bench.hears(4, elected(1, 4));
    bench.hears(5, elected(2, 5));
    assert_eq!(bench.hears(4, dup(1, 4, 5)), (vec![], vec![123]));
    assert_eq!(bench.times_out(), (vec![timer(3)], vec![122]));
    assert_eq!(bench.machine.state().coordinator, Some(node(5)));
}

#[test]
fn mend_3_a_later_round_moves_who_waits() {
    let mut wait1 = coll1();
    wait1.hears(4, init(1, 4));
    wait1.times_out();
    let mut wait2 = Bench::mended();
    wait2.hears(4, elected(1, 4));
    let mut wait3 = Bench::mended();
    wait3.hears(1, dup(1, 4, 5));
    for (mut bench, word) in [(wait1, "wait1"), (wait2, "wait2"), (wait3, "wait3")] {
        bench.is_in(word);
        let (effects, lines) = bench.hears(5, elected(2, 5));
        assert_eq!((effects, lines.last()), (vec![timer(3)], Some(&103)), "{word}");
        bench.is_in("wait2");
        assert_eq!(bench.machine.state().coordinator, Some(node(5)));
        assert_eq!(bench.hears(4, elected(1, 4)), (vec![], vec![123]));
        assert_eq!(bench.hears(4, dup(1, 4, 5)), (vec![], vec![123]));
        bench.is_in("wait2");
        let (effects, lines) = bench.hears(4, dup(3, 4, 5));
        assert_eq!((effects, lines.last()), (vec![timer(2)], Some(&113)), "a dup of a later round is heard as by 17");
        bench.is_in("wait3");
    }
}

#[test]
fn mend_4_a_dup_bears_both_capacities() {
    let mut bench = coll1();
    bench.times_out();
    let name = |number, capacity| Name { node: node(number), capacity: Some(capacity) };
    let (k, l) = (name(1, 70), name(2, 2));
    let message = Message::Dup { election: ElectionNumber(1), round: 1, k, l };
    assert_eq!(bench.hears(4, message), (vec![], vec![104, 104, 10]));
    assert_eq!(bench.times_out(), (vec![timer(3)], vec![15]), "1 outranks by capacity, not by id");
}

#[test]
fn mend_4_ones_own_latest_word_counts_most() {
    let mut bench = coll1();
    bench.hears(5, init(1, -7));
    assert_eq!(bench.times_out().1, [8], "what 5 says is garbled");
    assert_eq!(bench.hears(5, elected(1, 5)).1, [104, 9]);
    let name = |number, capacity| Name { node: node(number), capacity: Some(capacity) };
    let (k, l) = (name(5, -7), name(3, 3));
    assert_eq!(bench.hears(4, Message::Dup { election: ElectionNumber(1), round: 1, k, l }).1, [13]);
    assert_eq!(bench.times_out().1, [15], "5 outranks it by its own word");
}

#[test]
fn mend_6_a_higher_election_waits() {
    let mut bench = Bench::mended();
    assert_eq!(bench.hears(5, init(4, 5)), (vec![save(4), broadcast(init(4, 3)), timer(2)], vec![106, 2]));
    assert_eq!(bench.hears(5, init(3, 9)), (vec![], vec![136]));
    assert_eq!(bench.hears(1, init(5, 1)), (vec![save(5)], vec![116]));
    assert_eq!(bench.hears(1, init(6, 1)), (vec![save(6)], vec![116]));
    assert_eq!(bench.hears(1, init(6, 1)), (vec![], vec![116]), "it is kept once");
    assert_eq!(bench.hears(2, init(6, 2)), (vec![], vec![116]));
    assert_eq!(bench.hears(2, init(5, 2)), (vec![], vec![136]), "nobody waits for a lower one than the highest");
    assert_eq!(bench.times_out().1, [7]);
    let (effects, lines) = bench.times_out();
    assert_eq!(lines, [126, 106, 2, 6], "who waits for a master does not ask while the next election waits");
    assert_eq!(effects, [broadcast(init(6, 3)), timer(2)]);
    bench.is_in("coll1");
    assert_eq!(bench.times_out().1, [8], "max of 1, 2 and 3");
}

#[test]
fn mend_6_begins_takes_a_higher_number() {
    let mut bench = coll1();
    assert_eq!(bench.begins(), (vec![], vec![]), "in mid-election begins has no row");
    bench.times_out();
    bench.times_out();
    bench.is_in("master");
    assert_eq!(bench.begins(), (vec![save(2), claims_no_more(), broadcast(init(2, 3)), timer(2)], vec![146, 1]));
    assert_eq!(bench.machine.state().coordinator, Some(node(3)), "ms is kept for display");
    assert_eq!(bench.machine.state().believes_in(), None);
}

#[test]
fn mend_6_a_process_keeps_its_number() {
    let mut setup = setup(3, 5, Mended, t(4.0));
    setup.incarnation = Incarnation(2);
    let machine = AlgorithmC::start(&setup, Some(ElectionNumber(7)), &mut Effects::new(3));
    let mut bench = Bench { machine, capacity: 3 };
    assert_eq!(bench.hears(5, init(7, 5)), (vec![], vec![]), "it died in that election");
    bench.is_in("normal");
    assert_eq!(bench.begins(), (vec![save(8), broadcast(init(8, 3)), timer(2)], vec![1]));
    let number = CallNumber { incarnation: Incarnation(1), serial: 1 };
    let ask = Message::Watch(watch::Message::Ask { call: number, election: ElectionNumber(8) });
    assert_eq!(bench.hears(1, ask), (vec![], vec![]), "the master answers in phase master only");
}

#[test]
fn mend_5_a_starting_process_asks_three_times() {
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
fn mend_7_a_non_candidate_begins() {
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
fn mend_7_minus_one_outranks_nobody() {
    let mut bench = Bench::mended();
    assert_eq!(bench.hears(5, init(1, -1)).1, [106, 2]);
    assert_eq!(bench.times_out(), (vec![broadcast(elected(1, 3)), timer(3)], vec![8]));
}

#[test]
fn mend_12_coll2_and_coll3_hear_later_rounds() {
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

#[test]
fn mend_13_a_master_hears_an_announcer() {
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
fn mend_13_a_master_hears_a_dup() {
    for (pair, line) in [((1, 2), 14), ((2, 4), 15)] {
        let mut bench = master();
        let (effects, lines) = bench.hears(1, dup(1, pair.0, pair.1));
        assert_eq!((effects, lines.last()), (vec![claims_no_more(), timer(3)], Some(&153)));
        bench.is_in("coll3");
        assert_eq!(bench.times_out().1, [line]);
    }
}

#[test]
fn mend_13_stop_moves_to_a_later_round() {
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
fn mend_13_stop_answers_a_lesser_announcer() {
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
fn mend_15_help_asks_after_a_claim() {
    let mut bench = help();
    bench.hears(4, dup(9, 4, 5));
    assert_eq!(bench.hears(4, elected(1, 4)), (vec![], vec![123]));
    let claim = watch::Message::Claim(watch::Claim { election: FIRST, master: node(4) });
    assert_eq!(bench.hears(4, Message::Watch(claim)), (vec![ask(1)], vec![165]));
    assert_eq!(bench.hears(4, elected(1, 4)).1, [163]);
    bench.is_in("wait2");
}

#[test]
fn mend_14_a_latecomer_hears_elected_again() {
    for mut bench in [coll2(), coll2_with_rival(), master()] {
        let word = bench.word();
        assert_eq!(bench.hears(5, init(1, 5)), (vec![broadcast(elected(1, 3))], vec![114]), "{word}");
        let asks = Message::Ask { election: FIRST };
        assert_eq!(bench.hears(5, asks), (vec![broadcast(elected(1, 3))], vec![125]), "{word}");
        bench.is_in(&word);
    }
}

#[test]
fn mend_15_a_higher_ask_starts_its_election() {
    let asks = Message::Ask { election: ElectionNumber(4) };
    let saved = Effect::Save { saved: ElectionNumber(4) };
    let own = Message::Init { election: ElectionNumber(4), capacity: 3 };
    assert_eq!(master().hears(5, asks), (vec![saved, claims_no_more(), broadcast(own), timer(2)], vec![106, 2]));
    assert_eq!(coll2().hears(5, asks).1, [116], "in mid-election it waits");
}

#[test]
fn mend_15_an_ask_says_no_capacity() {
    let mut bench = master();
    bench.hears(5, Message::Ask { election: ElectionNumber(4) });
    bench.s_is(&[3], &[3]);
}

#[test]
fn mend_15_who_asks_takes_a_higher_election() {
    let mut bench = Bench::mended();
    bench.hears(5, init(1, 5));
    bench.times_out();
    assert_eq!(bench.times_out(), (vec![ask(1), timer(2)], vec![115]));
    let higher = Message::Init { election: ElectionNumber(2), capacity: 4 };
    assert_eq!(bench.hears(4, higher).1, [106, 2]);
    bench.is_in("coll1");
}

#[test]
fn mend_6_help_makes_its_number_known() {
    let mut bench = help();
    let lower = Message::Init { election: ElectionNumber(0), capacity: 4 };
    assert_eq!(bench.hears(4, lower), (vec![ask(1)], vec![136, 156]));
    let lower = Message::Init { election: ElectionNumber(0), capacity: 4 };
    assert_eq!(stop().hears(4, lower), (vec![], vec![136]));
}

#[test]
fn hole_3_left_in_claims_open_no_round() {
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

#[test]
fn mend_6_a_master_tells_an_earlier_follower() {
    let mut bench = Bench::mended();
    bench.begins();
    bench.times_out();
    bench.times_out();
    bench.is_in("master");
    let answer = Effect::Send { to: node(1), message: Message::Watch(watch::Message::Answer(number(9))) };
    let elected = elected(1, 3);
    assert_eq!(bench.hears(1, query(9, 0)), (vec![answer, broadcast(elected)], vec![201, 175]));
    assert_eq!(bench.hears(1, query(9, 1)).1, [201]);
    bench.is_in("master");
}
