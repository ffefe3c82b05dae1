//! Transitions 1 to 22 of Tables 4a and 4b, to the letter: a phase, one input, exact effects, the next phase.
//!
//! Invariant: each test names its transition, and asserts the line that the machine cites.

use super::super::{Message, Timer, watch};
use super::bench::{Bench, broadcast, dup, elected, init, nothing, timer};
use super::{node, t};
use protocol::{Algorithm, Effect, Status};

#[test]
fn transition_1_normal_begins() {
    let mut bench = Bench::candidate();
    assert_eq!(bench.begins(), (vec![broadcast(init(3)), timer(2)], vec![1]));
    bench.is_in("coll1");
    bench.s_is(&[3], &[3]);
    assert_eq!(bench.begins(), nothing(), "begins counts in normal only");
    assert_eq!(Bench::follower().begins(), nothing(), "only a candidate begins");
}

#[test]
fn transition_2_normal_init_at_a_candidate() {
    let mut bench = Bench::candidate();
    assert_eq!(bench.hears(5, init(5)), (vec![broadcast(init(3)), timer(2)], vec![2]));
    bench.is_in("coll1");
    bench.s_is(&[3, 5], &[3, 5]);
}

#[test]
fn transition_3_normal_init_at_a_non_candidate() {
    let mut bench = Bench::follower();
    assert_eq!(bench.hears(5, init(5)), (vec![timer(5)], vec![3]));
    bench.is_in("wait1");
}

#[test]
fn transition_4_normal_elected() {
    for mut bench in [Bench::follower(), Bench::candidate()] {
        assert_eq!(bench.hears(4, elected()), (vec![timer(3)], vec![4]));
        bench.is_in("wait2");
        assert_eq!(bench.machine.state().coordinator, Some(node(4)));
    }
}

#[test]
fn transition_5_normal_dup() {
    for mut bench in [Bench::follower(), Bench::candidate()] {
        assert_eq!(bench.hears(1, dup(4, 5)), (vec![timer(3)], vec![5]));
        bench.is_in("wait3");
    }
}

#[test]
fn transition_6_coll1_init() {
    let mut bench = Bench::coll1();
    assert_eq!(bench.hears(4, init(4)), (vec![], vec![6]));
    bench.is_in("coll1");
    bench.s_is(&[3, 4], &[3, 4]);
}

#[test]
fn transition_7_coll1_time_out_behind_another() {
    let mut bench = Bench::coll1();
    bench.hears(4, init(4));
    assert_eq!(bench.times_out(), (vec![timer(3)], vec![7]));
    bench.is_in("wait1");
    // Of equal capacities the larger id is max(S).
    let mut bench = Bench::coll1();
    bench.hears(4, init(3));
    assert_eq!(bench.times_out().1, vec![7]);
}

#[test]
fn transition_8_coll1_time_out_as_the_largest() {
    let mut bench = Bench::coll1();
    bench.hears(2, init(2));
    bench.s_is(&[2, 3], &[2, 3]);
    assert_eq!(bench.times_out(), (vec![broadcast(elected()), timer(3)], vec![8]));
    bench.is_in("coll2");
    bench.s_is(&[3], &[2, 3]);
    // Of equal capacities the larger id is max(S).
    let mut bench = Bench::coll1();
    bench.hears(2, init(3));
    assert_eq!(bench.times_out().1, vec![8]);
}

#[test]
fn transition_9_coll2_elected() {
    let mut bench = Bench::coll2();
    assert_eq!(bench.hears(4, elected()), (vec![broadcast(dup(3, 4))], vec![9]));
    bench.is_in("coll3");
    bench.s_is(&[3, 4], &[2, 3]);
    assert_eq!(bench.times_out().1, vec![15], "4 is in S");
}

#[test]
fn transition_10_coll2_dup() {
    let mut bench = Bench::coll2();
    assert_eq!(bench.hears(1, dup(2, 5)), (vec![], vec![10]));
    bench.is_in("coll3");
    bench.s_is(&[2, 3, 5], &[2, 3]);
    assert_eq!(bench.times_out().1, vec![15], "5 is in S");
}

#[test]
fn transition_11_coll2_time_out() {
    let mut bench = Bench::coll2();
    assert_eq!(bench.times_out(), (vec![], vec![11]));
    bench.is_in("master");
    let state = bench.machine.state();
    assert_eq!((state.status, state.coordinator, state.election), (Status::Normal, Some(node(3)), None));
}

#[test]
fn transition_12_coll3_elected() {
    let mut bench = Bench::coll3(2);
    assert_eq!(bench.hears(5, elected()), (vec![broadcast(dup(3, 5))], vec![12]));
    bench.is_in("coll3");
    bench.s_is(&[2, 3, 5], &[2, 3]);
    assert_eq!(bench.times_out().1, vec![15], "5 is in S");
}

#[test]
fn transition_13_coll3_dup() {
    let mut bench = Bench::coll3(2);
    assert_eq!(bench.hears(2, dup(2, 5)), (vec![], vec![13]));
    bench.is_in("coll3");
    bench.s_is(&[2, 3, 5], &[2, 3]);
    assert_eq!(bench.times_out().1, vec![15], "5 is in S");
}

#[test]
fn transition_14_coll3_time_out_as_the_largest() {
    let mut bench = Bench::coll3(2);
    assert_eq!(bench.times_out(), (vec![broadcast(elected()), timer(3)], vec![14]));
    bench.is_in("coll2");
    bench.s_is(&[3], &[2, 3]);
    // A dup of two that i outranks leaves i the largest.
    bench.hears(1, dup(1, 2));
    assert_eq!(bench.times_out().1, vec![14]);
}

#[test]
fn transition_15_coll3_time_out_behind_another() {
    let mut bench = Bench::coll3(4);
    assert_eq!(bench.times_out(), (vec![timer(3)], vec![15]));
    bench.is_in("wait1");
}

#[test]
fn transition_16_wait1_elected() {
    let mut bench = Bench::wait1();
    assert_eq!(bench.hears(5, elected()), (vec![], vec![16]));
    bench.is_in("wait2");
    assert_eq!(bench.machine.state().coordinator, Some(node(5)));
}

#[test]
fn transition_17_wait1_dup() {
    let mut bench = Bench::wait1();
    assert_eq!(bench.hears(4, dup(4, 5)), (vec![timer(2)], vec![17]));
    bench.is_in("wait3");
}

#[test]
fn transition_18_wait1_time_out() {
    let mut bench = Bench::wait1();
    let (effects, lines) = bench.times_out();
    assert!(matches!(effects.as_slice(), [Effect::Help { .. }]), "{effects:?}");
    assert_eq!(lines, [18]);
    bench.is_in("help");
    assert_eq!(bench.machine.state().status, Status::Election);
}

#[test]
fn transition_19_wait2_elected_from_another() {
    let mut bench = Bench::wait2(4);
    assert_eq!(bench.hears(4, elected()), nothing(), "the same j has no row");
    assert_eq!(bench.hears(5, elected()), (vec![broadcast(dup(4, 5))], vec![19]));
    bench.is_in("wait3");
}

#[test]
fn transition_20_wait2_dup() {
    let mut bench = Bench::wait2(4);
    assert_eq!(bench.hears(5, dup(4, 5)), (vec![], vec![20]));
    bench.is_in("wait3");
}

#[test]
fn transition_21_wait2_time_out() {
    let mut bench = Bench::wait2(4);
    let (effects, lines) = bench.times_out();
    let check = t(4.0);
    let ask = Timer::Watch(watch::Timer::Ask);
    assert_eq!(effects, [Effect::SetTimer { timer: ask, shortest: check, longest: check }]);
    assert_eq!(lines, [21]);
    bench.is_in("stop");
    let state = bench.machine.state();
    assert_eq!((state.status, state.coordinator), (Status::Normal, Some(node(4))));
}

#[test]
fn transition_22_wait3_time_out() {
    let mut bench = Bench::wait3();
    assert_eq!(bench.times_out(), (vec![timer(3)], vec![22]));
    bench.is_in("wait1");
}

#[test]
fn a_message_without_a_row_for_the_phase_changes_nothing() {
    let mut master = Bench::coll2();
    master.times_out();
    let mut stop = Bench::wait2(4);
    stop.times_out();
    let mut help = Bench::wait1();
    help.times_out();
    let all = [init(9), elected(), dup(1, 5)];
    let (coll1, init_only) = (&all[1..], &all[..1]);
    let wait3 = [all[0], all[1], all[2]];
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
