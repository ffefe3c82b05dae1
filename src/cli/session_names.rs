//! How a command says which session it means: a file, `last`, a number of the list that `sessions` prints, or a unique
//! beginning of a name in it. What keeps and forgets sessions of the list takes their files' paths too.
//!
//! Invariant: what is there as a file is that file; a name that means none or several is refused with those that there
//! are.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::code;
use super::tell::remark;
use crate::record::{KeptSession, Session, SessionEntry, SessionError, StoredSession, kept_sessions};

/// The word for the newest session.
const LAST: &str = "last";
/// At most so many sessions are named in a refusal.
const NAMED_MAX: usize = 10;

/// The file of the session that is meant. On an error stderr has the reason.
pub fn file_of(meant: &Path) -> Result<PathBuf, u8> {
    let is_a_name = meant.components().count() == 1 && meant.symlink_metadata().is_err();
    match meant.to_str().filter(|_| is_a_name) {
        Some(name) if !Path::new(&format!("{name}.zst")).exists() => session_of(name).map(|session| session.path),
        _ => Ok(meant.to_owned()),
    }
}

/// The session of the default place that is meant. On an error stderr has the reason.
pub fn session_of(name: &str) -> Result<KeptSession, u8> {
    let sessions = listed()?;
    let refused = |why: String, named: &[&KeptSession]| {
        remark(why);
        named.iter().take(NAMED_MAX).for_each(|session| remark(format!("  {}", session.name())));
        if named.len() > NAMED_MAX {
            remark(format!("  and {} more; `hustings sessions` lists them", named.len() - NAMED_MAX));
        }
        Err(code::FAILED)
    };
    let all: Vec<&KeptSession> = sessions.iter().collect();
    let none = |name: &str| match all.is_empty() {
        true => refused(format!("there is no file and no session {name}, and no session was recorded yet"), &[]),
        false => refused(format!("there is no file and no session {name}; the newest sessions are:"), &all),
    };
    if name == LAST {
        return sessions.first().cloned().map_or_else(|| none(name), Ok);
    }
    let is_number = !name.is_empty() && name.len() < 6 && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        let place = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        return place.and_then(|place| sessions.get(place)).cloned().map_or_else(|| none(name), Ok);
    }
    let is_it =
        |session: &&KeptSession| session.name() == name || session.path.file_name().is_some_and(|of| of == name);
    if let Some(exact) = sessions.iter().find(is_it) {
        return Ok(exact.clone());
    }
    let begun: Vec<&KeptSession> = sessions.iter().filter(|session| session.name().starts_with(name)).collect();
    match &begun[..] {
        [] => none(name),
        [one] => Ok(KeptSession::clone(one)),
        several => refused(format!("{} sessions begin with {name}:", several.len()), several),
    }
}

/// The session of the default place that is meant, by its name there or by the path of its file. On an error stderr has
/// the reason.
pub fn kept_of(meant: &str) -> Result<KeptSession, u8> {
    let Ok(path) = Path::new(meant).canonicalize() else { return session_of(meant) };
    let is_it = |session: &KeptSession| session.path.canonicalize().is_ok_and(|of| of == path);
    let mut sessions = listed()?;
    if let Some(place) = sessions.iter().position(is_it) {
        return Ok(sessions.swap_remove(place));
    }
    // A file that only happens to have this name here.
    if sessions.iter().any(|session| session.name() == meant) || meant == LAST {
        return session_of(meant);
    }
    remark(format!(
        "{meant}: this is not the first file of a session that `hustings sessions` lists; only those can be made to go, and \
         all other files stay as they are"
    ));
    Err(code::FAILED)
}

/// The sessions of the default place, the newest first. On an error stderr has the reason.
pub fn listed() -> Result<Vec<KeptSession>, u8> {
    kept_sessions().map_err(|error| {
        remark(format!("the recorded sessions cannot be listed: {error}"));
        code::ENVIRONMENT
    })
}

/// Says which lines of this file's session cannot be used. Returns whether any line can.
///
/// # Errors
/// The session cannot be read to its end.
pub fn remark_skipped(session: &StoredSession, file: &Path) -> Result<bool, SessionError> {
    let mut has_any = session.head().is_some();
    session.go_through(&mut |entry| {
        match entry {
            SessionEntry::Skipped(skipped) => {
                remark(format!("{}:{}: skipped: {}", file.display(), skipped.line, skipped.why));
            }
            SessionEntry::Head(_) | SessionEntry::Record(_) => has_any = true,
        }
        ControlFlow::Continue(())
    })?;
    Ok(has_any)
}
