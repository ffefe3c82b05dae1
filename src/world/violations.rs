//! The violations of a lab: the first ones of each kind in full, and all of them counted.
//!
//! Invariant: memory is bounded by the number of kinds, and each kind has a violation that shows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use protocol::{Assumption, Property};
use record::ViolationReport;

/// How many violations of a kind are kept in full.
const OF_A_KIND_MAX: u64 = 100;

/// A contradiction as the world keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViolationView {
    /// When it was reported.
    pub at: i64,
    /// The number of its record.
    pub number: u64,
    pub report: ViolationReport,
}

/// The violations found so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Violations {
    kept: Vec<ViolationView>,
    counts: Counts,
}

/// How many there were of each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts(Vec<(ViolationKind, u64)>);

/// The violated property, and the cause.
type ViolationKind = (Property, Option<Assumption>, bool);

fn kind_of(report: &ViolationReport) -> ViolationKind {
    (report.property, report.because(), report.is_by_machine())
}

impl Counts {
    /// Counts it; returns whether it is one of those kept in full.
    pub fn add(&mut self, report: &ViolationReport) -> bool {
        let kind = kind_of(report);
        let place = self.0.iter().position(|(other, _)| *other == kind).unwrap_or_else(|| {
            self.0.push((kind, 0));
            self.0.len() - 1
        });
        let (_, count) = &mut self.0[place];
        *count += 1;
        *count <= OF_A_KIND_MAX
    }
}

impl Violations {
    /// Takes in the next one.
    pub fn add(&mut self, view: ViolationView) {
        if self.counts.add(&view.report) {
            self.kept.push(view);
        }
    }

    /// The kept ones, in the order in which they were reported.
    pub fn iter(&self) -> std::slice::Iter<'_, ViolationView> {
        self.kept.iter()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many there were of the kinds for which this is true. It may ask for the violated property and its cause.
    pub fn count(&self, is_counted: impl Fn(&ViolationView) -> bool) -> usize {
        let mut shown: BTreeMap<ViolationKind, &ViolationView> = BTreeMap::new();
        for view in &self.kept {
            shown.entry(kind_of(&view.report)).or_insert(view);
        }
        let counted = self.counts.0.iter().filter(|(kind, _)| shown.get(kind).is_some_and(|view| is_counted(view)));
        counted.map(|(_, count)| usize::try_from(*count).unwrap_or(usize::MAX)).sum()
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a ViolationView;
    type IntoIter = std::slice::Iter<'a, ViolationView>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{NodeId, NodeSet};
    use record::{BreakManner, BrokenAssumption, BrokenBy, CausalWay, Contradiction, EventsBetween, Excuse, Grade};

    fn excused(assumption: Assumption) -> Excuse {
        let node = NodeId::new(1).unwrap();
        let (by, manner) = (BrokenBy::ThisComputer, BreakManner::StoodStill { node });
        let broken = BrokenAssumption { assumption, by, from: 0, to: Some(1), seen_at: 1, manner };
        Excuse::Broken { broken: Box::new(broken), way: CausalWay { node, at: 0, steps: Vec::new() } }
    }

    fn view(number: u64, because: Option<Assumption>) -> ViolationView {
        let report = ViolationReport {
            property: Property::Assertion1,
            nodes: NodeSet::EMPTY,
            since: 0,
            contradiction: Contradiction::Ends(Vec::new()),
            grade: Grade::Observed,
            between: EventsBetween::default(),
            excuse: because.map_or(Excuse::NoneBroken, excused),
            text: String::new(),
        };
        ViolationView { at: 0, number, report }
    }

    #[test]
    fn a_flood_of_one_kind_is_counted_and_hides_no_other() {
        let mut violations = Violations::default();
        assert!(violations.is_empty());
        (1..=5000).for_each(|number| violations.add(view(number, Some(Assumption::NoPauses))));
        violations.add(view(5001, None));
        assert_eq!((violations.iter().count(), violations.count(|_| true)), (101, 5001));
        assert_eq!(violations.count(|view| !view.report.is_excused()), 1);
        assert_eq!(violations.iter().last().map(|view| view.number), Some(5001));
    }
}
