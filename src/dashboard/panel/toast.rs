//! Messages that are shown for a while, at the bottom of the screen.
//!
//! Invariant: they cover at most half of the screen, and the newest is always shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::dashboard::model::{Model, Toast, Tone};
use crate::dashboard::paint;

/// Draws them, the newest lowest.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let lines: Vec<Line<'static>> = model.toasts.iter().flat_map(|toast| lines(model, toast, area.width)).collect();
    let room = usize::from(area.height / 2);
    let shown = &lines[lines.len().saturating_sub(room)..];
    let height = u16::try_from(shown.len()).unwrap_or(area.height).min(area.height);
    let strip = Rect { y: area.bottom() - height, height, ..area };
    Clear.render(strip, buffer);
    for (row, line) in shown.iter().enumerate() {
        paint::put(buffer, &model.theme, strip, u16::try_from(row).unwrap_or(u16::MAX), line);
    }
}

fn lines(model: &Model, toast: &Toast, width: u16) -> Vec<Line<'static>> {
    let theme = &model.theme;
    let (glyph, style) = match toast.tone {
        Tone::Good => (theme.glyphs.good, theme.good),
        Tone::Plain => (theme.glyphs.cursor, theme.strong),
        Tone::Bad => (theme.glyphs.bad, theme.bad),
    };
    let wrapped = paint::wrap(&toast.text, width.saturating_sub(2));
    let line = |(place, text): (usize, String)| {
        let sign = if place == 0 { glyph } else { " " };
        Line::from(vec![Span::styled(sign, style), Span::styled(format!(" {text}"), theme.strong)])
    };
    wrapped.into_iter().take(8).enumerate().map(line).collect()
}
