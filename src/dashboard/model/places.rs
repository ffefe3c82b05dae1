//! Where a person is: on which screen, in which pane, and the cursor of each.
//!
//! Invariant: a cursor names a record, a row, a line or a node, so what comes or changes does not move it; only the pane
//! that has the keys has one.

use super::kept_rows::Filter;
use protocol::{LineNumber, NodeId};

/// The screens, in the order of their numbers.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Screen {
    /// 1: the nodes and the log.
    Overview,
    /// 2: every message and event.
    Messages,
    /// 3: every fault line.
    Faults,
    /// 4: the algorithm's listing.
    Paper,
    /// 5: who hears whom.
    Links,
    /// 6: the latest elections.
    Elections,
    /// 7: the history of the groups, in a lab that keeps one.
    History,
}

impl Screen {
    /// All of them.
    pub const ALL: [Screen; 7] = [
        Screen::Overview,
        Screen::Messages,
        Screen::Faults,
        Screen::Paper,
        Screen::Links,
        Screen::Elections,
        Screen::History,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Screen::Overview => "overview",
            Screen::Messages => "messages",
            Screen::Faults => "faults",
            Screen::Paper => "paper",
            Screen::Links => "links",
            Screen::Elections => "elections",
            Screen::History => "history",
        }
    }

    /// The one after it among these; after the last one the first.
    pub fn next(self, screens: &[Screen]) -> Screen {
        let place = screens.iter().position(|screen| *screen == self).unwrap_or(0);
        screens[(place + 1) % screens.len()]
    }

    /// The one before it among these; before the first one the last.
    pub fn previous(self, screens: &[Screen]) -> Screen {
        let place = screens.iter().position(|screen| *screen == self).unwrap_or(0);
        screens[(place + screens.len() - 1) % screens.len()]
    }
}

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

/// The place on the paper's screen.
#[derive(Clone, Default, Debug)]
pub struct PaperPlace {
    /// What is under the cursor.
    pub cursor: PaperCursor,
    /// The record from which one came here.
    pub traced: Option<TracedRecord>,
}

/// The cursor of the paper's screen.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum PaperCursor {
    /// It is on the line of the selected node's process, and goes with it.
    #[default]
    Following,
    /// A person has put it here.
    On(PaperItem),
}

/// What the cursor of the paper's screen can be on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PaperItem {
    /// The line of this number.
    Line(LineNumber),
    /// The hole at this place among the paper's.
    Hole(usize),
}

/// A record whose lines are marked.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct TracedRecord {
    /// Its number; 0 if it has none.
    pub number: u64,
    /// The lines that its step went through.
    pub lines: Vec<LineNumber>,
}

/// The drawing has room for this many processes.
pub const DRAWN_MAX: usize = 16;

/// The state of the links screen.
#[derive(Copy, Clone, Default, Debug)]
pub struct Crossing {
    /// The sender and the receiver of the link under the cursor; absent: a link on which something is in force.
    pub cursor: Option<(NodeId, NodeId)>,
    /// What is shown.
    pub look: LinksLook,
}

/// What the links screen shows.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum LinksLook {
    /// The matrix, and the drawing beside it if there is room.
    #[default]
    Matrix,
    /// The drawing alone.
    Drawing,
}
