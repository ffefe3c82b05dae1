//! At what a picture of a lab may stop, while the lab itself goes on: the beginning of an election, a violation, or a
//! condition in the words of a lab file.
//!
//! Invariant: a picture stops at the record with which it comes, and not because something is so already.

use std::fmt;
use std::str::FromStr;

use super::question::holds;
use lab::{Condition, ConditionTextError};
use world::World;

/// At what a picture stops.
#[derive(Clone, PartialEq, Debug)]
pub enum PictureStop {
    /// The beginning of an election.
    Election,
    /// A violation, excused or not.
    Violation,
    /// A condition of a moment comes true.
    Condition(Condition),
}

/// Why a text is nothing at which a picture stops.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum PictureStopTextError {
    /// Is no condition.
    #[error("{0}; write `election`, `violation`, or a condition such as `coordinator 4` or `all normal`")]
    NoCondition(#[from] ConditionTextError),
    /// Is asked when a lab ends.
    #[error(
        "`{0}` is asked at the end of a lab; write `election`, `violation`, or a condition such as `coordinator 4`"
    )]
    OfTheEnd(String),
}

impl FromStr for PictureStop {
    type Err = PictureStopTextError;

    fn from_str(text: &str) -> Result<PictureStop, PictureStopTextError> {
        match text.trim() {
            "election" | "an election begins" => Ok(PictureStop::Election),
            "violation" | "a violation comes" => Ok(PictureStop::Violation),
            text => {
                let condition: Condition = text.parse()?;
                if condition.is_at_end() {
                    return Err(PictureStopTextError::OfTheEnd(text.to_owned()));
                }
                Ok(PictureStop::Condition(condition))
            }
        }
    }
}

impl fmt::Display for PictureStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureStop::Election => f.write_str("an election begins"),
            PictureStop::Violation => f.write_str("a violation comes"),
            PictureStop::Condition(condition) => write!(f, "{condition}"),
        }
    }
}

/// What is so at one moment, as far as it matters to a stop.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct StopLook {
    elections: u64,
    violations: usize,
    holds: bool,
}

impl PictureStop {
    /// What is so in this world.
    pub fn look(&self, world: &World) -> StopLook {
        let holds = match self {
            PictureStop::Condition(condition) => holds(condition, world),
            PictureStop::Election | PictureStop::Violation => false,
        };
        StopLook { elections: world.elections.count, violations: world.violations.count(|_| true), holds }
    }

    /// Whether it has come, in this world, since that look.
    pub fn has_come(&self, before: StopLook, world: &World) -> bool {
        let now = self.look(world);
        match self {
            PictureStop::Election => now.elections > before.elections,
            PictureStop::Violation => now.violations > before.violations,
            PictureStop::Condition(_) => now.holds && !before.holds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_picture_stops_at_is_read_or_what_would_do_is_told() {
        for (text, told) in [
            ("election", "an election begins"),
            (" violation ", "a violation comes"),
            ("coordinator 4", "coordinator 4"),
            ("all normal", "all normal"),
        ] {
            let stop: PictureStop = text.parse().unwrap();
            assert_eq!(stop.to_string(), told);
            assert_eq!(told.parse::<PictureStop>(), Ok(stop));
        }
        for text in ["", "leader", "no violation"] {
            let error = text.parse::<PictureStop>().unwrap_err().to_string();
            assert!(error.contains("write `election`, `violation`, or a condition"), "{error}");
        }
    }
}
