//! What the shown records are: the present, or a session that is played, and how.
//!
//! Invariant: a panel learns no more than this about the source of the records.

use std::fmt;

/// What the shown records are.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Freshness {
    /// The lab has sent nothing yet.
    Calling,
    /// They are the present.
    Live,
    /// The lab has sent records up to this stamp, in nanoseconds since it began.
    SilentSince(i64),
    /// The lab is over.
    Over,
    /// The lab is gone without a message.
    Gone,
    /// They are a session that is played.
    Played {
        /// Whether it plays.
        motion: Motion,
        /// How fast.
        speed: Speed,
        /// How many records have happened.
        position: usize,
        /// How many records there are.
        count: usize,
    },
}

/// Whether a session plays.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Motion {
    /// It plays.
    Playing,
    /// It has stopped.
    Standing,
}

/// The speed of a played session: a power of two times the speed at which it happened.
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

    /// How many nanoseconds of the session pass in this many nanoseconds.
    pub fn of(self, nanos: i64) -> i64 {
        if self.0 < 0 { nanos >> -self.0 } else { nanos.saturating_mul(1 << self.0) }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x", f64::from(self.0).exp2())
    }
}
