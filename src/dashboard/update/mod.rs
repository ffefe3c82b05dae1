//! What happens next: a message makes a new model, and commands for the world.
//!
//! Invariant: nothing here reads a clock, a socket or the terminal (a simulated lab is data, as the rest); the same messages give the same model.

mod branch;
mod faults;
mod keys;
mod live;
mod moving;
mod palette;
mod time;

use std::time::Duration;

use crossterm::event::KeyEvent;

use super::Ending;
use super::model::{Feed, Model, Tone};
use crate::record::{Answer, Frame, Request};

pub use palette::suggestions;

/// Something that happened.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// The terminal has this size.
    Resize(u16, u16),
    /// It is so late by the screen's own clock.
    Tick(Duration),
    /// A frame came from the lab.
    Frame(Box<Frame>),
    /// A line came from the lab that this build cannot read.
    Unreadable,
    /// The connection to the lab broke; it will be tried again.
    Lost,
    /// The lab is gone; it will not be tried again.
    Gone,
    /// A request was answered.
    Answered {
        /// Which.
        request: Request,
        /// How.
        answer: Answer,
    },
}

/// Something to be done.
#[derive(Clone, Debug)]
pub enum Command {
    /// Send this to the lab.
    Request(Request),
    /// Draw everything afresh.
    Redraw,
    /// Give the terminal back and stop until the shell says to go on.
    Suspend,
    /// End the screen.
    Leave(Ending),
}

/// Takes in what happened.
pub fn update(model: &mut Model, message: Message) -> Vec<Command> {
    match message {
        Message::Key(key) => {
            model.is_dirty = true;
            keys::press(model, &key)
        }
        Message::Resize(width, height) => {
            model.size = (width, height);
            model.is_dirty = true;
            Vec::new()
        }
        Message::Tick(clock) => {
            tick(model, clock);
            Vec::new()
        }
        Message::Frame(frame) => live::take(model, *frame),
        Message::Unreadable => {
            model.tell(Tone::Bad, "The lab sent a line that cannot be read: it runs another version of hustings.");
            Vec::new()
        }
        Message::Lost => live::lose(model),
        Message::Gone => live::miss(model),
        Message::Answered { request, answer } => {
            live::answer(model, &request, answer);
            Vec::new()
        }
    }
}

/// Whether faults may be given.
pub fn may_break(model: &Model) -> bool {
    faults::permission(model).is_ok()
}

fn tick(model: &mut Model, clock: Duration) {
    let passed = clock.saturating_sub(model.clock);
    model.clock = clock;
    let toasts = model.toasts.len();
    model.toasts.retain(|toast| toast.until > clock);
    model.is_dirty |= model.toasts.len() != toasts;
    match model.feed {
        Feed::Live(_) => live::tick(model, passed),
        Feed::Replay(_) | Feed::Simulated(_) => time::tick(model, passed),
    }
}

/// Asks the lab for something: a running one is sent it, a simulated one does it at the moment that is shown.
fn ask(model: &mut Model, request: Request) -> Vec<Command> {
    match model.feed {
        Feed::Simulated(_) => {
            branch::ask(model, &request);
            Vec::new()
        }
        Feed::Live(_) | Feed::Replay(_) => vec![Command::Request(request)],
    }
}
