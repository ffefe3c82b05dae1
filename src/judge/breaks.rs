//! Broken assumptions as the judge collects them: which, when, and what broke them.
//!
//! Invariant: a break covers only time with bites; no pause between two bites is longer than the algorithm's own time
//! bound, so any stretch of that length within the break holds a bite.

use std::collections::BTreeMap;

use fault::{FaultId, FaultLine};
use protocol::{Assumption, NodeSet};
use record::{BreakManner, BrokenAssumption, BrokenBy};

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

impl Break {
    /// Whether it was broken at some moment between these, both included.
    pub fn overlaps(&self, from: i64, to: i64) -> bool {
        self.from <= to && self.to.is_none_or(|end| end >= from)
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

    /// As a verdict tells it at this moment; the lines are those of the faults.
    pub fn seen_at(&self, now: i64, lines: &BTreeMap<FaultId, FaultLine>) -> BrokenAssumption {
        let by = match self.cause {
            Cause::Fault(id) => BrokenBy::Fault { id, line: lines.get(&id).cloned() },
            Cause::Machine => BrokenBy::ThisComputer,
        };
        let Break { assumption, from, to, ref bite, .. } = *self;
        BrokenAssumption { assumption, by, from, to, seen_at: now, manner: bite.clone() }
    }
}
