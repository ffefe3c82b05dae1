//! The key `v`: why the node under the cursor is in its state, or why a record says what it says.
//!
//! Invariant: an open answer moves only when a person moves in it.

use std::sync::Arc;

use super::layers;
use super::moving::Movement;
use crate::dashboard::action::Action;
use crate::dashboard::layer;
use crate::dashboard::model::{Layer, Model, Subject, Tone};
use crate::dashboard::row::Row;
use crate::dashboard::screen::Screen;
use crate::dashboard::why_sheet::WhySheet;
use crate::judge::why::AskedWhy;
use crate::record::{Body, Record};

/// Does what an action does in an open answer. Returns whether it does anything there.
pub fn walk_answer(model: &mut Model, action: Action) -> bool {
    if let Some(movement) = Movement::of(action, model.size.1) {
        return walk(model, movement);
    }
    match action {
        Action::Open => open_record(model),
        Action::Back => close_record(model),
        Action::Why => {
            ask(model);
            true
        }
        _ => false,
    }
}

/// Opens the answer about what is under the cursor; in an open answer it asks which faults were needed.
pub fn ask(model: &mut Model) {
    let records = model.records_seen();
    if let Some(Layer { about: Subject::Why(sheet), .. }) = &mut model.layer {
        sheet.ask_needs(model.rerun, model.head.as_ref(), &records);
        return;
    }
    let Some(asked) = asked(model) else {
        return model
            .tell(Tone::Plain, "`v` tells why a node or a record is as it is; there is none under the cursor.");
    };
    match WhySheet::new(asked, model.head.as_ref(), &records) {
        Some(sheet) => layers::open(model, Subject::Why(Box::new(sheet))),
        None => model.tell(Tone::Plain, "Nothing is known of its causes: it is about no node."),
    }
}

/// What is under the cursor; a violation that was told just now comes first, and its message goes, as it does when it
/// is opened.
fn asked(model: &mut Model) -> Option<AskedWhy> {
    match &model.layer {
        Some(Layer { about: Subject::Node(node), .. }) => return Some(AskedWhy::Node(*node)),
        Some(Layer { about: Subject::Row(row), .. }) => return of_row(row),
        _ => {}
    }
    let told = model.toasts.back().and_then(|toast| toast.row).and_then(|number| model.scene.journal.get(number));
    if let Some(row) = told.filter(|row| matches!(row.record.body, Body::Violation(_))).cloned() {
        model.toasts.pop_back();
        return of_row(&row);
    }
    match model.screen {
        Screen::Messages => {
            let number = model.selected_message()?;
            of_row(model.seen().journal.get(number)?)
        }
        Screen::Links => model.selected_link().map(|(_, to)| AskedWhy::Node(to)),
        _ => model.selected_node().map(AskedWhy::Node),
    }
}

/// A record without a number, out of a node's own stream, is not found again: it stands for its node.
fn of_row(row: &Row) -> Option<AskedWhy> {
    match (row.record.number, row.record.node) {
        (0, node) => node.map(AskedWhy::Node),
        (number, _) => Some(AskedWhy::Record(number)),
    }
}

/// Opens the next record of the sentence under the cursor, and behind its last one the answer again. Returns whether an
/// answer is open.
fn open_record(model: &mut Model) -> bool {
    let Some(Layer { about: Subject::Why(sheet) | Subject::Cited(sheet, _), .. }) = &mut model.layer else {
        return false;
    };
    let number = sheet.open_next();
    let sheet = sheet.clone();
    let row = number.and_then(|number| row_of(model, number));
    let about = match row {
        Some(row) => Subject::Cited(sheet, row),
        None => Subject::Why(sheet),
    };
    let is_back = matches!(about, Subject::Why(_));
    show_about(model, about);
    if is_back {
        show_cursor(model);
    }
    true
}

/// Closes the record that is open over an answer. Returns whether there was one.
fn close_record(model: &mut Model) -> bool {
    let Some(Layer { about: Subject::Cited(sheet, _), .. }) = &model.layer else { return false };
    let sheet = WhySheet { opened: None, ..(**sheet).clone() };
    show_about(model, Subject::Why(Box::new(sheet)));
    show_cursor(model);
    true
}

/// Moves within an open answer. Returns whether there is one.
fn walk(model: &mut Model, movement: Movement) -> bool {
    let Some(Layer { about: Subject::Why(sheet), .. }) = &mut model.layer else { return false };
    let count = sheet.sentences().len();
    sheet.cursor = movement.from(sheet.cursor, count);
    sheet.opened = None;
    show_cursor(model);
    true
}

/// The uppermost page is about this, from its beginning.
fn show_about(model: &mut Model, about: Subject) {
    let beneath = model.layer.take().and_then(|layer| layer.beneath);
    model.layer = Some(Layer { beneath, ..Layer::new(about) });
}

/// Scrolls so far that the sentence under the cursor is in sight; with the last one, what stands below it is too.
fn show_cursor(model: &mut Model) {
    let scroll = layer::scroll_to_cursor(model);
    if let Some(layer) = &mut model.layer {
        layer.scroll = scroll;
    }
}

/// A row of the record of this number.
fn row_of(model: &Model, number: u64) -> Option<Arc<Row>> {
    let record: Arc<Record> = model.records_seen().into_iter().find(|record| record.number == number)?;
    Some(Arc::new(Row::first_of(&record, model.head.as_ref().map(|head| &head.facts))))
}
