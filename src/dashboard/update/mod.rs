//! The next state: a message makes a new model, and commands for the world.
//!
//! Invariant: nothing here reads a clock, a socket or the terminal (a simulated lab is data, as the rest); the same messages give the same model.

mod asking;
mod class;
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
mod one;
mod pacing;
mod pair;
mod palette;
mod panes;
mod paper;
mod past;
mod seeking;
mod sessions;
mod so_far;
mod telling;
mod time;
mod waiting;
mod why;

use self::one::take;
use super::happening::{Command, Happening};
use super::model::Model;
pub use pair::open_at_difference;
pub use sessions::open as open_session;
pub use time::seek;

/// Takes in what happened: on this screen, or on the one over which it was opened.
pub fn update(model: &mut Model, message: Happening) -> Vec<Command> {
    if model.beside.is_some() {
        return update_both(model, message);
    }
    let Some(beneath) = &mut model.beneath else { return take(model, message) };
    match message {
        Happening::Frame(_)
        | Happening::Unreadable
        | Happening::Lost
        | Happening::Gone
        | Happening::LabOver(_)
        | Happening::SoFar(_)
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

/// The same on two screens side by side: keys move in the one in front, and the other one follows it.
fn update_both(model: &mut Model, message: Happening) -> Vec<Command> {
    let commands = match message {
        Happening::Resize(width, height) => {
            pair::resize(model, (width, height));
            return Vec::new();
        }
        Happening::Tick(clock) => {
            if let Some(beside) = &mut model.beside {
                take(&mut beside.other, Happening::Tick(clock));
            }
            take(model, Happening::Tick(clock))
        }
        Happening::Mouse(event) => match pair::of_the_front(model, event) {
            Some(event) => take(model, Happening::Mouse(event)),
            None => Vec::new(),
        },
        message => take(model, message),
    };
    pair::follow(model);
    commands
}
