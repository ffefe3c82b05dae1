//! The outcome of a lab: the last line of a run, and its exit code.
//!
//! Invariant: a run is green only if every expectation was met and nothing happened without an explanation.

use std::fmt;

use super::question::{is_unknowable, is_what};
use lab::{Condition, Lab, ViolationReason};
use record::Outcome;
use world::{ViolationView, World};

/// The outcome of a lab. It prints as `first: 7 of 7 expectations met, no violation`.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Summary {
    /// The lab's name.
    pub name: String,
    /// Whether its script was played. If not, it had no expectations to meet.
    pub was_played: bool,
    /// Expectations, and each step that never came.
    pub total: usize,
    /// Those that were met.
    pub met: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that are unknown.
    pub unknown: usize,
    /// Violations that the judge found.
    pub violations: usize,
    /// Of these, the excused ones: an assumption that the property needs was broken, and had a part in it.
    pub excused: usize,
    /// Of these, those whose assumption this computer itself broke.
    pub by_machine: usize,
    /// Whether there may have been other violations.
    pub is_unknowable: bool,
    /// Of the violations, those that no broken assumption excuses and that the lab does not claim as a hole: bugs.
    pub bugs: usize,
    /// Whether in virtual time an assumption was broken although no fault broke it: a bug of this program.
    pub is_defect: bool,
    /// Of the bugs, those of properties that the algorithm does not promise with the lab's settings. The lab should have
    /// expected them.
    pub unpromised: usize,
}

impl Summary {
    /// The exit code of a run with this outcome: 0 all met; 4 an expectation failed, or a bug; 5 unknown; 70 a defect
    /// of this program.
    pub fn exit_code(&self) -> u8 {
        if self.is_defect {
            return 70;
        }
        match (self.failed + self.bugs, self.unknown > 0 || self.is_unknowable) {
            (0, false) => 0,
            (0, true) => 5,
            _ => 4,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.was_played {
            true => write!(f, "{}: {} of {} expectations met, ", self.name, self.met, self.total)?,
            false => write!(f, "{}: steps not played, ", self.name)?,
        }
        match self.violations {
            0 if self.is_unknowable => f.write_str("violations unknown")?,
            0 => f.write_str("no violation")?,
            1 => write!(f, "1 violation, {} excused", self.excused)?,
            number => write!(f, "{number} violations, {} excused", self.excused)?,
        }
        match self.by_machine {
            0 => Ok(()),
            number => write!(f, ", {number} by this computer"),
        }
    }
}

/// The judge's sentences, in the order of the world's violations. The judge does not know the lab: where no assumption
/// was broken, its meaning in this lab is added here.
pub fn explained(sentences: Vec<String>, lab: &Lab, world: &World) -> Vec<String> {
    let bug = match &lab.card.open_holes(&lab.settings)[..] {
        [] => "this is a bug of the algorithm or the lab".to_owned(),
        [hole] => format!("this is the hole {hole}, which the lab leaves open, or a bug"),
        holes => format!("this is one of the {} holes that the lab leaves open, or a bug", holes.len()),
    };
    let explain = |(sentence, view): (String, &ViolationView)| match (view.report.because(), claimed_hole(lab, view)) {
        (Some(_), _) => sentence,
        (None, Some(hole)) => format!("{sentence}: the lab expects it as hole {hole}"),
        (None, None) if is_withheld(lab, view) => {
            let expects = if is_expected_unpromised(lab, view) { "expects" } else { "does not expect" };
            format!("{sentence}: with these settings it is not promised, and the lab {expects} it")
        }
        (None, None) => format!("{sentence}: {bug}"),
    };
    sentences.into_iter().zip(&world.violations).map(explain).collect()
}

/// The hole that the lab claims for this violation, for which no assumption was broken.
fn claimed_hole<'a>(lab: &'a Lab, view: &ViolationView) -> Option<&'a str> {
    lab.expectations.iter().find_map(|expectation| match &expectation.that {
        Condition::Violation { because: Some(ViolationReason::Hole(hole)), .. } if is_what(&expectation.that, view) => {
            Some(hole.as_str())
        }
        _ => None,
    })
}

/// Whether the lab expects it because the property is not promised with its settings.
fn is_expected_unpromised(lab: &Lab, view: &ViolationView) -> bool {
    is_withheld(lab, view)
        && lab.expectations.iter().map(|expectation| &expectation.that).any(|that| {
            matches!(that, Condition::Violation { because: Some(ViolationReason::Unpromised), .. })
                && is_what(that, view)
        })
}

/// Whether it is about a property that the algorithm does not promise with the lab's settings.
fn is_withheld(lab: &Lab, view: &ViolationView) -> bool {
    lab.withheld().contains(&view.report.property)
}

/// The summary of a lab with these outcomes; steps that were given up count as failed.
pub(super) fn summary(
    lab: &Lab,
    was_played: bool,
    outcomes: impl Iterator<Item = Option<Outcome>>,
    steps_given_up: usize,
    world: &World,
) -> Summary {
    let outcomes: Vec<Option<Outcome>> = outcomes.collect();
    let count = |outcome: Outcome| outcomes.iter().filter(|other| **other == Some(outcome)).count();
    let is_bug = |view: &ViolationView| {
        !view.report.is_excused() && claimed_hole(lab, view).is_none() && !is_expected_unpromised(lab, view)
    };
    Summary {
        name: lab.name.clone(),
        was_played,
        total: if was_played { outcomes.len() + steps_given_up } else { 0 },
        met: count(Outcome::Met),
        failed: count(Outcome::Failed) + steps_given_up,
        unknown: count(Outcome::Unknown),
        violations: world.violations.count(|_| true),
        excused: world.violations.count(|view| view.report.is_excused()),
        by_machine: world.violations.count(|view| view.report.is_by_machine()),
        is_unknowable: is_unknowable(world),
        bugs: world.violations.count(is_bug),
        is_defect: false,
        unpromised: world.violations.count(|view| is_bug(view) && is_withheld(lab, view)),
    }
}
