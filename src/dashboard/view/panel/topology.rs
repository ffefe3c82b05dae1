//! The drawing of the links: the processes on an ellipse, and an edge between two of them where something is in force; and
//! the signs of links, groups and processes, for the drawing and the matrix alike.
//!
//! Invariants: an arrow's head is at the receiver of the link that is not whole, and beside it stands that link's sign. A
//! sign's characters alone say what it means; its style says nothing more.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::model::Model;
use crate::view::paint;
use fault::EffectStrength;
use protocol::NodeId;
use world::{FaultState, FaultView, GroupView, NodeView, ProcessState, Topology};

/// The columns of a process.
const NODE_COLUMNS: u16 = 8;

/// A place in the area, from its upper left corner.
type Spot = (i32, i32);

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    if area.width < 3 * NODE_COLUMNS || area.height < 5 {
        return;
    }
    let world = &model.seen().world;
    let topology = Topology::of(world);
    let ends: Vec<NodeId> = world.nodes.keys().copied().collect();
    let everywhere = topology.everywhere();
    if let Some(line) = of_all(&everywhere) {
        paint::put(buffer, theme, area, 0, &Line::styled(line, theme.lost));
    }
    let area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let spots: Vec<Spot> = (0..ends.len()).map(|place| spot(place, ends.len(), area)).collect();
    let ids = |faults: &[&FaultView]| faults.iter().map(|fault| fault.id).collect::<Vec<_>>();
    let common = ids(&everywhere);
    let sign = |from: NodeId, to: NodeId| {
        let is_common = ids(&topology.faults(from, to)) == common && topology.queue(from, to).is_none();
        if is_common { None } else { sign_of(model, &topology, from, to) }
    };
    let mut labels = Vec::new();
    for (place, (one, at)) in ends.iter().zip(&spots).enumerate() {
        for (other, there) in ends.iter().zip(&spots).skip(place + 1) {
            let (onward, back) = (sign(*one, *other), sign(*other, *one));
            if onward.is_none() && back.is_none() {
                continue;
            }
            let style = onward.as_ref().or(back.as_ref()).map_or(theme.lost, |(_, style)| *style);
            edge(model, buffer, area, *at, *there, style);
            let is_same = onward.as_ref().map(|sign| &sign.0) == back.as_ref().map(|sign| &sign.0);
            for (from, to, sign, is_first) in [(*at, *there, onward, true), (*there, *at, back, false)] {
                let Some((text, style)) = sign else { continue };
                labels.push((head_spot(from, to), head(model, from, to).to_owned(), style));
                if !is_same || is_first {
                    let share = if is_same { 0.5 } else { 0.62 };
                    labels.push((between(from, to, share), text, style));
                }
            }
        }
    }
    // Signs stand over edges, and processes over both.
    for (at, text, style) in labels {
        put(model, buffer, area, at, Line::styled(text, style));
    }
    let groups = world.groups();
    for (node, at) in ends.iter().zip(&spots) {
        let (letter, style) = group_of(model, &groups, *node);
        let is_coordinator = groups.iter().any(|group| group.coordinator == *node && group.members.contains(*node));
        let star = if is_coordinator { theme.glyphs.flow.coordinator } else { "" };
        let mut spans = vec![Span::styled(format!("{node}{star} {letter}"), style)];
        if let Some((glyph, style)) = process_of(model, *node) {
            spans.insert(0, Span::styled(glyph, style));
        }
        spans.insert(0, Span::raw("["));
        spans.push(Span::raw("]"));
        put(model, buffer, area, *at, Line::from(spans));
    }
    if is_whole(&topology, &ends) {
        let (x, y) = (i32::from(area.width / 2), i32::from(area.height / 2));
        put(model, buffer, area, (x, y), Line::styled("all links whole", theme.dim));
    }
}

fn is_whole(topology: &Topology<'_>, ends: &[NodeId]) -> bool {
    let is_free = |from: NodeId, to: NodeId| topology.faults(from, to).is_empty() && topology.queue(from, to).is_none();
    ends.iter().all(|from| ends.iter().all(|to| is_free(*from, *to)))
}

/// The faults of all links, which have no edges.
fn of_all(everywhere: &[&FaultView]) -> Option<String> {
    let lines: Vec<String> = everywhere.iter().map(|fault| format!("{} {}", fault.id, fault.line)).collect();
    (!lines.is_empty()).then(|| format!("on every link: {}", lines.join(", ")))
}

/// The middle of the process at this place of so many.
fn spot(place: usize, count: usize, area: Rect) -> Spot {
    let angle = std::f64::consts::TAU * place as f64 / count as f64 - std::f64::consts::FRAC_PI_2;
    let (width, height) = (f64::from(area.width - NODE_COLUMNS - 2), f64::from(area.height - 1));
    let x = f64::from(area.width) / 2.0 + angle.cos() * width / 2.0;
    let y = height / 2.0 + angle.sin() * height / 2.0;
    (x.round() as i32, y.round() as i32)
}

/// This share of the way from one spot to the other.
fn between(from: Spot, to: Spot, share: f64) -> Spot {
    let along = |a: i32, b: i32| (f64::from(a) + f64::from(b - a) * share).round() as i32;
    (along(from.0, to.0), along(from.1, to.1))
}

/// The last spot before the receiver's own characters.
fn head_spot(from: Spot, to: Spot) -> Spot {
    let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
    let is_free = |at: &Spot| at.1 != to.1 || (at.0 - to.0).abs() > i32::from(NODE_COLUMNS / 2);
    let spots = (1..steps).map(|back| between(to, from, f64::from(back) / f64::from(steps)));
    spots.into_iter().find(is_free).unwrap_or(to)
}

fn head(model: &Model, from: Spot, to: Spot) -> &'static str {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let [right, left, down, up] = model.theme.glyphs.arrows;
    // A row is about as high as two columns are wide.
    if dx.abs() > 2 * dy.abs() {
        if dx > 0 { right } else { left }
    } else if dy > 0 {
        down
    } else {
        up
    }
}

fn edge(model: &Model, buffer: &mut Buffer, area: Rect, from: Spot, to: Spot, style: Style) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let [across, along, rising, falling] = model.theme.glyphs.edges;
    let sign = if dy == 0 {
        across
    } else if dx == 0 {
        along
    } else if (dx > 0) == (dy > 0) {
        falling
    } else {
        rising
    };
    let steps = dx.abs().max(dy.abs()).max(1);
    for step in 1..steps {
        let at = between(from, to, f64::from(step) / f64::from(steps));
        // A flat edge is a row of dashes with slants between them.
        let before = between(from, to, f64::from(step - 1) / f64::from(steps));
        let sign = if dx.abs() > 2 * dy.abs() && at.1 == before.1 { across } else { sign };
        put(model, buffer, area, at, Line::styled(sign, style));
    }
}

/// Writes a line with its middle at this spot, as far as it is within the area.
fn put(model: &Model, buffer: &mut Buffer, area: Rect, at: Spot, line: Line<'_>) {
    let width = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
    let left = (at.0 - i32::from(width) / 2).clamp(0, i32::from(area.width - width));
    let (Ok(x), Ok(y)) = (u16::try_from(left), u16::try_from(at.1)) else { return };
    paint::put(buffer, &model.theme, Rect { x: area.x + x, width, ..area }, y, &line);
}

/// The text and style of a link's cell.
pub fn sign_of(model: &Model, topology: &Topology<'_>, from: NodeId, to: NodeId) -> Option<(String, Style)> {
    let theme = &model.theme;
    let faults = topology.faults(from, to);
    let waiting = topology.queue(from, to).map(|queue| queue.len());
    let (text, style) = match (Topology::sign(&faults), waiting) {
        (None, None) => return None,
        (None, Some(count)) => (format!("…{count}"), theme.lost),
        (Some((sign, others)), waiting) => {
            let count = waiting
                .filter(|_| sign.grip == EffectStrength::Keeps)
                .map_or_else(String::new, |count| count.to_string());
            let more = if others > 0 { "+" } else { "" };
            let is_certain = |fault: &&FaultView| fault.state == FaultState::InForce;
            let doubt = if faults.iter().all(is_certain) { "" } else { "?" };
            let style = match sign.grip {
                EffectStrength::Severs => theme.fault,
                EffectStrength::Keeps | EffectStrength::Loses | EffectStrength::Slows | EffectStrength::Tampers => {
                    theme.lost
                }
            };
            (format!("{}{count}{doubt}{more}", sign.text), style)
        }
    };
    Some((theme.glyphs.flow.spoken(&text), style))
}

/// A node's group, as a letter with a mark, and its style.
pub fn group_of(model: &Model, groups: &[GroupView], node: NodeId) -> (String, Style) {
    match groups.iter().enumerate().find(|(_, group)| group.members.contains(node)) {
        Some((place, group)) => {
            (format!("{}{}", group.letter, model.theme.group_mark(place)), model.theme.group(place))
        }
        None => ("-".to_owned(), model.theme.dim),
    }
}

/// The sign of a node's process, if it does not run, and its style.
pub fn process_of(model: &Model, node: NodeId) -> Option<(&'static str, Style)> {
    let view = model.seen().world.nodes.get(&node);
    if view.is_some_and(NodeView::is_liar) {
        return Some((model.theme.glyphs.mask, model.theme.fault));
    }
    let process = view.map_or(ProcessState::Absent, |view| view.process);
    let (glyph, _, style) = model.theme.process(process);
    (process != ProcessState::Running).then_some((glyph, style))
}
