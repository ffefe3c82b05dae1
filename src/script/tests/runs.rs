//! One run of a lab: what it makes of records, beside the script.
//!
//! Invariant: records are made by hand, and everything that the run says of them is heard.

use super::super::run::{Judging, Run};
use super::*;
use protocol::Incarnation;
use record::{Input, MessageId, Step, Uncertainty, Words};

/// A run of a lab with these steps and expectations.
fn run_of(rest: &str) -> Run {
    let lab = lab(rest);
    let head = head_of(&lab, "made", RunOrigin::Simulated);
    Run::new(lab, &head, Pace::Played, Judging::On)
}

#[test]
fn that_the_lab_cannot_be_judged_any_more_is_published_once() {
    let mut run = run_of("");
    let mut heard = Vec::new();
    for sequence in [77, 78] {
        let id = MessageId { from: node(2), incarnation: Incarnation(1), to: Some(node(1)), sequence };
        let message = Words { kind: "Halt".into(), fields: Vec::new(), body: String::new() }.into();
        let unsent = Record::of_node(ms(100), node(1), Body::Step(Step::first(Input::Message { id, message })));
        run.publish(unsent, ms(100), &mut |record| heard.push(record.body.clone()));
    }
    let told: Vec<&Body> = heard.iter().filter(|body| !matches!(body, Body::Step(_))).collect();
    let text = "1 received message 77 of 2 whose sending is not on record, or which it had before".to_owned();
    let why = Uncertainty::SendingUnknown { node: node(1), from: node(2), sequence: 77 };
    assert_eq!(told, [&Body::Undecidable { why, text }]);
}

#[test]
fn a_lab_that_is_given_up_is_unknown_and_nothing_more_comes() {
    let mut run = run_of("[[expect]]\nthat = \"no violation\"\n");
    let mut heard = Vec::new();
    run.give_up("a storm".to_owned(), ms(100), &mut |record| heard.push(record.body.clone()));
    assert!(run.is_closed());
    let (why, text) = (Uncertainty::NotCarriedOn { why: "a storm".to_owned() }, "a storm".to_owned());
    assert_eq!(heard, [Body::Undecidable { why, text }]);
    run.close(ms(100), &mut |_| {});
    let end = run.end();
    assert_eq!((end.unknown.as_deref(), end.summary.exit_code()), (Some("a storm"), 5));
}
