//! What the records that are seen are worth: of now, or of a session that is played, and how.
//!
//! Invariant: a panel is told no more than this of where they come from.

use std::fmt;

/// What the records that are seen are worth.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Freshness {
    /// Nothing was heard of the lab yet.
    Calling,
    /// They are of now.
    Live,
    /// The lab was heard up to this stamp, in nanoseconds since it began.
    SilentSince(i64),
    /// The lab is over.
    Over,
    /// The lab is gone without a word.
    Gone,
    /// They are of a session that is played.
    Played {
        /// Whether it is.
        motion: Motion,
        /// How fast.
        speed: Speed,
        /// How many records have happened.
        position: usize,
        /// How many records there are.
        count: usize,
    },
}

/// Whether a session is played.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Motion {
    /// It does.
    Playing,
    /// It stands.
    Standing,
}

/// How fast a session is played: a power of two times the speed at which it happened.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub struct Speed(i8);

impl Speed {
    /// The speed at which it happened.
    pub const AS_IT_HAPPENED: Speed = Speed(0);
    const SLOWEST: Speed = Speed(-2);
    const FASTEST: Speed = Speed(4);

    /// Twice as fast; `None` if there is no faster one.
    pub fn faster(self) -> Option<Speed> {
        Some(Speed(self.0 + 1)).filter(|speed| *speed <= Speed::FASTEST)
    }

    /// Half as fast; `None` if there is no slower one.
    pub fn slower(self) -> Option<Speed> {
        Some(Speed(self.0 - 1)).filter(|speed| *speed >= Speed::SLOWEST)
    }

    /// How much of the session passes in so many nanoseconds.
    pub fn of(self, nanos: i64) -> i64 {
        if self.0 < 0 { nanos >> -self.0 } else { nanos.saturating_mul(1 << self.0) }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x", f64::from(self.0).exp2())
    }
}
