//! Screen 5: who hears whom, as a matrix of senders and receivers, and beside it as a drawing.
//!
//! Invariant: a cell's characters alone say what is in force on its link; its colour says nothing more.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::topology;
use super::topology::{group_of, process_of, sign_of};
use crate::model::places::{DRAWN_MAX, LinksLook};
use crate::model::{Model, Viewpoint};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;
use crate::view::words::link::link_words;
use fault::EffectStrength;
use protocol::NodeId;
use world::{FaultState, FaultView, GroupView, Topology};

/// The drawing stands beside the matrix if it has this much room.
const BESIDE_MIN: (u16, u16) = (40, 22);
/// In fewer rows than these, the groups are not listed.
const GROUPS_MIN: u16 = 16;
/// The columns before the first receiver.
const HEAD_COLUMNS: u16 = 10;
/// The rows above the first sender.
const HEAD_ROWS: u16 = 2;
/// A cell has at most this many columns.
const CELL_MAX: u16 = 8;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    if let Viewpoint::Node(_) = model.vantage {
        let text = "One node alone does not know the lab's links; `hustings watch` without --node shows them.";
        for (row, line) in (1..).zip(paint::wrap(text, area.width)) {
            paint::put(buffer, &model.theme, area, row, &Line::styled(line, model.theme.dim));
        }
        return;
    }
    let sheet = LinkMatrix::of(model);
    let taken = (HEAD_COLUMNS + sheet.width * u16::try_from(sheet.ends.len()).unwrap_or(u16::MAX)).saturating_add(2);
    let rest = area.width.saturating_sub(taken);
    let is_drawn = sheet.ends.len() <= DRAWN_MAX;
    let is_whole = is_drawn && model.places.links.look == LinksLook::Drawing;
    let is_beside = is_drawn && !is_whole && rest >= BESIDE_MIN.0 && area.height >= BESIDE_MIN.1;
    let below = words(model, buffer, &sheet, area, is_drawn && !is_beside);
    let area = Rect { height: area.height - below, ..area };
    if is_whole {
        topology::draw(model, buffer, area);
        return;
    }
    matrix(model, buffer, &sheet, if is_beside { Rect { width: taken, ..area } } else { area });
    if is_beside {
        topology::draw(model, buffer, Rect { x: area.x + taken, width: rest, ..area });
    }
}

/// What the matrix shows.
struct LinkMatrix<'a> {
    topology: Topology<'a>,
    groups: Vec<GroupView>,
    ends: Vec<NodeId>,
    cursor: Option<(NodeId, NodeId)>,
    /// The columns of a cell.
    width: u16,
}

impl<'a> LinkMatrix<'a> {
    fn of(model: &'a Model) -> LinkMatrix<'a> {
        let world = &model.seen().world;
        let topology = Topology::of(world);
        let ends = model.link_ends();
        let signs = world.active_faults().filter_map(|fault| Some(fault.rule.as_ref()?.sign()?.text));
        let waiting = world.held.iter().map(|queue| format!("~{}", queue.len()));
        let ids = ends.iter().map(NodeId::to_string);
        // A sign may have a mark behind it.
        let widest = signs.chain(waiting).map(|sign| paint::width(&sign) + 1).chain(ids.map(|id| paint::width(&id)));
        let width = widest.max().unwrap_or(0).clamp(2, CELL_MAX) + 1;
        LinkMatrix { groups: world.groups(), cursor: model.selected_link(), topology, ends, width }
    }
}

fn matrix(model: &Model, buffer: &mut Buffer, sheet: &LinkMatrix<'_>, area: Rect) {
    let theme = &model.theme;
    let (rows, columns) = (
        usize::from(area.height.saturating_sub(HEAD_ROWS)),
        usize::from(area.width.saturating_sub(HEAD_COLUMNS) / sheet.width),
    );
    let place = |node: Option<NodeId>| sheet.ends.iter().position(|end| Some(*end) == node).unwrap_or(0);
    let senders = window(&sheet.ends, place(sheet.cursor.map(|link| link.0)), rows);
    let receivers = window(&sheet.ends, place(sheet.cursor.map(|link| link.1)), columns);
    let put = |buffer: &mut Buffer, column: usize, row: u16, text: &str, style: Style| {
        let x = area.x + HEAD_COLUMNS + sheet.width * u16::try_from(column).unwrap_or(u16::MAX);
        let cell = Rect { x, width: sheet.width - 1, ..area };
        paint::put(buffer, theme, cell, row, &Line::styled(text.to_owned(), style));
    };
    paint::put(buffer, theme, Rect { width: HEAD_COLUMNS - 1, ..area }, 0, &Line::styled("from \\ to", theme.dim));
    let hidden = sheet.ends.len().saturating_sub(columns.min(rows));
    if hidden > 0 {
        let line = Line::styled(format!("{} of {}", columns.min(receivers.len()), sheet.ends.len()), theme.dim);
        paint::put(buffer, theme, Rect { width: HEAD_COLUMNS - 1, ..area }, 1, &line);
    }
    for (column, to) in receivers.iter().enumerate() {
        let (letter, style) = group_of(model, &sheet.groups, *to);
        put(buffer, column, 0, &to.to_string(), style);
        let (sign, style) = process_of(model, *to).map_or((letter, style), |(glyph, style)| (glyph.to_owned(), style));
        put(buffer, column, 1, &sign, style);
    }
    for (row, from) in (HEAD_ROWS..).zip(senders) {
        let is_chosen = sheet.cursor.is_some_and(|link| link.0 == *from);
        let (glyph, style) = process_of(model, *from).unwrap_or((theme.glyphs.running, theme.running));
        let (letter, group) = group_of(model, &sheet.groups, *from);
        let head = Line::from(vec![
            Span::raw(if is_chosen { theme.glyphs.cursor } else { " " }),
            Span::styled(format!("{glyph} "), style),
            Span::styled(format!("{from:<3} {letter}"), group),
        ]);
        paint::put(buffer, theme, Rect { width: HEAD_COLUMNS - 1, ..area }, row, &head);
        for (column, to) in receivers.iter().enumerate() {
            let x = area.x + HEAD_COLUMNS + sheet.width * u16::try_from(column).unwrap_or(u16::MAX);
            model.drawing.targets.note_row(Rect { x, width: sheet.width, ..area }, row, MouseTarget::Link(*from, *to));
            let (text, style) = if from == to {
                (theme.glyphs.itself.to_owned(), theme.dim)
            } else {
                let whole = || (theme.glyphs.whole.to_owned(), theme.dim);
                sign_of(model, &sheet.topology, *from, *to).unwrap_or_else(whole)
            };
            if sheet.cursor == Some((*from, *to)) {
                let width = usize::from(sheet.width - 1);
                put(buffer, column, row, &format!("{text:<width$}"), style.patch(theme.cursor));
            } else {
                put(buffer, column, row, &text, style);
            }
        }
    }
}

/// So many of these that the one at this place is among them.
fn window(all: &[NodeId], place: usize, count: usize) -> &[NodeId] {
    let count = count.min(all.len());
    let start = (place + 1).saturating_sub(count).min(all.len() - count);
    &all[start..start + count]
}

/// Writes at the bottom what is in force on the link under the cursor, both ways, the groups, and what the signs mean.
/// Returns how many rows that took.
fn words(model: &Model, buffer: &mut Buffer, sheet: &LinkMatrix<'_>, area: Rect, can_change: bool) -> u16 {
    let theme = &model.theme;
    let mut lines: Vec<Line<'static>> = Vec::new();
    if let Some((from, to)) = sheet.cursor {
        let ways = if from == to { vec![(from, to)] } else { vec![(from, to), (to, from)] };
        for (from, to) in ways {
            let words = theme.glyphs.flow.spoken(&link_words(model, from, to));
            lines.extend(paint::wrap(&words, area.width).into_iter().map(|line| Line::styled(line, theme.strong)));
        }
    }
    let most = usize::from(area.height / 3).max(2);
    lines.truncate(most);
    if area.height >= GROUPS_MIN {
        lines.push(groups(model, sheet));
    }
    lines.push(Line::styled(meanings(model, sheet), theme.dim));
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX).min(area.height);
    let below = Rect { y: area.bottom() - height, height, ..area };
    let title = match sheet.cursor {
        Some((from, to)) => format!("link {from} -> {to}"),
        None => "links".to_owned(),
    };
    let mut title = vec![Span::raw(title)];
    if can_change {
        let other = match model.places.links.look {
            LinksLook::Matrix => "drawing",
            LinksLook::Drawing => "matrix",
        };
        title.push(Span::styled(format!("  (z: {other})"), theme.dim));
    }
    paint::rule(buffer, theme, below, 0, Line::from(title));
    for (row, line) in (1..).zip(&lines) {
        paint::put(buffer, theme, below, row, line);
    }
    height
}

fn groups(model: &Model, sheet: &LinkMatrix<'_>) -> Line<'static> {
    let mut spans = Vec::new();
    for (place, group) in sheet.groups.iter().enumerate() {
        let text =
            format!("{}{} {} under {}", group.letter, model.theme.group_mark(place), group.members, group.coordinator);
        spans.push(Span::styled(text, model.theme.group(place)));
        spans.push(Span::raw("  "));
    }
    if spans.is_empty() {
        spans.push(Span::styled("no group", model.theme.dim));
    }
    Line::from(spans)
}

/// The signs that stand in the matrix, each with the verb of its fault.
fn meanings(model: &Model, sheet: &LinkMatrix<'_>) -> String {
    let mut verbs: BTreeMap<&'static str, String> = BTreeMap::new();
    for fault in model.seen().world.active_faults() {
        if let Some(sign) = fault.rule.as_ref().and_then(|rule| rule.sign()) {
            let count = if sign.grip == EffectStrength::Keeps { "N" } else { "" };
            verbs.entry(fault.line.verb()).or_insert(format!("{}{count}", sign.text));
        }
    }
    let whole = format!("{} whole", model.theme.glyphs.whole);
    let each = verbs.into_iter().map(|(verb, sign)| format!("{sign} {verb}"));
    let mut all: Vec<String> = std::iter::once(whole).chain(each).collect();
    let is_doubted = |fault: &FaultView| fault.rule.is_some() && fault.state != FaultState::InForce;
    if model.seen().world.active_faults().any(is_doubted) {
        all.push("? not in force".to_owned());
    }
    let ends = &sheet.ends;
    let has_several = |from: &NodeId| ends.iter().any(|to| sheet.topology.faults(*from, *to).len() > 1);
    if ends.len() <= DRAWN_MAX && ends.iter().any(has_several) {
        all.push("+ and others".to_owned());
    }
    model.theme.glyphs.flow.spoken(&all.join("  "))
}
