//! The line after `:` and the line after `/`.
//!
//! Invariant: what the palette suggests it also understands.

use crossterm::event::KeyEvent;

use super::asking::ask;
use super::{faults, keys, time};
use crate::dashboard::action::{FeedKind, action_named};
use crate::dashboard::happening::Command;
use crate::dashboard::journal::Filter;
use crate::dashboard::model::{Follow, Model, NoFaults, Tone};
use crate::dashboard::prompt::{Pressed, PromptKind};
use crate::fault::{FaultLine, FaultTextError};
use crate::protocol::{Span, SpanTextError};

/// Takes a key while a line is being written; `None` if the key is not the line's.
pub fn press(model: &mut Model, key: &KeyEvent) -> Option<Vec<Command>> {
    let prompt = model.prompt.as_mut()?;
    match prompt.press(key, &model.histories) {
        Pressed::NotMine => return None,
        Pressed::Edited => {}
        Pressed::Left => model.prompt = None,
        Pressed::Complete => complete(model),
        Pressed::Entered => return Some(enter(model)),
    }
    Some(Vec::new())
}

/// The first suggestion, if it is longer than the text: an action's name, the line that is proposed for a fault's verb,
/// or the verb alone.
fn complete(model: &mut Model) {
    let Some(first) = model.suggestions().first().copied() else { return };
    let is_action = action_named(first.form, model.feed_kind()).is_some();
    let verb = first.form.split_whitespace().next().unwrap_or(first.form);
    let whole = match faults::proposed(model, verb) {
        _ if is_action => first.form.to_owned(),
        Some(line) => line,
        None => format!("{verb} "),
    };
    if let Some(prompt) = model.prompt.as_mut().filter(|prompt| prompt.text.len() < whole.len()) {
        prompt.replace(whole);
    }
}

fn enter(model: &mut Model) -> Vec<Command> {
    let Some(prompt) = model.prompt.take() else { return Vec::new() };
    let text = prompt.text.trim().to_owned();
    model.histories.remember(prompt.kind, &text);
    match prompt.kind {
        PromptKind::Filter => {
            model.reading.filter = Filter::new(&text);
            model.reading.cursor = None;
            model.reading.follow = Follow::On;
            Vec::new()
        }
        PromptKind::Palette => {
            let line = text.trim_start_matches(':').trim();
            match carry_out(model, line) {
                Ok(commands) => commands,
                Err(why) => {
                    // A wrong line stays there, so that the person can correct it.
                    model.prompt = Some(prompt);
                    model.tell(Tone::Bad, why.to_string());
                    Vec::new()
                }
            }
        }
    }
}

/// Why a line is not carried out.
#[derive(Debug, thiserror::Error)]
enum NotCarriedOut {
    #[error(transparent)]
    NoFaults(#[from] NoFaults),
    #[error("{}", error.drawn(line))]
    NotAFault { line: String, error: FaultTextError },
    #[error("A running lab cannot seek; `hustings replay` seeks in a session.")]
    NoOtherTime,
    #[error("{0}; the form is `seek 12.5s`")]
    NotATime(#[from] SpanTextError),
}

fn carry_out(model: &mut Model, line: &str) -> Result<Vec<Command>, NotCarriedOut> {
    if line.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(action) = action_named(line, model.feed_kind()) {
        return Ok(keys::perform(model, action));
    }
    if let Some(time) = line.strip_prefix("seek").filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return seek(model, time.trim());
    }
    let fault = line.parse::<FaultLine>();
    model.permission()?;
    match fault {
        Ok(fault) => Ok(ask(model, faults::inject(&fault))),
        Err(error) => Err(NotCarriedOut::NotAFault { line: line.to_owned(), error }),
    }
}

fn seek(model: &mut Model, time: &str) -> Result<Vec<Command>, NotCarriedOut> {
    if model.feed_kind() == FeedKind::Live {
        return Err(NotCarriedOut::NoOtherTime);
    }
    let span: Span = time.parse()?;
    time::stand(model);
    time::seek(model, i64::try_from(span.nanos()).unwrap_or(i64::MAX));
    Ok(Vec::new())
}
