//! Moving in the flow, and how much it shows.
//!
//! Invariant: the cursor is on the row that a record began, so rows that come or change do not move it.

use std::sync::Arc;

use super::moving::Movement;
use super::time;
use crate::input::action::{Action, FeedKind};
use crate::model::kept_rows::passing;
use crate::model::places::{Pane, Screen};
use crate::model::row::{Row, rows_of};
use crate::model::{Model, Tone};
use world::flow::{FlowDetail, Periodic, cause_of, consequence_of, row_of};

/// Does what an action does in the flow.
pub fn perform(model: &mut Model, action: Action) {
    model.places.screen = Screen::Overview;
    match action {
        Action::Unfold => show(model, |folding, periodic| match folding {
            FlowDetail::Folded => (FlowDetail::Unfolded, periodic),
            FlowDetail::Unfolded => (FlowDetail::Folded, periodic),
        }),
        Action::Heartbeats => show(model, |folding, periodic| match periodic {
            Periodic::Hidden => (folding, Periodic::Shown),
            Periodic::Shown => (folding, Periodic::Hidden),
        }),
        Action::Cause => {
            let cause = row(model).and_then(|row| cause_of(&model.seen().flow.rows(), row));
            go_to(model, cause, "Nothing that is shown caused this row.");
        }
        Action::Consequence => {
            let next = row(model).and_then(|row| consequence_of(&model.seen().flow.rows(), row));
            go_to(model, next, "This row has caused nothing that is shown.");
        }
        _ => {}
    }
}

/// Moves the cursor among the rows that pass the filter; below the last row it follows again.
pub fn move_cursor(model: &mut Model, movement: Movement) {
    let rows = model.seen().flow.rows();
    let passing = passing(&model.places.panes.flow_filter, &rows);
    let Some(last) = passing.len().checked_sub(1) else { return };
    let at = model.places.panes.flow_cursor.and_then(|cursor| row_of(&rows, cursor));
    let now = at.map_or(last, |at| passing.partition_point(|row| *row <= at).saturating_sub(1));
    let reached = movement.from(now, passing.len());
    let follows = movement == Movement::Last || now == last && reached == now && matches!(movement, Movement::Down(_));
    let number = rows[passing[reached]].record.number;
    drop(rows);
    model.places.panes.flow_cursor = (!follows).then_some(number);
}

/// Follows the newest row, or stops following it.
pub fn follow(model: &mut Model) {
    let last = row(model).map(|row| model.seen().flow.rows()[row].record.number);
    model.places.panes.flow_cursor = if model.places.panes.flow_cursor.is_some() { None } else { last };
}

/// Goes to the row of the flow with which the election under the cursor began.
pub fn show_election(model: &mut Model) {
    let Some((record, began)) = model.selected_election().map(|election| (election.record, election.began)) else {
        return model.tell(Tone::Plain, "There was no election yet.");
    };
    let is_shown = |model: &Model| {
        let flow = &model.seen().flow;
        flow.rows().first().is_some_and(|first| first.record.at <= began)
    };
    if !is_shown(model) && model.feed_kind() != FeedKind::Live {
        time::seek(model, began);
    }
    if !is_shown(model) {
        return model.tell(Tone::Plain, "The flow no longer shows that election: `hustings replay` shows it all.");
    }
    model.places.screen = Screen::Overview;
    model.places.panes.give_keys_to(Pane::Flow);
    model.places.panes.flow_cursor = Some(record);
}

/// The record of the row under the cursor, as a row of the messages.
pub fn row_under_cursor(model: &Model) -> Option<Arc<Row>> {
    let row = row(model)?;
    let record = Arc::clone(&model.seen().flow.rows()[row].record);
    rows_of(&record, None, model.seen().facts.as_deref()).into_iter().next().map(Arc::new)
}

/// The numbers of all records of the row under the cursor.
pub fn records_under_cursor(model: &Model) -> Vec<u64> {
    let Some(row) = row(model) else { return Vec::new() };
    let row = &model.seen().flow.rows()[row];
    [row.record.number].into_iter().chain(row.records.iter().copied()).collect()
}

/// The row under the cursor; the last one while it follows.
fn row(model: &Model) -> Option<usize> {
    let rows = model.seen().flow.rows();
    let last = passing(&model.places.panes.flow_filter, &rows).last().copied()?;
    Some(model.places.panes.flow_cursor.map_or(last, |cursor| row_of(&rows, cursor).unwrap_or(last)))
}

fn go_to(model: &mut Model, row: Option<usize>, nothing: &str) {
    model.places.panes.give_keys_to(Pane::Flow);
    match row {
        Some(row) => {
            let number = model.seen().flow.rows()[row].record.number;
            model.places.panes.flow_cursor = Some(number);
        }
        None => model.tell(Tone::Plain, nothing),
    }
}

fn show(model: &mut Model, change: impl Fn(FlowDetail, Periodic) -> (FlowDetail, Periodic)) {
    let rules = model.seen().flow.rules();
    let (folding, periodic) = change(rules.folding, rules.periodic);
    model.time.show_flow(folding, periodic);
}
