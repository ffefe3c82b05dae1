//! The sessions of the default place, as a screen lists and opens them.
//!
//! Invariant: a session is opened to be looked at only, with the looks of the screen that asked for it.

use std::path::{Path, PathBuf};

use super::listed_session::{ListedSession, NoSession, SessionChoice};
use super::model::Model;
use super::options::{Access, Farewell, Options, Role, Source, Tour};
use crate::protocol::visible;
use crate::record::{KeptSession, StoredSession, kept_sessions, session_named};

/// The sessions of the default place, the newest first.
///
/// # Errors
/// They cannot be listed.
pub fn listed() -> Result<Vec<ListedSession>, NoSession> {
    let told = |session: KeptSession| ListedSession {
        name: session.name(),
        about: format!("lab {}, {} ago, {}", visible(&session.first.head.name), session.age(), session.size()),
        path: session.path,
    };
    Ok(sessions()?.into_iter().map(told).collect())
}

/// A screen for the session that is meant, with the looks of a screen with these options.
///
/// # Errors
/// There is no such session, or it cannot be read.
pub fn opened(options: &Options, meant: &SessionChoice) -> Result<Box<Model>, NoSession> {
    let path = match meant {
        SessionChoice::File(path) => path.clone(),
        SessionChoice::Named(name) if Path::new(name).exists() => PathBuf::from(name),
        SessionChoice::Named(name) => {
            let sessions = sessions()?;
            session_named(name, &sessions).map(|session| session.path.clone()).map_err(NoSession::NoneOrSeveral)?
        }
    };
    let options = Options {
        source: Source::Session(path.clone()),
        access: Access::ReadOnly,
        role: Role::Visitor,
        farewell: Farewell::AtOnce,
        tour: Tour::Hidden,
        ..options.clone()
    };
    let opened = StoredSession::open(&path).and_then(|session| Model::opened(&options, session));
    opened.map(Box::new).map_err(|error| NoSession::Unreadable { path, error })
}

fn sessions() -> Result<Vec<KeptSession>, NoSession> {
    kept_sessions().map_err(NoSession::Unlisted)
}
