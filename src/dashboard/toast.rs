//! A toast: a message that is shown for a while.
//!
//! Invariant: what is wrong is shown longer than what went well.

use std::time::Duration;

/// A message that is shown for a while.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Toast {
    /// Its kind.
    pub tone: Tone,
    /// The sentence; lines are kept.
    pub text: String,
    /// Until when, by the screen's own clock.
    pub until: Duration,
    /// The row to which it belongs, and which Enter opens.
    pub row: Option<u64>,
}

/// The kind of a toast.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Tone {
    /// Something was done.
    Good,
    /// Something is worth knowing.
    Plain,
    /// Something is wrong.
    Bad,
}

impl Tone {
    /// How long such a toast is shown.
    pub fn lasts(self) -> Duration {
        match self {
            Tone::Good | Tone::Plain => Duration::from_secs(4),
            Tone::Bad => Duration::from_secs(10),
        }
    }
}
