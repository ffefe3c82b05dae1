//! The row of services, and what their steps say in the log.

use super::stage::{node, state, step};
use super::work::lab_with_shards;
use super::{hear, press, text};
use protocol::{
    ASKING_LINE, DonePart, FINISHING_LINE, Incarnation, LineNumber, OrderId, PART_LINE, ServiceFacts, ServiceLog,
    ServiceWork, StateVector, Status, TAKING_LINE, TaskId, Work, YIELDING_LINE,
};
use record::{Body, Input};

fn id(asker: u16) -> OrderId {
    OrderId { node: node(asker), incarnation: Incarnation(1), serial: 1 }
}

fn asked(asker: u16, done: u16, server: Option<u16>) -> Option<ServiceLog> {
    Some(ServiceLog { id: id(asker), done, turn: 1, server: server.map(node), primes: 0 })
}

fn did(asker: u16, part: u16) -> Option<DonePart> {
    let task = TaskId { author: node(5), incarnation: Incarnation(0), serial: 1 };
    Some(DonePart { id: id(asker), part, primes: 0, task, times: u32::from(part) })
}

#[test]
fn the_row_of_services_says_who_serves_whom_and_who_waits() {
    let mut model = lab_with_shards();
    let application = model.head.as_mut().unwrap().facts.application.as_mut().unwrap();
    (application.title, application.shards) = ("Service".into(), None);
    application.services = Some(ServiceFacts { parts: 8, numbers: 10, pace_ms: 100 });
    assert_eq!(text(&mut model, 100, 24).lines().nth(2).unwrap(), "service  nobody asks for anything");
    let mut does = |at: i64, who: u16, work: ServiceWork, lines: &[LineNumber]| {
        let work = Some(Box::new(Work::Service(work)));
        let after = StateVector { work, ..state(Status::Normal, Some(5), None) };
        let mut record = step(at, who, Input::Start { saved: false }, vec![], Some(after));
        let Body::Step(step) = &mut record.body else { panic!("a step") };
        step.lines.extend(lines);
        hear(&mut model, record);
        text(&mut model, 100, 24).lines().nth(2).unwrap().to_owned()
    };
    let asks = ServiceWork { asked: asked(1, 0, None), waiting: 2, ..ServiceWork::default() };
    assert_eq!(does(900_000_000, 1, asks, &[ASKING_LINE]), "service  nobody serves 1  2 more wait");
    let serves = ServiceWork { serves: super::stage::set("1"), ..ServiceWork::default() };
    let row = does(910_000_000, 5, serves.clone(), &[TAKING_LINE]);
    assert_eq!(row, "service  5 serves 1 (0 of 8)  2 more wait");
    let part = ServiceWork { part: did(1, 3), finished: 4, ..serves };
    let row = does(920_000_000, 5, part.clone(), &[PART_LINE]);
    assert_eq!(row, "service  5 serves 1 (3 of 8)  2 more wait  finished 5:4");
    let part = ServiceWork { part: did(1, 8), finished: 5, ..ServiceWork::default() };
    does(930_000_000, 5, part.clone(), &[PART_LINE, FINISHING_LINE]);
    does(940_000_000, 5, part, &[YIELDING_LINE]);
    press(&mut model, "2");
    let screen = text(&mut model, 100, 30);
    for said in [
        "1 asks for service 1.1.1",
        "5 serves 1",
        "5 does part 3 of service 1.1.1",
        "5 does part 8 of service 1.1.1, the last",
        "5 leaves a service to another",
    ] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
}
