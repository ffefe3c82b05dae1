//! The next state: a message makes a new model, and commands for the world.
//!
//! Invariant: nothing here reads a clock, a socket or the terminal (a simulated lab is data, as the rest); the same messages give the same model.

mod asking;
mod beside;
mod copying;
mod errands;
mod faults;
mod flow;
mod keys;
mod layers;
mod lesson;
mod links;
mod live;
mod marking;
mod mouse;
mod moving;
mod pacing;
mod palette;
mod panes;
mod paper;
mod past;
mod seeking;
mod sessions;
mod telling;
mod time;
mod waiting;
mod why;

use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::action::Action;
use super::feed::Feed;
use super::happening::{Command, Happening};
use super::model::{Model, PendingQuestion, Tone};
pub use beside::open_at_difference;
pub use sessions::open as open_session;
pub use time::seek;

/// Takes in what happened: on this screen, or on the one over which it was opened.
pub fn update(model: &mut Model, message: Happening) -> Vec<Command> {
    if model.beside.is_some() {
        return beside::update(model, message);
    }
    let Some(beneath) = &mut model.beneath else { return take(model, message) };
    match message {
        Happening::Frame(_)
        | Happening::Unreadable
        | Happening::Lost
        | Happening::Gone
        | Happening::Answered { .. } => update(beneath, message),
        Happening::Tick(clock) => {
            let mut commands = update(beneath, Happening::Tick(clock));
            commands.extend(take(model, Happening::Tick(clock)));
            commands
        }
        Happening::Resize(width, height) => {
            update(beneath, Happening::Resize(width, height));
            take(model, message)
        }
        message => {
            let commands = take(model, message);
            sessions::lead_back(model, commands)
        }
    }
}

fn take(model: &mut Model, message: Happening) -> Vec<Command> {
    match message {
        Happening::Key(key) => {
            model.is_dirty = true;
            press(model, &key)
        }
        Happening::Mouse(event) => {
            mouse::take(model, &event);
            Vec::new()
        }
        Happening::Paste(text) => {
            model.is_dirty = true;
            model.asked = PendingQuestion::Nothing;
            palette::paste(model, &text);
            Vec::new()
        }
        Happening::Resize(width, height) => {
            model.size = (width, height);
            model.is_dirty = true;
            Vec::new()
        }
        Happening::Tick(clock) => {
            model.is_dirty |= model.toasts.expire(clock);
            let passed = clock.saturating_sub(std::mem::replace(&mut model.clock, clock));
            tick(model, passed)
        }
        Happening::Frame(frame) => past::with_present(model, |model| live::take(model, *frame)),
        Happening::Unreadable => {
            model.tell(Tone::Bad, "The lab sent a line that cannot be read: it runs another version of hustings.");
            Vec::new()
        }
        Happening::Noted { noted, refused } => {
            marking::take(model, noted, refused);
            Vec::new()
        }
        Happening::Unremembered(why) => {
            model.tell(Tone::Bad, format!("What you have seen cannot be remembered: {why}."));
            Vec::new()
        }
        Happening::Lost => past::with_present(model, live::lose),
        Happening::Gone => past::with_present(model, live::miss),
        Happening::Listed(listed) => {
            sessions::list(model, listed);
            Vec::new()
        }
        Happening::Answered { request, answer } => {
            let keys = past::with_present(model, |model| live::answer(model, &request, answer));
            keys.iter().flat_map(|key| press(model, key)).collect()
        }
    }
}

fn press(model: &mut Model, key: &KeyEvent) -> Vec<Command> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    let action = model.keymap.action_of(key, model.feed_kind());
    if model.asked != PendingQuestion::Nothing {
        return keys::reply(model, key, action);
    }
    if model.prompt.is_none() {
        if let Some(commands) = lesson::press(model, key) {
            return commands;
        }
        return match action {
            Some(action) => keys::perform(model, action),
            None => keys::idle(model, key),
        };
    }
    match (palette::press(model, key), action) {
        (Some(commands), _) => commands,
        (None, Some(Action::Quit)) => {
            model.prompt = None;
            Vec::new()
        }
        (None, Some(action @ (Action::Redraw | Action::Suspend))) => keys::perform(model, action),
        (None, _) => Vec::new(),
    }
}

fn tick(model: &mut Model, passed: Duration) -> Vec<Command> {
    if model.present.is_some() {
        play(model, passed);
        return past::with_present(model, |model| tick(model, passed));
    }
    match model.feed {
        Feed::Live(_) => live::tick(model, passed),
        Feed::Replay(_) | Feed::Simulated(_) => play(model, passed),
    }
    lesson::look(model)
}

fn play(model: &mut Model, passed: Duration) {
    model.read_on();
    errands::run(model);
    let from = model.scene.at;
    time::tick(model, passed);
    marking::tell_passed(model, from);
}
