//! What an election by capacity holds, besides the state vector: the candidates with their capacities, and what decided
//! (King, Gendreau and Ni 1988). Garcia-Molina's state vector has no place for these.
//!
//! Invariant: except for its course, a ballot is about the election that the state vector names, and about no other; it
//! holds only what its own process knows.

use serde::{Deserialize, Serialize};

use super::NodeId;

/// Where a process is on its way through elections, whatever its algorithm calls its phases.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// In no election: it has heard of none since it started, takes no part in the running one, or its last one has
    /// elected nobody (King and Ni: `start`, `normal`).
    Idle,
    /// On its way through an election.
    Electing,
    /// At the end of an election (King and Ni: `stop`, `master`). [`StateVector::believes_in`] says which process it
    /// names: by King and Ni's tables to the letter that may be nobody.
    ///
    /// [`StateVector::believes_in`]: super::StateVector::believes_in
    AtRest,
    /// At the end of an election whose outcome it does not know: it asks the operator for help.
    Help,
}

/// A candidate and its capacity.
pub type Standing = (NodeId, i64);

/// What a process holds of an election by capacity.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Ballot {
    /// The course.
    pub course: Course,
    /// The capacity in this election: the one that it sent to all as it entered. Absent if it is not a candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_with: Option<i64>,
    /// How often it has announced itself within this election (Algorithm C): once in each round that it was in, however
    /// often it repeated that. In Algorithms A to B.2, where one round decides, nobody announces itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub announcements: u32,
    /// The lists that it has collected, if lists decide (Algorithm B.2 and section 5.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<Lists>,
}

/// The candidate lists of Algorithm B.2, and of section 5.3, where nothing is ordered and all stand by id.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Lists {
    /// `S`: the inits, in order of delivery; -1 for a non-candidate that began.
    pub candidates: Vec<Standing>,
    /// `Y`: the senders of the lists that have come, in order of delivery; by section 5.3 those from which one list was
    /// taken, and not two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub received: Vec<(NodeId, Received)>,
    /// The list that decided, by `el(Y)`; absent before that, and if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Vec<Standing>>,
}

impl Lists {
    /// The entries of a list of `Y`.
    pub fn entries<'a>(&'a self, received: &'a Received) -> &'a [Standing] {
        match received {
            Received::First(length) => &self.candidates[..self.candidates.len().min(usize::from(*length))],
            Received::Entries(entries) => entries,
        }
    }
}

/// A list of `Y`.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Received {
    /// The first entries of the receiver's `S`, this many: by Algorithm B.2 an honest sender has exactly these, because
    /// all are delivered in one order.
    First(u16),
    /// Other entries.
    Entries(Vec<Standing>),
}

fn is_zero(times: &u32) -> bool {
    *times == 0
}
