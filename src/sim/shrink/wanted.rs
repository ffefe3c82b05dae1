//! The violation that a shorter lab has to show again.
//!
//! Invariant: what is taken for the same has the same property, the same excuse, the same grade and a contradiction of the
//! same kind.

use super::contradiction::ContradictionKind;
use protocol::{Assumption, Property};
use record::ViolationReport;

/// A violation, as far as it has to come again.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct WantedViolation {
    /// The property.
    pub property: Property,
    /// The broken assumption that excuses it, if one does.
    pub because: Option<Assumption>,
    /// What is wrong, if it matters.
    contradiction: Option<GradedContradiction>,
}

/// What is wrong, and how sure it is.
#[derive(Clone, Eq, PartialEq, Debug)]
struct GradedContradiction {
    /// The grade's word: `possible`, `certain` or `observed`; absent if the sentence has none.
    grade: Option<String>,
    kind: ContradictionKind,
}

impl WantedViolation {
    /// What has to come again of this one.
    pub fn of(report: &ViolationReport) -> WantedViolation {
        let contradiction = GradedContradiction {
            grade: grade_of(&report.text).map(str::to_owned),
            kind: ContradictionKind::of(&report.text),
        };
        WantedViolation { contradiction: Some(contradiction), ..WantedViolation::of_any_kind(report) }
    }

    /// Any violation of the same property with the same excuse, whatever is wrong.
    pub fn of_any_kind(report: &ViolationReport) -> WantedViolation {
        WantedViolation { property: report.property, because: report.because, contradiction: None }
    }

    /// Whether this one is the same.
    pub fn is_shown_by(&self, report: &ViolationReport) -> bool {
        if (self.property, self.because) != (report.property, report.because) {
            return false;
        }
        self.contradiction.as_ref().is_none_or(|wanted| {
            wanted.grade.as_deref() == grade_of(&report.text)
                && wanted.kind.is_shown_by(&ContradictionKind::of(&report.text))
        })
    }
}

/// The grade that the judge's sentence has in brackets behind the stamp.
fn grade_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(" violated at ")?;
    let (_, rest) = rest.split_once(" (")?;
    let (grade, _) = rest.split_once("): ")?;
    ["possible", "certain", "observed"].into_iter().find(|word| *word == grade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_is_read_out_of_the_judges_sentence() {
        for (text, grade) in [
            ("assertion-1 violated at 3.2 s (observed): 5 is in Normal", Some("observed")),
            ("assertion-1 violated at 3.2 s (possible): 5 (again)", Some("possible")),
            ("assertion-2 violated at 3.2 s: nobody coordinates", None),
            ("(observed): ", None),
        ] {
            assert_eq!(grade_of(text), grade, "{text}");
        }
    }
}
