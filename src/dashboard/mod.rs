//! The screen of a lab, live, replayed and simulated.
//!
//! Elm-shaped: [`update`](update::update) makes the next [`Model`](model::Model) of a message, the panels draw it. Keys,
//! frames, answers and the clock are messages; requests to the lab, redrawing, suspending and leaving are commands, and
//! only [`terminal`] and [`source`] carry them out.
//!
//! Invariant: this room touches no lab but through its observe and inject sockets, or as a [`VirtualLab`], and puts the
//! terminal back as it was however it ends.

mod action;
mod grid;
mod journal;
mod model;
mod paint;
mod panel;
mod playback;
mod prompt;
mod row;
mod scene;
mod simulated;
mod source;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod update;
mod virtual_lab;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use crate::protocol::NodeId;
use crate::record::SessionReader;
use model::Model;
pub use theme::{Colour, Glyphs};
pub use virtual_lab::{Branch, Moment, SharedLab, Steps, VirtualLab};

/// Where a screen's records come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A running lab.
    Lab {
        /// Its run directory ([`crate::record::run_directory`] names its sockets).
        directory: PathBuf,
        /// Whose own socket is watched; absent: the host's.
        node: Option<NodeId>,
    },
    /// A session file.
    Session(PathBuf),
    /// A lab in virtual time.
    Simulated(SharedLab),
}

/// Whether a screen may give faults.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Access {
    /// It may.
    Full,
    /// Each fault key is refused with a sentence.
    ReadOnly,
}

/// What leaving a screen does to the lab. The screen itself ends nothing: its caller does.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Role {
    /// Leaving ends the lab, and the screen ends with the lab (`up`).
    Owner,
    /// The lab goes on, and the screen stays when the lab is over (`watch`, `replay`).
    Visitor,
}

/// What a screen is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where its records come from.
    pub source: Source,
    /// Whether it may give faults.
    pub access: Access,
    /// What leaving does.
    pub role: Role,
    /// Which characters it is drawn with.
    pub glyphs: Glyphs,
    /// Whether it has colours.
    pub colour: Colour,
}

/// Why a screen ended.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Ending {
    /// A person left it.
    Quit,
    /// The lab ended, and why. To owners only.
    LabEnded(String),
    /// The lab is gone without a word. To owners only.
    LabLost,
    /// A signal asked for it: its number.
    Signalled(i32),
    /// The terminal is gone.
    TerminalGone,
    /// A thread panicked: its message, which has been printed.
    Panicked(String),
}

impl Ending {
    /// The exit code that says so: 0, 1 for a lost lab, 70 for a panic, 128 and the signal's number.
    pub fn exit_code(&self) -> u8 {
        match self {
            Ending::Quit | Ending::LabEnded(_) => 0,
            Ending::LabLost => 1,
            Ending::Signalled(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            Ending::TerminalGone => 129,
            Ending::Panicked(_) => 70,
        }
    }
}

/// Why there was no screen. The terminal is as it was.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// Standard input or output is no terminal.
    #[error(
        "the screen needs a terminal on standard input and output; without one, `hustings run` plays a lab and `hustings export` reads a session"
    )]
    NoTerminal,
    /// The session file cannot be read.
    #[error("{path} cannot be read: {error}; name a session file, as `hustings run` prints it at its end", path = path.display())]
    Session {
        /// Which.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// Nobody answers in the run directory.
    #[error("no lab answers in {path}; `hustings ls` lists those that run", path = path.display())]
    Unreachable {
        /// The run directory.
        path: PathBuf,
    },
    /// The terminal could not be used.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
}

/// Shows a screen until it ends. It owns the terminal meanwhile, and signals TERM, HUP and INT end it.
///
/// # Errors
/// When there is no terminal, no such session, or no such lab; the terminal is then as it was.
pub fn run(options: Options) -> Result<Ending, DashboardError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(DashboardError::NoTerminal);
    }
    let model = match &options.source {
        Source::Session(path) => {
            let read = SessionReader::open(path);
            let session = read.map_err(|error| DashboardError::Session { path: path.clone(), error })?;
            Model::replay(&options, session)
        }
        Source::Lab { .. } => Model::live(&options),
        Source::Simulated(lab) => Model::simulated(&options, SharedLab::clone(lab)),
    };
    terminal::run(options, model)
}
