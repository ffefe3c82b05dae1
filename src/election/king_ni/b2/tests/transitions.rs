//! Transitions 1 to 11 of Table 3, to the letter: a phase, one input, exact effects, the next phase.
//!
//! Invariant: each test names its transition, and asserts the line that the machine cites. 4, 7 and 10, a fault, are
//! the death of the process: nothing of it is left to cite a line.

use super::{
    AlgorithmB2, Bench, ELECTED, Timer, broadcast, elected, entries, faulty, full, init, to_the_letter, vect, with,
    word,
};
use crate::king_ni::tests::network::{self, Errata::ToTheLetter, Event, t, timing};
use bench::node;
use bench::set;
use protocol::{Algorithm, Effect, Status};

type Network = network::Network<AlgorithmB2>;

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

/// Three of four processes elect, with t = 2; the largest dies at this moment.
fn dies_at(times: f64) -> Network {
    let mut network = Network::with(faulty(4, ToTheLetter, 2, "full"), &[1, 2, 3, 4], 0.75, 1);
    network.at(t(0.0), Event::Elect(1));
    network.at(t(times), Event::Crash(4));
    // The silence of the master is found at 6T.
    network.run_until(t(5.9));
    network
}

#[test]
fn transition_1_normal_begins() {
    let mut bench = to_the_letter();
    assert_eq!(bench.effects, [], "to the letter a process asks nothing at its start");
    assert!(bench.elect().ends_with(&[broadcast(init(0, 3)), COLLECTS()]));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[1][..], "coll1".into()));
    assert_eq!(bench.machine.candidates, [], "S is empty until its own init is heard");
    assert_eq!(bench.elect(), [], "begins counts in normal only");
    let mut follower = Bench::<AlgorithmB2>::start(3, 5, timing(), with(ToTheLetter, "1,2"));
    assert_eq!(follower.elect(), [], "only a candidate begins");
}

#[test]
fn transition_2_normal_init_at_a_candidate() {
    let mut bench = to_the_letter();
    assert_eq!(bench.hear(5, init(0, 5)), [broadcast(init(0, 3)), COLLECTS()]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[2][..], "coll1".into()));
    assert_eq!(bench.machine.candidates, entries(&[(5, 5)]), "S holds only j");
}

#[test]
fn transition_3_normal_init_at_a_non_candidate() {
    let mut bench = Bench::<AlgorithmB2>::start(3, 5, timing(), with(ToTheLetter, "1,2"));
    assert_eq!(bench.hear(2, init(0, 2)), [COLLECTS()]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[3][..], "coll1".into()));
    assert_eq!(bench.machine.candidates, entries(&[(2, 2)]));
}

/// 4, the largest, dies before it has heard of the election: nobody misses it.
#[test]
fn transition_4_normal_fault() {
    let network = dies_at(0.5);
    assert_eq!(network.masters(), [Some(3), Some(3), Some(3), None]);
    assert!(network.broadcasts.iter().all(|(_, sender, _)| *sender != 4));
}

#[test]
fn transition_5_coll1_init_in_the_order_of_delivery() {
    let mut bench = coll1();
    assert_eq!(bench.hear(5, init(0, 5)), []);
    assert_eq!(bench.lines, [5]);
    bench.hear(1, init(0, 1));
    assert_eq!(bench.machine.candidates, entries(&[(3, 3), (5, 5), (1, 1)]));
    assert_eq!(word(&bench), "coll1");
}

#[test]
fn transition_6_coll1_time_out_of_a_non_candidate_too() {
    let mut bench = coll1();
    bench.hear(5, init(0, 5));
    assert_eq!(bench.time_out(Timer::Table), [broadcast(vect(0, full(&[(3, 3), (5, 5)]))), COLLECTS()]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[6][..], "coll2".into()));
    let mut follower = Bench::<AlgorithmB2>::start(3, 5, timing(), with(ToTheLetter, "1,2"));
    follower.hear(2, init(0, 2));
    assert_eq!(follower.time_out(Timer::Table), [broadcast(vect(0, full(&[(2, 2)]))), COLLECTS()]);
}

/// 4 dies in coll1 after it has told its capacity, but not its list: the others' lists elect it.
#[test]
fn transition_7_coll1_fault() {
    let network = dies_at(1.7);
    assert_eq!(network.masters(), [Some(4), Some(4), Some(4), None]);
    assert!(!network.broadcasts.iter().any(|(_, from, message)| (*from, message_is_vect(message)) == (4, true)));
}

fn message_is_vect(message: &super::Message) -> bool {
    matches!(message, super::Message::Vect { .. })
}

#[test]
fn transition_8_coll2_vect_in_the_order_of_delivery() {
    let mut bench = coll2();
    assert_eq!(bench.hear(4, vect(0, full(&[(4, 4)]))), []);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[8][..], "coll2".into()));
    bench.hear(1, vect(0, full(&[(3, 3)])));
    assert_eq!(bench.machine.lists, [(node(4), full(&[(4, 4)])), (node(1), full(&[(3, 3)]))]);
}

#[test]
fn transition_9_coll2_time_out_behind_another_and_as_the_elected() {
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

/// 4 dies in coll2 after it has told its list: it is elected, and its silence is found.
#[test]
fn transition_10_coll2_fault() {
    let mut network = dies_at(3.0);
    assert_eq!(network.masters(), [Some(4), Some(4), Some(4), None]);
    assert!(network.broadcasts.iter().any(|(_, from, message)| (*from, message_is_vect(message)) == (4, true)));
    network.run_until(t(7.0));
    assert!(network.lines.contains(&(1, 207)));
}

/// A killed process sends no garbage: its timer is the infinite one, which is fail-stop.
#[test]
fn transition_11_fail_time_out_never_comes() {
    let mut network = dies_at(3.0);
    let sent = network.broadcasts.iter().filter(|(_, from, _)| *from == 4).count();
    network.run_until(t(100.0));
    assert_eq!(network.broadcasts.iter().filter(|(_, from, _)| *from == 4).count(), sent);
    assert!(network.lines.iter().all(|(_, line)| *line != 11));
}

/// The master dies, and is missed: nothing is written in stop, so nobody begins again.
#[test]
fn to_the_letter_nobody_begins_from_stop_when_the_master_is_gone() {
    for dies in [3.0, 8.0] {
        let mut network = dies_at(dies);
        network.at(t(dies), Event::Crash(4));
        network.run_until(t(60.0));
        assert!(network.lines.contains(&(1, 207)) || network.lines.contains(&(1, 204)), "it is missed");
        assert_eq!(network.masters(), [Some(4), Some(4), Some(4), None]);
        assert_eq!(network.lines.iter().filter(|(_, line)| *line == 1).count(), 1);
    }
}

#[test]
fn a_message_without_a_row_changes_nothing() {
    let unchanged = |mut bench: Bench<AlgorithmB2>, message: super::Message| {
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
