//! Differences of sessions made by hand.

use std::ops::ControlFlow;

use super::*;
use fault::FaultId;
use protocol::{Incarnation, NodeId, StateVector, Status};
use record::{Body, EffectText, Head, Input, MessageId, MessageText, Missed, Step, Words};

struct ReportedViolation(Vec<Record>);

impl Session for ReportedViolation {
    fn head(&self) -> Option<&Head> {
        None
    }

    fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError> {
        let _ = self.0.iter().try_for_each(|record| take(SessionEntry::Record(record.clone())));
        Ok(())
    }
}

fn node(id: u16) -> NodeId {
    NodeId::new(id).unwrap()
}

fn id(from: u16, to: u16, sequence: u64) -> MessageId {
    MessageId { from: node(from), incarnation: Incarnation(1), to: Some(node(to)), sequence }
}

fn text(kind: &'static str) -> MessageText {
    MessageText::from(Words { kind: kind.into(), fields: Vec::new(), body: String::new() })
}

fn step(of: u16, input: Input, effects: Vec<EffectText>) -> (Option<NodeId>, Body) {
    let state = Some(StateVector::new(Status::Normal, "Normal", Some(node(of))));
    let step = Step { effects, state, ..Step::first(input) };
    (Some(node(of)), Body::Step(step))
}

fn sends(from: u16, to: u16, sequence: u64) -> (Option<NodeId>, Body) {
    let effect = EffectText::Send { id: id(from, to, sequence), message: text("Halt") };
    step(from, Input::Start { saved: false }, vec![effect])
}

fn hears(at: u16, from: u16, sequence: u64) -> (Option<NodeId>, Body) {
    step(at, Input::Message { id: id(from, at, sequence), message: text("Halt") }, Vec::new())
}

fn runs_out(at: u16, set: u64) -> (Option<NodeId>, Body) {
    let waited_for = Default::default();
    step(at, Input::Timer { timer: "election".into(), set, due: set + 5, waited_for }, Vec::new())
}

/// A whole session of these, a millisecond apart, shifted by so many nanoseconds.
fn session(shift: i64, mut of: Vec<(Option<NodeId>, Body)>) -> ReportedViolation {
    of.push((None, Body::Ended { why: "its steps are finished".to_owned(), outcome: None }));
    let records = of.into_iter().zip(1..).map(|((node, body), number)| Record {
        number,
        node,
        ..Record::of_host(number as i64 * 1_000_000 + shift, body)
    });
    ReportedViolation(records.collect())
}

fn held(one: &ReportedViolation, other: &ReportedViolation) -> HeldAgainst {
    held_against(["A", "B"], [one, other]).unwrap()
}

#[test]
fn a_session_and_its_copy_do_not_differ() {
    let one = session(0, vec![sends(5, 3, 1), hears(3, 5, 1)]);
    let told = held(&one, &ReportedViolation(one.0.clone()));
    assert!(told.first.is_none() && told.other_times.is_none());
}

#[test]
fn other_times_are_no_other_course() {
    let of = |set| vec![sends(5, 3, 1), hears(3, 5, 1), runs_out(3, set)];
    let told = held(&session(0, of(1)), &session(7, of(2)));
    assert!(told.first.is_none(), "{:?}", told.first);
    assert_eq!(told.other_times, Some((1, 1)));
}

#[test]
fn the_first_difference_is_told_with_its_past() {
    let one = session(0, vec![sends(5, 3, 1), sends(4, 3, 1), hears(3, 5, 1), hears(3, 4, 1), hears(3, 5, 2)]);
    let other = session(0, vec![sends(5, 3, 1), sends(4, 3, 1), hears(3, 5, 1), runs_out(3, 1), hears(3, 4, 1)]);
    let first = held(&one, &other).first.unwrap();
    assert_eq!((first.track, first.ordinal), (CourseTrack::Node(node(3)), 2));
    let numbers = |told: &[Option<ToldRecord>; 2]| told.each_ref().map(|told| told.as_ref().map(|told| told.number));
    assert_eq!(numbers(&first.has), [Some(4), Some(4)]);
    assert_eq!(first.before.len(), 1);
    assert_eq!(first.before[0][0].words, "3 hears Halt from 5; 3 is in Normal under 3");
    assert_eq!(
        first.why,
        [
            "In B that message of 4 comes later (record 5, 0.005 s).",
            "In A 3's timer election does not run out after that."
        ]
    );
}

#[test]
fn the_difference_that_either_shows_first_is_told() {
    // Node 1 differs at once in A, and late in B; node 2 differs in between in both.
    let one = session(0, vec![sends(1, 3, 1), hears(3, 5, 1), sends(2, 3, 1)]);
    let other = session(0, vec![hears(3, 5, 1), sends(2, 4, 1), hears(3, 5, 2), sends(1, 4, 1)]);
    assert_eq!(held(&one, &other).first.unwrap().track, CourseTrack::Node(node(1)));
    assert_eq!(held(&other, &one).first.unwrap().track, CourseTrack::Node(node(1)));
}

#[test]
fn a_message_that_a_fault_took_is_told() {
    let dropped = (Some(node(3)), Body::Dropped { id: id(5, 3, 1), by: FaultId(2), message: None });
    let one = session(0, vec![sends(5, 3, 1), hears(3, 5, 1)]);
    let other = session(0, vec![sends(5, 3, 1), dropped, hears(3, 4, 9)]);
    let first = held(&one, &other).first.unwrap();
    assert_eq!(first.why[..1], ["In B that message of 5 is lost by f2 (record 2, 0.002 s).".to_owned()]);
    let first = held(&other, &session(0, vec![sends(5, 3, 1), hears(3, 4, 9)])).first.unwrap();
    assert_eq!(first.has[0].as_ref().unwrap().words, "f2 drops message 1 of 5 at 3");
    assert_eq!(first.why, ["In A that message of 4 comes later (record 3, 0.003 s)."]);
}

#[test]
fn another_answer_to_one_input_is_told() {
    let one = session(0, vec![sends(5, 3, 1)]);
    let other = session(0, vec![sends(5, 4, 1)]);
    let first = held(&one, &other).first.unwrap();
    assert_eq!(
        first.why,
        [
            "Its input is the same in both, and so is everything before it at this node; it sends Halt to 3 in A and sends \
             Halt to 4 in B."
        ]
    );
}

#[test]
fn another_word_is_told_by_its_field() {
    let answers = |word: &str| {
        let fields = vec![("number".into(), "7".to_owned()), ("answer".into(), word.to_owned())];
        let message = MessageText::from(Words { kind: "AreYouNormalAnswer".into(), fields, body: word.to_owned() });
        let effect = EffectText::Send { id: id(2, 3, 1), message };
        session(0, vec![step(2, Input::Start { saved: false }, vec![effect])])
    };
    let why = |one: &ReportedViolation, other: &ReportedViolation| held(one, other).first.unwrap().why.pop().unwrap();
    let told = why(&answers("yes"), &answers("no"));
    assert!(told.ends_with("; 2's AreYouNormalAnswer to 3 says answer=yes in A and says answer=no in B."), "{told}");
    let silent = session(0, vec![step(2, Input::Start { saved: false }, Vec::new())]);
    let told = why(&answers("yes"), &silent);
    let sends = "it sends AreYouNormalAnswer(number=7, answer=yes) to 3 in A and does nothing more in B.";
    assert!(told.ends_with(sends), "{told}");
}

#[test]
fn a_session_that_ends_earlier_has_nothing_there() {
    let one = session(0, vec![sends(5, 3, 1), hears(3, 5, 1), hears(3, 5, 2)]);
    let other = session(0, vec![sends(5, 3, 1), hears(3, 5, 1)]);
    let first = held(&one, &other).first.unwrap();
    assert_eq!((first.has[0].as_ref().map(|told| told.number), first.has[1].is_none()), (Some(3), true));
    assert_eq!(first.why, ["In B 5 does not send that message."]);
}

#[test]
fn what_a_cut_session_hides_is_unknown() {
    let whole = session(0, vec![sends(5, 3, 1), sends(4, 3, 1), hears(3, 4, 1), runs_out(3, 1), hears(3, 5, 1)]);
    let cut = |count: usize| ReportedViolation(whole.0[..count].to_vec());
    let told = held(&whole, &cut(2));
    assert_eq!((told.cut_after, told.missing), ([None, Some(2)], [0, 0]));
    let first = told.first.unwrap();
    let unknown = "In B 4 sends that message too (record 2, 0.002 s); B stops after record 2, so nobody knows whether it \
                   comes to 3.";
    assert_eq!(first.why, [unknown]);
    let first = held(&whole, &cut(3)).first.unwrap();
    assert_eq!(
        first.why,
        ["In B 3's timer election does not run out after that, as far as it tells: B stops after record 3."]
    );
    assert_eq!(held(&whole, &whole).cut_after, [None, None]);
}

#[test]
fn missing_records_are_counted_by_their_numbers() {
    let whole = session(0, vec![sends(5, 3, 1), sends(4, 3, 1), hears(3, 4, 1), hears(3, 5, 1)]);
    let without =
        |number: u64| ReportedViolation(whole.0.iter().filter(|record| record.number != number).cloned().collect());
    let told = held(&whole, &without(3));
    assert_eq!((told.missing, told.cut_after), ([0, 1], [None, None]));
    let unknown = "In B 4 sends that message too (record 2, 0.002 s); records of B are missing, so nobody knows whether it \
                   comes to 3.";
    assert_eq!(told.first.unwrap().why[0], unknown);
    // A gap that has the number of one of those that it tells of, and one that tells of others.
    let gap = |number| {
        let missed = Missed { count: 2, place: "somewhere".to_owned() };
        Record { number, ..Record::of_host(2_500_000, Body::Gap(missed)) }
    };
    let with_gap = |kept: &[u64]| {
        let mut records: Vec<Record> =
            whole.0.iter().filter(|record| kept.contains(&record.number)).cloned().chain([gap(3)]).collect();
        records.sort_by_key(|record| record.number);
        ReportedViolation(records)
    };
    assert_eq!(held(&whole, &with_gap(&[1, 4, 5])).missing, [0, 2]);
    assert_eq!(held(&whole, &with_gap(&[1, 2, 4, 5])).missing, [0, 2]);
    assert_eq!(held(&whole, &with_gap(&[1, 2, 5])).missing, [0, 3]);
}
