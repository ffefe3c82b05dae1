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
    /// Does not have the form.
    #[error("`{0}` is not a range of seeds; write the first and one past the last, such as 0..1000")]
    NoRange(String),
    /// Has no seed in it.
    #[error("{0}..{0} has no seed in it; the second number is one past the last seed, so seed {0} alone is {0}..{next}", next = .0.saturating_add(1))]
    Empty(u64),
    /// Runs backwards.
    #[error("{0}..{1} runs backwards; write the lower number first")]
    Backwards(u64, u64),
    /// The seeds are too large.
    #[error("{0} is beyond the largest seed of a lab, 2^63 - 1")]
    TooLarge(u64),
}

/// One of several parts of a range of seeds, such as `2/8`: the second of eight.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub struct SeedShard {
    /// Which, from 1.
    pub index: u64,
    /// How many parts there are.
    pub of: u64,
}

/// A text is no part of a range of seeds.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("`{0}` is no shard; write which one and how many there are, such as 1/8 for the first of eight")]
pub struct SeedShardTextError(String);

/// There are more shards than seeds.
#[derive(Copy, Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("{seeds} has {} seeds, which are too few for {of} shards; write {} shards at most", seeds.number(), seeds.number())]
pub struct TooFewSeeds {
    seeds: Seeds,
    of: u64,
}

impl FromStr for SeedShard {
    type Err = SeedShardTextError;

    fn from_str(text: &str) -> Result<SeedShard, SeedShardTextError> {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let shard =
            text.split_once('/').and_then(|(index, of)| Some(SeedShard { index: number(index)?, of: number(of)? }));
        shard.filter(|SeedShard { index, of }| (1..=*of).contains(index)).ok_or(SeedShardTextError(text.to_owned()))
    }
}

impl fmt::Display for SeedShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Seeds {
    /// The seeds of this shard. All shards together have each seed once, and their numbers of seeds differ by 1 at most.
    ///
    /// # Errors
    /// Some shard would have no seed.
    pub fn part(self, shard: SeedShard) -> Result<Seeds, TooFewSeeds> {
        if shard.of > self.number() {
            return Err(TooFewSeeds { seeds: self, of: shard.of });
        }
        // A product of two numbers below 2^64.
        let before = |index: u64| (u128::from(self.number()) * u128::from(index) / u128::from(shard.of)) as u64;
        Ok(Seeds { first: self.first + before(shard.index - 1), end: self.first + before(shard.index) })
    }

    /// This seed alone.
    pub fn only(seed: u64) -> Seeds {
        Seeds { first: seed, end: seed + 1 }
    }

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
    fn a_range_reads_back_what_it_prints() {
        let seeds: Seeds = "7..12".parse().unwrap();
        assert_eq!((seeds.first(), seeds.end(), seeds.number(), seeds.to_string()), (7, 12, 5, "7..12".into()));
        assert_eq!("7..8".parse(), Ok(Seeds::only(7)));
        let last = "9223372036854775807..9223372036854775808".parse::<Seeds>();
        assert_eq!(last, Ok(Seeds::only((1 << 63) - 1)));
    }

    #[test]
    fn shards_have_each_seed_once() {
        let all: Seeds = "7..30".parse().unwrap();
        let mut next = 7;
        for index in 1..=5 {
            let part = all.part(SeedShard { index, of: 5 }).unwrap();
            assert!(part.first() == next && (4..=5).contains(&part.number()), "{index}: {part}");
            next = part.end();
        }
        assert_eq!(next, 30);
        let error = all.part("1/24".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "7..30 has 23 seeds, which are too few for 24 shards; write 23 shards at most");
        for wrong in ["", "1", "0/3", "4/3", "a/b", "1/0"] {
            assert!(wrong.parse::<SeedShard>().unwrap_err().to_string().contains("such as 1/8"), "{wrong}");
        }
        assert_eq!("2/3".parse::<SeedShard>().unwrap().to_string(), "2/3");
    }

    #[test]
    fn what_is_no_range_says_why() {
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
