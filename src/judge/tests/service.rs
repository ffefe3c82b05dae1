//! Services: what a part comes to, who does it, and what the asker knows.
//!
//! Invariant: for another master a part may be done again.

use super::*;
use protocol::{ApplicationFacts, DonePart, Incarnation, OrderId, ServiceFacts, ServiceLog, ServiceWork, TaskId, Work};

/// Three processes, and services of five parts of ten numbers. The first ten hold four primes, and so do the next ten.
fn started() -> Trace {
    let mut head = head(3, &[Property::Service], Assumption::first(10));
    head.facts.application = Some(ApplicationFacts {
        name: "service".into(),
        title: "Service".into(),
        bystanders: 0,
        needs: Assumption::first(10).to_vec(),
        promises: vec![Property::Service],
        shards: None,
        services: Some(ServiceFacts { parts: 5, numbers: 10, pace_ms: 100 }),
        weights: Vec::new(),
        section: None,
        orders: Vec::new(),
    });
    let mut trace = Trace::new(&head);
    (1..=3).for_each(|of| trace.start(of, 0, works(ServiceWork::default())));
    trace
}

fn works(work: ServiceWork) -> StateVector {
    StateVector { work: Some(Box::new(Work::Service(work))), ..normal(3) }
}

fn id() -> OrderId {
    OrderId { node: node(1), incarnation: Incarnation(1), serial: 1 }
}

/// It has done this part, which holds so many primes, for the group of this election.
fn did(part: u16, primes: u32, election: u32) -> StateVector {
    again(part, primes, election, u32::from(part))
}

/// The same, as the part with this number since its start.
fn again(part: u16, primes: u32, election: u32, times: u32) -> StateVector {
    let task = TaskId { author: node(3), incarnation: Incarnation(0), serial: election };
    works(ServiceWork { part: Some(DonePart { id: id(), part, primes, task, times }), ..ServiceWork::default() })
}

/// This is what the asker knows.
fn knows(done: u16) -> StateVector {
    let log = ServiceLog { id: id(), done, turn: 1, server: Some(node(3)), primes: 0 };
    works(ServiceWork { asked: Some(log), ..ServiceWork::default() })
}

fn told(mut trace: Trace) -> Vec<String> {
    trace.close(9000);
    let what = |text: &&str| text.split("): ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
    trace.texts().iter().map(what).collect()
}

#[test]
fn parts_that_are_right_and_done_once_for_a_master_hold() {
    let mut trace = started();
    trace.become_state(3, 100, did(1, 4, 1));
    trace.become_state(3, 200, did(2, 4, 1));
    trace.become_state(2, 300, did(2, 4, 2));
    assert_eq!(trace.judge.tallies().get(Property::Service).held, 3);
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn a_part_that_comes_to_something_else_is_wrong() {
    let mut trace = started();
    trace.become_state(3, 100, did(1, 5, 1));
    assert_eq!(told(trace), ["3 finds 5 primes in part 1 of service 1.1.1, and it holds 4"]);
}

#[test]
fn a_part_that_is_done_twice_for_one_master_is_wrong() {
    let mut trace = started();
    trace.become_state(3, 100, did(1, 4, 1));
    trace.become_state(2, 200, did(1, 4, 1));
    trace.become_state(2, 300, did(2, 4, 1));
    assert_eq!(told(trace), ["2 does part 1 of service 1.1.1, which 3 has done for the same master"]);
}

#[test]
fn a_part_that_is_skipped_repeated_or_too_many_is_wrong() {
    let mut trace = started();
    trace.become_state(3, 100, did(1, 4, 1));
    trace.become_state(3, 200, again(1, 4, 1, 2));
    trace.become_state(3, 300, again(3, 2, 1, 3));
    trace.become_state(3, 400, again(4, 2, 1, 4));
    trace.become_state(3, 500, again(5, 2, 1, 5));
    trace.become_state(3, 600, again(6, 2, 1, 6));
    let told = told(trace);
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
fn an_account_that_goes_back_at_its_asker_is_wrong_over_a_crash_too_if_it_was_kept() {
    let mut trace = started();
    trace.become_state(1, 100, knows(3));
    trace.become_state(1, 200, knows(2));
    let back = "the account of service 1.1.1 at 1 goes back from 3 parts by turn 1 to 2 parts by turn 1";
    assert_eq!(told(trace), [back]);
    // The last step before a crash may not have kept what it learnt.
    let mut trace = started();
    trace.become_state(1, 100, knows(2));
    trace.become_state(1, 120, knows(3));
    trace.crash(1, 150);
    trace.start(1, 200, knows(2));
    assert_eq!(told(trace), [""; 0]);
    let mut trace = started();
    trace.become_state(1, 100, knows(3));
    trace.become_state(1, 120, knows(4));
    trace.crash(1, 150);
    trace.start(1, 200, knows(2));
    assert_eq!(told(trace), [back]);
}

#[test]
fn a_part_that_nobody_is_known_to_have_done_may_have_been_done_in_a_gap() {
    let mut trace = started();
    let body = Body::Gap(record::Missed { count: 1, place: "in the node's own buffer".into() });
    trace.take(Record { node: Some(node(3)), ..Record::of_host(100 * MS, body) });
    trace.become_state(2, 300, did(2, 4, 2));
    assert_eq!(told(trace), [""; 0]);
}
