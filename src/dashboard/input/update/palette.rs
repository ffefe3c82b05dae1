//! The line after `:` and the line after `/`.
//!
//! Invariant: what the palette suggests it also understands, and a line that was not carried out stays where it can be
//! mended.

use crossterm::event::KeyEvent;

use super::faults::NothingToOrder;
use super::marking::NotNoted;
use super::requests::ask;
use super::seeking::NotSought;
use super::{faults, keys, layers, lesson, marking, pacing, seeking, sessions};
use crate::input::action::{action_named, is_fault_key};
use crate::input::message::Command;
use crate::input::prompt::{LineProgress, Pasted, Pressed, Prompt, PromptKind, QUOTED_MAX, with_short_quotes};
use crate::model::kept_rows::Filter;
use crate::model::lesson::NoPrediction;
use crate::model::pages::SessionChoice;
use crate::model::{Model, NoFaults, Tone};
use fault::{FaultLine, FaultTextError};
use record::Request;
use script::PictureStopTextError;

/// Takes a key while a line is being written; `None` if the key is not the line's.
pub fn press(model: &mut Model, key: &KeyEvent) -> Option<Vec<Command>> {
    let prompt = model.dialogs.prompt.as_mut()?;
    match prompt.press(key, &model.dialogs.histories) {
        Pressed::NotMine => return None,
        Pressed::Edited => search(model),
        Pressed::Left => {
            if prompt.kind == PromptKind::Search {
                prompt.replace("");
                search(model);
            }
            model.dialogs.prompt = None;
        }
        Pressed::Complete => complete(model),
        Pressed::Entered => return Some(enter(model)),
    }
    Some(Vec::new())
}

/// The help shows what is found as it is written.
fn search(model: &mut Model) {
    if let Some(Prompt { kind: PromptKind::Search, text, .. }) = &model.dialogs.prompt {
        let text = text.clone();
        layers::search(model, &text);
    }
}

/// The first suggestion, if it is longer than the text: an action's name, the line that is proposed for a fault's verb,
/// or the verb alone.
fn complete(model: &mut Model) {
    let Some(first) = model.suggestions().first().copied() else { return };
    let is_action = action_named(first.form, model.feed_kind()).is_some();
    let verb = first.form.split_whitespace().next().unwrap_or(first.form);
    let before_lie = model.dialogs.prompt.as_ref().and_then(|prompt| {
        let begun = prompt.begun_lie()?;
        prompt.text.strip_suffix(begun)
    });
    let whole = match (before_lie, faults::proposed(model, verb)) {
        (Some(before), _) => format!("{before}{}", first.form),
        _ if is_action => first.form.to_owned(),
        (None, Some(line)) => line,
        (None, None) => format!("{verb} "),
    };
    if let Some(prompt) = model.dialogs.prompt.as_mut().filter(|prompt| prompt.text.len() < whole.len()) {
        prompt.replace(whole);
    }
}

/// Takes a pasted text. Without a line that is being written it begins one: a paste is never keys.
pub fn paste(model: &mut Model, text: &str) {
    let prompt = model.dialogs.prompt.get_or_insert_with(|| Prompt::new(PromptKind::Palette, ""));
    if matches!(prompt.progress, LineProgress::Waiting { .. }) {
        model.tell(Tone::Bad, "The paste was not taken: the lab has not answered the line before yet.");
        return;
    }
    let pasted = prompt.paste(text);
    search(model);
    match pasted {
        Pasted::Whole => {}
        Pasted::FirstLine { more: 1 } => model.tell(Tone::Plain, "A second line of the paste was left out."),
        Pasted::FirstLine { more } => {
            model.tell(Tone::Plain, format!("{more} further lines of the paste were left out."))
        }
        Pasted::Cut => model.tell(Tone::Bad, "The paste is longer than a line may be, and was cut."),
    }
}

fn enter(model: &mut Model) -> Vec<Command> {
    let Some(prompt) = model.dialogs.prompt.as_mut() else { return Vec::new() };
    let (kind, text) = (prompt.kind, prompt.text.trim().to_owned());
    model.dialogs.histories.remember(kind, &text);
    match kind {
        PromptKind::Search => {
            model.dialogs.prompt = None;
            Vec::new()
        }
        PromptKind::Filter => {
            model.dialogs.prompt = None;
            model.places.messages.filter = Filter::new(&text);
            model.places.messages.follow_newest();
            Vec::new()
        }
        PromptKind::FlowFilter => {
            model.dialogs.prompt = None;
            model.places.panes.flow_filter = Filter::new(&text);
            model.places.panes.flow_cursor = None;
            Vec::new()
        }
        PromptKind::Palette => {
            let line = text.trim_start_matches(':').trim();
            prompt.progress = LineProgress::Waiting { requests: Vec::new(), keys: Vec::new() };
            let carried_out = carry_out(model, line);
            match carried_out {
                Ok(commands) => {
                    await_answers(model, &commands);
                    commands
                }
                Err(why) => {
                    if let Some(prompt) = &mut model.dialogs.prompt {
                        prompt.progress = LineProgress::Refused(with_short_quotes(&why.to_string()));
                    }
                    Vec::new()
                }
            }
        }
    }
}

/// Keeps the line until these requests are answered; without any it is done. (A simulated lab has answered already.)
fn await_answers(model: &mut Model, commands: &[Command]) {
    let asked = commands.iter().filter_map(|command| match command {
        Command::Request(request) => Some(request.clone()),
        _ => None,
    });
    let asked: Vec<Request> = asked.collect();
    // The line may have opened another one.
    let Some(Prompt { progress: LineProgress::Waiting { requests, .. }, .. }) = &mut model.dialogs.prompt else {
        return;
    };
    if asked.is_empty() {
        model.dialogs.prompt = None;
    } else {
        *requests = asked;
    }
}

/// Why a line is not carried out.
#[derive(Debug, thiserror::Error)]
enum NotCarriedOut {
    #[error(transparent)]
    NoFaults(#[from] NoFaults),
    #[error("{}", drawn(line, error))]
    NotAFault { line: String, error: FaultTextError },
    #[error(transparent)]
    NothingToOrder(#[from] NothingToOrder),
    #[error(transparent)]
    NotSought(#[from] NotSought),
    #[error(transparent)]
    NotNoted(#[from] NotNoted),
    #[error(transparent)]
    NoPrediction(#[from] NoPrediction),
    #[error(transparent)]
    NotAStop(#[from] PictureStopTextError),
}

/// The line with a caret under what is wrong; of a long line only the words that are.
fn drawn(line: &str, error: &FaultTextError) -> String {
    let wrong = &line[error.at.clone()];
    match line.chars().count() <= QUOTED_MAX {
        true => error.drawn(line),
        false => format!("`{wrong}`: {error}"),
    }
}

fn carry_out(model: &mut Model, line: &str) -> Result<Vec<Command>, NotCarriedOut> {
    if line.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(action) = action_named(line, model.feed_kind()) {
        if is_fault_key(action) {
            return Ok(faults::attempt(model, action)?);
        }
        return Ok(keys::perform(model, action));
    }
    if let Some(time) = line.strip_prefix("seek").filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        seeking::seek(model, time.trim())?;
        return Ok(Vec::new());
    }
    if let Some(session) = line.strip_prefix(sessions::OPEN_LINE) {
        return Ok(vec![Command::OpenSession(SessionChoice::Named(session.trim().to_owned()))]);
    }
    if line == marking::TAKE_BACK {
        return Ok(marking::take_back(model)?);
    }
    if let Some((kind, text)) = marking::begun(line) {
        return Ok(marking::write(model, kind, text)?);
    }
    if let Some(stop) = line.strip_prefix(pacing::STOP_LINE) {
        pacing::stop_at(model, stop.parse()?);
        return Ok(Vec::new());
    }
    if let Some(prediction) = format!("{line} ").strip_prefix(lesson::PREDICT_LINE) {
        return Ok(lesson::predict(model, prediction)?);
    }
    match line.parse::<FaultLine>() {
        Ok(fault) => {
            model.permission()?;
            Ok(ask(model, faults::inject(&fault)))
        }
        Err(error) => Err(NotCarriedOut::NotAFault { line: line.to_owned(), error }),
    }
}
