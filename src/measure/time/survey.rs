//! The survey of the times to agreement.
//!
//! Invariant: the points stand in the order of the topics; the failovers in that of the algorithms, and for each in that
//! of the numbers of processes.

use serde::{Deserialize, Serialize};

use super::super::{Exhibit, PlayReal, RealProgress, SeedSurvey};
use super::ground::RestGround;
use super::point::{PARTED_NODES, T, TimePoint, TimedScene};
use super::real_sheet::RealTimes;
use super::sheet::exhibit;
use super::sum::TimeSum;
use election::stoller::asynchronous::ladder;
use lab::LabErrors;
use protocol::{Card, Registry, Span};
use sim::Weather;

/// Into how many groups processes are parted that merge again.
const GROUPS: std::ops::RangeInclusive<u16> = 2..=8;
/// How many rungs the ladders have: 11, 21, 31 and 41 processes.
const RUNGS: [u16; 4] = [2, 4, 6, 8];

/// What is measured.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeTopic {
    /// The common start and a leader's crash, for every algorithm.
    Failover,
    /// The end of a partition, under Invitation.
    Merge,
    /// The links on which the Asynchronous Bully takes longest.
    Ladder,
}

/// The survey.
#[derive(Debug)]
pub struct TimeSurvey {
    points: Vec<TimePoint>,
    grounds: Vec<RestGround>,
    real: RealTimes,
}

impl TimeTopic {
    /// All of them.
    pub const ALL: [TimeTopic; 3] = [TimeTopic::Failover, TimeTopic::Merge, TimeTopic::Ladder];
}

impl TimeSurvey {
    /// These topics. Failovers are of each of these algorithms with each of these numbers of processes that its Card
    /// allows; the other topics are of one algorithm, and are left out if it is not among these.
    ///
    /// # Errors
    /// An algorithm takes no such lab: a bug of this program.
    pub fn new(
        registry: Registry,
        topics: &[TimeTopic],
        cards: &[Card],
        nodes: &[u16],
    ) -> Result<TimeSurvey, LabErrors> {
        let of = |name: &'static str| cards.iter().filter(move |card| card.name == name).copied();
        let points: Vec<TimePoint> = topics
            .iter()
            .flat_map(|topic| -> Vec<TimePoint> {
                match topic {
                    TimeTopic::Failover => {
                        let sizes = cards.iter().flat_map(|card| nodes.iter().map(move |nodes| (*card, *nodes)));
                        let sizes = sizes.filter(|(card, nodes)| *nodes <= card.nodes_max);
                        sizes.map(|(card, nodes)| TimePoint { card, nodes, scene: TimedScene::Failover }).collect()
                    }
                    TimeTopic::Merge => {
                        let point = |card| {
                            GROUPS.map(move |groups| TimePoint {
                                card,
                                nodes: PARTED_NODES,
                                scene: TimedScene::Merge(groups),
                            })
                        };
                        of("invitation").flat_map(point).collect()
                    }
                    TimeTopic::Ladder => {
                        let point = |card| {
                            RUNGS.map(move |rungs| TimePoint {
                                card,
                                nodes: ladder(rungs).0,
                                scene: TimedScene::Ladder(rungs),
                            })
                        };
                        of("async-bully").flat_map(point).collect()
                    }
                }
            })
            .collect();
        let grounds = points.iter().map(|point| RestGround::new(registry, *point)).collect::<Result<_, _>>()?;
        Ok(TimeSurvey { points, grounds, real: RealTimes::new(T) })
    }

    /// The same, with this bound T in real trials.
    pub fn with_real_t(mut self, t: Span) -> TimeSurvey {
        self.real = RealTimes::new(t);
        self
    }

    /// Where real trials are made: failovers of the fewest processes, and merges. A ladder takes too many processes.
    pub fn real_points(&self) -> Vec<usize> {
        let failovers = self.points.iter().filter(|point| point.scene == TimedScene::Failover);
        let fewest = failovers.map(|point| point.nodes).min();
        let is_real = |point: &TimePoint| match point.scene {
            TimedScene::Failover => Some(point.nodes) == fewest,
            TimedScene::Merge(_) => true,
            TimedScene::Ladder(_) => false,
        };
        (0..self.points.len()).filter(|place| is_real(&self.points[*place])).collect()
    }

    /// Makes a trial of this point on real processes with this seed, and shows it beside the simulated ones.
    ///
    /// # Errors
    /// The lab did not start; nothing is added.
    pub fn hold_real<E>(&mut self, point: usize, seed: u64, play: PlayReal<E>) -> Result<RealProgress, E> {
        let t = self.real.t;
        self.real.sums.entry(point).or_default().hold(&self.grounds[point], t, seed, play)
    }
}

impl SeedSurvey for TimeSurvey {
    type Sum = TimeSum;

    fn points(&self) -> usize {
        self.points.len()
    }

    fn look(&self, point: usize, seed: u64, sum: &mut TimeSum) {
        let trial = |weather| self.grounds[point].make(seed, weather);
        sum.add(&trial(Weather::Even), &trial(Weather::Drawn));
    }

    fn exhibit(&self, sums: &[TimeSum]) -> Exhibit {
        exhibit(&self.points, sums, &self.real)
    }
}
