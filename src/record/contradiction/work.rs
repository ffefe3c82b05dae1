//! What an application has done wrong, in the order of the applications: shards, exclusion, history, copies, joining,
//! fencing, service, updates.
//!
//! Invariant: each kind has one sentence, which stands above it.

use serde::{Deserialize, Serialize};

use crate::stamp;
use protocol::{
    CopyVersion, DefinitionId, FencingNumber, HeldCopy, NodeId, NodeSet, OrderId, ServiceLog, ShardSet, TaskId,
    TransactionId, WeightShare,
};

/// What is wrong with the work of an application.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the sentence of each kind says what it and its fields are")]
pub enum WorkContradiction {
    #[error("{node} has lost the results of shards {lost}")]
    LostResults { node: NodeId, lost: ShardSet },
    #[error("{node} works under definition {definition} outside of Normal")]
    WorksOutsideNormal { node: NodeId, definition: DefinitionId },
    #[error("definition {definition} gives shards {shards} to {other} and to {node}")]
    GivenTwice { definition: DefinitionId, shards: ShardSet, other: NodeId, node: NodeId },
    #[error("{node} keeps {primes} primes of shards {shards}, which have {right}")]
    WrongSum { node: NodeId, shards: ShardSet, primes: u64, right: u64 },
    #[error(
        "{other} has shards {shards} given out under definition {by_other}, and {node} under definition {}",
        .by_node.map_or_else(String::new, |definition| definition.to_string())
    )]
    GivenOutTwice {
        other: NodeId,
        shards: ShardSet,
        by_other: DefinitionId,
        node: NodeId,
        by_node: Option<DefinitionId>,
    },
    #[error("{node} counts {primes} primes in shard {shard}, which has {right}")]
    WrongShard { node: NodeId, shard: u16, primes: u32, right: u32 },
    #[error("{node} computes shard {shard}, which it does not have out")]
    NotOut { node: NodeId, shard: u16 },
    #[error("{node} computes shard {shard} twice under definition {definition}")]
    ComputedTwice { node: NodeId, shard: u16, definition: DefinitionId },

    #[error("{node} enters the critical section, and {other} is inside")]
    TwoInside { node: NodeId, other: NodeId },
    #[error("{node} enters the critical section, and cannot know that {other} has left it at {}", stamp(*.left))]
    EntersUnknowing { node: NodeId, other: NodeId, left: i64 },
    #[error("{node} enters the critical section {times} times while {waiting} waits for it")]
    Overtakes { node: NodeId, times: u16, waiting: NodeId },

    #[error("{node} has learnt of group {group} what is not so")]
    FalsePast { node: NodeId, group: TaskId },
    #[error("{node} takes {members} for the members of group {group}")]
    WrongMembers { node: NodeId, members: NodeSet, group: TaskId },
    #[error("{node} was told another past of group {group} than {other}")]
    TwoPasts { node: NodeId, group: TaskId, other: NodeId },
    #[error("group {group} has depth {depth}, and its parents make it {right}")]
    WrongDepth { group: TaskId, depth: u32, right: u32 },
    #[error("no member of group {group} was in {parent}, which is given for a parent of it")]
    StrangeParent { group: TaskId, parent: TaskId },
    #[error(
        "{node} was in group {}, which is no parent of its next group {group}",
        .last.map_or_else(String::new, |last| last.to_string())
    )]
    NoParent { node: NodeId, last: Option<TaskId>, group: TaskId },
    #[error("{other} and {node} know two histories of group {group}")]
    TwoHistories { other: NodeId, node: NodeId, group: TaskId },

    #[error("{node} has lost write {lost} of its copy")]
    LostWrite { node: NodeId, lost: CopyVersion },
    #[error(
        "{other} holds counter {} after {} updates by write {version}, and {node} holds {} after {}",
        .first.counter, .first.count, .second.counter, .second.count
    )]
    TwoCopies { version: CopyVersion, other: NodeId, first: HeldCopy, node: NodeId, second: HeldCopy },
    #[error("{node} acknowledges {order}, which was never written")]
    NeverWritten { node: NodeId, order: OrderId },
    #[error("{node} acknowledges {order}, and copies of only {share} of the weight have it")]
    TooLightWrite { node: NodeId, order: OrderId, share: WeightShare },
    #[error(
        "{node} acknowledges {order} as update {place}, and {other} has acknowledged {before} as update {before_place} \
         of an earlier write"
    )]
    AcknowledgedOutOfOrder {
        node: NodeId,
        order: OrderId,
        place: u32,
        other: NodeId,
        before: OrderId,
        before_place: u32,
    },

    #[error("{node} has forgotten that {members} were members")]
    ForgottenMembers { node: NodeId, members: NodeSet },
    #[error("{node} is admitted by {yes} of the {members} members")]
    AdmittedByFew { node: NodeId, yes: usize, members: usize },
    #[error("{other} knows {by_other} as members after {version} admissions, and {node} knows {by_node}")]
    TwoViews { other: NodeId, by_other: NodeSet, version: u32, node: NodeId, by_node: NodeSet },

    #[error("{node} is in a term as coordinator, and does not coordinate in Normal")]
    TermWithoutOffice { node: NodeId },
    #[error("{node} begins a term with a number that is not its own")]
    ForeignNumber { node: NodeId },
    #[error("{node} holds {value} after a write that leaves {right}")]
    WrongValue { node: NodeId, value: u64, right: u64 },
    #[error(
        "the write of {older} with number {number} lands on {node} after a write of the newer coordinator {newer} with \
         number {newer_number}"
    )]
    StaleWrite { older: NodeId, number: FencingNumber, node: NodeId, newer: NodeId, newer_number: FencingNumber },
    #[error(
        "{node} refuses the write of {newer} with number {number}, although no newer coordinator has written: its own \
         write has landed before"
    )]
    RefusesWriter { node: NodeId, newer: NodeId, number: FencingNumber },
    #[error(
        "{node} refuses the write of {newer} with number {number}, although no newer coordinator has written: {older} is \
         older, and its number is {older_number}"
    )]
    RefusesNewest { node: NodeId, newer: NodeId, number: FencingNumber, older: NodeId, older_number: FencingNumber },

    #[error(
        "the account of service {} at {node} goes back from {} parts by turn {} to {} parts by turn {}",
        .now.id, .before.done, .before.turn, .now.done, .now.turn
    )]
    AccountGoesBack { node: NodeId, before: ServiceLog, now: ServiceLog },
    #[error("{node} finds {primes} primes in part {part} of service {service}, and it holds {right}")]
    WrongPart { node: NodeId, primes: u32, part: u16, service: OrderId, right: u32 },
    #[error("{node} does part {part} of service {service}, and nobody has done the one before")]
    SkippedPart { node: NodeId, part: u16, service: OrderId },
    #[error("{node} does part {part} of service {service}, and it has fewer parts")]
    PartBeyondEnd { node: NodeId, part: u16, service: OrderId },
    #[error("{node} does part {part} of service {service}, which {other} has done for the same master")]
    PartDoneTwice { node: NodeId, part: u16, service: OrderId, other: NodeId },

    #[error("{node} has another log of {length} updates than before")]
    ChangedLog { node: NodeId, length: u32 },
    #[error("{node} had {before} updates in its log, and has {now}")]
    ShorterLog { node: NodeId, before: u32, now: u32 },
    #[error("{node} is blocked by update {position}, and nobody can know the outcome")]
    BlockedForEver { node: NodeId, position: u32 },
    #[error("{node} is in doubt about update {position}, and has {length} in its log")]
    DoubtBesideLog { node: NodeId, position: u32, length: u32 },
    #[error("{node} counts {counter} after {added:+} to {before}")]
    Miscounts { node: NodeId, counter: i64, added: i64, before: i64 },
    #[error("{node} does order {order} by {by}, and {twice} did it")]
    OrderByTwo { node: NodeId, order: OrderId, by: TransactionId, twice: TransactionId },
    #[error("{other} has aborted update {position}, and {node} does it")]
    DoesAborted { other: NodeId, position: u32, node: NodeId },
    #[error("{other} has aborted order {order}, and {node} does it")]
    DoesAbortedOrder { other: NodeId, order: OrderId, node: NodeId },
    #[error("{other} has done update {position}, and {node} aborts it")]
    AbortsDone { other: NodeId, position: u32, node: NodeId },
    #[error("{node} acknowledges order {order}, which is not in its log")]
    NotInLog { node: NodeId, order: OrderId },
    #[error("{node} decides update {position} with {few} alone, {} of {nodes}", .few.len())]
    DecidesWithFew { node: NodeId, position: u32, few: NodeSet, nodes: usize },
    #[error("{node} does update {position}, and {missing} had not prepared it")]
    NotPrepared { node: NodeId, position: u32, missing: NodeSet },
    #[error("{other} decides update {by_other} and {node} decides update {position} at once")]
    DecidedAtOnce { other: NodeId, by_other: u32, node: NodeId, position: u32 },
    #[error("{node} does order {order} as update {position}, and it is update {other}")]
    OrderAtTwoPlaces { node: NodeId, order: OrderId, position: u32, other: u32 },
    #[error("{length} updates make {by_other} at {other}, and {counter} at {node}")]
    TwoCounters { length: u32, by_other: i64, other: NodeId, counter: i64, node: NodeId },
    #[error("{other} has another update {position} in its log, or before it, than {node}")]
    TwoLogs { other: NodeId, position: u32, node: NodeId },
    #[error("{node} acknowledges order {order} as update {position}, and its log has {length}")]
    AcknowledgesBeyondLog { node: NodeId, order: OrderId, position: u32, length: u32 },
    #[error("{node} acknowledges order {order} as update {position}, which is order {other}")]
    AcknowledgesOther { node: NodeId, order: OrderId, position: u32, other: OrderId },
    #[error("{node} has {grown} more updates in its log, and tells of {told}")]
    UntoldUpdates { node: NodeId, grown: u32, told: usize },
    #[error(
        "{node} lists {} conflicting updates in {} pairs, and {} in {} of its log conflict",
        .listed.0, .listed.1, .right.0, .right.1
    )]
    WrongConflicts { node: NodeId, listed: (u32, u64), right: (u32, u64) },
    #[error("{node} prepares update {position} after another log than {other}")]
    PreparesAfterOther { node: NodeId, position: u32, other: NodeId },
}
