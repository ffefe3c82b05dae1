//! Moving in the matrix of links, and what of it is shown.
//!
//! Invariant: the cursor is on a link between nodes of the lab.

use super::moving::Movement;
use crate::crossing::{DRAWN_MAX, LinksLook};
use crate::model::{Model, Tone};

/// Moves the cursor to another sender.
pub fn move_sender(model: &mut Model, movement: Movement) {
    let ends = model.link_ends();
    let Some((from, to)) = model.selected_link() else { return };
    let place = ends.iter().position(|node| *node == from).unwrap_or(0);
    model.crossing.cursor = ends.get(movement.from(place, ends.len())).map(|from| (*from, to));
}

/// Moves the cursor to another receiver.
pub fn move_receiver(model: &mut Model, movement: Movement) {
    let ends = model.link_ends();
    let Some((from, to)) = model.selected_link() else { return };
    let place = ends.iter().position(|node| *node == to).unwrap_or(0);
    model.crossing.cursor = ends.get(movement.from(place, ends.len())).map(|to| (from, *to));
}

/// Gives the drawing the whole screen, or the matrix again.
pub fn zoom(model: &mut Model) {
    let nodes = model.seen().world.nodes.len();
    model.crossing.look = match model.crossing.look {
        LinksLook::Drawing => LinksLook::Matrix,
        LinksLook::Matrix if nodes <= DRAWN_MAX => LinksLook::Drawing,
        LinksLook::Matrix => {
            let text = format!("The drawing has room for {DRAWN_MAX} processes; this lab has {nodes}.");
            model.tell(Tone::Plain, text);
            LinksLook::Matrix
        }
    };
}
