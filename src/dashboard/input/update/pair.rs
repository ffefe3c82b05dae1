//! Two sessions side by side: keys move in the one in front, and the other one follows it in time.
//!
//! Invariant: after each key both show the same time, unless one of them does not reach so far, and the same screen.

use crossterm::event::MouseEvent;
use ratatui::layout::Position;

use super::{layers, time};
use crate::input::action::Action;
use crate::model::pair::{OtherSession, PairPlace, PairPlaces};
use crate::model::places::{Pane, Screen};
use crate::model::{Model, Subject, Tone};
use world::flow::Periodic;

/// The whole screen has this size.
pub fn resize(model: &mut Model, size: (u16, u16)) {
    let front = model.place_in_pair();
    let places = PairPlaces::of(size, front);
    let Some(beside) = &mut model.beside else { return };
    beside.size = size;
    let (one, other) = (places.size_of(front), places.size_of(1 - front));
    beside.other.size = other;
    model.size = one;
    model.drawing.need();
}

/// What the mouse did, as the session in front sees it, if it did it there.
pub fn of_the_front(model: &Model, event: MouseEvent) -> Option<MouseEvent> {
    let (front, beside) = (model.place_in_pair(), model.beside.as_ref()?);
    let half = PairPlaces::of(beside.size, front).halves[front];
    let is_there = half.contains(Position { x: event.column, y: event.row });
    is_there.then(|| MouseEvent { column: event.column - half.x, row: event.row - half.y, ..event })
}

/// The other one goes to the time of the one in front, if that has moved, and looks at the same.
pub fn follow(model: &mut Model) {
    let (at, screen, selected, mouse) = (model.time.scene.at, model.places.screen, model.places.node, model.mouse);
    let rules = model.time.scene.flow.rules();
    let (folding, periodic) = (rules.folding, rules.periodic);
    let (focus, zoom, nodes, tour) =
        (model.places.panes.focus, model.places.panes.zoom, model.places.panes.nodes, model.lesson.tour);
    let Some(beside) = &mut model.beside else { return };
    let OtherSession { other, followed, .. } = &mut **beside;
    (other.places.screen, other.places.node, other.lesson.tour, other.mouse) = (screen, selected, tour, mouse);
    (other.places.panes.focus, other.places.panes.zoom, other.places.panes.nodes) = (focus, zoom, nodes);
    let shown = other.time.scene.flow.rules();
    if (shown.folding, shown.periodic) != (folding, periodic) {
        other.time.scene.flow.show(folding, periodic);
    }
    if at != *followed {
        *followed = at;
        other.places.panes.flow_cursor = None;
        time::follow(other, at);
    }
    let is_needed = other.drawing.take_need();
    model.drawing.need_if(is_needed);
}

/// Takes the other session to the front.
pub fn flip(model: &mut Model) {
    time::stand(model);
    let Some(mut beside) = model.beside.take() else { return };
    std::mem::swap(model, &mut beside.other);
    beside.followed = model.time.scene.at;
    let size = beside.size;
    model.beside = Some(beside);
    resize(model, size);
    model.drawing.need();
}

/// Opens both at the first difference, or at their beginning if there is none.
pub fn open_at_difference(model: &mut Model) {
    if model.beside.as_ref().is_some_and(|beside| beside.told.places.is_some()) {
        go_to_difference(model);
    }
}

/// Goes to the first difference, in both; if the one in front is there, tells all about it.
pub fn go_to_difference(model: &mut Model) {
    let place = model.place_in_pair();
    let Some(told) = model.beside.as_ref().map(|beside| beside.told.clone()) else { return };
    let Some(places) = told.places else { return layers::open(model, Subject::Difference(told)) };
    let is_there = model.side.is_some_and(|side| side.parts_at == Some(model.time.scene.at));
    if is_there {
        return layers::open(model, Subject::Difference(told));
    }
    arrive(model, places[place]);
    if let Some(beside) = &mut model.beside {
        arrive(&mut beside.other, places[1 - place]);
        beside.followed = model.time.scene.at;
    }
    if told.node.is_some() {
        model.places.node = told.node;
        model.beside.iter_mut().for_each(|beside| beside.other.places.node = told.node);
    }
    let (one, other) = (places[place], places[1 - place]);
    if model.time.scene.flow.rules().periodic == Periodic::Hidden && !tells_of(model, one, other) {
        show(model, Periodic::Shown);
        if tells_of(model, one, other) {
            let key = model.key(Action::Heartbeats);
            model.tell(Tone::Plain, format!("Heartbeats are shown: the difference is in one. {key} hides them."));
        } else {
            show(model, Periodic::Hidden);
        }
    }
    point_at(model, one);
    model.beside.iter_mut().for_each(|beside| point_at(&mut beside.other, other));
    model.drawing.need();
}

/// Whether the flows of both have rows that tell of these places of theirs.
fn tells_of(model: &Model, one: PairPlace, other: PairPlace) -> bool {
    let tells = |model: &Model, place| match place {
        PairPlace::Record(number) => row_with(model, number).is_some(),
        PairPlace::Time(_) => true,
    };
    tells(model, one) && model.beside.as_ref().is_none_or(|beside| tells(&beside.other, other))
}

/// Shows periodic messages in both, or hides them.
fn show(model: &mut Model, periodic: Periodic) {
    let folding = model.time.scene.flow.rules().folding;
    model.time.scene.flow.show(folding, periodic);
    model.beside.iter_mut().for_each(|beside| beside.other.time.scene.flow.show(folding, periodic));
}

/// The record that began the row which this record joined.
fn row_with(model: &Model, number: u64) -> Option<u64> {
    let rows = model.time.scene.flow.rows();
    rows.iter().rev().find(|row| row.records.contains(&number)).map(|row| row.record.number)
}

/// Puts the cursor of the flow on the row that tells of this place.
fn point_at(model: &mut Model, place: PairPlace) {
    model.places.panes.flow_cursor = match place {
        PairPlace::Record(number) => Some(row_with(model, number).unwrap_or(number)),
        PairPlace::Time(_) => None,
    };
}

/// Goes to the place of the difference.
fn arrive(model: &mut Model, place: PairPlace) {
    model.places.screen = Screen::Overview;
    model.places.panes.give_keys_to(Pane::Flow);
    model.places.panes.flow_cursor = None;
    match place {
        PairPlace::Record(number) => {
            if !time::leap_to(model, |playback| playback.record_of(number)) {
                model.tell(Tone::Bad, format!("Record {number} cannot be read any more."));
            }
        }
        PairPlace::Time(at) => {
            time::stand(model);
            time::follow(model, at);
        }
    }
    let at = model.time.scene.at;
    model.side.iter_mut().for_each(|side| side.parts_at = Some(at));
}
