//! A violation, told in paragraphs: who, what, when and why; the states; what lay between them; the path from the cause.
//!
//! Invariant: every part of the report is shown, and none of it twice.

use super::sheet::Sheet;
use crate::model::Model;
use crate::paint;
use protocol::NodeSet;
use record::{Excuse, ViolationReport};

/// Writes the paragraphs, each after its heading.
pub fn paragraphs(model: &Model, sheet: &mut Sheet<'_>, report: &ViolationReport) {
    sheet.text(&in_short(model, report));
    let states = report.contradiction.parts();
    let title = if states.len() == 1 { "what was found" } else { "the two states" };
    sheet.heading(&format!("{title} ({})", report.grade));
    states.iter().for_each(|state| sheet.text(&format!("{state}.")));
    sheet.heading("between them");
    sheet.text(&format!("{}.", report.between));
    match &report.excuse {
        Excuse::Broken { cause, path } => {
            sheet.heading("the path from the cause");
            sheet.text(&format!("{path}."));
            sheet.heading("the cause");
            sheet.text(&format!("{cause}."));
        }
        excuse => {
            sheet.heading("the cause");
            sheet.text(&format!("{excuse}."));
        }
    }
}

/// Who, what, when, and because of which fault, in one sentence.
fn in_short(model: &Model, report: &ViolationReport) -> String {
    let what =
        format!("{} violated at {} s by {}", report.property, paint::seconds(report.since, 3), listed(&report.nodes));
    let Some(assumption) = report.because else { return format!("{what}; no broken assumption excuses it.") };
    let by = match report.by {
        Some(id) => {
            let fault = model.seen().world.faults.iter().find(|fault| fault.id == id);
            fault.map_or_else(|| id.to_string(), |fault| format!("{id} ({})", fault.line))
        }
        None if report.by_machine => "this computer".to_owned(),
        None => return format!("{what}, because {assumption} was broken."),
    };
    format!("{what}, because {by} broke {assumption}.")
}

/// `1, 2 and 4`.
fn listed(nodes: &NodeSet) -> String {
    let each: Vec<String> = nodes.iter().map(|node| node.to_string()).collect();
    match &each[..] {
        [first @ .., last] if !first.is_empty() && first.len() < 4 => format!("{} and {last}", first.join(", ")),
        _ => nodes.to_string(),
    }
}
