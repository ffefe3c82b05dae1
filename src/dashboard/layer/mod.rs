//! The text of a layer over the screen: the help, or all about one row.
//!
//! Invariant: drawing and scrolling use the same lines.

mod ballot;
mod details;
mod help;
mod sheet;

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::model::{Model, Subject};

/// How far it can be scrolled.
pub fn scroll_max(model: &Model) -> usize {
    let Some(layer) = &model.layer else { return 0 };
    let (width, height) = model.size;
    let taken = model.toasts.rows(&model.theme, model.size).saturating_add(3);
    let place = placed(Rect { x: 0, y: 2, width, height: height.saturating_sub(taken) });
    let (_, lines) = content(model, &layer.about, place.width.saturating_sub(4));
    lines.len().saturating_sub(usize::from(place.height.saturating_sub(2)))
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
        Subject::Fault(id) => (format!("fault {id}"), details::of_fault(model, *id, width)),
    }
}
