//! The parts of a record's kinds: refusals, deaths, outcomes, broken assumptions, gaps.
//!
//! Invariant: each has one spelling in a session, and a new one changes no old line.

use serde::{Deserialize, Serialize};

use super::BrokenAssumption;
use fault::FaultId;
use protocol::Span;

protocol::worded! {
    /// Why a datagram was refused, as the screen says it.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Refusal {
        /// Has another lab's id.
        Foreign = "foreign",
        /// Is not one of our datagrams, or its body does not decode exactly.
        Malformed = "malformed",
        /// Is longer than 1,200 bytes.
        TooLong = "too long",
        /// The keyed tag is wrong.
        WrongTag = "wrong tag",
        /// The sender is not the node of the address it came from.
        WrongSource = "wrong source",
        /// The node had it before: somebody sent a copy of it.
        Replayed = "sent again",
    }
}

/// What a link fault did to one copy of an ordered broadcast.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyFate {
    /// Was dropped.
    Dropped,
    /// Was spoiled before its tag was checked, and so dropped.
    Spoiled,
    /// Is held back, for this many nanoseconds; until it is released, if there is no number.
    Held(Option<Span>),
    /// Had been held back, and was released.
    Released,
}

/// How a process ended.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Death {
    /// The host killed it by order of a fault.
    Killed {
        /// The fault.
        by: FaultId,
    },
    /// Exited by itself.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A signal ended it, and the host had not sent that signal.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
}

/// The subject of a verdict.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictAbout {
    /// The lab's expectation of this number, from 0, in the order of the file.
    Expectation(usize),
    /// The lab's step of this name: it never came.
    Step(String),
}

#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// As expected.
    Met,
    /// Not as expected.
    Failed,
    /// Records are missing, or a fault was not acknowledged: the outcome is unknown.
    Unknown,
}

/// What came out of a lab, counted at its end.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct LabOutcome {
    /// Expectations that were met.
    pub met: usize,
    /// Expectations that failed.
    pub failed: usize,
    /// Expectations of which nobody knows.
    pub unknown: usize,
    /// Violations that no broken assumption excuses.
    pub violations: usize,
    /// Violations that one excuses.
    pub excused: usize,
    /// Records that the session's file lacks, because it could not be written.
    pub missing: u64,
}

/// An assumption that the algorithm needs is broken: something has broken it, for the first time, or for the first time
/// in a while.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BrokenReport {
    pub broken: Box<BrokenAssumption>,
    /// The same as a sentence.
    pub text: String,
}

/// The host's note that somebody else stopped a node's process.
pub const STOPPED_BY_SOMEBODY: &str = "somebody else stopped its process; `kill -CONT` continues it";

/// The host's note that somebody else let a node's process go on.
pub const CONTINUED_BY_SOMEBODY: &str = "somebody else continued its process";

/// Records that are missing.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Missed {
    /// How many.
    pub count: u64,
    /// Where they were lost, as a fragment: `in the node's own buffer`.
    pub place: String,
}
