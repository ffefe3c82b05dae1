//! What a lab tells, above the screen: its words, its question with the answers, or the strip for newcomers.
//!
//! Invariant: it covers nothing; the screen beneath is as much lower.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::dashboard::model::Model;
use crate::dashboard::paint;

/// Draws it, if something is told.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(narrator) = model.narrator() else { return };
    let theme = &model.theme;
    let title = Line::from(Span::styled(narrator.title, theme.prompt));
    paint::rule(buffer, theme, area, 0, title);
    let keys = Line::styled(format!(" {} ", narrator.keys), theme.dim);
    paint::put_right(buffer, theme, Rect { width: area.width.saturating_sub(2), ..area }, 0, &keys);
    for (row, line) in (1..).zip(&narrator.lines) {
        paint::put(buffer, theme, area, row, line);
    }
}
