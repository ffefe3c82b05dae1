//! Follows the records of a failover: which messages are sent in which part of it, and since when all agree.
//!
//! Invariant: what it knows comes from the records alone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use protocol::{Course, NodeId, NodeMap, NodeSet, StateVector, Status};
use record::{Body, EffectText, Record};

/// Messages by kind.
pub type Kinds = BTreeMap<Cow<'static, str>, u64>;

/// The messages of the Asynchronous Bully that Stoller counts.
const COUNTED: [&str; 4] = ["Halt", "Ack", "Rej", "Ldr"];

/// What has come of a failover so far.
#[derive(Clone, Default, Debug)]
pub struct FailoverTrace {
    /// What the messages of the present part have come to.
    pub sent: Kinds,
    /// Of those that Stoller counts, how many in each election, in the order in which the elections began; kept only if
    /// it is asked for, because the names of elections cost time.
    pub by_election: Option<Vec<(String, u64)>>,
    /// Since when all that run agree, if they do, in nanoseconds.
    pub agreed_since: Option<i64>,
    /// The messages of the present part up to then.
    pub sent_till_agreed: Kinds,
    running: NodeSet,
    states: NodeMap<KnownState>,
}

/// What is known of a process's state.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct KnownState {
    /// The leader under which it is at rest.
    under: Option<NodeId>,
    course: Course,
}

impl FailoverTrace {
    /// Nothing has come yet; messages are told apart by their elections if there is a list for that.
    pub fn new(by_election: Option<Vec<(String, u64)>>) -> FailoverTrace {
        FailoverTrace { by_election, ..FailoverTrace::default() }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => {
                for effect in &step.effects {
                    let EffectText::Send { message, .. } = effect else { continue };
                    *self.sent.entry(message.kind()).or_default() += 1;
                    if let Some(elections) = &mut self.by_election
                        && COUNTED.contains(&message.kind().as_ref())
                        && let Some((_, election)) = message.fields.iter().find(|(name, _)| name == "election")
                    {
                        count_in(elections, election);
                    }
                }
                if let Some(state) = &step.state {
                    self.running.insert(node);
                    self.states.insert(node, KnownState::of(state));
                    self.look(record.at);
                }
            }
            (Body::Died { .. }, Some(node)) => {
                self.running.remove(node);
                self.states.remove(&node);
                self.look(record.at);
            }
            _ => {}
        }
    }

    /// The next part begins: what was sent counts no longer.
    pub fn begin(&mut self) {
        self.sent.clear();
        self.by_election.iter_mut().for_each(Vec::clear);
        self.sent_till_agreed.clear();
    }

    /// The leader under which this process is at rest.
    pub fn under(&self, node: NodeId) -> Option<NodeId> {
        self.states.get(&node).and_then(|held| held.under)
    }

    /// The leader under which all are at rest, if they are.
    pub fn leader(&self) -> Option<NodeId> {
        let first = self.states.values().next()?.under?;
        (self.running.contains(first) && self.states.values().all(|held| held.under == Some(first))).then_some(first)
    }

    /// Whether no process is on its way through an election.
    pub fn is_idle(&self) -> bool {
        self.states.values().all(|held| held.course != Course::Electing)
    }

    fn look(&mut self, at: i64) {
        match (self.leader(), self.agreed_since) {
            (Some(_), None) => {
                self.agreed_since = Some(at);
                self.sent_till_agreed = self.sent.clone();
            }
            (None, Some(_)) => self.agreed_since = None,
            _ => {}
        }
    }
}

/// One more message of this election.
fn count_in(elections: &mut Vec<(String, u64)>, election: &str) {
    match elections.iter_mut().find(|(other, _)| other == election) {
        Some((_, count)) => *count += 1,
        None => elections.push((election.to_owned(), 1)),
    }
}

impl KnownState {
    fn of(state: &StateVector) -> KnownState {
        let under = state.coordinator.filter(|_| state.status == Status::Normal && state.course() == Course::AtRest);
        KnownState { under, course: state.course() }
    }
}
