//! The history of the groups: a graph with groups for its vertices (Garcia-Molina 1982, section IV.B).
//!
//! Invariant: a group's number, members and depth never change; its parents are told whole or in pieces.

use serde::{Deserialize, Serialize};

use crate::{NodeId, NodeSet, TaskId};

/// The most groups that a process keeps in its history.
pub const HISTORY_MAX: u32 = 64;

/// The most parents that are told of a group at once. One with more is told in pieces.
pub const PARENTS_MAX: usize = 60;

/// A group that was formed.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct FormedGroup {
    /// The number: the name of the task that its coordinator gave out.
    pub number: TaskId,
    /// The members, with the coordinator.
    pub members: NodeSet,
    /// The groups in which its members were at work before, in order.
    pub parents: Box<[TaskId]>,
    /// The length of the longest way back to a group without parents, which has 1.
    pub depth: u32,
}

impl FormedGroup {
    /// The coordinator.
    pub fn coordinator(&self) -> NodeId {
        self.number.author
    }

    /// Adds what another piece of the same group tells of its parents. Returns whether anything was new.
    pub fn join_parents(&mut self, piece: &FormedGroup) -> bool {
        let before = self.parents.len();
        let mut parents: Vec<TaskId> = self.parents.iter().chain(&piece.parents).copied().collect();
        parents.sort_unstable();
        parents.dedup();
        self.parents = parents.into();
        self.parents.len() > before
    }

    /// The place in the graph.
    pub fn place(&self) -> GroupPlace {
        GroupPlace { depth: self.depth, number: self.number }
    }
}

/// Where a group stands in the graph: no group stands before one of its parents.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct GroupPlace {
    /// [`FormedGroup::depth`].
    pub depth: u32,
    /// [`FormedGroup::number`].
    pub number: TaskId,
}

/// What a process knows of the history of its group.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct HistoryWork {
    /// The group in which it is at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<FormedGroup>,
    /// Groups that this step told it of, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnt: Vec<FormedGroup>,
    /// How many groups it knows.
    pub groups: u32,
    /// A digest of these groups, in hexadecimal digits: equal where the histories are.
    pub digest: String,
    /// From whom it has not fetched all that it lacks.
    #[serde(default, skip_serializing_if = "NodeSet::is_empty")]
    pub fetches: NodeSet,
}
