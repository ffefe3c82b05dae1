//! The paper's listing with the processes on its lines: a screen, and a pane of any size.
//!
//! Invariant: the line under the cursor is in sight, and how much of the listing was reached stands above it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::input::action::Action;
use crate::model::places::PaperCursor;
use crate::model::{Model, Viewpoint};
use crate::view::grid::{bar, window};
use crate::view::listing::{rows, under_cursor};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;
use protocol::{Facts, HoleStanding};

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    if area.height == 0 {
        return;
    }
    summary(model, buffer, area);
    let list = Rect { y: area.y + 1, height: area.height - 1, width: area.width.saturating_sub(2), ..area };
    let rows = rows(model, list.width);
    let height = usize::from(list.height);
    let cursor = under_cursor(model);
    let at = cursor.and_then(|cursor| rows.iter().position(|row| row.item == Some(cursor))).unwrap_or(0);
    let top = match model.places.paper.cursor {
        PaperCursor::Following => page(at, rows.len(), height),
        PaperCursor::On(_) => window(at, rows.len(), height),
    };
    for (place, row) in rows.iter().skip(top).take(height).enumerate() {
        let place = u16::try_from(place).unwrap_or(u16::MAX);
        paint::put(buffer, theme, list, place, &row.text);
        if let Some(item) = row.item {
            model.drawing.targets.note_row(list, place, MouseTarget::Paper(item));
        }
        if row.item.is_some() && row.item == cursor && model.places.paper.cursor != PaperCursor::Following {
            paint::tint(buffer, list, place, theme.cursor);
        }
    }
    if rows.len() > height && height > 0 {
        bar(buffer, theme, Rect { x: area.right().saturating_sub(1), width: 1, ..area }, (top, rows.len(), height));
    }
}

/// The first row to show while a line is followed: pages are turned, so that the picture stands still between them.
fn page(at: usize, rows: usize, height: usize) -> usize {
    let step = (height * 2 / 3).max(1);
    (at / step * step).saturating_sub((height - step.min(height)) / 2).min(rows.saturating_sub(height))
}

/// How much was reached, the holes, and what the cursor does.
fn summary(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let Some(facts) = model.seen().facts.as_deref() else {
        paint::put(buffer, theme, area, 0, &Line::styled("The algorithm is not known yet.", theme.dim));
        return;
    };
    let (reached, holes, does) = (reached(model, facts), holes(facts), cursor_words(model));
    let wordings = [
        (format!("{reached}  {holes}"), does.as_str()),
        (format!("{reached}  {holes}"), ""),
        (reached.clone(), does.as_str()),
        (reached.clone(), ""),
        (reached.trim_start_matches("reached ").to_owned(), ""),
    ];
    let width =
        |(left, right): &(String, &str)| paint::width(left).saturating_add(1).saturating_add(paint::width(right));
    let (left, right) = wordings.iter().find(|wording| width(wording) <= area.width).unwrap_or(&wordings[4]);
    let left = match left.strip_prefix(reached.as_str()) {
        Some(rest) => vec![Span::styled(reached.clone(), theme.strong), Span::styled(rest.to_owned(), theme.dim)],
        None => vec![Span::styled(left.clone(), theme.strong)],
    };
    paint::put(buffer, theme, area, 0, &Line::from(left));
    paint::put_right(buffer, theme, area, 0, &Line::styled((*right).to_owned(), theme.dim));
}

fn reached(model: &Model, facts: &Facts) -> String {
    let world = &model.seen().world;
    let share = world.coverage.share(&facts.listing);
    // What was missed may have reached more, and so may what a node did before this screen heard it.
    let is_whole = world.missed == 0 && model.vantage == Viewpoint::Lab;
    let least = if is_whole { "" } else { "at least " };
    format!("reached {least}{} of {} lines ({} %)", share.reached, share.lines, share.percent())
}

fn holes(facts: &Facts) -> String {
    let open = facts.holes.iter().filter(|hole| hole.standing == HoleStanding::Open).count();
    match (facts.holes.len(), open) {
        (0, _) => String::new(),
        (1, 0) => "1 hole, not open".to_owned(),
        (count, 0) => format!("{count} holes, none open"),
        (count, open) => format!("{open} of {count} holes open"),
    }
}

fn cursor_words(model: &Model) -> String {
    match (&model.places.paper.traced, model.places.paper.cursor, model.selected_node()) {
        (Some(traced), ..) if traced.number > 0 => {
            format!("{} record {}", model.theme.glyphs.mark, traced.number)
        }
        (Some(_), ..) => format!("{} the record", model.theme.glyphs.mark),
        (None, PaperCursor::On(_), _) => format!("not following ({})", model.key(Action::Follow)),
        (None, PaperCursor::Following, Some(node)) => match model.seen().world.coverage.line_of(node) {
            Some(_) => format!("follows {node}"),
            None => format!("{node} is on no line"),
        },
        (None, PaperCursor::Following, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::stage::{crash, live};

    #[test]
    fn a_pane_of_any_size_keeps_to_its_area() {
        let model = live(&crash());
        for (width, height) in [(0, 0), (1, 1), (7, 3), (44, 12), (44, 1), (70, 30)] {
            let whole = Rect { x: 0, y: 0, width: 90, height: 40 };
            let area = Rect { x: 9, y: 4, width, height };
            let mut buffer = Buffer::empty(whole);
            draw(&model, &mut buffer, area);
            let is_blank = |x: u16, y: u16| buffer[(x, y)].symbol() == " ";
            for (x, y) in (0..whole.height).flat_map(|y| (0..whole.width).map(move |x| (x, y))) {
                let is_inside = area.contains(ratatui::layout::Position { x, y });
                assert!(is_inside || is_blank(x, y), "{width}x{height}: something at {x},{y}");
            }
            let row = |y: u16| (area.x..area.right()).map(|x| buffer[(x, y)].symbol()).collect::<String>();
            if (width, height) == (44, 12) {
                let rows: Vec<String> = (area.y..area.bottom()).map(|y| row(y).trim_end().to_owned()).collect();
                insta::assert_snapshot!(rows.join("\n"));
            }
        }
    }

    #[test]
    fn a_page_is_turned_only_where_the_followed_line_leaves_it() {
        let (rows, height) = (100, 12);
        let tops: Vec<usize> = (0..rows).map(|at| page(at, rows, height)).collect();
        for (at, top) in tops.iter().enumerate() {
            assert!((*top..*top + height).contains(&at), "row {at} is out of sight below {top}");
        }
        let turned = tops.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(turned <= rows / 8, "{turned} turns");
        assert_eq!((page(3, 5, 12), page(0, 0, 0), page(9, 10, 1)), (0, 0, 9));
    }
}
