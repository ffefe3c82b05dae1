//! The text of a layer over the screen: the help, or all about one row.
//!
//! Invariant: drawing and scrolling use the same lines.

mod ballot;
mod details;
mod help;
mod sheet;
mod why;

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::model::{Layer, Model, Subject};
use super::why_sheet::WhySheet;

/// How far it can be scrolled.
pub fn scroll_max(model: &Model) -> usize {
    let Some(layer) = &model.layer else { return 0 };
    let (width, height) = model.size;
    let place = placed(Rect { x: 0, y: 2, width, height: height.saturating_sub(3) });
    let (_, lines) = content(model, &layer.about, place.width.saturating_sub(4));
    lines.len().saturating_sub(usize::from(place.height.saturating_sub(2)))
}

/// How far it has to be scrolled so that the sentence under the cursor of an answer is in sight.
pub fn scroll_to_cursor(model: &Model) -> usize {
    let Some(Layer { about: Subject::Why(sheet), scroll }) = &model.layer else { return 0 };
    let (width, height) = model.size;
    let place = placed(Rect { x: 0, y: 2, width, height: height.saturating_sub(3) });
    let (_, (first, last)) = why::lines(sheet, &model.theme, place.width.saturating_sub(4));
    let shown = usize::from(place.height.saturating_sub(2)).max(1);
    if sheet.cursor == 0 {
        0
    } else if sheet.cursor + 1 == sheet.sentences().len() {
        scroll_max(model)
    } else {
        (*scroll).max((last + 1).saturating_sub(shown)).min(first)
    }
}

/// How many records the sentence under the cursor cites.
fn cited(sheet: &WhySheet) -> usize {
    sheet.sentences().get(sheet.cursor).map_or(0, |sentence| sentence.records.len())
}

/// Its place in the area below the header.
pub fn placed(area: Rect) -> Rect {
    let width = area.width.saturating_sub(4).min(100);
    Rect { x: area.x + (area.width - width) / 2, width, ..area }
}

/// Its title, and its lines at this width.
pub fn content(model: &Model, about: &Subject, width: u16) -> (String, Vec<Line<'static>>) {
    match about {
        Subject::Help => ("help".into(), help::lines(model, width)),
        Subject::Node(node) => (format!("node {node}"), details::of_node(model, *node, width)),
        Subject::Row(row) => ("record".into(), details::of_row(model, row, width)),
        Subject::Why(sheet) => ("why".into(), why::lines(sheet, &model.theme, width).0),
        Subject::Cited(sheet, row) => {
            let (place, count) = (sheet.opened.map_or(1, |place| place + 1), cited(sheet));
            (format!("record {place} of {count} of this sentence"), details::of_row(model, row, width))
        }
        Subject::Fault(id) => (format!("fault {id}"), details::of_fault(model, *id, width)),
    }
}
