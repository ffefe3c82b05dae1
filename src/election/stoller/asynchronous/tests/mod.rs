//! The Asynchronous Bully, row by row of figure 3: a state, one input, exactly what comes of it.
//!
//! Invariant: the states are reached by messages, time-outs and orders alone.

mod network;

use super::*;
use crate::stoller::test_support::*;
use protocol::{Algorithm, NodeSet, Property, SettingValue, Settings, Span, Timing};
use test_harness::{Bench, save, send, set};
use test_harness::{node, nodes};

type AsyncBench = Bench<AsynchronousBully>;

fn started_reading(me: u16, of: u16, reading: ReadingOf) -> AsyncBench {
    Bench::start(me, of, TIMING, reading)
}

fn started(me: u16, of: u16) -> AsyncBench {
    started_reading(me, of, mended)
}

fn rej(starter: u16, sequence: u32) -> Message {
    Message::Rej { election: id(starter, sequence) }
}

/// Whether it answers this node's "are you alive?".
fn answers(bench: &mut AsyncBench, other: u16) -> bool {
    let call = test_harness::call(9);
    let answer = Message::Detector(detector::Message::Alive { call });
    bench.hear(other, Message::Detector(detector::Message::AreYouAlive { call })) == [send(other, answer)]
}

/// 3 of 4, halted by 2.
fn waiting_reading(reading: ReadingOf) -> AsyncBench {
    let mut bench = started_reading(3, 4, reading);
    bench.hear(2, halt(2, 1));
    bench
}

fn waiting() -> AsyncBench {
    waiting_reading(mended)
}

/// 3 of 4, under 2.
fn member_reading(reading: ReadingOf) -> AsyncBench {
    let mut bench = waiting_reading(reading);
    bench.hear(2, ldr(2, 1));
    bench
}

fn member() -> AsyncBench {
    member_reading(mended)
}

/// 3 of 4, which leads 4.
fn leader() -> AsyncBench {
    leader_reading(mended)
}

fn leader_reading(reading: ReadingOf) -> AsyncBench {
    let mut bench = started_reading(3, 4, reading);
    bench.hear(4, ack(3, 1));
    bench
}

#[test]
fn recovery_halts_the_next_in_rank() {
    let bench = started(3, 4);
    let stable = Stable { incarnation: Incarnation(1) };
    let expected = [save(stable.clone()), set(Timer::Period, TIMING.check), send(4, halt(3, 1)), watch(4)];
    assert_eq!(bench.effects, expected);
    assert_eq!(bench.lines, [line::RECOVERY, line::STAGE_2, line::CONTINUE_HALT]);
    assert_eq!(stage(&bench), (ElectionStage::Elec2, None));
    assert_eq!(bench.machine.state().halted_by, None);
    let again = bench.recovered(stable);
    assert_eq!(again.machine.election, ElectionId { incarnation: Incarnation(2), ..id(3, 1) });
    assert_eq!(again.machine.state().group, Some(GroupNumber { node: node(3), counter: 2_000_000_001 }));
}

#[test]
fn whom_nobody_is_below_leads_at_once() {
    assert_eq!(stage(&started(4, 4)), (ElectionStage::Norm, Some(node(4))));
}

#[test]
fn a_halt_is_obeyed_for_a_better_leader() {
    let mut higher = started(3, 4);
    higher.hear(1, halt(1, 1));
    for (mut bench, from) in
        [(started(3, 4), 2), (leader(), 2), (member(), 2), (member(), 1), (waiting(), 2), (waiting(), 1), (higher, 1)]
    {
        assert!(answers(&mut bench, 1));
        let effects = bench.hear(from, halt(from, 7)).to_vec();
        assert_eq!(effects, [send(from, ack(from, 7)), watch(from)]);
        assert_eq!(bench.lines, [line::HALTING]);
        assert_eq!((stage(&bench), bench.machine.election), ((ElectionStage::Wait, None), id(from, 7)));
        assert_eq!(bench.machine.state().halted_by, Some(node(from)));
        assert!(!answers(&mut bench, 4) && answers(&mut bench, 1));
    }
}

#[test]
fn a_halt_is_refused_under_a_better_leader() {
    let mut waiting_for_1 = started(3, 4);
    waiting_for_1.hear(1, halt(1, 1));
    let mut under_1 = started(3, 4);
    under_1.hear(1, halt(1, 1));
    under_1.hear(1, ldr(1, 1));
    for mut bench in [waiting_for_1, under_1] {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(2, halt(2, 7)), [send(2, rej(2, 7))]);
        assert_eq!((&bench.lines[..], &bench.machine), (&[line::HALT_REFUSED][..], &before));
    }
}

#[test]
fn a_halt_that_comes_again_is_new() {
    let mut under_1 = waiting();
    under_1.hear(1, halt(1, 1));
    under_1.hear(1, ldr(1, 1));
    assert_eq!(under_1.hear(2, halt(2, 1)), [send(2, rej(2, 1))]);
    // 2 was reported, wrongly.
    let mut alone = waiting();
    down(&mut alone, 2);
    down(&mut alone, 4);
    assert_eq!(stage(&alone), (ElectionStage::Norm, Some(node(3))));
    assert_eq!(alone.hear(2, halt(2, 1)), [send(2, ack(2, 1)), watch(2)]);
    alone.hear(2, ldr(2, 1));
    assert_eq!((stage(&alone), alone.machine.election), ((ElectionStage::Norm, Some(node(2))), id(2, 1)));
}

#[test]
fn stage_2_plays_alive() {
    let mut bench = member();
    assert!(!answers(&mut bench, 4));
    assert_eq!(down(&mut bench, 2), [send(4, halt(3, 2)), watch(4)]);
    assert_eq!(bench.lines, [line::DOWN_LEADER, line::STAGE_2, line::CONTINUE_HALT]);
    assert_eq!((stage(&bench).0, bench.machine.election), (ElectionStage::Elec2, id(3, 2)));
    assert!(answers(&mut bench, 4));
}

#[test]
fn who_waits_begins_when_its_starter_is_down() {
    let mut bench = waiting();
    assert_eq!(down(&mut bench, 2), [send(4, halt(3, 2)), watch(4)]);
    assert_eq!(bench.lines[0], line::DOWN_LEADER);
}

#[test]
fn a_pending_node_that_is_down() {
    let mut bench = started(3, 4);
    assert_eq!(down(&mut bench, 4), []);
    assert_eq!(bench.lines, [line::DOWN_PENDING, line::CONTINUE_LEAD, line::MEND_10_STOP]);
    for (reading, lines) in [(mended as ReadingOf, &[][..]), (to_the_letter, &[line::DOWN_OTHER])] {
        let mut bench = leader_reading(reading);
        assert_eq!(down(&mut bench, 4), []);
        let leads = (ElectionStage::Norm, Some(node(3)));
        assert_eq!((&bench.lines[..], stage(&bench)), (lines, leads), "mended, a leader watches nobody");
    }
}

#[test]
fn answers_of_the_pending_node_lead_on() {
    let mut bench = started(2, 4);
    assert_eq!(bench.hear(3, rej(2, 1)), [send(4, halt(2, 1)), watch(4)]);
    assert_eq!(bench.lines, [line::REJ, line::CONTINUE_HALT]);
    assert_eq!(bench.hear(4, ack(2, 1)), [send(4, ldr(2, 1)), unwatch(3), unwatch(4)]);
    assert_eq!(bench.lines, [line::ACK, line::CONTINUE_LEAD, line::MEND_10_STOP]);
    assert_eq!((stage(&bench), bench.machine.state().up), ((ElectionStage::Norm, Some(node(2))), nodes("4")));
    assert_eq!(bench.machine.state().group, Some(id(2, 1).group()));
}

#[test]
fn any_other_answer_is_ignored() {
    let cases =
        [(3, ack(2, 2), line::ACK_IGNORED), (4, ack(2, 1), line::ACK_IGNORED), (4, rej(2, 1), line::REJ_IGNORED)];
    for (from, message, line) in cases {
        let mut bench = started(2, 4);
        let before = bench.machine.clone();
        assert_eq!(bench.hear(from, message), []);
        assert_eq!((&bench.lines[..], &bench.machine), (&[line][..], &before));
    }
    let mut bench = member();
    bench.hear(4, rej(3, 1));
    assert_eq!(bench.lines, [line::REJ_IGNORED]);
    bench.hear(4, ack(3, 1));
    assert_eq!(bench.lines, [line::ACK_IGNORED]);
}

#[test]
fn mend_6_takes_refusals_of_its_own_halt() {
    let mut bench = started(3, 4);
    bench.elect();
    assert_eq!(bench.hear(4, rej(3, 1)), []);
    assert_eq!((&bench.lines[..], stage(&bench).0), (&[line::MEND_6_STALE_REJ][..], ElectionStage::Elec2));
    let mut bench = started_reading(3, 4, to_the_letter);
    bench.elect();
    bench.hear(4, rej(3, 1));
    assert_eq!(stage(&bench), (ElectionStage::Norm, Some(node(3))), "to the letter it is passed over");
}

#[test]
fn a_better_leader_is_told_not_norm() {
    for (mut bench, line) in [
        (started(3, 4), line::IS_NORM_NOT),
        (waiting(), line::IS_NORM_NOT),
        (member(), line::IS_NORM_BETTER),
        (leader(), line::IS_NORM_BETTER),
    ] {
        assert_eq!(bench.hear(1, is_norm(1, 5)), [send(1, not_norm(1, 5))]);
        assert_eq!(bench.lines, [line]);
    }
    let mut waiting_for_1 = started(3, 4);
    waiting_for_1.hear(1, halt(1, 1));
    for mut bench in [waiting_for_1, member()] {
        assert_eq!(bench.hear(2, is_norm(2, 1)), []);
        assert_eq!(bench.lines, [line::IS_NORM]);
    }
}

#[test]
fn mend_3_tells_ones_own_starter_too() {
    let mut bench = waiting();
    assert_eq!(bench.hear(2, is_norm(2, 1)), [send(2, not_norm(2, 1))]);
    assert_eq!(bench.lines, [line::MEND_3_OWN_STARTER]);
    assert_eq!(waiting_reading(to_the_letter).hear(2, is_norm(2, 1)), []);
}

#[test]
fn mend_4_tells_ones_own_leader_too() {
    let mut bench = member();
    assert_eq!(bench.hear(2, is_norm(2, 2)), [send(2, not_norm(2, 2))]);
    assert_eq!(bench.lines, [line::MEND_4_OLDER_ELECTION]);
    assert_eq!(member_reading(to_the_letter).hear(2, is_norm(2, 2)), []);
}

#[test]
fn ldr_makes_a_halted_node_normal() {
    let mut bench = waiting();
    assert_eq!(bench.hear(2, ldr(2, 1)), [unwatch(2), unwatch(4), watch(2)]);
    assert_eq!((&bench.lines[..], stage(&bench)), (&[line::LDR][..], (ElectionStage::Norm, Some(node(2)))));
    for (mut bench, message) in [(waiting(), ldr(2, 2)), (member(), ldr(2, 1)), (started(3, 4), ldr(3, 1))] {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(2, message), []);
        assert_eq!((&bench.lines[..], &bench.machine), (&[line::LDR_IGNORED][..], &before));
    }
}

#[test]
fn a_leader_asks_its_members_once_a_period() {
    let mut bench = leader();
    assert_eq!(bench.time_out(Timer::Period), [set(Timer::Period, TIMING.check), send(4, is_norm(3, 1))]);
    assert_eq!(bench.lines, [line::PERIOD]);
    for mut bench in [member(), waiting()] {
        assert_eq!(bench.time_out(Timer::Period), [set(Timer::Period, TIMING.check)]);
        assert_eq!(bench.lines, [0; 0]);
    }
}

#[test]
fn mend_1_halts_the_pending_node_again() {
    let mut bench = started(3, 4);
    assert_eq!(bench.time_out(Timer::Period), [set(Timer::Period, TIMING.check), send(4, halt(3, 1))]);
    assert_eq!(bench.lines, [line::MEND_1_HALT_AGAIN]);
    let mut bench = started_reading(3, 4, to_the_letter);
    assert_eq!(bench.time_out(Timer::Period), [set(Timer::Period, TIMING.check)]);
}

#[test]
fn mend_8_obeys_only_a_starter_that_outranks() {
    for from in [4, 1] {
        let mut bench = member();
        let before = bench.machine.clone();
        assert_eq!(bench.hear(from, halt(4, 1)), []);
        assert_eq!((&bench.lines[..], &bench.machine), (&[line::MEND_8_NO_HALT][..], &before));
    }
    let mut bench = started_reading(3, 4, to_the_letter);
    bench.hear(4, halt(4, 1));
    assert_eq!(stage(&bench).0, ElectionStage::Wait, "to the letter it is halted");
}

#[test]
fn not_norm_sends_a_leader_to_stage_2() {
    let mut bench = leader();
    assert_eq!(bench.hear(4, not_norm(3, 1)), [send(4, halt(3, 2)), watch(4)]);
    assert_eq!(bench.lines, [line::NOT_NORM, line::STAGE_2, line::CONTINUE_HALT]);
    for (mut bench, message) in [(leader(), not_norm(3, 9)), (member(), not_norm(2, 1))] {
        assert_eq!(bench.hear(4, message), []);
        assert_eq!(bench.lines, [line::NOT_NORM_IGNORED]);
    }
}

#[test]
fn the_operator_orders_stage_2_in_every_status() {
    for mut bench in [member(), waiting(), leader()] {
        bench.elect();
        assert_eq!(bench.lines, [line::ORDER, line::STAGE_2, line::CONTINUE_HALT]);
        assert_eq!(stage(&bench).0, ElectionStage::Elec2);
    }
}

/// T 100 ms, tau 500 ms, and are-you-alive reports within 500 ms: e is 500 ms.
#[test]
fn the_card_states_its_bounds() {
    let card = AsynchronousBully::CARD;
    let facts = card.facts(&TIMING, 5, &Settings::defaults(card.settings, nodes("1-5")));
    assert_eq!(facts.time_bound, Span::from_millis(4 * 500 + 100));
    let pair = 500 + 3 * 100 + 500;
    assert_eq!(facts.quiet_bound, Span::from_millis((6 + 8) * 500 + 2 * pair + 500 + 4 * 100 + 500));
}

#[test]
fn ale_2_is_withheld_with_holes_left() {
    let card = AsynchronousBully::CARD;
    let withheld = |numbers: &[&str]| {
        (card.withholds)(&mending::<AsynchronousBully>(numbers, Settings::defaults(card.settings, NodeSet::EMPTY)), 5)
    };
    assert_eq!(withheld(&["1", "3", "4", "6", "8", "10"]), []);
    assert_eq!(withheld(&["5", "3", "4", "6", "8"]), [], "a leader that minds its members costs messages alone");
    for left_in in ["1", "3", "4", "6", "8"] {
        let mended: Vec<&str> = ["1", "3", "4", "6", "8"].into_iter().filter(|number| *number != left_in).collect();
        assert_eq!(withheld(&mended), [Property::Ale2], "{left_in}");
    }
    assert_eq!(withheld(&[]), [Property::Ale2]);
}
