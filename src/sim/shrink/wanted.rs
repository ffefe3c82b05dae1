//! The violation that a shorter lab has to show again.
//!
//! Invariant: what is taken for the same has the same property, the same excuse, the same grade and a contradiction of the
//! same kind.

use super::contradiction::ContradictionKind;
use protocol::{Assumption, Property};
use record::{Grade, ViolationReport};

/// A violation, as far as it has to come again.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct WantedViolation {
    pub property: Property,
    /// The broken assumption that excuses it, if one does.
    pub because: Option<Assumption>,
    /// What is wrong, if it matters.
    contradiction: Option<GradedContradiction>,
}

/// What is wrong, and how sure it is.
#[derive(Clone, Eq, PartialEq, Debug)]
struct GradedContradiction {
    grade: Grade,
    kind: ContradictionKind,
}

impl WantedViolation {
    /// What has to come again of this one.
    pub fn of(report: &ViolationReport) -> WantedViolation {
        let contradiction =
            GradedContradiction { grade: report.grade, kind: ContradictionKind::of(&report.contradiction) };
        WantedViolation { contradiction: Some(contradiction), ..WantedViolation::of_any_kind(report) }
    }

    /// Any violation of the same property with the same excuse, whatever is wrong.
    pub fn of_any_kind(report: &ViolationReport) -> WantedViolation {
        WantedViolation { property: report.property, because: report.because(), contradiction: None }
    }

    /// Whether this one is the same.
    pub fn is_shown_by(&self, report: &ViolationReport) -> bool {
        if (self.property, self.because) != (report.property, report.because()) {
            return false;
        }
        self.contradiction.as_ref().is_none_or(|wanted| {
            wanted.grade == report.grade && wanted.kind.is_shown_by(&ContradictionKind::of(&report.contradiction))
        })
    }
}
