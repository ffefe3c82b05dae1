//! Transitions 1 to 7 of Table 2, to the letter: a phase, one input, exact effects, the next phase.
//!
//! Invariant: each test names its transition, and asserts the line that the machine cites. 4 and 7, a fault, are the
//! death of the process: nothing of it is left to cite a line.

use super::{AlgorithmB1, Bench, Timer, broadcast, capacity, elected, node, set, t};
use crate::king_ni::tests::network::{self, Errata::ToTheLetter, Event};
use protocol::{Algorithm, Status};

type Network = network::Network<AlgorithmB1>;

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
fn transition_2_normal_w_at_a_candidate() {
    let mut bench = Bench::to_the_letter(3);
    assert_eq!(bench.hears(5, capacity(0, 5)), (vec![broadcast(capacity(0, 3)), set(Timer::Table, 2.0)], vec![2]));
    bench.is_in("collect");
    bench.s_is(&[3, 5]);
}

#[test]
fn transition_3_normal_w_at_a_non_candidate() {
    let mut bench = Bench::to_the_letter(-1);
    assert_eq!(bench.hears(5, capacity(0, 5)), (vec![set(Timer::Table, 2.0)], vec![3]));
    bench.is_in("collect");
    bench.s_is(&[5]);
}

/// 3, the largest, dies before it has heard of the election: nobody misses it.
#[test]
fn transition_4_normal_fault() {
    let mut network = Network::new(ToTheLetter, &[1, 2, 3], 0.75, 1);
    network.at(t(0.0), Event::Elect(1));
    network.at(t(0.5), Event::Crash(3));
    network.run_until(t(4.0));
    assert_eq!(network.masters(), [Some(2), Some(2), None]);
    assert!(network.broadcasts.iter().all(|(_, sender, _)| *sender != 3));
}

#[test]
fn transition_5_collect_w() {
    let mut bench = collect();
    assert_eq!(bench.hears(4, capacity(0, 4)), (vec![], vec![5]));
    assert_eq!(bench.hears(3, capacity(0, 3)), (vec![], vec![5]), "its own comes back through the layer");
    bench.is_in("collect");
    bench.s_is(&[3, 4]);
}

#[test]
fn transition_6_collect_time_out_behind_another_and_as_the_largest() {
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

/// 3, the largest, dies in collect after it has told its capacity: it is elected, and all find out after 2T of silence.
#[test]
fn transition_7_collect_fault() {
    let mut network = Network::new(ToTheLetter, &[1, 2, 3], 0.75, 1);
    network.at(t(0.0), Event::Elect(3));
    network.at(t(1.0), Event::Crash(3));
    network.run_until(t(4.0));
    assert_eq!(network.masters(), [Some(3), Some(3), None]);
    network.run_until(t(4.8));
    assert!(network.lines.contains(&(1, 207)) && network.lines.contains(&(2, 207)));
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

/// The master dies, and is missed: nothing is written in stop, so nobody begins again.
#[test]
fn to_the_letter_nobody_begins_from_stop_when_the_master_is_gone() {
    for dies in [1.0, 5.0] {
        let mut network = Network::new(ToTheLetter, &[1, 2, 3], 0.75, 1);
        network.at(t(0.0), Event::Elect(3));
        network.at(t(dies), Event::Crash(3));
        network.run_until(t(60.0));
        assert!(network.lines.contains(&(1, 207)) || network.lines.contains(&(1, 204)), "it is missed");
        assert_eq!(network.masters(), [Some(3), Some(3), None]);
        assert_eq!(network.lines.iter().filter(|(_, line)| *line == 1).count(), 1);
    }
}

#[test]
fn to_the_letter_a_list_without_a_candidate_ends_in_stop() {
    let mut bench = Bench::to_the_letter(-1);
    bench.hears(5, capacity(0, -1));
    assert_eq!(bench.runs_out(Timer::Table), (vec![], vec![6]));
    bench.is_in("stop");
    assert_eq!((bench.machine.state().believes_in(), bench.begins()), (None, (vec![], vec![])));
}
