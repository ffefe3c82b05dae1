//! How what was found is told: when it is ripe, with its cause.
//!
//! Invariant: what quiet alone makes wrong is told only if it was quiet.

use super::Judge;
use crate::judge::breaks::Break;
use crate::judge::finding::{Basis, Finding, Raised, Telling, Window};
use crate::record::ViolationReport;

/// A violation as it was told.
#[derive(Clone)]
pub(super) struct Told {
    pub finding: Finding,
    /// What happened between its two states: the chronicle is bounded, so this is kept.
    between: String,
    excuse: Option<Break>,
}

impl Judge {
    pub(super) fn tell_ripe(&mut self, now: i64) -> Vec<ViolationReport> {
        if self.pending.is_empty() {
            return Vec::new();
        }
        let all_spoke = self.processes.all_spoke();
        self.tell_those(|finding| finding.is_ripe(all_spoke, now))
    }

    pub(super) fn tell_those(&mut self, is_due: impl Fn(&Finding) -> bool) -> Vec<ViolationReport> {
        let mut reports = Vec::new();
        while let Some(place) = self.pending.iter().position(&is_due) {
            let finding = self.pending.remove(place);
            reports.extend(self.tell(finding));
        }
        reports
    }

    fn tell(&mut self, finding: Finding) -> Option<ViolationReport> {
        let running = self.processes.running();
        if let Basis::Quiet { scope, since, .. } = finding.basis
            && self.meter.was_bitten(scope, since.saturating_add(1), finding.since, &running, self.now)
        {
            self.tallies.of_property(finding.property).unknown += 1;
            self.withdraw(finding.property, since);
            return None;
        }
        let excuse = match finding.basis {
            Basis::Never => {
                let Window { from, to } = finding.window;
                let from = from.saturating_sub(self.time_bound);
                self.meter.excuse(finding.property, &finding.accused, (from, to), &running, self.now)
            }
            Basis::Quiet { lasting, lasts, .. } => self.meter.broken_of(lasting, lasts.from, lasts.to),
        };
        match (finding.basis, &excuse) {
            (Basis::Quiet { telling: Telling::Again, .. }, Some(_)) => return None,
            (Basis::Quiet { .. }, None) => self.condemn(finding.property),
            _ => {}
        }
        match (finding.raised, &excuse) {
            (Some(Raised::Joins(_)), Some(_)) => return None,
            (Some(raised), None) => {
                let is_of_it = |other: &Finding| other.raised.map(Raised::serial) == Some(raised.serial());
                self.disputes.condemn(raised.serial());
                self.pending.retain(|other| !is_of_it(other));
            }
            _ => {}
        }
        let tally = self.tallies.of_property(finding.property);
        match excuse {
            Some(_) => tally.excused += 1,
            None if self.withheld.contains(&finding.property) => tally.unpromised += 1,
            None => {
                tally.due += 1;
                tally.broken += 1;
            }
        }
        let between = self.chronicle.between(finding.from, finding.since);
        let told = Told { finding, between, excuse };
        let report = ViolationReport {
            property: told.finding.property,
            nodes: told.finding.accused,
            since: told.finding.since,
            because: told.excuse.as_ref().map(|broken| broken.assumption),
            by_machine: told.excuse.as_ref().is_some_and(Break::is_by_machine),
            text: self.sentence(&told),
        };
        self.told.push(told);
        Some(report)
    }

    pub(super) fn sentence(&self, told: &Told) -> String {
        let cause = match &told.excuse {
            Some(broken) => self.meter.told(broken, self.now),
            None => "no assumption was broken".to_owned(),
        };
        format!("{}; between them: {}; {cause}", told.finding.told(&self.clocks, self.now), told.between)
    }
}
