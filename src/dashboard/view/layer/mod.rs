//! The pages over a screen: the help, all about one row, and the lists of violations and of promises.
//!
//! Invariant: drawing, scrolling and choosing use the same lines.

pub mod details;
pub mod help;
pub mod link;
pub mod lists;
pub mod page;
pub mod promises;
pub mod violations;
pub mod why;

use ratatui::layout::Rect;

use super::paint;
use crate::input::action::Action;
use crate::model::pages::WhyAnswer;
use crate::model::{Layer, Model, Subject};
use crate::view::arrangement::rows_above;
pub use page::{LinkTarget, Page};

/// From so many columns on, the screen beneath is seen beside a page.
const SIDES_FROM: u16 = 110;
/// A page is so wide there.
const COLUMNS_MAX: u16 = 100;

/// The uppermost page, and how many of its lines are seen at once.
pub fn shown(model: &Model) -> Option<(Page, usize)> {
    let layer = model.dialogs.layer.as_ref()?;
    let (width, height) = model.size;
    let taken = model.toasts.rows(&model.theme, model.size).saturating_add(rows_above(model) + 1);
    let place = placed(Rect { x: 0, y: rows_above(model), width, height: height.saturating_sub(taken) });
    let page = page(model, layer, place.width.saturating_sub(4));
    Some((page, usize::from(place.height.saturating_sub(2))))
}

/// How far it has to be scrolled so that the sentence under the cursor of an answer is in sight.
pub fn scroll_to_cursor(model: &Model) -> usize {
    let (Some(Layer { about: Subject::Why(sheet), scroll, .. }), Some((page, shown))) =
        (&model.dialogs.layer, shown(model))
    else {
        return 0;
    };
    let place = placed(Rect { x: 0, y: rows_above(model), width: model.size.0, height: model.size.1 });
    let (_, (first, last)) = why::lines(sheet, &model.theme, &model.key(Action::Why), place.width.saturating_sub(4));
    if sheet.cursor == 0 {
        0
    } else if sheet.cursor + 1 == sheet.sentences().len() {
        page.lines.len().saturating_sub(shown)
    } else {
        (*scroll).max((last + 1).saturating_sub(shown)).min(first)
    }
}

/// How many records the sentence under the cursor cites.
fn cited(sheet: &WhyAnswer) -> usize {
    sheet.sentences().get(sheet.cursor).map_or(0, |sentence| sentence.records.len())
}

/// The place of a page in the area below the header. On a narrow screen it takes the whole width: two columns of the screen
/// beneath would be letters without words.
pub fn placed(area: Rect) -> Rect {
    let width = if area.width < SIDES_FROM { area.width } else { COLUMNS_MAX };
    Rect { x: area.x + (area.width - width) / 2, width, ..area }
}

/// The page of a layer at this width.
pub fn page(model: &Model, layer: &Layer, width: u16) -> Page {
    match &layer.about {
        Subject::Help => help::page(model, &layer.search, width),
        Subject::Node(node) => details::of_node(model, *node, width),
        Subject::Row(row) => details::of_row(model, row, width),
        Subject::Why(sheet) => {
            let lines = why::lines(sheet, &model.theme, &model.key(Action::Why), width).0;
            let title =
                sheet.until.map_or_else(|| "why".to_owned(), |at| format!("why, at {} s", paint::seconds(at, 3)));
            Page { title, lines, links: Vec::new() }
        }
        Subject::Cited(sheet, row) => {
            let (place, count) = (sheet.opened.map_or(1, |place| place + 1), cited(sheet));
            let title = format!("record {place} of {count} of this sentence");
            Page { title, links: Vec::new(), ..details::of_row(model, row, width) }
        }
        Subject::Line(sheet) => lists::line(model, sheet, width),
        Subject::Fault(id) => details::of_fault(model, *id, width),
        Subject::Link(from, to) => link::page(model, *from, *to, width),
        Subject::Held(from, to, id) => link::of_datagram(model, (*from, *to), *id, width),
        Subject::Steps => lists::steps(model, width),
        Subject::Score => lists::score(model, width),
        Subject::Difference(told) => {
            let mut sheet = page::PageWriter::new(&model.theme, width);
            told.whole.iter().for_each(|text| sheet.text(text));
            sheet.into_page("two sessions")
        }
        Subject::Sessions(list) => lists::sessions(model, list, width),
        Subject::Violations => violations::page(model, width),
        Subject::Promises => promises::all(model, width),
        Subject::Assumption(assumption) => promises::of_assumption(model, *assumption, width),
        Subject::Promise(promise) => promises::of_promise(model, *promise, width),
    }
}
