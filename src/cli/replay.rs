//! `hustings replay FILE`: a recorded session in the dashboard.

use std::path::PathBuf;

use super::needed;
use super::screen::{self, Look};
use crate::dashboard::{self, Access, Farewell, Options, Role, Source};

/// What `replay` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The session file; of a session in parts, any of them
    file: PathBuf,
    #[command(flatten)]
    look: Look,
}

/// Replays until `q`.
pub fn main(arguments: Arguments) -> u8 {
    let ended = dashboard::run(Options {
        source: Source::Session(arguments.file),
        access: Access::ReadOnly,
        role: Role::Visitor,
        farewell: Farewell::AtOnce,
        glyphs: arguments.look.glyphs(),
        colour: arguments.look.colour(),
        rerun: needed::again,
    });
    screen::exit_code(&ended)
}
