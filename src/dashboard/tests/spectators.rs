//! What the screens of others show of a lesson: spectators see the outcome no sooner than the class has answered.
//!
//! Invariant: nothing that comes after an open question is on the picture, and no key of a spectator answers it.

use insta::assert_snapshot;

use super::lessons::{calm_and, hear_the_crash, lesson_of, taken, tick};
use super::stage::{MS, calm, numbered};
use super::{hear, press, text};
use crate::Role;
use crate::model::Model;
use crate::time::freshness::Rate;
use record::{Body, Record};

/// A visitor's screen that stands at the question, while the lab has gone on.
fn visitor_at_the_question() -> Model {
    let mut model = lesson_of(Role::Visitor, &calm());
    hear(&mut model, Record { number: 99, ..taken(2_000 * MS, "who") });
    hear_the_crash(&mut model);
    model
}

pub(super) fn note(number: u64, at: i64, text: &str) -> Record {
    Record { number, ..Record::of_host(at, Body::Note { text: text.into() }) }
}

pub(super) const ANSWERED: &str = "Answers to step \"who\": 1 for \"nobody\", 2 for \"4, the highest of those that run\", 0 for \"a vote \
                        decides\". Right is \"4, the highest of those that run\".";

#[test]
fn the_picture_of_a_visitor_stands_at_a_question_until_the_class_has_answered() {
    let mut model = visitor_at_the_question();
    assert_eq!((model.seen().at, model.time.scene.world.steps.len()), (2_000 * MS, 2), "the present has gone on");
    assert_snapshot!("asked_elsewhere", text(&mut model, 100, 30));
    for _ in 0..20 {
        tick(&mut model, 1_000);
    }
    assert!(press(&mut model, "1 2 9 Enter c F P S").is_empty());
    assert!(text(&mut model, 100, 30).contains("The class answers at its own screen; Esc goes on without it."));
    assert_eq!(model.seen().at, 2_000 * MS);
    hear(&mut model, note(200, 3_400 * MS, ANSWERED));
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("Right is 2. Nobody above 4 answers.") && screen.contains("2 answers"), "{screen}");
    tick(&mut model, 100);
    assert_eq!(model.seen().at, 2_000 * MS, "there is something to read");
    for _ in 0..100 {
        tick(&mut model, 125);
    }
    assert!(!model.time.is_behind() && text(&mut model, 100, 30).contains("4 coordinates."));
}

#[test]
fn a_question_that_the_class_passes_over_is_passed_over_everywhere() {
    let mut model = visitor_at_the_question();
    hear(&mut model, note(200, 3_400 * MS, "The question of step \"who\" is passed over."));
    assert!(model.open_question().is_none() && !text(&mut model, 100, 30).contains("Who will coordinate?"));
    // A picture that is still behind does not stop where the class has been already.
    let mut model = visitor_at_the_question();
    press(&mut model, "Esc");
    assert!(model.open_question().is_none() && !text(&mut model, 100, 30).contains("Who will coordinate?"));
    assert!(matches!(model.time.rate(), Rate::CatchingUp { .. }));
}

#[test]
fn a_visitor_who_comes_when_the_class_has_answered_stops_nowhere() {
    let mut records = calm_and(&[(2_000 * MS, "who")]);
    records.push(note(0, 2_500 * MS, ANSWERED));
    let mut model = lesson_of(Role::Visitor, &numbered(records.clone()));
    let screen = text(&mut model, 100, 30);
    assert!(!model.time.is_behind() && screen.contains("Right is 2."), "{screen}");
    // The owner's screen was closed and opened again: nobody has heard how far its people are.
    records.pop();
    let mut model = lesson_of(Role::Visitor, &numbered(records));
    assert!(model.time.is_behind() && !text(&mut model, 100, 30).contains("Right is"));
}
