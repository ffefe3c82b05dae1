//! Messages that are shown for a while, in a strip of their own above the footer.
//!
//! Invariant: the strip covers nothing, and the newest message stands in it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::toast::Toast;
use crate::model::{Model, Tone};
use crate::view::paint;

/// The columns of the count of those that are not shown.
const MORE_COLUMNS: u16 = 9;

/// Draws them, the newest lowest. What does not fit of one is cut at its end, and those that do not fit are counted.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let (shown, hidden) = fitting(model, area.width, area.height);
    if hidden == 0 {
        put_all(model, buffer, area, &shown);
        return;
    }
    let (shown, hidden) = fitting(model, area.width.saturating_sub(MORE_COLUMNS), area.height);
    put_all(model, buffer, area, &shown);
    let more = Line::styled(format!("+{hidden} more"), model.theme.dim);
    paint::put_right(buffer, &model.theme, area, area.height.saturating_sub(1), &more);
}

/// The lines that fit, and how many messages have none.
fn fitting(model: &Model, width: u16, height: u16) -> (Vec<Line<'static>>, usize) {
    let mut shown: Vec<Line<'static>> = Vec::new();
    let mut hidden = 0;
    for toast in model.toasts.iter().rev() {
        let mut lines = lines(model, toast, width);
        let left = usize::from(height) - shown.len();
        hidden += usize::from(left == 0);
        if lines.len() > left {
            lines.truncate(left);
            if let Some(last) = lines.last_mut() {
                last.push_span(Span::styled(model.theme.glyphs.cut, model.theme.dim));
            }
        }
        shown.splice(0..0, lines);
    }
    (shown, hidden)
}

fn put_all(model: &Model, buffer: &mut Buffer, area: Rect, shown: &[Line<'static>]) {
    for (row, line) in shown.iter().enumerate() {
        paint::put(buffer, &model.theme, area, u16::try_from(row).unwrap_or(u16::MAX), line);
    }
}

fn lines(model: &Model, toast: &Toast, width: u16) -> Vec<Line<'static>> {
    let theme = &model.theme;
    let (glyph, style) = match toast.tone {
        Tone::Good => (theme.glyphs.good, theme.good),
        Tone::Plain => (theme.glyphs.cursor, theme.strong),
        Tone::Bad => (theme.glyphs.bad, theme.bad),
    };
    let line = |(place, text): (usize, String)| {
        let sign = if place == 0 { glyph } else { " " };
        Line::from(vec![Span::styled(sign, style), Span::styled(format!(" {text}"), theme.strong)])
    };
    toast.lines(theme, width).into_iter().enumerate().map(line).collect()
}
