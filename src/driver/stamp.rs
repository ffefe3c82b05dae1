//! Stamps: when something happened, on the clock that all processes of this computer share and in lab time.
//!
//! Invariant: a stamp's `at` compares across processes, and in a simulation across its nodes.

use crate::protocol::NodeId;
use crate::record::{Body, Record};

/// When something happened.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub struct Stamp {
    /// Nanoseconds since the lab began; negative before that.
    pub at: i64,
    /// Lab time in nanoseconds; no machine runs before the lab began, so it is never negative there.
    pub lab: u64,
}

impl Stamp {
    /// A record of this moment.
    pub fn record(self, node: Option<NodeId>, body: Body) -> Record {
        // Before the lab begins, a record's lab time is negative and the same as `at`. A stamp's lab time cannot be
        // negative, since machines count with it, and no machine runs so early.
        let lab = if self.at < 0 { self.at } else { i64::try_from(self.lab).unwrap_or(i64::MAX) };
        Record { number: 0, at: self.at, lab, node, body }
    }
}
