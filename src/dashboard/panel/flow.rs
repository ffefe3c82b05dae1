//! The flow: what happened, time downward, a lane for each process, with the words of each row beside it.
//!
//! Invariant: the lanes at a row are those of the records up to it, whatever is drawn above.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::lane_heads::{self, LaneHeads};
use super::lanes::{Columns, sign};
use crate::flow_filter::passing;
use crate::grid::window;
use crate::lane_room::TIME_WIDTH;
use crate::lane_word::{SHORT_COLUMNS, sign_within};
use crate::model::{Model, Vantage};
use crate::paint;
use crate::panes::Pane;
use crate::spots::MouseSpot;
use world::flow::{
    ArrowEnd, FlowLane, FlowRow, LaneChange, Lanes, PartKind, RowPart, RowTone, idle_between, past_of, row_of,
};
use world::{GroupView, ProcessState};

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
    let passing = passing(&model.panes.flow_filter, rows);
    let lines = lines(rows, &passing, scene.flow.rules().one_way_bound.max(IDLE_MIN));
    let cursor = model.panes.flow_cursor.and_then(|cursor| row_of(rows, cursor));
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
    lane_heads::draw(model, buffer, Rect { height: head_height, ..area }, &columns, heads, counts);
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
                model.spots.note_row(area, y, MouseSpot::FlowRow(row.record.number));
                // While it follows, the last row is the one that is opened.
                let has_keys = model.focus() == Pane::Flow;
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
        let text = match model.present {
            _ if !rows.is_empty() => "No row passes the filter.",
            Some(_) if model.feed.playback().is_some_and(|past| past.knows_earlier()) => "Nothing in this minute yet.",
            None if model.feed.is_being_read() => "What was before this screen was opened is being read.",
            None if model.feed.begins_in_midst() && (model.is_recorded() || model.vantage != Vantage::Lab) => {
                "Nothing new since this screen was opened."
            }
            None if model.feed.begins_in_midst() => {
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
