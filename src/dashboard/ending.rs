//! How a screen ended, or why it never opened.
//!
//! Invariant: every ending has one exit code.

use std::io;
use std::path::PathBuf;

use record::SessionError;

/// Why a screen ended.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ScreenEnd {
    /// A person left it.
    Quit,
    /// The lab ended, and why. To owners only.
    LabEnded(String),
    /// The lab is gone without a message. To owners only.
    LabLost,
    /// The lab has no room for another watcher, and why. To those alone that have seen nothing of it.
    Refused(String),
    /// A signal asked for it: its number.
    Signalled(i32),
    /// The terminal is gone.
    TerminalGone,
    /// A thread panicked: its message, which has been printed.
    Panicked(String),
}

impl ScreenEnd {
    /// The exit code that says so: 0, 1 for a lost lab, 6 for one without room, 70 for a panic, 128 and the signal's number.
    pub fn exit_code(&self) -> u8 {
        match self {
            ScreenEnd::Quit | ScreenEnd::LabEnded(_) => 0,
            ScreenEnd::LabLost => 1,
            ScreenEnd::Refused(_) => 6,
            ScreenEnd::Signalled(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            ScreenEnd::TerminalGone => 129,
            ScreenEnd::Panicked(_) => 70,
        }
    }
}

/// Why the screen did not open. The terminal is as it was.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// Standard input or output is not a terminal.
    #[error(
        "the screen needs a terminal on standard input and output; without one, `hustings run` plays a lab and \
         `hustings export` reads a session"
    )]
    NoTerminal,
    /// The session file cannot be read.
    #[error("{path} cannot be read: {error}; `hustings run` prints at its end where its session is", path = path.display())]
    Session {
        path: PathBuf,
        /// Why.
        error: SessionError,
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
