//! Measurements that parts make.
//!
//! Invariant: the same table, CSV and plot as those of one measurement over all seeds.

use super::super::code;
use super::super::parts::{PartSet, SurveyQuestion};
use super::super::tell::remark;
use super::showing::Showing;
use super::{detectors, duel, figures, messages, rounds, time};
use measure::SeedSurvey;

/// Shows the measurement that these parts make; returns the exit code. Campaigns are not measurements.
pub fn show(parts: &PartSet, showing: &Showing) -> u8 {
    let shown = match parts.asked.clone() {
        SurveyQuestion::Simulate { .. } => unreachable!("the caller merges campaigns"),
        asked @ SurveyQuestion::Rounds { .. } => {
            rounds::asked(asked).and_then(|survey| merged(&survey, parts, showing))
        }
        asked @ SurveyQuestion::Messages { .. } => {
            messages::asked(asked).and_then(|survey| merged(&survey, parts, showing))
        }
        asked @ SurveyQuestion::Time { .. } => time::asked(asked).and_then(|survey| merged(&survey, parts, showing)),
        asked @ SurveyQuestion::Detectors { .. } => {
            detectors::asked(asked).and_then(|survey| merged(&survey, parts, showing))
        }
        asked @ SurveyQuestion::Duel { .. } => duel::asked(asked).and_then(|survey| merged(&survey, parts, showing)),
        asked @ SurveyQuestion::Figures { .. } => {
            figures::asked(asked).and_then(|survey| merged(&survey, parts, showing))
        }
    };
    match shown {
        Ok(()) => code::MET,
        Err(code) => code,
    }
}

fn merged<S: SeedSurvey>(survey: &S, parts: &PartSet, showing: &Showing) -> Result<(), u8> {
    showing.check()?;
    let refused = |why: String| {
        remark(why);
        code::LAB_INVALID
    };
    let found: Vec<Vec<S::Sum>> = parts.found().map_err(refused)?;
    let mut sums: Vec<S::Sum> = (0..survey.points()).map(|_| S::Sum::default()).collect();
    for part in found {
        if part.len() != sums.len() {
            return Err(refused(format!("a part has {} points, and not {}", part.len(), sums.len())));
        }
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    showing.show(&survey.exhibit(&sums))
}
