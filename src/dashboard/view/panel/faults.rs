//! Screen 3: every fault line, its state, and what it did on each link.
//!
//! Invariant: the counts shown are the records' own; nothing is counted twice.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::{Model, Viewpoint};
use crate::view::grid::{Column, Grid};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;
use crate::view::words::fault::{receipt_lines, state_words};
use record::Refusal;
use world::{FaultState, FaultView, World};

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let world = &model.seen().world;
    let counts = counts(world);
    let height = u16::try_from(counts.len()).unwrap_or(u16::MAX).min(area.height);
    let bottom = Rect { y: area.bottom() - height, height, ..area };
    for (row, line) in counts.into_iter().enumerate() {
        paint::put(buffer, theme, bottom, u16::try_from(row).unwrap_or(u16::MAX), &Line::styled(line, theme.dim));
    }
    let area = Rect { height: area.height - height, ..area };
    if world.faults.is_empty() {
        let text = match model.vantage {
            Viewpoint::Lab => "No fault line was ordered yet.",
            Viewpoint::Node(_) => {
                "One node alone does not know the lab's fault lines; `hustings watch` without --node shows them."
            }
        };
        for (row, line) in paint::wrap(text, area.width).into_iter().enumerate() {
            let row = u16::try_from(row + 1).unwrap_or(u16::MAX);
            paint::put(buffer, theme, area, row, &Line::styled(line, theme.dim));
        }
        return;
    }
    let chosen = model.selected_fault();
    let receipts = chosen.map_or_else(Vec::new, |fault| receipt_lines(fault, &world.faults));
    let wanted = u16::try_from(receipts.len() + 1).unwrap_or(u16::MAX);
    let below = wanted.min(area.height / 2);
    let above = Rect { height: area.height - below, ..area };
    let cursor = chosen.and_then(|chosen| world.faults.iter().position(|fault| fault.id == chosen.id));
    let seen = grid(model, &world.faults, cursor).draw(buffer, theme, above);
    let faults = (1..).zip(seen.into_iter().map(|place| &world.faults[place]));
    faults.for_each(|(row, fault)| model.drawing.targets.note_row(above, row, MouseTarget::Fault(fault.id)));
    let below = Rect { y: above.bottom(), height: below, ..area };
    if let Some(fault) = chosen {
        let by_link = if fault.receipts.is_empty() { "" } else { ", link by link" };
        let ordered = paint::seconds(fault.ordered, 3);
        let since = fault.in_force.map_or_else(String::new, |at| format!(", in force {} s", paint::seconds(at, 3)));
        let title = format!("what {} did{by_link} (ordered {ordered} s{since})", fault.id);
        paint::rule(buffer, theme, below, 0, Line::raw(title));
        for (row, line) in receipts.into_iter().enumerate() {
            paint::put(buffer, theme, below, u16::try_from(row + 1).unwrap_or(u16::MAX), &Line::raw(line));
        }
    }
}

/// What nodes refused or lost without a fault, by reason.
fn counts(world: &World) -> [String; 2] {
    let refused = Refusal::ALL.into_iter().filter_map(|reason| {
        let count = world.refused.get(&reason).filter(|count| **count > 0)?;
        Some(format!("{} {count}", reason.word()))
    });
    let refused: Vec<String> = refused.collect();
    let refused = if refused.is_empty() { "nothing".to_owned() } else { refused.join(", ") };
    let World { stale, late, overflowed, missed, .. } = world;
    // Only an algorithm on the ordered broadcast can have any.
    let late = if *late == 0 { String::new() } else { format!(", by the ordered broadcast: {late} too late") };
    [
        format!("Refused: {refused}."),
        format!(
            "Dropped by the order filter: {stale}{late}, by full receive buffers: {overflowed}. Records missing: \
             {missed}."
        ),
    ]
}

fn grid(model: &Model, faults: &[FaultView], cursor: Option<usize>) -> Grid {
    let theme = &model.theme;
    let stamp = |at: Option<i64>| at.map_or_else(|| "-".to_owned(), |at| paint::seconds(at, 3));
    let column = |title, rank, least, cell: &dyn Fn(&FaultView) -> Span<'static>| Column {
        title: Cow::Borrowed(title),
        rank,
        least,
        cells: faults.iter().map(|fault| vec![cell(fault)]).collect(),
    };
    let count = |count: u64| Span::raw(format!("{count:>7}"));
    let mut columns = vec![
        column("id", 0, 3, &|fault| Span::styled(fault.id.to_string(), theme.strong)),
        column("state", 0, 14, &|fault| {
            let (glyph, words, style) = state_words(fault, theme);
            let words = if let FaultState::NotInForce(_) = fault.state { "not in force" } else { &*words };
            Span::styled(format!("{glyph} {words}"), style)
        }),
        column("from", 1, 8, &|fault| Span::raw(stamp(fault.in_force.or(Some(fault.ordered))))),
        column("to", 2, 8, &|fault| Span::raw(stamp(fault.lifted))),
        column("dropped", 1, 7, &|fault| count(fault.totals().0)),
        column("held", 3, 7, &|fault| count(fault.totals().1)),
        column("by", 4, 4, &|fault| Span::raw(fault.step.clone().unwrap_or_else(|| "hand".into()))),
        column("line", 0, 12, &|fault| {
            let line: String = fault.line.to_string().chars().skip(model.pan()).collect();
            let sign = if model.pan() > 0 { theme.glyphs.scrolled } else { "" };
            Span::raw(format!("{sign}{line}"))
        }),
    ];
    // Most labs tamper with nothing, and the line needs the room.
    if faults.iter().any(|fault| fault.tampered() > 0) {
        columns.insert(columns.len() - 2, column("tampered", 3, 8, &|fault| count(fault.tampered())));
    }
    Grid { columns, cursor, kept: Vec::new() }
}
