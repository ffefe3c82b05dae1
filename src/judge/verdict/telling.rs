//! How findings are reported: when they are ripe, with their cause.
//!
//! Invariant: a finding that only quiet makes wrong is reported only if it was quiet.

use super::Judge;
use crate::finding::{Basis, CauseDepth, ContradictingNodes, Finding, Window};
use crate::meter::{ExcusingBreak, Question};
use crate::repeated_reports::Raised;
use protocol::NodeSet;
use record::{EventsBetween, Excuse, Grade, ViolationReport};
use world::past::CarryingMessages;

/// A violation as it was reported.
#[derive(Clone)]
pub(super) struct ReportedViolation {
    pub finding: Finding,
    /// How sure it was when it was reported.
    grade: Grade,
    /// The events between its two states: only so many are kept, so this is kept.
    between: EventsBetween,
    excuse: Option<ExcusingBreak>,
}

/// Whether a finding is excused.
enum Excused {
    /// By this break.
    Yes(ExcusingBreak),
    /// Nothing broken had a part in it.
    No,
    /// Records are missing about its past.
    Unknown,
}

impl Judge {
    pub(super) fn tell_ripe(&mut self, now: i64) -> Vec<ViolationReport> {
        if self.pending.is_empty() {
            return Vec::new();
        }
        let (all_spoke, uncertain) = (self.processes.all_spoke(), self.stamps_uncertain);
        self.tell_those(|finding| finding.is_ripe(all_spoke, uncertain, now))
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
            && self.meter.was_bitten(
                scope,
                (since.saturating_add(1), finding.since),
                &running,
                self.now,
                self.clocks.flights(),
            )
        {
            self.tallies.of_property(finding.property).unknown += 1;
            self.withdraw(finding.property, since);
            return None;
        }
        let excuse = match self.excused(&finding, &running) {
            Excused::Yes(excuse) => Some(excuse),
            Excused::No => None,
            Excused::Unknown => {
                self.tallies.of_property(finding.property).unknown += 1;
                return None;
            }
        };
        match (finding.raised, &excuse) {
            (Some(Raised::Again(_)), Some(_)) => return None,
            (Some(raised), None) => self.condemn(raised.serial()),
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
        let between = self.latest_events.between(finding.from, finding.since);
        let grade = self.grade(&finding);
        let told = ReportedViolation { finding, grade, between, excuse };
        let report = self.report(&told);
        if self.told_of_kind.add(&report) {
            self.told.push(told);
        }
        Some(report)
    }

    /// The contradiction of that number was told without an excuse: nothing else that was found of it is told.
    fn condemn(&mut self, serial: u64) {
        self.disputes.condemn(serial);
        self.quiet_rows.iter_mut().for_each(|row| row.condemn(serial));
        self.pending.retain(|finding| finding.raised.map(Raised::serial) != Some(serial));
    }

    /// The excuse of the finding: every one of its charges needs one. Told is that of the charge that is hardest to excuse.
    fn excused(&self, finding: &Finding, running: &NodeSet) -> Excused {
        let mut charges = finding.charges.clone();
        charges.sort_by_key(|charge| (std::cmp::Reverse(charge.window.from), charge.window.to));
        let mut charges = charges.iter().map(|charge| (charge.nodes, self.excusing(finding, charge)));
        let Some((mut shared, mut within)) = charges.next() else { return Excused::No };
        let first = self.excused_charge(finding, running, &shared, within);
        let others: Vec<(NodeSet, Window)> = charges.collect();
        if others.is_empty() || !matches!(first, Excused::Yes(_)) {
            return first;
        }
        for (nodes, window) in &others {
            shared = shared.intersection(nodes);
            within = Window { from: within.from.max(window.from), to: within.to.min(window.to) };
        }
        // What excuses the nodes that all charges share, within the time that they share, excuses every charge. In a large
        // lab they are as many as its nodes, and each takes a walk through the past.
        if matches!(self.excused_charge(finding, running, &shared, within), Excused::Yes(_)) {
            return first;
        }
        let others = others.iter().map(|(nodes, window)| self.excused_charge(finding, running, nodes, *window));
        others.into_iter().find(|excused| !matches!(excused, Excused::Yes(_))).unwrap_or(first)
    }

    /// The stamps between which a broken assumption excuses the charge.
    fn excusing(&self, finding: &Finding, charge: &ContradictingNodes) -> Window {
        let Window { from, to } = charge.window;
        let from = match (finding.basis, charge.roots) {
            (Basis::Quiet { .. }, _) => from,
            (Basis::Never, CauseDepth::Ever) => i64::MIN,
            (Basis::Never, CauseDepth::BeforeRest) => from.saturating_sub(self.lasting(finding.property)),
            (Basis::Never, CauseDepth::SinceRest) => from.saturating_sub(self.time_bound).max(self.rested),
        };
        Window { from, to }
    }

    /// The excuse of these nodes' states, if it lies between these stamps.
    fn excused_charge(&self, finding: &Finding, running: &NodeSet, nodes: &NodeSet, window: Window) -> Excused {
        let (property, now, flights) = (finding.property, self.now, self.clocks.flights());
        let within = |carriers| {
            let reach = self.clocks.past().reach_through(carriers, nodes, window.to, window.from);
            let question = Question { property, accused: nodes, window, reach: &reach, running, flights, now };
            let excuse = match finding.basis {
                Basis::Never => self.meter.excuse(&question),
                Basis::Quiet { lasting, .. } => self.meter.lasting_excuse(lasting, &question),
            };
            (excuse, reach)
        };
        // What changed states on the way explains more than what was heard and changed nothing.
        if let (Some(excuse), _) = within(CarryingMessages::Turns) {
            return Excused::Yes(excuse);
        }
        match within(CarryingMessages::All) {
            (Some(excuse), _) => Excused::Yes(excuse),
            (None, reach) if self.clocks.past().has_gap(&reach) => Excused::Unknown,
            (None, _) => Excused::No,
        }
    }

    /// What was told, with its present cause and as sure as it is by now.
    pub(super) fn report(&self, told: &ReportedViolation) -> ViolationReport {
        let ReportedViolation { finding, grade, between, excuse } = told;
        let mut report = ViolationReport {
            property: finding.property,
            nodes: finding.accused,
            since: finding.since,
            contradiction: finding.contradiction(),
            grade: *grade,
            between: between.clone(),
            excuse: match excuse {
                Some(ExcusingBreak { broken, way }) => {
                    Excuse::Broken { broken: Box::new(self.meter.by_now(broken, self.now)), way: way.clone() }
                }
                // Of two promises that are broken at one moment an earlier break may excuse one and not the other.
                None if finding.is_of_quiet() && self.meter.was_bitten_ever(finding.property) => {
                    Excuse::NoneBrokenInQuiet
                }
                None => Excuse::NoneBroken,
            },
            text: String::new(),
        };
        report.text = report.sentence(self.grade(finding));
        report
    }

    /// How sure the finding is by now. In virtual time stamps are exact.
    fn grade(&self, finding: &Finding) -> Grade {
        let uncertain = if self.meter.is_simulated() { 0 } else { self.stamps_uncertain };
        finding.grade(&self.clocks, uncertain, self.now)
    }
}
