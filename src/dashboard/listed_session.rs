//! A session of the list on a screen, and how a person says which one is meant.
//!
//! Invariant: what is shown of a session here was made harmless for a terminal.

use std::io;
use std::path::PathBuf;

use record::{NotOneSession, SessionError};

/// A session in the list.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ListedSession {
    /// Its file.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Its lab, its age and its size, in words.
    pub about: String,
}

/// How a person says which session is meant.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum SessionChoice {
    /// By its file.
    File(PathBuf),
    /// By a file's name, `last`, its number in the list, or the beginning of its name.
    Named(String),
}

/// Why the sessions are not listed, or one of them is not opened.
#[derive(Debug, thiserror::Error)]
pub enum NoSession {
    /// The place of the sessions cannot be read.
    #[error("The recorded sessions cannot be listed: {0}.")]
    Unlisted(io::Error),
    /// The name means none, or several.
    #[error("{0}")]
    NoneOrSeveral(NotOneSession),
    /// It cannot be read.
    #[error("{path} cannot be read: {error}.", path = path.display())]
    Unreadable {
        /// Its file.
        path: PathBuf,
        /// Why.
        error: SessionError,
    },
}
