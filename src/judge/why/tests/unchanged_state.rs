//! Tests of what keeps a state, and of processes that stood still.
//!
//! Invariant: each test gives the whole sentence, up to the numbers of its records.

use super::{agreed, numbered, taken_over, texts};
use crate::trial::{Trace, electing, normal};
use protocol::Span;
use record::{Body, EffectText, Input, STOPPED_BY_SOMEBODY};

#[track_caller]
fn assert_tells(told: &[String], words: &str) {
    let is_it = |text: &String| text.contains(&format!("{words} ("));
    assert!(told.iter().any(is_it), "{told:#?}");
}

/// 1 is told so.
#[track_caller]
fn assert_tells_of_1(trace: Trace, words: &str) {
    assert_tells(&texts(&numbered(trace), 1), words);
}

#[test]
fn who_follows_a_dead_one_is_told() {
    let mut trace = agreed();
    trace.crash(2, 200);
    assert_tells_of_1(trace, "2 has been dead since 0.200 s: f1 crashed it");
    let mut trace = agreed();
    trace.crash(2, 200);
    trace.recover(2, 300, electing());
    assert_tells_of_1(trace, "2 has had a new process since 0.300 s");
    let mut trace = agreed();
    trace.pause(2, 200);
    assert_tells_of_1(trace, "2 has stood still since 0.200 s: f1 paused it");
}

#[test]
fn a_question_that_a_fault_took_is_told() {
    let mut trace = agreed();
    let by = trace.cut(250, "1->2");
    let id = trace.send(1, 300, 2, Some(electing()));
    trace.dropped(2, 301, id, by);
    assert_tells_of_1(trace, " to 2 and has no answer: f1 (cut 1->2) dropped it");
}

#[test]
fn who_stood_still_waited_longer() {
    let mut trace = agreed();
    trace.pause(1, 200);
    trace.resume(1, 450);
    let records = taken_over(trace);
    assert_tells(
        &texts(&records, 1),
        "1 waited in vain for 2: 400ms, until 0.500 s, and stood still from 0.200 s to 0.450 s (f1 paused it); then it \
         took itself for the coordinator (Normal)",
    );
}

#[test]
fn who_was_stopped_by_others_was_silent() {
    let mut trace = agreed();
    trace.happened(2, 200, Body::Note { text: STOPPED_BY_SOMEBODY.into() });
    assert_eq!(texts(&taken_over(trace), 1)[2], "Somebody else stopped 2 at 0.200 s (5).");
}

#[test]
fn an_answer_needs_no_answer() {
    let mut trace = agreed();
    let asked = trace.send(2, 50, 1, None);
    let answer = trace.answer(1, 100, asked, None);
    trace.receive(2, 101, answer, None);
    trace.time_out(1, 100, 500, 500, "2", Some(normal(1)));
    let mut records = numbered(trace);
    for record in &mut records {
        if let Body::Step(step) = &mut record.body
            && matches!(&step.input, Input::Message { id, .. } if *id == asked)
        {
            step.effects.push(EffectText::SetTimer { timer: "answer".into(), span: Span::from_millis(400) });
        }
    }
    let told = texts(&records, 1);
    assert!(told.iter().all(|text| !text.contains("did not answer")), "{told:#?}");
    let silent = "Nothing is known to have kept 2 from speaking: it sent 1 nothing in that time.";
    assert!(told.iter().any(|text| text == silent), "{told:#?}");
}
