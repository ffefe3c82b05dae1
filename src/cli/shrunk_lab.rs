//! The file of a lab that was shrunk: what it says of itself, and what it expects.
//!
//! Invariant: the text was read back and simulated by the command that it names; what it expects came there.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::columns::counted;
use crate::election::CARDS;
use crate::lab::text::plain;
use crate::lab::{self, Because, Condition, Expectation, Lab, NAME_BYTES_MAX};
use crate::protocol::{Property, Span};
use crate::record::{Head, ViolationReport};
use crate::sim::shrink::{ShownViolations, Shrunk, WantedViolation, showing};
use crate::sim::{self, After, Plan, Weather};

/// The mark that the lab's name gets.
const MARK: &str = "-shrunk";

/// A lab file, and the command that shows what it is about.
#[derive(Debug)]
pub struct WrittenShrunk {
    /// The file's text.
    pub text: String,
    /// The command.
    pub command: String,
}

/// Writes the lab that was shrunk under this plan, for a file of this name; nothing, if it does not show the violation.
pub fn written(
    head: &Head,
    wanted: &WantedViolation,
    plan: &Plan,
    shrunk: &Shrunk,
    file: &str,
) -> Option<WrittenShrunk> {
    let name = marked(&head.name);
    let what = wanted.property;
    let lab = Lab {
        name,
        about: format!("The fewest faults of a session of \"{}\" with which {what} is still violated.", head.name),
        ..Lab::clone(&shrunk.lab)
    };
    let plain_weather = Plan { after: After::End, ..Plan::of(Arc::new(lab.clone())) };
    let as_recorded = Plan { lab: Arc::new(lab), after: After::End, ..plan.clone() };
    // The file alone is the simplest to show, if a calm network shows it too.
    [plain_weather, as_recorded].into_iter().find_map(|plan| {
        let shown = shown(&plan, wanted)?;
        let expected = expectations(&plan.lab, &claimed_holes(head), &shown.violations);
        let lab = Lab { expectations: expected.clone().unwrap_or_default(), ..Lab::clone(&plan.lab) };
        let command = command(&plan, file);
        let text = opening(head, shrunk, &command, expected.is_some()) + &lab.written();
        let again = Arc::new(lab::parse(&lab.name, &text, CARDS).ok()?);
        self::shown(&Plan { lab: again, ..plan }, wanted)?;
        Some(WrittenShrunk { text, command })
    })
}

fn shown(plan: &Plan, wanted: &WantedViolation) -> Option<ShownViolations> {
    let shown = showing(plan, wanted, &|plan, listener| sim::run(plan, listener));
    shown.found.is_some().then_some(shown)
}

/// The lab's name with a mark, cut to the length that a name may have.
fn marked(name: &str) -> String {
    let mut end = name.len().min(NAME_BYTES_MAX - MARK.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MARK}", &name[..end])
}

/// The command that simulates this file under this plan.
fn command(plan: &Plan, file: &str) -> String {
    if plan.weather != Weather::Drawn {
        return format!("hustings run {file} --sim");
    }
    let seeds = sim::campaign::Seeds::only(plan.seed);
    let dice = if plan.dice == plan.seed { String::new() } else { format!(" --dice {}", plan.dice) };
    format!("hustings simulate {file} --seeds {seeds}{dice}")
}

/// The holes that the session's lab claims, with their properties: nothing else infers a hole.
fn claimed_holes(head: &Head) -> BTreeMap<Property, String> {
    let lab = lab::parse("the session's lab", &head.lab_file, CARDS);
    let expectations = lab.map_or_else(|_| Vec::new(), |lab| lab.expectations);
    let hole = |expectation: Expectation| match expectation.that {
        Condition::Violation { property, because: Some(Because::Hole(hole)) } => Some((property, hole)),
        _ => None,
    };
    expectations.into_iter().filter_map(hole).collect()
}

/// What the lab expects at its end: these violations. Nothing, if one of them is a bug, which no lab may expect.
fn expectations(
    lab: &Lab,
    holes: &BTreeMap<Property, String>,
    violations: &[ViolationReport],
) -> Option<Vec<Expectation>> {
    let withheld = lab.withheld();
    let mut expected: Vec<Expectation> = Vec::new();
    for report in violations {
        let because = match (report.because, holes.get(&report.property)) {
            (Some(assumption), _) => Because::Assumption(assumption),
            (None, Some(hole)) => Because::Hole(hole.clone()),
            (None, None) if withheld.contains(&report.property) => Because::Unpromised,
            (None, None) => return None,
        };
        let that = Condition::Violation { property: report.property, because: Some(because) };
        if !expected.iter().any(|other| other.that == that) {
            let text = that.to_string();
            expected.push(Expectation { that, text, after: None, within: Span::ZERO, stays: Span::ZERO });
        }
    }
    Some(expected)
}

/// The comment at the head of the file.
fn opening(head: &Head, shrunk: &Shrunk, command: &str, is_expected: bool) -> String {
    let mut text = format!(
        "# Shrunk from a session of the lab \"{}\" (id {}): {} of {}.\n# `{}` shows the violation.\n",
        plain(&head.name),
        plain(&head.lab_id),
        shrunk.lines,
        counted(shrunk.lines_before as u64, "fault line"),
        plain(command),
    );
    if !is_expected {
        text +=
            "# No broken assumption excuses it, so no expectation can ask for it: the command ends with exit code 4.\n";
    }
    text + "\n"
}
