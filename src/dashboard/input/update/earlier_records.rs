//! A screen that came late to a lab has read what the lab recorded before.
//!
//! Invariant: the present stays as it is; rows, records and the last minute become those of a screen that has heard all.

use std::sync::Arc;

use super::{class, pacing};
use crate::model::row::Row;
use crate::model::{Model, Tone};
use crate::time::feed::Feed;
use crate::time::scene::Scene;
use crate::time::session_so_far::{NotReadSoFar, SessionSoFar};

/// Takes it in, or says why there is nothing of it.
pub fn take(model: &mut Model, read: Result<Box<SessionSoFar>, NotReadSoFar>) {
    model.drawing.need();
    match model.time.lab {
        Some(_) => pacing::with_lab(model, |model| settle(model, read)),
        None => with_its_cursors(model, |model| settle(model, read)),
    }
}

fn settle(model: &mut Model, read: Result<Box<SessionSoFar>, NotReadSoFar>) {
    if let Some(live) = model.time.live_mut() {
        live.reading = None;
    }
    match read {
        Ok(so_far) => complete(model, *so_far),
        Err(NotReadSoFar::Unwanted) => {}
        Err(why) => {
            let text = format!("This screen does not know what the lab did before it came: {why}.");
            model.tell_long(Tone::Bad, text);
        }
    }
}

fn complete(model: &mut Model, mut so_far: SessionSoFar) {
    if !matches!(model.time.feed, Feed::Live(_)) {
        return;
    }
    let is_its_lab = model.head.as_ref().is_some_and(|head| head.lab_id == so_far.wanted.lab_id);
    // A screen that has missed records since keeps its hole, as every other one does.
    let Some(later) = so_far.followed_by(model.time.scene.records.all()).filter(|_| is_its_lab) else { return };
    let (pictured, waiting) = later.split_at(later.len().saturating_sub(model.time.waiting()));
    pictured.iter().for_each(|record| so_far.hear(record));
    if let Some(behind) = model.time.behind_mut() {
        *behind = with_rows_of(behind, &so_far.scene);
        behind.wait_for_order(i64::MAX);
    }
    waiting.iter().for_each(|record| so_far.hear(record));
    model.time.scene = with_rows_of(&model.time.scene, &so_far.scene);
    if let Some(live) = model.time.live_mut() {
        live.recorder = so_far.live.recorder;
    }
    model.drawing.forget_why();
    so_far.notes.iter().for_each(|note| class::hear(model, note));
}

/// This scene with the rows and the records of another one, of which it shows as much as before.
fn with_rows_of(seen: &Scene, other: &Scene) -> Scene {
    let rules = seen.flow.rules();
    let mut flow = other.flow.clone();
    flow.show(rules.folding, rules.periodic);
    Scene { rows: other.rows.clone(), records: other.records.clone(), flow, ..seen.clone() }
}

/// Does this, which numbers the rows anew; the cursors stay on theirs.
fn with_its_cursors(model: &mut Model, act: impl FnOnce(&mut Model)) {
    let row = |model: &Model, cursor: Option<u64>| cursor.and_then(|number| model.seen().rows.get(number)).cloned();
    let (read, logged) = (row(model, model.places.messages.cursor), row(model, model.places.panes.log_cursor));
    act(model);
    let number = |model: &Model, row: Option<Arc<Row>>| model.seen().rows.number_of(&row?.record);
    model.places.messages.cursor = number(model, read);
    model.places.panes.log_cursor = number(model, logged);
    model.toasts.forget_rows();
}
