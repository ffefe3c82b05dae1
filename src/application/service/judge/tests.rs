//! Services: what a part comes to, who does it, and what the asker knows.
//!
//! Invariant: for another master a part may be done again.

use crate::tests::judged;
use judge::trial::*;
use protocol::{
    ApplicationFacts, DonePart, Incarnation, Property, ServiceFacts, ServiceLog, ServiceWork, StateVector, TaskId, Work,
};
use record::Head;

/// A lab of three processes that promises this, and whose services have five parts of ten numbers. The first ten hold
/// four primes, and so do the next ten.
fn promising(property: Property) -> Head {
    let services = Some(ServiceFacts { parts: 5, numbers: 10, pace_ms: 100 });
    head_with(3, ApplicationFacts { services, ..application("service", &[property], 10) })
}

fn started() -> Trace {
    let mut trace = judged(&promising(Property::Service));
    trace.start_all(3, &works(ServiceWork::default()));
    trace
}

fn works(work: ServiceWork) -> StateVector {
    at_work(Work::Service(work), normal(3))
}

/// Has done this part, which holds so many primes, for the group of this election.
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

/// A lab at work under 3 that is quiet from 0.000 s on, and should be done 4,200 ms later: 3,000 ms after its elections
/// a master has found a server silent.
fn serving() -> Trace {
    let mut trace = judged(&promising(Property::Progress));
    trace.start_all(3, &serves_nobody());
    trace
}

fn in_group(work: ServiceWork) -> StateVector {
    numbered(works(work), 1)
}

/// The user of 1 has asked, and so many parts are done.
fn asks(done: u16) -> StateVector {
    let log = ServiceLog { id: order(1), done, turn: 1, server: Some(node(3)), primes: 0 };
    in_group(ServiceWork { asked: Some(log), ..ServiceWork::default() })
}

fn serves_nobody() -> StateVector {
    in_group(ServiceWork::default())
}

fn serves() -> StateVector {
    in_group(ServiceWork { serves: set("1"), ..ServiceWork::default() })
}

#[test]
fn a_service_that_nobody_serves_is_undone() {
    let mut unserved = serving();
    unserved.become_state(1, 100, asks(1));
    assert_eq!(unserved.undone(), ["1 has asked for a service, and nobody serves"]);
    let mut apart = serving();
    apart.become_state(1, 100, asks(1));
    apart.become_state(2, 100, StateVector { election: Some(2), ..serves_nobody() });
    assert_eq!(apart.undone(), [""; 0]);
    let mut behind = serving();
    behind.become_state(2, 100, in_group(ServiceWork { waiting: 1, ..ServiceWork::default() }));
    assert_eq!(behind.undone(), ["2 has asked for a service, and nobody serves"]);
}

#[test]
fn a_service_that_is_served_is_done() {
    let mut served = serving();
    served.become_state(1, 100, asks(1));
    served.become_state(3, 100, serves());
    assert_eq!(served.undone(), [""; 0]);
    // 3 has done the last part, and 1 has not heard of it yet.
    let mut on_its_way = serving();
    on_its_way.become_state(1, 4100, asks(4));
    on_its_way.pass(4200);
    on_its_way.become_state(1, 4300, serves_nobody());
    assert_eq!((on_its_way.tally(Property::Progress).held, on_its_way.undone()), (2, vec![]));
}

#[test]
fn a_master_has_time_to_find_silence() {
    for (served_at, expected) in [(4199, 0), (4201, 1)] {
        let mut trace = serving();
        trace.become_state(1, 100, asks(1));
        trace.become_state(3, served_at, serves());
        trace.close(served_at + 9000);
        assert_eq!(trace.texts().len(), expected, "served at {served_at} ms: {:?}", trace.texts());
    }
}
