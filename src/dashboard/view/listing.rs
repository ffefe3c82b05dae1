//! The paper's listing as rows of a given width: each line with the processes on it, how often it was gone through, and
//! its holes.
//!
//! Invariant: a line that was never reached has a sign of its own, and so has each process; nothing is told by colour
//! alone. No row is wider than it may be.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::paint;
use super::theme::Theme;
use crate::model::Model;
use crate::model::places::{PaperCursor, PaperItem};
use protocol::{Facts, HoleFact, HoleStanding, LineNumber, LineTaker, ListingLine};
use world::GroupView;

/// The columns of a line's number, with the cursor before it.
const NUMBER_WIDTH: usize = 4;
/// The columns of how often a line was gone through.
const TIMES_WIDTH: usize = 5;
/// How far the text of a hole is indented.
const HOLE_INDENT: u16 = 4;

/// A row.
pub struct PaperRow {
    /// What it is a part of, if the cursor can be on that.
    pub item: Option<PaperItem>,
    pub text: Line<'static>,
}

/// What is under the cursor: the line of the selected node's process while the cursor follows it.
pub fn under_cursor(model: &Model) -> Option<PaperItem> {
    let line = || model.seen().world.coverage.line_of(model.selected_node()?);
    match model.places.paper.cursor {
        PaperCursor::On(item) => Some(item),
        PaperCursor::Following => line().map(PaperItem::Line),
    }
}

/// What the cursor can be on, from the top down, each with the number of its first row.
pub fn items(rows: &[PaperRow]) -> Vec<(PaperItem, usize)> {
    let mut items: Vec<(PaperItem, usize)> = Vec::new();
    for (row, item) in rows.iter().enumerate().filter_map(|(row, of)| Some((row, of.item?))) {
        if items.last().is_none_or(|(last, _)| *last != item) {
            items.push((item, row));
        }
    }
    items
}

/// All rows; none, if the algorithm is not known yet.
pub fn rows(model: &Model, width: u16) -> Vec<PaperRow> {
    let Some(facts) = model.seen().facts.as_deref() else { return Vec::new() };
    let listing = Listing { model, facts, groups: model.seen().world.groups(), width };
    let mut rows = listing.heading(&facts.paper, model.theme.dim);
    for procedure in facts.listing.chunk_by(|line, next| line.procedure == next.procedure) {
        let is_reached = procedure.iter().any(|line| listing.times(line.number) > 0);
        let style = if is_reached { model.theme.strong } else { model.theme.dim };
        rows.extend(listing.heading(&procedure[0].procedure, style));
        procedure.iter().for_each(|line| rows.extend(listing.line(line)));
    }
    if !facts.holes.is_empty() {
        rows.push(PaperRow { item: None, text: Line::default() });
        rows.extend(listing.heading("holes of the paper", model.theme.strong));
        (0..facts.holes.len()).for_each(|place| rows.extend(listing.hole(place)));
    }
    rows
}

/// A hole in words, and whether this lab has it.
pub fn hole_words(hole: &HoleFact) -> String {
    let standing = match hole.standing {
        HoleStanding::Open => "open",
        HoleStanding::Mended => "mended",
        HoleStanding::InAnotherText => "of another text",
    };
    format!("hole {}, {standing}", hole.number)
}

pub fn hole_style(theme: &Theme, hole: &HoleFact) -> Style {
    match hole.standing {
        HoleStanding::Open => theme.bad,
        HoleStanding::Mended => theme.good,
        HoleStanding::InAnotherText => theme.dim,
    }
}

struct Listing<'a> {
    model: &'a Model,
    facts: &'a Facts,
    groups: Vec<GroupView>,
    width: u16,
}

/// Processes on a line, as one word.
struct PaperMark {
    text: String,
    count: usize,
    style: Style,
}

impl Listing<'_> {
    fn times(&self, line: LineNumber) -> u64 {
        self.model.seen().world.coverage.times(line)
    }

    fn heading(&self, text: &str, style: Style) -> Vec<PaperRow> {
        let rows = paint::wrap(text, self.width).into_iter();
        rows.map(|text| PaperRow { item: None, text: Line::styled(text, style) }).collect()
    }

    fn line(&self, line: &ListingLine) -> Vec<PaperRow> {
        let theme = &self.model.theme;
        let item = PaperItem::Line(line.number);
        let is_reached = self.times(line.number) > 0;
        let marks = self.marks(line.number);
        let style = match (is_reached, marks.is_empty()) {
            (false, _) => theme.dim,
            (true, false) => theme.strong,
            (true, true) => theme.normal,
        };
        let before = NUMBER_WIDTH + 1 + self.marks_width() + 1 + TIMES_WIDTH + 1;
        let indent = || Span::raw(" ".repeat(before));
        let room = self.width.saturating_sub(u16::try_from(before).unwrap_or(u16::MAX)).max(1);
        let mut head = vec![self.sign(item), Span::styled(format!("{:>3} ", line.number), style)];
        head.extend(self.marks_in_place(marks));
        head.push(Span::styled(format!(" {:>TIMES_WIDTH$} ", self.times_words(line)), theme.dim));
        let mut rows: Vec<Line<'static>> = Vec::new();
        for text in paint::wrap(&line.text, room) {
            let mut row = if rows.is_empty() { Line::from(std::mem::take(&mut head)) } else { Line::from(indent()) };
            row.push_span(Span::styled(text, style));
            rows.push(row);
        }
        for hole in self.facts.holes.iter().filter(|hole| hole.lines.contains(&line.number)) {
            let tag = format!("[{}]", hole_words(hole));
            let taken = rows.last().map_or(0, Line::width) + 2 + usize::from(paint::width(&tag));
            if let Some(last) = rows.last_mut().filter(|_| taken <= usize::from(self.width)) {
                last.spans.extend([Span::raw("  "), Span::styled(tag, hole_style(theme, hole))]);
                continue;
            }
            let below = paint::wrap(&tag, room).into_iter();
            rows.extend(below.map(|text| Line::from(vec![indent(), Span::styled(text, hole_style(theme, hole))])));
        }
        rows.into_iter().map(|text| PaperRow { item: Some(item), text }).collect()
    }

    /// The cursor, or a mark at a line of the record from which one came.
    fn sign(&self, item: PaperItem) -> Span<'static> {
        let theme = &self.model.theme;
        let is_traced = match (&self.model.places.paper.traced, item) {
            (Some(traced), PaperItem::Line(line)) => traced.lines.contains(&line),
            _ => false,
        };
        if under_cursor(self.model) == Some(item) {
            Span::raw(theme.glyphs.cursor)
        } else if is_traced {
            Span::styled(theme.glyphs.mark, theme.mark)
        } else {
            Span::raw(" ")
        }
    }

    fn times_words(&self, line: &ListingLine) -> String {
        let glyphs = &self.model.theme.glyphs;
        match self.times(line.number) {
            0 if line.taken_by == LineTaker::Killed => "-".to_owned(),
            0 => glyphs.absent.to_owned(),
            times @ ..10_000 => format!("{}{times}", glyphs.times),
            times @ ..1_000_000 => format!("{}{}k", glyphs.times, times / 1_000),
            times => format!("{}{}M", glyphs.times, (times / 1_000_000).min(999)),
        }
    }

    fn marks_width(&self) -> usize {
        match self.width {
            ..58 => 6,
            58..120 => 9,
            _ => 14,
        }
    }

    /// The processes on a line: group by group, the coordinator first, then those that are in no group.
    fn marks(&self, line: LineNumber) -> Vec<PaperMark> {
        let theme = &self.model.theme;
        let mut left = self.model.seen().world.coverage.on(line);
        let mut marks = Vec::new();
        for (place, group) in self.groups.iter().enumerate() {
            let (style, letter) = (theme.group(place), &group.letter);
            let mut here = left.intersection(&group.members);
            left = left.minus(&here);
            if here.remove(group.coordinator) {
                let text = format!("{}{}{letter}", group.coordinator, theme.glyphs.flow.coordinator);
                marks.push(PaperMark { text, count: 1, style: style.patch(theme.cursor) });
            }
            if !here.is_empty() {
                let text = self.fitting(format!("{here}{letter}"), here.len(), letter);
                marks.push(PaperMark { text, count: here.len(), style });
            }
        }
        if !left.is_empty() {
            let text = self.fitting(left.to_string(), left.len(), "");
            marks.push(PaperMark { text, count: left.len(), style: theme.strong });
        }
        marks
    }

    /// The word for so many processes; only how many they are, if their numbers are too long.
    fn fitting(&self, text: String, count: usize, letter: &str) -> String {
        let fits = usize::from(paint::width(&text)) <= self.marks_width();
        if fits { text } else { format!("{count}{}{letter}", self.model.theme.glyphs.times) }
    }

    /// As many marks as fit, and how many processes are left out.
    fn marks_in_place(&self, marks: Vec<PaperMark>) -> Vec<Span<'static>> {
        let room = self.marks_width();
        let (mut spans, mut taken): (Vec<Span<'static>>, usize) = (Vec::new(), 0);
        let mut left: usize = marks.iter().map(|mark| mark.count).sum();
        for PaperMark { text, count, style } in marks {
            let needed = usize::from(paint::width(&text)) + usize::from(taken > 0);
            let rest = if left > count { format!(" +{}", left - count).len() } else { 0 };
            if taken + needed + rest > room {
                break;
            }
            if taken > 0 {
                spans.push(Span::raw(" "));
            }
            spans.push(Span::styled(text, style));
            taken += needed;
            left -= count;
        }
        if left > 0 {
            let rest = format!("{}+{left}", if taken > 0 { " " } else { "" });
            taken += rest.len();
            spans.push(Span::styled(rest, self.model.theme.strong));
        }
        spans.push(Span::raw(" ".repeat(room.saturating_sub(taken))));
        spans
    }

    fn hole(&self, place: usize) -> Vec<PaperRow> {
        let theme = &self.model.theme;
        let (item, hole) = (PaperItem::Hole(place), &self.facts.holes[place]);
        let indent = || Span::raw(" ".repeat(usize::from(HOLE_INDENT)));
        let room = self.width.saturating_sub(HOLE_INDENT).max(1);
        let lines: Vec<String> = hole.lines.iter().map(u16::to_string).collect();
        let at = match lines.as_slice() {
            [] => "at no line".to_owned(),
            [line] => format!("at line {line}"),
            lines => format!("at lines {}", lines.join(", ")),
        };
        let told = format!("{} ({}; {at})", hole.title, hole.stands_in);
        let shown = hole.lab.as_ref().map(|lab| format!("`hustings up {lab}` shows it"));
        let mut rows = vec![Line::from(vec![
            self.sign(item),
            Span::styled(format!(" {}", hole_words(hole)), hole_style(theme, hole)),
        ])];
        let below = |(text, style): (String, Style)| {
            let rows = paint::wrap(&text, room).into_iter();
            rows.map(|text| Line::from(vec![indent(), Span::styled(text, style)])).collect::<Vec<_>>()
        };
        rows.extend([(told, theme.normal)].into_iter().chain(shown.map(|text| (text, theme.dim))).flat_map(below));
        rows.into_iter().map(|text| PaperRow { item: Some(item), text }).collect()
    }
}
