//! The layer over a screen: the help, or all about one row.
//!
//! Invariant: it scrolls no further than its last line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::dashboard::layer::{content, placed};
use crate::dashboard::model::Model;
use crate::dashboard::paint;

/// Draws it, if there is one.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(layer) = &model.layer else { return };
    let place = placed(area);
    let (title, lines) = content(model, &layer.about, place.width.saturating_sub(4));
    let inner = paint::boxed(buffer, &model.theme, place, &title);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let scroll = layer.scroll.min(lines.len().saturating_sub(usize::from(inner.height)));
    for (row, line) in lines.iter().skip(scroll).take(usize::from(inner.height)).enumerate() {
        paint::put(buffer, &model.theme, inner, u16::try_from(row).unwrap_or(u16::MAX), line);
    }
    let below = lines.len().saturating_sub(scroll + usize::from(inner.height));
    if below > 0 {
        let line = Line::styled(format!(" {below} more below "), model.theme.dim);
        let bottom = Rect { y: place.bottom().saturating_sub(1), height: 1, ..inner };
        paint::put_right(buffer, &model.theme, bottom, 0, &line);
    }
}
