//! The survey of what a leader's crash costs.
//!
//! Invariant: the points stand in the order of the algorithms, for each in that of the numbers of processes, and for each
//! of these in that of the ways to notice.

use super::super::{Exhibit, SeedSurvey};
use super::failover::FailoverGround;
use super::point::{FailoverPoint, Noticing};
use super::sheet::exhibit;
use super::sum::MessagesSum;
use lab::LabErrors;
use protocol::{Card, Registry};

/// The survey.
#[derive(Debug)]
pub struct MessagesSurvey {
    points: Vec<FailoverPoint>,
    grounds: Vec<FailoverGround>,
}

impl MessagesSurvey {
    /// These algorithms with each of these numbers of processes that their Cards allow, noticed in each way.
    ///
    /// # Errors
    /// An algorithm takes no such lab: a bug of this program.
    pub fn new(registry: Registry, cards: &[Card], nodes: &[u16]) -> Result<MessagesSurvey, LabErrors> {
        let sizes = cards.iter().flat_map(|card| nodes.iter().map(move |nodes| (card, *nodes)));
        let points = sizes.filter(|(card, nodes)| *nodes <= card.nodes_max).flat_map(|(card, nodes)| {
            Noticing::ALL.into_iter().map(move |noticing| FailoverPoint { card: *card, nodes, noticing })
        });
        let points: Vec<FailoverPoint> = points.collect();
        let grounds = points.iter().map(|point| FailoverGround::new(registry, *point)).collect::<Result<_, _>>()?;
        Ok(MessagesSurvey { points, grounds })
    }
}

impl SeedSurvey for MessagesSurvey {
    type Sum = MessagesSum;

    fn points(&self) -> usize {
        self.points.len()
    }

    fn look(&self, point: usize, seed: u64, sum: &mut MessagesSum) {
        sum.add(self.grounds[point].happen(seed).as_ref());
    }

    fn exhibit(&self, sums: &[MessagesSum]) -> Exhibit {
        exhibit(&self.points, sums)
    }
}
