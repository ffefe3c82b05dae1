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
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::FaultId;

/// How fast a clock runs, in thousandths of the lab's: 100 to 10,000, and not 1,000. In text `1.5x`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct ClockRate(u16);

impl ClockRate {
    /// The lab's own rate.
    const LAB: u64 = 1_000;

    /// This many thousandths of the lab's rate, if a clock may run at that rate.
    pub fn of_thousandths(thousandths: u16) -> Option<ClockRate> {
        let is_other = u64::from(thousandths) != ClockRate::LAB;
        (is_other && (100..=10_000).contains(&thousandths)).then_some(ClockRate(thousandths))
    }

    /// It in thousandths of the lab's rate.
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
    /// It is not a number followed by an x.
    #[error("`{0}` is not a rate; write a number and an x, such as `1.5x`")]
    NoNumber(String),
    /// It is slower or faster than any clock may run.
    #[error("`{0}` is not a clock rate; a rate goes from 0.1x to 10x")]
    OutOfRange(String),
    /// It has more than three decimals.
    #[error("`{0}` is not a clock rate; a rate has at most three decimals")]
    TooFine(String),
    /// It is the lab's own rate.
    #[error(
        "a clock at 1x runs normally, so this is no fault; to end a clock fault, use `undo`, `heal all`, or `lift` with its id"
    )]
    OfTheLab,
}

impl FromStr for ClockRate {
    type Err = ClockRateTextError;

    fn from_str(text: &str) -> Result<ClockRate, ClockRateTextError> {
        let number: Option<f64> = text.strip_suffix('x').and_then(|number| number.trim().parse().ok());
        let Some(number) = number.filter(|number: &f64| number.is_finite()) else {
            return Err(ClockRateTextError::NoNumber(text.to_owned()));
        };
        if !(0.1..=10.0).contains(&number) {
            return Err(ClockRateTextError::OutOfRange(text.to_owned()));
        }
        let thousandths = (number * 1_000.0).round();
        if (thousandths - number * 1_000.0).abs() > 1e-6 {
            return Err(ClockRateTextError::TooFine(text.to_owned()));
        }
        ClockRate::of_thousandths(thousandths as u16).ok_or(ClockRateTextError::OfTheLab)
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
pub struct OwnClock(Vec<Stretch>);

/// From a moment of lab time on the clock runs at a rate.
#[derive(Copy, Clone, Debug)]
struct Stretch {
    lab: u64,
    own: u64,
    thousandths: u64,
}

impl Stretch {
    fn own_at(self, lab: u64) -> u64 {
        self.own.saturating_add(scaled(lab.saturating_sub(self.lab), self.thousandths, ClockRate::LAB))
    }

    /// The first moment of lab time at which it shows this reading.
    fn lab_at(self, own: u64) -> u64 {
        let more = own.saturating_sub(self.own);
        let floor = scaled(more, ClockRate::LAB, self.thousandths);
        let is_short = scaled(floor, self.thousandths, ClockRate::LAB) < more;
        self.lab.saturating_add(floor).saturating_add(u64::from(is_short))
    }
}

impl OwnClock {
    /// From this moment of lab time on it runs at this rate; without one, at the lab's.
    pub fn set_rate(&mut self, rate: Option<ClockRate>, lab: u64) {
        let thousandths = rate.map_or(ClockRate::LAB, |rate| u64::from(rate.0));
        let own = self.own_at(lab);
        self.0.push(Stretch { lab, own, thousandths });
    }

    /// Its reading at a moment of lab time.
    pub fn own_at(&self, lab: u64) -> u64 {
        self.stretch(|stretch| stretch.lab <= lab).map_or(lab, |stretch| stretch.own_at(lab))
    }

    /// The first moment of lab time at which it shows this reading.
    pub fn lab_at(&self, own: u64) -> u64 {
        self.stretch(|stretch| stretch.own < own).map_or(own, |stretch| stretch.lab_at(own))
    }

    /// The latest rate that began by then.
    fn stretch(&self, is_so: impl Fn(&Stretch) -> bool) -> Option<Stretch> {
        // Nearly always the clock is the lab's own, and the table empty.
        self.0.iter().rev().find(|stretch| is_so(stretch)).copied()
    }
}

fn scaled(nanos: u64, by: u64, of: u64) -> u64 {
    u64::try_from(u128::from(nanos) * u128::from(by) / u128::from(of)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    fn a_clock_runs_at_each_rate_from_when_it_was_given_it() {
        let mut clock = OwnClock::default();
        assert_eq!((clock.own_at(700), clock.lab_at(700)), (700, 700));
        clock.set_rate(Some(rate("2x")), 1_000);
        clock.set_rate(None, 1_500);
        clock.set_rate(Some(rate("0.5x")), 2_000);
        for (lab, own) in [(900, 900), (1_000, 1_000), (1_200, 1_400), (1_500, 2_000), (2_000, 2_500), (2_200, 2_600)] {
            assert_eq!((clock.own_at(lab), clock.lab_at(own)), (own, lab));
        }
    }

    proptest! {
        #[test]
        fn a_moment_of_the_own_clock_is_the_first_at_which_it_reads_so(
            changes in proptest::collection::vec((0..5_000u64, 100..10_000u16), 0..5), own in 0..60_000u64,
        ) {
            let mut clock = OwnClock::default();
            let mut now = 0;
            for (after, thousandths) in changes {
                now += after;
                clock.set_rate(ClockRate::of_thousandths(thousandths), now);
            }
            let lab = clock.lab_at(own);
            prop_assert!(clock.own_at(lab) >= own);
            prop_assert!(lab == 0 || clock.own_at(lab - 1) < own);
        }
    }
}
