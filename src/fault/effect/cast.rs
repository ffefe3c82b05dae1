//! The two channels on which datagrams travel, for a fault that acts on one of them.
//!
//! Invariant: every datagram is of one of the two; the copies and the relays of an ordered broadcast are multicasts.

use serde::{Deserialize, Serialize};

use crate::Passage;

protocol::worded! {
    /// What a datagram was sent by.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SendMode {
        /// To one receiver.
        Unicast = "unicast",
        /// To the group.
        Multicast = "multicast",
    }
}

impl SendMode {
    /// Whether the datagram travels on it.
    pub fn carries(self, passage: &Passage) -> bool {
        passage.multicast == (self == SendMode::Multicast)
    }
}
