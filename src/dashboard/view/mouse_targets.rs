//! What stands where in the last picture, for the mouse.
//!
//! Invariant: what was drawn later lies over what was drawn before, and each picture forgets the one before.

use std::cell::RefCell;

use ratatui::layout::{Position, Rect};

use crate::model::places::{Pane, PaperItem, Screen};
use fault::FaultId;
use protocol::NodeId;

/// Something on the screen that the mouse can be on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum MouseTarget {
    /// The name of a screen.
    Tab(Screen),
    /// A screen, where nothing else stands.
    Body,
    /// A pane, where nothing else stands.
    Pane(Pane),
    /// A node's row, or the head of its lane.
    Node(NodeId),
    /// The row of the flow that this record began.
    FlowRow(u64),
    /// The row of the log of this number.
    News(u64),
    /// The row of the messages of this number.
    Message(u64),
    /// A fault's row.
    Fault(FaultId),
    /// An election's row, by its ordinal.
    Election(u64),
    /// The link from one node to another.
    Link(NodeId, NodeId),
    /// A line of the listing, or a hole.
    Paper(PaperItem),
    /// The band of the whole session, which ends at this time in nanoseconds.
    Band(i64),
    /// A page over the screen, where it leads nowhere.
    Page,
    /// The link of this place on a page.
    PageLink(usize),
}

/// What stands where in the last picture.
#[derive(Default, Debug)]
pub struct MouseTargets(RefCell<Vec<(Rect, MouseTarget)>>);

impl MouseTargets {
    /// A new picture begins.
    pub fn forget(&self) {
        self.0.borrow_mut().clear();
    }

    /// This stands here.
    pub fn note(&self, area: Rect, spot: MouseTarget) {
        if !area.is_empty() {
            self.0.borrow_mut().push((area, spot));
        }
    }

    /// This stands in this row of the area, the first of which is 0.
    pub fn note_row(&self, area: Rect, row: u16, spot: MouseTarget) {
        let y = area.y.saturating_add(row);
        if y < area.bottom() {
            self.note(Rect { y, height: 1, ..area }, spot);
        }
    }

    /// What stands in this cell, and the whole place that it takes.
    pub fn at(&self, column: u16, row: u16) -> Option<(Rect, MouseTarget)> {
        let spots = self.0.borrow();
        spots.iter().rev().find(|(area, _)| area.contains(Position { x: column, y: row })).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_later_lies_over_what_was_drawn_before() {
        let spots = MouseTargets::default();
        let area = Rect { x: 2, y: 3, width: 10, height: 2 };
        spots.note(area, MouseTarget::Body);
        spots.note_row(area, 1, MouseTarget::FlowRow(7));
        spots.note_row(area, 2, MouseTarget::FlowRow(8));
        assert_eq!(spots.at(2, 3), Some((area, MouseTarget::Body)));
        assert_eq!(spots.at(11, 4).map(|(_, spot)| spot), Some(MouseTarget::FlowRow(7)));
        assert_eq!((spots.at(12, 4), spots.at(2, 5)), (None, None));
        spots.forget();
        assert_eq!(spots.at(2, 3), None);
    }
}
