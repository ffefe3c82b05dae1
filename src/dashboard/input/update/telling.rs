//! The messages about records.
//!
//! Invariant: a message about a record leads to its row.

use crate::input::action::Action;
use crate::model::{Model, Tone};
use record::{Body, Outcome, Record};

/// Shows the message about a record that the present has taken in, now or before.
pub fn announce(model: &mut Model, record: &Record) {
    let Some((tone, text)) = announcement(model, record) else { return };
    match model.time.scene.rows.number_of(record) {
        Some(row) => model.tell_of_row(tone, text, row),
        None => model.tell(tone, text),
    }
}

/// What a record shows at once, besides its row.
fn announcement(model: &Model, record: &Record) -> Option<(Tone, String)> {
    match &record.body {
        Body::Violation(report) => {
            let word = if report.is_excused() { "Excused violation" } else { "Violation" };
            let because = match (report.because(), report.by()) {
                (Some(assumption), Some(fault)) => format!("{fault} broke {assumption}"),
                (Some(assumption), None) if report.is_by_machine() => {
                    format!("this computer broke {assumption}")
                }
                (Some(assumption), None) => format!("{assumption} was broken"),
                (None, _) => model.unexcused(report),
            };
            let (key, property, nodes) = (model.key(Action::Violations), report.property, &report.nodes);
            let tone = if model.is_expected(report) { Tone::Plain } else { Tone::Bad };
            Some((tone, format!("{word} of {property} by {nodes}: {because}. {key} shows all")))
        }
        Body::Verdict { outcome: Outcome::Met, text, .. } => Some((Tone::Good, format!("As the lab expects: {text}"))),
        Body::Verdict { text, .. } => Some((Tone::Bad, text.clone())),
        Body::FaultNotInForce { id, why } => Some((Tone::Bad, format!("{id} is not in force: {why}"))),
        Body::RecordingSuspended { why } => Some((
            Tone::Bad,
            format!("Recording is suspended: {why}. The lab goes on. Free disk space, and recording resumes."),
        )),
        Body::RecordingResumed { count } => {
            Some((Tone::Plain, format!("Recording has resumed; {count} records are missing in the session file.")))
        }
        Body::Panicked { message } => {
            let node = record.node.map_or_else(String::new, |node| format!("{node} "));
            Some((Tone::Bad, format!("{node}panicked: {message}")))
        }
        _ => None,
    }
}
