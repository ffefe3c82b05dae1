//! What the trials of one point come to.
//!
//! Invariant: it does not depend on the order of the trials.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::super::Sample;
use super::trial::DetectorTrial;

/// Trials of one point, added up. Times are in microseconds.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct DetectorsSum {
    /// How many there were.
    pub held: u64,
    /// The mistakes of a trial.
    pub mistakes: Sample,
    /// How long not all followed one leader after a mistake.
    pub upsets: Sample,
    /// The messages of the detectors in a trial.
    pub messages: Sample,
    /// How long after its crash the leader was reported first.
    pub detected_after: Sample,
    /// How many crashes nobody reported in time.
    pub undetected: u64,
}

impl DetectorsSum {
    /// One more trial.
    pub fn add(&mut self, trial: &DetectorTrial) {
        self.held += 1;
        self.mistakes.add(trial.mistakes);
        self.messages.add(trial.messages);
        trial.upsets.iter().for_each(|upset| self.upsets.add(upset.nanos() / 1_000));
        match trial.detected_after {
            Some(Some(after)) => self.detected_after.add(after.nanos() / 1_000),
            Some(None) => self.undetected += 1,
            None => {}
        }
    }

    /// In how many trials not all followed one leader for so long that the crash did not come.
    pub fn without_crash(&self) -> u64 {
        self.held - self.detected_after.count - self.undetected
    }
}

impl AddAssign for DetectorsSum {
    fn add_assign(&mut self, other: DetectorsSum) {
        self.held += other.held;
        self.mistakes += other.mistakes;
        self.upsets += other.upsets;
        self.messages += other.messages;
        self.detected_after += other.detected_after;
        self.undetected += other.undetected;
    }
}
