//! The rows of the sheet: each is a point, and one of its two parts.
//!
//! Invariant: times are in the T of the simulation's labs.

use super::point::{T, TimePoint, TimedScene};
use super::sum::{RestSum, WeatherSum};
use protocol::Span;

/// From when on a row counts.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RowFrom {
    /// From the common start.
    Start,
    /// From what befell the processes then.
    Fault,
}

/// One row.
pub struct SheetRow<'a> {
    /// Its point.
    pub point: &'a TimePoint,
    /// Its part.
    pub since: RowFrom,
    /// What simulated trials came to.
    pub sum: &'a WeatherSum,
    /// What real trials came to, if there were any.
    pub real: Option<RealRow<'a>>,
}

/// What real trials came to in a row.
#[derive(Copy, Clone, Debug)]
pub struct RealRow<'a> {
    /// Those that count.
    pub sum: &'a RestSum,
    /// How many do not, because this computer was late.
    pub left_out: u64,
}

impl SheetRow<'_> {
    /// The row in words: its algorithm, its processes, what it counts from.
    pub fn named(&self) -> String {
        format!("{} with {} ({})", self.point.card.name, self.point.nodes, self.from())
    }

    /// What the row counts from.
    pub fn from(&self) -> String {
        match (self.since, self.point.scene) {
            (RowFrom::Start, TimedScene::Ladder(_)) => "ladder's start".to_owned(),
            (RowFrom::Start, _) => "start".to_owned(),
            (RowFrom::Fault, TimedScene::Failover) => "crash".to_owned(),
            (RowFrom::Fault, TimedScene::Merge(groups)) => format!("{groups} groups"),
            (RowFrom::Fault, TimedScene::Ladder(_)) => "crash on ladder".to_owned(),
        }
    }
}

/// A span in T.
pub fn in_t(span: Span) -> f64 {
    span.nanos() as f64 / T.nanos() as f64
}

/// Microseconds in T.
pub fn us_in_t(us: f64) -> f64 {
    us * 1_000.0 / T.nanos() as f64
}
