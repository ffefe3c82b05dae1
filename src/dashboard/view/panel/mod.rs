//! The panels, and the place of each on the screen.
//!
//! Invariant: a panel takes `&Model` and changes nothing of it, but notes for the mouse what it draws where; at any size
//! it draws something sensible, and nothing outside its area.

pub mod assumptions;
pub mod elections;
pub mod faults;
pub mod flow;
pub mod footer;
pub mod header;
pub mod history;
pub mod layer;
pub mod links;
pub mod log;
pub mod messages;
pub mod narrator;
pub mod overview;
pub mod pair;
pub mod paper;
pub mod prompt;
pub mod timeline;
pub mod toast;
pub mod topology;
pub mod whole_screen;
pub mod work;

use ratatui::Frame;

use super::arrangement::shows_nothing;
use crate::model::Model;

/// Draws the model.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    model.drawing.targets.forget();
    let is_small = shows_nothing((area.width, area.height));
    let cursor = match &model.beside {
        Some(beside) if !is_small => pair::draw(model, beside, frame.buffer_mut(), area),
        _ => whole_screen::draw(model, frame.buffer_mut(), area),
    };
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}
