//! The survey of King, Gendreau and Ni's figure 1: candidates and chances of loss.
//!
//! Invariant: the points stand in the order of the chances, and for each in that of the candidates.

use std::collections::BTreeMap;

use super::super::{Exhibit, PlayReal, RealProgress, SeedSurvey};
use super::election::{ElectionGround, MachineStart};
use super::formula::expected_rounds;
use super::point::{RoundsPoint, Starts, Tables};
use super::real::RealSum;
use super::sheet::exhibit;
use super::sum::RoundsSum;
use fault::Percent;
use sim::{Plan, Simulated};

/// The most candidates: a broadcast goes to each other one, and each may answer each.
pub const CANDIDATES_MAX: u16 = 100;
/// The largest chance of loss: with a larger one elections last longer than they are looked at.
pub const P_MAX: Percent = Percent::whole(80);

/// The survey of figure 1.
#[derive(Debug)]
pub struct RoundsSurvey {
    starts: Starts,
    tables: Tables,
    points: Vec<RoundsPoint>,
    grounds: Vec<ElectionGround>,
    /// What real elections came to, by point.
    real: BTreeMap<usize, RealSum>,
    machine: MachineStart,
}

impl RoundsSurvey {
    /// These chances, each with these numbers of candidates.
    pub fn new(chances: &[Percent], candidates: &[u16], starts: Starts, tables: Tables) -> RoundsSurvey {
        let most = candidates.iter().copied().max().unwrap_or_default();
        let points = chances.iter().flat_map(|&p| {
            let expected = expected_rounds(p.fraction(), most.into());
            let point = move |&candidates: &u16| {
                let expected = expected[usize::from(candidates) - 1];
                RoundsPoint { candidates, p, expected }
            };
            candidates.iter().map(point)
        });
        let points: Vec<RoundsPoint> = points.collect();
        let grounds = points.iter().map(|point| ElectionGround::new(point, starts, tables)).collect();
        RoundsSurvey { starts, tables, points, grounds, real: BTreeMap::new(), machine: algorithm_c }
    }

    /// The points.
    pub fn points(&self) -> &[RoundsPoint] {
        &self.points
    }

    /// Where real elections are held: one point for each chance, with this number of candidates, or with the largest one.
    pub fn real_points(&self, candidates: u16) -> Vec<usize> {
        let mut chances: Vec<Percent> = self.points.iter().map(|point| point.p).collect();
        chances.dedup();
        let of = |p: Percent| self.points.iter().enumerate().filter(move |(_, point)| point.p == p);
        let best = |p: Percent| of(p).max_by_key(|(_, point)| (point.candidates == candidates, point.candidates));
        chances.into_iter().filter_map(|p| Some(best(p)?.0)).collect()
    }

    /// Holds an election of this point on real processes with this seed, and shows it beside the simulated ones.
    ///
    /// # Errors
    /// The lab did not start; nothing is added.
    pub fn hold_real<E>(&mut self, point: usize, seed: u64, play: PlayReal<E>) -> Result<RealProgress, E> {
        let conditions = (self.starts, self.tables);
        self.real.entry(point).or_default().hold(&self.points[point], conditions, seed, play)
    }

    /// The same with another machine in place of Algorithm C.
    #[cfg(test)]
    pub(super) fn of_machine(self, machine: MachineStart) -> RoundsSurvey {
        RoundsSurvey { machine, ..self }
    }
}

/// Algorithm C as the table of algorithms has it.
fn algorithm_c(plan: &Plan) -> Box<dyn Simulated> {
    sim::start(plan, Box::new(|_| {}))
}

impl SeedSurvey for RoundsSurvey {
    type Sum = RoundsSum;

    fn points(&self) -> usize {
        self.points.len()
    }

    fn look(&self, point: usize, seed: u64, sum: &mut RoundsSum) {
        sum.add(&self.grounds[point].hold(self.machine, seed));
    }

    fn exhibit(&self, sums: &[RoundsSum]) -> Exhibit {
        exhibit(&self.points, self.starts, self.tables, (sums, &self.real))
    }
}
