//! What stands above the lanes of the flow: their processes, and where there is no table of the nodes also what these do.
//!
//! Invariant: a name stands above its lane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::lanes::Columns;
use crate::action::Action;
use crate::countdown::Countdown;
use crate::lane_room::LaneWords;
use crate::lane_word::{abbreviated, word_within};
use crate::model::Model;
use crate::paint;
use crate::panes::Pane;
use crate::row::own_word;
use crate::spots::MouseSpot;
use crate::theme::Theme;
use world::flow::LaneState;
use world::{NodeView, ProcessState};

/// What stands above the lanes.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum LaneHeads {
    /// The processes' names.
    Names,
    /// Their names, what they do and their capacities: there is no table of the nodes.
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
pub fn draw(
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
        model.spots.note(Rect { y: area.y, height: area.height, ..strip }, MouseSpot::Node(*node));
        let group = groups.iter().position(|group| group.members.contains(*node));
        let coordinates = group.is_some_and(|group| groups[group].coordinator == *node);
        let style = group.map_or(theme.dim, |group| theme.group(group));
        let letter = group.map_or("", |group| groups[group].letter.as_str());
        let is_liar = world.nodes.get(node).is_some_and(NodeView::is_liar);
        let mask = if is_liar { theme.glyphs.mask } else { "" };
        let star = if coordinates { theme.glyphs.flow.coordinator } else { "" };
        let style = if coordinates { style.patch(theme.cursor) } else { style };
        let is_selected =
            heads == LaneHeads::Strip && model.focus() == Pane::Nodes && model.selected_node() == Some(*node);
        let cursor = if is_selected { theme.glyphs.cursor } else { "" };
        let mark = if model.marked.contains(*node) { theme.glyphs.mark } else { "" };
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
    let has_keys = model.focus() == Pane::Flow;
    let mut notes = Vec::new();
    let filter = &model.panes.flow_filter;
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
        notes.push(match model.panes.flow_cursor {
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
