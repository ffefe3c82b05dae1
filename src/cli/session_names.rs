//! How a command says which session it means: a file, a name in the list that `sessions` prints or its unique
//! beginning, `last`, or a number of the list. What keeps and forgets sessions of the list takes their files' paths
//! too.
//!
//! Invariant: what is there as a file is that file; a name that means none or several is refused with those that there
//! are; where `last` passes over a lab that still runs, that is said.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::code;
use super::output::remark;
use protocol::visible_line;
use record::{
    KeptSession, NoSessionFile, NotOneSession, SelectedFile, Session, SessionDirectory, SessionEntry, SessionError,
    StoredSession, kept_sessions, session_file, session_to_change,
};

/// The file of the session that is meant. On an error stderr has the reason.
pub fn file_of(meant: &Path) -> Result<PathBuf, u8> {
    let SelectedFile { path, running } = session_file(meant).map_err(|error| match error {
        NoSessionFile::Unlisted(_) => {
            remark(error);
            code::ENVIRONMENT
        }
        NoSessionFile::NoneOrSeveral(which) => none_or_several(&which),
    })?;
    if let Some(running) = running {
        let (running, path) = (visible_line(&running), path.display());
        remark(format!("the lab of {running} still runs; the newest session of one that has ended is {path}"));
    }
    Ok(path)
}

/// Says which sessions a name may mean.
fn none_or_several(NotOneSession { why, named, more }: &NotOneSession) -> u8 {
    remark(why);
    named.iter().for_each(|name| remark(format!("  {}", visible_line(name))));
    if *more > 0 {
        remark(format!("  and {more} more; `hustings sessions` lists them"));
    }
    code::FAILED
}

/// The session of the default place that is meant, by its name there or by the path of its file, to change or delete
/// it. On an error stderr has the reason.
pub fn kept_of(meant: &str) -> Result<KeptSession, u8> {
    let sessions = listed()?.sessions;
    let path = Path::new(meant).canonicalize().ok();
    let is_it = |session: &&KeptSession| session.path.canonicalize().is_ok_and(|of| Some(of) == path);
    let at_path = path.as_ref().and_then(|_| sessions.iter().find(is_it));
    let found = match at_path {
        Some(session) if meant.contains('/') => Ok(session),
        None if meant.contains('/') && path.is_some() => Err(None),
        // A file that is none of the list may happen to have this name here.
        _ => session_to_change(meant, at_path, &sessions).map_err(Some),
    };
    match found {
        Ok(session) => Ok(session.clone()),
        Err(Some(which)) if path.is_none() || at_path.is_some() => Err(none_or_several(&which)),
        Err(_) => {
            remark(format!(
                "{meant}: this is not the first file of a session that `hustings sessions` lists; only those can be made to \
                 go, and all other files stay as they are"
            ));
            Err(code::FAILED)
        }
    }
}

/// The sessions of the default place. On an error stderr has the reason.
pub fn listed() -> Result<SessionDirectory, u8> {
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
