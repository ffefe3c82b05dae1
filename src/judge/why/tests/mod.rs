//! Tests of why on hand-made records: what kept a node silent, where records are missing, what a long way leaves out.
//!
//! Invariant: each test gives the whole sentences.

mod unchanged_state;

use super::{RecordRole, SessionPast, in_brief, why, why_record};
use crate::trial::{MS, Trace, electing, head, node, normal, reorganizing, set, state};
use protocol::{Lie, NodeId, PlaysDead, Property, Rank, StateVector, Status, ToldLie};
use record::{
    Body, Contradiction, Death, EffectText, EventsBetween, Excuse, Grade, Input, MessageId, Missed, Record, Step,
    ViolationReport, Words,
};

/// The records with numbers, as a session has them.
fn numbered(trace: Trace) -> Vec<Record> {
    (1..).zip(trace.records).map(|(number, record)| Record { number, ..record }).collect()
}

fn texts(records: &[Record], of: u16) -> Vec<String> {
    why(&SessionPast::new(None, records), node(of)).all().map(|sentence| sentence.text.clone()).collect()
}

/// A lab in which 2 coordinates 1, and 3 has not started.
fn agreed() -> Trace {
    let mut trace = Trace::bully(3);
    trace.start(1, 0, state(Status::Down, "Down", None));
    trace.start(2, 0, reorganizing(2));
    trace.tell(2, 10, 1, Some(normal(2)));
    trace
}

/// 1 waits for 2 from 100 ms on, and takes over at 500 ms.
fn taken_over(mut trace: Trace) -> Vec<Record> {
    trace.time_out(1, 100, 500, 500, "2", Some(normal(1)));
    numbered(trace)
}

#[test]
fn a_process_that_ended_itself_is_told() {
    let mut trace = agreed();
    trace.happened(2, 200, Body::Died { death: Death::Exited { code: 3 } });
    let records = taken_over(trace);
    let told = texts(&records, 1);
    assert_eq!(told[0], "1 has coordinated since 0.500 s, in Normal (6).");
    assert_eq!(told[1], "1 last heard 2 at 0.011 s (4).");
    assert_eq!(told[2], "2 exited by itself at 0.200 s, with code 3 (5).");
    assert_eq!(
        told[3],
        "1 waited in vain for 2: 400ms, until 0.500 s; then it took itself for the coordinator (Normal) (6)."
    );
    assert_eq!(texts(&records, 2), ["2 exited by itself at 0.200 s, with code 3 (5)."]);
}

#[test]
fn a_slowness_is_told_until_it_is_over() {
    let slow = |until: Option<i64>| {
        let mut trace = agreed();
        let id = trace.fault(50, "slow 2 10%", "2");
        until.into_iter().for_each(|at| trace.take(Record::of_host(at * MS, Body::FaultLifted { id })));
        texts(&taken_over(trace), 1)
    };
    let is_told = |told: Vec<String>| told.iter().any(|text| text.starts_with("f1 (slow 2 10%) was in force"));
    assert!(is_told(slow(None)));
    assert!(!is_told(slow(Some(90))));
}

#[test]
fn a_signal_and_a_pause_are_told() {
    let mut trace = agreed();
    trace.happened(2, 200, Body::Died { death: Death::Signalled { signal: 9 } });
    let told = texts(&taken_over(trace), 1);
    assert_eq!(told[2], "A signal that the lab did not send, 9, ended 2 at 0.200 s (5).");
    let mut trace = agreed();
    let fault = trace.pause(2, 200);
    let records = taken_over(trace);
    let explanation = why(&SessionPast::new(None, &records), node(1));
    let pause = explanation.sentences.iter().find(|sentence| !sentence.faults.is_empty()).unwrap();
    assert_eq!((pause.faults.as_slice(), pause.records[0].bond), (&[fault][..], RecordRole::Silence));
    assert!(pause.text.starts_with(&format!("{fault} paused 2 at 0.200 s (")), "{}", pause.text);
}

#[test]
fn a_missing_sending_ends_the_way() {
    let mut trace = agreed();
    let strange = MessageId { from: node(2), incarnation: Default::default(), to: Some(node(1)), sequence: 77 };
    trace.receive(1, 300, strange, Some(electing()));
    let told = texts(&numbered(trace), 1);
    assert_eq!(told[0], "1 has been in Election since 0.300 s (5).");
    let missing =
        "Records are missing here: what came before this step is not on record, so its cause is not known (5).";
    assert_eq!(told[2], missing);
}

#[test]
fn a_gap_on_the_way_is_told() {
    let mut trace = agreed();
    let id = trace.send(2, 20, 1, None);
    let missed = Missed { count: 4, place: "in the node's own buffer".into() };
    trace.happened(1, 100, Body::Gap(missed));
    trace.receive(1, 300, id, Some(electing()));
    let told = texts(&numbered(trace), 1);
    assert!(
        told.contains(
            &"4 records are missing here, lost in the node's own buffer: a cause may be among them (6).".into()
        ),
        "{told:#?}"
    );
}

#[test]
fn a_state_beside_a_hole_is_uncertain() {
    let last = |records: &[Record], of: u16| texts(records, of).pop().unwrap();
    let whole = taken_over(agreed());
    let told = last(&whole, 1);
    assert!(!told.contains("nobody knows what") && !told.contains("for longer"), "{told}");
    let end = Record { number: 90, ..Record::of_host(900 * MS, Body::Note { text: "later".into() }) };
    let torn: Vec<Record> = whole.iter().cloned().chain([end]).collect();
    let between = "Records are missing between 0.500 s and 0.900 s: nobody knows what 1 did then (5, 90).";
    assert_eq!(last(&torn, 1), between);
    let place = whole.len() - 1;
    let later = "Records are missing before 0.500 s: 1 may have been so for longer (5).";
    assert_eq!(last(&whole[place..], 1), later);
}

#[test]
fn what_nothing_is_known_of_is_said_so() {
    assert_eq!(texts(&[], 1), ["Nothing is on record of a state of 1 at this moment."]);
    let late = Record { number: 90, ..Record::of_host(900 * MS, Body::Note { text: "later".into() }) };
    assert_eq!(texts(&[late], 1), ["What 1 did before 0.900 s is not on record here."]);
    let records = numbered(agreed());
    let session_past = SessionPast::new(None, &records);
    assert_eq!(why_record(&session_past, 99), None);
    assert_eq!(in_brief(&session_past, node(7)).sentence.text, "Nothing is on record of a state of 7 at this moment.");
}

/// A step of the one node that was given the message and sends another to the next.
fn relay(
    place: u64,
    given: Option<MessageId>,
    (of, to): (u16, u16),
    state: Option<StateVector>,
) -> (Record, MessageId) {
    let id = MessageId { from: node(of), incarnation: Default::default(), to: NodeId::new(to), sequence: place };
    let message = |number: u64| Words { kind: format!("word{number}").into(), fields: Vec::new(), body: String::new() };
    let input = match given {
        Some(id) => Input::Message { id, message: message(place - 1).into() },
        None => Input::Start { saved: false },
    };
    let effects = vec![EffectText::Send { id, message: message(place).into() }];
    let step = Step { incarnation: Default::default(), step: place, effects, state, ..Step::first(input) };
    let at = i64::try_from(place).unwrap() * MS;
    (Record { number: place, ..Record::of_node(at, node(of), Body::Step(step)) }, id)
}

/// So many steps, each the cause of the next, round a ring of thirty.
fn relays(count: u64) -> Vec<Record> {
    let of = |place: u64| u16::try_from(place % 30 + 1).unwrap();
    let mut given = None;
    let mut records = Vec::new();
    for place in 1..=count {
        let (record, id) = relay(place, given, (of(place), of(place + 1)), (place == count).then(electing));
        records.push(record);
        given = Some(id);
    }
    records
}

#[test]
fn a_long_way_is_cut_in_its_middle() {
    let records = relays(30);
    let explanation = why(&SessionPast::new(None, &records), node(1));
    assert_eq!(explanation.sentences.len(), super::telling::SENTENCES_MAX);
    assert!(explanation.sentences[0].text.starts_with("2 started at 0.001 s"), "{explanation:#?}");
    assert_eq!(explanation.sentences[1].text, "Left out here: 23 steps of the way, from record 2 to 24.");
    assert!(explanation.sentences[6].text.starts_with("1 got word29, which 30 sent, at 0.030 s"), "{explanation:#?}");
}

#[test]
fn a_way_without_beginning_says_where_it_stops() {
    let records = relays(1200);
    let told = texts(&records, 1);
    assert_eq!(
        told.last().unwrap(),
        "The way goes further back than its last 300 steps; what came before is not told (901)."
    );
}

#[test]
fn a_span_is_told_in_multiples_of_t() {
    let head = head(3, &[], &[]);
    let session_past = SessionPast::new(Some(&head), []);
    let told = |times: u64| super::words::span(&session_past, head.timing.t * times);
    assert_eq!([told(1), told(3)], ["T", "3T"]);
    assert!(told(100).ends_with('s'), "{}", told(100));
}

#[test]
fn a_pause_behind_an_answer_is_told() {
    let mut trace = agreed();
    let fault = trace.pause(1, 100);
    trace.resume(1, 300);
    trace.become_state(1, 310, electing());
    let asked = trace.send(2, 400, 1, None);
    let answer = trace.answer(1, 401, asked, None);
    trace.receive(2, 402, answer, Some(electing()));
    let told = texts(&numbered(trace), 2);
    let pause = format!("{fault} paused 1 at 0.100 s, until it went on at 0.300 s (");
    assert!(told.iter().any(|text| text.starts_with(&pause)), "{told:#?}");
}

/// The last record's step tells this lie to the node.
fn lies(trace: &mut Trace, lie: Lie, to: &str, what: &str) {
    let Body::Step(step) = &mut trace.records.last_mut().unwrap().body else { panic!("the last record is no step") };
    step.lies.push(ToldLie { lie, to: set(to), what: what.into(), attacks: None });
}

#[test]
fn a_lie_is_told_with_its_fault() {
    let mut trace = agreed();
    let fault = trace.fault(50, "liar 2 forge", "2");
    let word = trace.send(2, 100, 1, None);
    lies(&mut trace, Lie::Forge, "1,3", "says Word in the name of 3");
    trace.send(2, 150, 1, None);
    lies(&mut trace, Lie::Forge, "1", "says what did not come");
    trace.receive(1, 200, word, Some(electing()));
    let told = texts(&numbered(trace), 1);
    let lie = format!("{fault} (liar 2 forge) made 2 lie to 1 at 0.100 s: it says Word in the name of 3 (6).");
    assert_eq!(told.iter().filter(|text| text.contains("lie")).collect::<Vec<_>>(), [&lie], "{told:#?}");
    assert!(told.last().unwrap().starts_with("1 got Word, which 2 sent, at 0.200 s"), "{told:#?}");
}

#[test]
fn a_liar_that_withheld_was_silent() {
    let mut trace = agreed();
    trace.fault(50, "liar 2 withhold", "2");
    trace.fault(51, "liar 2 forge", "2");
    for at in [200, 300] {
        trace.send(2, at, 3, None);
        lies(&mut trace, Lie::Withhold, "1", "does not send Word to 1");
    }
    let told = texts(&taken_over(trace), 1);
    let lie =
        "f1 (liar 2 withhold) made 2 lie to 1 at 0.200 s: it does not send Word to 1; once more it lied alike (7, 8).";
    assert_eq!(told[2], lie);
    assert!(!told.iter().any(|text| text.contains("Nothing is known")), "{told:#?}");
}

#[test]
fn who_plays_dead_is_silent_to_the_outranked() {
    let mut lines = head(3, &[], &[]);
    lines.facts.plays_dead = Some(PlaysDead { from: 6, until: 2 });
    let told = |rank: Rank, cited: &[u16]| {
        let mut head = lines.clone();
        head.facts.rank = rank;
        let mut trace = agreed();
        let halt = trace.send(3, 90, 2, None);
        trace.receive(2, 100, halt, None);
        let Body::Step(step) = &mut trace.records.last_mut().unwrap().body else { panic!("it is a step") };
        step.lines = cited.to_vec();
        let records = taken_over(trace);
        let told = why(&SessionPast::new(Some(&head), &records), node(1));
        told.all().map(|sentence| sentence.text.clone()).find(|text| text.contains("dead"))
    };
    let dead = "2 obeyed Word of 3 at 0.100 s, and played dead to 1 from then on, as to all that it outranks (6).";
    assert_eq!(told(Rank::HigherId, &[6]).as_deref(), Some(dead));
    assert_eq!(told(Rank::HigherId, &[2]), None, "it plays alive again");
    assert_eq!(told(Rank::LowerId, &[6]), None, "1 outranks it");
}

#[test]
fn what_led_to_two_states_is_told_once() {
    let mut trace = agreed();
    trace.become_state(2, 100, electing());
    let word = trace.send(2, 110, 1, None);
    let on = trace.answer(1, 120, word, Some(electing()));
    trace.receive(2, 130, on, Some(reorganizing(1)));
    let report = ViolationReport {
        property: Property::Assertion1,
        nodes: set("1,2"),
        since: 130 * MS,
        contradiction: Contradiction::SecondLeader { node: node(1), term: 1, other: node(2) },
        grade: Grade::Observed,
        between: EventsBetween::default(),
        excuse: Excuse::NoneBroken,
        text: String::new(),
    };
    trace.happened(1, 200, Body::Violation(report));
    let records = numbered(trace);
    let last = records.last().unwrap().number;
    let told = why_record(&SessionPast::new(None, &records), last).unwrap();
    let texts: Vec<&str> = told.all().map(|sentence| &*sentence.text).collect();
    let above = texts.iter().filter(|text| text.ends_with("told above.")).count();
    let first = texts.iter().filter(|text| text.starts_with("The operator ordered 2 at 0.110")).count();
    assert_eq!((above, first), (1, 1), "{texts:#?}");
    assert!(told.against.is_empty());
}
