//! Where a person is: on which screen, in which pane, and the cursor of each.
//!
//! Invariants: a cursor whose row is gone, or that follows, is on the newest row. A cursor names a record, a row, a line or a node, so what comes or changes does not move it; only the pane
//! that has the keys has one.

use std::sync::Arc;

use super::kept_rows::{Filter, KeptRows};
use super::pages::Layer;
use super::row::Row;
use fault::FaultId;
use protocol::{LineNumber, NodeId, NodeSet};
use world::{ElectionView, FaultView, Topology, World};

/// Where a person is.
#[derive(Default, Debug)]
pub struct Places {
    /// Which screen.
    pub screen: Screen,
    /// The row under the cursor on the overview.
    pub node: Option<NodeId>,
    /// The marked rows of the overview.
    pub marked: NodeSet,
    /// The panes of the overview.
    pub panes: Panes,
    /// The place on the messages screen.
    pub messages: MessagesPlace,
    /// The row under the cursor on the faults screen; absent: the newest.
    pub fault: Option<FaultId>,
    /// The place in the paper's listing.
    pub paper: PaperPlace,
    /// The screen and the page from which one came to the paper.
    pub came_from: Option<(Screen, Option<Layer>)>,
    /// The place on the links screen.
    pub links: LinksPlace,
    /// The number of the election under the cursor on the elections screen; absent: the newest.
    pub election: Option<u64>,
    /// How many groups below the last row in sight are hidden on the history screen.
    pub history_above: usize,
    /// How many columns the long lines of each screen are moved to the left.
    pub pans: [usize; Screen::ALL.len()],
}

impl Places {
    /// How many columns the long lines of this screen are moved to the left.
    pub fn pan(&self) -> usize {
        self.pans[self.screen as usize]
    }

    /// Goes to another screen, from which nothing leads back.
    pub fn go_to(&mut self, screen: Screen) {
        (self.screen, self.came_from) = (screen, None);
    }

    /// The rows are numbered anew: no cursor points at one.
    pub fn forget_rows(&mut self) {
        self.messages.follow_newest();
        self.panes.flow_cursor = None;
        self.panes.log_cursor = None;
    }

    /// The fault under the cursor: the chosen one, or the newest.
    pub fn selected_fault<'a>(&self, world: &'a World) -> Option<&'a FaultView> {
        let chosen = self.fault.and_then(|id| world.faults.iter().find(|fault| fault.id == id));
        chosen.or(world.faults.last())
    }

    /// The election under the cursor: the chosen one, or the newest.
    pub fn selected_election<'a>(&self, world: &'a World) -> Option<&'a ElectionView> {
        let latest = &world.elections.latest;
        let chosen = self.election.and_then(|ordinal| latest.iter().find(|election| election.ordinal == ordinal));
        chosen.or(latest.back())
    }
}

/// The screens, in the order of their numbers.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Screen {
    /// 1: the nodes and the log.
    #[default]
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
    #[default]
    Nodes,
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
    /// The row of the log under the cursor; the newest one while it follows.
    pub fn selected_news(&self, kept: &KeptRows) -> Option<Arc<Row>> {
        match self.log_cursor {
            Some(number) => kept.get(number).cloned(),
            None => kept.news_before(u64::MAX).next().map(|(_, row)| row).cloned(),
        }
    }

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

/// The place on the messages screen.
#[derive(Clone, Default, Debug)]
pub struct MessagesPlace {
    /// The number of the row under the cursor, when it does not follow.
    pub cursor: Option<u64>,
    /// Whether it follows.
    pub follow: Follow,
    /// What it shows.
    pub filter: Filter,
    /// Where it shows the receipt of a message whose sending it shows.
    pub receipts: Receipts,
}

/// Where the messages screen shows the receipt of a message.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Receipts {
    /// As a sign in the row of its sending.
    #[default]
    Folded,
    /// In a row of its own too, which says what the receiver did then.
    Shown,
}

/// Whether the screen keeps the newest message in sight.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Follow {
    /// The newest message stays in sight.
    #[default]
    On,
    /// The cursor stays on its row.
    Off,
}

impl MessagesPlace {
    /// The cursor goes with the newest message.
    pub fn follow_newest(&mut self) {
        (self.cursor, self.follow) = (None, Follow::On);
    }

    /// The cursor stays on this row.
    pub fn stay_on(&mut self, row: u64) {
        (self.cursor, self.follow) = (Some(row), Follow::Off);
    }

    /// The number of the row under the cursor: the newest that is shown while it follows.
    pub fn selected(&self, kept: &KeptRows) -> Option<u64> {
        let shown = |(number, row): (u64, &Arc<Row>)| self.shows(row, kept).then_some(number);
        match self.cursor {
            Some(cursor) => kept.from(cursor).find_map(shown).or_else(|| kept.newest().find_map(shown)),
            None => kept.newest().find_map(shown),
        }
    }

    /// Whether this row is shown: it passes the filter, and is no receipt that its sending tells of.
    pub fn shows(&self, row: &Row, kept: &KeptRows) -> bool {
        let is_folded = || self.receipts == Receipts::Folded && kept.sendings().has_sending_of(row);
        self.filter.passes(row) && !is_folded()
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
    /// The cursor is on the line of the selected node's process, and goes with it.
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
    /// The record's number; 0 if it has none.
    pub number: u64,
    /// The lines that its step went through.
    pub lines: Vec<LineNumber>,
}

/// With more nodes than these, the ones that faults are about come first in the matrix of links.
const BY_ID_MAX: usize = 12;
/// The drawing has room for this many processes.
pub const DRAWN_MAX: usize = 16;

/// The place on the links screen.
#[derive(Copy, Clone, Default, Debug)]
pub struct LinksPlace {
    /// The sender and the receiver of the link under the cursor; absent: a link on which something is in force.
    pub cursor: Option<(NodeId, NodeId)>,
    /// What is shown.
    pub look: LinksLook,
}

impl LinksPlace {
    /// The nodes in the order of the matrix.
    pub fn ends(world: &World) -> Vec<NodeId> {
        let all: Vec<NodeId> = world.nodes.keys().copied().collect();
        if all.len() <= BY_ID_MAX {
            return all;
        }
        let touched = Topology::of(world).touched();
        let (mut first, rest): (Vec<NodeId>, Vec<NodeId>) = all.into_iter().partition(|node| touched.contains(*node));
        first.extend(rest);
        first
    }

    /// The link under the cursor, or the first one on which something is in force, or the first one.
    pub fn selected(&self, world: &World) -> Option<(NodeId, NodeId)> {
        let is_there = |(from, to): &(NodeId, NodeId)| world.nodes.contains_key(from) && world.nodes.contains_key(to);
        if let Some(cursor) = self.cursor.filter(is_there) {
            return Some(cursor);
        }
        let topology = Topology::of(world);
        let ends: Vec<NodeId> = topology.touched().iter().collect();
        let mut links = ends.iter().flat_map(|from| ends.iter().map(move |to| (*from, *to)));
        let is_held = |link: &(NodeId, NodeId)| topology.queue(link.0, link.1).is_some();
        let is_touched = |link: &(NodeId, NodeId)| !topology.faults(link.0, link.1).is_empty();
        let found = links.clone().find(is_held).or_else(|| links.find(is_touched));
        found.or_else(|| {
            let mut ends = world.nodes.keys().copied();
            let first = ends.next()?;
            Some((first, ends.next().unwrap_or(first)))
        })
    }
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
