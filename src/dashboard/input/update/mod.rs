//! The next state: a message makes a new model, and commands for the world.
//!
//! Invariants: nothing here reads a clock, a socket or the terminal (a simulated lab is data, as the rest); the same
//! messages give the same model. A key that waits for an answer is pressed once, when the answer is there.

pub mod class;
pub mod copying;
pub mod earlier_records;
pub mod faults;
pub mod flow;
pub mod keys;
pub mod layers;
pub mod lesson;
pub mod live;
pub mod marking;
pub mod mouse;
pub mod moving;
pub mod pacing;
pub mod pair;
pub mod palette;
pub mod panes;
pub mod paper;
pub mod requests;
pub mod seeking;
pub mod sessions;
pub mod telling;
pub mod time;
pub mod why;

use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::action::Action;
use super::message::{Command, ScreenMessage};
use crate::model::{Model, PendingQuestion, Tone};
use crate::time::feed::Feed;
use crate::time::playback::SeekOrder;
use crate::view::arrangement::shows_nothing;
pub use pair::open_at_difference;
pub use sessions::open as open_session;
pub use time::seek;

/// Takes in what happened: on this screen, or on the one over which it was opened.
pub fn update(model: &mut Model, message: ScreenMessage) -> Vec<Command> {
    if model.beside.is_some() {
        return update_both(model, message);
    }
    let Some(beneath) = &mut model.beneath else { return take(model, message) };
    match message {
        ScreenMessage::Frame(_)
        | ScreenMessage::Unreadable
        | ScreenMessage::Lost
        | ScreenMessage::Gone
        | ScreenMessage::LabOver(_)
        | ScreenMessage::SoFar(_)
        | ScreenMessage::Answered { .. } => update(beneath, message),
        ScreenMessage::Tick(clock) => {
            let mut commands = update(beneath, ScreenMessage::Tick(clock));
            commands.extend(take(model, ScreenMessage::Tick(clock)));
            commands
        }
        ScreenMessage::Resize(width, height) => {
            update(beneath, ScreenMessage::Resize(width, height));
            take(model, message)
        }
        message => {
            let commands = take(model, message);
            sessions::lead_back(model, commands)
        }
    }
}

/// The same on two screens side by side: keys move in the one in front, and the other one follows it.
fn update_both(model: &mut Model, message: ScreenMessage) -> Vec<Command> {
    let commands = match message {
        ScreenMessage::Resize(width, height) => {
            pair::resize(model, (width, height));
            return Vec::new();
        }
        ScreenMessage::Tick(clock) => {
            if let Some(beside) = &mut model.beside {
                take(&mut beside.other, ScreenMessage::Tick(clock));
            }
            take(model, ScreenMessage::Tick(clock))
        }
        ScreenMessage::Mouse(event) => match pair::of_the_front(model, event) {
            Some(event) => take(model, ScreenMessage::Mouse(event)),
            None => Vec::new(),
        },
        message => take(model, message),
    };
    pair::follow(model);
    commands
}

/// Takes in what happened on one screen.
pub fn take(model: &mut Model, message: ScreenMessage) -> Vec<Command> {
    match message {
        ScreenMessage::Key(key) => {
            model.drawing.need();
            press(model, &key)
        }
        ScreenMessage::Mouse(event) => {
            mouse::take(model, &event);
            Vec::new()
        }
        ScreenMessage::Paste(_) if shows_no_key(model) => Vec::new(),
        ScreenMessage::Paste(text) => {
            model.drawing.need();
            model.dialogs.asked = PendingQuestion::Nothing;
            palette::paste(model, &text);
            Vec::new()
        }
        ScreenMessage::Resize(width, height) => {
            model.size = (width, height);
            model.drawing.need();
            Vec::new()
        }
        ScreenMessage::Tick(clock) => {
            model.drawing.need_if(model.toasts.expire(clock));
            model.drawing.tick(clock);
            let passed = clock.saturating_sub(std::mem::replace(&mut model.clock, clock));
            tick(model, passed)
        }
        ScreenMessage::Frame(frame) => pacing::with_lab(model, |model| live::take(model, *frame)),
        ScreenMessage::Unreadable => {
            model.tell(Tone::Bad, "The lab sent a line that cannot be read: it runs another version of hustings.");
            Vec::new()
        }
        ScreenMessage::NoteChanged { change, refused } => {
            marking::take(model, change, refused);
            Vec::new()
        }
        ScreenMessage::Unremembered(why) => {
            model.tell(Tone::Bad, format!("What you have seen cannot be remembered: {why}."));
            Vec::new()
        }
        ScreenMessage::Lost => pacing::with_lab(model, live::lose),
        ScreenMessage::Gone => pacing::with_lab(model, live::miss),
        ScreenMessage::LabOver(why) => pacing::with_lab(model, |model| live::end(model, why)),
        ScreenMessage::SoFar(read) => {
            earlier_records::take(model, read);
            Vec::new()
        }
        ScreenMessage::Listed(listed) => {
            sessions::list(model, listed);
            Vec::new()
        }
        ScreenMessage::Answered { request, answer } => {
            let keys = pacing::with_lab(model, |model| live::answer(model, &request, answer));
            keys.iter().flat_map(|key| press(model, key)).collect()
        }
    }
}

fn press(model: &mut Model, key: &KeyEvent) -> Vec<Command> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    let action = model.keymap.action_of(key, model.feed_kind());
    if model.dialogs.asked != PendingQuestion::Nothing {
        return keys::reply(model, key, action);
    }
    if shows_no_key(model) {
        return match action {
            Some(action @ (Action::Quit | Action::Redraw | Action::Suspend)) => keys::perform(model, action),
            _ => Vec::new(),
        };
    }
    if model.dialogs.prompt.is_none() {
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
            model.dialogs.prompt = None;
            Vec::new()
        }
        (None, Some(action @ (Action::Redraw | Action::Suspend))) => keys::perform(model, action),
        (None, _) => Vec::new(),
    }
}

/// Whether nobody would see what a key does.
fn shows_no_key(model: &Model) -> bool {
    model.beside.is_none() && shows_nothing(model.size)
}

fn tick(model: &mut Model, passed: Duration) -> Vec<Command> {
    if model.time.lab.is_some() {
        play(model, passed);
        return pacing::with_lab(model, |model| tick(model, passed));
    }
    match model.time.feed {
        Feed::Live(_) => live::tick(model, passed),
        Feed::Replay(_) | Feed::Simulated(_) => play(model, passed),
    }
    lesson::look(model)
}

fn play(model: &mut Model, passed: Duration) {
    model.read_on();
    seek_pending(model);
    let from = model.time.scene.at;
    time::tick(model, passed);
    marking::tell_passed(model, from);
}

/// Goes where somebody wanted to go, if the session has been read so far.
fn seek_pending(model: &mut Model) {
    let is_known = model.time.pending.as_ref().is_some_and(|pending| model.knows(pending.to));
    let Some(pending) = (if is_known { model.time.pending.take() } else { None }) else { return };
    model.drawing.need();
    match pending.by {
        SeekOrder::Key(action) => time::perform(model, action),
        SeekOrder::Line(words) => {
            if let Err(why) = seeking::seek(model, &words) {
                model.tell(Tone::Bad, why.to_string());
            }
        }
    }
}
