//! Which session is meant: a file, or, of the default place, `last`, a number of the list, or a unique beginning of a name.
//!
//! Invariant: what is there as a file is that file; a name that means none or several is refused with those that there
//! are.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::{KeptSession, kept_sessions, parts};

/// The word for the newest session.
const LAST: &str = "last";
/// At most so many sessions are named in a refusal.
const NAMED_MAX: usize = 10;

/// No file is meant.
#[derive(Debug, thiserror::Error)]
pub enum NoSessionFile {
    /// The sessions of the default place cannot be listed.
    #[error("the recorded sessions cannot be listed: {0}")]
    Unlisted(io::Error),
    /// A name means none of them, or several.
    #[error("{0}")]
    NoneOrSeveral(NotOneSession),
}

/// A name means no session, or several.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct NotOneSession {
    /// What is wrong with the name.
    pub why: String,
    /// The sessions that there are, or that are meant.
    pub named: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

impl fmt::Display for NotOneSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.why)?;
        if !self.named.is_empty() {
            write!(f, " {}", self.named.join(", "))?;
        }
        if self.more > 0 {
            write!(f, " and {} more", self.more)?;
        }
        Ok(())
    }
}

/// The file of the session that is meant: what has this path, or the session of the default place that has this name.
///
/// # Errors
/// Nothing is there, and the name means none or several.
pub fn session_file(meant: &Path) -> Result<PathBuf, NoSessionFile> {
    let is_path = meant.components().count() != 1 || meant.symlink_metadata().is_ok() || parts::are_there(meant);
    let Some(name) = meant.to_str().filter(|_| !is_path) else { return Ok(meant.to_owned()) };
    let sessions = kept_sessions().map_err(NoSessionFile::Unlisted)?;
    session_named(name, &sessions).map(|session| session.path.clone()).map_err(NoSessionFile::NoneOrSeveral)
}

/// The one of these sessions, the newest first, that a name means.
///
/// # Errors
/// None or several are meant.
pub fn session_named<'s>(name: &str, sessions: &'s [KeptSession]) -> Result<&'s KeptSession, NotOneSession> {
    let none = || match sessions.is_empty() {
        true => refused(format!("there is no file and no session {name}, and no session was recorded yet"), &[]),
        false => {
            let all: Vec<&KeptSession> = sessions.iter().collect();
            refused(format!("there is no file and no session {name}; the newest sessions are:"), &all)
        }
    };
    if name == LAST {
        return sessions.first().ok_or_else(none);
    }
    let is_number = !name.is_empty() && name.len() < 6 && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        let place = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(session) = place.and_then(|place| sessions.get(place)) {
            return Ok(session);
        }
    }
    let is_it =
        |session: &&KeptSession| session.name() == name || session.path.file_name().is_some_and(|of| of == name);
    if let Some(exact) = sessions.iter().find(is_it) {
        return Ok(exact);
    }
    let begun: Vec<&KeptSession> = sessions.iter().filter(|session| session.name().starts_with(name)).collect();
    match &begun[..] {
        [] => Err(none()),
        [one] => Ok(one),
        several => Err(refused(format!("{} sessions begin with {name}:", several.len()), several)),
    }
}

fn refused(why: String, named: &[&KeptSession]) -> NotOneSession {
    let names = named.iter().take(NAMED_MAX).map(|session| session.name()).collect();
    NotOneSession { why, named: names, more: named.len().saturating_sub(NAMED_MAX) }
}
