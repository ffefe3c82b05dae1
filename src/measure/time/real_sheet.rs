//! What real trials came to, beside the simulated ones: columns, marks, sentences.
//!
//! Invariant: the mean of real trials is held against the interval in which that of as many simulated ones lies.

use std::collections::BTreeMap;

use super::super::plot::Marks;
use super::super::real::left_out_words;
use super::super::sample::{CONFIDENCE, Estimate};
use super::point::TimedScene;
use super::real::RealTimeSum;
use super::row::{RealRow, RowFrom, SheetRow, in_t, us_in_t};
use protocol::Span;
use world::SheetCell;

/// What is added where real trials were made.
pub const REAL_COLUMNS: [(Option<&str>, &str); 6] = [
    (Some("real"), "whole_real_t"),
    (Some("worst"), "whole_worst_real_t"),
    (None, "election_real_t"),
    (None, "trials_real"),
    (None, "unsettled_real"),
    (None, "left_out_real"),
];

/// What was measured on real processes, by the place of its point.
#[derive(Clone, Debug)]
pub struct RealTimes {
    /// The bound T of their labs.
    pub t: Span,
    /// The sums.
    pub sums: BTreeMap<usize, RealTimeSum>,
}

impl RealTimes {
    /// Nothing was measured yet, with this bound T.
    pub fn new(t: Span) -> RealTimes {
        RealTimes { t, sums: BTreeMap::new() }
    }

    /// The row of this point.
    pub fn row(&self, place: usize, since: RowFrom) -> Option<RealRow<'_>> {
        let RealTimeSum { start, fault, left_out } = self.sums.get(&place)?;
        let sum = match since {
            RowFrom::Start => start,
            RowFrom::Fault => fault,
        };
        Some(RealRow { sum, left_out: *left_out })
    }
}

impl SheetRow<'_> {
    /// What real trials came to in this row.
    pub fn real_cells(&self) -> Vec<SheetCell> {
        let sum = self.real.map(|real| *real.sum).unwrap_or_default();
        vec![
            SheetCell::of(sum.whole_us.mean().map(us_in_t), 1),
            SheetCell::of(sum.whole_us.most().map(|worst| us_in_t(worst as f64)), 1),
            SheetCell::of(sum.election_us.mean().map(us_in_t), 1),
            SheetCell::Count(sum.held),
            SheetCell::Count(sum.held - sum.whole_us.count),
            SheetCell::Count(self.real.map_or(0, |real| real.left_out)),
        ]
    }
}

/// A mark for each real failover, or merge, that has an interval of its own.
pub fn real_marks(rows: &[SheetRow<'_>], of_merges: bool) -> Option<Marks> {
    let of = rows.iter().filter_map(|row| Some((row, row.real?)));
    let intervals = of.clone().count();
    let mark = |(row, real): (&SheetRow<'_>, RealRow<'_>)| {
        let x = match row.point.scene {
            TimedScene::Merge(groups) if of_merges => groups,
            TimedScene::Failover if !of_merges && row.since == RowFrom::Fault => row.point.nodes,
            _ => return None,
        };
        let Estimate { mean, half } = real.sum.whole_us.estimate(intervals)?;
        Some((f64::from(x), us_in_t(mean), us_in_t(half)))
    };
    let points: Vec<_> = of.filter_map(mark).collect();
    (!points.is_empty()).then(|| Marks { name: "real processes".to_owned(), points })
}

/// What the real trials come to.
pub fn real_words(rows: &[SheetRow<'_>], times: &RealTimes) -> Vec<String> {
    let of: Vec<(&SheetRow<'_>, RealRow<'_>)> = rows.iter().filter_map(|row| Some((row, row.real?))).collect();
    let compared = of.iter().filter_map(|(row, real)| {
        let (mean, few) = (real.sum.whole_us.mean()?, real.sum.whole_us.count);
        Some((row, us_in_t(mean), row.sum.even.whole_us.foretold(few, of.len())?))
    });
    let compared: Vec<_> = compared.collect();
    let outside = compared.iter().filter_map(|(row, mean, foretold)| {
        let Estimate { mean: simulated, half } = foretold;
        let foretold = Estimate { mean: us_in_t(*simulated), half: us_in_t(*half) };
        (!foretold.has(*mean))
            .then(|| format!("{}: {mean:.1}T, and {:.1}T +- {:.1}T", row.named(), foretold.mean, foretold.half))
    });
    let outside: Vec<String> = outside.collect();
    let outside_words = if outside.is_empty() { String::new() } else { format!(" Outside: {}.", outside.join("; ")) };
    let late = of.iter().filter(|(row, real)| {
        real.sum.whole_us.most().is_some_and(|worst| us_in_t(worst as f64) > in_t(row.point.quiet_bound()))
    });
    let late: Vec<String> = late.map(|(row, _)| row.named()).collect();
    let late = if late.is_empty() {
        "none took longer than the bound for all".to_owned()
    } else {
        format!("longer than the bound for all took: {}", late.join("; "))
    };
    let unsettled: u64 = of.iter().map(|(_, real)| real.sum.held - real.sum.whole_us.count).sum();
    let unsettled = if unsettled == 0 { String::new() } else { format!("; {unsettled} did not come to rest") };
    let left_out = times.sums.values().map(|sum| sum.left_out).sum();
    vec![format!(
        "On real processes with a T of {}: within the interval in which the mean of as many simulated trials lies, the \
         means of {} of {} rows (these intervals hold together with {:.0} % confidence).{outside_words} Of the real \
         trials {late}{unsettled}{}.",
        times.t,
        compared.len() - outside.len(),
        compared.len(),
        100.0 * CONFIDENCE,
        left_out_words(left_out),
    )]
}
