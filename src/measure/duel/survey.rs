//! The survey of a duel: a point for each algorithm, the same seeds for all.
//!
//! Invariant: the points stand in the order of the algorithms.

use super::super::{Exhibit, SeedSurvey};
use super::bout::play;
use super::contest::Contest;
use super::sheet::exhibit;
use super::sum::DuelSum;

impl SeedSurvey for Contest {
    type Sum = DuelSum;

    fn points(&self) -> usize {
        self.labs.len()
    }

    fn look(&self, point: usize, seed: u64, sum: &mut DuelSum) {
        sum.add(play(&self.labs[point], self.tail, seed).as_ref());
    }

    fn exhibit(&self, sums: &[DuelSum]) -> Exhibit {
        exhibit(self, sums)
    }
}
