//! Screen 2: every message and event, filtered, with a cursor or following.
//!
//! Invariant: the row under the cursor stays there while others come; a row below one with a later stamp says that it is
//! late.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::input::action::{Action, FeedKind};
use crate::model::row::{Row, RowKind};
use crate::model::{Follow, Model, Receipts};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let (reading, kept) = (&model.places.messages, &model.seen().rows);
    let follow = match reading.follow {
        Follow::On => "following".to_owned(),
        Follow::Off => format!("not following ({})", model.key(Action::Follow)),
    };
    let unfold = model.key(Action::Unfold);
    let receipts = match reading.receipts {
        Receipts::Folded => format!("  receipts folded ({unfold})"),
        Receipts::Shown => format!("  receipts shown ({unfold})"),
    };
    let passing = kept.newest().filter(|(_, row)| model.has_message_row(row)).count();
    // Where time moves, the older ones are found again at an earlier moment.
    let (newest, note) = match (kept.has_lost_rows(), model.feed_kind()) {
        (false, _) => ("", ""),
        (true, FeedKind::Live) => ("the newest ", " (older ones are no longer kept)"),
        (true, _) => ("the newest ", " up to this moment"),
    };
    let all = format!("{newest}{} rows{note}", kept.len());
    let rows = if passing == kept.len() { all } else { format!("{passing} of {all}") };
    let mut head = vec![Span::styled(format!("{rows}, {follow}"), theme.dim)];
    if !reading.filter.is_open() {
        head.push(Span::styled(format!("  filter: {}", reading.filter.text()), theme.prompt));
    }
    head.push(Span::styled(receipts, theme.dim));
    paint::put(buffer, theme, area, 0, &Line::from(head));
    let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let Some(cursor) = model.selected_message() else {
        let text = if reading.filter.is_open() { "No message yet." } else { "No message passes the filter." };
        paint::put(buffer, theme, list, 1, &Line::styled(text, theme.dim));
        return;
    };
    let passes = |(_, row): &(u64, &Arc<Row>)| model.has_message_row(row);
    let (before, after) = (kept.before(cursor).filter(passes), kept.from(cursor).filter(passes));
    for (place, (number, row)) in window(before, after, usize::from(list.height)).into_iter().enumerate() {
        let place = u16::try_from(place).unwrap_or(u16::MAX);
        let mark = if number == cursor { theme.glyphs.cursor } else { " " };
        put_row(model, buffer, list, place, mark, (number, row));
        model.drawing.targets.note_row(list, place, MouseTarget::Message(number));
        if number == cursor && reading.follow == Follow::Off {
            paint::tint(buffer, list, place, theme.cursor);
        }
    }
}

/// The rows around the cursor's row that fit, with that row in the middle if possible: those before it, the newest
/// first, and those from it on.
pub fn window<'a>(
    before: impl Iterator<Item = (u64, &'a Arc<Row>)>,
    after: impl Iterator<Item = (u64, &'a Arc<Row>)>,
    height: usize,
) -> Vec<(u64, &'a Row)> {
    let after: Vec<_> = after.take(height).collect();
    let room = height - after.len().min(height / 2 + height % 2);
    let mut rows: Vec<_> = before.take(room).collect();
    rows.reverse();
    rows.extend(after);
    rows.truncate(height);
    rows.into_iter().map(|(number, row)| (number, row.as_ref())).collect()
}

/// Writes a row with its time after a mark; the screen's pan moves its words to the left, and a
/// sign shows that. If the row is too long, its words are cut before the cited transition, or before the signs that
/// say what became of the message.
pub fn put_row(model: &Model, buffer: &mut Buffer, area: Rect, place: u16, mark: &str, (number, row): (u64, &Row)) {
    let theme = &model.theme;
    let (words, cited) = row.text.split_at(row.cited_from);
    let pan = model.pan();
    let mut words: String = words.chars().skip(pan).collect();
    if pan > 0 {
        words.insert_str(0, theme.glyphs.scrolled);
    }
    let time = format!("{:>9}  ", paint::seconds(row.record.at, 3));
    let late = if model.seen().rows.is_late(number) { "(late) " } else { "" };
    let style = style(model, row);
    let ends = row.sent.map(|id| model.seen().rows.sendings().words(id)).filter(|words| !words.is_empty());
    let tail = ends.map_or_else(|| cited.to_owned(), |words| format!("  {}", theme.glyphs.flow.spoken(&words)));
    let line = Line::from(vec![
        Span::raw(mark),
        Span::styled(time, theme.dim),
        Span::styled(late, theme.lost),
        Span::styled(words, style),
    ]);
    paint::put_both(buffer, theme, area, place, line, Span::styled(tail, style));
}

fn style(model: &Model, row: &Row) -> Style {
    let theme = &model.theme;
    match row.kind {
        RowKind::Received => theme.received,
        RowKind::Sent => theme.sent,
        RowKind::Lost => theme.lost,
        RowKind::Timer => theme.dim,
        RowKind::State => theme.normal,
        RowKind::Process => theme.strong,
        RowKind::Fault => theme.fault,
        RowKind::Met => theme.good,
        RowKind::Failed | RowKind::Violation => theme.bad,
        RowKind::Help => theme.help,
        RowKind::Note => theme.dim,
        RowKind::Gap => theme.doubt,
    }
}
