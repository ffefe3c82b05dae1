//! One screen: the header, the names of the screens, what the lab tells, the panel, what lies over it, and the footer.
//!
//! Invariant: at any size it draws something sensible, and nothing outside its area.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::{
    assumptions, elections, faults, footer, header, history, layer, links, messages, narrator, overview, paper, prompt,
    toast, work,
};
use crate::input::action::Action;
use crate::model::places::Screen;
use crate::model::{Model, PendingQuestion, Viewpoint};
use crate::view::arrangement::{SMALLEST, rows_above, shows_nothing};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;

/// From so many columns on, all screens are named.
const NAMES_FROM: u16 = 100;

/// Draws one screen. Returns where the cursor of a line that is being written stands.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) -> Option<Position> {
    if shows_nothing((area.width, area.height)) {
        notice(model, buffer, area);
        return None;
    }
    let told = model.toasts.rows(&model.theme, (area.width, area.height));
    let above = rows_above(model);
    let body = Rect { y: area.y + above, height: area.height - above - 1 - told, ..area };
    header::draw(model, buffer, Rect { height: 1, ..area });
    tabs(model, buffer, Rect { y: area.y + 1, height: 1, ..area });
    let head = model.rows_of_head();
    work::draw(model, buffer, Rect { y: area.y + 2, height: head - 2, ..area });
    narrator::draw(model, buffer, Rect { y: area.y + head, height: above - head, ..area });
    model.drawing.targets.note(body, MouseTarget::Body);
    if model.awaits_lab() {
        let line = Line::styled("Waiting for the first record of the lab.", model.theme.dim);
        paint::put(buffer, &model.theme, body, 1, &line);
    } else {
        match model.places.screen {
            Screen::Overview => overview::draw(model, buffer, body),
            Screen::Messages => messages::draw(model, buffer, body),
            Screen::Faults => faults::draw(model, buffer, body),
            Screen::Paper => paper::draw(model, buffer, body),
            Screen::Links => links::draw(model, buffer, body),
            Screen::Elections => elections::draw(model, buffer, body),
            Screen::History => history::draw(model, buffer, body),
        }
    }
    layer::draw(model, buffer, body);
    let taken = prompt::height(model, body);
    toast::draw(model, buffer, Rect { y: body.bottom(), height: told, ..body });
    let cursor = prompt::draw(model, buffer, Rect { y: body.bottom() - taken, height: taken, ..body });
    footer::draw(model, buffer, Rect { y: area.bottom() - 1, height: 1, ..area });
    cursor
}

fn notice(model: &Model, buffer: &mut Buffer, area: Rect) {
    let (width, height) = SMALLEST;
    let leave = match model.dialogs.asked {
        PendingQuestion::Nothing => format!("or leave with {}", model.key(Action::Quit)),
        PendingQuestion::WhetherToEnd => {
            format!("or end the lab with {} once more", model.key(Action::Quit))
        }
    };
    let text = format!(
        "This terminal is {}x{}; the screen needs {width}x{height}, and 80x24 to show all. Make it larger, {leave}.",
        area.width, area.height
    );
    for (row, line) in paint::wrap(&text, area.width).into_iter().enumerate() {
        paint::put(buffer, &model.theme, area, u16::try_from(row).unwrap_or(u16::MAX), &Line::raw(line));
    }
}

fn tabs(model: &Model, buffer: &mut Buffer, area: Rect) {
    let screens = model.screens();
    let names: usize = screens.iter().map(|screen| screen.name().len() + 4).sum();
    let marks = if model.places.marked.is_empty() { 0 } else { model.places.marked.to_string().len() + 10 };
    // The names give way to what is broken.
    let wanted = if model.vantage == Viewpoint::Lab { usize::from(assumptions::wanted(model)) } else { 0 };
    let is_short = area.width < NAMES_FROM || names + marks + wanted + 6 > usize::from(area.width);
    let mut spans = Vec::new();
    for (place, screen) in screens.iter().copied().enumerate() {
        if place > 0 {
            spans.push(Span::raw("  "));
        }
        let number = place + 1;
        if is_short && screen != model.places.screen {
            spans.push(Span::styled(number.to_string(), model.theme.dim));
        } else if screen == model.places.screen {
            spans.push(Span::styled(format!("[{number} {}]", screen.name()), model.theme.strong));
        } else {
            spans.push(Span::styled(format!("{number} {}", screen.name()), model.theme.dim));
        }
    }
    note_tabs(model, area, screens, &spans);
    let tabs = Line::from(spans);
    let taken = u16::try_from(tabs.width() + 4).unwrap_or(u16::MAX);
    paint::rule(buffer, &model.theme, area, 0, tabs);
    let mut free = Rect { x: area.x + taken.min(area.width), width: area.width.saturating_sub(taken + 1), ..area };
    if !model.places.marked.is_empty() {
        // The next fault key hits the marked nodes, so every screen names them.
        let line = Line::styled(format!(" marked {} ", model.places.marked), model.theme.mark);
        paint::put_right(buffer, &model.theme, Rect { width: area.width - 2, ..area }, 0, &line);
        free.width = free.width.saturating_sub(u16::try_from(line.width() + 1).unwrap_or(u16::MAX));
    }
    // A node alone does not know which assumptions were broken.
    if model.vantage == Viewpoint::Lab {
        let strip = assumptions::strip(model, free.width);
        let width = u16::try_from(strip.width()).unwrap_or(u16::MAX).min(free.width);
        let place = Rect { x: free.right() - width, width, height: 1, ..free }.intersection(buffer.area);
        // The rule beneath is dim, and this text is not.
        Clear.render(place, buffer);
        paint::put(buffer, &model.theme, place, 0, &strip);
    }
}

/// Every other of these spans names a screen; they begin behind the rule's first signs.
fn note_tabs(model: &Model, area: Rect, screens: &[Screen], spans: &[Span<'_>]) {
    let mut x = area.x + 3;
    for (place, span) in spans.iter().enumerate() {
        let width = u16::try_from(span.width()).unwrap_or(u16::MAX);
        if let Some(screen) = screens.get(place / 2).filter(|_| place % 2 == 0) {
            model
                .drawing
                .targets
                .note(Rect { x, width, height: 1, ..area }.intersection(area), MouseTarget::Tab(*screen));
        }
        x = x.saturating_add(width);
    }
}
