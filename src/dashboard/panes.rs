//! The panes of the overview: which one the keys move in, and where.
//!
//! Invariant: a cursor names a record or a row, so what comes or changes does not move it; only the pane that has the
//! keys has one.

use super::journal::Filter;

/// The panes of the overview.
#[derive(Clone, Default, Debug)]
pub struct Panes {
    /// The pane that the keys should move in; where it is not on the screen, another one has them.
    pub focus: Pane,
    /// The number of the record whose row of the flow is under the cursor; absent while it follows.
    pub flow_cursor: Option<u64>,
    /// Which rows the flow shows.
    pub flow_filter: Filter,
    /// The number of the row of the log under the cursor; absent while it follows.
    pub log_cursor: Option<u64>,
    /// How many lines each pane of text is scrolled down, by its place among all panes.
    pub scrolls: [usize; Pane::ALL.len()],
    /// Whether many processes are folded.
    pub nodes: NodeRows,
    /// Whether one of them has the whole screen.
    pub zoom: Zoom,
}

/// A pane of the overview.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Pane {
    /// The nodes.
    #[default]
    Nodes,
    /// The flow.
    Flow,
    /// The algorithm's listing.
    Paper,
    /// The latest election.
    Election,
    /// What the algorithm assumes.
    Assumptions,
    /// The lab's steps.
    Steps,
    /// Why the selected node is in its state.
    Why,
    /// The news.
    Log,
}

/// How many processes are shown.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum NodeRows {
    /// If they do not fit, each group has a row.
    #[default]
    Folded,
    /// Each process has a row.
    Each,
}

/// Whether a pane has the whole screen.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Zoom {
    /// All panes share it.
    #[default]
    Shared,
    /// The pane that the keys move in has it.
    Alone,
}

impl Panes {
    /// From now on the keys move in this pane; the others follow what comes.
    pub fn give_keys_to(&mut self, pane: Pane) {
        self.focus = pane;
        if pane != Pane::Flow {
            self.flow_cursor = None;
        }
        if pane != Pane::Log {
            self.log_cursor = None;
        }
    }
}

impl Pane {
    /// All of them, in the order in which Tab walks them.
    pub const ALL: [Pane; 8] =
        [Pane::Nodes, Pane::Flow, Pane::Paper, Pane::Election, Pane::Assumptions, Pane::Steps, Pane::Why, Pane::Log];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Pane::Nodes => "nodes",
            Pane::Flow => "flow",
            Pane::Paper => "paper",
            Pane::Election => "this election",
            Pane::Assumptions => "assumptions",
            Pane::Steps => "the lab's steps",
            Pane::Why => "why",
            Pane::Log => "log",
        }
    }
}
