//! The pages over a screen: the help, all about one row, and the lists of violations and of promises.
//!
//! Invariant: drawing, scrolling and choosing use the same lines.

mod ballot;
mod details;
mod help;
mod page;
mod promises;
mod sheet;
mod violations;

use ratatui::layout::Rect;

use super::model::{Layer, Model, Subject};
pub use page::{Leads, Page};

/// The uppermost page, and how many of its lines are seen at once.
pub fn shown(model: &Model) -> Option<(Page, usize)> {
    let layer = model.layer.as_ref()?;
    let (width, height) = model.size;
    let taken = model.toasts.rows(&model.theme, model.size).saturating_add(3);
    let place = placed(Rect { x: 0, y: 2, width, height: height.saturating_sub(taken) });
    let page = page(model, layer, place.width.saturating_sub(4));
    Some((page, usize::from(place.height.saturating_sub(2))))
}

/// Its place in the area below the header.
pub fn placed(area: Rect) -> Rect {
    let width = area.width.saturating_sub(4).min(100);
    Rect { x: area.x + (area.width - width) / 2, width, ..area }
}

/// The page of a layer at this width.
pub fn page(model: &Model, layer: &Layer, width: u16) -> Page {
    match &layer.about {
        Subject::Help => help::page(model, &layer.search, width),
        Subject::Node(node) => details::of_node(model, *node, width),
        Subject::Row(row) => details::of_row(model, row, width),
        Subject::Fault(id) => details::of_fault(model, *id, width),
        Subject::Violations => violations::page(model, width),
        Subject::Promises => promises::all(model, width),
        Subject::Assumption(assumption) => promises::of_assumption(model, *assumption, width),
        Subject::Promise(promise) => promises::of_promise(model, *promise, width),
    }
}
