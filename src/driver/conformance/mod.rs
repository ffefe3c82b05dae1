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
mod holds;
mod message_track;
#[cfg(test)]
mod tests;
mod whole;

pub use difference::Difference;
pub use whole::NotWhole;

use std::ops::ControlFlow;

use course::{FedMachines, Feeding};
use difference::StepDifference;
use holds::Holds;
use litemap::LiteMap;
use message_track::{MessageTrack, Sent, WrongMessage};
use whole::SessionCollector;

use protocol::{
    Incarnation, LabKeys, NodeId, NodeMap, Registry, Roster, SettingCard, SettingKind, SettingValue, Setup,
};
use record::{Head, Input, Record, Session, SessionEntry, SessionError, Skipped};

/// What was fed, and came out as recorded.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct FedSession {
    /// How many steps, by node.
    pub steps: NodeMap<u64>,
    /// How many of them were starts.
    pub starts: u64,
}

/// Why nobody can say whether a session conforms.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum Unverifiable {
    /// Something of it is missing.
    #[error(transparent)]
    NotWhole(#[from] NotWhole),
    /// Cannot be read to its end.
    #[error("{0}")]
    Unread(SessionError),
    /// This build does not have the algorithm.
    #[error("this build has no algorithm {name}; verify it with the build that recorded it, {build}")]
    NoAlgorithm {
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

impl FedSession {
    /// How many steps in all.
    pub fn total(&self) -> u64 {
        self.steps.values().sum()
    }
}

/// Feeds a session to the machines of its algorithm. It goes through the session twice, and holds one record at a time.
///
/// # Errors
/// Something of it is missing, or its first difference.
pub fn verify(session: &dyn Session, registry: Registry) -> Result<FedSession, NotVerified> {
    let survey = Survey::of(session)?;
    let (name, build) = (&survey.head.facts.name, &survey.head.build);
    let kind = registry
        .kind_of(name, &survey.head.settings)
        .ok_or_else(|| Unverifiable::NoAlgorithm { name: name.to_string(), build: build.clone() })?;
    let named = survey.head.settings.application();
    let application = named.and_then(|(name, _)| registry.application(name));
    verify_as(FedMachines { kind, application }, &survey, session)
}

/// What must be known of a whole session before its first step is fed.
struct Survey<'a> {
    head: &'a Head,
    roster: Roster,
    holds: Holds,
    sent: Sent,
}

impl Survey<'_> {
    fn of(session: &dyn Session) -> Result<Survey<'_>, Unverifiable> {
        let mut gatherer = None;
        let (mut holds, mut sent) = (Holds::default(), Sent::default());
        each_record(session, &mut |record| {
            if gatherer.is_none() {
                gatherer = Some(SessionCollector::of(session.head())?);
            }
            let gatherer = gatherer.as_mut().expect("this was made above");
            if let Some((node, recorded)) = gatherer.take(&record)? {
                holds.take(node, &recorded);
                sent.take(&record);
            }
            Ok::<(), Unverifiable>(())
        })?;
        let gatherer = gatherer.map_or_else(|| SessionCollector::of(session.head()), Ok)?;
        gatherer.close()?;
        let head = session.head().ok_or(NotWhole::NoHead)?;
        Ok(Survey { head, roster: gatherer.roster(), holds, sent })
    }
}

/// Gives every record; a line that cannot be used is an error.
fn each_record<E: From<Unverifiable>>(
    session: &dyn Session,
    take: &mut dyn FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let mut taken = Ok(());
    let read = session.go_through(&mut |entry| {
        taken = match entry {
            SessionEntry::Head(_) => Ok(()),
            SessionEntry::Record(record) => take(record),
            SessionEntry::Skipped(Skipped { line, why }) => {
                Err(Unverifiable::NotWhole(NotWhole::Line { line, why }).into())
            }
        };
        if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    taken.and(read.map_err(|error| Unverifiable::Unread(error).into()))
}

fn verify_as(machines: FedMachines, survey: &Survey<'_>, session: &dyn Session) -> Result<FedSession, NotVerified> {
    let (Survey { head, roster, holds, sent }, kind) = (survey, machines.kind);
    check_settings(kind.card().settings, head)?;
    let mut fed = FedSession { steps: NodeMap::new(), starts: 0 };
    let mut gatherer = SessionCollector::of(Some(head)).map_err(Unverifiable::from)?;
    let mut journey = MessageTrack::default();
    let keys = LabKeys::asked_for(kind.card().keys, head.seed, roster.len());
    let mut nodes: LiteMap<NodeId, Feeding> = LiteMap::new();
    each_record(session, &mut |record| {
        let strayed = journey.take(&record, sent);
        let Some((node, recorded)) = gatherer.take(&record).map_err(Unverifiable::from)? else { return Ok(()) };
        strayed.map_err(|stray| odd_of(stray, session).at(node, &recorded))?;
        let machine = nodes.entry(node).or_insert_with(|| {
            let (settings, incarnation) = (head.settings.clone(), Incarnation::default());
            let keyring = keys.as_ref().map(|keys| keys.keyring(node));
            let setup = Setup { me: node, roster: *roster, timing: head.timing, settings, incarnation, keyring };
            Feeding::new(machines, setup, head.seed)
        });
        machine.take(&recorded, holds.went_on(node, recorded.step)).map_err(|odd| odd.at(node, &recorded))?;
        *fed.steps.get_or_default(node) += 1;
        fed.starts += u64::from(matches!(recorded.step.input, Input::Start { .. }));
        Ok::<(), NotVerified>(())
    })?;
    Ok(fed)
}

/// The difference of a message that strayed. What was sent with its identity is looked up in the session.
fn odd_of(stray: WrongMessage, session: &dyn Session) -> StepDifference {
    let (id, given) = match stray {
        WrongMessage::Changed(odd) => return odd,
        WrongMessage::Other { id, given } => (id, given),
    };
    let mut sent = None;
    // It was there when the session was surveyed. If it can no longer be read, its words are not told.
    let _ = each_record(session, &mut |record| {
        sent = message_track::sent_by(&record).find(|(of, _)| **of == id).map(|(_, message)| message.clone());
        if sent.is_some() { Err(NotWhole::NoSteps.into()) } else { Ok::<(), Unverifiable>(()) }
    });
    match sent {
        Some(sent) => message_track::other(&sent, &given),
        None => message_track::unlike(&given),
    }
}

/// A machine relies on having all its settings, each of its kind.
fn check_settings(cards: &[SettingCard], head: &Head) -> Result<(), Unverifiable> {
    let missing = cards.iter().find(|card| !is_set(card, head));
    missing.map_or(Ok(()), |card| Err(Unverifiable::NotSet { name: card.name, build: head.build.clone() }))
}

fn is_set(card: &SettingCard, head: &Head) -> bool {
    let value = head.settings.iter().find(|(name, _)| *name == card.name).map(|(_, value)| value);
    match (card.kind, value) {
        (SettingKind::Holes(_) | SettingKind::Flag { .. }, Some(SettingValue::Flag(_)))
        | (SettingKind::Nodes | SettingKind::NodesOrNone, Some(SettingValue::Nodes(_)))
        | (SettingKind::Numbers, Some(SettingValue::Numbers(_))) => true,
        (SettingKind::Holes(holes), Some(SettingValue::Holes(numbers))) => {
            numbers.iter().all(|number| holes.iter().any(|hole| hole.number == number))
        }
        (SettingKind::Word(words), Some(SettingValue::Word(word))) => words.contains(&word.as_str()),
        (SettingKind::Number { most, .. }, Some(SettingValue::Number(number))) => *number <= most(head.nodes),
        _ => false,
    }
}
