//! The survey of the failure detectors.
//!
//! Invariant: the points stand in the order of the detectors, for each in that of the chances.

use super::super::{Exhibit, SeedSurvey};
use super::point::{DetectorPoint, detectors_of};
use super::sheet::exhibit;
use super::sum::DetectorsSum;
use super::trial::{ALGORITHM, TrialGround};
use fault::Percent;
use lab::LabErrors;
use protocol::Registry;

/// The survey.
#[derive(Debug)]
pub struct DetectorsSurvey {
    points: Vec<DetectorPoint>,
    grounds: Vec<TrialGround>,
}

impl DetectorsSurvey {
    /// Every detector with each of these chances of loss, among so many nodes.
    ///
    /// # Errors
    /// The algorithm takes no such lab: a bug of this program.
    pub fn new(registry: Registry, chances: &[Percent], nodes: u16) -> Result<DetectorsSurvey, LabErrors> {
        let detectors = registry.card(ALGORITHM).map(detectors_of).unwrap_or_default();
        let points =
            detectors.iter().flat_map(|&detector| chances.iter().map(move |&p| DetectorPoint { detector, p, nodes }));
        let points: Vec<DetectorPoint> = points.collect();
        let grounds = points.iter().map(|point| TrialGround::new(registry, *point)).collect::<Result<_, _>>()?;
        Ok(DetectorsSurvey { points, grounds })
    }
}

impl SeedSurvey for DetectorsSurvey {
    type Sum = DetectorsSum;

    fn points(&self) -> usize {
        self.points.len()
    }

    fn look(&self, point: usize, seed: u64, sum: &mut DetectorsSum) {
        sum.add(&self.grounds[point].make(seed));
    }

    fn exhibit(&self, sums: &[DetectorsSum]) -> Exhibit {
        exhibit(&self.points, sums)
    }
}
