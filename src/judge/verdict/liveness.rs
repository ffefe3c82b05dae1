//! When the properties of quiet are due, and how they are judged.
//!
//! They are judged one bound after it became quiet, and after each change of a state while it stays quiet. A finding
//! then waits to be ripe like everything else: if a stall of the machine becomes visible later, it was not quiet.
//!
//! Invariant: only the stamps of records decide what is due, whenever the records come.

use super::Judge;
use crate::failed_elections::FailedElection;
use crate::finding::{Basis, CauseDepth, ContradictingNodes, Finding, Window};
use crate::liveness::{ExcuseTerm, QUIET_ASSERTIONS, QuietAssertion, RestingLab, Wrong, is_at_end};
use crate::quiet::Scope;
use crate::repeated_reports::Raising;
use crate::work::WorkJudge;
use protocol::{Assumption, NodeId, NodeSet, Property, Span};
use record::Head;
use world::index;

/// A property of quiet, and its progress.
#[derive(Clone)]
pub(super) struct QuietRow {
    assertion: &'static QuietAssertion,
    /// How long it must have been quiet, in nanoseconds.
    bound: i64,
    /// The beginning of the quiet that it was judged in last.
    judged: Option<i64>,
    /// How it was found not to hold, if it has not held since.
    broken: Option<Broken>,
}

/// A property of quiet does not hold.
#[derive(Copy, Clone)]
struct Broken {
    /// The beginning of the quiet that this was found in.
    since: i64,
    raising: Raising,
}

impl QuietRow {
    /// The rows of what a lab promises.
    pub fn promised(head: &Head, work: Option<&dyn WorkJudge>) -> Vec<QuietRow> {
        let nanos = |span: Span| i64::try_from(span.nanos()).unwrap_or(i64::MAX);
        let facts = &head.facts;
        let done_after = work.map_or(0, |work| nanos(work.done_after(head.timing.check)));
        let rows = QUIET_ASSERTIONS.iter().filter(|row| facts.promises.contains(&row.property));
        let row = |assertion: &'static QuietAssertion| {
            let more = if assertion.property == Property::Progress { done_after } else { 0 };
            let bound = nanos(facts.quiet_bound).saturating_add(more);
            QuietRow { assertion, bound, judged: None, broken: None }
        };
        rows.map(row).collect()
    }

    /// The contradiction of that number was told without an excuse.
    pub fn condemn(&mut self, serial: u64) {
        if let Some(broken) = &mut self.broken {
            broken.raising.condemn(serial);
        }
    }
}

impl Judge {
    /// Judges what is due at this stamp.
    pub(super) fn judge_quiet(&mut self, at: i64) {
        self.judge_rows(at, |row, since| row.judged != Some(since));
        self.quiet_due = self.next_quiet_due();
    }

    /// A state has changed at this stamp: properties judged since it became quiet are judged again.
    pub(super) fn judge_change(&mut self, at: i64) {
        if self.quiet_rows.iter().any(|row| row.judged.is_some()) {
            self.judge_rows(at, |row, since| row.judged == Some(since));
        }
    }

    /// The quiet is over: a property that was not judged in it, although it lasted for an election, is unknown.
    pub(super) fn disturb(&mut self, at: i64) {
        self.end_quiet(at);
        self.quiet.disturbed = self.quiet.disturbed.max(at);
    }

    pub(super) fn end_quiet(&mut self, at: i64) {
        let lasted = at.saturating_sub(self.quiet.disturbed);
        let was_begun = self.quiet.disturbed > i64::MIN && lasted >= self.time_bound;
        for row in &mut self.quiet_rows {
            if was_begun && row.judged.is_none() {
                self.tallies.of_property(row.assertion.property).unknown += 1;
            }
            row.judged = None;
            row.broken = None;
        }
        self.quiet_due = None;
    }

    /// Withdraws what was found wrong in the quiet since that stamp, because it was not quiet: violations found in
    /// the next quiet are reported.
    pub(super) fn withdraw(&mut self, property: Property, since: i64) {
        let withdrawn = |row: &&mut QuietRow| {
            row.assertion.property == property && row.broken.is_some_and(|broken| broken.since == since)
        };
        let mut is_due_again = false;
        for row in self.quiet_rows.iter_mut().filter(withdrawn) {
            row.broken = None;
            if row.judged != Some(since) {
                // It was judged in the next quiet already, was still wrong, and that was not reported.
                row.judged = None;
                is_due_again = true;
            }
        }
        if is_due_again {
            self.quiet_due = self.next_quiet_due();
        }
    }

    pub(super) fn next_quiet_due(&self) -> Option<i64> {
        if self.unknown.is_some() {
            return None;
        }
        let pending = self.quiet_rows.iter().filter(|row| row.judged != Some(self.quiet_since(row.assertion.scope)));
        let mut waits: Vec<(Scope, i64)> = pending.map(|row| (row.assertion.scope, row.bound)).collect();
        waits.dedup();
        let due = waits.into_iter().filter(|(scope, _)| self.parts(*scope).is_some());
        due.map(|(scope, bound)| self.quiet_since(scope).saturating_add(bound)).min()
    }

    pub(super) fn quiet_since(&self, scope: Scope) -> i64 {
        self.quiet.disturbed.max(self.meter.bitten(scope))
    }

    /// The sets of nodes that such a property is about, or none if it can be about none in this state.
    pub(super) fn parts(&self, scope: Scope) -> Option<Vec<NodeSet>> {
        let running = self.processes.running();
        if running.is_empty() || !self.processes.starting().is_empty() || self.meter.is_upset(scope) {
            return None;
        }
        match scope {
            Scope::MostUp if 2 * running.len() <= usize::from(self.roster.electors().len()) => None,
            Scope::Whole | Scope::DespiteLies | Scope::MostUp if !self.processes.paused().is_empty() => None,
            Scope::Whole | Scope::DespiteLies | Scope::MostUp => {
                self.quiet.parts(&running).filter(|parts| parts.len() == 1)
            }
            Scope::Parts => self.quiet.parts(&running),
            Scope::Links => self.quiet.linked(&running),
        }
    }

    /// Judges the rows that are wanted, by themselves and by the beginning of their quiet, and that are due by now.
    fn judge_rows(&mut self, at: i64, is_wanted: impl Fn(&QuietRow, i64) -> bool) {
        for place in 0..self.quiet_rows.len() {
            let row = &self.quiet_rows[place];
            let scope = row.assertion.scope;
            let since = self.quiet_since(scope);
            let due = since.saturating_add(row.bound);
            if !is_wanted(row, since) || due > self.now || self.unknown.is_some() {
                continue;
            }
            let Some(parts) = self.parts(scope) else { continue };
            let (rank, running, took_part) = (self.roster.rank(), self.processes.running(), self.took_part.as_ref());
            let unsettled = self.quiet.unsettled.max(self.meter.bitten(Scope::Whole));
            let settled = unsettled.saturating_add(self.time_bound);
            let is_steady =
                |node: &NodeId| self.works_since[index(*node)].saturating_add(self.time_bound) <= at.max(due);
            let steady = running.iter().filter(is_steady).collect();
            let (states, parts, unrepaired) = (&self.states, &parts, self.unrepaired);
            let liars = self.processes.lying();
            let (fruitless, work) = (&self.fruitless, self.work.as_deref());
            let repose = RestingLab {
                states,
                rank,
                running,
                steady,
                liars,
                parts,
                took_part,
                settled,
                unrepaired,
                fruitless,
                work,
            };
            if repose.is_open() {
                self.tallies.of_property(row.assertion.property).unknown += 1;
                self.quiet_rows[place].judged = Some(since);
                continue;
            }
            let wrong = (row.assertion.wrong)(&repose);
            self.note_quiet(place, (since, due), wrong, at);
        }
    }

    fn note_quiet(&mut self, place: usize, (quiet_since, due): (i64, i64), wrong: Option<Wrong>, at: i64) {
        let row = &mut self.quiet_rows[place];
        let QuietAssertion { property, scope, lasting, .. } = *row.assertion;
        row.judged = Some(quiet_since);
        let Some(wrong) = wrong else {
            row.broken = None;
            // If a step corrected it that became known later, it was not wrong.
            self.pending.retain(|finding| finding.property != property || finding.since < at || !finding.is_of_quiet());
            let tally = self.tallies.of_property(property);
            tally.due += 1;
            tally.held += 1;
            self.note_rest(at.max(due));
            return;
        };
        let lasting: &'static [Assumption] = match wrong.excused {
            ExcuseTerm::Never => &[],
            ExcuseTerm::OfElection(_) => &Assumption::ALL,
            ExcuseTerm::UntilNextElection | ExcuseTerm::Always => lasting,
        };
        let found = at.max(due);
        let window = self.excusing_window(&wrong, quiet_since, found);
        let charge =
            ContradictingNodes { nodes: wrong.nodes.union(&wrong.against), window, roots: CauseDepth::BeforeRest };
        let mut charges = vec![charge];
        let raised = match &mut self.quiet_rows[place].broken {
            // No break of an earlier time excuses it, so nothing can excuse it later that did not at first.
            Some(_) if lasting.is_empty() => None,
            Some(broken) => broken.raising.raise(&mut charges).inspect(|_| broken.since = quiet_since),
            broken => {
                let raising = Raising::open(&mut self.serials, &charge, &[]);
                *broken = Some(Broken { since: quiet_since, raising });
                Some(raising.opens())
            }
        };
        if raised.is_none() {
            return;
        }
        let told_by = self.now.max(at).saturating_add(self.patience);
        let basis = Basis::Quiet { scope, since: quiet_since, lasting };
        let what = wrong.what.since(quiet_since);
        let finding = Finding::of(property, basis, wrong.nodes, (quiet_since, found), what, told_by);
        self.pending.push(Finding { charges, raised, ..finding });
    }

    /// A property of quiet holds: if all do, the lab is at rest, and earlier breaks excuse nothing any more. A paused
    /// process takes no part in the quiet: what happened to it shows when it continues.
    fn note_rest(&mut self, at: i64) {
        if !self.processes.paused().is_empty() {
            return;
        }
        let holds = |row: &QuietRow| row.broken.is_none() && row.judged == Some(self.quiet_since(row.assertion.scope));
        if self.quiet_rows.iter().all(holds) {
            self.rested = self.rested.max(at);
            self.clocks.past_mut().forget_before(self.rested);
        }
    }

    /// The stamps between which a break of a lasting assumption excuses the violation: from the beginning of the election
    /// that made it, until all nodes concerned came to their ends in these states, or, if they have not, until it was
    /// found.
    fn excusing_window(&self, wrong: &Wrong, quiet_since: i64, found: i64) -> Window {
        match wrong.excused {
            ExcuseTerm::Always => return Window { from: i64::MIN, to: found },
            ExcuseTerm::OfElection(FailedElection { began, ended, .. }) => {
                return Window { from: began.saturating_sub(self.time_bound), to: ended };
            }
            ExcuseTerm::UntilNextElection | ExcuseTerm::Never => {}
        }
        let elections = wrong.nodes.iter().filter_map(|node| Some(self.states[index(node)].as_ref()?.election));
        let took_part = self.took_part.as_ref();
        let began_at = |number: Option<u64>| self.endings.began_at(number).or_else(|| took_part?.began_at(number?));
        let began = elections.filter_map(began_at).min();
        // Its number may have been garbled itself, on its way to who began by it.
        // Where elections have no numbers, a lie counts that was told just before these states began.
        let stood = || wrong.nodes.iter().map(|node| self.stands_since[index(node)]).min();
        let began = began.or_else(|| stood().filter(|_| self.liars.were_there()));
        let from = began.map_or(quiet_since, |began| began.saturating_sub(self.time_bound));
        let rests = |node: NodeId| match &self.states[index(node)] {
            Some(state) if is_at_end(state) => self.stands_since[index(node)],
            _ => found,
        };
        let to = wrong.nodes.union(&wrong.against).iter().map(rests).max().unwrap_or(found);
        Window { from, to }
    }
}
