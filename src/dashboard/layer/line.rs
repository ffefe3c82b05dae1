//! All about a line of the listing: its text, who is on it, its holes, and the last records that went through it.
//!
//! Invariant: a record that is not listed is counted all the same.

use super::page::{Leads, Page};
use super::sheet::Sheet;
use crate::line_sheet::LineSheet;
use crate::model::{Model, Subject};
use crate::paint;
use crate::paper::hole_words;
use protocol::LineTaker;

/// Its page.
pub fn page(model: &Model, of: &LineSheet, width: u16) -> Page {
    let mut sheet = Sheet::new(&model.theme, width);
    let (facts, coverage) = (model.seen().facts.as_deref(), &model.seen().world.coverage);
    let line = facts.and_then(|facts| facts.line(of.number));
    match line {
        Some(line) => sheet.text(&format!("{}: {}", line.procedure, line.text)),
        None => sheet.text("The session's head does not list this line."),
    }
    sheet.heading("how it stands");
    let times = match coverage.times(of.number) {
        0 if line.is_some_and(|line| line.taken_by == LineTaker::Killed) => {
            "only a killed process could go through it, and that takes no more steps; it is not counted".to_owned()
        }
        0 => "never, up to this moment".to_owned(),
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    sheet.field("reached", &times);
    sheet.field("on it", &coverage.on(of.number).to_string());
    for hole in facts.iter().flat_map(|facts| &facts.holes).filter(|hole| hole.lines.contains(&of.number)) {
        sheet.heading(&hole_words(hole));
        sheet.text(&format!("  {} ({})", hole.title, hole.stands_in));
        if let Some(lab) = &hole.lab {
            sheet.text(&format!("  `hustings up {lab}` shows it."));
        }
    }
    match of.rows.len() {
        0 if coverage.times(of.number) == 0 => {}
        0 => sheet.heading("this screen keeps none of the records that went through it"),
        1 => sheet.heading("the last record that went through it"),
        count => sheet.heading(&format!("the last {count} records that went through it, the newest first")),
    }
    for row in &of.rows {
        sheet.link(Leads::To(Subject::Row(row.clone())));
        sheet.entry(&format!("{} s", paint::seconds(row.record.at, 3)), 10, &row.text);
    }
    sheet.into_page(format!("line {}", of.number))
}
