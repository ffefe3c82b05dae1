//! Stamps: when something happened, in lab time.
//!
//! Invariant: stamps compare across the nodes of a lab, real and simulated.

use protocol::NodeId;
use record::{Body, Record};

/// When something happened.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub struct Stamp {
    /// Lab time: nanoseconds since the lab began; negative before that.
    pub at: i64,
}

impl Stamp {
    /// The stamp of this moment of lab time, in nanoseconds.
    pub fn of(lab: u64) -> Stamp {
        Stamp { at: i64::try_from(lab).unwrap_or(i64::MAX) }
    }

    /// Lab time as machines count with it, in nanoseconds: none runs before the lab began.
    pub fn lab(self) -> u64 {
        u64::try_from(self.at).unwrap_or(0)
    }

    /// A record of this moment.
    pub fn record(self, node: Option<NodeId>, body: Body) -> Record {
        Record { node, ..Record::of_host(self.at, body) }
    }
}
