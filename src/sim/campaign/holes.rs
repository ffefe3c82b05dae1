//! Why runs fail: holes of the paper that a swarm has left unmended, or another cause.
//!
//! The simulator plays a failed run again with the same steps and with holes mended: all of them, and each alone. If it
//! fails with all mended, it is a failure like any other. Otherwise a hole is the cause if the run holds with this hole
//! alone mended; if there is no such hole, several holes cause the same failure.
//!
//! Invariant: the result is a function of the run alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lies::LieWatch;
use super::{Campaign, CampaignOutcome, Case, Defect, FallenShare, Player, StepSource, Sums, shares};
use crate::coverage::Coverage;
pub use crate::swarm::Holes;
use crate::{Plan, SimEnd};
use lab::Lab;
use protocol::{ERRATA, HoleCard, Mends, errata_of};
use script::Summary;

/// The name for several holes, if no single one is the cause.
pub(super) const SEVERAL: &str = "several";

/// The runs that failed because of a hole.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct ByHole {
    /// How many.
    pub runs: u64,
    /// The first of them.
    pub first: Case,
}

/// These by the algorithm's name and the hole's number, or `several`.
pub type ByHoles = BTreeMap<(&'static str, &'static str), ByHole>;

/// Adds the runs of the second to the first.
pub(super) fn add(sums: &mut ByHoles, others: ByHoles) {
    for (hole, ByHole { runs, first }) in others {
        let sum = sums.entry(hole).or_insert(ByHole { runs: 0, first });
        *sum = ByHole { runs: sum.runs + runs, first: sum.first.min(first) };
    }
}

impl CampaignOutcome {
    /// The first run that failed because of a hole.
    pub fn first_by_hole(&self) -> Option<Case> {
        self.sums.by_holes.values().map(|of| of.first).min()
    }
}

/// A run that was played.
pub(super) struct Played {
    pub end: SimEnd,
    pub coverage: Coverage,
    pub watch: LieWatch,
    /// 0, 5 if unknown, or another code if it has failed.
    pub exit_code: u8,
    /// The numbers of the holes that made it fail.
    pub blamed: Vec<&'static str>,
}

impl Campaign {
    /// Plays a run; if it has failed with holes left unmended, says which hole is the cause.
    pub(super) fn play_and_blame(&self, case: Case, player: Player<'_>) -> Result<Played, Defect> {
        let (end, coverage, watch) = self.play_once_or_twice(case, player)?;
        let exit_code = self.exit_code(end.run.summary.clone());
        let blamed = if matches!(exit_code, 0 | 5) { Vec::new() } else { self.blamed(case, player) };
        Ok(Played { end, coverage, watch, exit_code, blamed })
    }

    /// The promises that a swarm judged too seldom. Unmended holes may keep properties from being judged.
    pub(super) fn fallen(&self, sums: &Sums) -> Vec<FallenShare> {
        match (self.steps, self.holes) {
            (StepSource::Drawn, Holes::Mended) => shares::fallen(&sums.shares),
            (StepSource::Drawn, Holes::Drawn) | (StepSource::OfTheLab | StepSource::Liars, _) => Vec::new(),
        }
    }

    /// The outcome of a run: a swarm has no expectations and looks for broken promises; it counts properties apart that
    /// were not promised.
    fn exit_code(&self, mut summary: Summary) -> u8 {
        if self.steps != StepSource::OfTheLab {
            summary.bugs -= summary.unpromised;
        }
        summary.exit_code()
    }

    /// The numbers of the holes that made a run fail; none if it fails with all of them mended too.
    fn blamed(&self, case: Case, player: Player<'_>) -> Vec<&'static str> {
        if self.steps == StepSource::OfTheLab || self.holes != Holes::Drawn {
            return Vec::new();
        }
        let plan = self.plan(case);
        let holes = plan.lab.card.holes();
        let mends = Mends::of(&plan.lab.settings, holes);
        let is_left = |hole: &&HoleCard| !mends.has(hole.place) && hole.goes_with(holes).is_none();
        let left: Vec<&HoleCard> = holes.iter().filter(is_left).collect();
        let fails_mending = |also: &dyn Fn(&HoleCard) -> bool| {
            let mended = with_errata(&plan.lab, |hole| mends.has(hole.place) || also(hole));
            let end = player(&Plan { lab: Arc::new(mended), ..plan.clone() }, Box::new(|_| {}));
            !matches!(self.exit_code(end.run.summary), 0 | 5)
        };
        if left.is_empty() || fails_mending(&|_| true) {
            return Vec::new();
        }
        let alone = left.into_iter().filter(|hole| !fails_mending(&|other| other.place == hole.place));
        let alone: Vec<&'static str> = alone.map(|hole| hole.number).collect();
        if alone.is_empty() { vec![SEVERAL] } else { alone }
    }
}

/// The same lab, with these holes mended.
fn with_errata(lab: &Lab, mended: impl Fn(&HoleCard) -> bool) -> Lab {
    let settings = lab.settings.clone().with(ERRATA, errata_of(lab.card.holes(), mended));
    let mut lab = Lab { settings, ..lab.clone() };
    lab.text = lab.written();
    lab
}
