//! A broken assumption: which, between which stamps, by what, and how. As types, and the one place that puts them into
//! a sentence.
//!
//! Invariant: code compares what was broken by these types, and never by their words.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::{length, stamp};
use fault::{ClockRate, FaultId, FaultLine, Tampering};
use protocol::{Assumption, Lie, NodeId, NodeSet};

/// An assumption that was broken, as somebody saw it at one moment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BrokenAssumption {
    pub assumption: Assumption,
    pub by: BrokenBy,
    /// Since when, in nanoseconds of `at`.
    pub from: i64,
    /// Until when; absent if it had not ended by `seen_at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// The moment as of which this is told.
    pub seen_at: i64,
    pub manner: BreakManner,
}

/// What broke an assumption.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrokenBy {
    /// A fault.
    Fault {
        id: FaultId,
        /// The line, if that is on record.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<FaultLine>,
    },
    /// This computer itself: that excuses a violation, and teaches nothing.
    ThisComputer,
}

/// How an assumption was broken.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BreakManner {
    /// A process was paused or stalled.
    StoodStill { node: NodeId },
    /// Messages were lost on the way; the first one's link.
    Lost { from: NodeId, to: NodeId, count: u64 },
    /// Messages did not come, and nothing tells why; the first one's link.
    Missing { from: NodeId, to: NodeId, count: u64 },
    /// Messages came past the bound; the link and delay of the one that took longest, in nanoseconds.
    Late { from: NodeId, to: NodeId, took: i64, count: u64 },
    /// Broadcasts came too late for the ordered broadcast and were not delivered; the first one's link.
    TooLate { from: NodeId, to: NodeId, count: u64 },
    /// Messages were doubled, overtaken or garbled behind the order filter and the tag; the first one's link.
    Tampered { how: Tampering, from: NodeId, to: NodeId, count: u64 },
    /// A receive buffer was full.
    Overflowed { node: NodeId, count: u64 },
    /// A process began an election this long after the first one did.
    StartedLate { node: NodeId, after: i64 },
    /// Some went through an election that they were ordered to begin, and nobody else began it.
    StartedAlone { nodes: NodeSet },
    /// A process returned while others were in an election, and had been down for no longer than an election takes.
    RecoveredWithin { node: NodeId, down: i64 },
    /// More processes were dead or lied than the algorithm allows; all of them, and the nodes that this concerns.
    TooManyFaulty { dead: NodeSet, liars: NodeSet, most: usize, all: NodeSet },
    /// A process told this lie, the first time to these.
    Lied { node: NodeId, lie: Lie, to: NodeSet, count: u64 },
    /// A process that had saved something found its safe cells empty.
    LostCells { node: NodeId },
    /// A process that had saved something found in its safe cells what it had saved before.
    OldCells { node: NodeId },
    /// A process that had saved something found something else in its safe cells, and no fault had put it there.
    ChangedCells { node: NodeId },
    /// A process started on safe cells that do not hold yet all that they held before they were lost.
    BehindCells { node: NodeId },
    /// A process's clock ran at another rate than the others'.
    OtherRate { node: NodeId, rate: ClockRate },
    /// Messages could not be sent; the system's words for the first.
    SendFailed { node: NodeId, to: Option<NodeId>, error: String, count: u64 },
}

impl BreakManner {
    /// The nodes that it hit: the receivers of the messages, or the stopped nodes.
    pub fn hits(&self) -> NodeSet {
        match self {
            BreakManner::StoodStill { node }
            | BreakManner::Overflowed { node, .. }
            | BreakManner::StartedLate { node, .. }
            | BreakManner::RecoveredWithin { node, .. }
            | BreakManner::LostCells { node }
            | BreakManner::OldCells { node }
            | BreakManner::ChangedCells { node }
            | BreakManner::BehindCells { node }
            | BreakManner::OtherRate { node, .. } => NodeSet::of(*node),
            BreakManner::Lost { to, .. }
            | BreakManner::Missing { to, .. }
            | BreakManner::Late { to, .. }
            | BreakManner::TooLate { to, .. }
            | BreakManner::Tampered { to, .. } => NodeSet::of(*to),
            BreakManner::TooManyFaulty { all, .. } => *all,
            BreakManner::StartedAlone { nodes } => *nodes,
            BreakManner::Lied { node, to, .. } => NodeSet::of(*node).union(to),
            BreakManner::SendFailed { node, to, .. } => NodeSet::of(*node).union(&to.iter().copied().collect()),
        }
    }
}

impl BrokenBy {
    /// The fault that broke it, if one did.
    pub fn fault(&self) -> Option<FaultId> {
        match self {
            BrokenBy::Fault { id, .. } => Some(*id),
            BrokenBy::ThisComputer => None,
        }
    }
}

/// `f1 (pause 5)`, or `this computer`.
impl Display for BrokenBy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            BrokenBy::Fault { id, line: Some(line) } => write!(f, "{id} ({line})"),
            BrokenBy::Fault { id, line: None } => Display::fmt(id, f),
            BrokenBy::ThisComputer => f.write_str("this computer"),
        }
    }
}

/// `f1 (pause 5) broke assumption 9 (no pauses): node 5 was paused for 4s`.
impl Display for BrokenAssumption {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let BrokenAssumption { assumption, by, .. } = self;
        write!(f, "{by} broke {assumption}: {}", self.what())
    }
}

impl BrokenAssumption {
    fn what(&self) -> String {
        let BrokenAssumption { from: begun, to: ended, seen_at: now, .. } = *self;
        let spent = length(ended.unwrap_or(now) - begun);
        let first = stamp(begun);
        match &self.manner {
            BreakManner::StoodStill { node } if ended.is_some() => format!("node {node} was paused for {spent}"),
            BreakManner::StoodStill { node } if now <= begun => format!("node {node} is paused"),
            BreakManner::StoodStill { node } => format!("node {node} has been paused for {spent}"),
            BreakManner::Lost { from, to, count } => {
                format!("{} lost, the first from {from} to {to} at {first}", messages(*count))
            }
            BreakManner::Missing { from, to, count } => {
                format!("{} did not come, the first from {from} to {to}, due by {first}", messages(*count))
            }
            BreakManner::Late { from, to, took, count } => {
                let (messages, took) = (messages(*count), length(*took));
                format!("{messages} took longer than the bound, the slowest from {from} to {to} took {took}")
            }
            BreakManner::TooLate { from, to, count } => format!(
                "{} came too late for the ordered broadcast, the first from {from} to {to}, due at {first}",
                messages(*count)
            ),
            BreakManner::Tampered { how, from, to, count } => {
                let befell = match how {
                    Tampering::Corrupt => "spoiled",
                    Tampering::Duplicate => "delivered twice",
                    Tampering::Reorder => "overtaken",
                    Tampering::Garble => "garbled",
                };
                format!("{} {befell}, the first from {from} to {to} at {first}", messages(*count))
            }
            BreakManner::Overflowed { node, count } => {
                format!("node {node}'s receive buffer was full, {} lost", messages(*count))
            }
            BreakManner::StartedLate { node, after } => {
                format!("node {node} began an election {} after the first did", length(*after))
            }
            BreakManner::StartedAlone { nodes } if nodes.len() == 1 => format!("only node {nodes} began an election"),
            BreakManner::StartedAlone { nodes } => format!("only nodes {nodes} began an election"),
            BreakManner::RecoveredWithin { node, down } => {
                format!("node {node} returned during an election, after {}", length(*down))
            }
            BreakManner::TooManyFaulty { dead, liars, most, .. } if !liars.is_empty() => {
                let dead_too = if dead.is_empty() { String::new() } else { format!(", {} dead ({dead})", dead.len()) };
                let liars = format!("{} ({liars}){dead_too}", counted(liars.len(), "liar"));
                format!("{liars}, but at most {most} may be faulty: no promise holds")
            }
            BreakManner::TooManyFaulty { dead, most, .. } => {
                let lasts = match (ended, dead.len()) {
                    (Some(_), 1) => format!("1 process was dead ({dead}) for {spent}"),
                    (Some(_), count) => format!("{count} processes were dead ({dead}) for {spent}"),
                    (None, 1) => format!("1 process is dead ({dead})"),
                    (None, count) => format!("{count} processes are dead ({dead})"),
                };
                format!("{lasts}, but at most {most} may be")
            }
            BreakManner::Lied { node, lie, to, count } => {
                let times = if *count == 1 { String::new() } else { format!(", {count} times") };
                format!("node {node} lied ({lie}{times}): it {}, first to {to} at {first}", lie.says())
            }
            BreakManner::LostCells { node } => format!("node {node} found its safe cells empty"),
            BreakManner::OldCells { node } => {
                format!("node {node} found its safe cells as they were before its last save")
            }
            BreakManner::ChangedCells { node } => format!("node {node} found its safe cells changed by somebody else"),
            BreakManner::BehindCells { node } => format!(
                "node {node} started again, and may repeat numbers that it used before its safe cells were lost"
            ),
            BreakManner::OtherRate { node, rate } if ended.is_some() => {
                format!("node {node}'s clock ran at {rate} for {spent}")
            }
            BreakManner::OtherRate { node, rate } => format!("node {node}'s clock runs at {rate}"),
            BreakManner::SendFailed { node, error, count, .. } => {
                format!("node {node} could not send {}: {error}", messages(*count))
            }
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn messages(count: u64) -> String {
    if count == 1 { "1 message".to_owned() } else { format!("{count} messages") }
}
