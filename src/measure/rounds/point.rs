//! The points of figure 1, and under what conditions they are looked at.
//!
//! Invariant: p is below 1, and there is a candidate.

use serde::{Deserialize, Serialize};

use fault::Percent;

/// One point of the figure.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct RoundsPoint {
    /// How many candidates there are; all processes are candidates.
    pub candidates: u16,
    /// The chance that a receiver misses a broadcast.
    pub p: Percent,
    /// The rounds that the formula expects.
    pub expected: f64,
}

/// When the processes are ordered to elect.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    /// At one moment.
    Together,
    /// Each at a moment of the first T, each moment as likely as another.
    Spread,
}

/// Which holes of the tables are mended.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tables {
    /// All.
    Mended,
    /// None: the tables to the letter.
    ToTheLetter,
}
