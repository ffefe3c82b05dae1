//! What the class does at its own screen, as the lab's records tell it to all others.
//!
//! Invariant: an answer changes the screens of others alone, and each question is over once.

use std::time::Duration;

use super::pacing;
use crate::model::Model;
use crate::model::lesson::{AnswerStage, Asking, ClassWord, reading_time};
use record::{Body, Record};

/// Hears what the lab records of its questions: on a screen that is not the class's own, a question is over when the
/// class has answered it. What is shown with the answer stays for as long as reading it takes.
pub fn hear(model: &mut Model, record: &Record) {
    let Body::Note { text } = &record.body else { return };
    if model.asking() != Asking::Elsewhere {
        return;
    }
    let Some(book) = model.book() else { return };
    let heard = book.narrations().find_map(|(step, narration)| {
        let question = narration.question()?;
        Some((step.to_owned(), question.clone(), ClassWord::read(text, step, question)?))
    });
    let Some((step, question, word)) = heard else { return };
    let was_open = model.open_question().is_some_and(|(open, _)| open == step);
    let of_step = model.lesson.answers_to(&step, &question);
    if of_step.stage.is_over() {
        return;
    }
    (of_step.stage, of_step.counts) = match word {
        ClassWord::Answered(counts) => (AnswerStage::Closed, counts),
        ClassWord::PassedOver => (AnswerStage::PassedOver, of_step.counts.clone()),
    };
    let to_read = question.because.filter(|_| of_step.stage == AnswerStage::Closed);
    if was_open {
        pacing::catch_up(model);
        let until = model.clock + to_read.map_or(Duration::ZERO, |because| reading_time(&because.to_string()));
        model.time.wait_until(until);
    }
}
