//! A violation: which property, what contradicts what, how sure that is, and what excuses it.
//!
//! Invariant: each part of a violation is in a field of its own, and [`ViolationReport::text`] says the same for people:
//! nothing reads it back.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::{Contradiction, Grade, stamp};
use fault::FaultId;
use protocol::{Assumption, NodeSet, Property};

/// A contradiction that the judge found: it is told only after every process concerned has sent a later record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ViolationReport {
    /// The violated property.
    pub property: Property,
    /// The nodes whose states contradict each other, or all that took part in the election.
    pub nodes: NodeSet,
    /// When the later of the two states began, in nanoseconds of `at`.
    pub since: i64,
    /// What contradicts what.
    pub contradiction: Contradiction,
    /// How sure it is.
    pub grade: Grade,
    /// The events between the two states, as a fragment.
    pub between: String,
    /// The assumption that the algorithm needs and that was broken meanwhile; absent for a hole and for a bug.
    pub because: Option<Assumption>,
    /// The fault that broke it; absent if this computer did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<FaultId>,
    /// Whether this computer itself broke it, not a fault: this excuses the violation, and teaches nothing.
    pub by_machine: bool,
    /// How the assumption was broken and what that did, or why no broken one excuses the violation.
    pub excuse: Excuse,
    /// All of it, as a sentence.
    pub text: String,
}

/// What excuses a violation, if something does.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Excuse {
    /// A broken assumption does.
    Broken {
        /// How it was broken, as a fragment.
        cause: String,
        /// The way from there to the states, as a fragment.
        path: String,
    },
    /// None was broken.
    NoneBroken,
    /// None was broken in the quiet that the property is about; one that was broken before is no excuse.
    NoneBrokenInQuiet,
}

impl ViolationReport {
    /// The whole sentence. By now the contradiction is as sure as this.
    pub fn sentence(&self, by_now: Grade) -> String {
        format!("{}; between them: {}; {}", self.found(by_now), self.between, self.excuse)
    }

    /// What was found, as the beginning of the sentence.
    pub fn found(&self, by_now: Grade) -> String {
        let ViolationReport { property, since, contradiction, grade, .. } = self;
        let later = if by_now == *grade { String::new() } else { format!(", by now {by_now}") };
        format!("{property} violated at {} ({grade}{later}): {contradiction}", stamp(*since))
    }
}

impl Display for Excuse {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Excuse::Broken { cause, path } => write!(f, "path: {path}; cause: {cause}"),
            Excuse::NoneBroken => f.write_str("no assumption was broken"),
            Excuse::NoneBrokenInQuiet => f.write_str(
                "no assumption was broken in this quiet, and what was broken before is no excuse for this promise",
            ),
        }
    }
}
