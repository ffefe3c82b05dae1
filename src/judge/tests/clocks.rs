//! Clocks of another rate: what they excuse, and what they keep from being due.
//!
//! Invariant: an algorithm whose Card does not name assumption 10 has no excuse by it where states contradict each other.

use super::*;
use fault::ClockFault;

impl Trace {
    /// The node's clock runs at this rate by that fault, or as the lab's.
    pub fn clock(&mut self, of: u16, at: i64, by: FaultId, rate: Option<&str>) {
        let clock = rate.map(|rate| ClockFault { by, rate: rate.parse().unwrap() });
        self.happened(of, at, Body::ClockSet { clock });
    }
}

/// 1 counts five times as fast as the others, takes 2 for dead, and coordinates; so long after that its clock is right
/// again.
fn hasty(needs: &[Assumption], right_at: i64) -> Trace {
    let mut trace = Trace::new(&head(2, &[Property::Assertion1], needs));
    trace.agree(2, 900);
    let by = trace.fault(2000, "clock 1 5x", "1");
    trace.clock(1, 2000, by, Some("5x"));
    trace.time_out(1, 2100, 2140, 2140, "2", Some(electing()));
    trace.clock(1, right_at, by, None);
    trace.become_state(1, right_at + 100, normal(1));
    trace.speak(right_at + 700, "1,2");
    trace.close(right_at + 5000);
    trace
}

#[test]
fn what_a_fast_clock_leads_to_is_because_10_if_the_algorithm_needs_one_rate() {
    let needs: Vec<Assumption> = Assumption::ALL.into_iter().take(10).collect();
    let trace = hasty(&needs, 2200);
    assert_eq!((trace.only().because, trace.only().by_machine), (Some(Assumption::OneClockRate), false));
    let why = "f1 (clock 1 5x) broke assumption 10 (one clock rate): node 1's clock ran at 5x for 200ms";
    assert!(trace.only().text.ends_with(why), "{}", trace.only().text);
    assert_eq!(hasty(Assumption::first(9), 2200).only().because, None);
}

#[test]
fn nothing_is_due_before_all_clocks_have_run_at_one_rate_for_the_bound() {
    for (property, needs) in [(Property::Assertion2, 10), (Property::Assertion4, 7)] {
        let needs: Vec<Assumption> = Assumption::ALL.into_iter().take(needs).collect();
        let mut trace = Trace::new(&head(2, &[property], &needs));
        trace.start(1, 0, electing());
        trace.start(2, 0, electing());
        let due_at = |trace: &Trace| trace.judge.liveness_due_at().map(|due| due / MS);
        assert_eq!(due_at(&trace), Some(3000));
        let by = trace.fault(100, "clock 1 5x", "1");
        trace.clock(1, 100, by, Some("5x"));
        trace.speak(9_000, "1,2");
        assert_eq!((due_at(&trace), trace.judge.tallies().get(property).due), (None, 0));
        trace.clock(1, 10_000, by, None);
        assert_eq!(due_at(&trace), Some(13_000));
        trace.speak(13_001, "1,2");
        trace.close(20_000);
        assert_eq!(trace.only().since, 13_000 * MS, "as it was all along, nobody coordinates");
    }
}

#[test]
fn a_dead_process_has_no_clock_and_the_next_one_says_how_its_own_runs() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let by = trace.fault(1000, "clock 2 0.5x", "2");
    trace.clock(2, 1000, by, Some("0.5x"));
    trace.crash(2, 2000);
    let told = |trace: &Trace| trace.judge.assumptions()[Assumption::OneClockRate as usize].clone();
    assert!(told(&trace).text.unwrap().contains("node 2's clock ran at 0.5x for 1s"));
    trace.clock(2, 2500, by, Some("0.5x"));
    trace.recover(2, 2500, electing());
    assert_eq!(told(&trace).by_faults, 2);
}
