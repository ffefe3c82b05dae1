//! `clock N 1.5x`: a machine's own clock runs at another rate than the lab's (King, Gendreau and Ni 1988, 1.1: all clocks
//! run at one rate; Garcia-Molina 1982 has it within assumption 8).
//!
//! A machine uses its own clock only to wait: its timers run by it, and a running timer keeps the rest of its time by
//! that clock. All other times are the lab's. Stamps are readings of the one clock that all processes share, and links
//! delay in lab time. The ordered broadcast stamps and delivers in lab time too, because it takes synchronised clocks
//! for granted: this fault does not break that foundation.
//!
//! Invariant: an own clock never runs backwards and never jumps; for each of its readings, the first lab moment counts.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::FaultId;
use super::rate::{NotARate, thousandths_of};
use super::rate_table::RateTable;

/// How fast a clock runs, in thousandths of the lab's: 100 to 10,000, and not 1,000. In text `1.5x`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct ClockRate(u16);

impl ClockRate {
    /// The lab's own rate.
    const LAB: u16 = 1_000;
    const RANGE: RangeInclusive<u16> = 100..=10_000;

    /// This many thousandths of the lab's rate, if a clock may run at that rate.
    pub fn of_thousandths(thousandths: u16) -> Option<ClockRate> {
        let is_other = thousandths != ClockRate::LAB;
        (is_other && ClockRate::RANGE.contains(&thousandths)).then_some(ClockRate(thousandths))
    }

    /// In thousandths of the lab's rate.
    pub fn thousandths(self) -> u16 {
        self.0
    }
}

impl fmt::Display for ClockRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x", f64::from(self.0) / 1_000.0)
    }
}

/// Why a text is not a rate of a clock.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ClockRateTextError {
    /// Is not a number followed by an x.
    #[error("`{0}` is not a rate; write a number and an x, such as `1.5x`")]
    NoNumber(String),
    /// Is slower or faster than any clock may run.
    #[error("`{0}` is not a clock rate; a rate goes from 0.1x to 10x")]
    OutOfRange(String),
    /// Has more than three decimals.
    #[error("`{0}` is not a clock rate; a rate has at most three decimals")]
    TooFine(String),
    /// Is the lab's own rate.
    #[error(
        "a clock at 1x runs normally, so this is no fault; to end a clock fault, use `undo`, `heal all`, or `lift` with its id"
    )]
    OfTheLab,
}

impl FromStr for ClockRate {
    type Err = ClockRateTextError;

    fn from_str(text: &str) -> Result<ClockRate, ClockRateTextError> {
        let thousandths = thousandths_of(text, ClockRate::RANGE).map_err(|why| match why {
            NotARate::NoNumber => ClockRateTextError::NoNumber(text.to_owned()),
            NotARate::OutOfRange => ClockRateTextError::OutOfRange(text.to_owned()),
            NotARate::TooFine => ClockRateTextError::TooFine(text.to_owned()),
        })?;
        ClockRate::of_thousandths(thousandths).ok_or(ClockRateTextError::OfTheLab)
    }
}

impl Serialize for ClockRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ClockRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ClockRate, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A clock that a fault has run at another rate.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct ClockFault {
    /// The fault.
    pub by: FaultId,
    /// How fast the clock runs.
    pub rate: ClockRate,
}

/// A machine's own clock, as a table of its reading when each rate began. All times are in nanoseconds; before the
/// first rate it reads the lab's time.
#[derive(Clone, Default, Debug)]
pub struct OwnClock(RateTable);

impl OwnClock {
    /// From this moment of lab time on it runs at this rate; without one, at the lab's.
    pub fn set_rate(&mut self, rate: Option<ClockRate>, lab: u64) {
        self.0.run_at(rate.map_or(ClockRate::LAB, |rate| rate.0), lab);
    }

    /// The reading at a moment of lab time.
    pub fn own_at(&self, lab: u64) -> u64 {
        self.0.at(lab)
    }

    /// The first moment of lab time at which it shows this reading.
    pub fn lab_at(&self, own: u64) -> u64 {
        self.0.first(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> ClockRate {
        text.parse().unwrap()
    }

    #[test]
    fn a_rate_reads_back_what_it_prints() {
        for text in ["1.5x", "0.1x", "10x", "0.999x", "2x", "1.001x", "0.125x"] {
            assert_eq!(rate(text).to_string(), text);
            assert_eq!(serde_json::to_string(&rate(text)).unwrap(), format!("\"{text}\""));
        }
        assert_eq!(rate("1.50x"), ClockRate::of_thousandths(1_500).unwrap());
    }

    #[test]
    fn what_is_no_rate_is_told_with_what_would_do() {
        for (text, why) in [
            ("fast", "`fast` is not a rate; write a number and an x, such as `1.5x`"),
            ("1.5", "`1.5` is not a rate; write a number and an x, such as `1.5x`"),
            ("NaNx", "`NaNx` is not a rate; write a number and an x, such as `1.5x`"),
            ("infx", "`infx` is not a rate; write a number and an x, such as `1.5x`"),
            ("-1x", "`-1x` is not a clock rate; a rate goes from 0.1x to 10x"),
            ("0.0999x", "`0.0999x` is not a clock rate; a rate goes from 0.1x to 10x"),
            ("10.001x", "`10.001x` is not a clock rate; a rate goes from 0.1x to 10x"),
            ("1.5001x", "`1.5001x` is not a clock rate; a rate has at most three decimals"),
        ] {
            assert_eq!(text.parse::<ClockRate>().unwrap_err().to_string(), why);
        }
        let error = "1x".parse::<ClockRate>().unwrap_err();
        assert!(error.to_string().starts_with("a clock at 1x runs normally"), "{error}");
    }

    #[test]
    fn a_clock_runs_at_its_rate_until_it_runs_at_the_labs_again() {
        let mut clock = OwnClock::default();
        clock.set_rate(Some(rate("2x")), 1_000);
        clock.set_rate(None, 1_500);
        for (lab, own) in [(900, 900), (1_200, 1_400), (1_500, 2_000), (2_000, 2_500)] {
            assert_eq!((clock.own_at(lab), clock.lab_at(own)), (own, lab));
        }
    }
}
