//! Broken assumptions: which, when, what broke them, and the words of a verdict about it.
//!
//! Invariant: a break covers only time with bites; no pause between two bites is longer than the algorithm's own time
//! bound, so any stretch of that length within the break holds a bite.

use std::collections::BTreeMap;

use fault::{ClockRate, FaultId, FaultLine, Tampering};
use protocol::{Assumption, Lie, NodeId, NodeSet};
use world::{length, stamp};

/// One broken assumption.
#[derive(Clone, Debug)]
pub(super) struct Break {
    /// The number by which the latest wording is found.
    pub serial: u64,
    pub assumption: Assumption,
    pub cause: Cause,
    /// The stamps between which it was broken; no end while it still is.
    pub from: i64,
    pub to: Option<i64>,
    pub bite: BreakManner,
}

/// What broke it.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Cause {
    Fault(FaultId),
    Machine,
}

/// How it was broken.
#[derive(Clone, Debug)]
pub(super) enum BreakManner {
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

impl Break {
    /// Whether it was broken at some moment between these, both included.
    pub fn overlaps(&self, from: i64, to: i64) -> bool {
        self.from <= to && self.to.is_none_or(|end| end >= from)
    }

    /// The fault that broke it, if one did.
    pub fn fault(&self) -> Option<FaultId> {
        match self.cause {
            Cause::Fault(id) => Some(id),
            Cause::Machine => None,
        }
    }

    /// Whether the machine broke it, and not a fault.
    pub fn is_by_machine(&self) -> bool {
        self.cause == Cause::Machine
    }

    /// Whether this bite, between these stamps, continues this break.
    pub fn goes_on_with(&self, cause: Cause, bite: &BreakManner, from: i64, to: i64, gap_max: i64) -> bool {
        let Some(end) = self.to else { return false };
        let within = |gap: i64| from <= end.saturating_add(gap) && to >= self.from.saturating_sub(gap);
        let alike = match (&self.bite, bite) {
            // Two stalls with time between them are two.
            (BreakManner::StoodStill { node }, BreakManner::StoodStill { node: other }) => {
                return node == other && within(0) && cause == self.cause;
            }
            (BreakManner::Lost { .. }, BreakManner::Lost { .. })
            | (BreakManner::Missing { .. }, BreakManner::Missing { .. })
            | (BreakManner::Late { .. }, BreakManner::Late { .. })
            | (BreakManner::TooLate { .. }, BreakManner::TooLate { .. }) => true,
            (BreakManner::Tampered { how, .. }, BreakManner::Tampered { how: other, .. }) => how == other,
            (BreakManner::Overflowed { node, .. }, BreakManner::Overflowed { node: other, .. })
            | (BreakManner::SendFailed { node, .. }, BreakManner::SendFailed { node: other, .. }) => node == other,
            (BreakManner::Lied { node, lie, .. }, BreakManner::Lied { node: other, lie: same, .. }) => {
                node == other && lie == same
            }
            _ => false,
        };
        alike && within(gap_max) && cause == self.cause
    }

    /// Takes in a bite that continues it.
    pub fn add(&mut self, bite: BreakManner, from: i64, to: i64) {
        self.from = self.from.min(from);
        self.to = self.to.max(Some(to));
        match (&mut self.bite, bite) {
            (
                BreakManner::Late { from, to, took, count },
                BreakManner::Late { from: sender, to: receiver, took: longer, count: more },
            ) => {
                *count += more;
                if longer > *took {
                    (*from, *to, *took) = (sender, receiver, longer);
                }
            }
            (BreakManner::Lost { count, .. }, BreakManner::Lost { count: more, .. })
            | (BreakManner::Missing { count, .. }, BreakManner::Missing { count: more, .. })
            | (BreakManner::TooLate { count, .. }, BreakManner::TooLate { count: more, .. })
            | (BreakManner::Tampered { count, .. }, BreakManner::Tampered { count: more, .. })
            | (BreakManner::Overflowed { count, .. }, BreakManner::Overflowed { count: more, .. })
            | (BreakManner::Lied { count, .. }, BreakManner::Lied { count: more, .. })
            | (BreakManner::SendFailed { count, .. }, BreakManner::SendFailed { count: more, .. }) => *count += more,
            _ => {}
        }
    }

    /// Whether a fault broke it, and not this computer.
    pub fn is_of_a_fault(&self) -> bool {
        matches!(self.cause, Cause::Fault(_))
    }

    /// How well it explains a contradiction of these nodes. Faults come before the machine; the pause of a node in the
    /// contradiction comes before lost and late messages (a pause makes them late, too), and these come before the
    /// pause of another node; then the break comes first that fills more of the time between the given stamps.
    pub fn weight(&self, accused: &NodeSet, from: i64, to: i64) -> (u8, i64) {
        let kind = match (&self.bite, self.cause) {
            (BreakManner::StoodStill { node }, Cause::Fault(_)) if accused.contains(*node) => 5,
            (BreakManner::StoodStill { .. }, Cause::Fault(_)) => 3,
            (_, Cause::Fault(_)) => 4,
            (BreakManner::StoodStill { node }, Cause::Machine) if accused.contains(*node) => 2,
            (_, Cause::Machine) => 1,
        };
        (kind, self.to.unwrap_or(to).min(to) - self.from.max(from))
    }

    /// What a verdict says of it: `f1 (pause 5) broke assumption 9 (no pauses): node 5 was paused for 4s`.
    pub fn told(&self, lines: &BTreeMap<FaultId, FaultLine>, now: i64) -> String {
        let by = match self.cause {
            Cause::Fault(id) => lines.get(&id).map_or_else(|| id.to_string(), |line| format!("{id} ({line})")),
            Cause::Machine => "this computer".to_owned(),
        };
        let spent = length(self.to.unwrap_or(now) - self.from);
        let what = match &self.bite {
            BreakManner::StoodStill { node } if self.to.is_some() => format!("node {node} was paused for {spent}"),
            BreakManner::StoodStill { node } if now <= self.from => format!("node {node} is paused"),
            BreakManner::StoodStill { node } => format!("node {node} has been paused for {spent}"),
            BreakManner::Lost { from, to, count } => {
                let first = stamp(self.from);
                format!("{} lost, the first from {from} to {to} at {first}", messages(*count))
            }
            BreakManner::Missing { from, to, count } => {
                let first = stamp(self.from);
                format!("{} did not come, the first from {from} to {to}, due by {first}", messages(*count))
            }
            BreakManner::Late { from, to, took, count } => {
                format!(
                    "{} took longer than the bound, the slowest from {from} to {to} took {}",
                    messages(*count),
                    length(*took)
                )
            }
            BreakManner::TooLate { from, to, count } => {
                let first = stamp(self.from);
                format!(
                    "{} came too late for the ordered broadcast, the first from {from} to {to}, due at {first}",
                    messages(*count)
                )
            }
            BreakManner::Tampered { how, from, to, count } => {
                let befell = match how {
                    Tampering::Corrupt => "spoiled",
                    Tampering::Duplicate => "delivered twice",
                    Tampering::Reorder => "overtaken",
                    Tampering::Garble => "garbled",
                };
                let first = stamp(self.from);
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
                let lasts = match (self.to, dead.len()) {
                    (Some(_), 1) => format!("1 process was dead ({dead}) for {spent}"),
                    (Some(_), count) => format!("{count} processes were dead ({dead}) for {spent}"),
                    (None, 1) => format!("1 process is dead ({dead})"),
                    (None, count) => format!("{count} processes are dead ({dead})"),
                };
                format!("{lasts}, but at most {most} may be")
            }
            BreakManner::Lied { node, lie, to, count } => {
                let times = if *count == 1 { String::new() } else { format!(", {count} times") };
                let first = stamp(self.from);
                format!("node {node} lied ({lie}{times}): it {}, first to {to} at {first}", lie.says())
            }
            BreakManner::LostCells { node } => format!("node {node} found its safe cells empty"),
            BreakManner::OldCells { node } => {
                format!("node {node} found its safe cells as they were before its last save")
            }
            BreakManner::ChangedCells { node } => format!("node {node} found its safe cells changed by somebody else"),
            BreakManner::BehindCells { node } => {
                format!(
                    "node {node} started again, and may repeat numbers that it used before its safe cells were lost"
                )
            }
            BreakManner::OtherRate { node, rate } if self.to.is_some() => {
                format!("node {node}'s clock ran at {rate} for {spent}")
            }
            BreakManner::OtherRate { node, rate } => format!("node {node}'s clock runs at {rate}"),
            BreakManner::SendFailed { node, error, count, .. } => {
                format!("node {node} could not send {}: {error}", messages(*count))
            }
        };
        format!("{by} broke {}: {what}", self.assumption)
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn messages(count: u64) -> String {
    if count == 1 { "1 message".to_owned() } else { format!("{count} messages") }
}
