//! Tests of conformance: sessions that drivers wrote conform; if any part of them is altered or taken away they do not,
//! and the record is named.
//!
//! Invariant: every leaf of every step of a session with a hold, crashes, cut-off saves and a garbled message is
//! altered once.

mod stage;

use serde_json::Value;
use stage::{LastSave, Stage};

use super::*;
use election::bully::{Bully, Message};
use protocol::MachineKind;
use protocol::{CallNumber, Order, Payload, Settings, Span, trial::CountingAlgorithm};
use record::{Body, EffectText, LineError, Missed, SessionReader, Skipped, Step};
use registry::BUILT_IN;

const TRIAL: FedMachines = FedMachines { kind: MachineKind::of::<CountingAlgorithm>(), application: None };

/// Three Bully nodes: an election that is held in its first step, and then the coordinator crashes at a save.
fn troubled(last_save: LastSave) -> SessionReader {
    let mut stage = Stage::new(MachineKind::of::<Bully>());
    stage.arm("first Halt sent");
    stage.start(3);
    assert!(stage.is_held());
    stage.go_on(3);
    stage.start(1);
    stage.start(2);
    stage.pass(50);
    stage.elect(1);
    let call = CallNumber { incarnation: Incarnation(9), serial: 9 };
    stage.garble_next(Payload::of(Message::AreYouThereAnswer { call }));
    stage.crash(3, LastSave::Done);
    stage.arm("2 enters Reorganization");
    stage.pass(1_000);
    assert!(stage.is_held());
    stage.crash(2, last_save);
    stage.start(2);
    stage.pass(30);
    stage.start(3);
    stage.pass(50);
    stage.session()
}

fn steps(session: &SessionReader) -> Vec<&Step> {
    session.records.iter().filter_map(Record::step).collect()
}

/// The number of the record in which it differs.
fn differs(session: &SessionReader) -> u64 {
    match verify(session, BUILT_IN) {
        Err(NotVerified::Differs(differs)) => differs.record,
        other => panic!("{other:?}"),
    }
}

fn unknown(session: &SessionReader) -> String {
    match verify(session, BUILT_IN) {
        Err(NotVerified::Unknown(why)) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The first step for which this holds.
fn find(session: &mut SessionReader, is_it: impl Fn(&Step) -> bool) -> (u64, &mut Step) {
    let found = session.records.iter_mut().find_map(|record| match &mut record.body {
        Body::Step(step) if is_it(step) => Some((record.number, step)),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn what_drivers_wrote_conforms() {
    for last_save in [LastSave::Done, LastSave::CutOff] {
        let session = troubled(last_save);
        let fed = verify(&session, BUILT_IN).unwrap();
        let steps = steps(&session);
        assert_eq!(fed.total(), steps.len() as u64);
        assert_eq!((fed.steps.len(), fed.starts), (3, 5));
        // The session has what is hard to feed again: held steps with timers behind the hold, and a start from saved
        // cells.
        let timers_behind = |step: &&Step| {
            step.effects_around_hold().1.iter().any(|effect| matches!(effect, EffectText::SetTimer { .. }))
        };
        assert_eq!(steps.iter().filter(|step| step.held.is_some()).count(), 2);
        assert!(steps.iter().find(|step| step.held.is_some()).is_some_and(timers_behind));
        assert!(steps.iter().any(|step| step.input == Input::Start { saved: true }));
    }
}

#[test]
fn two_ends_of_a_save_differ() {
    let [done, cut_off] = [LastSave::Done, LastSave::CutOff].map(troubled);
    let restart = |session: &SessionReader| {
        let is_it = |step: &&&Step| step.incarnation == Incarnation(2) && step.step == 1;
        steps(session).iter().find(is_it).unwrap().state.clone()
    };
    assert_ne!(restart(&done), restart(&cut_off));
}

#[test]
fn cells_that_hold_neither_are_a_difference() {
    // The node says that it found no safe cells, but only its last save was cut off: the one before it was done.
    let mut session = troubled(LastSave::CutOff);
    let (number, step) = find(&mut session, |step| step.input == Input::Start { saved: true });
    step.input = Input::Start { saved: false };
    assert_eq!(differs(&session), number);
}

#[test]
fn whatever_is_altered_in_a_step_is_named() {
    let mut session = troubled(LastSave::Done);
    let mut altered = 0;
    for place in 0..session.records.len() {
        let record = session.records[place].clone();
        if record.step().is_none() {
            continue;
        }
        let value: Value = serde_json::from_str(&record.to_line()).unwrap();
        for pointer in leaves(&value) {
            let Some(other) = with_another(&value, &pointer).filter(|other| *other != record) else { continue };
            let number = record.number;
            session.records[place] = other;
            match pointer.split('/').nth(1).unwrap() {
                // The altered number may be a right one for this step. Then the next step of the node differs.
                "step" | "incarnation" => assert!(verify(&session, BUILT_IN).is_err()),
                _ => assert!(
                    matches!(verify(&session, BUILT_IN), Err(NotVerified::Differs(differs)) if differs.record == number),
                    "{pointer} of {}",
                    record.to_line()
                ),
            }
            altered += 1;
        }
        session.records[place] = record;
    }
    assert!(altered > 700, "{altered}");
}

/// The places of the leaves of a record's step that a machine decides on, or is given.
fn leaves(record: &Value) -> Vec<String> {
    fn gather(pointer: String, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| gather(format!("{pointer}/{key}"), value, found)),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(key, value)| gather(format!("{pointer}/{key}"), value, found));
            }
            _ => found.push(pointer),
        }
    }
    let mut found = Vec::new();
    gather(String::new(), record, &mut found);
    // A machine does not decide on stamps or on the host's numbers. And it does not learn which datagram brought a
    // message, or which of the lab's moments held it.
    let is_beside = |pointer: &String| {
        ["/number", "/at", "/lab", "/node", "/kind", "/held/by", "/held/after"].contains(&pointer.as_str())
            || pointer.starts_with("/input/message/id")
    };
    found.retain(|pointer| !is_beside(pointer));
    found
}

/// The record with another value at this place, of the first kind that still reads as a record.
fn with_another(record: &Value, pointer: &str) -> Option<Record> {
    let leaf = record.pointer(pointer).unwrap();
    let others: Vec<Value> = match leaf {
        Value::Number(number) => vec![(number.as_i64().unwrap() + 1).into()],
        Value::String(text) => {
            let (head, last) = text.split_at(text.len() - 1);
            let digit = if last == "0" { "1" } else { "0" };
            vec![format!("{head}{digit}").into(), format!("{text}x").into(), "normal".into(), "down".into()]
        }
        Value::Bool(flag) => vec![(!flag).into()],
        Value::Null => vec![1.into(), "1".into()],
        Value::Array(_) | Value::Object(_) => panic!("{pointer} is no leaf"),
    };
    others.into_iter().filter(|other| other != leaf).find_map(|other| {
        let mut record = record.clone();
        *record.pointer_mut(pointer).unwrap() = other;
        let record = Record::from_line(&record.to_string()).ok()?;
        record.step().is_some().then_some(record)
    })
}

#[test]
fn a_difference_names_its_place() {
    let mut session = troubled(LastSave::Done);
    let is_it = |step: &Step| step.step == 1 && matches!(step.effects.last(), Some(EffectText::SetTimer { .. }));
    let (number, step) = find(&mut session, is_it);
    let last = step.effects.len() - 1;
    let Some(EffectText::SetTimer { span, .. }) = step.effects.last_mut() else { panic!() };
    *span = Span::from_nanos(span.nanos() + 1);
    let told = verify(&session, BUILT_IN).unwrap_err().to_string();
    let expected = format!(
        "record {number} (step 1 of node 3's incarnation 1): effects[{last}].set-timer.span: expected 20000000, found \
         20000001"
    );
    assert_eq!(told, expected);
}

#[test]
fn effects_taken_out_added_or_exchanged_are_named() {
    let session = troubled(LastSave::Done);
    let edits: [fn(&mut Vec<EffectText>); 3] = [
        |effects| effects.truncate(1),
        |effects| effects.push(EffectText::Help { text: "help".into() }),
        |effects| effects.reverse(),
    ];
    for edit in edits {
        let mut session = session.clone();
        let (number, step) = find(&mut session, |step| step.effects.len() > 2 && step.held.is_none());
        edit(&mut step.effects);
        assert_eq!(differs(&session), number);
    }
}

#[test]
fn a_hold_stands_where_a_moment_can_come() {
    let mut session = troubled(LastSave::Done);
    let (number, step) = find(&mut session, |step| step.held.is_some());
    // Its last effect sets a timer, and no moment comes when a timer is set.
    let last = step.effects.len();
    step.held.as_mut().unwrap().after = last;
    let told = verify(&session, BUILT_IN).unwrap_err().to_string();
    assert!(told.starts_with(&format!("record {number} ")) && told.contains("held: expected nothing"), "{told}");
}

#[test]
fn a_garbled_message_is_what_is_recorded() {
    let mut session = troubled(LastSave::Done);
    let place = session.records.iter().position(|record| matches!(record.body, Body::Garbled { .. })).unwrap();
    let number = session.records[place].number;
    let Body::Garbled { became, .. } = &mut session.records[place].body else { panic!() };
    became.take();
    assert_eq!(differs(&session), number + 1);
}

#[test]
fn a_message_that_nobody_sent_is_named() {
    let mut session = troubled(LastSave::Done);
    let (number, step) = find(&mut session, |step| matches!(step.input, Input::Message { .. }));
    let Input::Message { id, .. } = &mut step.input else { panic!() };
    id.sequence = 0;
    assert_eq!(differs(&session), number);
    // Of the last message this cannot be said: its sender may have sent it in a step that the host did not read any
    // more.
    let mut session = troubled(LastSave::Done);
    let mut steps = session.records.iter_mut().rev().filter_map(|record| match &mut record.body {
        Body::Step(step) => Some(&mut step.input),
        _ => None,
    });
    let Some(Input::Message { id, .. }) = steps.find(|input| matches!(input, Input::Message { .. })) else { panic!() };
    id.sequence += 1;
    verify(&session, BUILT_IN).unwrap();
}

#[test]
fn an_unknown_order_is_a_difference() {
    let mut stage = Stage::new(MachineKind::of::<CountingAlgorithm>());
    stage.start(1);
    stage.elect(1);
    let mut session = stage.session();
    let (number, step) = find(&mut session, |step| matches!(step.input, Input::Order { .. }));
    step.input = Input::Order { order: Order::StartOver };
    let Err(NotVerified::Differs(differs)) = verify_as(TRIAL, &Survey::of(&session).unwrap(), &session) else {
        panic!()
    };
    assert_eq!((differs.record, &*differs.part), (number, "input.order"));
}

#[test]
fn time_outs_of_one_moment_have_an_order() {
    let mut stage = Stage::new(MachineKind::of::<CountingAlgorithm>());
    stage.start(1);
    stage.start(2);
    stage.elect(1);
    stage.pass(30);
    let mut session = stage.session();
    let whole = |session: &SessionReader| verify_as(TRIAL, &Survey::of(session).unwrap(), session);
    assert_eq!(whole(&session).unwrap().total(), steps(&session).len() as u64);
    let rings: Vec<usize> = (0..session.records.len())
        .filter(|place| matches!(session.records[*place].step().map(|step| &step.input), Some(Input::Timer { .. })))
        .collect();
    let [first, second] = rings[..2] else { panic!() };
    let bodies = [first, second].map(|place| session.records[place].body.clone());
    let [Body::Step(mut one), Body::Step(mut two)] = bodies else { panic!() };
    std::mem::swap(&mut one.step, &mut two.step);
    (session.records[first].body, session.records[second].body) = (Body::Step(two), Body::Step(one));
    let Err(NotVerified::Differs(differs)) = whole(&session) else { panic!() };
    assert_eq!((differs.record, &*differs.part), (session.records[first].number, "input.timer"));
}

#[test]
fn a_time_out_before_its_moment_is_named() {
    let mut session = troubled(LastSave::Done);
    let place = session
        .records
        .iter()
        .position(|record| matches!(record.step().map(|step| &step.input), Some(Input::Timer { .. })));
    let record = &mut session.records[place.unwrap()];
    record.at -= 1;
    let number = record.number;
    assert_eq!(differs(&session), number);
}

#[test]
fn a_session_with_something_missing_is_unknown() {
    let session = troubled(LastSave::Done);
    let without = |edit: &dyn Fn(&mut SessionReader)| {
        let mut session = session.clone();
        edit(&mut session);
        unknown(&session)
    };
    let last = session.records.len();
    assert_eq!(
        without(&|session| drop(session.records.pop())),
        format!("it stops after record {}: the lab's end is missing", last - 1)
    );
    let told = without(&|session| session.records.clear());
    assert_eq!(told, "it has no record: the lab's end is missing, and all before it");
    assert_eq!(
        without(&|session| drop(session.records.remove(4))),
        "record 6 follows record 4; the records between are missing"
    );
    // It is noticed too if the records are numbered anew, so that only the step's own number is missing.
    let told = without(&|session| {
        let place = session.records.iter().position(|record| record.step().is_some_and(|step| step.step == 3));
        session.records.remove(place.unwrap());
        session.records.iter_mut().zip(1..).for_each(|(record, number)| record.number = number);
    });
    assert!(told.contains("the steps between are missing") && told.contains("step 4 of node"), "{told}");
    let told = without(&|session| {
        let gap = Body::Gap(Missed { count: 3, place: "in the node's own buffer".into() });
        session.records[6].body = gap;
    });
    assert_eq!(told, "record 7: 3 records are missing, lost in the node's own buffer");
    let told = without(&|session| session.skipped.push(Skipped { line: 9, why: LineError::NotText }));
    assert_eq!(told, "line 9 cannot be read (not UTF-8)");
    assert_eq!(without(&|session| session.head = None), "it has no head");
    let told = without(&|session| session.head.as_mut().unwrap().facts.name = "eclipse".into());
    assert!(told.contains("this build has no algorithm eclipse"), "{told}");
    let told = without(&|session| session.head.as_mut().unwrap().settings = Settings::default());
    assert!(told.contains("does not set "), "{told}");
    let told = without(&|session| session.records.drain(..last - 1).for_each(drop));
    assert!(told.contains("follows record 0"), "{told}");
}

#[test]
fn an_unknown_kind_is_not_passed_over() {
    let mut session = troubled(LastSave::Done);
    let line = r#"{"number":3,"at":1,"node":1,"kind":"eclipse","depth":7}"#;
    session.records[2] = Record::from_line(line).unwrap();
    assert_eq!(unknown(&session), "record 3 is of a kind that this build does not know: \"eclipse\"");
}

#[test]
fn another_head_is_a_difference() {
    let mut session = troubled(LastSave::Done);
    session.head.as_mut().unwrap().timing.t = Span::from_millis(21);
    assert!(differs(&session) > 0);
    let mut session = troubled(LastSave::Done);
    session.head.as_mut().unwrap().nodes = 4;
    assert!(differs(&session) > 0);
}

#[test]
fn clocks_of_other_rates_conform() {
    let mut stage = Stage::new(MachineKind::of::<Bully>());
    stage.start(1);
    stage.start(2);
    stage.set_clock(2, Some("0.3x"));
    stage.arm("first Halt sent");
    stage.start(3);
    assert!(stage.is_held());
    stage.set_clock(3, Some("7x"));
    stage.go_on(3);
    stage.set_clock(3, Some("0.999x"));
    stage.pass(330);
    stage.set_clock(2, None);
    stage.elect(2);
    stage.set_clock(1, Some("1.5x"));
    stage.pass(700);
    let mut session = stage.session();
    verify(&session, BUILT_IN).unwrap();
    let rung = |step: &&Step| matches!(step.input, Input::Timer { .. });
    assert!(steps(&session).into_iter().filter(rung).count() > 20);
    // If the records do not tell how the clocks ran, the timers ran out at the wrong times.
    session.records.retain(|record| !matches!(record.body, Body::ClockSet { .. }));
    (1..).zip(&mut session.records).for_each(|(number, record)| record.number = number);
    assert!(matches!(verify(&session, BUILT_IN), Err(NotVerified::Differs(_))));
}
