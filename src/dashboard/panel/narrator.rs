//! What a lab tells, above the screen: its words, its question with the answers, or the strip for newcomers.
//!
//! Invariant: it covers nothing; the screen beneath is as much lower.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::Model;
use crate::paint;

/// The columns of the rule behind the keys.
const END_COLUMNS: u16 = 2;

/// Draws it, if something is told.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(narrator) = model.narrator() else { return };
    let theme = &model.theme;
    let keys = Line::styled(format!(" {} ", narrator.keys), theme.dim);
    // A long title is cut before the keys.
    let keys_columns = u16::try_from(keys.width()).unwrap_or(u16::MAX);
    let titled = Rect { width: area.width.saturating_sub(keys_columns + END_COLUMNS), ..area };
    paint::rule(buffer, theme, area, 0, Line::default());
    paint::rule(buffer, theme, titled, 0, Line::from(Span::styled(narrator.title, theme.prompt)));
    paint::put_right(buffer, theme, Rect { width: area.width.saturating_sub(END_COLUMNS), ..area }, 0, &keys);
    for (row, line) in (1..).zip(&narrator.lines) {
        paint::put(buffer, theme, area, row, line);
    }
}
