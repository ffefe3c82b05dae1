//! What an election by capacity holds, beside the state vector: who stands with which capacity, and what decided (King,
//! Gendreau and Ni 1988). Garcia-Molina's state vector has no place for these.
//!
//! Invariant: but for its course, a ballot tells of the election that the state vector names, and of no other; it tells
//! what its own process knows, and nothing else.

use serde::{Deserialize, Serialize};

use super::NodeId;

/// Where a process stands on its way through elections, whatever its algorithm calls its phases.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// In no election: it has heard of none since it started, takes no part in the one under way, or the last one that it
    /// was in has elected nobody (King and Ni: `start`, `normal`).
    Idle,
    /// On its way through an election.
    Electing,
    /// At the end of an election (King and Ni: `stop`, `master`). Whom it names is [`StateVector::believes_in`]: to the
    /// letter of King and Ni's tables that may be nobody.
    ///
    /// [`StateVector::believes_in`]: super::StateVector::believes_in
    AtRest,
    /// At the end of an election of which it knows no outcome: it asks the operator for help.
    Help,
}

/// A candidate and its capacity.
pub type Standing = (NodeId, i64);

/// What a process holds of an election by capacity.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Ballot {
    /// Where it stands.
    pub course: Course,
    /// The capacity with which it stands in this election: the one that it sent to all as it entered. Absent if it does
    /// not stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_with: Option<i64>,
    /// How often it has announced itself within this election (Algorithm C): once in each round that it was in, however
    /// often it repeated that. Where one round decides nobody does (Algorithms A to B.2).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub announcements: u32,
    /// What it has collected, where the lists decide (Algorithm B.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<Lists>,
}

/// The candidate lists of Algorithm B.2.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Lists {
    /// `S`: the inits, in order of delivery; -1 for a non-candidate that began.
    pub candidates: Vec<Standing>,
    /// `Y`: whose lists have come, in order of delivery.
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
    /// The first so many inits of the receiver's `S`: what an honest sender has, for all are delivered in one order.
    First(u16),
    /// Other entries.
    Entries(Vec<Standing>),
}

fn is_zero(times: &u32) -> bool {
    *times == 0
}
