//! What a log holds, author by author: how many of its updates each coordinator has done. It is used without the
//! majority rule. (Garcia-Molina 1982, section IV.B, has the history of the groups tell which updates conflict; that the
//! updates have a history of their own is ours: a half that keeps its coordinator stays in its old group.)
//!
//! A coordinator has all its own updates in its safe cells, so each of them builds on those that it did before. A log
//! that has an update has all that this one builds on. So the numbers name the content of a log.
//!
//! Invariant: each author is in it once, in the order of ids, with a number above 0.

use serde::{Deserialize, Serialize};

use protocol::NodeId;

/// How many updates of each author a log has.
#[derive(Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct LogVersion(Box<[(NodeId, u32)]>);

impl LogVersion {
    /// How many of this author.
    pub fn of(&self, author: NodeId) -> u32 {
        self.0.binary_search_by_key(&author, |(of, _)| *of).map_or(0, |place| self.0[place].1)
    }

    /// How many there are together.
    pub fn total(&self) -> u32 {
        self.0.iter().fold(0, |total, (_, updates)| total.saturating_add(*updates))
    }

    /// Whether it has all that the other has.
    pub fn covers(&self, other: &LogVersion) -> bool {
        other.0.iter().all(|(author, updates)| self.of(*author) >= *updates)
    }

    /// With another update of this author.
    pub fn with_next_of(&self, author: NodeId) -> LogVersion {
        let mut entries = self.0.to_vec();
        match entries.binary_search_by_key(&author, |(of, _)| *of) {
            Ok(place) => entries[place].1 = entries[place].1.saturating_add(1),
            Err(place) => entries.insert(place, (author, 1)),
        }
        LogVersion(entries.into())
    }

    /// How many authors there are.
    pub fn authors(&self) -> usize {
        self.0.len()
    }
}
