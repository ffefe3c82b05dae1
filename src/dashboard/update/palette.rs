//! The line after `:` and the line after `/`.
//!
//! Invariant: what the palette suggests it also understands.

use crossterm::event::KeyEvent;

use super::{Command, ask, faults, keys, time};
use crate::dashboard::action::{FeedKind, action_named, rows};
use crate::dashboard::journal::Filter;
use crate::dashboard::model::{Follow, Model, Tone};
use crate::dashboard::prompt::{Pressed, PromptKind};
use crate::fault::{FORMS, FaultLine};
use crate::protocol::Span;

/// A line that the palette understands.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Suggestion {
    /// Its form.
    pub form: &'static str,
    /// What it does.
    pub about: &'static str,
}

const SEEK: Suggestion = Suggestion { form: "seek D", about: "go to this time, such as `seek 12.5s`" };

/// What begins like the line that is being written.
pub fn suggestions(model: &Model) -> Vec<Suggestion> {
    let Some(prompt) = model.prompt.as_ref().filter(|prompt| prompt.kind == PromptKind::Palette) else {
        return Vec::new();
    };
    let typed = prompt.text.trim_start();
    let verb = |form: &'static str| form.split_whitespace().next().unwrap_or(form);
    let begins = |form: &'static str| {
        form.starts_with(typed) || typed.split_once(' ').is_some_and(|(first, _)| first == verb(form))
    };
    let feed = model.feed_kind();
    let forms = FORMS.iter().map(|(form, about)| Suggestion { form, about });
    let seek = (feed != FeedKind::Live).then_some(SEEK);
    let faults: Vec<Suggestion> = match feed {
        FeedKind::Live | FeedKind::Simulated => forms.collect(),
        FeedKind::Replay => Vec::new(),
    };
    let known: Vec<&str> = faults.iter().map(|suggestion| suggestion.form).collect();
    let names = rows(feed).map(|row| Suggestion { form: row.name, about: row.about });
    let names = names.filter(|name| !known.contains(&name.form));
    let all = seek.into_iter().chain(faults.iter().copied()).chain(names);
    all.filter(|suggestion| begins(suggestion.form)).collect()
}

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

/// The verb of the first suggestion, if that is more than stands there.
fn complete(model: &mut Model) {
    let Some(first) = suggestions(model).first().copied() else { return };
    let is_action = action_named(first.form, model.feed_kind()).is_some();
    let verb = first.form.split_whitespace().next().unwrap_or(first.form);
    let whole = if is_action { first.form.to_owned() } else { format!("{verb} ") };
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
                    // What is wrong stays there to be mended.
                    model.prompt = Some(prompt);
                    model.tell(Tone::Bad, why);
                    Vec::new()
                }
            }
        }
    }
}

fn carry_out(model: &mut Model, line: &str) -> Result<Vec<Command>, String> {
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
    faults::permission(model)?;
    match fault {
        Ok(fault) => Ok(ask(model, faults::inject(&fault))),
        Err(error) => Err(error.drawn(line)),
    }
}

fn seek(model: &mut Model, time: &str) -> Result<Vec<Command>, String> {
    if model.feed_kind() == FeedKind::Live {
        return Err("A running lab has no other time than now; `hustings replay` seeks in a session.".into());
    }
    let span: Span = time.parse().map_err(|error| format!("{error}; the form is `seek 12.5s`"))?;
    time::stand(model);
    time::seek(model, i64::try_from(span.nanos()).unwrap_or(i64::MAX));
    Ok(Vec::new())
}
