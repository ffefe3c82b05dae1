//! The layer over a screen: the help, or all about one row.
//!
//! Invariant: it scrolls no further than its last line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::model::Model;
use crate::view::layer::{page, placed};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;

/// Draws it, if there is one.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(layer) = &model.dialogs.layer else { return };
    let theme = &model.theme;
    let place = placed(area);
    let page = page(model, layer, place.width.saturating_sub(4));
    model.drawing.targets.note(place, MouseTarget::Page);
    let inner = paint::boxed(buffer, theme, place, &page.title);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let height = usize::from(inner.height);
    let scroll = layer.scroll.min(page.lines.len().saturating_sub(height));
    for (row, line) in page.lines.iter().skip(scroll).take(height).enumerate() {
        paint::put(buffer, theme, inner, u16::try_from(row).unwrap_or(u16::MAX), line);
    }
    for (place, link) in page.links.iter().enumerate().filter(|(_, link)| link.line >= scroll) {
        model.drawing.targets.note_row(
            inner,
            u16::try_from(link.line - scroll).unwrap_or(u16::MAX),
            MouseTarget::PageLink(place),
        );
    }
    if let Some(link) = page.link_at(layer, height) {
        let row = u16::try_from(page.links[link].line - scroll).unwrap_or(u16::MAX);
        paint::put(buffer, theme, inner, row, &Line::raw(theme.glyphs.cursor));
        paint::tint(buffer, inner, row, theme.cursor);
    }
    if scroll > 0 {
        let line = Line::styled(format!(" {scroll} more above "), theme.dim);
        let top = Rect { y: place.y, height: 1, ..inner };
        paint::put_right(buffer, theme, top, 0, &line);
    }
    let below = page.lines.len().saturating_sub(scroll + height);
    if below > 0 {
        let line = Line::styled(format!(" {below} more below "), theme.dim);
        let bottom = Rect { y: place.bottom().saturating_sub(1), height: 1, ..inner };
        paint::put_right(buffer, theme, bottom, 0, &line);
    }
}
