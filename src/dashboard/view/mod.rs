//! What is drawn: where everything stands, the words, the looks, the panels and the pages over them.
//!
//! Invariant: nothing here changes a model.

pub mod arrangement;
pub mod assumptions;
pub mod countdown;
pub mod grid;
pub mod lane_word;
pub mod layer;
pub mod listing;
pub mod mouse_targets;
pub mod node_groups;
pub mod paint;
pub mod pane_text;
pub mod panel;
pub mod theme;
pub mod why_line;
pub mod widths;
pub mod words;
