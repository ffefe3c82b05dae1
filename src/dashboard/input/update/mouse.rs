//! The mouse, where a person has turned it on: a click selects, the wheel moves in what is under the pointer, and a
//! click on the band of a session goes to that moment.
//!
//! Invariant: the mouse orders nothing, and does nothing while a line is written or a question is asked.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::moving::{Movement, move_cursor};
use super::{layers, moving, panes, time, why};
use crate::input::action::{Action, FeedKind};
use crate::input::message::Command;
use crate::model::places::{Pane, PaperCursor, Screen};
use crate::model::{Model, PendingQuestion, Tone};
use crate::options::Mouse;
use crate::view::mouse_targets::MouseTarget;

/// One notch of the wheel moves by so many rows.
const WHEEL_ROWS: usize = 3;

/// Turns the mouse on, or off again.
pub fn turn(model: &mut Model) -> Vec<Command> {
    let key = model.key(Action::Mouse);
    let (mouse, text) = match model.mouse {
        Mouse::OfTheTerminal => (
            Mouse::OfTheScreen,
            format!(
                "The mouse selects, scrolls and seeks here. {key} gives it back to the terminal, which selects text."
            ),
        ),
        Mouse::OfTheScreen => (Mouse::OfTheTerminal, "The mouse is the terminal's again, and selects text.".to_owned()),
    };
    model.mouse = mouse;
    model.tell(Tone::Plain, text);
    vec![Command::UseMouse(mouse)]
}

/// Takes what the mouse did.
pub fn take(model: &mut Model, event: &MouseEvent) {
    if model.mouse == Mouse::OfTheTerminal
        || model.dialogs.asked != PendingQuestion::Nothing
        || model.dialogs.prompt.is_some()
    {
        return;
    }
    let Some((area, spot)) = model.drawing.targets.at(event.column, event.row) else { return };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => match spot {
            MouseTarget::Band(end) => seek(model, end, event.column - area.x, area.width),
            _ => select(model, spot),
        },
        MouseEventKind::ScrollUp => scroll(model, spot, Movement::Up),
        MouseEventKind::ScrollDown => scroll(model, spot, Movement::Down),
        _ => return,
    }
    model.drawing.need();
}

fn select(model: &mut Model, spot: MouseTarget) {
    if let Some(layer) = &mut model.dialogs.layer {
        match spot {
            MouseTarget::PageLink(link) => layer.chosen = Some(link),
            MouseTarget::Tab(_) => model.dialogs.layer = None,
            _ => return,
        }
    }
    if let Some(pane) = pane_of(model, spot) {
        model.places.panes.give_keys_to(pane);
    }
    match spot {
        MouseTarget::Tab(screen) => model.places.go_to(screen),
        MouseTarget::Node(node) => model.places.node = Some(node),
        MouseTarget::FlowRow(record) => model.places.panes.flow_cursor = Some(record),
        MouseTarget::News(row) => model.places.panes.log_cursor = Some(row),
        MouseTarget::Message(row) => model.places.messages.stay_on(row),
        MouseTarget::Fault(id) => model.places.fault = Some(id),
        MouseTarget::Election(ordinal) => model.places.election = Some(ordinal),
        MouseTarget::Link(from, to) => model.places.links.cursor = Some((from, to)),
        MouseTarget::Paper(item) => model.places.paper.cursor = PaperCursor::On(item),
        MouseTarget::Body
        | MouseTarget::Pane(_)
        | MouseTarget::Band(_)
        | MouseTarget::Page
        | MouseTarget::PageLink(_) => {}
    }
}

/// The pane of the overview to which this belongs.
fn pane_of(model: &Model, spot: MouseTarget) -> Option<Pane> {
    let pane = match spot {
        MouseTarget::Pane(pane) => pane,
        MouseTarget::Node(_) => Pane::Nodes,
        MouseTarget::FlowRow(_) => Pane::Flow,
        MouseTarget::News(_) => Pane::Log,
        MouseTarget::Paper(_) => Pane::Paper,
        _ => return None,
    };
    (model.places.screen == Screen::Overview).then_some(pane)
}

fn scroll(model: &mut Model, spot: MouseTarget, way: fn(usize) -> Movement) {
    if model.dialogs.layer.is_some() {
        // An answer has a cursor, which goes from sentence to sentence.
        if !why::walk(model, way(1)) {
            layers::scroll(model, way(WHEEL_ROWS));
        }
        return;
    }
    match (model.places.screen, pane_of(model, spot)) {
        (Screen::Overview, Some(pane)) => {
            model.places.panes.give_keys_to(pane);
            panes::move_in(model, way(WHEEL_ROWS));
        }
        (Screen::Overview, None) => {}
        (Screen::Links, _) => moving::move_sender(model, way(1)),
        _ => move_cursor(model, way(WHEEL_ROWS)),
    }
}

/// Goes to the moment of a cell of the band, or to the session's end in the last cell.
fn seek(model: &mut Model, end: i64, cell: u16, cells: u16) {
    if model.dialogs.layer.is_some() {
        return;
    }
    if model.feed_kind() == FeedKind::Live {
        return model.tell(Tone::Plain, "A running lab cannot seek; `hustings replay` seeks in a session.");
    }
    time::stand(model);
    time::seek(model, moment(end, cell, cells));
}

/// The first moment of a cell; of the last cell the last one.
fn moment(end: i64, cell: u16, cells: u16) -> i64 {
    if cell + 1 >= cells {
        return end;
    }
    let (end, cell, cells) = (i128::from(end), i128::from(cell), i128::from(cells));
    i64::try_from((end * cell + cells - 1) / cells).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_means_its_first_moment_and_the_last_cell_the_end() {
        assert_eq!([0, 1, 5, 9].map(|cell| moment(100, cell, 10)), [0, 10, 50, 100]);
        assert_eq!([0, 1, 2].map(|cell| moment(10, cell, 3)), [0, 4, 10]);
        assert_eq!(moment(i64::MAX, 0, 1), i64::MAX);
    }
}
