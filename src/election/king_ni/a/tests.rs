//! Algorithm A: transitions 1 to 3 of Table 1 to the letter, and the mends of holes 5 and 6. A phase, one input, exact
//! effects, the next phase.
//!
//! Invariant: each test of a transition names it, and asserts the line that the machine cites. 4 and 5, a fault, are
//! the death of the process: nothing of it is left to cite a line.

use super::{AlgorithmA, ElectionNumber, Message, Timer};
use crate::king_ni::succession;
use crate::king_ni::tests::network::{
    Errata::{self, Mended, ToTheLetter},
    t, timing,
};
use protocol::{Algorithm, Effect, NodeSet, SettingValue, Settings, Span, Status};
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

/// Process 3 of five, to the letter; all are candidates.
fn to_the_letter() -> Bench<AlgorithmA> {
    Bench::start(3, 5, timing(), with(ToTheLetter, "1-5"))
}

/// The same, mended, and its time of asking is over.
fn mended() -> Bench<AlgorithmA> {
    let mut bench = Bench::start(3, 5, timing(), with(Mended, "1-5"));
    assert_eq!(bench.time_out(READY), []);
    bench
}

/// The same, which asks.
fn asking() -> Bench<AlgorithmA> {
    Bench::start(3, 5, timing(), with(Mended, "1-5"))
}

fn capacity(election: u64, capacity: i64) -> Message {
    Message::Capacity { election: ElectionNumber(election), capacity }
}

fn call(election: u64) -> Message {
    Message::Call { election: ElectionNumber(election) }
}

fn elected(election: u64) -> Message {
    succession::Message::Elected { election: ElectionNumber(election) }.into()
}

fn broadcast(message: Message) -> Effect<AlgorithmA> {
    Effect::Broadcast { message }
}

fn word(bench: &Bench<AlgorithmA>) -> String {
    bench.machine.state().word.into_owned()
}

#[test]
fn the_card_states_the_papers_bound() {
    let settings = Settings::defaults(AlgorithmA::CARD.settings, "1-5".parse().unwrap());
    let facts = AlgorithmA::CARD.facts(&timing(), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (timing().t, timing().t * 20));
    assert_eq!(timing().check, Span::from_millis(4));
}

fn wait() -> Bench<AlgorithmA> {
    let mut bench = to_the_letter();
    bench.elect();
    bench
}

#[test]
fn transition_1_start_begins() {
    for (candidates, v) in [("1-5", 3), ("1,2", -1)] {
        let mut bench = Bench::<AlgorithmA>::start(3, 5, timing(), with(ToTheLetter, candidates));
        bench.elect();
        let effects: Vec<_> = bench.effects.iter().filter(|effect| !is_cancel(effect)).cloned().collect();
        assert_eq!(effects, [broadcast(capacity(0, v)), set(Timer::Table, t(1.0))]);
        assert_eq!((bench.lines.as_slice(), word(&bench)), (&[1][..], "wait".into()));
        assert!(bench.machine.candidates.is_empty(), "its own v comes back through 2");
        assert_eq!(bench.elect(), [], "begins counts in start only");
    }
}

fn is_cancel(effect: &protocol::Effect<AlgorithmA>) -> bool {
    matches!(effect, protocol::Effect::CancelTimer { .. })
}

#[test]
fn transition_2_wait_w() {
    let mut bench = wait();
    for (from, v, lines) in [(3, 3, &[2][..]), (5, 5, &[2]), (1, -1, &[2]), (5, 9, &[])] {
        assert_eq!(bench.hear(from, capacity(0, v)), []);
        assert_eq!((bench.lines.as_slice(), word(&bench)), (lines, "wait".into()));
    }
    assert_eq!(bench.machine.candidates, [(node(1), -1), (node(3), 3), (node(5), 5)].into());
}

#[test]
fn transition_3_wait_time_out() {
    let mut bench = wait();
    bench.hear(3, capacity(0, 3));
    bench.hear(4, capacity(0, 4));
    assert_eq!(bench.time_out(Timer::Table), [set(ELECTED, t(2.0))]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[3][..], "stop".into()));
    let state = bench.machine.state();
    assert_eq!((state.status, state.coordinator, state.election), (Status::Normal, Some(node(4)), None));
    // Of equal capacities the larger id is max(S).
    let mut bench = wait();
    bench.hear(2, capacity(0, 3));
    bench.hear(3, capacity(0, 3));
    assert_eq!(bench.time_out(Timer::Table), [broadcast(elected(0))]);
    assert_eq!(bench.lines, [3, 205]);
    // A list with nothing above -1 elects nobody; to the letter the process is in stop all the same.
    let mut bench = wait();
    bench.hear(1, capacity(0, -1));
    assert_eq!(bench.time_out(Timer::Table), []);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[3][..], "stop".into()));
    assert_eq!(bench.machine.state().believes_in(), None);
    assert_eq!(bench.elect(), [], "begins counts in start only");
    let mut bench = mended();
    bench.elect();
    bench.hear(1, capacity(1, -1));
    bench.time_out(Timer::Table);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[208, 105][..], "start".into()));
}

#[test]
fn a_message_without_a_row_changes_nothing() {
    let mut start = to_the_letter();
    let before = start.machine.clone();
    assert_eq!(start.hear(5, capacity(0, 5)), [], "start has no row for v");
    assert_eq!(start.machine, before);
    let mut stop = wait();
    stop.hear(4, capacity(0, 4));
    stop.time_out(Timer::Table);
    let before = stop.machine.clone();
    assert_eq!(stop.hear(5, capacity(0, 5)), []);
    assert_eq!(stop.hear(5, elected(0)), [], "5 is not its master");
    assert_eq!(stop.elect(), []);
    assert_eq!(stop.machine, before);
}

#[test]
fn hole_5_left_in_a_process_asks_nothing() {
    let mut bench = to_the_letter();
    assert_eq!(bench.effects, []);
    assert_eq!(bench.hear(5, elected(0)), []);
    assert_eq!(word(&bench), "start");
}

/// The master died as it was elected.
#[test]
fn who_hears_no_elected_for_2_t_calls() {
    for (mut bench, number, lines) in [(mended(), 1, &[207, 176][..]), (to_the_letter(), 0, &[207])] {
        bench.elect();
        bench.hear(5, capacity(number, 5));
        assert_eq!(bench.time_out(Timer::Table).last(), Some(&set(ELECTED, t(2.0))));
        bench.time_out(ELECTED);
        assert_eq!((bench.lines.as_slice(), word(&bench)), (lines, "stop".into()));
    }
}

/// Has heard all that there was to hear, so it need not stand aside from a call that comes meanwhile.
#[test]
fn who_has_elected_nobody_begins_when_called() {
    let mut bench = mended();
    bench.elect();
    bench.hear(1, capacity(1, -1));
    let asks = succession::Message::Ask { election: ElectionNumber(1) };
    assert_eq!(bench.time_out(Timer::Table), [broadcast(asks.into()), set(READY, t(2.0))]);
    bench.hear(5, call(3));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[186, 1][..], "wait".into()));
}

#[test]
fn hole_6_mended_a_call_counts_once() {
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
fn hole_6_mended_a_capacity_makes_nobody_begin() {
    let mut bench = mended();
    assert_eq!(bench.hear(5, capacity(4, 5)), [save(ElectionNumber(4))]);
    assert_eq!(word(&bench), "start");
    bench.elect();
    assert!(bench.effects.contains(&broadcast(capacity(5, 3))), "{:?}", bench.effects);
    assert_eq!(bench.hear(5, capacity(4, 5)), []);
    assert_eq!(bench.lines, [136]);
}

#[test]
fn hole_6_mended_an_initiator_waits_t() {
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

#[test]
fn hole_6_mended_a_call_outranks_an_order() {
    let mut bench = mended();
    bench.elect();
    bench.hear(5, call(2));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[186, 1][..], "wait".into()));
    assert!(bench.effects.contains(&broadcast(capacity(2, 3))), "{:?}", bench.effects);
    // A process that asks may not have heard what the others heard before the call.
    let mut bench = asking();
    assert_eq!(bench.hear(5, call(2)), [save(ElectionNumber(2)), set(READY, t(2.0))]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[115][..], "start".into()));
    bench.hear(5, elected(2));
    assert_eq!(bench.lines, [125, 206]);
}

/// The order comes while 3 asks, and the answer makes it a follower: the order is not lost.
#[test]
fn hole_6_mended_an_order_outlasts_the_answer() {
    let mut bench = asking();
    assert_eq!((bench.elect().len(), bench.lines.as_slice()), (0, &[156][..]));
    bench.hear(5, elected(4));
    assert_eq!(bench.lines, [125, 206]);
    assert_eq!(bench.time_out(READY), [broadcast(call(6))]);
}

#[test]
fn hole_5_mended_a_starting_process_stands_aside() {
    let mut bench = asking();
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
fn hole_5_mended_a_missed_candidate_begins() {
    let mut bench = asking();
    bench.hear(5, succession::Message::UnderWay { election: ElectionNumber(1) }.into());
    assert_eq!(bench.lines, [115]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [105], "it asks how that one ended");
    bench.time_out(READY);
    assert!(bench.effects.contains(&broadcast(call(3))), "{:?}", bench.effects);
}

/// 4 began election 2, died, and is back: it follows the master of election 1 under number 1, though 2 is taken.
#[test]
fn hole_5_mended_a_master_keeps_its_number() {
    let mut bench = asking();
    let ended = |election, taken| {
        let (election, taken) = (ElectionNumber(election), ElectionNumber(taken));
        succession::Message::Ended { election, master: Some(node(2)), taken }
    };
    bench.hear(2, ended(1, 2).into());
    assert_eq!(bench.lines, [125, 206]);
    assert_eq!((bench.machine.state().election, word(&bench)), (Some(1), "stop".into()));
    bench.time_out(READY);
    bench.elect();
    assert!(bench.effects.contains(&broadcast(capacity(3, 3))), "{:?}", bench.effects);
    // A garbled answer may tell of more than is taken; it is still saved once.
    let mut bench = asking();
    let effects = bench.hear(2, ended(9, 2).into()).to_vec();
    assert!(effects.contains(&save(ElectionNumber(9))), "{effects:?}");
}
