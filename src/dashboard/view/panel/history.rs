//! Screen 7: the history of the groups as a graph, time downward, a lane for each process: a group is a row with its
//! members' lanes joined, and its parents are the rows above on these lanes.
//!
//! Invariant: what stands here the processes have told; a process that has not told of a group is not taken for its member.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::model::Model;
use crate::view::paint;
use protocol::{FormedGroup, NodeId, TaskId};
use world::{FormedGroups, FormedView};

/// The columns before the first lane.
const TIME_WIDTH: usize = 11;
/// The columns of a lane.
const LANE_WIDTH: usize = 4;
/// At least so many columns are left for a group's words.
const WORDS_WIDTH_MIN: usize = 30;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let groups: Vec<&FormedView> = model.seen().world.history.iter().collect();
    if groups.is_empty() {
        paint::put(buffer, theme, area, 1, &Line::styled("No group has been formed yet.", theme.dim));
        return;
    }
    let nodes = lanes(model, area.width);
    let names: String = nodes.iter().map(|node| format!("{:<LANE_WIDTH$}", node.to_string())).collect();
    let head = format!("{:>TIME_WIDTH$}{names}group, its members, and the groups before it", "");
    paint::put(buffer, theme, area, 0, &Line::styled(head, theme.dim));
    let rows = usize::from(area.height.saturating_sub(1));
    let end = groups.len() - model.places.history_above.min(groups.len().saturating_sub(rows));
    let seen = &groups[end.saturating_sub(rows)..end];
    for (row, view) in (1..area.height).zip(seen) {
        paint::put(buffer, theme, area, row, &line(model, view, &nodes));
    }
}

/// The processes that have a lane: all if they fit, else none, and the words alone stand here.
fn lanes(model: &Model, width: u16) -> Vec<NodeId> {
    let nodes: Vec<NodeId> = model.seen().world.nodes.keys().copied().collect();
    let fits = TIME_WIDTH + LANE_WIDTH * nodes.len() + WORDS_WIDTH_MIN <= usize::from(width);
    if fits { nodes } else { Vec::new() }
}

fn line<'a>(model: &Model, view: &FormedView, nodes: &[NodeId]) -> Line<'a> {
    let (theme, group) = (&model.theme, &view.group);
    let glyphs = &theme.glyphs.flow;
    let is_at_work = |node: &NodeId| {
        let state = model.seen().world.nodes.get(node).and_then(|view| view.state.as_ref());
        state.and_then(TaskId::at_work) == Some(group.number)
    };
    let (first, last) = (group.members.iter().next(), group.members.iter().next_back());
    let mut spans = vec![Span::styled(format!("{:>9}  ", paint::seconds(view.at, 3)), theme.dim)];
    for node in nodes {
        let is_within = first.is_some_and(|first| *node >= first) && last.is_some_and(|last| *node < last);
        let way = if is_within { glyphs.ways[0].repeat(LANE_WIDTH - 1) } else { " ".repeat(LANE_WIDTH - 1) };
        let (sign, style) = if *node == group.coordinator() {
            (glyphs.coordinator, theme.strong)
        } else if group.members.contains(*node) {
            (glyphs.senders[0], theme.strong)
        } else if is_within {
            (glyphs.crossings[0], theme.dim)
        } else {
            (glyphs.lanes[0], theme.dim)
        };
        let style = if group.members.contains(*node) && is_at_work(node) { theme.good } else { style };
        spans.push(Span::styled(sign.to_owned(), style));
        spans.push(Span::styled(way, theme.dim));
    }
    let style = if group.members.iter().any(|node| is_at_work(&node)) { theme.strong } else { Style::default() };
    spans.push(Span::styled(told(&model.seen().world.history, group), style));
    Line::from(spans)
}

/// The group in words.
fn told(groups: &FormedGroups, group: &FormedGroup) -> String {
    let parents: Vec<String> = group.parents.iter().map(|parent| groups.name_of(*parent)).collect();
    let after = if parents.is_empty() { String::new() } else { format!(", after {}", parents.join(", ")) };
    format!("{}: {} under {}{after}", groups.name_of(group.number), group.members, group.coordinator())
}
