//! What the history of the groups sends.
//!
//! Invariant: every message fits a datagram, beside one of the algorithm where it goes with that.

use serde::{Deserialize, Serialize};

use protocol::{Described, FormedGroup, GroupPlace};

/// A message of the history.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum HistoryMessage {
    /// To the coming coordinator, with the message by which the sender joins the group.
    Report {
        /// The group in which the sender was at work last, if it ever was.
        last: Option<GroupPlace>,
        /// The digest of the sender's history.
        digest: u64,
    },
    /// Of the coordinator, with the message that gives out the task.
    Definition {
        /// The new group, with as many of its parents as fit.
        group: Box<FormedGroup>,
        /// The digest of the coordinator's history, with the group in it; absent if the coordinator lacks something yet.
        digest: Option<u64>,
    },
    /// Asks for a part of the receiver's history.
    Fetch {
        /// Which, from 0.
        part: u16,
    },
    /// A part of the sender's history.
    Part {
        /// Which, from 0.
        part: u16,
        /// How many there are.
        parts: u16,
        /// The digest of the whole history; absent at a coordinator that lacks something yet.
        digest: Option<u64>,
        /// The digest of the groups that the sender has no longer.
        older: u64,
        /// The groups of this part.
        groups: Box<[FormedGroup]>,
    },
}

impl Described for HistoryMessage {
    fn kind(&self) -> &'static str {
        match self {
            HistoryMessage::Report { .. } => "Report",
            HistoryMessage::Definition { .. } => "Definition",
            HistoryMessage::Fetch { .. } => "Fetch",
            HistoryMessage::Part { .. } => "Part",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            HistoryMessage::Report { last, .. } => {
                let last = last.map(|last| ("last", last.number.to_string()));
                last.into_iter().collect()
            }
            HistoryMessage::Definition { group, .. } => {
                let parents: Vec<String> = group.parents.iter().map(ToString::to_string).collect();
                vec![("after", if parents.is_empty() { "-".to_owned() } else { parents.join(",") })]
            }
            HistoryMessage::Fetch { part } => vec![("part", (part + 1).to_string())],
            HistoryMessage::Part { part, parts, groups, .. } => {
                vec![("part", format!("{} of {parts}", part + 1)), ("groups", groups.len().to_string())]
            }
        }
    }
}
