//! Steps that were held at a protocol moment, and crashes there.
//!
//! Invariant: whether what stands behind the hold of a dead process's last step was sent nobody knows, and nobody has to:
//! who receives it learns what it carries, and it is not lost where it does not come.

use super::*;
use record::StepHold;
use world::Orderer;

/// Node 3 sends to 2 and is held; to 1 it would send behind the hold.
fn held(trace: &mut Trace) -> [MessageId; 2] {
    let (two, one) = (trace.send(3, 100, 2, Some(reorganizing(3))), trace.send(3, 100, 1, None));
    let [Record { body: Body::Step(first), .. }, Record { body: Body::Step(second), .. }] = &mut trace.records[..]
    else {
        panic!("two steps")
    };
    first.effects.append(&mut second.effects);
    first.held = Some(StepHold { by: "ready".into(), after: 1 });
    trace.records.pop();
    [two, one]
}

fn drawn() -> (Trace, [MessageId; 2]) {
    let mut trace = Trace::bully(3);
    let ids = held(&mut trace);
    // The judge is given the one step that the two were made into.
    trace.judge = Judge::new(&head(3, &[Property::Assertion1], &Assumption::ALL), None);
    let step = trace.records.remove(0);
    trace.take(step);
    (trace, ids)
}

#[test]
fn what_a_crash_kept_is_not_lost() {
    let (mut trace, [two, _]) = drawn();
    trace.crash(3, 110);
    trace.receive(2, 111, two, Some(reorganizing(3)));
    trace.close(9000);
    assert_eq!((trace.judge.unknown(), trace.texts()), (None, vec![]));
}

/// 3 goes on at once, and takes its next step a second later.
#[test]
fn what_is_held_had_left_before() {
    let (mut trace, [two, _]) = drawn();
    let hold = trace.fault(50, "hold 3->2", "2,3");
    trace.happened(2, 111, Body::Held { id: two, by: hold, span: None, message: Some(text()) });
    trace.speak(1100, "3");
    trace.happened(2, 1300, Body::Released { id: two, by: hold });
    trace.receive(2, 1300, two, None);
    let broken = trace.judge.take_broken();
    let told: Vec<&str> = broken.iter().map(|report| report.text.as_str()).collect();
    let words = "f1 (hold 3->2) broke assumption 8 (delivery within the bound): 1 message took longer than the bound, \
                 the slowest from 3 to 2 took 1.2s";
    assert_eq!(told, [words]);
}

#[test]
fn what_left_behind_the_hold_is_received() {
    // It left before the crash after all, or when the node went on.
    for goes_on in [false, true] {
        let (mut trace, [two, one]) = drawn();
        trace.receive(2, 111, two, None);
        if !goes_on {
            trace.crash(3, 140);
        }
        trace.receive(1, 140, one, None);
        if goes_on {
            trace.speak(145, "3");
            trace.crash(3, 150);
        }
        assert_eq!((trace.judge.kept()[1], trace.judge.unknown()), (0, None));
    }
}

#[test]
fn nobody_waits_for_what_did_not_leave() {
    let (mut trace, [two, _]) = drawn();
    trace.crash(3, 110);
    trace.receive(2, 111, two, Some(reorganizing(3)));
    trace.speak(112, "1");
    trace.recover(3, 2000, electing());
    trace.tell(3, 2010, 1, None);
    let mut orderer = Orderer::new(Roster::new(3).unwrap());
    let given = trace.records.len();
    let ordered: usize = trace.records.into_iter().map(|record| orderer.take(record, 0).len()).sum();
    assert_eq!((ordered, orderer.wake_at()), (given, None));
}

#[test]
fn a_world_says_by_whom_one_is_held() {
    let (mut trace, _) = drawn();
    let mut world = world::World::new(Roster::new(3).unwrap());
    world.fold(&trace.records[0]);
    assert_eq!(world.nodes[&node(3)].held_by.as_deref(), Some("ready"));
    let mut died = world.clone();
    trace.speak(200, "3");
    world.fold(&trace.records[1]);
    assert_eq!(world.nodes[&node(3)].held_by, None);
    trace.crash(3, 300);
    trace.records[2..].iter().for_each(|record| died.fold(record));
    assert_eq!(died.nodes[&node(3)].held_by, None);
}
