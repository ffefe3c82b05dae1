//! The screen of a lab, live, replayed and simulated.
//!
//! Elm-shaped: [`update`](input::update::update) makes the next [`Model`](model::Model) from a message, and the panels draw
//! it. Keys, frames, answers and the clock are messages; requests to the lab, redrawing, suspending and leaving are
//! commands, and only [`terminal`] carries them out. Panels and updates know the model but not each other:
//! rules that both follow are in the model.
//!
//! Invariant: this room reaches a lab only through its observe and inject sockets, or as a [`VirtualLab`](script::VirtualLab), and always
//! puts the terminal back as it was.

mod ending;
mod input;
mod model;
mod offscreen;
mod options;
mod terminal;
#[cfg(test)]
mod tests;
mod time;
mod view;

use std::io::{self, IsTerminal};
use std::path::Path;

pub use ending::{DashboardError, ScreenEnd};
pub use input::action::Action;
pub use input::key::{Key, KeyTextError};
pub use input::keymap::{BindableAction, KeyConflict, Keymap};
pub use model::pages::Rerun;
pub use model::pair::{PairPlace, SessionDifference};
use model::{Model, Tone};
pub use offscreen::Offscreen;
pub use options::{Access, Leaving, Mouse, Options, Remembered, Role, Source, Tour};
use record::StoredSession;
use script::SharedLab;
pub use view::lane_word::sign_within;
pub use view::layer::help::{screen_signs, screen_words};
pub use view::theme::{Colour, Glyphs};

/// Shows a screen until it ends. It owns the terminal meanwhile, and every signal that would end the process
/// ends it instead, except those that tell of a bug.
///
/// # Errors
/// When there is no terminal, no such session, or no such lab; the terminal is then as it was.
pub fn run(options: Options) -> Result<ScreenEnd, DashboardError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(DashboardError::NoTerminal);
    }
    let mut model = match &options.source {
        Source::Session(path) => {
            let mut model = opened(&options, path)?;
            model.time.play_on();
            model
        }
        Source::Lab { .. } => Model::live(&options),
        Source::Simulated(lab) => Model::simulated(&options, SharedLab::clone(lab)),
    };
    if let Some(told) = &options.told {
        model.tell_long(Tone::Bad, told);
    }
    terminal::run(options, model)
}

/// Shows two sessions side by side at their first difference, with these options but for their source.
///
/// # Errors
/// As [`run`].
pub fn run_beside(
    options: Options,
    [one, other]: [&Path; 2],
    told: SessionDifference,
) -> Result<ScreenEnd, DashboardError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(DashboardError::NoTerminal);
    }
    let of = |path: &Path| opened(&Options { source: Source::Session(path.to_owned()), ..options.clone() }, path);
    let mut model = Model::beside(of(one)?, of(other)?, told);
    input::update::open_at_difference(&mut model);
    terminal::run(options, model)
}

fn opened(options: &Options, path: &Path) -> Result<Model, DashboardError> {
    let unread = |error| DashboardError::Session { path: path.to_owned(), error };
    StoredSession::open(path).and_then(|session| Model::opened(options, session)).map_err(unread)
}
