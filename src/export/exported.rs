//! What a format is handed: a session, and how it is to be shown where a format shows the screen.
//!
//! Invariant: a format that shows no screen is the same at every size.

use std::path::Path;

use record::{Session, SessionNote};

/// A session that is to be exported.
pub struct Exported<'a> {
    /// The records.
    pub session: &'a dyn Session,
    /// What people wrote about it, by its time.
    pub notes: &'a [SessionNote],
    /// The file, for formats that show the screen.
    pub path: &'a Path,
    /// How large the screen is in these.
    pub size: ScreenSize,
    /// The moment that a picture shows, in nanoseconds since the lab began; without it, the end.
    pub at: Option<i64>,
    /// Which version of its format a recording has.
    pub cast: CastVersion,
}

/// Columns and rows of a screen.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct ScreenSize {
    pub columns: u16,
    pub rows: u16,
}

/// The version of a recording's format.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum CastVersion {
    /// Times are spans since the event before.
    Three,
    /// Times are spans since the beginning.
    Two,
}
