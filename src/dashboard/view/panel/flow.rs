//! The flow: what happened, time downward, a lane for each process, with the words of each row beside it.
//!
//! Above the lanes stand their processes, and where there is no table of the nodes also what these do.
//!
//! Invariant: the lanes at a row are those of the records up to it, whatever is drawn above; a lane that is shown lies
//! within the area, and its process's name stands above it.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::input::action::Action;
use crate::model::kept_rows::passing;
use crate::model::places::Pane;
use crate::model::row::own_word;
use crate::model::{Model, Viewpoint};
use crate::view::arrangement::focus;
use crate::view::countdown::Countdown;
use crate::view::grid::window;
use crate::view::lane_word::{SHORT_COLUMNS, abbreviated, sign_within, word_within};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;
use crate::view::theme::Theme;
use crate::view::widths::{LaneWords, TIME_WIDTH, lane_width, lanes_that_fit, name_columns};
use protocol::{NodeId, NodeSet};
use world::flow::{
    ArrowEnd, FlowLane, FlowRow, LaneChange, LaneState, Lanes, PartKind, RowPart, RowTone, idle_between, past_of,
    row_of,
};
use world::{GroupView, NodeView, ProcessState};

/// A time in which nothing happened has a line of its own from this length on, in nanoseconds: each row has its stamp.
const IDLE_MIN: i64 = 1_000_000_000;

/// One line on the screen.
enum FlowLine {
    Row(usize),
    Idle(protocol::Span),
}

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect, heads: LaneHeads) {
    let head_height = heads.height(model);
    if area.height < head_height {
        return;
    }
    let scene = model.seen();
    let folded = scene.flow.folded();
    let rows = folded.rows();
    let passing = passing(&model.places.panes.flow_filter, rows);
    let lines = lines(rows, &passing, scene.flow.rules().one_way_bound.max(IDLE_MIN));
    let cursor = model.places.panes.flow_cursor.and_then(|cursor| row_of(rows, cursor));
    let height = usize::from(area.height - head_height);
    // A row that the filter hides has the cursor: the one above it is in sight.
    let at = cursor.and_then(|row| lines.iter().rposition(|line| matches!(line, FlowLine::Row(of) if *of <= row)));
    let top = window(at.unwrap_or(lines.len().saturating_sub(1)), lines.len(), height);
    let shown = &lines[top..(top + height).min(lines.len())];
    let seen: Vec<usize> =
        shown.iter().filter_map(|line| if let FlowLine::Row(row) = line { Some(*row) } else { None }).collect();
    let columns = Columns::new(model, rows, &seen, area, heads.words());
    let past = cursor.map(|cursor| past_of(rows, cursor));

    let counts = (passing.len(), rows.len());
    draw_heads(model, buffer, Rect { height: head_height, ..area }, &columns, heads, counts);
    let mut lanes = folded.beginning().clone();
    let first = seen.first().copied().unwrap_or(rows.len());
    rows[..first].iter().flat_map(|row| &row.changes).for_each(|(node, change)| lanes.change(*node, change));
    let mut groups = lanes.groups();
    let mut told = first;
    for (place, line) in shown.iter().enumerate() {
        let y = head_height + u16::try_from(place).unwrap_or(u16::MAX / 2);
        match line {
            FlowLine::Idle(span) => {
                columns.background(model, buffer, area, y, &lanes, &groups);
                let idle = i64::try_from(span.nanos()).unwrap_or(i64::MAX);
                let idle = format!("{} {}s", model.theme.glyphs.flow.idle, paint::seconds(idle, 1));
                let text = Line::styled(format!("{idle:>8}"), model.theme.dim);
                paint::put(buffer, &model.theme, Rect { width: TIME_WIDTH, ..area }, y, &text);
            }
            FlowLine::Row(index) => {
                let row = &rows[*index];
                // With those of the rows that the filter hides.
                let changes: Vec<_> = rows[told..=*index].iter().flat_map(|row| &row.changes).collect();
                changes.iter().for_each(|(node, change)| lanes.change(*node, change));
                told = index + 1;
                if !changes.is_empty() {
                    groups = lanes.groups();
                }
                columns.row(model, buffer, area, y, row, &lanes, &groups);
                words(model, buffer, area, y, row, &columns);
                model.drawing.targets.note_row(area, y, MouseTarget::FlowRow(row.record.number));
                // While it follows, the last row is the one that is opened.
                let has_keys = focus(model) == Pane::Flow;
                if has_keys && (cursor == Some(*index) || cursor.is_none() && passing.last() == Some(index)) {
                    mark(model, buffer, area, y, row);
                }
                let is_past = past.as_ref().is_none_or(|past| past.contains(index));
                if !is_past {
                    paint::tint(buffer, area, y, model.theme.dim);
                }
                if cursor == Some(*index) && has_keys {
                    let words = Rect { x: columns.end(), width: area.right().saturating_sub(columns.end()), ..area };
                    paint::tint(buffer, Rect { width: TIME_WIDTH, ..area }, y, model.theme.cursor);
                    paint::tint(buffer, words, y, model.theme.cursor);
                }
            }
        }
    }
    if passing.is_empty() {
        let text = match model.time.lab {
            _ if !rows.is_empty() => "No row passes the filter.",
            Some(_) if model.knows_earlier() => "Nothing in this minute yet.",
            None if model.is_being_read() => "What was before this screen was opened is being read.",
            None if model.begins_in_midst() && (model.is_recorded() || model.vantage != Viewpoint::Lab) => {
                "Nothing new since this screen was opened."
            }
            None if model.begins_in_midst() => {
                "Nothing new since this screen was opened. Nothing older is known: the lab is not recorded."
            }
            _ => "Nothing has happened yet.",
        };
        let text = Line::styled(text, model.theme.dim);
        paint::put(
            buffer,
            &model.theme,
            Rect { x: area.x + TIME_WIDTH, ..area }.intersection(area),
            head_height,
            &text,
        );
    }
}

fn lines(rows: &[FlowRow], passing: &[usize], idle_bound: i64) -> Vec<FlowLine> {
    let mut lines = Vec::with_capacity(passing.len());
    let mut before: Option<usize> = None;
    for place in passing {
        let idle = before.and_then(|before| idle_between(&rows[before], &rows[*place], idle_bound));
        lines.extend(idle.map(FlowLine::Idle));
        lines.push(FlowLine::Row(*place));
        before = Some(*place);
    }
    lines
}

/// The sign of the cursor before a row's time, or behind one that leaves no room.
fn mark(model: &Model, buffer: &mut Buffer, area: Rect, y: u16, row: &FlowRow) {
    let is_long = time_of(row).len() > usize::from(TIME_WIDTH) - 2;
    let x = area.x + if is_long { TIME_WIDTH - 1 } else { 0 };
    let sign = Line::styled(model.theme.glyphs.cursor, model.theme.strong);
    paint::put(buffer, &model.theme, Rect { x, width: 1, ..area }.intersection(area), y, &sign);
}

fn time_of(row: &FlowRow) -> String {
    paint::seconds(row.record.at, 3)
}

fn words(model: &Model, buffer: &mut Buffer, area: Rect, y: u16, row: &FlowRow, columns: &Columns) {
    let theme = &model.theme;
    let time = Line::styled(format!("{:>8}", time_of(row)), theme.dim);
    paint::put(buffer, theme, Rect { width: TIME_WIDTH, ..area }, y, &time);
    let mut spans = Vec::new();
    let mut parts = row.parts().into_iter().peekable();
    while let Some(RowPart { mut text, kind }) = parts.next() {
        // What a person or the lab did, and what came of it, are two things.
        if kind == PartKind::Told && parts.peek().is_some() {
            text.push(';');
        }
        let style = match (kind, row.tone) {
            (PartKind::Cause, _) => theme.dim,
            (PartKind::Lie, _) => theme.fault,
            (PartKind::Message, _) => Style::new(),
            (PartKind::Loss, _) => theme.lost,
            (PartKind::State, _) => theme.strong,
            (PartKind::Told, RowTone::Fault) => theme.fault,
            (PartKind::Told, RowTone::Violation) => theme.bad,
            (PartKind::Told, RowTone::Doubt) => theme.doubt,
            (PartKind::Told, RowTone::Plain | RowTone::Note) => theme.dim,
        };
        spans.push(Span::styled(theme.glyphs.flow.spoken(&text), style));
        spans.push(Span::raw(" "));
    }
    let rest = Rect { x: columns.end(), width: area.right().saturating_sub(columns.end()), ..area };
    paint::put(buffer, theme, rest, y, &Line::from(spans));
}

impl Columns {
    #[expect(clippy::too_many_arguments, reason = "a row is drawn from all of these, once")]
    pub fn row(
        &self,
        model: &Model,
        buffer: &mut Buffer,
        area: Rect,
        y: u16,
        row: &FlowRow,
        lanes: &Lanes,
        groups: &[GroupView],
    ) {
        self.background(model, buffer, area, y, lanes, groups);
        self.ways(model, buffer, area, y, row);
        for (node, change) in &row.changes {
            let Some(place) = self.place(*node) else { continue };
            let (theme, glyphs) = (&model.theme, &model.theme.glyphs.flow);
            match change {
                LaneChange::Process(process) => {
                    let glyph = match process {
                        ProcessState::Dead => glyphs.ends[0],
                        ProcessState::Paused => glyphs.lanes[1],
                        ProcessState::Starting => glyphs.starts[0],
                        ProcessState::Running => glyphs.starts[1],
                        ProcessState::Absent => continue,
                    };
                    let style = theme.process(*process).2;
                    sign(buffer, model, area, self.centre(place), y, glyph, style);
                }
                LaneChange::State(state) => {
                    let coordinates = state.coordinator == Some(*node) && state.status == protocol::Status::Normal;
                    let is_newest = lanes.each.get(node)
                        == Some(&FlowLane { process: lanes.each[node].process, state: Some(state.clone()) });
                    if is_newest {
                        // Where a receipt does not stand before the next lane, a short sign may take its margin.
                        let is_free = row.arrivals.iter().all(|arrival| self.place(arrival.to) != Some(place + 1));
                        let least = if is_free { SHORT_COLUMNS } else { 1 };
                        let room = usize::from(self.width - 1 - self.left()).max(least);
                        let text = if coordinates { glyphs.coordinator.to_owned() } else { sign_within(state, room) };
                        let style = self.style(model, *node, groups).patch(theme.strong);
                        sign(buffer, model, area, self.centre(place) + 1, y, &text, style);
                    }
                }
            }
        }
    }

    /// The ways of the messages between the lanes.
    fn ways(&self, model: &Model, buffer: &mut Buffer, area: Rect, y: u16, row: &FlowRow) {
        let glyphs = &model.theme.glyphs.flow;
        let multicast = usize::from(row.arrows.first().is_some_and(|arrow| arrow.is_multicast));
        let mut senders = BTreeSet::new();
        let mut ends: Vec<(usize, usize, &ArrowEnd)> = Vec::new();
        for arrow in &row.arrows {
            let Some(from) = self.place(arrow.from) else { continue };
            senders.insert(from);
            for head in &arrow.heads {
                ends.extend(self.place(head.to).map(|to| (from, to, &head.end)));
            }
        }
        let receipts: BTreeSet<usize> = row.arrivals.iter().filter_map(|arrival| self.place(arrival.to)).collect();
        let met = senders.iter().copied().chain(ends.iter().map(|(_, to, _)| *to));
        let (first, last) = met.fold((usize::MAX, 0), |(first, last), place| (first.min(place), last.max(place)));
        if first < last {
            let touched: BTreeSet<usize> = senders.iter().copied().chain(ends.iter().map(|(_, to, _)| *to)).collect();
            for x in self.centre(first)..=self.centre(last) {
                sign(buffer, model, area, x, y, glyphs.ways[multicast], model.theme.sent);
            }
            for place in (first..=last).filter(|place| !touched.contains(place)) {
                sign(buffer, model, area, self.centre(place), y, glyphs.crossings[multicast], model.theme.sent);
            }
        }
        for place in &receipts {
            sign(buffer, model, area, self.centre(*place), y, glyphs.receipt, model.theme.received);
            let x = self.centre(*place).saturating_sub(1);
            sign(buffer, model, area, x, y, glyphs.heads[0], model.theme.received);
        }
        for place in 0..self.nodes.len() {
            let came: Vec<_> = ends.iter().filter(|(_, to, _)| *to == place).collect();
            let later = ends.iter().any(|(from, _, end)| *from == place && **end == ArrowEnd::Later);
            let is_sender = senders.contains(&place);
            if came.is_empty() && !is_sender {
                continue;
            }
            let lost = came.iter().any(|(_, _, end)| matches!(end, ArrowEnd::Dropped(_) | ArrowEnd::Lost(_)));
            let open = came.iter().any(|(_, _, end)| matches!(end, ArrowEnd::Flying | ArrowEnd::Held(_)));
            let arrived = came.iter().any(|(_, _, end)| end.mark() == "✓");
            let (glyph, style) = match (is_sender, arrived) {
                (true, true) => (glyphs.both, model.theme.strong),
                (true, false) => (glyphs.senders[usize::from(later)], model.theme.strong),
                (false, true) => {
                    let from_right = came.iter().all(|(from, to, _)| from > to);
                    (glyphs.heads[usize::from(from_right)], model.theme.received)
                }
                (false, false) if lost => (glyphs.ends[0], model.theme.lost),
                (false, false) if open => (glyphs.ends[1], model.theme.lost),
                // It comes in a later row.
                (false, false) => (glyphs.crossings[multicast], model.theme.sent),
            };
            sign(buffer, model, area, self.centre(place), y, glyph, style);
        }
    }
}

/// The lanes that are shown, and where.
pub struct Columns {
    /// Whose they are.
    pub nodes: Vec<NodeId>,
    /// Where the first of them begins.
    x: u16,
    /// How wide each is.
    pub width: u16,
    /// How many have no lane here.
    pub others: usize,
}

impl Columns {
    /// All lanes if they fit, else those that take part in these rows.
    pub fn new(model: &Model, rows: &[FlowRow], seen: &[usize], area: Rect, words: LaneWords) -> Columns {
        let all = model.rows();
        let fits = lanes_that_fit(area.width, name_columns(&all));
        let mut nodes = all.clone();
        if nodes.len() > fits {
            // Who leads a group is looked for first, and then who is in the newest rows.
            let groups = model.seen().world.groups().into_iter().filter(|group| group.members.len() > 1);
            let mut taking: NodeSet = groups.map(|group| group.coordinator).take(fits / 2).collect();
            for node in seen.iter().rev().flat_map(|row| rows[*row].nodes().iter().collect::<Vec<_>>()) {
                if taking.len() < fits {
                    taking.insert(node);
                }
            }
            nodes.retain(|node| taking.contains(*node));
        }
        let width = lane_width(area.width, nodes.len(), words);
        Columns { others: all.len() - nodes.len(), nodes, x: area.x + TIME_WIDTH, width }
    }

    pub fn end(&self) -> u16 {
        self.x + self.width * u16::try_from(self.nodes.len()).unwrap_or(0) + 1
    }

    pub fn centre(&self, place: usize) -> u16 {
        self.x + self.width * u16::try_from(place).unwrap_or(0) + self.left()
    }

    /// The columns before a lane's line: most of the room is for the word of a state.
    pub fn left(&self) -> u16 {
        (self.width - 1).div_ceil(3)
    }

    pub fn strip(&self, area: Rect, place: usize) -> Rect {
        Rect { x: self.x + self.width * u16::try_from(place).unwrap_or(0), width: self.width, ..area }
    }

    pub fn place(&self, node: NodeId) -> Option<usize> {
        self.nodes.iter().position(|of| *of == node)
    }

    /// The lanes themselves.
    pub fn background(
        &self,
        model: &Model,
        buffer: &mut Buffer,
        area: Rect,
        y: u16,
        lanes: &Lanes,
        groups: &[GroupView],
    ) {
        for (place, node) in self.nodes.iter().enumerate() {
            let Some(lane) = lanes.each.get(node) else { continue };
            let glyphs = &model.theme.glyphs.flow;
            let glyph = match lane.process {
                ProcessState::Running | ProcessState::Starting => glyphs.lanes[0],
                ProcessState::Paused => glyphs.lanes[1],
                ProcessState::Dead | ProcessState::Absent => continue,
            };
            let style = self.style(model, *node, groups);
            sign(buffer, model, area, self.centre(place), y, glyph, style);
        }
    }

    pub fn style(&self, model: &Model, node: NodeId, groups: &[GroupView]) -> Style {
        let group = groups.iter().position(|group| group.members.contains(node));
        group.map_or(model.theme.dim, |group| model.theme.group(group))
    }
}

/// Writes a sign at a column.
pub fn sign(buffer: &mut Buffer, model: &Model, area: Rect, x: u16, y: u16, glyph: &str, style: Style) {
    let place = Rect { x, width: paint::width(glyph).max(1), ..area }.intersection(area);
    paint::put(buffer, &model.theme, place, y, &Line::styled(glyph.to_owned(), style));
}

/// What stands above the lanes.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum LaneHeads {
    /// The processes' names.
    Names,
    /// The names, what they do and their capacities: there is no table of the nodes.
    Strip,
}

impl LaneHeads {
    /// Whether words stand above the lanes.
    pub fn words(self) -> LaneWords {
        match self {
            LaneHeads::Names => LaneWords::Unsaid,
            LaneHeads::Strip => LaneWords::Said,
        }
    }

    /// How many rows they take.
    pub fn height(self, model: &Model) -> u16 {
        match self {
            LaneHeads::Names => 1,
            LaneHeads::Strip => 3 + u16::from(model.has_criterion()),
        }
    }
}

/// The lanes' names: the coordinator with a star, each in the colour of its group and with its letter; and how many
/// rows pass the filter, of how many.
fn draw_heads(
    model: &Model,
    buffer: &mut Buffer,
    area: Rect,
    columns: &Columns,
    heads: LaneHeads,
    (passing, all): (usize, usize),
) {
    let theme = &model.theme;
    let world = &model.seen().world;
    let groups = world.groups();
    if heads == LaneHeads::Strip && !columns.nodes.is_empty() {
        let margin = Rect { width: (columns.strip(area, 0).x - area.x).saturating_sub(1), ..area };
        let names = ["", "status", "waits", if model.has_criterion() { "capacity" } else { "" }];
        for (row, name) in (0..).zip(names) {
            paint::put(buffer, theme, margin, row, &Line::styled(name, theme.dim));
        }
    }
    for (place, node) in columns.nodes.iter().enumerate() {
        let strip = columns.strip(area, place);
        model.drawing.targets.note(Rect { y: area.y, height: area.height, ..strip }, MouseTarget::Node(*node));
        let group = groups.iter().position(|group| group.members.contains(*node));
        let coordinates = group.is_some_and(|group| groups[group].coordinator == *node);
        let style = group.map_or(theme.dim, |group| theme.group(group));
        let letter = group.map_or("", |group| groups[group].letter.as_str());
        let is_liar = world.nodes.get(node).is_some_and(NodeView::is_liar);
        let mask = if is_liar { theme.glyphs.mask } else { "" };
        let star = if coordinates { theme.glyphs.flow.coordinator } else { "" };
        let style = if coordinates { style.patch(theme.cursor) } else { style };
        let is_selected =
            heads == LaneHeads::Strip && focus(model) == Pane::Nodes && model.selected_node() == Some(*node);
        let cursor = if is_selected { theme.glyphs.cursor } else { "" };
        let mark = if model.places.marked.contains(*node) { theme.glyphs.mark } else { "" };
        let before = paint::width(cursor) + paint::width(mark);
        // In a narrow lane a name gives up its group's letter, and what is left of it may touch the next name's margin.
        let whole = format!("{node}{mask}{star}{letter}");
        let is_narrow = before + paint::width(&whole) >= strip.width;
        let text = if is_narrow { format!("{node}{mask}{star}") } else { whole };
        let taken = before + paint::width(&text);
        let right = if taken < strip.width { strip.right() - 1 } else { strip.right() };
        // A long name begins left of the line.
        let x = columns.centre(place).saturating_sub(before).min(right.saturating_sub(taken)).max(strip.x);
        let place = Rect { x, width: right.saturating_sub(x), ..area };
        paint::put(buffer, theme, place, 0, &Line::styled(format!("{cursor}{mark}{text}"), style));
        if heads == LaneHeads::Strip {
            let absent = (String::new(), theme.dim);
            let (text, style) = world.nodes.get(node).map_or(absent, |view| strip_words(theme, view, strip.width - 1));
            let left = world.nodes.get(node).and_then(|view| Countdown::of(view, model.seen().at));
            let left = left.map_or_else(String::new, |countdown| countdown.left());
            let capacity = world.nodes.get(node).and_then(|view| view.capacity).filter(|_| model.has_criterion());
            let capacity = capacity.map_or_else(String::new, |capacity| capacity.to_string());
            let of_word = paint::width(&text);
            for (row, (text, style)) in (1..).zip([(text, style), (left, theme.dim), (capacity, theme.dim)]) {
                // A long word begins left of the line, and what is not longer begins below it.
                let longer = of_word.max(paint::width(&text));
                let x = (x + before).min((strip.right() - 1).saturating_sub(longer)).max(strip.x);
                let below = Rect { x, width: (strip.right() - 1).saturating_sub(x), ..area };
                paint::put(buffer, theme, below, row, &Line::styled(text, style));
            }
        }
    }
    let rest = Rect { x: columns.end(), width: area.right().saturating_sub(columns.end()), ..area };
    let has_keys = focus(model) == Pane::Flow;
    let mut notes = Vec::new();
    let filter = &model.places.panes.flow_filter;
    if !filter.is_open() {
        let short = format!("filter: {}, {passing} of {all} rows", filter.text());
        let long = format!("{short} (Esc ends it)");
        let text = if paint::width(&long) <= rest.width { long } else { short };
        paint::put(buffer, theme, rest, 0, &Line::styled(text, theme.prompt));
        return;
    }
    if columns.others > 0 {
        notes.push(format!("{} more processes", columns.others));
    }
    if has_keys {
        notes.push(match model.places.panes.flow_cursor {
            Some(_) => format!("not following ({})", model.key(Action::Last)),
            None => "following".to_owned(),
        });
    }
    // The pane that has the keys says so, and how they leave it.
    let title = if has_keys { format!("{}flow: ", theme.glyphs.cursor) } else { String::new() };
    let way = if has_keys { "; Esc: the nodes" } else { "" };
    let drawn = [way, ""].map(|way| format!("{title}{}{way}", notes.join(", ")));
    let text = drawn.iter().find(|text| paint::width(text) <= rest.width).unwrap_or(&drawn[1]);
    let style = if has_keys { theme.strong } else { theme.dim };
    paint::put(buffer, theme, rest, 0, &Line::styled(text.clone(), style));
}

/// What a process does, in at most this many columns: its state, or what became of it.
fn strip_words(theme: &Theme, view: &NodeView, columns: u16) -> (String, Style) {
    match (view.process, &view.state) {
        (ProcessState::Running, _) if view.help.is_some() => ("help".into(), theme.help),
        (ProcessState::Running, Some(state)) => {
            let style = if state.status == protocol::Status::Normal { theme.normal } else { theme.unsettled };
            let word = own_word(state).unwrap_or(state.status.word());
            (word_within(word, &LaneState::of(state), usize::from(columns)), style)
        }
        (ProcessState::Starting, _) => ("starts".into(), theme.starting),
        (process, _) => {
            let (_, word, style) = theme.process(process);
            (abbreviated(word, usize::from(columns)).unwrap_or(word).to_owned(), style)
        }
    }
}
