//! A violation: which property, what contradicts what, how sure that is, and what excuses it.
//!
//! Invariant: each part of a violation is in a field of its own, and [`ViolationReport::text`] says the same for people:
//! nothing reads it back.

use serde::{Deserialize, Serialize};

use super::{BrokenBy, Contradiction, EventsBetween, Excuse, Grade, stamp};
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
    /// The events between the two states.
    pub between: EventsBetween,
    /// What excuses it, if something does.
    pub excuse: Excuse,
    /// All of it, as a sentence.
    pub text: String,
}

impl ViolationReport {
    /// Whether a broken assumption excuses it.
    pub fn is_excused(&self) -> bool {
        self.because().is_some()
    }

    /// The broken assumption that excuses it; absent for a hole and for a bug.
    pub fn because(&self) -> Option<Assumption> {
        self.excuse.broken().map(|broken| broken.assumption)
    }

    /// The fault that broke that assumption, if one did.
    pub fn by(&self) -> Option<FaultId> {
        self.excuse.broken().and_then(|broken| broken.by.fault())
    }

    /// Whether this computer itself broke it, and no fault: this excuses the violation, and teaches nothing.
    pub fn is_by_machine(&self) -> bool {
        self.excuse.broken().is_some_and(|broken| broken.by == BrokenBy::ThisComputer)
    }

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
