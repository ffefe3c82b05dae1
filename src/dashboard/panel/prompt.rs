//! The line that is being written, with suggestions above it.
//!
//! Invariant: the cursor's place in the line is always in sight.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::dashboard::model::Model;
use crate::dashboard::paint;
use crate::dashboard::prompt::PromptKind;

/// At most this many suggestions are shown.
const SUGGESTIONS_MAX: usize = 6;

/// How many rows it takes at the bottom of the area.
pub fn height(model: &Model, area: Rect) -> u16 {
    if model.prompt.is_none() {
        return 0;
    }
    let suggested = model.suggestions().len().min(SUGGESTIONS_MAX);
    u16::try_from(suggested + 1).unwrap_or(1).min(area.height)
}

/// Draws it, and returns the place of the cursor.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) -> Option<Position> {
    let prompt = model.prompt.as_ref()?;
    if area.height == 0 || area.width < 4 {
        return None;
    }
    let theme = &model.theme;
    Clear.render(area, buffer);
    let rows = usize::from(area.height) - 1;
    for (row, suggestion) in model.suggestions().into_iter().take(rows).enumerate() {
        let line = Line::from(vec![
            Span::styled(format!("  {:<20} ", suggestion.form), theme.strong),
            Span::styled(suggestion.about, theme.dim),
        ]);
        paint::put(buffer, theme, area, u16::try_from(row).unwrap_or(u16::MAX), &line);
    }
    let sign = match prompt.kind {
        PromptKind::Palette => ":",
        PromptKind::Filter => "/",
    };
    let room = area.width - 2;
    let mut start = 0;
    while paint::width(&prompt.text[start..prompt.cursor]) > room.saturating_sub(1) {
        start += prompt.text[start..].chars().next().map_or(1, char::len_utf8);
    }
    let row = area.height - 1;
    let line = Line::from(vec![Span::styled(sign, theme.prompt), Span::raw(&prompt.text[start..])]);
    paint::put(buffer, theme, area, row, &line);
    let column = 1 + paint::width(&prompt.text[start..prompt.cursor]);
    Some(Position { x: area.x + column.min(area.width - 1), y: area.y + row })
}
