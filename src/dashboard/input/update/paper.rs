//! The paper's listing: going to the line of a record and back, and what is under its cursor.
//!
//! Invariant: Esc leads back to where one came from, as one left it.

use std::sync::Arc;

use super::layers;
use crate::model::pages::LineRecords;
use crate::model::places::{Pane, PaperCursor, PaperItem, PaperPlace, Screen, TracedRecord};
use crate::model::{Layer, Model, Subject, Tone};
use crate::view::arrangement::focus;
use crate::view::listing::under_cursor;
use record::Record;
use world::flow;

/// Shows the listing. From a record, which is under a cursor or open, it goes to the lines of its step; else it follows the
/// selected node.
pub fn open(model: &mut Model) {
    let record = record_under_cursor(model);
    if model.places.screen == Screen::Paper && model.dialogs.layer.is_none() {
        return;
    }
    if let Some(Layer { about: Subject::Node(_), .. }) = model.dialogs.layer {
        model.places.paper = PaperPlace::default();
    }
    model.places.came_from = Some((model.places.screen, model.dialogs.layer.take()));
    model.places.screen = Screen::Paper;
    match record.as_deref().map(|record| (record.number, record.step().map_or(&[][..], |step| &step.lines))) {
        Some((number, lines @ [first, ..])) => {
            let traced = Some(TracedRecord { number, lines: lines.to_vec() });
            model.places.paper = PaperPlace { cursor: PaperCursor::On(PaperItem::Line(*first)), traced };
        }
        Some((_, [])) => {
            model.places.paper = PaperPlace::default();
            model.tell(
                Tone::Plain,
                "That record went through no line of the listing; the paper shows where the node is.",
            );
        }
        None if model.places.paper.traced.is_some() => model.places.paper = PaperPlace::default(),
        None => {}
    }
}

/// Goes back to where one came from; to the overview, if one came from nowhere.
pub fn back(model: &mut Model) {
    (model.places.screen, model.dialogs.layer) = model.places.came_from.take().unwrap_or((Screen::Overview, None));
}

/// Follows the selected node, or stops following it.
pub fn follow(model: &mut Model) {
    model.places.paper = match (model.places.paper.cursor, under_cursor(model)) {
        (PaperCursor::Following, Some(item)) => PaperPlace { cursor: PaperCursor::On(item), traced: None },
        _ => PaperPlace::default(),
    };
}

/// Opens what is under the cursor: the page of a line; from a hole it goes to the hole's line.
pub fn open_item(model: &mut Model) {
    let facts = model.seen().facts.clone();
    match under_cursor(model) {
        Some(PaperItem::Line(number)) => {
            let sheet = LineRecords::new(number, &model.records_seen(), facts.as_deref());
            layers::open(model, Subject::Line(Box::new(sheet)));
        }
        Some(PaperItem::Hole(place)) => {
            let hole = facts.as_deref().and_then(|facts| facts.holes.get(place));
            match hole.and_then(|hole| hole.lines.first()) {
                Some(line) => model.places.paper.cursor = PaperCursor::On(PaperItem::Line(*line)),
                None => model.tell(Tone::Plain, "The paper has no line about this."),
            }
        }
        None => model.tell(Tone::Plain, "There is no line under the cursor."),
    }
}

/// The record that is open, or that a person has put a cursor on.
fn record_under_cursor(model: &Model) -> Option<Arc<Record>> {
    match &model.dialogs.layer {
        Some(Layer { about: Subject::Row(row) | Subject::Cited(_, row), .. }) => return Some(Arc::clone(&row.record)),
        Some(_) => return None,
        None => {}
    }
    match model.places.screen {
        Screen::Messages => {
            model.places.messages.cursor?;
            let row = model.seen().rows.get(model.selected_message()?)?;
            Some(Arc::clone(&row.record))
        }
        Screen::Overview if focus(model) == Pane::Flow => of_flow(model, model.places.panes.flow_cursor?),
        Screen::Overview if focus(model) == Pane::Log => {
            let row = model.seen().rows.get(model.places.panes.log_cursor?)?;
            Some(Arc::clone(&row.record))
        }
        _ => None,
    }
}

/// The first record of the flow's row that has lines; else the one that began the row.
fn of_flow(model: &Model, cursor: u64) -> Option<Arc<Record>> {
    let scene = model.seen();
    let rows = scene.flow.rows();
    let row = &rows[flow::row_of(&rows, cursor)?];
    let has_lines = |record: &Arc<Record>| record.step().is_some_and(|step| !step.lines.is_empty());
    if has_lines(&row.record) {
        return Some(Arc::clone(&row.record));
    }
    let among = |record: &Arc<Record>| row.records.contains(&record.number) && has_lines(record);
    let joined = model.records_seen().into_iter().find(among);
    joined.or_else(|| Some(Arc::clone(&row.record)))
}
