//! Moving the cursor, whatever is on the screen.
//!
//! Invariant: a cursor is on an existing row or link, or on none.

use crate::input::action::Action;
use crate::model::places::{DRAWN_MAX, LinksLook, Pane, PaperCursor, Screen};
use crate::model::{Model, Tone};
use crate::view::arrangement::Arrangement;
use crate::view::listing::{items, rows, under_cursor};

/// One movement.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Movement {
    /// This many rows up.
    Up(usize),
    /// This many rows down.
    Down(usize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

impl Movement {
    /// The movement that this action means on a screen of this height.
    pub fn of(action: Action, height: u16) -> Option<Movement> {
        let page = usize::from(height.saturating_sub(6)).max(1);
        match action {
            Action::Up => Some(Movement::Up(1)),
            Action::Down => Some(Movement::Down(1)),
            Action::PageUp => Some(Movement::Up(page)),
            Action::PageDown => Some(Movement::Down(page)),
            Action::First => Some(Movement::First),
            Action::Last => Some(Movement::Last),
            _ => None,
        }
    }

    /// The row to which it leads from `place` among `count` rows.
    pub fn from(self, place: usize, count: usize) -> usize {
        let last = count.saturating_sub(1);
        match self {
            Movement::Up(rows) => place.saturating_sub(rows),
            Movement::Down(rows) => place.saturating_add(rows).min(last),
            Movement::First => 0,
            Movement::Last => last,
        }
    }
}

/// Moves on the screen.
pub fn move_cursor(model: &mut Model, movement: Movement) {
    match model.places.screen {
        Screen::Overview => {
            let rows = model.rows();
            let place = rows.iter().position(|node| Some(*node) == model.selected_node()).unwrap_or(0);
            model.places.node = rows.get(movement.from(place, rows.len())).copied();
        }
        Screen::Messages => move_in_messages(model, movement),
        Screen::Elections => {
            let latest = &model.seen().world.elections.latest;
            let selected = model.selected_election().map(|election| election.ordinal);
            let place = latest.iter().position(|election| Some(election.ordinal) == selected).unwrap_or(0);
            let reached = movement.from(place, latest.len());
            let follows = reached + 1 == latest.len();
            model.places.election = latest.get(reached).filter(|_| !follows).map(|election| election.ordinal);
        }
        Screen::History => {
            // Counted from the end, so that the newest group comes into sight by itself.
            let groups = model.seen().world.history.iter().len();
            let from_top = groups.saturating_sub(1 + model.places.history_above.min(groups.saturating_sub(1)));
            model.places.history_above = groups.saturating_sub(1 + movement.from(from_top, groups));
        }
        // Its cursor moves in two directions.
        Screen::Links => {}
        Screen::Faults => {
            let faults = &model.seen().world.faults;
            let selected = model.selected_fault().map(|fault| fault.id);
            let place = faults.iter().position(|fault| Some(fault.id) == selected).unwrap_or(0);
            model.places.fault = faults.get(movement.from(place, faults.len())).map(|fault| fault.id);
        }
        Screen::Paper => move_in_paper(model, movement),
    }
}

/// Moves the cursor of the listing. Pages are counted in rows of the screen, since a line may take several.
pub fn move_in_paper(model: &mut Model, movement: Movement) {
    let width = match model.places.screen {
        Screen::Overview => Arrangement::now(model).inside(Pane::Paper).width,
        _ => model.size.0,
    };
    let items = items(&rows(model, width.saturating_sub(2)));
    let cursor = under_cursor(model);
    let now = items.iter().position(|(item, _)| Some(*item) == cursor).unwrap_or(0);
    let row = |place: usize| items.get(place).map_or(0, |(_, row)| *row);
    let reached = match movement {
        Movement::Up(rows @ 2..) => {
            let first = items.iter().position(|(_, of)| of + rows >= row(now));
            first.unwrap_or(0).min(now.saturating_sub(1))
        }
        Movement::Down(rows @ 2..) => {
            let last = items.iter().rposition(|(_, of)| *of <= row(now) + rows);
            last.unwrap_or(0).max(Movement::Down(1).from(now, items.len()))
        }
        one => one.from(now, items.len()),
    };
    if let Some((item, _)) = items.get(reached) {
        model.places.paper.cursor = PaperCursor::On(*item);
    }
}

fn move_in_messages(model: &mut Model, movement: Movement) {
    let kept = &model.seen().rows;
    let Some(now) = model.selected_message() else { return };
    let reached = match movement {
        Movement::Last => None,
        Movement::First => kept.newest().filter(|(_, row)| model.has_message_row(row)).last(),
        Movement::Up(rows) => kept.before(now).filter(|(_, row)| model.has_message_row(row)).take(rows).last(),
        Movement::Down(rows) => kept.after(now).filter(|(_, row)| model.has_message_row(row)).take(rows).last(),
    };
    let reached = reached.map(|(number, _)| number);
    if movement == Movement::Last {
        model.places.messages.follow_newest();
    } else if let Some(reached) = reached.or(Some(now)) {
        model.places.messages.stay_on(reached);
    }
}

/// Moves the cursor to another sender.
pub fn move_sender(model: &mut Model, movement: Movement) {
    let ends = model.link_ends();
    let Some((from, to)) = model.selected_link() else { return };
    let place = ends.iter().position(|node| *node == from).unwrap_or(0);
    model.places.links.cursor = ends.get(movement.from(place, ends.len())).map(|from| (*from, to));
}

/// Moves the cursor to another receiver.
pub fn move_receiver(model: &mut Model, movement: Movement) {
    let ends = model.link_ends();
    let Some((from, to)) = model.selected_link() else { return };
    let place = ends.iter().position(|node| *node == to).unwrap_or(0);
    model.places.links.cursor = ends.get(movement.from(place, ends.len())).map(|to| (from, *to));
}

/// Gives the drawing the whole screen, or the matrix again.
pub fn zoom(model: &mut Model) {
    let nodes = model.seen().world.nodes.len();
    model.places.links.look = match model.places.links.look {
        LinksLook::Drawing => LinksLook::Matrix,
        LinksLook::Matrix if nodes <= DRAWN_MAX => LinksLook::Drawing,
        LinksLook::Matrix => {
            let text = format!("The drawing has room for {DRAWN_MAX} processes; this lab has {nodes}.");
            model.tell(Tone::Plain, text);
            LinksLook::Matrix
        }
    };
}
