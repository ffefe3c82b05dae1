//! Tests of a message's way from the opened datagram to the machine: what bites, what is told, what comes in which order.
//!
//! Invariant: the surroundings are a notebook whose clock stands where the test puts it.

use super::super::counting_broadcast::{CountingBroadcast, Note};
use super::*;
use crate::tests::{EnvironmentCall, MS, Readers, TestEnvironment, node, passage};
use fault::Tampering;
use protocol::trial::{CountingAlgorithm, count, setup};
use protocol::{Algorithm, Incarnation, Span};
use record::Input;

fn started<A: Algorithm>(faults: Vec<LinkFault>, readers: Readers) -> (Participant, TestEnvironment) {
    let mut notebook = TestEnvironment { readers, ..TestEnvironment::new(A::CARD.delivery) };
    let started = Participant::start(MachineKind::of::<A>(), setup(1), 7, None, faults, None, &mut notebook);
    notebook.done.clear();
    (started.unwrap(), notebook)
}

fn fault(id: u32, rule: &str) -> LinkFault {
    LinkFault { id: FaultId(id), text: format!("fault {id}"), rule: rule.parse().unwrap() }
}

fn tamper(how: Tampering) -> LinkFault {
    fault(1, &format!("{how} 2-3->1 100%"))
}

fn delay(span: Span) -> LinkFault {
    fault(1, &format!("delay 2-3->1 {span}"))
}

/// The kinds of what was recorded; for a step, the kind of its input.
fn kinds(notebook: &TestEnvironment) -> Vec<&'static str> {
    let kind = |body: &&Body| match body {
        Body::Step(step) => match step.input {
            Input::Start { .. } => "start",
            Input::Message { .. } => "message",
            Input::Timer { .. } => "timer",
            Input::Order { .. } => "order",
        },
        Body::Dropped { message: Some(_), .. } => "dropped",
        Body::Held { message: Some(_), .. } => "held",
        Body::Released { .. } => "released",
        Body::PutFirst { .. } => "put-first",
        Body::Spoiled { message: Some(_), .. } => "spoiled",
        Body::Duplicated { .. } => "duplicated",
        Body::Reordered { .. } => "reordered",
        Body::Garbled { became: Some(_), .. } => "changed",
        Body::Garbled { became: None, .. } => "malformed",
        Body::Stale { .. } => "stale",
        Body::Copy { fate: CopyFate::Dropped, .. } => "copy dropped",
        Body::Copy { fate: CopyFate::Held(_), .. } => "copy held",
        Body::Copy { fate: CopyFate::Spoiled, .. } => "copy spoiled",
        Body::Late { message: Some(_), .. } => "late",
        other => panic!("{other:?}"),
    };
    notebook.records().iter().map(kind).collect()
}

/// Lets node 1 read two numbers of node 2, then the first again, and then rings what is due after 30 ms.
fn heard(faults: Vec<LinkFault>, readers: Readers) -> (Participant, TestEnvironment) {
    let (mut participant, mut notebook) = started::<CountingAlgorithm>(faults, readers);
    for sequence in [1, 2, 1] {
        notebook.now += MS;
        participant
            .arrive(notebook.now, passage(sequence), None, Payload::of(count(sequence + 2)), &mut notebook)
            .unwrap();
    }
    notebook.now = 30 * MS;
    participant.deliver(&mut notebook).unwrap();
    participant.ring(30 * MS, &mut notebook).unwrap();
    (participant, notebook)
}

#[test]
fn what_nothing_overtakes_is_in_time() {
    let held = |body: &Body| if let Body::Held { by: FaultId(1), span, .. } = body { *span } else { None };
    // It took 4 ms of the 10 that one way may take.
    let (mut participant, mut notebook) = started::<CountingAlgorithm>(vec![tamper(Tampering::Reorder)], Readers::Some);
    notebook.now = 5 * MS;
    participant.arrive(MS, passage(1), None, Payload::of(count(9)), &mut notebook).unwrap();
    assert_eq!((kinds(&notebook), held(notebook.records()[0])), (vec!["held"], Some(Span::from_millis(3))));
    assert_eq!(participant.next_due(), Some(8 * MS));
    notebook.now = 8 * MS;
    participant.deliver(&mut notebook).unwrap();
    assert_eq!(kinds(&notebook), ["held", "message"]);
    // It is delivered 15 ms after its stamp, of the 20 that one way may take.
    let (mut participant, mut notebook) = started::<CountingBroadcast>(vec![tamper(Tampering::Reorder)], Readers::Some);
    let original = BroadcastId { stamp: MS, from: node(2), incarnation: Incarnation(1), sequence: 1 };
    participant.arrive(MS, copy(2, original), Some(original), Payload::of(Note(9)), &mut notebook).unwrap();
    notebook.now = 16 * MS;
    participant.ring(16 * MS, &mut notebook).unwrap();
    assert_eq!((kinds(&notebook), held(notebook.records()[0])), (vec!["held"], Some(Span::from_nanos(5 * MS / 2))));
}

#[test]
fn each_bite_has_its_record() {
    let cut = fault(1, "isolate 2");
    for (faults, expected) in [
        (vec![], vec!["message", "message", "stale"]),
        (vec![cut], vec!["dropped", "dropped", "dropped", "timer"]),
        (vec![delay(Span::from_millis(5))], vec!["held", "held", "held", "message", "message", "stale"]),
        (vec![tamper(Tampering::Corrupt)], vec!["spoiled", "spoiled", "spoiled", "timer"]),
        (
            vec![tamper(Tampering::Duplicate)],
            vec!["duplicated", "message", "message", "duplicated", "message", "message", "stale"],
        ),
        (vec![tamper(Tampering::Reorder)], vec!["held", "message", "reordered", "message", "stale"]),
    ] {
        assert_eq!(kinds(&heard(faults.clone(), Readers::Some).1), expected, "{faults:?}");
    }
}

#[test]
fn a_garbled_message_is_as_recorded() {
    let (mut participant, mut notebook) = started::<CountingAlgorithm>(vec![tamper(Tampering::Garble)], Readers::Some);
    for sequence in 1..=100 {
        // Numbers from 10 on are not answered, and one bit of this one leaves none below it.
        participant.arrive(notebook.now, passage(sequence), None, Payload::of(count(96)), &mut notebook).unwrap();
    }
    let kinds = kinds(&notebook);
    let (changed, malformed) =
        (kinds.iter().filter(|kind| **kind == "changed").count(), kinds.iter().filter(|kind| **kind == "malformed"));
    assert!(changed > 10 && malformed.count() == 100 - changed, "{kinds:?}");
    for pair in notebook.records().windows(2) {
        let Body::Garbled { became: Some(became), .. } = pair[0] else { continue };
        let Body::Step(step) = pair[1] else { panic!("{pair:?}") };
        assert!(matches!(&step.input, Input::Message { message, .. } if message == became));
    }
}

#[test]
fn without_readers_the_same_is_done() {
    let written = |notes: &TestEnvironment| -> Vec<String> {
        let done = notes.done.iter().filter(|done| !matches!(done, EnvironmentCall::Record(_)));
        done.map(|done| format!("{done:?}")).collect()
    };
    let cases = [Tampering::Corrupt, Tampering::Duplicate, Tampering::Reorder, Tampering::Garble].map(tamper);
    for faults in cases.map(|fault| vec![fault]).into_iter().chain([vec![], vec![delay(Span::from_millis(5))]]) {
        let (told, told_notes) = heard(faults.clone(), Readers::Some);
        let (untold, notes) = heard(faults, Readers::None);
        assert_eq!(written(&notes), written(&told_notes));
        assert_eq!((untold.state(), untold.next_due()), (told.state(), told.next_due()));
    }
}

#[test]
fn a_held_participant_keeps_its_link() {
    let (mut participant, mut notebook) =
        started::<CountingAlgorithm>(vec![delay(Span::from_millis(5))], Readers::Some);
    for sequence in [1, 2] {
        participant
            .arrive(notebook.now, passage(sequence), None, Payload::of(count(sequence + 2)), &mut notebook)
            .unwrap();
    }
    notebook.armed.arm("ready".into(), "first Count sent".parse().unwrap());
    notebook.now = 5 * MS;
    participant.deliver(&mut notebook).unwrap();
    participant.ring(99 * MS, &mut notebook).unwrap();
    assert!(participant.is_held());
    assert_eq!((kinds(&notebook), notebook.left().len()), (vec!["held", "held", "message"], 0));
    participant.reach_hold("ready", &mut notebook).unwrap();
    assert!(participant.is_held());
    assert_eq!(notebook.left().len(), 1);
    participant.go_on("ready", &mut notebook).unwrap();
    assert_eq!(notebook.left().len(), 2);
    participant.deliver(&mut notebook).unwrap();
    assert_eq!((kinds(&notebook)[3..].to_vec(), notebook.left().len()), (vec!["message"], 4));
}

/// The way of a broadcast of node 2 that is a copy by `by`.
fn copy(by: u16, original: BroadcastId) -> Passage {
    let sequence = if original.from == node(by) { original.sequence } else { original.relay_number() };
    Passage { from: node(by), sequence, ..original.passage(node(1)) }
}

#[test]
fn broadcasts_and_time_outs_come_in_order() {
    let (mut participant, mut notebook) = started::<CountingBroadcast>(vec![], Readers::Some);
    participant.order(Order::Elect, &mut notebook).unwrap();
    // The first timer is due at T/2, one's own broadcast at 3/4 T, the second timer at T, and this broadcast at T too.
    let original = BroadcastId { stamp: 5 * MS, from: node(2), incarnation: Incarnation(1), sequence: 1 };
    notebook.now = 6 * MS;
    participant.arrive(notebook.now, copy(2, original), Some(original), Payload::of(Note(9)), &mut notebook).unwrap();
    let left: Vec<Payload> = notebook.left().into_iter().cloned().collect();
    assert_eq!(
        left,
        [1, 9].map(|number| Payload::of(Note(number))),
        "what was heard straight from its sender is relayed"
    );
    notebook.now = 40 * MS;
    participant.ring(20 * MS - 1, &mut notebook).unwrap();
    assert_eq!(kinds(&notebook), ["order", "timer", "message"]);
    assert_eq!(participant.next_due(), Some(20 * MS));
    participant.ring(20 * MS, &mut notebook).unwrap();
    assert_eq!(kinds(&notebook)[3..], ["message", "timer"]);
    assert_eq!((participant.next_due(), participant.state().election), (None, Some(2)));
}

#[test]
fn what_befalls_a_copy_is_told() {
    let cut = fault(1, "isolate 2-3");
    let slow = delay(Span::from_millis(50));
    for (faults, expected) in [
        (vec![cut], vec!["copy dropped", "copy dropped"]),
        (vec![tamper(Tampering::Corrupt)], vec!["copy spoiled", "copy spoiled"]),
        (vec![slow], vec!["copy held", "copy held", "late"]),
    ] {
        let (mut participant, mut notebook) = started::<CountingBroadcast>(faults, Readers::Some);
        let original = BroadcastId { stamp: 0, from: node(2), incarnation: Incarnation(1), sequence: 1 };
        for by in [2, 3] {
            participant
                .arrive(notebook.now, copy(by, original), Some(original), Payload::of(Note(9)), &mut notebook)
                .unwrap();
        }
        notebook.now = 60 * MS;
        participant.deliver(&mut notebook).unwrap();
        assert_eq!(kinds(&notebook), expected);
        for body in notebook.records() {
            let Body::Copy { id, through, .. } = body else { continue };
            assert_eq!((id.from, id.sequence), (node(2), 1));
            assert!([node(2), node(3)].contains(through));
        }
    }
}

#[test]
fn what_is_done_by_hand_is_told() {
    for (act, told) in [
        ("deliver", vec!["released", "message"]),
        ("drop", vec!["dropped"]),
        ("double", vec!["released", "duplicated", "message", "message"]),
        ("first", vec!["put-first"]),
    ] {
        let (mut participant, mut notebook) = started::<CountingAlgorithm>(vec![fault(1, "hold 2->1")], Readers::Some);
        for sequence in [1, 2] {
            participant.arrive(0, passage(sequence), None, Payload::of(count(3)), &mut notebook).unwrap();
        }
        assert_eq!(kinds(&notebook), ["held", "held"]);
        notebook.done.clear();
        participant.act(&fault(2, &format!("{act} 2->1 2")), &mut notebook).unwrap();
        participant.deliver(&mut notebook).unwrap();
        assert_eq!(kinds(&notebook), told, "{act}");
        notebook.done.clear();
        participant.act(&fault(3, "drop 2->1 9"), &mut notebook).unwrap_err();
        assert!(notebook.done.is_empty(), "what is refused is not recorded");
    }
}

#[test]
fn what_was_put_first_is_given_first() {
    let (mut participant, mut notebook) = started::<CountingAlgorithm>(vec![fault(1, "hold 2->1")], Readers::Some);
    for sequence in [1, 2] {
        participant.arrive(0, passage(sequence), None, Payload::of(count(3)), &mut notebook).unwrap();
    }
    participant.act(&fault(2, "first 2->1 2"), &mut notebook).unwrap();
    notebook.done.clear();
    participant.set_faults(vec![], &mut notebook);
    participant.deliver(&mut notebook).unwrap();
    assert_eq!(kinds(&notebook), ["released", "released", "message", "reordered", "message"]);
    assert!(matches!(notebook.records()[3], Body::Reordered { id, by: FaultId(2) } if id.sequence == 1));
}
