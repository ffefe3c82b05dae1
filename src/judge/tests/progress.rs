//! Progress of services and updates: what is undone at rest is told, and what is on its way is not.
//!
//! Invariant: these labs are quiet from 0.000 s on, and the bound is 3000 ms.

use super::*;
use protocol::{
    LoggedUpdate, PreparedUpdate, ServiceFacts, ServiceLog, ServiceWork, TaskId, TransactionId, UpdateWork,
};

/// Three processes at work under 3.
fn started(work: &Work) -> Trace {
    let mut trace = Trace::new(&head(3, &[Property::Progress], Assumption::first(10)));
    trace.start_all(3, &with(work.clone()));
    trace
}

fn with(work: Work) -> StateVector {
    at_work(work, numbered(normal(3), 1))
}

fn told(mut trace: Trace) -> Vec<String> {
    trace.close(9000);
    let what = |text: &&str| text.split(", but ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
    trace.texts().iter().map(what).collect()
}

/// The user of 1 has asked, and so many parts are done.
fn asks(done: u16) -> StateVector {
    let log = ServiceLog { id: order(1), done, turn: 1, server: Some(node(3)), primes: 0 };
    with(Work::Service(ServiceWork { asked: Some(log), ..ServiceWork::default() }))
}

fn serves_nobody() -> StateVector {
    with(Work::Service(ServiceWork::default()))
}

fn serves() -> StateVector {
    with(Work::Service(ServiceWork { serves: set("1"), ..ServiceWork::default() }))
}

fn serving() -> Trace {
    started(&Work::Service(ServiceWork::default()))
}

#[test]
fn a_service_that_nobody_serves_is_undone() {
    let mut unserved = serving();
    unserved.become_state(1, 100, asks(1));
    assert_eq!(told(unserved), ["1 has asked for a service, and nobody serves"]);
    let mut apart = serving();
    apart.become_state(1, 100, asks(1));
    apart.become_state(2, 100, StateVector { election: Some(2), ..serves_nobody() });
    assert_eq!(told(apart), [""; 0]);
    let mut behind = serving();
    let waits = Work::Service(ServiceWork { waiting: 1, ..ServiceWork::default() });
    behind.become_state(2, 100, with(waits));
    assert_eq!(told(behind), ["2 has asked for a service, and nobody serves"]);
}

#[test]
fn a_service_that_is_served_is_done() {
    let mut served = serving();
    served.become_state(1, 100, asks(1));
    served.become_state(3, 100, serves());
    assert_eq!(told(served), [""; 0]);
    // 3 has done the last part, and 1 has not heard of it yet.
    let mut on_its_way = serving();
    on_its_way.become_state(1, 2900, asks(4));
    on_its_way.pass(3000);
    on_its_way.become_state(1, 3100, with(Work::Service(ServiceWork::default())));
    assert_eq!((on_its_way.tally(Property::Progress).held, told(on_its_way)), (2, vec![]));
}

fn in_doubt() -> StateVector {
    let task = TaskId { author: node(3), incarnation: Incarnation(1), serial: 1 };
    let update = LoggedUpdate { id: order(1), value: 7, by: TransactionId { task, attempt: 1 } };
    let prepared = PreparedUpdate { update, position: 1, voters: set("1-3") };
    with(Work::Updates(UpdateWork { in_doubt: Some(prepared), ..UpdateWork::default() }))
}

#[test]
fn doubts_stay_only_while_one_is_down() {
    let updating = || started(&Work::Updates(UpdateWork::default()));
    let mut doubting = updating();
    doubting.become_state(2, 100, in_doubt());
    assert_eq!(told(doubting), ["2 is in doubt of an update, and all processes run"]);
    let mut holding = updating();
    holding.become_state(1, 100, with(Work::Updates(UpdateWork { waiting: 2, ..UpdateWork::default() })));
    assert_eq!(told(holding), ["orders wait at 1, and all processes run"]);
    let mut blocked = updating();
    blocked.become_state(2, 100, in_doubt());
    blocked.crash(3, 150);
    assert_eq!(told(blocked), [""; 0]);
}

#[test]
fn a_master_has_time_to_find_silence() {
    let facts = ServiceFacts { parts: 5, numbers: 10, pace_ms: 300 };
    let application = application("service", &[Property::Progress], 10);
    let head = head_with(3, ApplicationFacts { services: Some(facts), ..application });
    let found = i64::try_from(facts.found_silent(head.timing.check).nanos()).unwrap() / 1_000_000;
    for (served_at, expected) in [(3000 + found - 1, 0), (3000 + found + 1, 1)] {
        let mut trace = Trace::new(&head);
        trace.start_all(3, &serves_nobody());
        trace.become_state(1, 100, asks(1));
        trace.become_state(3, served_at, serves());
        trace.close(served_at + 9000);
        assert_eq!(trace.texts().len(), expected, "served at {served_at} ms: {:?}", trace.texts());
    }
}
