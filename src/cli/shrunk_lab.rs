//! The file of a lab that was shrunk: what it says of itself, and what it expects.
//!
//! Invariant: the text was read back and simulated by the command that it names; what it expects came there.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::columns::counted;
use super::registry_in_use;
use lab::text::{comment, marked};
use lab::{Condition, Expectation, Lab, ViolationReason, claims_of};
use protocol::Property;
use record::{Head, ViolationReport};
use sim::shrink::{ShownViolations, Shrunk, WantedViolation, showing};
use sim::{AfterScript, NetworkKind, Plan};

/// A lab file, and the command that shows what it is about.
#[derive(Debug)]
pub struct WrittenShrunk {
    /// The file's text.
    pub text: String,
    pub command: String,
}

/// The holes that the session's lab claims: nothing else infers a hole.
#[derive(Debug, Default)]
struct ClaimedHoles(BTreeMap<Property, String>);

/// What a shrunk lab expects of its end.
#[derive(Clone, Debug, Default)]
struct ExpectedViolations {
    expectations: Vec<Expectation>,
    /// The properties that are put down to the only hole that the session's lab claims, and claims for another property.
    put_down: Vec<(Property, String)>,
}

/// Writes the lab that was shrunk under this plan, for a file of this name; nothing, if it does not show the violation.
pub fn written(
    head: &Head,
    wanted: &WantedViolation,
    plan: &Plan,
    shrunk: &Shrunk,
    file: &str,
) -> Option<WrittenShrunk> {
    let what = wanted.property;
    let lab = Lab {
        name: marked(&head.name, "-shrunk"),
        about: format!("The fewest faults of a session of \"{}\" with which {what} is still violated.", head.name),
        ..Lab::clone(&shrunk.lab)
    };
    let plain_weather = Plan { after: AfterScript::End, ..Plan::of(Arc::new(lab.clone())) };
    let as_recorded = Plan { lab: Arc::new(lab), after: AfterScript::End, ..plan.clone() };
    // The file alone is the simplest to show, if a calm network shows it too.
    [plain_weather, as_recorded].into_iter().find_map(|plan| {
        let shown = shown(&plan, wanted)?;
        let expected = ExpectedViolations::of(&plan.lab, &ClaimedHoles::of(head), &shown.violations);
        let expectations = expected.as_ref().map_or_else(|_| Vec::new(), |expected| expected.expectations.clone());
        let lab = Lab { expectations, ..Lab::clone(&plan.lab) };
        let command = command(&plan, file);
        let text = opening(head, shrunk, &command, &expected) + &lab.written();
        let again = Arc::new(lab::parse(&lab.name, &text, registry_in_use()).ok()?);
        self::shown(&Plan { lab: again, ..plan }, wanted)?;
        Some(WrittenShrunk { text, command })
    })
}

fn shown(plan: &Plan, wanted: &WantedViolation) -> Option<ShownViolations> {
    let shown = showing(plan, wanted, &|plan, listener| sim::run(plan, listener));
    shown.found.is_some().then_some(shown)
}

/// The command that simulates this file under this plan.
fn command(plan: &Plan, file: &str) -> String {
    if plan.network_kind != NetworkKind::Drawn {
        return format!("hustings run {file} --sim");
    }
    let seeds = sim::campaign::Seeds::only(plan.seed);
    let dice = if plan.dice == plan.seed { String::new() } else { format!(" --dice {}", plan.dice) };
    format!("hustings simulate {file} --seeds {seeds}{dice}")
}

impl ClaimedHoles {
    fn of(head: &Head) -> ClaimedHoles {
        let hole =
            |(property, because)| if let ViolationReason::Hole(hole) = because { Some((property, hole)) } else { None };
        ClaimedHoles(claims_of(&head.lab_file).into_iter().filter_map(hole).collect())
    }

    /// The hole, if they are all the same one.
    fn only(&self) -> Option<&String> {
        let first = self.0.values().next()?;
        self.0.values().all(|hole| hole == first).then_some(first)
    }
}

impl ExpectedViolations {
    /// All these violations; or the property of which nothing says why it is violated: it may be a bug, which no lab may
    /// expect.
    fn of(lab: &Lab, holes: &ClaimedHoles, violations: &[ViolationReport]) -> Result<ExpectedViolations, Property> {
        let withheld = lab.withheld();
        let mut expected = ExpectedViolations::default();
        for report in violations {
            let property = report.property;
            let because = match (report.because(), holes.0.get(&property)) {
                (Some(assumption), _) => ViolationReason::Assumption(assumption),
                (None, Some(hole)) => ViolationReason::Hole(hole.clone()),
                (None, None) if withheld.contains(&property) => ViolationReason::Unpromised,
                (None, None) => {
                    let hole = holes.only().ok_or(property)?.clone();
                    if !expected.put_down.iter().any(|(known, _)| *known == property) {
                        expected.put_down.push((property, hole.clone()));
                    }
                    ViolationReason::Hole(hole)
                }
            };
            expected.add(Condition::Violation { property, because: Some(because) });
        }
        Ok(expected)
    }

    fn add(&mut self, that: Condition) {
        if !self.expectations.iter().any(|other| other.that == that) {
            self.expectations.push(Expectation::at_end(that));
        }
    }
}

/// The comment at the head of the file.
fn opening(head: &Head, shrunk: &Shrunk, command: &str, expected: &Result<ExpectedViolations, Property>) -> String {
    let (name, id, before) = (&head.name, &head.lab_id, counted(shrunk.lines_before as u64, "fault line"));
    let mut text =
        comment(&format!("Shrunk from a session of the lab \"{name}\" (id {id}): {} of {before}.", shrunk.lines));
    text += &comment(&format!("`{command}` shows the violation."));
    match expected {
        Ok(expected) => {
            for (property, hole) in &expected.put_down {
                text += &comment(&format!(
                    "The session's lab claims the hole {hole} for another property; that {property} is violated is put \
                     down to it too."
                ));
            }
        }
        Err(property) => {
            text += &comment(&format!(
                "No broken assumption excuses that {property} is violated, and the session's lab claims no hole for it. \
                 So this lab expects nothing, and the command ends with exit code 4."
            ));
        }
    }
    text + "\n"
}
