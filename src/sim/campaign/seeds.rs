//! A range of seeds, such as `0..1000`: the first, and one past the last.
//!
//! Invariant: it has at least one seed, and a lab file may have each of them.

use std::fmt;
use std::str::FromStr;

/// Lab files have seeds below this.
const SEED_END: u64 = 1 << 63;

/// Seeds `a..b`, without `b`.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Seeds {
    first: u64,
    end: u64,
}

/// Why a text is not a range of seeds.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum SeedsTextError {
    /// It does not have the form.
    #[error("`{0}` is not a range of seeds; write the first and one past the last, such as 0..1000")]
    NoRange(String),
    /// It has no seed in it.
    #[error("{0}..{0} has no seed in it; the second number is one past the last seed, so seed {0} alone is {0}..{next}", next = .0.saturating_add(1))]
    Empty(u64),
    /// It runs backwards.
    #[error("{0}..{1} runs backwards; write the lower number first")]
    Backwards(u64, u64),
    /// Its seeds are too large.
    #[error("{0} is beyond the largest seed of a lab, 2^63 - 1")]
    TooLarge(u64),
}

impl Seeds {
    /// This seed alone.
    pub fn only(seed: u64) -> Seeds {
        Seeds { first: seed, end: seed + 1 }
    }

    /// The first.
    pub fn first(self) -> u64 {
        self.first
    }

    /// One past the last.
    pub fn end(self) -> u64 {
        self.end
    }

    /// How many there are.
    pub fn number(self) -> u64 {
        self.end - self.first
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.end)
    }
}

impl FromStr for Seeds {
    type Err = SeedsTextError;

    fn from_str(text: &str) -> Result<Seeds, SeedsTextError> {
        let no_range = || SeedsTextError::NoRange(text.to_owned());
        let (first, end) = text.split_once("..").ok_or_else(no_range)?;
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| no_range());
        match (number(first)?, number(end)?) {
            (first, end) if end > SEED_END => Err(SeedsTextError::TooLarge(first.max(end - 1))),
            (first, end) if first > end => Err(SeedsTextError::Backwards(first, end)),
            (first, end) if first == end => Err(SeedsTextError::Empty(first)),
            (first, end) => Ok(Seeds { first, end }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_reads_back_what_it_prints_and_counts_without_its_end() {
        let seeds: Seeds = "7..12".parse().unwrap();
        assert_eq!((seeds.first(), seeds.end(), seeds.number(), seeds.to_string()), (7, 12, 5, "7..12".into()));
        assert_eq!("7..8".parse(), Ok(Seeds::only(7)));
        let last = "9223372036854775807..9223372036854775808".parse::<Seeds>();
        assert_eq!(last, Ok(Seeds::only((1 << 63) - 1)));
    }

    #[test]
    fn what_is_no_range_says_what_is_wrong_with_it() {
        for (text, what) in [
            ("100", "`100` is not a range of seeds; write the first and one past the last"),
            ("..100", "`..100` is not a range"),
            ("0..", "`0..` is not a range"),
            ("-1..5", "`-1..5` is not a range"),
            ("0..=5", "`0..=5` is not a range"),
            ("5..5", "5..5 has no seed in it; the second number is one past the last seed, so seed 5 alone is 5..6"),
            ("9..3", "9..3 runs backwards; write the lower number first"),
            ("0..9223372036854775809", "9223372036854775808 is beyond the largest seed of a lab"),
        ] {
            let error = text.parse::<Seeds>().unwrap_err().to_string();
            assert!(error.starts_with(what), "{text}: {error}");
        }
    }
}
