//! King, Gendreau and Ni 1988, "Distributed election in computer networks": elections by broadcast.
//!
//! Invariant: a transition is cited by the paper's own number; what mends a hole of the paper has a number from 100.

pub mod a;
pub mod agreement;
pub mod b1;
pub mod b2;
pub mod c;
pub mod succession;
#[cfg(test)]
mod tests;
pub mod watch;

use std::fmt;

use serde::{Deserialize, Serialize};

use protocol::{Line, NodeId, SettingCard, SettingKind};

/// The number of an election (mend of hole 6): whoever begins one takes a higher number than any it has seen.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElectionNumber(pub u64);

impl ElectionNumber {
    /// The number of the election that follows this one.
    pub fn next(self) -> ElectionNumber {
        ElectionNumber(self.0.saturating_add(1))
    }
}

impl fmt::Display for ElectionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The guards of the holes, by their numbers in the Cards. A hole without a guard of its own is mended with another: 12
/// and 13 with 3, for they need the round; 5 and 15 with 6, for they need the election number.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Hole {
    H1,
    H2,
    H3,
    H4,
    H6,
    H7,
    H8,
    H9,
    H10,
    H11,
    H14,
}

/// The processes that may be elected: a setting of each algorithm.
const CANDIDATES: SettingCard = SettingCard {
    name: "candidates",
    kind: SettingKind::Nodes,
    about: "Who may be elected; the others have capacity -1.",
};

/// A line of a listing.
const fn line(number: u16, procedure: &'static str, text: &'static str) -> Line {
    Line::new(number, procedure, text)
}

/// `max(S)`: the largest capacity, and of equal ones the larger id. A list with nothing above -1 elects nobody.
pub(crate) fn largest(candidates: impl Iterator<Item = (NodeId, i64)>) -> Option<NodeId> {
    let able = candidates.filter(|(_, capacity)| *capacity >= 0);
    able.map(|(node, capacity)| (capacity, node)).max().map(|(_, node)| node)
}
