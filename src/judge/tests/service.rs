//! Services: what a part comes to, who does it, and what the asker knows.
//!
//! Invariant: for another master a part may be done again.

use super::*;
use protocol::{DonePart, ServiceFacts, ServiceLog, ServiceWork, TaskId};

/// Three processes, and services of five parts of ten numbers. The first ten hold four primes, and so do the next ten.
fn started() -> Trace {
    let services = Some(ServiceFacts { parts: 5, numbers: 10, pace_ms: 100 });
    let application = ApplicationFacts { services, ..application("service", &[Property::Service], 10) };
    let mut trace = Trace::new(&head_with(3, application));
    trace.start_all(3, &works(ServiceWork::default()));
    trace
}

fn works(work: ServiceWork) -> StateVector {
    at_work(Work::Service(work), normal(3))
}

/// It has done this part, which holds so many primes, for the group of this election.
fn did(part: u16, primes: u32, election: u32) -> StateVector {
    again(part, primes, election, u32::from(part))
}

/// The same, as the part with this number since its start.
fn again(part: u16, primes: u32, election: u32, times: u32) -> StateVector {
    let task = TaskId { author: node(3), incarnation: Incarnation(0), serial: election };
    works(ServiceWork { part: Some(DonePart { id: order(1), part, primes, task, times }), ..ServiceWork::default() })
}

/// This is what the asker knows.
fn knows(done: u16) -> StateVector {
    let log = ServiceLog { id: order(1), done, turn: 1, server: Some(node(3)), primes: 0 };
    works(ServiceWork { asked: Some(log), ..ServiceWork::default() })
}

#[test]
fn each_part_is_right_and_done_once() {
    for (parts, held, told) in [
        (vec![(3, did(1, 4, 1)), (3, did(2, 4, 1)), (2, did(2, 4, 2))], 3, None),
        (vec![(3, did(1, 5, 1))], 0, Some("3 finds 5 primes in part 1 of service 1.1.1, and it holds 4")),
        (
            vec![(3, did(1, 4, 1)), (2, did(1, 4, 1)), (2, did(2, 4, 1))],
            2,
            Some("2 does part 1 of service 1.1.1, which 3 has done for the same master"),
        ),
    ] {
        let mut trace = started();
        (100..).step_by(100).zip(parts).for_each(|(at, (of, state))| trace.become_state(of, at, state));
        assert_eq!(trace.tally(Property::Service).held, held);
        assert_eq!(trace.told(), told.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_part_skipped_or_repeated_is_wrong() {
    let mut trace = started();
    trace.become_state(3, 100, did(1, 4, 1));
    trace.become_state(3, 200, again(1, 4, 1, 2));
    trace.become_state(3, 300, again(3, 2, 1, 3));
    trace.become_state(3, 400, again(4, 2, 1, 4));
    trace.become_state(3, 500, again(5, 2, 1, 5));
    trace.become_state(3, 600, again(6, 2, 1, 6));
    let told = trace.told();
    let expected = [
        "3 does part 1 of service 1.1.1, which 3 has done for the same master",
        "3 does part 3 of service 1.1.1, and nobody has done the one before",
        "3 does part 6 of service 1.1.1, and it has fewer parts",
    ];
    for said in expected {
        assert!(told.iter().any(|told| told == said), "{said}: {told:?}");
    }
}

#[test]
fn an_account_does_not_go_back() {
    let back = "the account of service 1.1.1 at 1 goes back from 3 parts by turn 1 to 2 parts by turn 1";
    // The last step before a crash may not have kept what it learnt.
    for (known, crashes, told) in
        [(vec![3], false, Some(back)), (vec![2, 3], true, None), (vec![3, 4], true, Some(back))]
    {
        let mut trace = started();
        (100..).step_by(20).zip(known).for_each(|(at, done)| trace.become_state(1, at, knows(done)));
        if crashes {
            trace.crash(1, 150);
            trace.start(1, 200, knows(2));
        } else {
            trace.become_state(1, 200, knows(2));
        }
        assert_eq!(trace.told(), told.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_part_may_be_done_in_a_gap() {
    let mut trace = started();
    trace.gap(Some(3), 100);
    trace.become_state(2, 300, did(2, 4, 2));
    assert_eq!(trace.told(), [""; 0]);
}
