//! The row of the lab's application, below the screens' names: how far the work is, and who does what.
//!
//! Invariant: it is there in every lab with an application and in no other, so nothing moves when the work changes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::Model;
use crate::view::paint;
use crate::view::theme::Theme;
use application::{Emphasis, RowPart};

/// The bar has this many cells.
const CELLS: usize = 10;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(facts) = model.application() else { return };
    let theme = &model.theme;
    let mut spans = vec![Span::styled(facts.title.to_lowercase(), theme.strong), Span::raw("  ")];
    spans.extend(application::row(&model.seen().world, facts).iter().map(|part| span(theme, part)));
    paint::put(buffer, theme, area, 0, &Line::from(spans));
}

fn span(theme: &Theme, part: &RowPart) -> Span<'static> {
    match part {
        RowPart::Words(text, emphasis) => {
            let text = theme.glyphs.flow.spoken(text);
            match emphasis {
                Emphasis::Plain => Span::raw(text),
                Emphasis::Normal => Span::styled(text, theme.normal),
                Emphasis::Strong => Span::styled(text, theme.strong),
                Emphasis::Dim => Span::styled(text, theme.dim),
                Emphasis::Good => Span::styled(text, theme.good),
                Emphasis::Doubt => Span::styled(text, theme.doubt),
                Emphasis::Bad => Span::styled(text, theme.bad),
            }
        }
        RowPart::Bar { done, all } => {
            let full = (CELLS * done).checked_div(*all).unwrap_or(CELLS);
            let bar: String = (0..CELLS).map(|place| theme.glyphs.bar[usize::from(place >= full)]).collect();
            Span::styled(format!(" {bar}"), theme.good)
        }
    }
}
