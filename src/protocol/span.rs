//! Durations, and the periods a lab gives its algorithm.
//!
//! Invariant: a span is whole nanoseconds, is never negative, and prints so that it reads back the same.

use std::fmt;
use std::ops::{Add, Div, Mul};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A duration in nanoseconds. In text `250us`, `200ms`, `1.5s`, `2m`; in a record the number.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(u64);

const UNITS: [(&str, u64); 5] =
    [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000)];

impl Span {
    /// Zero.
    pub const ZERO: Span = Span(0);

    /// This many nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Span {
        Span(nanos)
    }

    /// This many milliseconds.
    pub const fn from_millis(millis: u64) -> Span {
        Span(millis * 1_000_000)
    }

    /// The nanoseconds.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// This span minus the other, or zero if the other is longer.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }

    /// This span times a number, which may be a fraction; rounded to the nanosecond.
    pub fn scaled(self, factor: f64) -> Span {
        Span((self.0 as f64 * factor).round() as u64)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, times: u64) -> Span {
        Span(self.0.saturating_mul(times))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    fn div(self, parts: u64) -> Span {
        Span(self.0 / parts)
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Duration {
        Duration::from_nanos(span.0)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, size) = match self.0 {
            0 => ("ms", 1_000_000),
            nanos if nanos < 1_000 => UNITS[0],
            nanos if nanos < 1_000_000 => UNITS[1],
            nanos if nanos < 1_000_000_000 => UNITS[2],
            _ => UNITS[3],
        };
        let (whole, rest) = (self.0 / size, self.0 % size);
        if rest == 0 {
            return f.pad(&format!("{whole}{unit}"));
        }
        let digits = size.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        f.pad(&format!("{whole}.{}{unit}", fraction.trim_end_matches('0')))
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is not a span.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SpanTextError {
    /// Is no number with a unit.
    #[error("`{0}` is not a duration; write a number and a unit, such as `200ms` or `1.5s` (ns, us, ms, s, m)")]
    NotASpan(String),
    /// Is longer than any lab lasts.
    #[error("`{0}` is too long; the longest duration is `1440m`, a day")]
    TooLong(String),
}

impl FromStr for Span {
    type Err = SpanTextError;

    fn from_str(text: &str) -> Result<Span, SpanTextError> {
        let wrong = || SpanTextError::NotASpan(text.to_owned());
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, unit) = trimmed.split_at(end);
        let (_, size) = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or_else(wrong)?;
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let nanos = number * *size as f64;
        // No lab lasts longer than a day; past 2^53 a record could not carry it as a number.
        match nanos > 86_400e9 {
            true => Err(SpanTextError::TooLong(text.to_owned())),
            false => Ok(Span(nanos.round() as u64)),
        }
    }
}

/// The periods of a lab. The Card of the running algorithm says what `t` bounds.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// The bound T.
    pub t: Span,
    /// How often Check runs.
    pub check: Span,
    /// How long a coordinator may be silent before Timeout runs.
    pub silence: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_reads_back_what_it_prints() {
        for text in ["0ms", "17ns", "250us", "200ms", "1.5s", "12.25s", "71.503ms"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        assert_eq!("2m".parse::<Span>().unwrap().to_string(), "120s");
    }

    #[test]
    fn a_text_that_is_no_span_says_so() {
        for text in ["", "5", "ms", "1.2.3s", "-1s", "4 parsecs"] {
            assert_eq!(text.parse::<Span>(), Err(SpanTextError::NotASpan(text.to_owned())), "{text}");
        }
        let long = "90000s".parse::<Span>().unwrap_err();
        assert_eq!(long.to_string(), "`90000s` is too long; the longest duration is `1440m`, a day");
        assert_eq!("1440m".parse::<Span>().unwrap().to_string(), "86400s");
    }
}
