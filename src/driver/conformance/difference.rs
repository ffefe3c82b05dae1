//! How a recorded step differs from what the machine does.
//!
//! Invariant: a difference is named by its record, and within it by where it stands there, as `jq` would name it.

use serde_json::Value;

use super::whole::RecordedStep;
use protocol::{Incarnation, NodeId};
use record::{Step, json_value};

/// The parts of a step, in the order in which they come about.
const PARTS: [&str; 7] = ["input", "capacity", "lines", "effects", "lies", "state", "held"];

/// The first thing in which a recorded step is not what the machine does.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error(
    "record {record} (step {step} of node {node}'s incarnation {incarnation}): {part}: expected {expected}, found {found}"
)]
pub struct Difference {
    /// The record's number.
    pub record: u64,
    /// The node of the step.
    pub node: NodeId,
    /// Of which incarnation.
    pub incarnation: Incarnation,
    /// Which step of it.
    pub step: u64,
    /// Where in the record it is.
    pub part: String,
    /// What the machine makes of the same inputs.
    pub expected: String,
    /// What stands in the record.
    pub found: String,
}

/// A place in a step, what is expected there, and what was found.
#[derive(Debug)]
pub(super) struct StepDifference {
    pub part: String,
    pub expected: String,
    pub found: String,
}

impl StepDifference {
    /// The same, as a difference of this node's recorded step.
    pub fn at(self, node: NodeId, recorded: &RecordedStep<'_>) -> Box<Difference> {
        let StepDifference { part, expected, found } = self;
        let RecordedStep { number: record, step: Step { incarnation, step, .. }, .. } = *recorded;
        Box::new(Difference { record, node, incarnation: *incarnation, step: *step, part, expected, found })
    }
}

/// The first part in which a recorded step is not the one that was expected.
pub(super) fn between(expected: &Step, found: &Step) -> Option<StepDifference> {
    if expected == found {
        return None;
    }
    let [expected, found] = [expected, found].map(json_value);
    let part = PARTS.iter().find(|part| expected.get(**part) != found.get(**part));
    let part = part.expect("steps that differ differ in a part, and their numbers were held against each other before");
    let of = |step: &Value| step.get(*part).cloned().unwrap_or_default();
    Some(descend((*part).to_owned(), &of(&expected), &of(&found)))
}

/// Goes down into what differs, as long as both have the same shape.
fn descend(part: String, expected: &Value, found: &Value) -> StepDifference {
    match (expected, found) {
        (Value::Object(ours), Value::Object(theirs)) if ours.keys().eq(theirs.keys()) => {
            let differing = ours.iter().find(|(key, value)| theirs.get(*key) != Some(*value));
            let (key, value) = differing.expect("they differ, and have the same keys");
            descend(format!("{part}.{key}"), value, &theirs[key])
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            let longest = ours.len().max(theirs.len());
            let place = (0..longest).find(|place| ours.get(*place) != theirs.get(*place)).expect("they differ");
            let of = |values: &[Value]| values.get(place).cloned().unwrap_or_default();
            descend(format!("{part}[{place}]"), &of(ours), &of(theirs))
        }
        _ => StepDifference { part, expected: told(expected), found: told(found) },
    }
}

fn told(value: &Value) -> String {
    if value.is_null() { "nothing".to_owned() } else { value.to_string() }
}
