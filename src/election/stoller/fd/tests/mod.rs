//! Bully-FD, row by row of figure 1: a state, one input, exactly what comes of it.
//!
//! Invariant: the states are reached by messages, time-outs and orders alone.

mod network;

use super::*;
use crate::stoller::test_support::*;
use protocol::{Algorithm, SettingValue, Settings, Span, Status, Timing};
use test_harness::{Bench, save, send, set};
use test_harness::{node, nodes};

type FdBench = Bench<BullyFd>;

fn started_reading(me: u16, of: u16, reading: ReadingOf) -> FdBench {
    Bench::start(me, of, TIMING, reading)
}

fn started(me: u16, of: u16) -> FdBench {
    started_reading(me, of, mended)
}

/// What 2 or 3 keeps in this life, after it has obeyed the Halts of these elections.
fn stable<const N: usize>(incarnation: u32, obeyed: [ElectionId; N]) -> Stable {
    let obeyed = obeyed.map(|election| (election.starter, election)).into();
    Stable { incarnation: Incarnation(incarnation), obeyed }
}

/// 3 of 3, halted by 2.
fn waiting_for_2() -> FdBench {
    let mut bench = started(3, 3);
    bench.hear(2, halt(2, 1));
    bench
}

/// 2 of 3, halted by 1.
fn waiting() -> FdBench {
    let mut bench = started(2, 3);
    bench.hear(1, halt(1, 1));
    bench
}

/// 2 of 3, under 1.
fn member_reading(reading: ReadingOf) -> FdBench {
    let mut bench = started_reading(2, 3, reading);
    bench.hear(1, halt(1, 1));
    bench.hear(1, ldr(1, 1));
    bench
}

fn member() -> FdBench {
    member_reading(mended)
}

/// 1 of 3, which leads 2 and 3.
fn leader_reading(reading: ReadingOf) -> FdBench {
    let mut bench = started_reading(1, 3, reading);
    bench.hear(2, ack(1, 1));
    bench.hear(3, ack(1, 1));
    bench
}

fn leader() -> FdBench {
    leader_reading(mended)
}

/// 2 of 3, which has found 1 down and halts 3.
fn halting() -> FdBench {
    let mut bench = started(2, 3);
    down(&mut bench, 1);
    bench
}

#[test]
fn recovery_asks_all_that_outrank_the_node() {
    let bench = started(3, 4);
    let first = stable(1, []);
    assert_eq!(bench.effects, [save(first.clone()), set(Timer::Period, TIMING.check), watch(1), watch(2)]);
    assert_eq!(bench.lines, [line::RECOVERY, line::STAGE_1, line::STAGE_1_WATCH]);
    assert_eq!(stage(&bench), (ElectionStage::Elec1, None));
    let again = bench.recovered(first);
    assert_eq!(again.effects[0], save(stable(2, [])));
    assert_eq!(again.machine.election, ElectionId { incarnation: Incarnation(2), ..id(3, 1) });
}

#[test]
fn whom_nobody_outranks_halts_the_next() {
    let bench = started(1, 3);
    assert_eq!(bench.effects[2..], [send(2, halt(1, 1)), watch(2)]);
    assert_eq!(bench.lines[1..], [line::STAGE_1, line::STAGE_1_FIRST, line::STAGE_2, line::CONTINUE_HALT]);
    assert_eq!(stage(&bench), (ElectionStage::Elec2, None));
}

#[test]
fn who_is_alone_leads_at_once() {
    let bench = started(1, 1);
    assert_eq!(stage(&bench), (ElectionStage::Norm, Some(node(1))));
    assert_eq!(bench.lines[4..], [line::CONTINUE_LEAD, line::MEND_10_STOP]);
}

#[test]
fn a_halt_is_obeyed_in_every_status() {
    let mut leading_second = halting();
    leading_second.hear(3, ack(2, 1));
    assert_eq!(stage(&leading_second), (ElectionStage::Norm, Some(node(2))));
    for mut bench in [started(2, 3), halting(), leading_second, member(), waiting()] {
        let kept = save(stable(1, [id(1, 7)]));
        assert_eq!(bench.hear(1, halt(1, 7)), [kept, send(1, ack(1, 7)), watch(1)]);
        assert_eq!(bench.lines, [line::HALT]);
        assert_eq!(stage(&bench), (ElectionStage::Wait, None));
        assert_eq!((bench.machine.election, bench.machine.state().halted_by), (id(1, 7), Some(node(1))));
    }
}

#[test]
fn who_halts_a_node_is_not_down() {
    let mut bench = started(3, 3);
    down(&mut bench, 2);
    assert_eq!(bench.machine.down, nodes("2"));
    bench.hear(2, halt(2, 1));
    assert_eq!(bench.machine.down, NodeSet::EMPTY);
}

#[test]
fn ack_of_the_pending_node_leads_on() {
    let mut bench = started(1, 3);
    assert_eq!(bench.hear(2, ack(1, 1)), [send(3, halt(1, 1)), watch(3)]);
    assert_eq!(bench.lines, [line::ACK, line::CONTINUE_HALT]);
    assert_eq!(bench.hear(3, ack(1, 1)), [send(2, ldr(1, 1)), send(3, ldr(1, 1)), unwatch(2), unwatch(3)]);
    assert_eq!(bench.lines, [line::ACK, line::CONTINUE_LEAD, line::MEND_10_STOP]);
    assert_eq!(stage(&bench), (ElectionStage::Norm, Some(node(1))));
    assert_eq!(bench.machine.state().up, nodes("2,3"));
}

#[test]
fn any_other_ack_is_ignored() {
    for (mut bench, from, message) in [
        (started(1, 3), 3, ack(1, 1)),
        (started(1, 3), 2, ack(1, 2)),
        (leader(), 3, ack(1, 1)),
        (waiting(), 3, ack(1, 1)),
    ] {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(from, message), []);
        assert_eq!(bench.lines, [line::ACK_IGNORED]);
        assert_eq!(bench.machine, before);
    }
}

#[test]
fn ldr_makes_a_halted_node_normal() {
    let mut bench = waiting();
    assert_eq!(bench.hear(1, ldr(1, 1)), [unwatch(1), watch(1)]);
    assert_eq!(bench.lines, [line::LDR]);
    assert_eq!(stage(&bench), (ElectionStage::Norm, Some(node(1))));
}

#[test]
fn any_other_ldr_is_ignored() {
    for (mut bench, message) in [(waiting(), ldr(1, 2)), (member(), ldr(1, 1)), (halting(), ldr(2, 1))] {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(1, message), []);
        assert_eq!(bench.lines, [line::LDR_IGNORED]);
        assert_eq!(bench.machine, before);
    }
}

#[test]
fn who_loses_its_leader_begins_anew() {
    for mut bench in [member(), waiting()] {
        assert_eq!(down(&mut bench, 1), [watch(1)]);
        assert_eq!(bench.lines, [line::DOWN_LEADER, line::STAGE_1, line::STAGE_1_WATCH]);
        assert_eq!((stage(&bench).0, bench.machine.election), (ElectionStage::Elec1, id(2, 2)));
        assert_eq!(bench.machine.down, NodeSet::EMPTY);
    }
}

#[test]
fn stage_1_ends_when_all_above_are_down() {
    let mut bench = started(3, 4);
    assert_eq!(down(&mut bench, 1), []);
    assert_eq!(bench.lines, [line::DOWN_NOTED]);
    assert_eq!(down(&mut bench, 2), [send(4, halt(3, 1)), watch(4)]);
    assert_eq!(bench.lines, [line::DOWN_LESSER, line::STAGE_2, line::CONTINUE_HALT]);
    assert_eq!((bench.machine.down, stage(&bench).0), (nodes("1,2"), ElectionStage::Elec2));
}

#[test]
fn a_pending_node_that_is_down() {
    let mut bench = started(1, 3);
    assert_eq!(down(&mut bench, 2), [send(3, halt(1, 1)), watch(3)]);
    assert_eq!(bench.lines, [line::DOWN_PENDING, line::CONTINUE_HALT]);
    assert_eq!(down(&mut bench, 3), []);
    assert_eq!((stage(&bench), bench.machine.acks), ((ElectionStage::Norm, Some(node(1))), NodeSet::EMPTY));
    for (reading, lines) in [(mended as ReadingOf, &[][..]), (to_the_letter, &[line::DOWN_GREATER])] {
        let mut bench = leader_reading(reading);
        let before = stage(&bench);
        assert_eq!(down(&mut bench, 2), []);
        assert_eq!((&bench.lines[..], stage(&bench)), (lines, before), "mended, a leader watches nobody");
    }
}

#[test]
fn a_leader_asks_its_members_once_a_period() {
    let mut bench = leader();
    let expected = [set(Timer::Period, TIMING.check), send(2, is_norm(1, 1)), send(3, is_norm(1, 1))];
    assert_eq!(bench.time_out(Timer::Period), expected);
    assert_eq!(bench.lines, [line::PERIOD]);
    for mut bench in [member(), waiting(), started(2, 3)] {
        assert_eq!(bench.time_out(Timer::Period), [set(Timer::Period, TIMING.check)]);
        assert_eq!(bench.lines, [0; 0]);
    }
}

#[test]
fn mend_1_halts_the_pending_node_again() {
    let mut bench = halting();
    assert_eq!(bench.time_out(Timer::Period), [set(Timer::Period, TIMING.check), send(3, halt(2, 1))]);
    assert_eq!(bench.lines, [line::MEND_1_HALT_AGAIN]);
    let mut bench = started_reading(1, 3, to_the_letter);
    assert_eq!(bench.time_out(Timer::Period), [set(Timer::Period, TIMING.check)]);
    assert_eq!(bench.lines, [0; 0]);
}

#[test]
fn who_is_not_normal_says_so() {
    for reading in [mended, to_the_letter] {
        let halted = |mut bench: FdBench| {
            bench.hear(1, halt(1, 1));
            bench
        };
        for mut bench in [started_reading(2, 3, reading), halted(started_reading(2, 3, reading))] {
            assert_eq!(bench.hear(1, is_norm(1, 3)), [send(1, not_norm(1, 3))]);
            assert_eq!(bench.lines, [line::IS_NORM_NOT]);
        }
        let mut bench = member_reading(reading);
        assert_eq!(bench.hear(1, is_norm(1, 1)), []);
        assert_eq!(bench.lines, [line::IS_NORM]);
    }
}

#[test]
fn mend_7_says_not_norm_to_another_leader() {
    let followed = |reading| {
        let mut bench = started_reading(3, 3, reading);
        bench.hear(2, halt(2, 1));
        bench.hear(2, ldr(2, 1));
        bench
    };
    for (mut bench, sequence) in [(followed(mended), 1), (member(), 2)] {
        assert_eq!(bench.hear(1, is_norm(1, sequence)), [send(1, not_norm(1, sequence))]);
        assert_eq!(bench.lines, [line::MEND_7_OTHER_LEADER]);
    }
    assert_eq!(followed(to_the_letter).hear(1, is_norm(1, 1)), []);
    assert_eq!(member_reading(to_the_letter).hear(1, is_norm(1, 2)), []);
}

#[test]
fn mend_8_obeys_only_a_starter_that_outranks() {
    for from in [3, 1] {
        let mut bench = member();
        let before = bench.machine.clone();
        assert_eq!(bench.hear(from, halt(3, 1)), []);
        assert_eq!((&bench.lines[..], &bench.machine), (&[line::MEND_8_NO_HALT][..], &before));
        let mut bench = member_reading(to_the_letter);
        bench.hear(from, halt(3, 1));
        assert_eq!(stage(&bench).0, ElectionStage::Wait, "to the letter it is halted");
    }
}

/// 3 of 3, which 2 has halted, and which has left that election since: it is under 1, in stage 1, or a new process.
fn gone_from_2(reading: ReadingOf) -> [FdBench; 3] {
    let halted = || {
        let mut bench = started_reading(3, 3, reading);
        bench.hear(2, halt(2, 1));
        bench
    };
    let mut under_1 = halted();
    under_1.hear(1, halt(1, 1));
    under_1.hear(1, ldr(1, 1));
    let mut asking = halted();
    down(&mut asking, 2);
    let killed = halted();
    let back = killed.recovered(stable(1, [id(2, 1)]));
    [under_1, asking, back]
}

#[test]
fn mend_9_acknowledges_a_halt_that_comes_again() {
    for mut bench in gone_from_2(mended).into_iter().chain([waiting_for_2()]) {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(2, halt(2, 1)), [send(2, ack(2, 1))]);
        assert_eq!((&bench.lines[..], &bench.machine), (&[line::MEND_9_OBEYED][..], &before));
        bench.hear(2, halt(2, 2));
        assert_eq!(bench.lines, [line::HALT], "another election of the same starter is obeyed");
    }
    for mut bench in gone_from_2(to_the_letter) {
        bench.hear(2, halt(2, 1));
        assert_eq!(bench.lines, [line::HALT], "figure 1 halts nobody twice, and does not ask");
    }
}

#[test]
fn not_norm_sends_a_leader_to_stage_1() {
    let mut bench = leader();
    assert_eq!(bench.hear(3, not_norm(1, 1)), [send(2, halt(1, 2)), watch(2)]);
    assert_eq!(bench.lines[..2], [line::NOT_NORM, line::STAGE_1]);
    for (mut bench, message) in [(leader(), not_norm(1, 9)), (member(), not_norm(1, 1)), (halting(), not_norm(2, 1))] {
        assert_eq!(bench.hear(3, message), []);
        assert_eq!(bench.lines, [line::NOT_NORM_IGNORED]);
    }
}

#[test]
fn the_operator_orders_stage_1_in_every_status() {
    for mut bench in [member(), waiting(), halting(), started(2, 3)] {
        bench.elect();
        assert_eq!(bench.lines, [line::ORDER, line::STAGE_1, line::STAGE_1_WATCH]);
        assert_eq!((stage(&bench).0, bench.machine.state().status), (ElectionStage::Elec1, Status::Election));
    }
}
