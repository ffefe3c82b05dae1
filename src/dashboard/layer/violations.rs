//! The list of violations, up to the moment on the screen.
//!
//! Invariant: none is left out without a word.

use std::sync::Arc;

use super::page::{Leads, Page};
use super::sheet::Sheet;
use crate::model::{Model, Subject};
use crate::paint;
use crate::row::{Row, rows_of};
use record::{Body, Record, ViolationReport};
use world::ViolationView;

/// Its page; the latest one stands lowest.
pub fn page(model: &Model, width: u16) -> Page {
    let mut sheet = Sheet::new(&model.theme, width);
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
        list(&mut sheet, view);
    }
    let left_out = violations.count(|_| true) - violations.iter().count();
    if left_out > 0 {
        sheet.text(&format!("{left_out} more of the same kinds are counted, and stand only in the session."));
    }
    sheet.into_page("violations")
}

/// A line that leads to this violation.
pub fn list(sheet: &mut Sheet<'_>, view: &ViolationView) {
    let report = &view.report;
    sheet.link(Leads::To(Subject::Row(row(view))));
    let words = format!("{} by {}: {}", report.property, report.nodes, cause(report));
    sheet.entry(&format!("{} s", paint::seconds(view.at, 3)), 10, &words);
}

/// What led to it.
fn cause(report: &ViolationReport) -> String {
    match (report.because, report.by) {
        (Some(assumption), Some(fault)) => format!("excused, {fault} broke {assumption}"),
        (Some(assumption), None) if report.by_machine => format!("excused, this computer broke {assumption}"),
        (Some(assumption), None) => format!("excused, {assumption} was broken"),
        (None, _) => "no broken assumption excuses it".to_owned(),
    }
}

fn row(view: &ViolationView) -> Arc<Row> {
    let record = Record { number: view.number, ..Record::of_host(view.at, Body::Violation(view.report.clone())) };
    let row = rows_of(&Arc::new(record), None, None).into_iter().next();
    Arc::new(row.expect("a violation has one row"))
}
