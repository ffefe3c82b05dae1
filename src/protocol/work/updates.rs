//! Updates of a replicated counter, as messages, safe cells, panels and the judge name them (Garcia-Molina 1982, section
//! IV.B: restricted operations).
//!
//! Invariant: a transaction has one name for ever; two logs with one digest at one length are equal.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{NodeId, NodeSet, OrderId, Status, TaskId, WeightShare};

/// The most updates that a log may have room for.
pub const LOG_MAX: u32 = 4_096;

/// The most conflicting updates that a process names.
pub const CONFLICTS_MAX: usize = 8;

/// Names one attempt of a coordinator to do an update with its group.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct TransactionId {
    /// The task of the group. Its author is the coordinator, which alone decides.
    pub task: TaskId,
    /// Which attempt under this task, from 1.
    pub attempt: u32,
}

impl fmt::Display for TransactionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.task, self.attempt)
    }
}

/// An update that is in the log.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct LoggedUpdate {
    /// The name.
    pub id: OrderId,
    /// What it adds to the counter.
    pub value: i32,
    /// The transaction that did it.
    pub by: TransactionId,
}

/// An update that its voters are asked about. A voter that has said yes is in doubt until it learns the outcome.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct PreparedUpdate {
    /// The update.
    pub update: LoggedUpdate,
    /// The place in the log, from 1.
    pub position: u32,
    /// Those who must all say yes. The coordinator is one of them.
    pub voters: NodeSet,
}

/// Stands for the content of a log up to some place: it fits a JSON number.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogDigest(u64);

impl LogDigest {
    /// The digest of the log that goes on with this update (FNV-1a over its fields).
    pub fn after(self, update: &LoggedUpdate) -> LogDigest {
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const BITS: u64 = (1 << 52) - 1;
        let LoggedUpdate { id, value, by: TransactionId { task, attempt } } = update;
        let fields = [
            self.0,
            u64::from(id.node.get()),
            u64::from(id.incarnation.0),
            u64::from(id.serial),
            u64::from(value.cast_unsigned()),
            u64::from(task.author.get()),
            u64::from(task.incarnation.0),
            u64::from(task.serial),
            u64::from(*attempt),
        ];
        let bytes = fields.iter().flat_map(|field| field.to_le_bytes());
        let hash = bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
        LogDigest((hash ^ hash >> 52) & BITS)
    }
}

impl fmt::Display for LogDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:013x}", self.0)
    }
}

/// Two-phase commit blocks: nobody in the group knows the outcome of an update, and nobody in it may abort it.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct BlockedUpdate {
    /// The place in the log.
    pub position: u32,
    /// Those who may know.
    pub knows: NodeSet,
}

impl fmt::Display for BlockedUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockedUpdate { position, knows } = self;
        match knows.len() {
            1 => write!(f, "update {position}, only {knows} knows"),
            _ => write!(f, "update {position}, only {knows} may know"),
        }
    }
}

/// An update of a log that conflicts with others: neither builds on the other.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ConflictingUpdate {
    /// The place in the log.
    pub position: u32,
    /// The update.
    pub update: LoggedUpdate,
    /// With how many others it conflicts.
    pub others: u32,
}

/// All updates of a log that conflict. None do while only groups with a majority do updates.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ConflictList {
    /// How many there are.
    pub updates: u32,
    /// How many pairs conflict.
    pub pairs: u64,
    /// How many of the updates each coordinator has done, in the order of ids.
    pub under: Vec<(NodeId, u32)>,
    /// The last ones in the log, at most [`CONFLICTS_MAX`].
    pub last: Vec<ConflictingUpdate>,
}

/// What a panel says of it, as a fragment.
impl fmt::Display for ConflictList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let under: Vec<String> = self.under.iter().map(|(node, updates)| format!("{updates} under {node}")).collect();
        write!(f, "{} in conflict: {}", self.updates, under.join(", "))
    }
}

/// Why an order is refused. A refused update is not done.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalReason {
    /// The process is not in Normal.
    NotNormal(Status),
    /// Those who take part are no majority of all nodes.
    NoMajority {
        /// How many take part.
        have: u16,
        /// How many nodes there are.
        of: u16,
    },
    /// The copies of those that take part do not weigh more than half of all.
    NoWeight(WeightShare),
    /// So many orders wait already.
    QueueFull(u16),
    /// The log has room for no more than so many updates.
    LogFull(u32),
    /// The outcome of an earlier update is not known.
    Blocked(BlockedUpdate),
}

impl RefusalReason {
    /// Whether only a coordinator says so that has a majority, and has settled everything that is in doubt there.
    pub fn is_after_settling(self) -> bool {
        matches!(self, RefusalReason::LogFull(_))
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalReason::NotNormal(status) => write!(f, "not Normal ({status})"),
            RefusalReason::NoMajority { have, of } => write!(f, "{have} of {of}: no majority"),
            RefusalReason::NoWeight(share) => write!(f, "{share}: no majority of the weight"),
            RefusalReason::QueueFull(waiting) => write!(f, "{waiting} orders wait already"),
            RefusalReason::LogFull(most) => write!(f, "the log is full with {most} updates"),
            RefusalReason::Blocked(blocked) => write!(f, "blocked: {blocked}"),
        }
    }
}

/// What a process refused last.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct RefusedUpdate {
    /// How many orders it has refused in this life.
    pub times: u32,
    /// What the last one would have added.
    pub value: i32,
    /// Why.
    pub why: RefusalReason,
}

/// What a process acknowledged last: an update that was ordered here and is in its log.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct AcknowledgedUpdate {
    /// How many orders it has acknowledged in this life.
    pub times: u32,
    /// The update.
    pub id: OrderId,
    /// The place in the log.
    pub position: u32,
}

/// A process's part in the updates of a replicated counter.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct UpdateWork {
    /// How many updates are in its log, which is in its safe cells.
    pub length: u32,
    /// What they add up to.
    pub counter: i64,
    /// The digest of the log.
    pub digest: LogDigest,
    /// The last update of the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LoggedUpdate>,
    /// What it is in doubt about: prepared, with an outcome that it does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_doubt: Option<PreparedUpdate>,
    /// At a coordinator: why no update is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<BlockedUpdate>,
    /// How many orders wait here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting: u16,
    /// What it refused last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedUpdate>,
    /// What it acknowledged last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<AcknowledgedUpdate>,
    /// What this step took in of another group's log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnt: Vec<LoggedUpdate>,
    /// The updates of its log that conflict, if any do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Box<ConflictList>>,
}

impl UpdateWork {
    /// How many updates of its log conflict.
    pub fn in_conflict(&self) -> u32 {
        self.conflicts.as_ref().map_or(0, |list| list.updates)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(number: &u16) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Incarnation;

    fn update(serial: u32, attempt: u32) -> LoggedUpdate {
        let node = NodeId::new(3).unwrap();
        let task = TaskId { author: node, incarnation: Incarnation(1), serial: 2 };
        let id = OrderId { node, incarnation: Incarnation(1), serial };
        LoggedUpdate { id, value: -7, by: TransactionId { task, attempt } }
    }

    #[test]
    fn a_digest_depends_on_each_update_and_on_their_order() {
        let (a, b) = (update(1, 1), update(2, 2));
        let empty = LogDigest::default();
        let digests = [empty, empty.after(&a), empty.after(&b), empty.after(&a).after(&b), empty.after(&b).after(&a)];
        let mut several = digests.to_vec();
        several.sort();
        several.dedup();
        assert_eq!(several.len(), digests.len());
        assert!(digests.iter().all(|digest| digest.0 < 1 << 53));
        assert_ne!(empty.after(&a), empty.after(&LoggedUpdate { value: 7, ..a }));
    }

    #[test]
    fn a_refusal_and_a_block_say_why() {
        let why = RefusalReason::NoMajority { have: 2, of: 5 };
        assert_eq!(why.to_string(), "2 of 5: no majority");
        let knows = "5".parse().unwrap();
        let blocked = RefusalReason::Blocked(BlockedUpdate { position: 17, knows });
        assert_eq!(blocked.to_string(), "blocked: update 17, only 5 knows");
        let knows = "1,5".parse().unwrap();
        assert_eq!(BlockedUpdate { position: 2, knows }.to_string(), "update 2, only 1,5 may know");
        assert_eq!(RefusalReason::NotNormal(Status::Election).to_string(), "not Normal (Election)");
    }

    #[test]
    fn a_work_is_read_as_it_was_written() {
        let prepared = PreparedUpdate { update: update(2, 2), position: 2, voters: "1-5".parse().unwrap() };
        let work = UpdateWork {
            length: 1,
            counter: -7,
            digest: LogDigest::default().after(&update(1, 1)),
            last: Some(update(1, 1)),
            in_doubt: Some(prepared),
            ..UpdateWork::default()
        };
        let text = serde_json::to_string(&work).unwrap();
        assert_eq!(serde_json::from_str::<UpdateWork>(&text).unwrap(), work);
        assert!(!text.contains("waiting") && !text.contains("conflicts"), "{text}");
        let last = vec![ConflictingUpdate { position: 1, update: update(1, 1), others: 1 }];
        let conflicts = ConflictList { updates: 2, pairs: 1, under: vec![(NodeId::new(3).unwrap(), 2)], last };
        let work = UpdateWork { learnt: vec![update(2, 2)], conflicts: Some(Box::new(conflicts)), ..work };
        let text = serde_json::to_string(&work).unwrap();
        // A state is read as a part of a record.
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::from_value::<UpdateWork>(value).unwrap(), work);
    }
}
