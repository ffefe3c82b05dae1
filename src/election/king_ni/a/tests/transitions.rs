//! Transitions 1 to 5 of Table 1, to the letter: a phase, one input, exact effects, the next phase.
//!
//! Invariant: each test names its transition, and asserts the line that the machine cites. 4, a fault, is the death of
//! the process: nothing of it is left to cite a line.

use super::{AlgorithmA, Bench, ELECTED, Timer, broadcast, capacity, elected, to_the_letter, with, word};
use crate::king_ni::tests::network::{self, Errata::ToTheLetter, Event, t, timing};
use bench::node;
use bench::set;
use protocol::{Algorithm, Status};

type Network = network::Network<AlgorithmA>;

fn wait() -> Bench<AlgorithmA> {
    let mut bench = to_the_letter();
    bench.elect();
    bench
}

#[test]
fn transition_1_start_begins_a_candidate_and_a_non_candidate() {
    for (candidates, v) in [("1-5", 3), ("1,2", -1)] {
        let mut bench = Bench::<AlgorithmA>::start(3, 5, timing(), with(ToTheLetter, candidates));
        assert_eq!(bench.effects, [], "to the letter a process asks nothing at its start");
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
fn transition_2_wait_w_and_the_first_of_each_counts() {
    let mut bench = wait();
    for (from, v, lines) in [(3, 3, &[2][..]), (5, 5, &[2]), (1, -1, &[2]), (5, 9, &[])] {
        assert_eq!(bench.hear(from, capacity(0, v)), []);
        assert_eq!((bench.lines.as_slice(), word(&bench)), (lines, "wait".into()));
    }
    assert_eq!(bench.machine.candidates, [(node(1), -1), (node(3), 3), (node(5), 5)].into());
}

#[test]
fn transition_3_wait_time_out_behind_another_and_as_the_largest() {
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
    let mut bench = super::mended();
    bench.elect();
    bench.hear(1, capacity(1, -1));
    bench.time_out(Timer::Table);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[208, 105][..], "start".into()));
}

/// 3, the largest, dies in wait after it has told its capacity: it is still elected, and everywhere.
#[test]
fn transition_4_wait_fault() {
    let mut network = Network::new(ToTheLetter, &[1, 2, 3], 0.75, 1);
    (1..=3).for_each(|number| network.at(t(0.0), Event::Elect(number)));
    network.at(t(0.5), Event::Crash(3));
    network.run_until(t(2.0));
    assert_eq!(network.masters(), [Some(3), Some(3), None]);
}

/// A killed process sends no garbage: its timer is the infinite one, which the text calls fail-stop.
#[test]
fn transition_5_fail_time_out_never_comes() {
    let mut network = Network::new(ToTheLetter, &[1, 2, 3], 0.75, 1);
    (1..=3).for_each(|number| network.at(t(0.0), Event::Elect(number)));
    network.at(t(0.5), Event::Crash(3));
    network.run_until(t(100.0));
    let broadcasts: Vec<_> = network.broadcasts.into_iter().map(|(_, from, message)| (from, message)).collect();
    assert_eq!(broadcasts, [(1, capacity(0, 1)), (2, capacity(0, 2)), (3, capacity(0, 3))]);
    assert!(network.lines.iter().all(|(_, line)| *line != 5));
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
