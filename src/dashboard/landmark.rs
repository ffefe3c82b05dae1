//! Landmarks: the records of a session that a person may want to go to.
//!
//! Invariant: a record is at most one landmark.

use record::{Body, Record};

/// A record that a person may want to go to.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Landmark {
    /// An order of a fault.
    Fault,
    /// A violation.
    Violation,
    /// The beginning of an election.
    Election,
}

impl Landmark {
    /// Which landmark the record is, if it is one; the elections before it were so many, and after it they are.
    pub fn of(record: &Record, elections_before: u64, elections: u64) -> Option<Landmark> {
        match record.body {
            Body::FaultOrdered { .. } => Some(Landmark::Fault),
            Body::Violation(_) => Some(Landmark::Violation),
            _ => (elections > elections_before).then_some(Landmark::Election),
        }
    }
}
