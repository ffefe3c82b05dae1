//! The sessions of the default place, as a screen lists and opens them.
//!
//! Invariant: a session is opened to be looked at only, with the looks of the screen that asked for it.

use std::io;
use std::path::{Path, PathBuf};

use crate::model::Model;
use crate::model::pages::{ListedSession, NoSession, SessionChoice};
use crate::options::{Access, Leaving, Options, Role, Source, Tour};
use protocol::visible_line;
use record::{KeptSession, NoSessionFile, StoredSession, kept_sessions, session_file};

/// The sessions of the default place, the newest first.
///
/// # Errors
/// The sessions cannot be listed.
pub fn listed() -> Result<Vec<ListedSession>, NoSession> {
    let told = |session: KeptSession| ListedSession {
        name: session.name(),
        about: format!("lab {}, {} ago, {}", visible_line(&session.head.name), session.age(), session.size()),
        path: session.path,
    };
    let unread = |(path, error): (PathBuf, io::Error)| ListedSession {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        about: format!("cannot be read: {error}"),
        path,
    };
    let kept = kept_sessions().map_err(NoSession::Unlisted)?;
    Ok(kept.sessions.into_iter().map(told).chain(kept.unreadable.into_iter().map(unread)).collect())
}

/// A screen for the session that is meant, with the looks of a screen with these options.
///
/// # Errors
/// There is no such session, or it cannot be read.
pub fn opened(options: &Options, meant: &SessionChoice) -> Result<Box<Model>, NoSession> {
    let path = match meant {
        SessionChoice::File(path) => path.clone(),
        SessionChoice::Named(name) => {
            session_file(Path::new(name)).map(|meant| meant.path).map_err(|error| match error {
                NoSessionFile::Unlisted(error) => NoSession::Unlisted(error),
                NoSessionFile::NoneOrSeveral(which) => NoSession::NoneOrSeveral(which),
            })?
        }
    };
    let options = Options {
        source: Source::Session(path.clone()),
        access: Access::ReadOnly,
        role: Role::Visitor,
        leaving: Leaving::AtOnce,
        tour: Tour::Hidden,
        ..options.clone()
    };
    let opened = StoredSession::open(&path).and_then(|session| Model::opened(&options, session));
    opened.map(Box::new).map_err(|error| NoSession::Unreadable { path, error })
}
