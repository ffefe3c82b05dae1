//! The sessions of the default place, as a screen lists and opens them.
//!
//! Invariant: a session is opened to be looked at only, with the looks of the screen that asked for it.

use std::path::{Path, PathBuf};

use super::listed_session::{ListedSession, SessionChoice};
use super::model::Model;
use super::options::{Access, Farewell, Options, Role, Source, Tour};
use crate::protocol::visible;
use crate::record::{KeptSession, StoredSession, kept_sessions, session_named};

/// The sessions of the default place, the newest first.
///
/// # Errors
/// A sentence: they cannot be listed.
pub fn listed() -> Result<Vec<ListedSession>, String> {
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
/// A sentence: there is no such session, or it cannot be read.
pub fn opened(options: &Options, meant: &SessionChoice) -> Result<Box<Model>, String> {
    let path = match meant {
        SessionChoice::File(path) => path.clone(),
        SessionChoice::Named(name) if Path::new(name).exists() => PathBuf::from(name),
        SessionChoice::Named(name) => {
            let sessions = sessions()?;
            session_named(name, &sessions).map(|session| session.path.clone()).map_err(|none| none.to_string())?
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
    opened.map(Box::new).map_err(|error| format!("{} cannot be read: {error}.", path.display()))
}

fn sessions() -> Result<Vec<KeptSession>, String> {
    kept_sessions().map_err(|error| format!("The recorded sessions cannot be listed: {error}."))
}
