//! The key `v`: why the node under the cursor is in its state, or why a record says what it says.
//!
//! Invariant: an open answer moves only when a person moves in it.

use std::sync::Arc;

use super::moving::Movement;
use crate::dashboard::layer;
use crate::dashboard::model::{Layer, Model, Screen, Subject, Tone};
use crate::dashboard::row::{Row, RowKind, rows_of};
use crate::dashboard::why_sheet::WhySheet;
use crate::judge::why::AskedWhy;
use crate::record::{Body, Record};

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
        Some(sheet) => model.layer = Some(Layer { about: Subject::Why(Box::new(sheet)), scroll: 0 }),
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
pub fn open_record(model: &mut Model) -> bool {
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
    model.layer = Some(Layer { about, scroll: 0 });
    if is_back {
        show_cursor(model);
    }
    true
}

/// Closes the record that is open over an answer. Returns whether there was one.
pub fn close_record(model: &mut Model) -> bool {
    let Some(Layer { about: Subject::Cited(sheet, _), .. }) = &model.layer else { return false };
    let sheet = WhySheet { opened: None, ..(**sheet).clone() };
    model.layer = Some(Layer { about: Subject::Why(Box::new(sheet)), scroll: 0 });
    show_cursor(model);
    true
}

/// Moves within an open answer. Returns whether there is one.
pub fn walk(model: &mut Model, movement: Movement) -> bool {
    let Some(Layer { about: Subject::Why(sheet), .. }) = &mut model.layer else { return false };
    let count = sheet.sentences().len();
    sheet.cursor = movement.from(sheet.cursor, count);
    sheet.opened = None;
    show_cursor(model);
    true
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
    let rows = rows_of(&record, None, model.head.as_ref().map(|head| &head.facts));
    let row = rows.into_iter().next().unwrap_or_else(|| {
        let node = record.node.map_or_else(String::new, |node| format!("{node}: "));
        Row::new(Arc::clone(&record), RowKind::Timer, format!("{node}a time that it waited was over"))
    });
    Some(Arc::new(row))
}
