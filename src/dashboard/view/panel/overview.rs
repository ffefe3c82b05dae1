//! Screen 1: the nodes, what each believes, the flow and, where there is room, all about the election beside it.
//!
//! Invariant: a row's text depends only on the world, so a replay shows the same table at the same moment.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::flow::LaneHeads;
use super::{flow, log, paper, timeline};
use crate::input::action::Action;
use crate::model::places::Pane;
use crate::model::row::status_words;
use crate::model::{Model, Viewpoint};
use crate::view::arrangement::{Arrangement, Shape, focus};
use crate::view::countdown::Countdown;
use crate::view::grid::{Column, Grid, bar};
use crate::view::mouse_targets::MouseTarget;
use crate::view::node_groups::{NodeGroup, folds, node_groups};
use crate::view::{paint, pane_text, why_line};
use protocol::{Course, Groups, NodeId, NodeSet, Status};
use world::{FaultState, GroupView, NodeView};

/// The place of the coordinator's column; a capacity follows it.
const COORDINATOR: usize = 4;

/// What a process waits for takes so many columns, whatever it is: the columns after it stay where they are.
const WAIT_COLUMNS: u16 = 32;

type TableCell = Vec<Span<'static>>;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let arrangement = Arrangement::of(model, area);
    why(model, buffer, arrangement.why);
    for gap in &arrangement.gaps {
        let edge = Line::styled(model.theme.glyphs.edges[1], model.theme.dim);
        for row in 0..gap.height {
            paint::put(buffer, &model.theme, *gap, row, &edge);
        }
    }
    for (pane, place) in &arrangement.panes {
        model.drawing.targets.note(*place, MouseTarget::Pane(*pane));
        if let Some(place) = arrangement.title(*pane) {
            title(model, buffer, place, *pane, arrangement.shape);
        }
        let inside = arrangement.inside(*pane);
        match pane {
            Pane::Nodes if arrangement.shape == Shape::Strip => {}
            Pane::Nodes if arrangement.shape != Shape::Alone && folds(model, usize::from(inside.height.max(1) - 1)) => {
                folded(model).draw(buffer, &model.theme, inside);
            }
            Pane::Nodes => {
                let rows = model.rows();
                let seen = grid(model, &rows).draw(buffer, &model.theme, inside);
                (1..).zip(seen).for_each(|(row, place)| {
                    model.drawing.targets.note_row(inside, row, MouseTarget::Node(rows[place]))
                });
            }
            Pane::Flow if arrangement.shape == Shape::Strip => flow::draw(model, buffer, inside, LaneHeads::Strip),
            Pane::Flow => flow::draw(model, buffer, inside, LaneHeads::Names),
            Pane::Paper => paper::draw(model, buffer, inside),
            Pane::Log => log::draw(model, buffer, inside),
            Pane::Election | Pane::Assumptions | Pane::Steps | Pane::Why => text(model, buffer, inside, *pane),
        }
    }
    timeline::draw(model, buffer, arrangement.timeline);
}

/// The title of a pane: the one that the keys move in is marked.
fn title(model: &Model, buffer: &mut Buffer, area: Rect, pane: Pane, shape: Shape) {
    let theme = &model.theme;
    let name = pane_text::title(model, pane);
    let mut spans = match focus(model) == pane {
        true => vec![Span::styled(format!("{}{name}", theme.glyphs.cursor), theme.cursor.patch(theme.strong))],
        false => vec![Span::styled(name, theme.strong)],
    };
    if let Some(counts) = log::counts(&model.seen().world).filter(|_| pane == Pane::Log) {
        spans.push(Span::styled(format!("  {counts}"), theme.doubt));
    }
    let notes = match (shape, pane) {
        (Shape::Alone, _) => format!("  {} shows all panes", model.key(Action::Zoom)),
        (_, Pane::Log) if model.places.panes.log_cursor.is_some() => {
            format!("  not following ({})", model.key(Action::Last))
        }
        _ => String::new(),
    };
    spans.push(Span::styled(notes, theme.dim));
    paint::rule(buffer, theme, area, 0, Line::from(spans));
}

/// A pane of text, with a bar beside it if it does not fit.
fn text(model: &Model, buffer: &mut Buffer, area: Rect, pane: Pane) {
    let lines = pane_text::lines(model, pane, area.width.saturating_sub(2));
    let top = pane_text::scrolled(model, pane, lines.len(), area.height);
    for (row, line) in (0..area.height).zip(lines.iter().skip(top)) {
        paint::put(buffer, &model.theme, area, row, line);
    }
    let height = usize::from(area.height);
    if lines.len() > height && height > 0 {
        // The bar begins below its area's first row.
        let side =
            Rect { x: area.right().saturating_sub(1), y: area.y.saturating_sub(1), width: 1, height: area.height + 1 };
        bar(buffer, &model.theme, side, (top, lines.len(), height));
    }
}

/// Why the selected node is in its state, in one sentence; or how its first election begins, if that must be ordered.
fn why(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(node) = model.selected_node().filter(|_| area.height > 0) else { return };
    let title = format!("why {node}  ");
    let rest = format!("{} {}", model.theme.glyphs.cut, model.key(Action::Why));
    let lines = if waits_for_an_order(model, node) {
        let key = model.key(Action::Elect);
        paint::wrap(&format!("{title}Nobody holds an election here before it is ordered: {key} orders it."), area.width)
    } else {
        why_line::fitting(&title, &model.why_in_brief(node), &rest, (area.width, area.height))
    };
    for (row, line) in (0..area.height).zip(lines) {
        paint::put(buffer, &model.theme, area, row, &Line::styled(line, model.theme.strong));
    }
}

/// Whether there was no election yet, and the node begins none by itself; this screen can order one.
fn waits_for_an_order(model: &Model, node: NodeId) -> bool {
    let world = &model.seen().world;
    let state = world.nodes.get(&node).filter(|view| view.process.runs()).and_then(|view| view.state.as_ref());
    let is_idle = state.is_some_and(|state| state.course() == Course::Idle);
    is_idle && world.elections.count == 0 && model.permission().is_ok()
}

/// The selected node, and below it the groups.
fn folded(model: &Model) -> Grid {
    let theme = &model.theme;
    let mut lines = node_groups(model);
    let selected = model.selected_node();
    let own = selected.and_then(|node| Some((node, lines.iter().find(|line| line.nodes.contains(node))?.clone())));
    if let Some((node, line)) = own {
        lines.insert(0, NodeGroup { nodes: NodeSet::of(node), states: own_states(model, node), ..line });
    }
    let column = |title, rank, least, cell: &dyn Fn(&NodeGroup) -> TableCell| Column {
        title,
        rank,
        least,
        cells: lines.iter().map(cell).collect(),
    };
    let dash = || vec![Span::styled("-", theme.dim)];
    let group = |line: &NodeGroup| match &line.group {
        Some((place, letter)) => {
            vec![Span::styled(format!("{letter}{}", theme.group_mark(*place)), theme.group(*place))]
        }
        None => dash(),
    };
    let coordinator = |line: &NodeGroup| match (&line.group, line.coordinator) {
        (Some((place, _)), Some(node)) => {
            let style = theme.group(*place).patch(theme.cursor).patch(theme.strong);
            vec![Span::styled(format!("{}{node}", theme.glyphs.flow.coordinator), style)]
        }
        _ => dash(),
    };
    let nodes = format!("nodes ({} shows each)", model.key(Action::Unfold));
    // The selected node is counted in its group's line.
    let own = selected.map(NodeSet::of);
    let counted = |line: &NodeGroup| if Some(line.nodes) == own { String::new() } else { line.nodes.len().to_string() };
    let mut columns = vec![
        column("group".into(), 0, 5, &group),
        column("coord".into(), 0, 5, &coordinator),
        column("count".into(), 0, 5, &|line| vec![Span::raw(format!("{:>5}", counted(line)))]),
        column("states".into(), 0, 14, &|line| vec![Span::raw(line.states.clone())]),
        column(Cow::Owned(nodes), 0, 8, &|line| vec![Span::raw(line.nodes.to_string())]),
    ];
    let selected = selected.filter(|_| focus(model) == Pane::Nodes);
    let edge = |row: usize| vec![Span::raw(if row == 0 && selected.is_some() { theme.glyphs.cursor } else { " " })];
    columns
        .insert(0, Column { title: Cow::Borrowed(""), rank: 0, least: 1, cells: (0..lines.len()).map(edge).collect() });
    Grid { columns, cursor: selected.map(|_| 0), kept: Vec::new() }
}

/// What the selected process does.
fn own_states(model: &Model, node: NodeId) -> String {
    let text = |cell: TableCell| cell.into_iter().map(|span| span.content.into_owned()).collect::<String>();
    format!("{} {}", text(process(model, node)), text(status(model, node)))
}

fn grid(model: &Model, rows: &[NodeId]) -> Grid {
    let groups = model.seen().world.groups();
    let column = |title, rank, least, cell: &dyn Fn(NodeId) -> TableCell| Column {
        title: Cow::Borrowed(title),
        rank,
        least,
        cells: rows.iter().map(|node| cell(*node)).collect(),
    };
    // Only the pane that has the keys has a cursor.
    let selected = model.selected_node().filter(|_| focus(model) == Pane::Nodes);
    let theme = &model.theme;
    let edge = |node: NodeId| {
        let cursor = if Some(node) == selected { theme.glyphs.cursor } else { " " };
        let mark = if model.places.marked.contains(node) { theme.glyphs.mark } else { " " };
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
        column("id", 0, 2, &|node| id(model, &groups, node)),
        column("process", 0, 10, &|node| process(model, node)),
        column("status", 0, 14, &|node| status(model, node)),
        column("coord", 0, 5, &|node| coordinator(model, &groups, node)),
        column("group", 1, 7, &|node| group(model, &groups, node)),
        column("task", 6, 6, &|node| of_state(node, &|view| Some(state(view)?.task?.to_string()))),
        column("starts", 5, 6, &|node| of_state(node, &|view| Some(view.incarnation?.to_string()))),
        column("members", 4, 7, &|node| of_state(node, &|view| Some(state(view)?.up.to_string()))),
        column("waits for", 3, WAIT_COLUMNS, &|node| waits_for(model, node)),
        column("faults", 2, 8, &|node| faults(model, node)),
    ];
    if model.has_criterion() {
        let capacity = column("capacity", 0, 8, &|node| of_state(node, &|view| Some(view.capacity?.to_string())));
        columns.insert(COORDINATOR + 1, capacity);
    }
    // What an algorithm does not have has no column. What it once has, in a session also later than this moment, keeps its
    // own, or the table would jump.
    let had = model.known_world().had;
    columns.retain(|column| match &*column.title {
        "task" => had.task,
        "members" => had.members,
        "waits for" => had.wait,
        _ => true,
    });
    let place = |node: NodeId| rows.iter().position(|row| *row == node);
    // Of a smaller group the coordinator is looked for later.
    let mut leading: Vec<&GroupView> = groups.iter().collect();
    leading.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    let kept = leading.into_iter().filter_map(|group| place(group.coordinator)).collect();
    Grid { columns, cursor: selected.and_then(place), kept }
}

/// The node's number; a coordinator's has a star and stands out.
fn id(model: &Model, groups: &[GroupView], node: NodeId) -> TableCell {
    let theme = &model.theme;
    match groups.iter().position(|group| group.coordinator == node && group.members.contains(node)) {
        Some(place) => {
            let style = theme.group(place).patch(theme.cursor).patch(theme.strong);
            vec![Span::styled(format!("{:>2}", format!("{}{node}", theme.glyphs.flow.coordinator)), style)]
        }
        None => vec![Span::styled(format!("{node:>2}"), theme.strong)],
    }
}

fn process(model: &Model, node: NodeId) -> TableCell {
    let theme = &model.theme;
    if let (Viewpoint::Node(_), Some(since)) = (model.vantage, model.silent_since()) {
        let text = format!("{} silent since {} s", theme.glyphs.paused, paint::clock(since));
        return vec![Span::styled(text, theme.paused)];
    }
    let Some(view) = model.seen().world.nodes.get(&node) else { return Vec::new() };
    let (glyph, word, style) = theme.process(view.process);
    if view.is_liar() {
        return vec![Span::styled(format!("{} liar", theme.glyphs.mask), theme.fault)];
    }
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
        Some(countdown) => vec![Span::raw(countdown.words_within(&model.theme.glyphs, WAIT_COLUMNS))],
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
