//! The only code that puts text on the screen.
//!
//! Invariant: nothing is written outside its area, whatever the sizes, and no control character of a record reaches the
//! terminal.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::theme::Theme;
use protocol::is_unshowable;
pub use world::seconds;

/// The text without control characters and without characters that reorder or hide text; each of them becomes `?`.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unshowable) {
        Cow::Owned(text.chars().map(|c| if is_unshowable(c) { '?' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// How many columns a text takes.
pub fn width(text: &str) -> u16 {
    // Most texts are of letters that take one column each.
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let columns = if is_plain { text.len() } else { Span::raw(text).width() };
    u16::try_from(columns).unwrap_or(u16::MAX)
}

/// Writes a line into the area's row of that number; a line that is too long is cut, and a sign shows that. Returns the
/// number of columns written.
pub fn put(buffer: &mut Buffer, theme: &Theme, area: Rect, row: u16, line: &Line<'_>) -> u16 {
    let area = area.intersection(buffer.area);
    if row >= area.height || area.width == 0 {
        return 0;
    }
    let (y, end) = (area.y + row, area.right());
    let texts: Vec<(Cow<'_, str>, Style)> =
        line.spans.iter().map(|span| (plain(&span.content), line.style.patch(span.style))).collect();
    let whole: usize = texts.iter().map(|(text, _)| usize::from(width(text))).sum();
    let is_cut = whole > usize::from(area.width);
    let limit = if is_cut { end - 1 } else { end };
    let mut x = area.x;
    for (text, style) in &texts {
        let (next, _) = buffer.set_stringn(x, y, text, usize::from(limit - x), *style);
        x = next;
        if is_cut && x >= limit {
            break;
        }
    }
    if is_cut {
        buffer.set_stringn(x, y, theme.glyphs.cut, usize::from(end - x), theme.dim);
        x = end;
    }
    x - area.x
}

/// Writes a line and a tail after it. If both do not fit, the line is cut and the tail stays whole, unless it would
/// take more than half of the row.
pub fn put_both<'a>(buffer: &mut Buffer, theme: &Theme, area: Rect, row: u16, mut line: Line<'a>, tail: Span<'a>) {
    let taken = width(&tail.content);
    if line.width() + usize::from(taken) <= usize::from(area.width) || taken > area.width / 2 {
        line.push_span(tail);
        put(buffer, theme, area, row, &line);
        return;
    }
    put(buffer, theme, Rect { width: area.width - taken, ..area }, row, &line);
    put_right(buffer, theme, area, row, &Line::from(tail));
}

/// Writes a line so that it ends at the area's right edge.
pub fn put_right(buffer: &mut Buffer, theme: &Theme, area: Rect, row: u16, line: &Line<'_>) {
    let taken = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
    put(buffer, theme, Rect { x: area.right() - taken, width: taken, ..area }, row, line);
}

/// Gives a whole row of the area a style.
pub fn tint(buffer: &mut Buffer, area: Rect, row: u16, style: Style) {
    if row < area.height {
        buffer.set_style(Rect { y: area.y + row, height: 1, ..area }.intersection(buffer.area), style);
    }
}

/// Draws a rule with a title across the area's row.
pub fn rule(buffer: &mut Buffer, theme: &Theme, area: Rect, row: u16, title: Line<'_>) {
    let dashes = |columns: usize| Span::styled(theme.glyphs.rule.repeat(columns), theme.dim);
    let rest = usize::from(area.width).saturating_sub(title.width() + 4);
    let mut spans = vec![dashes(2), Span::raw(" ")];
    spans.extend(title.spans);
    spans.extend([Span::raw(" "), dashes(rest)]);
    put(buffer, theme, area, row, &Line::from(spans));
}

/// Clears the area, draws an edge with a title around it and returns the inside.
pub fn boxed(buffer: &mut Buffer, theme: &Theme, area: Rect, title: &str) -> Rect {
    let area = area.intersection(buffer.area);
    Clear.render(area, buffer);
    let block = Block::bordered().border_set(theme.glyphs.border).border_style(theme.dim);
    let inner = block.inner(area);
    block.render(area, buffer);
    let top = Rect { x: area.x + area.width.min(2), width: area.width.saturating_sub(4), ..area };
    put(buffer, theme, top, 0, &Line::styled(format!(" {title} "), theme.strong));
    inner
}

/// Texts with a title each, in lines of at most this many columns. The titles stand in a dim column of their own, which
/// is this wide.
pub fn titled(theme: &Theme, facets: Vec<(&str, String)>, columns: u16, title_columns: u16) -> Vec<Line<'static>> {
    let width = usize::from(title_columns);
    let mut lines = Vec::new();
    for (title, text) in facets {
        let titles = std::iter::once(title).chain(std::iter::repeat(""));
        for (title, line) in titles.zip(wrap(&text, columns.saturating_sub(title_columns))) {
            lines.push(Line::from(vec![Span::styled(format!("{title:<width$}"), theme.dim), Span::raw(line)]));
        }
    }
    lines
}

/// Breaks a text into lines of at most this many columns, between words where it can. Spaces at a line's beginning stay,
/// as far as they leave room for a character.
pub fn wrap(text: &str, columns: u16) -> Vec<String> {
    let columns = columns.max(1);
    text.split('\n').flat_map(|paragraph| wrap_paragraph(paragraph, columns)).collect()
}

fn wrap_paragraph(paragraph: &str, columns: u16) -> Vec<String> {
    let words = paragraph.trim_start_matches(' ');
    let first = words.chars().next().map_or(1, |c| width(c.encode_utf8(&mut [0; 4])).max(1));
    let indent = u16::try_from(paragraph.len() - words.len()).unwrap_or(u16::MAX).min(columns.saturating_sub(first));
    let (mut lines, mut line, mut is_fresh) = (Vec::new(), " ".repeat(usize::from(indent)), true);
    for word in words.split(' ') {
        let mut word = word;
        if !is_fresh && width(&line).saturating_add(1).saturating_add(width(word)) > columns {
            lines.push(std::mem::take(&mut line));
        } else if !is_fresh {
            line.push(' ');
        }
        while width(&line).saturating_add(width(word)) > columns {
            let (head, tail) = split_at_width(word, columns.saturating_sub(width(&line)).max(1));
            line.push_str(head);
            lines.push(std::mem::take(&mut line));
            word = tail;
        }
        line.push_str(word);
        is_fresh = false;
    }
    lines.push(line);
    lines
}

fn split_at_width(text: &str, columns: u16) -> (&str, &str) {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += width(c.encode_utf8(&mut [0; 4]));
        if taken > columns && at > 0 {
            return text.split_at(at);
        }
    }
    text.split_at(text.len())
}

/// A clock that goes: whole tenths of a second that have passed.
pub fn clock(at: i64) -> String {
    const TENTH: i64 = 100_000_000;
    seconds(at.div_euclid(TENTH).saturating_mul(TENTH), 1)
}

/// A stamp in seconds to the microsecond, rounded up.
pub fn moment(at: i64) -> String {
    seconds(round_up(at), 6)
}

/// The first whole microsecond that is not before this stamp.
pub fn round_up(at: i64) -> i64 {
    at.saturating_add(999).div_euclid(1000).saturating_mul(1000)
}
