//! How a command says which session it means: a file, `last`, a number of the list that `sessions` prints, or a unique
//! beginning of a name in it. What keeps and forgets sessions of the list takes their files' paths too.
//!
//! Invariant: what is there as a file is that file; a name that means none or several is refused with those that there
//! are.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::code;
use super::tell::remark;
use crate::record::{
    KeptSession, NoSessionFile, NotOneSession, Session, SessionEntry, SessionError, StoredSession, kept_sessions,
    session_file, session_named,
};

/// The file of the session that is meant. On an error stderr has the reason.
pub fn file_of(meant: &Path) -> Result<PathBuf, u8> {
    session_file(meant).map_err(|error| match error {
        NoSessionFile::Unlisted(_) => {
            remark(error);
            code::ENVIRONMENT
        }
        NoSessionFile::NoneOrSeveral(which) => none_or_several(&which),
    })
}

/// The session of the default place that is meant. On an error stderr has the reason.
fn session_of(name: &str) -> Result<KeptSession, u8> {
    let sessions = listed()?;
    session_named(name, &sessions).cloned().map_err(|which| none_or_several(&which))
}

/// Says which sessions a name may mean.
fn none_or_several(NotOneSession { why, named, more }: &NotOneSession) -> u8 {
    remark(why);
    named.iter().for_each(|name| remark(format!("  {name}")));
    if *more > 0 {
        remark(format!("  and {more} more; `hustings sessions` lists them"));
    }
    code::FAILED
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
    if !meant.contains('/')
        && let Ok(session) = session_named(meant, &sessions)
    {
        return Ok(session.clone());
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
        remark(NoSessionFile::Unlisted(error));
        code::ENVIRONMENT
    })
}

/// Whether any line of this file is one of a session.
///
/// # Errors
/// The session cannot be read.
pub fn holds_any(session: &StoredSession) -> Result<bool, SessionError> {
    let mut has_any = session.head().is_some();
    if !has_any {
        session.go_through(&mut |entry| match entry {
            SessionEntry::Skipped(_) => ControlFlow::Continue(()),
            SessionEntry::Head(_) | SessionEntry::Record(_) => {
                has_any = true;
                ControlFlow::Break(())
            }
        })?;
    }
    Ok(has_any)
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
