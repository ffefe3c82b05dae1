//! What excuses a violation: a broken assumption, and the way from it to the states that contradict each other.
//!
//! Invariant: a way leads from one node to the next, in the order of their records.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::{BrokenAssumption, stamp};
use protocol::NodeId;

/// A way and a list of events tell this many of their first and of their last parts.
pub(super) const TOLD_AT_EACH_END: usize = 3;

/// What excuses a violation, if something does.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Excuse {
    /// A broken assumption that the algorithm needs does.
    Broken {
        broken: Box<BrokenAssumption>,
        /// From what it hit to the states.
        way: CausalWay,
    },
    /// None was broken: it is a hole of the paper, or a bug.
    NoneBroken,
    /// None was broken in the quiet that the property is about; one that was broken before is no excuse.
    NoneBrokenInQuiet,
}

/// The way from a node that something hit to a contradiction.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct CausalWay {
    /// The node that was hit.
    pub node: NodeId,
    /// When, in nanoseconds of `at`.
    pub at: i64,
    pub steps: Vec<WayStep>,
}

/// One node had a part in what another did.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct WayStep {
    pub from: NodeId,
    pub to: NodeId,
    /// When the second took its step, in nanoseconds of `at`.
    pub at: i64,
    /// The number of that step's record.
    pub record: u64,
    pub by: Influence,
}

/// How one node had a part in what another did.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Influence {
    /// By a message of this kind.
    Message(Cow<'static, str>),
    /// The other waited for it in vain.
    Silence,
    /// The record of its message is missing.
    Unknown,
}

impl Excuse {
    /// What was broken, if that excuses.
    pub fn broken(&self) -> Option<&BrokenAssumption> {
        match self {
            Excuse::Broken { broken, .. } => Some(broken),
            Excuse::NoneBroken | Excuse::NoneBrokenInQuiet => None,
        }
    }
}

impl Display for Excuse {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Excuse::Broken { broken, way } => write!(f, "path: {way}; cause: {broken}"),
            Excuse::NoneBroken => f.write_str("no assumption was broken"),
            Excuse::NoneBrokenInQuiet => f.write_str(
                "no assumption was broken in this quiet, and what was broken before is no excuse for this promise",
            ),
        }
    }
}

impl Display for CausalWay {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} was affected at {}", self.node, stamp(self.at))?;
        let left_out = self.steps.len().saturating_sub(2 * TOLD_AT_EACH_END);
        for (place, step) in self.steps.iter().enumerate() {
            if left_out > 0 && place == TOLD_AT_EACH_END {
                write!(f, ", {left_out} more steps")?;
            }
            if left_out == 0 || place < TOLD_AT_EACH_END || place >= TOLD_AT_EACH_END + left_out {
                write!(f, ", {step}")?;
            }
        }
        Ok(())
    }
}

impl Display for WayStep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let WayStep { from, to, at, record, by } = self;
        match by {
            Influence::Message(kind) => write!(f, "{to} heard {kind} of {from}")?,
            Influence::Silence => write!(f, "{to} timed out on {from}")?,
            Influence::Unknown => write!(f, "{to} may have heard of {from}")?,
        }
        write!(f, " at {} (record {record})", stamp(*at))
    }
}
