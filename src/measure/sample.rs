//! Samples: the sums of whole numbers that were observed, and what they say of the mean.
//!
//! The interval is that of the normal law. That several intervals hold at once with a confidence is had by Bonferroni's
//! inequality: each of m intervals may fail with an m-th of the chance that one of them may.
//!
//! Invariant: a sample is a sum of integers, so it does not depend on the order of its parts, nor on the computer.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The chance that all intervals of one table hold.
pub const CONFIDENCE: f64 = 0.99;

/// Observed whole numbers, added up.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// How many were observed.
    pub count: u64,
    sum: u128,
    squares: u128,
    least: u64,
    most: u64,
}

/// How many each has, in words: `1896`, or `1892 to 1896` if they differ.
pub fn counts_told(counts: impl Iterator<Item = u64>) -> String {
    let counts: Vec<u64> = counts.collect();
    match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (_, most) => most.copied().unwrap_or_default().to_string(),
    }
}

/// Adds up a sum of trials field by field.
macro_rules! add_fields {
    ($sum:ident { $($field:ident),* }) => {
        impl std::ops::AddAssign for $sum {
            fn add_assign(&mut self, other: $sum) {
                let $sum { $($field),* } = other;
                $(self.$field += $field;)*
            }
        }
    };
}
pub(crate) use add_fields;

/// A mean, and how far the true one may lie from it.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Estimate {
    /// The mean of the sample.
    pub mean: f64,
    /// Half of the interval's width.
    pub half: f64,
}

impl Sample {
    /// One more was observed.
    pub fn add(&mut self, value: u64) {
        *self += Sample { count: 1, sum: value.into(), squares: u128::from(value).pow(2), least: value, most: value };
    }

    /// The mean; nothing if nothing was observed.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The largest that was observed.
    pub fn most(&self) -> Option<u64> {
        (self.count > 0).then_some(self.most)
    }

    /// The smallest that was observed.
    pub fn least(&self) -> Option<u64> {
        (self.count > 0).then_some(self.least)
    }

    /// The mean with its interval; this many such intervals hold together with [`CONFIDENCE`]. Two observations are
    /// needed.
    pub fn estimate(&self, intervals: usize) -> Option<Estimate> {
        let deviation = self.variance()?.sqrt();
        Some(Estimate { mean: self.mean()?, half: reach(intervals) * deviation / (self.count as f64).sqrt() })
    }

    /// The interval in which the mean of so many further observations lies: this many such intervals hold together with
    /// [`CONFIDENCE`]. Few observations scatter more than the mean of this sample does.
    pub fn foretold(&self, further: u64, intervals: usize) -> Option<Estimate> {
        let shares = 1.0 / self.count as f64 + 1.0 / further as f64;
        let half = reach(intervals) * (self.variance()? * shares).sqrt();
        (further > 0).then_some(Estimate { mean: self.mean()?, half })
    }

    /// The sample variance.
    fn variance(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        // The difference is of integers, so that nothing cancels.
        let count = u128::from(self.count);
        let scatter = (self.squares * count).saturating_sub(self.sum * self.sum);
        Some(scatter as f64 / self.count as f64 / (self.count - 1) as f64)
    }
}

impl AddAssign for Sample {
    fn add_assign(&mut self, other: Sample) {
        *self = match (self.count, other.count) {
            (_, 0) => *self,
            (0, _) => other,
            _ => Sample {
                count: self.count + other.count,
                sum: self.sum + other.sum,
                squares: self.squares + other.squares,
                least: self.least.min(other.least),
                most: self.most.max(other.most),
            },
        };
    }
}

impl Estimate {
    /// The same in another unit: so many of the old one are one of the new one.
    pub fn by(self, unit: f64) -> Estimate {
        Estimate { mean: self.mean / unit, half: self.half / unit }
    }

    /// Whether it has this value within its interval.
    pub fn has(&self, value: f64) -> bool {
        (value - self.mean).abs() <= self.half
    }

    /// The quotient of two independent means, with its interval to first order.
    pub fn over(self, other: Estimate) -> Estimate {
        let mean = self.mean / other.mean;
        let relative = (self.half / self.mean).hypot(other.half / other.mean);
        Estimate { mean, half: mean * relative }
    }
}

/// How many standard errors an interval reaches to each side, if this many hold together with [`CONFIDENCE`].
pub fn reach(intervals: usize) -> f64 {
    quantile(1.0 - (1.0 - CONFIDENCE) / 2.0 / intervals.max(1) as f64)
}

/// The quantile of the standard normal law above its median, by bisection of its distribution.
fn quantile(chance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    // A double has 53 bits.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if upper_tail(middle) > 1.0 - chance { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The chance that a standard normal number exceeds this one, which is not negative: Mills' ratio, as Laplace's
/// continued fraction far out and as the series of the density near zero.
fn upper_tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for odd in (3..60).step_by(2) {
            term *= x * x / f64::from(odd);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    let fraction = (1..120).rev().fold(x, |rest, step| x + f64::from(step) / rest);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Sample {
        let mut sample = Sample::default();
        values.iter().for_each(|value| sample.add(*value));
        sample
    }

    #[test]
    fn counts_that_differ_are_told_from_the_least_to_the_most() {
        let told = |counts: &[u64]| counts_told(counts.iter().copied());
        assert_eq!([told(&[9, 7, 8]), told(&[5, 5]), told(&[])], ["7 to 9", "5", "0"]);
    }

    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        for (chance, value) in [(0.75, 0.674_490), (0.975, 1.959_964), (0.995, 2.575_829), (0.999_958_33, 3.934_587)] {
            assert!((quantile(chance) - value).abs() < 1e-4, "{chance}: {}", quantile(chance));
        }
        assert!((reach(1) - 2.5758).abs() < 1e-3 && reach(120) > reach(1));
    }

    #[test]
    fn a_mean_has_an_interval_from_two_observations_on() {
        assert_eq!((of(&[]).mean(), of(&[7]).mean(), of(&[7]).estimate(1)), (None, Some(7.0), None));
        let Estimate { mean, half } = of(&[2, 2, 3, 5]).estimate(1).unwrap();
        // The variance is 2, and a quarter of it the mean's.
        assert_eq!(mean, 3.0);
        assert!((half - 2.575_829 * 0.5f64.sqrt()).abs() < 1e-5, "{half}");
        assert_eq!((of(&[2, 2, 3, 5]).least(), of(&[2, 2, 3, 5]).most()), (Some(2), Some(5)));
    }

    #[test]
    fn the_mean_of_few_further_ones_scatters_more() {
        let sample = of(&[2, 2, 3, 5]);
        let half = |further| sample.foretold(further, 1).unwrap().half;
        // The variance is 2.
        assert!((half(1) - 2.575_829 * 2.5f64.sqrt()).abs() < 1e-4, "{}", half(1));
        assert!((half(4) - 2.575_829).abs() < 1e-4, "{}", half(4));
        assert!(sample.foretold(1, 1).unwrap().has(7.0) && !sample.foretold(4, 1).unwrap().has(7.0));
        assert_eq!((sample.foretold(0, 1), of(&[7]).foretold(3, 1)), (None, None));
    }

    #[test]
    fn a_sample_is_the_sum_of_its_parts_in_any_order() {
        let (one, other) = (of(&[1, 9]), of(&[4]));
        let (mut forth, mut back) = (one, other);
        forth += other;
        back += one;
        assert_eq!((forth, back), (of(&[1, 9, 4]), of(&[4, 1, 9])));
        forth += Sample::default();
        assert_eq!(forth, back);
    }
}
