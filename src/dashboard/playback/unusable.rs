//! What of a session file cannot be used.
//!
//! Invariant: the first lines are named, and all are counted.

use record::{SessionError, Skipped};

/// What of a session file cannot be used.
#[derive(Clone, Default, Debug)]
pub struct Unusable {
    /// How many lines.
    pub count: usize,
    /// The first of them.
    pub first: Vec<Skipped>,
    /// Why it is not read any further, if it is not.
    pub end: Option<SessionError>,
}
