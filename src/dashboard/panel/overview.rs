//! Screen 1: the nodes, what each believes, the flow and, where there is room, the log.
//!
//! Invariant: a row's text depends only on the world, so a replay shows the same table at the same moment.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::flow;
use super::lane_heads::LaneHeads;
use super::lanes;
use super::messages::put_row;
use crate::dashboard::countdown::Countdown;
use crate::dashboard::grid::{Column, Grid};
use crate::dashboard::model::{Model, Vantage};
use crate::dashboard::paint;
use crate::dashboard::panes::Zoom;
use crate::dashboard::row::status_words;
use crate::protocol::{Groups, NodeId, Status};
use crate::world::{FaultState, GroupView, NodeView, World};

/// In fewer rows than these, the nodes are a strip above the flow.
const STRIP_BELOW: u16 = 25;
/// The flow keeps at least this many rows.
const FLOW_ROWS_MIN: u16 = 18;
/// The table of the nodes keeps at least this many rows.
const TABLE_ROWS_MIN: u16 = 4;
/// With this many rows for both, the log stands below the flow.
const LOG_BELOW: u16 = 30;
/// The place of the coordinator's column; a capacity follows it.
const COORDINATOR: usize = 4;

type TableCell = Vec<Span<'static>>;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let why_height = if model.vantage != Vantage::Lab {
        0
    } else if area.height < STRIP_BELOW {
        1
    } else {
        2
    };
    let (why_area, area) = (
        Rect { y: area.bottom() - why_height, height: why_height, ..area },
        Rect { height: area.height - why_height, ..area },
    );
    why(model, buffer, why_area);
    if model.panes.zoom == Zoom::Flow {
        flow::draw(model, buffer, area, LaneHeads::Names);
        return;
    }
    if model.vantage == Vantage::Lab && area.height < STRIP_BELOW && lanes::shows_all(model, area.width) {
        flow::draw(model, buffer, area, LaneHeads::Strip);
        return;
    }
    let rows = model.rows();
    let wanted = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(1);
    let most = area.height.saturating_sub(FLOW_ROWS_MIN + 1).max(TABLE_ROWS_MIN);
    let table = Rect { height: wanted.min(most).min(area.height), ..area };
    grid(model, &rows).draw(buffer, &model.theme, table);
    let below = Rect { y: table.bottom(), height: area.height - table.height, ..area };
    let log_height = if below.height >= LOG_BELOW { below.height / 3 } else { 0 };
    flow::draw(model, buffer, Rect { height: below.height - log_height, ..below }, LaneHeads::Names);
    log(model, buffer, Rect { y: below.bottom() - log_height, height: log_height, ..below });
}

/// Why the selected node is in its state, in one sentence.
fn why(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(node) = model.selected_node().filter(|_| area.height > 0) else { return };
    let text = format!("why {node}  {}", model.why_in_a_line(node).text);
    for (row, line) in (0..area.height).zip(paint::wrap(&text, area.width)) {
        paint::put(buffer, &model.theme, area, row, &Line::styled(line, model.theme.strong));
    }
}

fn grid(model: &Model, rows: &[NodeId]) -> Grid {
    let groups = model.seen().world.groups();
    let column = |title, rank, least, cell: &dyn Fn(NodeId) -> TableCell| Column {
        title,
        rank,
        least,
        cells: rows.iter().map(|node| cell(*node)).collect(),
    };
    let selected = model.selected_node();
    let theme = &model.theme;
    let edge = |node: NodeId| {
        let cursor = if Some(node) == selected { theme.glyphs.cursor } else { " " };
        let mark = if model.marked.contains(node) { theme.glyphs.mark } else { " " };
        vec![Span::raw(cursor), Span::styled(mark, theme.mark)]
    };
    let of_state = |node: NodeId, words: &dyn Fn(&NodeView) -> Option<String>| {
        let view = model.seen().world.nodes.get(&node);
        match view.and_then(words).filter(|words| words != "-") {
            Some(words) => vec![Span::raw(words)],
            None => vec![Span::styled("-", theme.dim)],
        }
    };
    let state = |view: &NodeView| view.state.clone();
    let mut columns = vec![
        column("", 0, 2, &edge),
        column("id", 0, 2, &|node| vec![Span::styled(format!("{node:>2}"), theme.strong)]),
        column("process", 0, 10, &|node| process(model, node)),
        column("status", 0, 14, &|node| status(model, node)),
        column("coord", 0, 5, &|node| coordinator(model, &groups, node)),
        column("group", 1, 6, &|node| group(model, &groups, node)),
        column("task", 5, 4, &|node| of_state(node, &|view| Some(state(view)?.task?.to_string()))),
        column("starts", 4, 6, &|node| of_state(node, &|view| Some(view.incarnation?.to_string()))),
        column("members", 3, 7, &|node| of_state(node, &|view| Some(state(view)?.up.to_string()))),
        column("waits for", 6, 26, &|node| waits_for(model, node)),
        column("faults", 2, 8, &|node| faults(model, node)),
    ];
    if model.has_criterion() {
        let capacity = column("capacity", 0, 8, &|node| of_state(node, &|view| Some(view.capacity?.to_string())));
        columns.insert(COORDINATOR + 1, capacity);
    }
    // What an algorithm does not have has no column.
    let is_empty = |cell: &TableCell| cell.iter().all(|span| matches!(span.content.trim(), "" | "-"));
    columns.retain(|column| {
        !matches!(column.title, "task" | "members" | "waits for") || !column.cells.iter().all(is_empty)
    });
    Grid { columns, cursor: selected.and_then(|node| rows.iter().position(|row| *row == node)) }
}

fn process(model: &Model, node: NodeId) -> TableCell {
    let theme = &model.theme;
    if let (Vantage::Node(_), Some(since)) = (model.vantage, model.silent_since()) {
        let text = format!("{} silent since {} s", theme.glyphs.paused, paint::seconds(since, 1));
        return vec![Span::styled(text, theme.paused)];
    }
    let Some(view) = model.seen().world.nodes.get(&node) else { return Vec::new() };
    let (glyph, word, style) = theme.process(view.process);
    vec![Span::styled(format!("{glyph} {word}"), style)]
}

fn status(model: &Model, node: NodeId) -> TableCell {
    let theme = &model.theme;
    let Some(view) = model.seen().world.nodes.get(&node) else { return Vec::new() };
    let mut cell = match &view.state {
        Some(state) => {
            let style = if state.status == Status::Normal { theme.normal } else { theme.unsettled };
            vec![Span::styled(status_words(state), style)]
        }
        None => vec![Span::styled("-", theme.dim)],
    };
    if view.help.is_some() {
        cell.push(Span::styled(" help", theme.help));
    }
    cell
}

fn group_of(groups: &[GroupView], node: NodeId) -> Option<(usize, &GroupView)> {
    groups.iter().enumerate().find(|(_, group)| group.members.contains(node))
}

fn coordinator(model: &Model, groups: &[GroupView], node: NodeId) -> TableCell {
    match group_of(groups, node) {
        Some((place, group)) => vec![Span::styled(group.coordinator.to_string(), model.theme.group(place))],
        None => vec![Span::styled("-", model.theme.dim)],
    }
}

/// The group's letter and mark, and its number if the algorithm numbers groups.
fn group(model: &Model, groups: &[GroupView], node: NodeId) -> TableCell {
    let theme = &model.theme;
    let (letter, style): (String, Style) = match group_of(groups, node) {
        Some((place, group)) => (format!("{}{}", group.letter, theme.group_mark(place)), theme.group(place)),
        None => return vec![Span::styled("-", theme.dim)],
    };
    let mut cell = vec![Span::styled(letter, style)];
    if model.head.as_ref().is_some_and(|head| head.facts.groups != Groups::Numbered) {
        return cell;
    }
    let state = model.seen().world.nodes.get(&node).and_then(|view| view.state.as_ref());
    let number = state.and_then(|state| state.group).map_or_else(|| "-".to_owned(), |number| number.to_string());
    cell.push(Span::styled(format!(" {number}"), style));
    cell
}

/// What the process waits for.
fn waits_for(model: &Model, node: NodeId) -> TableCell {
    let view = model.seen().world.nodes.get(&node);
    match view.and_then(|view| Countdown::of(view, model.seen().at)) {
        Some(countdown) => vec![Span::raw(countdown.words(&model.theme.glyphs))],
        None => vec![Span::styled("-", model.theme.dim)],
    }
}

/// The faults that have not ended and are about the node, with their verbs if there is room; those that are not in
/// force are marked.
fn faults(model: &Model, node: NodeId) -> TableCell {
    let theme = &model.theme;
    let about: Vec<_> = model.seen().world.faults_about(node).collect();
    let is_roomy = about.len() <= 1 || about.len() * 15 + 60 <= usize::from(model.size.0);
    let mut cell: TableCell = Vec::new();
    for fault in about {
        if !cell.is_empty() {
            cell.push(Span::raw(" "));
        }
        let verb = is_roomy.then(|| format!(" {}", fault.line.verb()));
        let (sign, style) = match fault.state {
            FaultState::InForce | FaultState::Lifted => ("", theme.fault),
            FaultState::Ordered => (theme.glyphs.starting, theme.starting),
            FaultState::NotInForce(_) => (theme.glyphs.doubt, theme.doubt),
        };
        cell.push(Span::styled(format!("{}{sign}{}", fault.id, verb.unwrap_or_default()), style));
    }
    if cell.is_empty() { vec![Span::styled("-", theme.dim)] } else { cell }
}

fn log(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let mut title = vec![Span::raw("log")];
    if let Some(counts) = counts(&model.seen().world) {
        title.push(Span::styled(format!("  {counts}"), theme.doubt));
    }
    paint::rule(buffer, theme, area, 0, Line::from(title));
    if area.height == 0 {
        return;
    }
    let height = usize::from(area.height - 1);
    let news = model.seen().journal.newest().filter(|(_, row)| row.kind.is_news()).take(height);
    let rows: Vec<_> = news.map(|(_, row)| row).collect();
    for (place, row) in rows.into_iter().rev().enumerate() {
        put_row(model, buffer, area, u16::try_from(place + 1).unwrap_or(u16::MAX), "", row);
    }
}

/// What was refused, dropped or missed so far; `None` if nothing was.
fn counts(world: &World) -> Option<String> {
    let refused = world.refused.iter().map(|(reason, count)| (reason.name(), *count));
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
