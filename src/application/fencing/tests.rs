//! State, one input, the exact effects.

use super::*;
use crate::tests::{cancels as cancel, did, node, normal, nothing, sends as send, sets as set, setup, state};
use protocol::{
    CallNumber, FencingNumber, Incarnation, ResourceWork, Roster, SettingValue, Span, Status, TermId, WriteFate,
    WriteProgress, WriteView, WriterWork,
};

const PACE: Span = Span::from_millis(500);
const SILENCE: Span = Span::from_millis(1_000);

/// Node `me` of three and the resource, which is 4.
fn machine(me: u16, fence: bool, cells: ResourceCells) -> Fencing {
    let roster = Roster::new(3).unwrap().with_bystanders(1).unwrap();
    let setup = Setup { incarnation: Incarnation(2), ..setup(me, roster, Span::from_millis(200), SILENCE) };
    let own = Settings::defaults(card::CARD.settings, roster.electors().all());
    Fencing::start(&setup, &own.with(card::FENCE, SettingValue::Flag(fence)), Some(cells))
}

fn call(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(2), serial }
}

fn number(count: u64, of: u16) -> FencingNumber {
    FencingNumber { count, node: node(of) }
}

fn term(serial: u32) -> TermId {
    TermId { node: node(3), incarnation: Incarnation(2), serial }
}

fn writes(machine: &Fencing) -> WriterWork {
    match machine.work() {
        Work::Fencing(FencingWork::Writer(work)) => work,
        other => panic!("{other:?}"),
    }
}

fn holds(machine: &Fencing) -> ResourceWork {
    match machine.work() {
        Work::Fencing(FencingWork::Resource(work)) => work,
        other => panic!("{other:?}"),
    }
}

/// Node 3, which coordinates in election 7.
fn coordinator() -> Fencing {
    let mut machine = machine(3, true, ResourceCells::default());
    let begun = did(|fx| machine.on_state(&normal(3, 7), fx));
    assert_eq!(begun, (vec![set(FencingTimer::Pace, PACE)], vec![1], None));
    machine
}

/// The same, which has asked for the content.
fn reader() -> Fencing {
    let mut machine = coordinator();
    let asked = did(|fx| machine.on_timer(FencingTimer::Pace, fx));
    let read = FencingMessage::Read { call: call(1) };
    assert_eq!(asked, (vec![send(4, read), set(FencingTimer::Answer, SILENCE)], vec![2], None));
    machine
}

/// The same, which has sent what it has in mind.
fn writer() -> Fencing {
    let mut machine = reader();
    let wrote = did(|fx| machine.on_message(node(4), FencingMessage::Content { call: call(1), value: 9 }, fx));
    let write = FencingMessage::Write { call: call(1), term: term(1), number: number(7, 3), value: 10 };
    assert_eq!(wrote, (vec![send(4, write), set(FencingTimer::Answer, SILENCE)], vec![3], None));
    machine
}

#[test]
fn a_follower_writes_nothing() {
    let mut machine = machine(3, true, ResourceCells::default());
    let reorganizing = state(Status::Reorganization, Some(3), 7);
    for state in [state(Status::Election, None, 0), normal(2, 7), reorganizing] {
        assert_eq!(did(|fx| machine.on_state(&state, fx)), nothing());
    }
    assert_eq!(did(|fx| machine.on_timer(FencingTimer::Pace, fx)), nothing());
    assert_eq!(writes(&machine), WriterWork::default());
}

#[test]
fn a_coordinator_reads_and_writes_one_more() {
    let machine = writer();
    let (term, number) = (Some(term(1)), Some(number(7, 3)));
    let progress = WriteProgress::Writes(10);
    assert_eq!(writes(&machine), WriterWork { term, number, progress, landed: 0, refused: 0 });
    assert_eq!(machine.waits_for(FencingTimer::Answer), NodeSet::of(node(4)));
    assert_eq!(machine.waits_for(FencingTimer::Pace), NodeSet::EMPTY);
}

#[test]
fn an_answered_write_is_followed_by_another() {
    let (written, refused) =
        (FencingMessage::Written { call: call(1) }, FencingMessage::Refused { call: call(1), highest: number(8, 2) });
    for (answer, line, counts) in [(written, 4, (1, 0)), (refused, 5, (0, 1))] {
        let mut machine = writer();
        let rests = vec![cancel(FencingTimer::Answer), set(FencingTimer::Pace, PACE)];
        assert_eq!(did(|fx| machine.on_message(node(4), answer.clone(), fx)), (rests, vec![line], None));
        let work = writes(&machine);
        assert_eq!(((work.landed, work.refused), work.progress), (counts, WriteProgress::None));
        // The same answer again does nothing.
        assert_eq!(did(|fx| machine.on_message(node(4), answer, fx)), nothing());
    }
}

#[test]
fn an_answer_to_another_write_does_nothing() {
    let mut machine = reader();
    for message in [
        FencingMessage::Content { call: call(2), value: 9 },
        FencingMessage::Written { call: call(1) },
        FencingMessage::Read { call: call(1) },
    ] {
        assert_eq!(did(|fx| machine.on_message(node(4), message, fx)), nothing());
    }
}

#[test]
fn a_silent_resource_is_asked_anew() {
    let mut machine = writer();
    let read = FencingMessage::Read { call: call(2) };
    let asked = did(|fx| machine.on_timer(FencingTimer::Answer, fx));
    assert_eq!(asked, (vec![send(4, read), set(FencingTimer::Answer, SILENCE)], vec![6, 2], None));
    let late = FencingMessage::Written { call: call(1) };
    assert_eq!(did(|fx| machine.on_message(node(4), late, fx)), nothing());
}

#[test]
fn who_is_halted_drops_its_write() {
    let mut machine = reader();
    let stopped = vec![cancel(FencingTimer::Pace), cancel(FencingTimer::Answer)];
    assert_eq!(did(|fx| machine.on_state(&state(Status::Election, None, 0), fx)), (stopped, vec![7], None));
    let content = FencingMessage::Content { call: call(1), value: 9 };
    assert_eq!(did(|fx| machine.on_message(node(4), content, fx)), nothing());
    assert_eq!(writes(&machine).term, None);
}

#[test]
fn another_number_is_another_term() {
    let mut machine = reader();
    let again = vec![cancel(FencingTimer::Pace), cancel(FencingTimer::Answer), set(FencingTimer::Pace, PACE)];
    assert_eq!(did(|fx| machine.on_state(&normal(3, 8), fx)), (again, vec![7, 1], None));
    let work = writes(&machine);
    assert_eq!((work.term, work.number), (Some(term(2)), Some(number(8, 3))));
    assert_eq!(did(|fx| machine.on_state(&normal(3, 8), fx)), nothing());
}

#[test]
fn a_coordinator_without_a_number_writes_with_none() {
    let mut machine = machine(3, true, ResourceCells::default());
    machine.on_state(&StateVector { election: None, ..normal(3, 0) }, &mut FencingEffects::default());
    assert_eq!(writes(&machine).number, Some(number(0, 3)));
}

/// Nine writes have landed, the highest with 7.
fn cells() -> ResourceCells {
    ResourceCells { value: 9, highest: Some(number(7, 1)), landed: 9 }
}

fn written(count: u64) -> FencingMessage {
    FencingMessage::Write { call: call(1), term: term(1), number: number(count, 3), value: 4 }
}

#[test]
fn the_resource_keeps_what_lands() {
    let mut resource = machine(4, true, cells());
    let content = FencingMessage::Content { call: call(1), value: 9 };
    let told = did(|fx| resource.on_message(node(3), FencingMessage::Read { call: call(1) }, fx));
    assert_eq!(told, (vec![send(3, content)], vec![8], None));
    let kept = ResourceCells { value: 4, highest: Some(number(8, 3)), landed: 10 };
    let landed = did(|fx| resource.on_message(node(3), written(8), fx));
    assert_eq!(landed, (vec![send(3, FencingMessage::Written { call: call(1) })], vec![9], Some(kept)));
    let latest = Some(WriteView { term: term(1), number: number(8, 3), value: 4, fate: WriteFate::Landed });
    let work = ResourceWork { value: 4, highest: Some(number(8, 3)), landed: 10, refused: 0, latest };
    assert_eq!(holds(&resource), work);
    // The same number is not lower.
    assert_eq!(did(|fx| resource.on_message(node(3), written(8), fx)).1, [9]);
}

#[test]
fn a_fence_refuses_a_lower_number() {
    let mut resource = machine(4, true, cells());
    let highest = cells().highest.unwrap();
    let refused = FencingMessage::Refused { call: call(1), highest };
    assert_eq!(did(|fx| resource.on_message(node(3), written(6), fx)), (vec![send(3, refused)], vec![10], None));
    let latest = Some(WriteView { term: term(1), number: number(6, 3), value: 4, fate: WriteFate::Refused });
    let ResourceCells { value, highest, landed } = cells();
    assert_eq!(holds(&resource), ResourceWork { value, highest, landed, refused: 1, latest });
}

#[test]
fn without_a_fence_a_lower_number_lands() {
    let mut resource = machine(4, false, cells());
    let kept = ResourceCells { value: 4, landed: 10, ..cells() };
    let landed = did(|fx| resource.on_message(node(3), written(6), fx));
    assert_eq!(landed, (vec![send(3, FencingMessage::Written { call: call(1) })], vec![9], Some(kept)));
}

#[test]
fn the_resource_hears_no_answers_and_no_elections() {
    let mut resource = machine(4, true, cells());
    let content = FencingMessage::Content { call: call(1), value: 3 };
    assert_eq!(did(|fx| resource.on_message(node(3), content, fx)), nothing());
    assert_eq!(did(|fx| resource.on_state(&normal(3, 7), fx)), nothing());
    assert_eq!(did(|fx| resource.on_timer(FencingTimer::Pace, fx)), nothing());
    assert_eq!((resource.report(), resource.definition()), (None, None));
}
