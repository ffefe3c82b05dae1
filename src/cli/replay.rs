//! `hustings replay FILE`: a recorded session in the dashboard.

use std::path::PathBuf;

use super::output::remark;
use super::screen::{self, ScreenLook};
use super::{candidates, code, session_names};
use dashboard::Source;
use record::StoredSession;

/// What `replay` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The session's file, of one in parts any of them; or `last`, or the number or the beginning of a name that
    /// `sessions` lists
    #[arg(value_name = "SESSION", add = candidates::session())]
    file: PathBuf,
    #[command(flatten)]
    look: ScreenLook,
}

/// Replays until `q`.
pub fn main(arguments: Arguments) -> u8 {
    let file = match session_names::file_of(&arguments.file) {
        Ok(file) => file,
        Err(code) => return code,
    };
    let is_session = StoredSession::open(&file).and_then(|session| session_names::holds_any(&session));
    // What cannot be read at all, the screen says.
    if is_session.is_ok_and(|is_session| !is_session) {
        remark(format!("{}: no line of it is one of a session", file.display()));
        return code::UNKNOWN;
    }
    let ended = dashboard::run(screen::options(Source::Session(file), &arguments.look));
    screen::exit_code(&ended)
}
