//! The lanes of the flow: which processes have one, and where.
//!
//! Invariant: a lane that is shown lies within the area.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::lane_room::{LaneWords, TIME_WIDTH, lane_width, lanes_that_fit, name_columns};
use crate::model::Model;
use crate::paint;
use protocol::{NodeId, NodeSet};
use world::flow::{FlowRow, Lanes};
use world::{GroupView, ProcessState};

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
