//! Two sessions: the halves, between them a line, below them what they differ in, and one footer.
//!
//! Invariant: each half is drawn as a screen of its own size is.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::{footer, whole_screen};
use crate::input::action::Action;
use crate::model::Model;
use crate::model::pair::{OtherSession, PairPlaces};
use crate::view::paint;

/// Draws both. Returns where the cursor of a line that is being written stands.
pub fn draw(model: &Model, beside: &OtherSession<Model>, buffer: &mut Buffer, area: Rect) -> Option<Position> {
    let theme = &model.theme;
    let front = model.place_in_pair();
    let places = PairPlaces::of((area.width, area.height), front);
    let [first, second] = places.halves;
    if places.shows_both() && first.y == second.y {
        let line = Line::styled(theme.glyphs.border.vertical_left, theme.dim);
        let between = Rect { x: first.right(), width: 1, ..first };
        for row in 0..between.height {
            paint::put(buffer, theme, between, row, &line);
        }
    }
    draw_half(&beside.other, buffer, places.halves[1 - front]);
    let cursor = draw_half(model, buffer, places.halves[front]);
    strip(model, beside, buffer, places);
    footer::draw(model, buffer, places.footer);
    cursor
}

/// Draws a screen without its footer.
fn draw_half(model: &Model, buffer: &mut Buffer, place: Rect) -> Option<Position> {
    if place.height == 0 || place.width == 0 {
        return None;
    }
    let own = Rect { x: 0, y: 0, width: place.width, height: place.height + 1 };
    let mut half = Buffer::empty(own);
    let cursor = whole_screen::draw(model, &mut half, own);
    for (y, x) in (0..place.height).flat_map(|y| (0..place.width).map(move |x| (y, x))) {
        buffer[(place.x + x, place.y + y)] = half[(x, y)].clone();
    }
    cursor.map(|Position { x, y }| Position { x: place.x + x, y: place.y + y })
}

fn strip(model: &Model, beside: &OtherSession<Model>, buffer: &mut Buffer, places: PairPlaces) {
    let (theme, area) = (&model.theme, places.strip);
    if area.height == 0 {
        return;
    }
    let mut title = vec![Span::styled(beside.told.title.clone(), theme.strong)];
    if !places.shows_both() {
        let letter = beside.other.side.map_or('B', |side| side.letter);
        title.push(Span::styled(
            format!(" {} {} shows {letter}", theme.glyphs.between, model.key(Action::OtherSession)),
            theme.dim,
        ));
    }
    paint::rule(buffer, theme, area, 0, Line::from(title));
    let rows = usize::from(area.height) - 1;
    let lines = beside.told.lines(model.place_in_pair(), area.width, rows, &model.key(Action::Difference));
    for (row, line) in (1..).zip(lines) {
        paint::put(buffer, theme, area, row, &Line::raw(line));
    }
}
