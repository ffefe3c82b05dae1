//! What the shown records are: the present, or a session that is played, and how.
//!
//! Invariant: a panel learns no more than this about the source of the records.

use std::fmt;
use std::time::Duration;

use protocol::Span;

/// What the shown records are.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Freshness {
    /// The lab has sent nothing yet.
    Calling,
    /// The records are the present.
    Live,
    /// The lab has sent records up to this stamp, in nanoseconds since it began.
    SilentSince(i64),
    /// The lab is over.
    Over,
    /// The lab is gone without a message.
    Gone,
    /// The records are a session that is played.
    Played {
        /// How they go on.
        rate: Rate,
        /// How fast.
        speed: Speed,
        /// How many records have happened.
        position: usize,
        /// How many records there are.
        count: usize,
    },
}

/// How the moment on the screen goes on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Rate {
    /// With the running lab, whose newest moment it is.
    WithTheLab,
    /// Not at all. Behind the newest moment of a running lab a record may still belong to it, until the first that is later.
    Standing,
    /// At the speed of the session.
    Playing,
    /// Event by event, whatever time lies between them.
    Paced {
        /// The next event comes when the screen's clock shows this.
        next: Duration,
        /// When the last event that could be seen happened, or since when it is paced.
        seen_at: i64,
    },
    /// As it happened, but for long silences while nothing is read, until it shows the newest moment of a running lab.
    CatchingUp {
        /// When the last event was shown, by the screen's clock, or until when an answer is read.
        since: Duration,
        /// When that event happened.
        seen_at: i64,
    },
}

/// How far apart the events of a paced picture are at least, in milliseconds.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub struct EventPace(u16);

impl EventPace {
    /// A quarter of a second: an eye can follow.
    pub const FIRST: EventPace = EventPace(250);
    const SLOWEST: EventPace = EventPace(8_000);
    const FASTEST: EventPace = EventPace(125);

    /// Twice as far apart; `None` if they cannot be farther.
    pub fn slower(self) -> Option<EventPace> {
        Some(EventPace(self.0.saturating_mul(2))).filter(|pace| *pace <= EventPace::SLOWEST)
    }

    /// Half as far apart; `None` if they cannot be nearer.
    pub fn faster(self) -> Option<EventPace> {
        Some(EventPace(self.0 / 2)).filter(|pace| *pace >= EventPace::FASTEST)
    }

    /// The time between two events.
    pub fn apart(self) -> Duration {
        Duration::from_millis(u64::from(self.0))
    }
}

impl fmt::Display for EventPace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span::from_millis(u64::from(self.0)).fmt(f)
    }
}

/// The speed of a played session: one of a few shares or multiples of the speed of its lab time.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub struct Speed(usize);

/// All speeds, in hundredths.
const SPEEDS: [i64; 10] = [2, 5, 10, 25, 50, 100, 200, 400, 800, 1_600];
/// The place among them of the speed at which it happened.
const AS_IT_HAPPENED: usize = 5;

impl Speed {
    /// The speed at which it happened.
    pub const AS_IT_HAPPENED: Speed = Speed(AS_IT_HAPPENED);

    /// The next faster one; `None` if there is none.
    pub fn faster(self) -> Option<Speed> {
        Some(Speed(self.0 + 1)).filter(|speed| speed.0 < SPEEDS.len())
    }

    /// The next slower one; `None` if there is none.
    pub fn slower(self) -> Option<Speed> {
        self.0.checked_sub(1).map(Speed)
    }

    /// How many nanoseconds of the session pass in this many nanoseconds.
    pub fn of(self, nanos: i64) -> i64 {
        nanos.saturating_mul(SPEEDS[self.0]) / SPEEDS[AS_IT_HAPPENED]
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x", SPEEDS[self.0] as f64 / SPEEDS[AS_IT_HAPPENED] as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_speed_is_what_it_says() {
        let mut speed = Speed::AS_IT_HAPPENED;
        while let Some(slower) = speed.slower() {
            speed = slower;
        }
        let all = std::iter::successors(Some(speed), |speed| speed.faster());
        let told: Vec<String> = all.map(|speed| format!("{speed} {}", speed.of(1_000))).collect();
        let expected = ["0.02x 20", "0.05x 50", "0.1x 100", "0.25x 250", "0.5x 500", "1x 1000", "2x 2000"];
        assert_eq!(told[..7], expected);
        assert_eq!(told[7..], ["4x 4000", "8x 8000", "16x 16000"]);
    }
}
