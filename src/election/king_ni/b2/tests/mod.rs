//! Algorithm B.2: transitions 1 to 9 of Table 3 to the letter, and the mends of holes 5 to 11. A phase, one input, exact
//! effects, the next phase. What one liar cannot do is in `liars`, and which list decides in `lists`.
//!
//! Invariant: each test of a transition names it, and asserts the line that the machine cites. 4, 7, 10 and 11, a fault,
//! are the death of the process: nothing of it is left to cite a line.

mod liars;
mod lists;

use super::{AlgorithmB2, ElectionNumber, Entry, List, Message, Timer};
use crate::king_ni::tests::network::{
    Errata::{self, Mended, ToTheLetter},
    t, timing,
};
use crate::king_ni::{succession, watch};
use protocol::{Algorithm, Effect, NodeSet, SettingValue, Settings, Status, errata_of};
use test_harness::{Bench, node, save, set};

/// Around the table.
const READY: Timer = Timer::Ready;

const ELECTED: Timer = Timer::Elected;

fn with(errata: Errata, candidates: &str) -> impl FnOnce(Settings) -> Settings {
    let candidates: NodeSet = candidates.parse().unwrap();
    move |settings| {
        settings
            .with("errata", SettingValue::Flag(errata == Mended))
            .with("candidates", SettingValue::Nodes(candidates))
    }
}

/// Process 3 of five, to the letter; all are candidates, and one may be faulty.
fn to_the_letter() -> Bench<AlgorithmB2> {
    Bench::start(3, 5, timing(), with(ToTheLetter, "1-5"))
}

/// The same, mended, and its time of asking is over: t+1 have answered that there is no master.
fn mended() -> Bench<AlgorithmB2> {
    let mut bench = Bench::start(3, 5, timing(), with(Mended, "1-5"));
    for from in [1, 2] {
        assert_eq!(bench.hear(from, ended(0, None)), []);
    }
    assert_eq!(bench.time_out(READY), []);
    bench
}

/// The same, which asks.
fn asking() -> Bench<AlgorithmB2> {
    Bench::start(3, 5, timing(), with(Mended, "1-5"))
}

fn init(election: u64, capacity: i64) -> Message {
    Message::Init { election: ElectionNumber(election), capacity }
}

fn entries(of: &[(u16, i64)]) -> Vec<Entry> {
    of.iter().map(|(id, capacity)| (node(*id), *capacity)).collect()
}

fn full(of: &[(u16, i64)]) -> List {
    List::Full(entries(of).into())
}

fn vect(election: u64, list: List) -> Message {
    Message::Vect { election: ElectionNumber(election), list }
}

fn elected(election: u64) -> Message {
    succession::Message::Elected { election: ElectionNumber(election) }.into()
}

fn ended(election: u64, master: Option<u16>) -> Message {
    let election = ElectionNumber(election);
    succession::Message::Ended { election, master: master.map(node), taken: election }.into()
}

fn under_way(election: u64) -> Message {
    succession::Message::UnderWay { election: ElectionNumber(election) }.into()
}

fn broadcast(message: Message) -> Effect<AlgorithmB2> {
    Effect::Broadcast { message }
}

fn word(bench: &Bench<AlgorithmB2>) -> String {
    bench.machine.state().word.into_owned()
}

#[test]
fn the_card_states_the_papers_bound() {
    let settings = Settings::defaults(AlgorithmB2::CARD.settings, "1-5".parse().unwrap());
    let facts = AlgorithmB2::CARD.facts(&timing(), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (timing().t * 5, timing().t * 27));
    assert_eq!(settings.number("t"), 1);
    let many = settings.with("t", SettingValue::Number(2));
    assert_eq!(AlgorithmB2::CARD.facts(&timing(), 5, &many).quiet_bound, timing().t * 27 + timing().check);
    let alone = Settings::defaults(AlgorithmB2::CARD.settings, "1".parse().unwrap());
    assert_eq!(alone.number("t"), 0, "one list decides where there is one process");
}

const COLLECTS: fn() -> Effect<AlgorithmB2> = || set(Timer::Table, t(2.0));

fn coll1() -> Bench<AlgorithmB2> {
    let mut bench = to_the_letter();
    bench.elect();
    bench.hear(3, init(0, 3));
    bench
}

fn coll2() -> Bench<AlgorithmB2> {
    let mut bench = coll1();
    bench.hear(4, init(0, 4));
    bench.time_out(Timer::Table);
    bench
}

#[test]
fn transition_1_normal_begins() {
    let mut bench = to_the_letter();
    assert_eq!(bench.effects, [], "to the letter a process asks nothing at its start");
    assert!(bench.elect().ends_with(&[broadcast(init(0, 3)), COLLECTS()]));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[1][..], "coll1".into()));
    assert_eq!(bench.machine.candidates, [], "S is empty until its own init is heard");
    assert_eq!(bench.elect(), [], "begins counts in normal only");
}

#[test]
fn transition_6_coll1_time_out() {
    let mut bench = coll1();
    bench.hear(5, init(0, 5));
    assert_eq!(bench.time_out(Timer::Table), [broadcast(vect(0, full(&[(3, 3), (5, 5)]))), COLLECTS()]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[6][..], "coll2".into()));
    let mut follower = Bench::<AlgorithmB2>::start(3, 5, timing(), with(ToTheLetter, "1,2"));
    follower.hear(2, init(0, 2));
    assert_eq!(follower.time_out(Timer::Table), [broadcast(vect(0, full(&[(2, 2)]))), COLLECTS()]);
}

#[test]
fn transition_9_coll2_time_out() {
    for (list, expected, lines) in [
        (full(&[(3, 3), (4, 4)]), set(ELECTED, t(2.0)), &[9, 302][..]),
        (full(&[(1, 1), (3, 3)]), broadcast(elected(0)), &[9, 302, 205]),
    ] {
        let mut bench = coll2();
        for from in [3, 4, 1, 2] {
            bench.hear(from, vect(0, list.clone()));
        }
        assert_eq!(bench.time_out(Timer::Table), [expected]);
        assert_eq!((bench.lines.as_slice(), word(&bench)), (lines, "stop".into()));
        assert_eq!(bench.machine.state().status, Status::Normal);
    }
    // Too few lists: el(Y) is not defined, and nobody is named.
    let mut bench = coll2();
    bench.hear(4, vect(0, full(&[(3, 3), (4, 4)])));
    assert_eq!(bench.time_out(Timer::Table), []);
    let state = bench.machine.state();
    assert_eq!((bench.lines.as_slice(), word(&bench), state.believes_in()), (&[9, 301][..], "stop".into(), None));
}

#[test]
fn a_message_without_a_row_changes_nothing() {
    let unchanged = |mut bench: Bench<AlgorithmB2>, message: Message| {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(5, message), []);
        assert_eq!(bench.machine, before);
    };
    unchanged(to_the_letter(), vect(0, full(&[(5, 5)])));
    unchanged(coll1(), vect(0, full(&[(5, 5)])));
    unchanged(coll2(), init(0, 5));
    let stop = || {
        let mut bench = coll2();
        for from in 1..=4 {
            bench.hear(from, vect(0, full(&[(4, 4)])));
        }
        bench.time_out(Timer::Table);
        bench
    };
    unchanged(stop(), init(0, 5));
    unchanged(stop(), vect(0, full(&[(5, 5)])));
    unchanged(stop(), elected(0));
}

#[test]
fn hole_7_only_a_candidate_begins_unless_mended() {
    let mut letter = Bench::<AlgorithmB2>::start(3, 5, timing(), with(ToTheLetter, "1,2"));
    assert_eq!(letter.elect(), []);
    let mut mended = Bench::<AlgorithmB2>::start(3, 5, timing(), with(Mended, "1,2"));
    mended.time_out(READY);
    mended.elect();
    assert!(mended.effects.ends_with(&[broadcast(init(1, -1)), COLLECTS()]), "{:?}", mended.effects);
    assert_eq!((mended.lines.as_slice(), word(&mended)), (&[107][..], "coll1".into()));
}

/// The master died as it was elected. To the letter nothing begins in stop, now and later.
#[test]
fn hole_6_nothing_begins_in_stop_unless_mended() {
    let mut letter = coll2();
    for from in [3, 4, 1, 2] {
        letter.hear(from, vect(0, full(&[(3, 3), (4, 4)])));
    }
    letter.time_out(Timer::Table);
    for (mut bench, lines) in [(letter, &[207][..]), (stopped(), &[207, 146, 1])] {
        bench.time_out(READY);
        bench.time_out(ELECTED);
        assert_eq!(bench.lines, lines);
        assert_eq!(bench.elect(), []);
    }
}

#[test]
fn hole_10_mended_lengths_are_cut() {
    let lengths = |settings: Settings| settings.with("lists", SettingValue::Word("lengths".to_owned()));
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), lengths);
    bench.time_out(READY);
    bench.hear(4, init(1, 4));
    bench.hear(5, vect(1, List::Length(u16::MAX)));
    assert_eq!(bench.machine.lists, [(node(5), List::Length(1))]);
    bench.time_out(Timer::Table);
    bench.hear(1, init(1, 1));
    assert_eq!((bench.lines.as_slice(), bench.machine.candidates.len()), (&[110][..], 2), "in coll2 too");
}

/// 3 has stopped under 4, after election 1.
fn stopped() -> Bench<AlgorithmB2> {
    let mut bench = mended();
    bench.hear(4, init(1, 4));
    bench.hear(3, init(1, 3));
    bench.time_out(Timer::Table);
    for from in [4, 1, 3, 2] {
        bench.hear(from, vect(1, full(&[(4, 4), (3, 3)])));
    }
    bench.time_out(Timer::Table);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[9, 109, 302][..], "stop".into()));
    bench
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
fn hole_11_mended_drops_empty_and_second_lists() {
    let mut bench = asking();
    bench.time_out(READY);
    bench.hear(4, init(1, 4));
    let lines = |bench: &mut Bench<AlgorithmB2>, from, list| {
        bench.hear(from, vect(1, list));
        bench.lines.clone()
    };
    assert_eq!(lines(&mut bench, 5, full(&[])), [111]);
    assert_eq!(lines(&mut bench, 5, full(&[(4, 4)])), [101]);
    assert_eq!(lines(&mut bench, 5, full(&[(4, 4)])), [111]);
    assert_eq!(bench.machine.lists.len(), 1);
}

#[test]
fn hole_8_left_in_early_lists_are_kept() {
    for (left, line) in [(&["8", "11"][..], 101), (&["11"], 108), (&["8"], 111), (&[], 108)] {
        let mut bench = begun_with(left);
        bench.hear(4, vect(1, full(&[(2, 9)])));
        assert_eq!(bench.lines, [line], "{left:?}");
    }
}

#[test]
fn hole_11_left_in_they_count() {
    let mut bench = begun_with(&["11"]);
    bench.hear(4, init(1, 4));
    for _ in 0..2 {
        bench.hear(4, vect(1, full(&[])));
        assert_eq!(bench.lines, [101]);
    }
    assert_eq!(bench.machine.lists.len(), 2);
}

#[test]
fn hole_6_mended_an_initiator_waits_t() {
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

#[test]
fn hole_6_mended_a_higher_election_takes_over() {
    let mut bench = mended();
    bench.hear(5, init(4, 5));
    assert_eq!(bench.lines, [106, 2]);
    assert_eq!(bench.hear(5, init(3, 5)), []);
    assert_eq!(bench.lines, [136]);
    bench.hear(5, vect(4, full(&[(5, 5)])));
    assert_eq!(bench.lines, [101]);
    bench.hear(1, init(5, 1));
    assert_eq!(bench.lines, [116, 2]);
    assert_eq!((bench.machine.candidates.len(), bench.machine.lists.len()), (1, 0));
    assert_eq!(bench.hear(1, vect(6, full(&[(1, 1)]))), [], "a list opens no election");
    assert_eq!(word(&bench), "coll1");
}

#[test]
fn hole_5_mended_late_ends_put_nobody_aside() {
    let mut bench = asking();
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
fn hole_5_t_plus_1_name_the_master() {
    let mut bench = asking();
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
    assert_eq!(bench.machine.state().believes_in(), Some(node(4)));
    assert_eq!(bench.hear(5, ended(9, Some(5))), [], "it asks no more");
}

#[test]
fn hole_5_who_stands_aside_joins_the_next() {
    let mut bench = asking();
    bench.hear(1, under_way(2));
    bench.hear(2, under_way(2));
    assert_eq!(bench.lines, [115]);
    assert_eq!(bench.hear(5, init(2, 5)), [], "its first init is gone");
    bench.hear(4, init(3, 4));
    assert_eq!(bench.lines, [106, 2]);
}

#[test]
fn hole_5_mended_who_stands_aside_asks_again() {
    let mut bench = asking();
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
fn hole_5_mended_a_missed_candidate_begins() {
    let mut bench = asking();
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
fn too_few_lists_are_told_to_the_operator() {
    let mut bench = mended();
    bench.elect();
    bench.hear(3, init(1, 3));
    bench.time_out(Timer::Table);
    bench.hear(3, vect(1, full(&[(3, 3)])));
    let effects = bench.time_out(Timer::Table).to_vec();
    let Effect::Help { text } = &effects[0] else { panic!("{effects:?}") };
    assert!(text.contains("only 1 of the 4 lists"), "{text}");
    assert_eq!(effects.last(), Some(&set(READY, t(2.0))), "it asks whether the others have elected somebody");
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[117, 301, 105][..], "normal".into()));
    bench.hear(4, init(2, 4));
    assert_eq!(bench.lines, [106, 2], "it has heard all there was to hear, and may take part while it asks");
}

/// A claim that t+1 do not bear out makes a process begin; with hole 7 left in, a candidate alone.
#[test]
fn hole_7_left_in_a_claim_begins_nothing() {
    for (mended, begins) in [(vec!["6"], false), (vec!["6", "7"], true)] {
        let mended = SettingValue::Holes(mended.into_iter().map(str::to_owned).collect());
        let candidates: NodeSet = "4,5".parse().unwrap();
        let mut bench: Bench<AlgorithmB2> = Bench::start(3, 5, timing(), |settings| {
            settings.with("errata", mended).with("candidates", SettingValue::Nodes(candidates))
        });
        bench.time_out(READY);
        let claim = watch::Claim { election: ElectionNumber(3), master: node(4) };
        bench.hear(4, watch::Message::Claim(claim).into());
        assert_eq!((bench.lines.contains(&107), word(&bench) == "coll1"), (begins, begins), "{:?}", bench.lines);
    }
}

#[test]
fn hole_5_two_answers_make_it_ask_again() {
    let mut bench = asking();
    for _ in 0..3 {
        bench.hear(1, ended(6, Some(4)));
        assert_eq!(bench.hear(2, under_way(6)), []);
        let asks = succession::Message::Ask { election: ElectionNumber(6) };
        assert_eq!(bench.time_out(READY), [broadcast(asks.into()), set(READY, t(2.0))]);
        assert_eq!((bench.lines.as_slice(), word(&bench)), (&[145, 105][..], "normal".into()));
    }
    bench.hear(1, ended(6, Some(4)));
    assert!(bench.lines.is_empty(), "an answer to an earlier question does not count");
    bench.hear(2, ended(6, Some(4)));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[125, 206][..], "stop".into()));
}

/// One of them is correct: what it says of the number is true, however far that is.
#[test]
fn hole_5_all_answers_count_for_the_number() {
    for far in [[under_way(1 << 40), ended(1 << 40, Some(4))], [ended(1 << 40, None), under_way(1 << 41)]] {
        let mut bench = asking();
        let [first, second] = far;
        assert_eq!(bench.hear(1, first.clone()), []);
        assert_eq!(bench.hear(1, first), []);
        assert_eq!(bench.hear(2, second), [save(ElectionNumber(1 << 40))]);
    }
}

#[test]
fn hole_5_who_knows_enough_asks_no_more() {
    let mut bench = asking();
    bench.hear(1, ended(2, None));
    bench.hear(2, ended(5, None));
    assert_eq!(bench.time_out(READY), [], "they were in other elections, and neither has a master");
    let mut bench = asking();
    for (from, master) in [(1, None), (2, None), (4, Some(4))] {
        bench.hear(from, ended(2, master));
    }
    bench.time_out(READY);
    assert_eq!(bench.lines, [145, 105]);
}

/// With t as large as n - 1 no t+1 others can agree that an election is under way; still, it is.
#[test]
fn hole_5_an_order_waits_for_an_election() {
    let mut bench = asking();
    bench.elect();
    bench.hear(2, under_way(6));
    // One voice is not enough for the number either.
    let asks = succession::Message::Ask { election: ElectionNumber(0) };
    assert_eq!(bench.time_out(READY), [broadcast(asks.into()), set(READY, t(6.0))]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[145, 105][..], "normal".into()));
    bench.hear(2, under_way(6));
    bench.time_out(READY);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[1][..], "coll1".into()), "one may say so for ever");
}

#[test]
fn hole_5_mended_who_asks_on_may_begin() {
    let still_asking = || {
        let mut bench = asking();
        bench.time_out(READY);
        assert_eq!(bench.lines, [145, 105]);
        bench
    };
    let mut bench = still_asking();
    bench.elect();
    assert_eq!(bench.lines, [1]);
    let mut bench = still_asking();
    bench.hear(5, init(1, 5));
    assert_eq!(bench.lines, [106, 2]);
    let mut bench = asking();
    bench.elect();
    assert_eq!(bench.lines, [156]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [1], "an order that waits is carried out, whatever was answered");
}
