//! Shrinking: the fewest fault lines of a lab that still show a violation in the simulator.
//!
//! What was ordered after the violation goes first. Delta debugging ([`fewest`]) then takes fault lines away as long as
//! the violation comes again. A line that ends a fault goes only with the fault: else a short fault would become an
//! endless one. Then come steps that only wait, nodes, the odd digits of times, and the time after the violation.
//!
//! Invariant: each lab that is taken for shorter was written as a lab file, read back, simulated, and showed the
//! violation.

mod contradiction;
mod ends;
mod fewest;
mod part;
#[cfg(test)]
mod tests;
mod wanted;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use self::wanted::WantedViolation;
use super::{AfterScript, Listener, Plan, SimEnd};
use lab::{Lab, When};
use protocol::{Roster, Span};
use record::{Body, Record, ViolationReport};

/// A lab ends so many T after its violation: real processes come to it later than simulated ones, and show it too if they
/// have the time. It ends earlier if it shows more violations otherwise.
const TIMES_AFTER: [u64; 5] = [10, 5, 2, 1, 0];

/// Times are rounded to the coarsest of these with which the violation still comes, in milliseconds.
const GRAINS_MS: [u64; 4] = [1_000, 100, 10, 1];

/// What plays a plan.
pub type PlanPlayer<'a> = &'a dyn Fn(&Plan, Listener<'_>) -> SimEnd;

/// How far a shrinking is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct ShrinkProgress {
    /// How many simulations it has made.
    pub runs: u64,
    /// How many fault lines are left.
    pub lines: usize,
}

/// A lab that was shrunk.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The lab: it has no expectations, and its text is that of its file.
    pub lab: Arc<Lab>,
    /// How many fault lines it has, and how many there were.
    pub lines: usize,
    /// How many there were before.
    pub lines_before: usize,
    /// How many simulations it took.
    pub runs: u64,
}

/// Where a wanted violation was found.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct FoundViolation {
    /// The place among the violations, from 0.
    pub place: usize,
    /// When it was found, in nanoseconds of lab time.
    at: i64,
    /// How many fault lines had been ordered by then.
    ordered: usize,
}

/// What a simulated lab showed.
#[derive(Clone, Debug)]
pub struct ShownViolations {
    /// The violations, in their order.
    pub violations: Vec<ViolationReport>,
    /// Where the wanted one is among them, if it came.
    pub found: Option<FoundViolation>,
    /// How long the lab lasted.
    pub lasted: Span,
}

impl ShownViolations {
    /// The wanted one, if it came.
    pub fn wanted(&self) -> Option<&ViolationReport> {
        self.found.map(|found| &self.violations[found.place])
    }

    /// How many kinds of violations there are: of another property, or for another reason.
    fn kinds(&self) -> usize {
        self.violations.iter().map(|report| (report.property, report.because())).collect::<BTreeSet<_>>().len()
    }
}

/// What this plan shows, if this violation is wanted.
pub fn showing(plan: &Plan, wanted: &WantedViolation, player: PlanPlayer<'_>) -> ShownViolations {
    let seen = RefCell::new((Vec::new(), None, 0));
    let end = player(
        plan,
        Box::new(|record: &Record| {
            let (violations, found, orders) = &mut *seen.borrow_mut();
            match &record.body {
                Body::FaultOrdered { .. } => *orders += 1,
                Body::Violation(report) => {
                    if found.is_none() && wanted.is_shown_by(report) {
                        *found = Some(FoundViolation { place: violations.len(), at: record.at, ordered: *orders });
                    }
                    violations.push(report.clone());
                }
                _ => {}
            }
        }),
    );
    let (violations, found, _) = seen.into_inner();
    ShownViolations { violations, found, lasted: Span::from_nanos(end.lasted) }
}

/// The shortest lab that this finds, if the plan shows the violation at all: the same seeds over the same network show it,
/// when the lab has come to the end of its steps.
pub fn shrink(
    plan: &Plan,
    wanted: &WantedViolation,
    player: PlanPlayer<'_>,
    tell: &mut dyn FnMut(ShrinkProgress),
) -> Option<Shrunk> {
    let whole = showing(&Plan { after: AfterScript::Judgement, ..plan.clone() }, wanted, player);
    let ordered = whole.found?.ordered;
    let lines_before = part::lines_of(&plan.lab);
    let mut shrinking = Shrinking { plan, wanted, player, tell, runs: 1, lines: lines_before };
    let end = Span::from_millis(whole.lasted.nanos().div_ceil(1_000_000));
    // A line that lifts a fault which is gone goes too, and then others are ordered earlier: so all is tried as well.
    let places: Vec<usize> = (0..lines_before).collect();
    let mut tried = [&places[..ordered.min(lines_before)], &places[..]].into_iter();
    let first = tried.find_map(|kept| shrinking.shown(part::ending_at(&part::with_lines(&plan.lab, kept), end)))?;
    let fewer = shrinking.with_fewest_lines(first);
    let fewer = shrinking.without_waiting(fewer);
    let fewer = shrinking.with_fewer_nodes(fewer);
    let fewer = shrinking.with_fewest_lines(fewer);
    let fewer = shrinking.with_round_times(fewer);
    let lab = shrinking.with_early_end(fewer);
    Some(Shrunk { lines: part::lines_of(&lab), lab, lines_before, runs: shrinking.runs })
}

/// A shrinking on its way.
struct Shrinking<'a> {
    plan: &'a Plan,
    wanted: &'a WantedViolation,
    player: PlanPlayer<'a>,
    tell: &'a mut dyn FnMut(ShrinkProgress),
    runs: u64,
    /// How many fault lines the shortest lab has so far.
    lines: usize,
}

impl Shrinking<'_> {
    /// The lab as its file says it, if it shows the violation before it ends.
    fn shown(&mut self, lab: Lab) -> Option<Arc<Lab>> {
        let (lab, _) = self.shown_with(lab)?;
        Some(lab)
    }

    /// The same, with all that it shows.
    fn shown_with(&mut self, lab: Lab) -> Option<(Arc<Lab>, ShownViolations)> {
        let lab = Arc::new(lab::parse(&lab.name, &lab.written(), lab.registry).ok()?);
        self.runs += 1;
        let plan = Plan { lab: Arc::clone(&lab), after: AfterScript::End, ..self.plan.clone() };
        (self.tell)(ShrinkProgress { runs: self.runs, lines: self.lines });
        let shown = showing(&plan, self.wanted, self.player);
        shown.found?;
        self.lines = part::lines_of(&lab);
        Some((lab, shown))
    }

    fn with_fewest_lines(&mut self, lab: Arc<Lab>) -> Arc<Lab> {
        let own = part::own_lines(&lab);
        let with = |kept: &[usize]| {
            let kept: Vec<usize> = kept.iter().map(|place| own[*place]).collect();
            part::with_own_lines(&lab, &kept)
        };
        let kept = fewest::fewest(own.len(), |kept| self.shown(with(kept)).is_some());
        let Some((fewer, shown)) = self.shown_with(with(&kept)) else { return lab };
        // The violation may come earlier now.
        let places: Vec<usize> = (0..shown.found.map_or(0, |found| found.ordered)).collect();
        match places.len() < part::lines_of(&fewer) {
            true => self.shown(part::with_lines(&fewer, &places)).unwrap_or(fewer),
            false => fewer,
        }
    }

    /// Without the steps that wait for something and then order nothing.
    fn without_waiting(&mut self, mut lab: Arc<Lab>) -> Arc<Lab> {
        let mut index = lab.steps.len().saturating_sub(1);
        while index > 0 {
            index -= 1;
            if lab.steps[index].lines.is_empty()
                && let Some(shorter) = self.shown(part::without_step(&lab, index))
            {
                lab = shorter;
            }
        }
        lab
    }

    /// With the smallest number of nodes with which it is shown; those with the highest numbers go.
    fn with_fewer_nodes(&mut self, lab: Arc<Lab>) -> Arc<Lab> {
        let nodes = lab.roster.electors().len();
        let of = |fewer| Roster::ranked(fewer, lab.roster.rank())?.with_bystanders(lab.roster.len() - nodes);
        let fewer = (1..nodes).filter_map(of).find_map(|roster| self.shown(Lab { roster, ..Lab::clone(&lab) }));
        fewer.unwrap_or(lab)
    }

    /// With its times as round as they may be. No two become one: a pause of no length breaks nothing.
    fn with_round_times(&mut self, mut lab: Arc<Lab>) -> Arc<Lab> {
        for index in 0..lab.steps.len().saturating_sub(1) {
            let When::At(at) = lab.steps[index].when else { continue };
            let rounded = GRAINS_MS.into_iter().map(|grain| {
                let grain = grain * 1_000_000;
                Span::from_nanos((at.nanos() + grain / 2) / grain * grain)
            });
            let steps = Arc::clone(&lab);
            let is_free = |rounded: &Span| steps.steps.iter().all(|step| step.when != When::At(*rounded));
            let shown = rounded.take_while(|rounded| *rounded != at).filter(is_free).find_map(|rounded| {
                let mut round = Lab::clone(&lab);
                round.steps[index].when = When::At(rounded);
                self.shown(round)
            });
            lab = shown.unwrap_or(lab);
        }
        lab
    }

    /// Ending soon after the violation, and not at once.
    fn with_early_end(&mut self, lab: Arc<Lab>) -> Arc<Lab> {
        let Some((lab, whole)) = self.shown_with(Lab::clone(&lab)) else { return lab };
        let found = whole.found.map_or(0, |found| u64::try_from(found.at).unwrap_or(0));
        let found = Span::from_nanos(found.div_ceil(100_000_000) * 100_000_000);
        let ends = TIMES_AFTER.map(|times| part::ending_at(&lab, found + lab.timing.t * times));
        let shown: Vec<(Arc<Lab>, usize)> = ends
            .into_iter()
            .filter_map(|ending| self.shown_with(ending))
            .map(|(lab, shown)| (lab, shown.kinds()))
            .collect();
        let fewest = shown.iter().map(|(_, kinds)| *kinds).min();
        let ended = shown.into_iter().find(|(_, kinds)| Some(*kinds) == fewest);
        ended.map_or(lab, |(ended, _)| ended)
    }
}
