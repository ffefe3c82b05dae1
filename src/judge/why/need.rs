//! Whether a fault was needed for a state or a violation: what a rerun of the lab without that fault has to show again.
//!
//! Invariant: it is told only of a rerun that shows the result while the fault is there; of any other nothing is known.

use super::AskedWhy;
use super::session_past::SessionPast;
use crate::cut::is_of_cuts;
use protocol::{NodeId, NodeSet, Property};
use record::{Body, Record};
use world::World;

/// What is looked for in a rerun.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RerunGoal {
    /// The node in this state at this stamp, or at most `slack` later.
    State {
        node: NodeId,
        /// The process that it believes in.
        believes_in: Option<NodeId>,
        /// The word, where it believes in none.
        word: String,
        at: i64,
        /// How much later a rerun may come to it.
        slack: i64,
    },
    /// A violation of this property by these nodes.
    Violation {
        property: Property,
        nodes: NodeSet,
        at: i64,
        /// How much earlier or later a rerun may come to it: another one of these nodes is not this one.
        slack: i64,
    },
}

/// What a rerun without a fault has shown.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Need {
    /// The result did not come.
    Needed,
    /// The result came all the same.
    NotNeeded,
    /// Nothing: and why, as a sentence.
    Unknown(String),
}

impl Need {
    /// As a sentence about a fault of this name.
    pub fn told(&self, fault: &str) -> String {
        match self {
            Need::Needed => format!("{fault}: needed. The lab in virtual time without it does not come to this."),
            Need::NotNeeded => format!("{fault}: not needed. The lab in virtual time without it comes to this too."),
            Need::Unknown(why) => format!("{fault}: it cannot be told whether it was needed. {why}"),
        }
    }
}

impl AskedWhy {
    /// What a rerun has to show again; nothing if the records of the past do not hold what is asked about.
    pub fn sought(self, session_past: &SessionPast<'_>) -> Option<RerunGoal> {
        match self {
            AskedWhy::Node(node) => sought_state(session_past, node, session_past.end()),
            AskedWhy::Record(number) => {
                let place = session_past.numbered(number)?;
                let record = session_past.at(place);
                match (&record.body, record.node) {
                    (Body::Violation(report), _) => {
                        // What contradicts a lab at rest is told when that has lasted, which other faults put off.
                        let lasts =
                            session_past.t().zip(session_past.silence()).filter(|_| is_of_instants(report.property));
                        let slack = lasts.and_then(|(t, silence)| i64::try_from((t * 10 + silence * 2).nanos()).ok());
                        let slack = slack.unwrap_or(i64::MAX);
                        Some(RerunGoal::Violation {
                            property: report.property,
                            nodes: report.nodes,
                            at: record.at,
                            slack,
                        })
                    }
                    (_, node) => sought_state(session_past, node?, place + 1),
                }
            }
        }
    }
}

/// Whether it is broken at an instant, and told then.
fn is_of_instants(property: Property) -> bool {
    is_of_cuts(property) || property == Property::Fencing
}

fn sought_state(session_past: &SessionPast<'_>, node: NodeId, end: usize) -> Option<RerunGoal> {
    let (_, state) = session_past.stance_before(node, end)?;
    let at = session_past.between(0, end).map(|(_, record)| record.at).max()?;
    let slack = session_past.t().map_or(0, |t| i64::try_from((t * 2).nanos()).unwrap_or(i64::MAX));
    Some(RerunGoal::State { node, believes_in: state.believes_in(), word: state.word.to_string(), at, slack })
}

impl RerunGoal {
    /// When it has come at the latest, if it comes; a violation may be told at the end.
    pub fn by(&self) -> i64 {
        match self {
            RerunGoal::State { at, slack, .. } => at.saturating_add(*slack),
            RerunGoal::Violation { .. } => 0,
        }
    }

    /// Whether this record shows it, in a world before which it happened.
    fn is_shown(&self, record: &Record, before: &World) -> bool {
        match self {
            RerunGoal::Violation { property, nodes, at, slack } => match &record.body {
                Body::Violation(report) => {
                    (report.property, report.nodes) == (*property, *nodes)
                        && record.at.abs_diff(*at) <= u64::try_from(*slack).unwrap_or(0)
                }
                _ => false,
            },
            // The state before a record holds until that record.
            RerunGoal::State { at, .. } => record.at > *at && before.now <= self.by() && self.holds(before),
        }
    }

    fn holds(&self, world: &World) -> bool {
        let RerunGoal::State { node, believes_in, word, .. } = self else { return false };
        let Some(view) = world.nodes.get(node).filter(|view| view.process.is_up()) else { return false };
        let Some(state) = &view.state else { return false };
        state.believes_in() == *believes_in && (believes_in.is_some() || state.word == *word)
    }
}

/// Looks for it in the records of a rerun, as they come.
#[derive(Debug)]
pub struct Search<'a> {
    sought: &'a RerunGoal,
    world: World,
    is_found: bool,
}

impl<'a> Search<'a> {
    /// A search in a rerun of which nothing has happened yet.
    pub fn new(sought: &'a RerunGoal, world: World) -> Search<'a> {
        Search { sought, world, is_found: false }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        self.is_found |= self.sought.is_shown(record, &self.world);
        self.world.fold(record);
    }

    /// Whether it was there. Nothing happens any more.
    pub fn is_found(&self) -> bool {
        self.is_found || self.sought.holds(&self.world) && self.world.now <= self.sought.by()
    }
}
