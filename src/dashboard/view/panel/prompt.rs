//! The line that is being written, and above it suggestions, or what is wrong with it.
//!
//! Invariant: the cursor's place in the line is always in sight.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::input::prompt::{LineProgress, PromptKind, Suggestion};
use crate::model::Model;
use crate::view::paint;
use protocol::Lie;

/// At most this many rows are above the line, but that all lies are shown.
const ABOVE_MAX: usize = 6;

/// How many rows it takes at the bottom of the area.
pub fn height(model: &Model, area: Rect) -> u16 {
    if model.dialogs.prompt.is_none() {
        return 0;
    }
    u16::try_from(above(model, area.width).len() + 1).unwrap_or(1).min(area.height)
}

/// Draws it, and returns the place of the cursor.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) -> Option<Position> {
    let prompt = model.dialogs.prompt.as_ref()?;
    if area.height == 0 || area.width < 4 {
        return None;
    }
    let theme = &model.theme;
    Clear.render(area, buffer);
    let rows = usize::from(area.height) - 1;
    for (row, line) in above(model, area.width).into_iter().take(rows).enumerate() {
        paint::put(buffer, theme, area, u16::try_from(row).unwrap_or(u16::MAX), &line);
    }
    let sign = match prompt.kind {
        PromptKind::Palette => ":",
        PromptKind::Filter | PromptKind::FlowFilter | PromptKind::Search => "/",
    };
    let room = area.width - 2;
    let mut start = 0;
    while paint::width(&prompt.text[start..prompt.cursor]) > room.saturating_sub(1) {
        start += prompt.text[start..].chars().next().map_or(1, char::len_utf8);
    }
    let row = area.height - 1;
    let style = if prompt.is_proposed { theme.cursor } else { Style::new() };
    let line = Line::from(vec![Span::styled(sign, theme.prompt), Span::styled(&prompt.text[start..], style)]);
    paint::put(buffer, theme, area, row, &line);
    let column = 1 + paint::width(&prompt.text[start..prompt.cursor]);
    Some(Position { x: area.x + column.min(area.width - 1), y: area.y + row })
}

/// What is above the line.
fn above(model: &Model, width: u16) -> Vec<Line<'static>> {
    let theme = &model.theme;
    match model.dialogs.prompt.as_ref().map(|prompt| &prompt.progress) {
        Some(LineProgress::Refused(why)) => {
            let wrapped = paint::wrap(why, width.saturating_sub(2));
            let sign = |place| if place == 0 { theme.glyphs.bad } else { " " };
            let line = |(place, text): (usize, String)| {
                Line::from(vec![Span::styled(sign(place), theme.bad), Span::styled(format!(" {text}"), theme.strong)])
            };
            wrapped.into_iter().enumerate().map(line).take(ABOVE_MAX).collect()
        }
        Some(LineProgress::Waiting { .. }) => {
            vec![Line::styled("  The lab has not answered yet.", theme.dim)]
        }
        Some(LineProgress::Draft) if model.dialogs.prompt.as_ref().is_some_and(|prompt| prompt.is_proposed) => {
            vec![Line::styled("  What you type replaces this filter; Left edits it, Enter keeps it.", theme.dim)]
        }
        Some(LineProgress::Draft) | None => {
            let lies = model.dialogs.prompt.as_ref().is_some_and(|prompt| prompt.begun_lie().is_some());
            let most = if lies { Lie::ALL.len() } else { ABOVE_MAX };
            let suggested = model.suggestions().into_iter().take(most);
            let line = |suggestion: Suggestion| {
                Line::from(vec![
                    Span::styled(format!("  {:<20} ", suggestion.form), theme.strong),
                    Span::styled(suggestion.about, theme.dim),
                ])
            };
            suggested.map(line).collect()
        }
    }
}
