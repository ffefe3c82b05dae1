//! The steps of a lab for a person, and the violations that it expects: which were taken, which is next, and what that one waits for since when.
//!
//! Invariant: it says what the records tell; what they do not tell, such as when the first step began to wait, is left
//! out.

use super::question::holds;
use super::watch::nanos;
use lab::{LabStep, NarratedWords, Narration, ViolationReason, When, claims_of, steps_of};
use protocol::{Property, Span};
use record::{Head, VerdictAbout, ViolationReport};
use world::{FaultState, FaultView, World};

/// The steps of a lab, out of the head of its session.
#[derive(Clone, Debug)]
pub struct StepBook {
    /// What the lab shows.
    pub about: String,
    steps: Vec<LabStep>,
    /// The violations that the lab expects although no assumption is broken, and why.
    claims: Vec<(Property, ViolationReason)>,
    /// What is not promised with the lab's settings.
    withheld: Vec<Property>,
}

/// A step, and how it stands.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct BookedStep {
    pub name: String,
    /// When it is taken: `when all normal, and 1s later`.
    pub when: String,
    /// What it orders.
    pub lines: Vec<String>,
    /// What it tells.
    pub narration: Narration,
    /// How it stands.
    pub standing: StepStanding,
}

/// How a step stands. Times are nanoseconds since the lab began.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum StepStanding {
    /// Was taken at this time, and all that it orders is in force, or cannot be.
    Taken(i64),
    /// Was taken at this time, and something that it orders is not in force yet.
    Ordering(i64),
    /// Is next.
    Next {
        /// When it began to wait, if the records tell.
        since: Option<i64>,
        /// Whether what it waits for is so now, if it waits for a condition.
        is_so: Option<bool>,
        /// When it will be taken, if that is known.
        due: Option<i64>,
    },
    /// Others come before it.
    Later,
    /// Waited for too long, and neither it nor a later one is ever taken.
    GivenUp,
}

/// What a step says or asks.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct NarratedStep {
    /// The step's name.
    pub name: String,
    /// The chapter to which it belongs.
    pub chapter: Option<String>,
    pub words: NarratedWords,
}

impl StepBook {
    /// The steps of the lab of this session; nothing, if it does not tell them.
    pub fn of(head: &Head) -> Option<StepBook> {
        Some(StepBook {
            about: head.about.clone(),
            steps: steps_of(&head.lab_file)?,
            claims: claims_of(&head.lab_file),
            withheld: head.facts.withheld.clone(),
        })
    }

    /// Why the lab expects this violation although no broken assumption excuses it, as a fragment; nothing, if it does
    /// not expect it.
    pub fn expects(&self, report: &ViolationReport) -> Option<String> {
        if report.is_excused() {
            return None;
        }
        let claims = self.claims.iter().filter(|(property, _)| *property == report.property);
        claims.into_iter().find_map(|(property, reason)| match reason {
            ViolationReason::Hole(hole) => Some(format!("the lab expects it as hole {hole}")),
            ViolationReason::Unpromised => self
                .withheld
                .contains(property)
                .then(|| "with these settings it is not promised, and the lab expects it".to_owned()),
            ViolationReason::Assumption(_) => None,
        })
    }

    /// Each step in its order, as it stands in this world.
    pub fn steps(&self, world: &World) -> Vec<BookedStep> {
        let mut since = None;
        let mut began = None;
        let mut is_open = true;
        let stand = |step: &LabStep| {
            let taken = world.steps.iter().rfind(|(name, _)| *name == step.name).map(|(_, at)| *at);
            let standing = match taken {
                _ if !is_open => StepStanding::Later,
                Some(at) => {
                    if let When::At(span) = step.when {
                        began = began.or(Some(at - nanos(span)));
                    }
                    let (standing, over) = ordered(step, at, world);
                    (since, is_open) = (Some(over), matches!(standing, StepStanding::Taken(_)));
                    standing
                }
                None => {
                    is_open = false;
                    next(step, (since, began), world)
                }
            };
            BookedStep {
                name: step.name.clone(),
                when: when(&step.when),
                lines: step.lines.iter().map(ToString::to_string).collect(),
                narration: step.narration.clone(),
                standing,
            }
        };
        self.steps.iter().map(stand).collect()
    }

    /// The latest words of the steps that have been taken in this world.
    pub fn narrated(&self, world: &World) -> Option<NarratedStep> {
        let taken: Vec<&LabStep> = world.steps.iter().filter_map(|(name, _)| self.step(name)).collect();
        let place = taken.iter().rposition(|step| step.narration.words.is_some())?;
        let chapter = taken[..=place].iter().rev().find_map(|step| step.narration.chapter.clone());
        let step = taken[place];
        Some(NarratedStep { name: step.name.clone(), chapter, words: step.narration.words.clone()? })
    }

    /// When each chapter began in this world, and its title.
    pub fn chapters(&self, world: &World) -> Vec<(i64, String)> {
        let chapter = |(name, at): &(String, i64)| Some((*at, self.step(name)?.narration.chapter.clone()?));
        world.steps.iter().filter_map(chapter).collect()
    }

    /// The narrations of all steps, by the steps' names.
    pub fn narrations(&self) -> impl DoubleEndedIterator<Item = (&str, &Narration)> {
        self.steps.iter().map(|step| (step.name.as_str(), &step.narration))
    }

    fn step(&self, name: &str) -> Option<&LabStep> {
        self.steps.iter().find(|step| step.name == name)
    }
}

/// How a step stands that was taken at this time, and since when it is over.
fn ordered(step: &LabStep, taken: i64, world: &World) -> (StepStanding, i64) {
    let of_step = |fault: &&FaultView| fault.step.as_ref() == Some(&step.name) && fault.ordered >= taken;
    let faults: Vec<&FaultView> = world.faults.iter().filter(of_step).collect();
    let is_open = faults.len() < step.lines.len() || faults.iter().any(|fault| fault.state == FaultState::Ordered);
    let over = faults.iter().filter_map(|fault| fault.in_force).fold(taken, i64::max);
    let standing = if is_open { StepStanding::Ordering(taken) } else { StepStanding::Taken(taken) };
    (standing, over)
}

fn next(step: &LabStep, (since, began): (Option<i64>, Option<i64>), world: &World) -> StepStanding {
    let is_of_it = |about: &VerdictAbout| matches!(about, VerdictAbout::Step(name) if *name == step.name);
    if world.verdicts.iter().any(|view| is_of_it(&view.about)) {
        return StepStanding::GivenUp;
    }
    let (is_so, due) = match &step.when {
        When::At(span) => (None, began.map(|began| began + nanos(*span))),
        When::Condition { condition, .. } => (Some(holds(condition, world)), None),
        When::Moment(_) => (None, None),
    };
    StepStanding::Next { since, is_so, due }
}

fn when(when: &When) -> String {
    match when {
        When::At(span) => format!("{span} after the steps began"),
        When::Condition { condition, then_wait: Span::ZERO } => format!("when {condition}"),
        When::Condition { condition, then_wait } => format!("when {condition}, and {then_wait} later"),
        When::Moment(moment) => format!("at the moment `{moment}`"),
    }
}
