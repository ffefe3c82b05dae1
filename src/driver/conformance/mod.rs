//! Conformance: the inputs that a session records for its machines are given once more to the machines of this build,
//! and every step that follows is compared with the recorded one, byte for byte.
//!
//! What a machine does depends on its setup, on what its safe cells held, on the seed of the draws, and on its inputs,
//! in their order and at their times. All of this is in the session: a node that starts again finds in its safe cells
//! what the session says that it saved. If that depends on how far the last step before its crash got, each way is
//! tried, and a way that the records contradict is given up.
//!
//! Invariant: no session conforms of which a record is missing, or a step was not fed.

mod course;
mod difference;
mod journey;
#[cfg(test)]
mod tests;
mod whole;

pub use difference::Difference;
pub use whole::NotWhole;

use std::collections::BTreeMap;

use whole::Whole;

use crate::election::{self, Visitor};
use crate::protocol::{Algorithm, Incarnation, NodeId, SettingCard, SettingKind, SettingValue, Setup};
use crate::record::{Head, Input, Record, SessionReader};

/// What was fed, and came out as recorded.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Fed {
    /// How many steps, by node.
    pub steps: BTreeMap<NodeId, u64>,
    /// How many of them were starts.
    pub starts: u64,
}

/// Why nobody can say whether a session conforms.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum Unverifiable {
    /// Something of it is missing.
    #[error(transparent)]
    NotWhole(#[from] NotWhole),
    /// This build does not have the algorithm.
    #[error("this build has no algorithm {name}; verify it with the build that recorded it, {build}")]
    NoAlgorithm {
        /// Its name.
        name: String,
        /// The build that recorded the session.
        build: String,
    },
    /// The algorithm has a setting here that the session does not set, or not so.
    #[error("its head does not set {name} as this build knows it; verify it with the build {build}")]
    NotSet {
        /// The setting's name.
        name: &'static str,
        /// The build that recorded the session.
        build: String,
    },
}

/// Why a session was not found to conform.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NotVerified {
    /// Nobody can say whether it conforms.
    #[error(transparent)]
    Unknown(#[from] Unverifiable),
    /// A step differs from the recorded one.
    #[error(transparent)]
    Differs(#[from] Box<Difference>),
}

impl Fed {
    /// How many steps in all.
    pub fn total(&self) -> u64 {
        self.steps.values().sum()
    }
}

/// Feeds a session to the machines of its algorithm.
///
/// # Errors
/// Something of it is missing, or its first difference.
pub fn verify(session: &SessionReader) -> Result<Fed, NotVerified> {
    let whole = Whole::of(session).map_err(Unverifiable::from)?;
    let (name, build) = (&whole.head.facts.name, &whole.head.build);
    election::visit(name, Verify { whole: &whole, records: &session.records })
        .unwrap_or_else(|| Err(Unverifiable::NoAlgorithm { name: name.to_string(), build: build.clone() }.into()))
}

struct Verify<'a> {
    whole: &'a Whole<'a>,
    records: &'a [Record],
}

impl Visitor for Verify<'_> {
    type Output = Result<Fed, NotVerified>;

    fn visit<A: Algorithm>(self) -> Self::Output {
        verify_as::<A>(self.whole, self.records)
    }
}

fn verify_as<A: Algorithm>(whole: &Whole<'_>, records: &[Record]) -> Result<Fed, NotVerified> {
    let Whole { head, roster, steps } = whole;
    check_settings(A::CARD.settings, head)?;
    let mut fed = Fed { steps: BTreeMap::new(), starts: 0 };
    let mut first = journey::strayed(records);
    for (node, steps) in steps {
        let (settings, incarnation) = (head.settings.clone(), Incarnation::default());
        let setup = Setup { me: *node, roster: *roster, timing: head.timing, settings, incarnation };
        if let Err(differs) = course::feed::<A>(&setup, head.seed, steps)
            && first.as_ref().is_none_or(|first| differs.record < first.record)
        {
            first = Some(differs);
        }
        fed.steps.insert(*node, steps.len() as u64);
        fed.starts += steps.iter().filter(|recorded| matches!(recorded.step.input, Input::Start { .. })).count() as u64;
    }
    first.map_or(Ok(fed), |differs| Err(NotVerified::Differs(differs)))
}

/// A machine relies on having all its settings, each of its kind.
fn check_settings(cards: &[SettingCard], head: &Head) -> Result<(), Unverifiable> {
    let missing = cards.iter().find(|card| !is_set(card, head));
    missing.map_or(Ok(()), |card| Err(Unverifiable::NotSet { name: card.name, build: head.build.clone() }))
}

fn is_set(card: &SettingCard, head: &Head) -> bool {
    let value = head.settings.iter().find(|(name, _)| *name == card.name).map(|(_, value)| value);
    match (card.kind, value) {
        (SettingKind::Holes(_), Some(SettingValue::Flag(_)))
        | (SettingKind::Nodes, Some(SettingValue::Nodes(_)))
        | (SettingKind::Numbers, Some(SettingValue::Numbers(_))) => true,
        (SettingKind::Holes(holes), Some(SettingValue::Holes(numbers))) => {
            numbers.iter().all(|number| holes.iter().any(|hole| hole.number == number))
        }
        (SettingKind::Word(words), Some(SettingValue::Word(word))) => words.contains(&word.as_str()),
        (SettingKind::Number { most, .. }, Some(SettingValue::Number(number))) => *number <= most(head.nodes),
        _ => false,
    }
}
