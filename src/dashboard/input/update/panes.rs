//! Walking the panes of the overview, and moving in the one that has the keys.
//!
//! Invariant: a pane of text is scrolled no further than its last line.

use super::moving::{Movement, move_cursor, move_in_paper};
use super::{flow, layers, paper, why};
use crate::model::places::{NodeRows, Pane, Screen, Zoom};
use crate::model::{Model, Subject, Tone};
use crate::view::arrangement::{Arrangement, Shape, focus, panes_here};
use crate::view::node_groups::may_fold;
use crate::view::pane_text;

/// Goes to the next pane, and from the last one to the next screen.
pub fn next(model: &mut Model) {
    let panes = panes_here(model);
    let place = panes.iter().position(|pane| *pane == focus(model));
    let next = place.and_then(|place| panes.get(place + 1)).filter(|_| model.places.screen == Screen::Overview);
    match next {
        Some(pane) => model.places.panes.give_keys_to(*pane),
        None => {
            model.places.panes.give_keys_to(Pane::Nodes);
            model.places.go_to(model.places.screen.next(model.screens()));
        }
    }
}

/// Goes to the pane before, and from the first one to the screen before.
pub fn previous(model: &mut Model) {
    let panes = panes_here(model);
    let place = panes.iter().position(|pane| *pane == focus(model));
    let before = place.and_then(|place| place.checked_sub(1)).filter(|_| model.places.screen == Screen::Overview);
    match before.and_then(|place| panes.get(place)) {
        Some(pane) => model.places.panes.give_keys_to(*pane),
        None => {
            model.places.go_to(model.places.screen.previous(model.screens()));
            let last = panes.last().filter(|_| model.places.screen == Screen::Overview);
            model.places.panes.give_keys_to(last.copied().unwrap_or_default());
        }
    }
}

/// Whether the nodes have the keys and stand side by side, and no long lines of a log move with the same keys.
pub fn nodes_are_columns(model: &Model) -> bool {
    let arrangement = Arrangement::now(model);
    let has_log = arrangement.panes.iter().any(|(pane, _)| *pane == Pane::Log);
    focus(model) == Pane::Nodes && arrangement.shape == Shape::Strip && !has_log && model.pan() == 0
}

/// Gives the keys back to the nodes. Returns whether another pane had them.
pub fn return_to_nodes(model: &mut Model) -> bool {
    let is_elsewhere = model.places.screen == Screen::Overview && focus(model) != Pane::Nodes;
    if is_elsewhere {
        model.places.panes.give_keys_to(Pane::Nodes);
        model.places.panes.zoom = Zoom::Shared;
    }
    is_elsewhere
}

/// Gives the pane that has the keys the whole screen, or a part of it again.
pub fn zoom(model: &mut Model) {
    model.places.screen = Screen::Overview;
    model.places.panes.zoom = match model.places.panes.zoom {
        Zoom::Shared => Zoom::Alone,
        Zoom::Alone => Zoom::Shared,
    };
}

/// Shows each process where groups are shown, or the groups again. Returns whether there are so many processes.
pub fn unfold_nodes(model: &mut Model) -> bool {
    let is_here = model.places.screen == Screen::Overview && focus(model) == Pane::Nodes && may_fold(model);
    if is_here {
        model.places.panes.nodes = match model.places.panes.nodes {
            NodeRows::Folded => NodeRows::Each,
            NodeRows::Each => NodeRows::Folded,
        };
    }
    is_here
}

/// Moves in the pane that has the keys.
pub fn move_in(model: &mut Model, movement: Movement) {
    match focus(model) {
        Pane::Nodes => move_cursor(model, movement),
        Pane::Flow => flow::move_cursor(model, movement),
        Pane::Paper => move_in_paper(model, movement),
        Pane::Log => move_in_log(model, movement),
        pane @ (Pane::Election | Pane::Assumptions | Pane::Steps | Pane::Why) => scroll(model, pane, movement),
    }
}

/// Opens what is under the cursor of the pane that has the keys.
pub fn open(model: &mut Model) {
    let about = match focus(model) {
        Pane::Nodes => model.selected_node().map(Subject::Node),
        Pane::Flow => flow::row_under_cursor(model).map(Subject::Row),
        Pane::Log => model.selected_news().map(Subject::Row),
        Pane::Assumptions => Some(Subject::Promises),
        Pane::Steps => Some(Subject::Steps),
        Pane::Paper => return paper::open_item(model),
        Pane::Why => return why::ask(model),
        Pane::Election => {
            model.places.screen = Screen::Elections;
            return;
        }
    };
    match about {
        Some(about) => layers::open(model, about),
        None => model.tell(Tone::Plain, "There is no row to open yet."),
    }
}

fn scroll(model: &mut Model, pane: Pane, movement: Movement) {
    let inside = Arrangement::now(model).inside(pane);
    let count = pane_text::lines(model, pane, inside.width.saturating_sub(2)).len();
    let top = pane_text::scrolled(model, pane, count, inside.height);
    let tops = count.saturating_sub(usize::from(inside.height)) + 1;
    model.places.panes.scrolls[pane as usize] = movement.from(top, tops);
}

/// Below the newest row it follows again.
fn move_in_log(model: &mut Model, movement: Movement) {
    let kept = &model.seen().rows;
    let Some((newest, _)) = kept.news_before(u64::MAX).next() else { return };
    let now = model.places.panes.log_cursor.unwrap_or(newest);
    let reached = match movement {
        Movement::Last => None,
        Movement::First => kept.news_before(u64::MAX).last().map(|(number, _)| number),
        Movement::Up(rows) => Some(kept.news_before(now).take(rows).last().map_or(now, |(number, _)| number)),
        Movement::Down(rows) => {
            let below = kept.news_from(now).filter(|(number, _)| *number != now);
            below.take(rows).last().map(|(number, _)| number)
        }
    };
    model.places.panes.log_cursor = reached;
}
