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
use protocol::{CONFLICTS_MAX, ConflictList, ConflictingUpdate, LoggedUpdate, NodeId, NodeMap};

/// How many bytes of updates a message holds, at most. One always goes.
const PART_BYTES: usize = 700;

/// What the updates of a log build on.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub(super) struct UpdateGraph {
    version: LogVersion,
    vertices: Vec<UpdateVertex>,
    conflicts: Option<ConflictList>,
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

    pub fn conflicts(&self) -> Option<&ConflictList> {
        self.conflicts.as_ref()
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
            self.conflicts = Some(self.list(updates)).filter(|list| list.updates > 0);
        }
        (new, first)
    }

    fn list(&self, updates: &[LoggedUpdate]) -> ConflictList {
        let mut list = ConflictList::default();
        let mut under: NodeMap<u32> = NodeMap::new();
        let all = self.vertices.iter().zip(updates).zip(1..);
        for ((vertex, update), position) in all.filter(|((vertex, _), _)| vertex.against > 0) {
            list.updates += 1;
            list.pairs += u64::from(vertex.against);
            *under.get_or_default(vertex.author) += 1;
            list.last.push(ConflictingUpdate { position, update: *update, others: vertex.against });
        }
        list.under = under.into_iter().collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::updates::log::UpdateLog;
    use protocol::{Incarnation, LogDigest, OrderId, TaskId, TransactionId};

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    /// The update of this serial under this coordinator; it adds its serial.
    fn update(under: u16, serial: u32) -> LoggedUpdate {
        let task = TaskId { author: node(under), incarnation: Incarnation(1), serial: 1 };
        let id = OrderId { node: node(under), incarnation: Incarnation(1), serial };
        LoggedUpdate { id, value: serial as i32, by: TransactionId { task, attempt: serial } }
    }

    /// This log, and then so many updates under this coordinator.
    fn then(log: &UpdateLog, under: u16, serials: std::ops::RangeInclusive<u32>) -> UpdateLog {
        let mut log = log.clone();
        serials.for_each(|serial| log.append(update(under, serial)));
        log
    }

    /// What the first takes in of the second, and the first then.
    fn joined(one: &UpdateLog, other: &UpdateLog) -> (Vec<LoggedUpdate>, UpdateLog) {
        let mut log = one.clone();
        (log.join(&other.built()), log)
    }

    #[test]
    fn two_logs_join_in_one_order() {
        let common = then(&UpdateLog::graph_of(&[]), 5, 1..=2);
        let (left, right) = (then(&common, 2, 1..=2), then(&common, 5, 3..=5));
        assert!(left.conflicts().is_none() && right.conflicts().is_none());
        let (new, log) = joined(&left, &right);
        assert_eq!(new, [3, 4, 5].map(|serial| update(5, serial)));
        assert_eq!(log, joined(&right, &left).1);
        let order = [(5, 1), (5, 2), (2, 1), (5, 3), (2, 2), (5, 4), (5, 5)].map(|(under, of)| update(under, of));
        assert_eq!((log.updates(), log.counter(), log.length()), (&order[..], 18, 7));
        assert_eq!(log.digest(), order.iter().fold(Default::default(), |digest: LogDigest, of| digest.after(of)));
        let conflicts = log.conflicts().unwrap();
        assert_eq!((conflicts.updates, conflicts.pairs), (5, 6));
        assert_eq!(conflicts.under, [(node(2), 2), (node(5), 3)]);
        let last: Vec<(u32, u32)> = conflicts.last.iter().map(|of| (of.position, of.others)).collect();
        assert_eq!(last, [(3, 3), (4, 2), (5, 3), (6, 2), (7, 2)]);
        assert_eq!(conflicts.to_string(), "5 in conflict: 2 under 2, 3 under 5");
        // What comes then builds on all of them.
        let later = then(&log, 2, 3..=3);
        assert_eq!((later.conflicts().unwrap(), UpdateLog::graph_of(&later.built())), (conflicts, later.clone()));
        assert_eq!(joined(&left, &later).1, later);
    }

    #[test]
    fn what_does_not_follow_is_left_out() {
        let common = then(&UpdateLog::graph_of(&[]), 5, 1..=2);
        let log = then(&common, 2, 1..=2);
        assert_eq!(joined(&log, &common), (vec![], log.clone()));
        let mut empty = UpdateLog::graph_of(&[]);
        assert_eq!(empty.join(&log.built()[1..]), []);
        assert_eq!(empty, UpdateLog::graph_of(&[]));
        assert_eq!(UpdateLog::default().join(&log.built()), [], "a line takes none");
    }

    #[test]
    fn a_log_comes_in_parts() {
        let mut log = UpdateLog::graph_of(&[]);
        (1..=256).rev().for_each(|under| log.append(update(under, 1)));
        (2..=4_000).for_each(|serial| log.append(update(256, serial)));
        let (mut other, mut parts) = (UpdateLog::graph_of(&[]), 0);
        while other != log {
            let part = log.lacking(&other.version());
            let bytes = bincode::serde::encode_to_vec(&part, bincode::config::standard()).unwrap().len();
            assert!(bytes <= 1_090, "{bytes} bytes");
            assert_eq!(other.join(&part).len(), part.len());
            parts += 1;
            if parts > 300 {
                // One by one: enough of that.
                break;
            }
        }
        assert!(other.length() > 256);
        let version = bincode::serde::encode_to_vec(log.version(), bincode::config::standard()).unwrap();
        assert!(version.len() <= 1_090, "{} bytes", version.len());
    }
}
