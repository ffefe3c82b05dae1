//! Answers to a lab's questions, predictions, and what is remembered of a lesson.
//!
//! Invariant: while a question is open nothing is broken and the picture does not go on; the processes do as they do.

use crossterm::event::{KeyCode, KeyEvent};

use super::pacing;
use super::requests::ask;
use crate::input::action::{Action, is_fault_key, question_action_of};
use crate::input::message::Command;
use crate::model::lesson::{AboveScreen, AnswerStage, Asking, ClassWord, NoPrediction};
use crate::model::{Model, Tone, Viewpoint};
use crate::options::{Remembered, Role, Tour};
use crate::time::feed::Feed;
use crate::time::freshness::Rate;
use record::Request;
use script::ClassQuestion;

/// The line with which a person predicts; the winner and the number of messages follow.
pub const PREDICT_LINE: &str = "predict ";

/// Takes a key if a question is open and the key is the question's, or has to wait until it is closed.
pub fn press(model: &mut Model, key: &KeyEvent) -> Option<Vec<Command>> {
    if model.dialogs.layer.is_some() {
        return None;
    }
    let (step, question) = model.open_question()?;
    if model.asking() == Asking::Elsewhere {
        return press_elsewhere(model, &step, &question, key);
    }
    let stage = model.lesson.answers.get(&step).map_or(AnswerStage::Open, |answers| answers.stage);
    match (question_action(key), stage) {
        (Some(Action::Answer), AnswerStage::Open) => {
            answer(model, &step, &question, key);
            Some(Vec::new())
        }
        (Some(Action::Answer), _) => {
            model.tell(Tone::Plain, "The answer is shown already; Enter goes on.");
            Some(Vec::new())
        }
        (Some(Action::Reveal), AnswerStage::Open) => {
            let answers = model.lesson.answers_to(&step, &question);
            answers.stage = AnswerStage::Revealed;
            let told = ClassWord::Answered(answers.counts.clone());
            Some(note(model, told.note(&step, &question)))
        }
        (Some(Action::PassOver), AnswerStage::Open) => {
            let commands = note(model, ClassWord::PassedOver.note(&step, &question));
            close(model, &step, &question);
            Some(commands)
        }
        (Some(Action::Reveal | Action::PassOver), _) => {
            close(model, &step, &question);
            Some(Vec::new())
        }
        _ => waits(model, key).then(|| {
            model.tell(Tone::Plain, "A question is open: a digit answers it, Enter reveals, Esc passes it over.");
            Vec::new()
        }),
    }
}

/// The same on a screen that is not the class's own: its picture waits for the class, or goes on alone.
fn press_elsewhere(model: &mut Model, step: &str, question: &ClassQuestion, key: &KeyEvent) -> Option<Vec<Command>> {
    match question_action(key) {
        Some(Action::PassOver) => {
            model.lesson.answers_to(step, question).stage = AnswerStage::PassedOver;
            pacing::catch_up(model);
            Some(Vec::new())
        }
        None if !waits(model, key) => None,
        _ => {
            model.tell(Tone::Plain, "The class answers at its own screen; Esc goes on without it.");
            Some(Vec::new())
        }
    }
}

/// What a key does at a question.
fn question_action(key: &KeyEvent) -> Option<Action> {
    let is_digit = matches!(key.code, KeyCode::Char(digit) if digit.is_ascii_digit());
    question_action_of(key).or(is_digit.then_some(Action::Answer))
}

/// Whether what a key does has to wait until the question is closed.
fn waits(model: &Model, key: &KeyEvent) -> bool {
    let Some(action) = model.keymap.action_of(key, model.feed_kind()) else { return false };
    is_fault_key(action)
        || matches!(action, Action::PlayOrStand | Action::Freeze | Action::Pace | Action::Slower | Action::Faster)
}

fn answer(model: &mut Model, step: &str, question: &ClassQuestion, key: &KeyEvent) {
    let KeyCode::Char(digit) = key.code else { return };
    let place = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
    match place.and_then(|place| model.lesson.answers_to(step, question).counts.get_mut(place)) {
        Some(count) => *count = count.saturating_add(1),
        None => model.tell(Tone::Plain, format!("This question has {} choices.", question.choices.len())),
    }
}

/// The question is over, and the picture goes on.
fn close(model: &mut Model, step: &str, question: &ClassQuestion) {
    model.lesson.answers_to(step, question).stage = AnswerStage::Closed;
    match model.time.feed {
        Feed::Live(_) => pacing::catch_up(model),
        Feed::Simulated(_) => model.time.play_again(model.lesson.played.take().unwrap_or(Rate::Standing)),
        Feed::Replay(_) => {}
    }
}

/// Records what the people in front of the screen have said.
fn note(model: &mut Model, text: String) -> Vec<Command> {
    // Amid a simulated session a note would delete what comes after it.
    let is_amid = model.time.feed.playback().is_some_and(|playback| playback.next().is_some());
    if model.permission().is_err() || model.rights.role == Role::Visitor || is_amid {
        return Vec::new();
    }
    ask(model, Request::Note(text))
}

/// Takes away what is said, if something is. Returns whether something was.
pub fn dismiss(model: &mut Model) -> bool {
    let is_said =
        matches!(model.above_screen(), Some(AboveScreen::Said { .. } | AboveScreen::Asked { .. } | AboveScreen::Ended));
    let step = model.narrated_step().filter(|_| is_said);
    let is_there = step.is_some();
    if is_there {
        model.lesson.dismissed = step;
        model.time.hasten(model.clock);
    }
    is_there
}

/// Hides the strip for newcomers for good, or shows it again.
pub fn hide_tour(model: &mut Model) -> Vec<Command> {
    match model.lesson.tour {
        Tour::Shown => {
            model.lesson.tour = Tour::Hidden;
            vec![Command::Remember(Remembered::TourSeen)]
        }
        Tour::Hidden => {
            model.lesson.tour = Tour::Shown;
            if model.above_screen() != Some(AboveScreen::Tour) {
                model.tell(Tone::Plain, "The strip for newcomers comes back when the lab has nothing to tell.");
            }
            Vec::new()
        }
    }
}

/// Takes a prediction.
///
/// # Errors
/// The text is no prediction, or comes too late.
pub fn predict(model: &mut Model, text: &str) -> Result<Vec<Command>, NoPrediction> {
    if model.time.lab.is_some() {
        return Err(NoPrediction::InThePast(model.key(Action::LastMinute)));
    }
    let world = &model.seen().world;
    let (nodes, elections) = (world.nodes.keys().copied().collect(), world.elections.clone());
    let told = model.lesson.predictions.take(text, nodes, &elections)?.to_string();
    let key = model.key(Action::Score);
    model.tell(
        Tone::Good,
        format!("{told}, in the next election. `{key}` says which messages count, and shows the score."),
    );
    Ok(note(model, format!("{told}.")))
}

/// What has been decided since the last look: a prediction, or that a lesson is at its end.
pub fn look(model: &mut Model) -> Vec<Command> {
    let mut commands = Vec::new();
    if let Some(told) = judged(model) {
        let score = model.lesson.predictions.score().unwrap_or_default();
        model.tell_long(Tone::Plain, format!("{told} {score}."));
        commands.extend(note(model, told));
    }
    if model.vantage == Viewpoint::Lab && !model.lesson.is_remembered && model.has_told_all() {
        model.lesson.is_remembered = true;
        let name = model.head.as_ref().map(|head| head.name.clone());
        commands.extend(name.map(|name| Command::Remember(Remembered::LessonDone(name))));
    }
    commands
}

fn judged(model: &mut Model) -> Option<String> {
    let periodic = model.head.as_ref().map(|head| head.facts.periodic.clone()).unwrap_or_default();
    model.lesson.predictions.judge(&model.time.shown().world.elections, &periodic)?.told()
}
