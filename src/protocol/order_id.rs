//! The name of what a user has ordered of a process.
//!
//! Invariant: it is never given twice, whatever the process has lost.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Incarnation, NodeId};

/// Names a user's order: who took it, in which life, and which order of that life it was.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct OrderId {
    /// The node that took the order.
    pub node: NodeId,
    /// The incarnation then.
    pub incarnation: Incarnation,
    /// Which of its orders, from 1.
    pub serial: u32,
}

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.node, self.incarnation, self.serial)
    }
}
