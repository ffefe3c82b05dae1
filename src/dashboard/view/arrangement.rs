//! Where each pane of the overview stands.
//!
//! On a small screen the nodes are a strip above the flow, on a larger one a table, and on a wide and tall one all panes
//! stand side by side.
//!
//! Invariant: no two panes overlap, and the pane that the keys move in is on the screen. The nodes come first: of up to
//! sixteen none is hidden while another pane has rows to spare, and a larger screen never shows fewer of them.

use ratatui::layout::Rect;

use super::node_groups::{folds, may_fold, node_groups};
use super::panel::narrator::narrator_rows;
use super::widths::{is_wide, lanes_that_fit, log_rows, name_columns};
use crate::input::action::FeedKind;
use crate::model::places::{NodeRows, Pane, Zoom};
use crate::model::{Model, Viewpoint};

/// The screen needs at least this many columns and rows.
pub const SMALLEST: (u16, u16) = (60, 16);
/// In fewer rows than these, the nodes are a strip above the flow.
const STRIP_BELOW: u16 = 25;
/// In a lab that tells something, so many rows are kept for its words when it is decided where the nodes stand.
const TOLD_ROWS: u16 = 8;
/// Where the nodes could be a strip, the flow below a table of them has at least this many rows.
const FLOW_ROWS_MIN: u16 = 18;
/// Where they could not, it keeps at least these.
const FLOW_ROWS_LEAST: u16 = 6;
/// The flow below a table of groups keeps at least this many rows.
const FOLDED_FLOW_ROWS_MIN: u16 = 14;
/// The flow among other panes keeps at least this many rows, with its title.
const WIDE_FLOW_ROWS_MIN: u16 = 8;
/// Words that are longer than what is kept for them leave it at least these.
const WIDE_FLOW_ROWS_LEAST: u16 = 3;
/// The table of the nodes keeps at least this many rows.
const TABLE_ROWS_MIN: u16 = 4;
/// A table of groups has as much room as one of so many nodes.
const FOLDED_ROWS: u16 = 5;
/// With this many rows for both, the log stands below the flow.
const LOG_BELOW: u16 = 30;
/// The rows of the timeline: the band, and names.
const TIMELINE_ROWS: u16 = 2;
/// Where the panes do not stand side by side, a session that is played has its band alone.
const BAND_ROWS: u16 = 1;
/// The rows of why, with its title.
const WHY_ROWS: u16 = 3;
/// What is told leaves the log beside other panes its title.
const LOG_TITLE_ROWS: u16 = 1;

/// Whether a terminal of this size is too small for the screen: it then says so, and shows nothing else.
pub fn shows_nothing((width, height): (u16, u16)) -> bool {
    width < SMALLEST.0 || height < SMALLEST.1
}

/// Where each pane stands.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// How they stand.
    pub shape: Shape,
    /// The panes in the order in which Tab walks them, each with its place; its title lies within.
    pub panes: Vec<(Pane, Rect)>,
    /// Where the timeline stands, if it does.
    pub timeline: Rect,
    /// Where the reasons of the selected node stand, if they are no pane.
    pub why: Rect,
    /// The columns between panes.
    pub gaps: Vec<Rect>,
}

/// How the panes stand.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Shape {
    /// The nodes are a strip above the lanes of the flow.
    Strip,
    /// The nodes are a table above the flow.
    Stacked,
    /// All panes stand side by side.
    Wide,
    /// One pane has the whole screen.
    Alone,
}

impl Arrangement {
    /// The panes in this area.
    pub fn of(model: &Model, area: Rect) -> Arrangement {
        let shared = Arrangement::shared(model, area);
        if model.places.panes.zoom == Zoom::Shared {
            return shared;
        }
        let focus = shared.focus(model);
        let (above, why) = parted(area, shared.why.height);
        let panes = vec![(focus, above)];
        Arrangement { shape: Shape::Alone, panes, timeline: Rect::ZERO, why, gaps: Vec::new() }
    }

    /// The panes on this model's terminal.
    pub fn now(model: &Model) -> Arrangement {
        Arrangement::of(model, body(model))
    }

    /// The panes when they share this area.
    fn shared(model: &Model, area: Rect) -> Arrangement {
        // A message for a while, or what is told, makes the flow lower, and changes nothing else.
        let full = Rect { height: model.size.1.saturating_sub(model.rows_of_head() + 1).max(area.height), ..area };
        // Amid a lesson no pane goes elsewhere when words come and go.
        let told = if model.is_told() { TOLD_ROWS } else { 0 };
        if is_wide(model.size) && rows_among_panes(model, full.height, told) >= rows_wanted(model) + WIDE_FLOW_ROWS_MIN
        {
            return Arrangement::wide(model, area, full.height);
        }
        // The band takes its row from the flow alone: all else stands as on a live screen.
        let band = if model.feed_kind() == FeedKind::Live { 0 } else { BAND_ROWS };
        let (above, timeline) = parted(area, band);
        let (above, why) = parted(above, why_rows(model, full));
        let whole = parted(full, why.height).0.height;
        let gaps = Vec::new();
        let is_low = whole.saturating_sub(told) < STRIP_BELOW.max(rows_wanted(model) + FLOW_ROWS_MIN);
        if model.vantage == Viewpoint::Lab
            && is_low
            && model.rows().len() <= lanes_that_fit(above.width, name_columns(&model.rows()))
        {
            let panes = vec![(Pane::Nodes, Rect { height: 0, ..above }), (Pane::Flow, above)];
            return Arrangement { shape: Shape::Strip, panes, timeline, why, gaps };
        }
        let words = narrator_rows(model);
        // Rows that the flow does not fill are the nodes'.
        let spare = whole.saturating_sub(words).saturating_sub(flow_rows(model));
        let rest = whole.saturating_sub(told.max(words));
        let most = rest.saturating_sub(FLOW_ROWS_LEAST).max(spare).max(TABLE_ROWS_MIN);
        let folded_most = whole.saturating_sub(FOLDED_FLOW_ROWS_MIN + 1).max(TABLE_ROWS_MIN);
        let (table, below) = split(above, table_rows(model, most, folded_most).min(above.height));
        let (flow, log) = parted(below, if below.height >= LOG_BELOW { below.height / 3 } else { 0 });
        let mut panes = vec![(Pane::Nodes, table), (Pane::Flow, flow)];
        if log.height > 0 {
            panes.push((Pane::Log, log));
        }
        Arrangement { shape: Shape::Stacked, panes, timeline, why, gaps }
    }

    fn wide(model: &Model, area: Rect, full: u16) -> Arrangement {
        // A message for a while takes its rows from the log alone, and nothing else moves; what is told takes more.
        let taken = full.saturating_sub(area.height);
        let (above, log) = parted(area, log_rows(full).saturating_sub(taken).max(LOG_TITLE_ROWS));
        let (above, timeline) = parted(above, TIMELINE_ROWS);
        let (above, why) = parted(above, wide_why_rows(model));
        let (above, told) = parted(above, lower_rows(full));
        let paper_width = (above.width * 34 / 100).clamp(44, 80);
        let (left, paper) = beside(above, above.width - paper_width - 1);
        // The rows of the pane's own title are no rows of its table.
        let most = left.height.saturating_sub(WIDE_FLOW_ROWS_LEAST + 1).max(TABLE_ROWS_MIN);
        let folded_most = left.height.saturating_sub(WIDE_FLOW_ROWS_MIN + 1).max(TABLE_ROWS_MIN);
        let (nodes, flow) = split(left, table_rows(model, most, folded_most) + 1);
        let mut panes = vec![(Pane::Nodes, nodes), (Pane::Flow, flow), (Pane::Paper, paper)];
        let mut gaps = vec![Rect { x: paper.x - 1, width: 1, ..above }];
        match model.vantage {
            // A node alone knows neither which assumptions were broken, nor why, nor which steps were taken.
            Viewpoint::Node(_) => panes.push((Pane::Election, told)),
            Viewpoint::Lab => {
                let (election, others) = beside(told, told.width * 4 / 10);
                let (assumptions, steps) = beside(others, others.width / 2);
                gaps.extend([assumptions, steps].map(|pane| Rect { x: pane.x - 1, width: 1, ..told }));
                panes.extend([(Pane::Election, election), (Pane::Assumptions, assumptions), (Pane::Steps, steps)]);
                panes.push((Pane::Why, why));
            }
        }
        panes.push((Pane::Log, log));
        Arrangement { shape: Shape::Wide, panes, timeline, why: Rect::ZERO, gaps }
    }

    /// The pane that the keys move in: the one they should move in, if it is here, else the flow or the only one.
    fn focus(&self, model: &Model) -> Pane {
        let is_here = |pane: Pane| self.panes.iter().any(|(here, _)| *here == pane);
        if is_here(model.places.panes.focus) { model.places.panes.focus } else { Pane::Flow }
    }

    /// Where this pane's title stands; absent if it has none.
    pub fn title(&self, pane: Pane) -> Option<Rect> {
        let is_titled = match self.shape {
            Shape::Wide | Shape::Alone => true,
            Shape::Stacked => pane == Pane::Log,
            Shape::Strip => false,
        };
        let (_, place) = self.panes.iter().find(|(here, _)| *here == pane)?;
        (is_titled && place.height > 0).then_some(Rect { height: 1, ..*place })
    }

    /// Where what is in this pane stands; of no size if the pane is not on the screen.
    pub fn inside(&self, pane: Pane) -> Rect {
        let place = self.panes.iter().find(|(here, _)| *here == pane).map_or(Rect::ZERO, |(_, place)| *place);
        split(place, self.title(pane).map_or(0, |title| title.height)).1
    }
}

/// Where screens stand on this model's terminal: below the header, above the footer.
pub fn body(model: &Model) -> Rect {
    let (width, height) = model.size;
    let told = model.toasts.rows(&model.theme, model.size);
    let above = rows_above(model);
    Rect { x: 0, y: above, width, height: height.saturating_sub(told.saturating_add(above + 1)) }
}

/// How many rows stand above a screen: the header, the screens' names, the work of an application, and what the lab
/// tells.
pub fn rows_above(model: &Model) -> u16 {
    model.rows_of_head() + narrator_rows(model)
}

/// The pane that the keys move in on the overview.
pub fn focus(model: &Model) -> Pane {
    Arrangement::shared(model, body(model)).focus(model)
}

/// The panes that Tab walks on the overview.
pub fn panes_here(model: &Model) -> Vec<Pane> {
    Arrangement::shared(model, body(model)).panes.into_iter().map(|(pane, _)| pane).collect()
}

/// How many rows the table of the nodes takes, with its titles. The first limit holds where each node has a row, the
/// second where each group has one.
fn table_rows(model: &Model, most: u16, folded_most: u16) -> u16 {
    let rows = |count: usize| u16::try_from(count).unwrap_or(u16::MAX / 2).saturating_add(1);
    if folds(model, usize::from(most - 1)) {
        // The selected process has a row of its own.
        rows(node_groups(model).len() + 1).min(folded_most)
    } else {
        rows(model.rows().len()).min(most)
    }
}

/// The rows that a pane of all nodes wants, with the titles.
fn rows_wanted(model: &Model) -> u16 {
    let is_folded = may_fold(model) && model.places.panes.nodes == NodeRows::Folded;
    let rows = if is_folded { FOLDED_ROWS } else { u16::try_from(model.rows().len()).unwrap_or(u16::MAX / 2) };
    rows.saturating_add(2)
}

/// Of so many rows for all panes side by side, those of the nodes and the flow, while so many are told.
fn rows_among_panes(model: &Model, full: u16, told: u16) -> u16 {
    let log = log_rows(full);
    let of_others = log + told.saturating_sub(log - LOG_TITLE_ROWS);
    full.saturating_sub(of_others + TIMELINE_ROWS + wide_why_rows(model) + lower_rows(full))
}

/// The rows of the panes below the flow and the paper.
fn lower_rows(full: u16) -> u16 {
    (full * 2 / 9).clamp(8, 14)
}

fn wide_why_rows(model: &Model) -> u16 {
    if model.vantage == Viewpoint::Lab { WHY_ROWS } else { 0 }
}

/// How many rows the flow fills at least: the names of its lanes, and a row for each thing that happened.
fn flow_rows(model: &Model) -> u16 {
    u16::try_from(model.seen().flow.folded().rows().len()).unwrap_or(u16::MAX - 1) + 1
}

fn why_rows(model: &Model, area: Rect) -> u16 {
    match model.vantage {
        Viewpoint::Node(_) => 0,
        Viewpoint::Lab if area.height < STRIP_BELOW => 1,
        Viewpoint::Lab => 2,
    }
}

/// This many rows, and the rest below them.
fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (Rect { height: rows, ..area }, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

/// All but this many rows, and these below.
fn parted(area: Rect, rows: u16) -> (Rect, Rect) {
    split(area, area.height.saturating_sub(rows))
}

/// This many columns, and after an empty one the rest.
fn beside(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    let x = (area.x + columns + 1).min(area.right());
    (Rect { width: columns, ..area }, Rect { x, width: area.right() - x, ..area })
}
