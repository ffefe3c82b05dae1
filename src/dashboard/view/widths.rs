//! How much room the lanes of the flow have, how many rows the log beside other panes has, and how many of these messages
//! for a while may take.
//!
//! Invariants: more than half of what the time leaves is for lanes, and the words have the rest. Where the log is a pane,
//! its title and two of its rows stay.

use super::paint;
use protocol::NodeId;

/// The columns of the time.
pub const TIME_WIDTH: u16 = 9;
/// The narrowest lane.
const LANE_WIDTH_MIN: u16 = 3;
/// The widest lane.
const LANE_WIDTH_MAX: u16 = 8;
/// A lane without words is made no narrower than this for the words of the rows.
const BARE_LANE_WIDTH: u16 = 6;
/// This many columns hold the words of most rows.
const WORDS_WIDTH: u16 = 50;

/// Whether words stand above the lanes, besides their names.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum LaneWords {
    /// What the processes do.
    Said,
    /// None.
    Unsaid,
}

/// How wide each of these lanes is, in an area of this width.
pub fn lane_width(width: u16, lanes: usize, words: LaneWords) -> u16 {
    let lanes = u16::try_from(lanes).unwrap_or(u16::MAX).max(1);
    let most = (room(width) / lanes).clamp(LANE_WIDTH_MIN, LANE_WIDTH_MAX);
    match words {
        LaneWords::Said => most,
        LaneWords::Unsaid => {
            (width.saturating_sub(TIME_WIDTH + 1 + WORDS_WIDTH) / lanes).max(BARE_LANE_WIDTH).min(most)
        }
    }
}

/// The columns for lanes in an area of this width.
fn room(width: u16) -> u16 {
    width.saturating_sub(TIME_WIDTH) * 11 / 20
}

/// How many lanes fit in an area of this width, if each has to have at least so many columns for its name.
pub fn lanes_that_fit(width: u16, name: u16) -> usize {
    usize::from(room(width) / LANE_WIDTH_MIN.max(name + 1))
}

/// The columns of the longest of these nodes' numbers.
pub fn name_columns(nodes: &[NodeId]) -> u16 {
    nodes.iter().map(|node| paint::width(&node.to_string())).max().unwrap_or(1)
}

/// From this size of the terminal on, the panes stand side by side.
const WIDE_FROM: (u16, u16) = (130, 40);
/// The log beside other panes has at least this many rows, with its title.
const LOG_ROWS_MIN: u16 = 5;

/// Whether a terminal of this size has room for all panes side by side.
pub fn is_wide((width, height): (u16, u16)) -> bool {
    width >= WIDE_FROM.0 && height >= WIDE_FROM.1
}

/// The rows of the log beside other panes, with its title, of so many rows for all panes.
pub fn log_rows(full: u16) -> u16 {
    (full / 9).max(LOG_ROWS_MIN)
}

/// How many rows messages for a while may take on a terminal of this size. Side by side, the log keeps two rows and its
/// title.
pub fn told_most(size: (u16, u16)) -> u16 {
    match size {
        (_, height) if height < 30 => 2,
        (_, height) if is_wide(size) => (log_rows(height - 4) - 3).min(4),
        _ => 4,
    }
}
