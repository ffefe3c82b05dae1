//! The state vector of Garcia-Molina 1982, wide enough for every algorithm of the lab.
//!
//! Invariant: two equal state vectors look the same to every panel and to the judge.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Incarnation, NodeId, NodeSet};

/// The common status `s`. An algorithm's own word for it stands beside it in [`StateVector::word`].
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Since a crash and until the first election; in King and Ni's tables the phase `normal`, which has not begun.
    Down,
    /// An election is under way.
    Election,
    /// There is a coordinator; the task is being given out.
    Reorganization,
    /// At work under a coordinator (King and Ni: `stop` or `master`).
    Normal,
}

impl Status {
    /// The words of all of them, for algorithms that have no others.
    pub const WORDS: &[&str] = &["Down", "Election", "Reorganization", "Normal"];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        Status::WORDS[self as usize]
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The number `g` of a group: unique, and never used twice, across crashes too. Compared for equality only.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct GroupNumber {
    /// The node that made the number.
    pub node: NodeId,
    /// Its counter, saved before the number is sent.
    pub counter: u64,
}

impl fmt::Display for GroupNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.node, self.counter))
    }
}

/// The task definition `d`: what a coordinator gives out in Reorganization. Equal definitions are equal values.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The coordinator that computed it.
    pub author: NodeId,
    /// The author's incarnation then.
    pub incarnation: Incarnation,
    /// Which of the author's definitions in that incarnation.
    pub serial: u32,
    /// The group's members beside the author: where a member learns `Up` from.
    pub members: NodeSet,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}.{}", self.author, self.incarnation, self.serial))
    }
}

/// What a node holds of the election, as every panel and the judge see it.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct StateVector {
    /// The common status `s`.
    pub status: Status,
    /// The paper's own word for the status, such as `coll2`.
    pub word: Cow<'static, str>,
    /// The coordinator `c`; means something in Reorganization and Normal only.
    pub coordinator: Option<NodeId>,
    /// The group number `g`, where the algorithm has one.
    pub group: Option<GroupNumber>,
    /// The task definition `d`.
    pub task: Option<Task>,
    /// `Up`: who else is believed to be in the group; means something at a coordinator only.
    pub up: NodeSet,
    /// `h`: who halted it last.
    pub halted_by: Option<NodeId>,
    /// The number of the election, where the algorithm numbers them.
    pub election: Option<u64>,
}

impl StateVector {
    /// Whether it takes itself for the coordinator (a King and Ni master too).
    pub fn coordinates(&self, me: NodeId) -> bool {
        self.believes_in() == Some(me)
    }

    /// Whom it believes in: its coordinator, in the statuses in which that means something.
    pub fn believes_in(&self) -> Option<NodeId> {
        match self.status {
            Status::Reorganization | Status::Normal => self.coordinator,
            Status::Down | Status::Election => None,
        }
    }
}
