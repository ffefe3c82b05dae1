//! What was counted in the runs of a lab, by their seeds.
//!
//! Invariant: it does not depend on the order of the runs.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::super::Sample;

/// The runs of a lab.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct FiguresSum {
    /// By seed: what was counted, unless the stretch did not come to its end.
    pub runs: BTreeMap<u64, Option<Vec<u64>>>,
}

impl FiguresSum {
    /// One more run.
    pub fn add(&mut self, seed: u64, values: Option<Vec<u64>>) {
        self.runs.insert(seed, values);
    }

    /// What was counted at this place of the list.
    pub fn sample(&self, place: usize) -> Sample {
        let mut sample = Sample::default();
        self.runs.values().flatten().for_each(|values| sample.add(values[place]));
        sample
    }

    /// How many runs did not come to the end of the stretch.
    pub fn unended(&self) -> usize {
        self.runs.values().filter(|values| values.is_none()).count()
    }
}

impl AddAssign for FiguresSum {
    fn add_assign(&mut self, mut other: FiguresSum) {
        self.runs.append(&mut other.runs);
    }
}
