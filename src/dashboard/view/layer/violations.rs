//! The list of violations, up to the moment on the screen; and one of them, told in paragraphs: who, what, when and why,
//! the states, what lay between them, the path from the cause.
//!
//! Invariant: none is left out without a word; every part of a report is shown, and none of it twice.

use std::sync::Arc;

use super::page::{LinkTarget, Page, PageWriter};
use crate::model::row::{Row, rows_of};
use crate::model::{Model, Subject};
use crate::view::paint;
use protocol::NodeSet;
use record::{Body, Excuse, Outcome, Record, ViolationReport};
use world::{VerdictView, ViolationView};

/// All violations; the latest stands lowest.
pub fn page(model: &Model, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let violations = &model.seen().world.violations;
    if violations.is_empty() {
        sheet.text("There is no violation up to this moment.");
    }
    match model.lost() {
        0 => {}
        1 => sheet.text("A record of the session is missing: it may have told of more."),
        lost => sheet.text(&format!("{lost} records of the session are missing: they may have told of more.")),
    }
    if model.lacks_end() {
        sheet.text("The session stops without the lab's end: nobody knows what came after.");
    }
    for view in violations {
        list(model, &mut sheet, view);
    }
    let left_out = violations.count(|_| true) - violations.iter().count();
    if left_out > 0 {
        sheet.text(&format!("{left_out} more of the same kinds are counted, and stand only in the session."));
    }
    verdicts(model, &mut sheet);
    sheet.into_page("violations")
}

/// What the lab expected and what came of it, what failed first.
fn verdicts(model: &Model, sheet: &mut PageWriter<'_>) {
    let mut verdicts: Vec<&VerdictView> = model.seen().world.verdicts.iter().collect();
    if verdicts.is_empty() {
        return;
    }
    verdicts.sort_by_key(|verdict| verdict.outcome == Outcome::Met);
    sheet.heading("what the lab expects");
    for verdict in verdicts {
        sheet.entry(&format!("{} s", paint::seconds(verdict.at, 3)), 10, &verdict.text);
    }
}

/// A line that leads to this violation.
pub fn list(model: &Model, sheet: &mut PageWriter<'_>, view: &ViolationView) {
    let report = &view.report;
    sheet.link(LinkTarget::To(Subject::Row(row(view))));
    let words = format!("{} by {}: {}", report.property, report.nodes, cause(model, report));
    sheet.entry(&format!("{} s", paint::seconds(view.at, 3)), 10, &words);
}

/// What led to it.
fn cause(model: &Model, report: &ViolationReport) -> String {
    match (report.because(), report.by()) {
        (Some(assumption), Some(fault)) => format!("excused, {fault} broke {assumption}"),
        (Some(assumption), None) if report.is_by_machine() => {
            format!("excused, this computer broke {assumption}")
        }
        (Some(assumption), None) => format!("excused, {assumption} was broken"),
        (None, _) => model.unexcused(report),
    }
}

fn row(view: &ViolationView) -> Arc<Row> {
    let record = Record { number: view.number, ..Record::of_host(view.at, Body::Violation(view.report.clone())) };
    let row = rows_of(&Arc::new(record), None, None).into_iter().next();
    Arc::new(row.expect("a violation has one row"))
}

/// Writes the paragraphs, each after its heading.
pub fn paragraphs(model: &Model, sheet: &mut PageWriter<'_>, report: &ViolationReport) {
    sheet.text(&in_short(model, report));
    let states = report.contradiction.parts();
    let title = if states.len() == 1 { "what was found" } else { "the two states" };
    sheet.heading(&format!("{title} ({})", report.grade));
    states.iter().for_each(|state| sheet.text(&format!("{state}.")));
    sheet.heading("between them");
    sheet.text(&format!("{}.", report.between));
    match &report.excuse {
        Excuse::Broken { broken, way } => {
            sheet.heading("the path from the cause");
            sheet.text(&format!("{way}."));
            sheet.heading("the cause");
            sheet.text(&format!("{broken}."));
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
    let Some(assumption) = report.because() else {
        return format!("{what}; {}.", model.unexcused(report));
    };
    let by = match report.by() {
        Some(id) => {
            let fault = model.seen().world.faults.iter().find(|fault| fault.id == id);
            fault.map_or_else(|| id.to_string(), |fault| format!("{id} ({})", fault.line))
        }
        None if report.is_by_machine() => "this computer".to_owned(),
        None => return format!("{what}, because {assumption} was broken."),
    };
    format!("{what}, because {by} broke {assumption}.")
}

/// `1, 2 and 4`.
fn listed(nodes: &NodeSet) -> String {
    let each: Vec<String> = nodes.iter().map(|node| node.to_string()).collect();
    match &each[..] {
        [first @ .., last] if !first.is_empty() && first.len() < 4 => {
            format!("{} and {last}", first.join(", "))
        }
        _ => nodes.to_string(),
    }
}
