//! What the updates send.
//!
//! Invariant: each message fits a datagram beside a message of the algorithm, and takes at most 56 bytes here.

use serde::{Deserialize, Serialize};

use super::version::LogVersion;
use protocol::{
    Described, GroupNumber, LogDigest, LoggedUpdate, OrderId, PreparedUpdate, RefusalReason, TransactionId,
};

/// The most updates of one part of a log: so they take less than 700 bytes.
pub const PART_MAX: usize = 16;

/// How far a process's log goes, and what it is in doubt about.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct LogStanding {
    /// How many updates its log has.
    pub length: u32,
    /// The digest of the log.
    pub digest: LogDigest,
    /// The update that it has prepared.
    pub in_doubt: Option<Box<PreparedUpdate>>,
}

/// A question to the voters.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Proposal {
    /// What is to be done.
    pub prepared: PreparedUpdate,
    /// The digest of the coordinator's log before it.
    pub before: LogDigest,
}

/// A part of a log.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct LogPart {
    /// The place of its first update.
    pub first: u32,
    /// The digest of the log before it.
    pub before: LogDigest,
    /// The updates, in order.
    pub updates: Vec<LoggedUpdate>,
}

/// An update with what it builds on. Without the majority rule a part of a log says that.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct BuiltUpdate {
    pub update: LoggedUpdate,
    /// What its coordinator had in its log.
    pub after: LogVersion,
}

/// A message of the updates.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum UpdateMessage {
    /// To the coming coordinator: what the sender has, and in which group.
    Report(LogStanding, Option<GroupNumber>),
    /// To the coordinator: an order that the sender took.
    Request {
        /// The update.
        id: OrderId,
        /// What it adds.
        value: i32,
    },
    /// Of the coordinator: the order is refused.
    Refuse {
        /// The update.
        id: OrderId,
        why: Box<RefusalReason>,
    },
    /// Of the coordinator: prepare this, and vote.
    Prepare(Box<Proposal>),
    /// To the coordinator: it is prepared.
    Yes {
        /// In which attempt.
        attempt: u32,
    },
    /// To the coordinator: it is not, and why can be seen from this.
    No {
        /// In which attempt.
        attempt: u32,
        /// What the sender has.
        standing: LogStanding,
    },
    /// Of the coordinator: it is done.
    Commit { transaction: TransactionId },
    /// Of the coordinator: it is not done.
    Abort { transaction: TransactionId },
    /// To the coordinator: the sender is in doubt. What is the outcome?
    Ask(LogStanding),
    /// This is what the sender has. To somebody who has more it is a question for the rest.
    Have(LogStanding),
    /// A part of the sender's log.
    Entries(Box<LogPart>),
    /// Without the majority rule: this is in the sender's log. To somebody who has more it is a question for that.
    Known {
        version: LogVersion,
        /// The digest of the log.
        digest: LogDigest,
    },
    /// Without the majority rule: what the receiver lacks, or a part of it.
    Lacking(Box<[BuiltUpdate]>),
}

impl Described for UpdateMessage {
    fn kind(&self) -> &'static str {
        match self {
            UpdateMessage::Report(..) => "Report",
            UpdateMessage::Request { .. } => "Request",
            UpdateMessage::Refuse { .. } => "Refuse",
            UpdateMessage::Prepare(_) => "Prepare",
            UpdateMessage::Yes { .. } => "Yes",
            UpdateMessage::No { .. } => "No",
            UpdateMessage::Commit { .. } => "Commit",
            UpdateMessage::Abort { .. } => "Abort",
            UpdateMessage::Ask(_) => "Ask",
            UpdateMessage::Have(_) => "Have",
            UpdateMessage::Entries(_) => "Entries",
            UpdateMessage::Known { .. } => "Known",
            UpdateMessage::Lacking(_) => "Lacking",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            UpdateMessage::Report(standing, _) | UpdateMessage::Ask(standing) | UpdateMessage::Have(standing) => {
                standing.fields()
            }
            UpdateMessage::Request { id, value } => vec![("update", id.to_string()), ("value", value.to_string())],
            UpdateMessage::Refuse { id, why } => vec![("update", id.to_string()), ("why", why.to_string())],
            UpdateMessage::Prepare(proposal) => {
                let PreparedUpdate { update, position, voters } = proposal.prepared;
                vec![
                    ("transaction", update.by.to_string()),
                    ("position", position.to_string()),
                    ("value", update.value.to_string()),
                    ("voters", voters.to_string()),
                ]
            }
            UpdateMessage::Yes { attempt } => vec![("attempt", attempt.to_string())],
            UpdateMessage::No { attempt, standing } => {
                std::iter::once(("attempt", attempt.to_string())).chain(standing.fields()).collect()
            }
            UpdateMessage::Commit { transaction } | UpdateMessage::Abort { transaction } => {
                vec![("transaction", transaction.to_string())]
            }
            UpdateMessage::Entries(part) => {
                let last = part.first as usize + part.updates.len() - 1;
                vec![("positions", format!("{}-{last}", part.first))]
            }
            UpdateMessage::Known { version, .. } => vec![("length", version.total().to_string())],
            UpdateMessage::Lacking(part) => vec![("updates", part.len().to_string())],
        }
    }
}

impl LogStanding {
    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("length", self.length.to_string())];
        if let Some(prepared) = &self.in_doubt {
            fields.push(("in_doubt", prepared.update.by.to_string()));
        }
        fields
    }
}
