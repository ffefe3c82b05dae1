//! A session of the list on a screen, and how a person says which one is meant.
//!
//! Invariant: what is shown of a session here was made harmless for a terminal.

use std::path::PathBuf;

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
