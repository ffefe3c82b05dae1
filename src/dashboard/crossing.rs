//! The state of the links screen.
//!
//! Invariant: the cursor names nodes, so faults that come or go do not move it once a person has moved it.

use protocol::NodeId;

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
