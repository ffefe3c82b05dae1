//! The log of the overview: the news, the newest lowest.
//!
//! Invariant: the row under the cursor stays in sight while others come.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::messages::{put_row, window};
use crate::model::Model;
use crate::model::places::Pane;
use crate::view::arrangement::focus;
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;
use world::World;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let kept = &model.seen().rows;
    let newest = || kept.news_before(u64::MAX).next().map(|(number, _)| number);
    let Some(cursor) = model.places.panes.log_cursor.or_else(newest) else { return };
    let is_walked = model.places.panes.log_cursor.is_some() && focus(model) == Pane::Log;
    let (before, after) = (kept.news_before(cursor), kept.news_from(cursor));
    for (place, (number, row)) in window(before, after, usize::from(area.height)).into_iter().enumerate() {
        let place = u16::try_from(place).unwrap_or(u16::MAX);
        put_row(model, buffer, area, place, "", (number, row));
        model.drawing.targets.note_row(area, place, MouseTarget::News(number));
        if is_walked && number == cursor {
            paint::tint(buffer, area, place, model.theme.cursor);
        }
    }
}

/// How often something was refused, dropped or missed so far; `None` if never.
pub fn counts(world: &World) -> Option<String> {
    let refused = world.refused.iter().map(|(reason, count)| (reason.word(), *count));
    let others = [
        ("stale", world.stale),
        ("too late", world.late),
        ("overflowed", world.overflowed),
        ("records missing", world.missed),
    ];
    let counts = refused.chain(others).filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(name, count)| format!("{name} {count}")).collect();
    if counts.is_empty() { None } else { Some(counts.join(", ")) }
}
