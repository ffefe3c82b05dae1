//! The panes of the overview: which one the keys move in, and where.
//!
//! Invariant: the cursor of the flow names a record, so rows that come or change do not move it.

/// The panes of the overview.
#[derive(Copy, Clone, Default, Debug)]
pub struct Panes {
    /// The pane that the keys move in.
    pub focus: Pane,
    /// The number of the record whose row of the flow is under the cursor; absent while it follows.
    pub flow_cursor: Option<u64>,
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
}

/// Whether a pane has the whole screen.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Zoom {
    /// All panes share it.
    #[default]
    Shared,
    /// The flow has it.
    Flow,
}
