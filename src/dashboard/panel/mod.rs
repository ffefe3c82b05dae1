//! The panels, and the place of each on the screen.
//!
//! Invariant: a panel takes `&Model` and changes nothing of it, but notes for the mouse what it draws where; at any size
//! it draws something sensible, and nothing outside its area.

mod assumptions;
mod beside;
mod elections;
mod faults;
mod flow;
mod footer;
mod header;
mod history;
mod lane_heads;
mod lanes;
mod layer;
mod link_signs;
mod links;
mod messages;
mod narrator;
mod news;
mod one;
mod overview;
mod paper;
mod prompt;
mod timeline;
mod toast;
mod topology;
mod work;

use ratatui::Frame;

use super::arrangement::shows_nothing;
use super::model::Model;

/// Draws the model.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    model.spots.forget();
    let is_small = shows_nothing((area.width, area.height));
    let cursor = match &model.beside {
        Some(beside) if !is_small => beside::draw(model, beside, frame.buffer_mut(), area),
        _ => one::draw(model, frame.buffer_mut(), area),
    };
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}
