//! The order of a log without the majority rule: each update with what it builds on, and which of them conflict.
//!
//! An update builds on all that its coordinator had in its log when it began it. Two updates conflict if neither builds on
//! the other: then neither group knew of the other's (Garcia-Molina 1982, section IV.B). No update comes before one that
//! it builds on; of two that conflict, the one that builds on fewer comes first, then the one of the lower coordinator.
//! (This order is ours.)
//!
//! Invariant: equal sets of updates are in one order; the vertices stand as the updates of the log do.

use super::message::BuiltUpdate;
use super::version::LogVersion;
use crate::protocol::{CONFLICTS_MAX, ConflictList, ConflictingUpdate, LoggedUpdate, NodeId};

/// How many bytes of updates a message holds, at most. One always goes.
const PART_BYTES: usize = 700;

/// What the updates of a log build on.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub(super) struct UpdateGraph {
    version: LogVersion,
    vertices: Vec<UpdateVertex>,
    conflicts: ConflictList,
}

/// One of them.
#[derive(Clone, Eq, PartialEq, Debug)]
struct UpdateVertex {
    author: NodeId,
    after: LogVersion,
    /// With how many others it conflicts.
    against: u32,
}

impl UpdateVertex {
    /// Which of its author's updates it is, from 1.
    fn number(&self) -> u32 {
        self.after.of(self.author).saturating_add(1)
    }

    fn builds_on(&self, other: &UpdateVertex) -> bool {
        self.after.of(other.author) >= other.number()
    }

    fn place(&self) -> (u32, NodeId, u32) {
        (self.after.total(), self.author, self.number())
    }
}

impl UpdateGraph {
    pub fn version(&self) -> &LogVersion {
        &self.version
    }

    pub fn conflicts(&self) -> &ConflictList {
        &self.conflicts
    }

    /// Another update of this author builds on all.
    pub fn append(&mut self, author: NodeId) {
        let after = self.version.clone();
        self.version = after.with_next_of(author);
        self.vertices.push(UpdateVertex { author, after, against: 0 });
    }

    /// Puts those that are new where they belong, up to one that builds on something that is not here. Returns the new
    /// ones, and before which place nothing has changed.
    pub fn join(&mut self, updates: &mut Vec<LoggedUpdate>, part: &[BuiltUpdate]) -> (Vec<LoggedUpdate>, usize) {
        let (mut new, mut first) = (Vec::new(), updates.len());
        for BuiltUpdate { update, after } in part {
            let author = update.by.task.author;
            let mut vertex = UpdateVertex { author, after: after.clone(), against: 0 };
            if vertex.number() <= self.version.of(author) {
                continue;
            }
            if !self.version.covers(after) {
                break;
            }
            for other in &mut self.vertices {
                if !other.builds_on(&vertex) && !vertex.builds_on(other) {
                    (other.against, vertex.against) = (other.against + 1, vertex.against + 1);
                }
            }
            let place = self.vertices.partition_point(|other| other.place() < vertex.place());
            self.version = self.version.with_next_of(author);
            self.vertices.insert(place, vertex);
            updates.insert(place, *update);
            new.push(*update);
            first = first.min(place);
        }
        if !new.is_empty() {
            self.conflicts = self.list(updates);
        }
        (new, first)
    }

    fn list(&self, updates: &[LoggedUpdate]) -> ConflictList {
        let mut list = ConflictList::default();
        let all = self.vertices.iter().zip(updates).zip(1..);
        for ((vertex, update), position) in all.filter(|((vertex, _), _)| vertex.against > 0) {
            list.updates += 1;
            list.pairs += u64::from(vertex.against);
            *list.under.entry(vertex.author).or_default() += 1;
            list.last.push(ConflictingUpdate { position, update: *update, others: vertex.against });
        }
        // Both of a pair have counted it.
        list.pairs /= 2;
        list.last.drain(..list.last.len().saturating_sub(CONFLICTS_MAX));
        list
    }

    /// All updates with what they build on.
    pub fn built<'a>(&'a self, updates: &'a [LoggedUpdate]) -> impl Iterator<Item = BuiltUpdate> + 'a {
        let with = |(vertex, update): (&UpdateVertex, &LoggedUpdate)| BuiltUpdate {
            update: *update,
            after: vertex.after.clone(),
        };
        self.vertices.iter().zip(updates).map(with)
    }

    /// The next ones that a log of this version lacks.
    pub fn lacking(&self, updates: &[LoggedUpdate], version: &LogVersion) -> Box<[BuiltUpdate]> {
        let is_lacking = |vertex: &UpdateVertex| vertex.number() > version.of(vertex.author);
        let all = self.vertices.iter().zip(updates).filter(|(vertex, _)| is_lacking(vertex));
        let mut part = Vec::new();
        let mut room = PART_BYTES;
        for (vertex, update) in all {
            // The most that they take: numbers in their longest form.
            let bytes = 42 + 6 * vertex.after.authors();
            if bytes > room && !part.is_empty() {
                break;
            }
            room = room.saturating_sub(bytes);
            part.push(BuiltUpdate { update: *update, after: vertex.after.clone() });
        }
        part.into()
    }
}
