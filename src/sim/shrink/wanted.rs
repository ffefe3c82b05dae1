//! The violation that a shorter lab has to show again.
//!
//! Invariant: what is taken for the same has the same property, the same excuse and the same grade.

use crate::protocol::{Assumption, Property};
use crate::record::ViolationReport;

/// A violation, as far as it has to come again.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct WantedViolation {
    /// The property.
    pub property: Property,
    /// The broken assumption that excuses it, if one does.
    pub because: Option<Assumption>,
    /// The grade's word: `possible`, `certain` or `observed`; absent if the sentence has none.
    pub grade: Option<String>,
}

impl WantedViolation {
    /// What has to come again of this one.
    pub fn of(report: &ViolationReport) -> WantedViolation {
        let grade = grade_of(&report.text).map(str::to_owned);
        WantedViolation { property: report.property, because: report.because, grade }
    }

    /// Whether this one is the same.
    pub fn is_shown_by(&self, report: &ViolationReport) -> bool {
        *self == WantedViolation::of(report)
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
