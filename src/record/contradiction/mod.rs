//! What contradicts what in a violation, as types, and the one place that puts it into a sentence.
//!
//! The papers define the properties: see [`Property`](protocol::Property). The kinds of the applications are in
//! [`WorkContradiction`].
//!
//! Invariant: code compares contradictions by these types, and never by their words.

pub mod work;

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

use self::work::WorkContradiction;
use super::stamp;
use protocol::{GroupNumber, NodeId, NodeSet, Standing, StateVector, Task};

/// How sure it is that what contradicts each other was there at once.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// No event orders the states, so they belong to one consistent cut.
    Possible,
    /// By happened-before each began before the other ended, so every observer saw both at once.
    Certain,
    /// Both were there at one instant of the clock that all processes of the machine share.
    Observed,
}

/// What contradicts what.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Self")]
pub enum Contradiction {
    /// Two nodes claim different things in one consistent cut, the earlier first.
    Claims([Claim; 2]),
    /// The node forms a second group with a number.
    SecondGroup { node: NodeId, number: GroupNumber },
    /// The node leads in a term that had a leader.
    SecondLeader {
        node: NodeId,
        term: u64,
        /// The other leader.
        other: NodeId,
    },
    /// The ends of an election name no master, or several.
    Ends(Vec<NodeEnd>),
    /// The ends of an election name masters, and none of these names itself.
    NoMasterOfItself(Vec<NodeEnd>),
    /// The node names a master that does not name itself.
    Unaccepted(NodeEnd),
    /// The master is not the largest of those that stood.
    NotLargest {
        master: NodeId,
        /// The capacity, if it stood.
        stood: Option<i64>,
        /// The largest of those that stood.
        largest: Standing,
    },
    /// The list that decided at a node has a larger one than the master.
    NotLargestOfList {
        node: NodeId,
        master: NodeId,
        /// The largest of the list.
        largest: Standing,
    },
    /// The list that decided at a node has the master with another capacity than the one with which it stood.
    WronglyListed {
        node: NodeId,
        /// The master as the list has it.
        listed: Standing,
        /// With which capacity it stood, if it did.
        stood: Option<i64>,
    },
    /// An election that began then has elected nobody; how the nodes stand after it.
    NobodyElected {
        /// In nanoseconds of `at`.
        began: i64,
        /// How the nodes stand.
        states: Vec<NodesWithState>,
    },
    /// Elections have gone on since then, and the nodes stand so.
    NoEnd {
        /// In nanoseconds of `at`.
        began: i64,
        /// How the nodes stand.
        states: Vec<NodesWithState>,
    },
    /// Has been quiet since then, in nanoseconds of `at`, and the nodes stand so all the same.
    AtRest {
        /// In nanoseconds of `at`.
        quiet_since: i64,
        /// How the nodes stand.
        states: Vec<NodesWithState>,
    },
    /// Has been quiet since then, in nanoseconds of `at`, and this is undone all the same.
    Undone {
        /// In nanoseconds of `at`.
        quiet_since: i64,
        what: StalledWork,
    },
    /// The application has done something wrong.
    Work(WorkContradiction),
}

/// What a node claims by its state, and from when until when.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Claim {
    pub node: NodeId,
    /// The paper's word for its status.
    pub word: Cow<'static, str>,
    pub coordinator: NodeId,
    /// The group's number, if groups have numbers.
    pub group: Option<GroupNumber>,
    /// The task, where tasks contradict each other.
    pub task: ClaimedTask,
    /// In nanoseconds of `at`.
    pub since: i64,
    /// When it was over, if it was before the contradiction began.
    pub until: Option<i64>,
}

/// The task in a claim.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimedTask {
    /// The contradiction is about the coordinator.
    NotAsked,
    /// The node has none.
    None,
    /// The node has this one.
    Task(Task),
}

/// How a node came out of an election.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct NodeEnd {
    pub node: NodeId,
    /// The paper's word for its status.
    pub word: Cow<'static, str>,
    /// Whom it names as master, if anybody.
    pub master: Option<NodeId>,
}

/// Nodes that stand alike.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct NodesWithState {
    pub nodes: NodeSet,
    /// The state; absent if none is known.
    pub state: Option<ShortState>,
}

/// A state without what changes with each election.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct ShortState {
    /// The paper's word for the status.
    pub word: Cow<'static, str>,
    /// The coordinator, if the node believes in one.
    pub coordinator: Option<NodeId>,
    /// The group's number, if it believes in a coordinator and groups have numbers.
    pub group: Option<GroupNumber>,
}

/// What nobody does although all that it takes is there.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StalledWork {
    /// Nodes wait for the critical section.
    Section {
        waiting: NodeSet,
        /// Who is inside.
        inside: NodeSet,
    },
    /// These have asked for a service, and nobody serves.
    Service(NodeSet),
    /// These are in doubt of an update.
    Doubt(NodeSet),
    /// Orders wait at these.
    Orders(NodeSet),
}

impl Contradiction {
    /// The parts in words: the two claims, or all of it.
    pub fn parts(&self) -> Vec<String> {
        match self {
            Contradiction::Claims(claims) => claims.iter().map(Claim::to_string).collect(),
            other => vec![other.to_string()],
        }
    }

    /// Whether it is about the tasks of nodes.
    pub fn is_of_tasks(&self) -> bool {
        matches!(self, Contradiction::Claims([claim, _]) if claim.task != ClaimedTask::NotAsked)
    }
}

/// The many kinds are read and written here alone, as JSON: else each room that reads or writes records would compile them
/// anew.
impl Serialize for Contradiction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        written(self).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Contradiction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Contradiction, D::Error> {
        read(<&RawValue>::deserialize(deserializer)?.get()).map_err(de::Error::custom)
    }
}

fn written(contradiction: &Contradiction) -> Result<Box<RawValue>, serde_json::Error> {
    let mut text = Vec::new();
    Contradiction::serialize(contradiction, &mut serde_json::Serializer::new(&mut text))?;
    RawValue::from_string(String::from_utf8(text).map_err(ser::Error::custom)?)
}

fn read(text: &str) -> Result<Contradiction, serde_json::Error> {
    Contradiction::deserialize(&mut serde_json::Deserializer::from_str(text))
}

impl NodesWithState {
    /// How these nodes stand: those that stand alike together, in the order of their first.
    pub fn of<'a>(nodes: NodeSet, state: impl Fn(NodeId) -> Option<&'a StateVector>) -> Vec<NodesWithState> {
        let mut found: Vec<NodesWithState> = Vec::new();
        for node in nodes.iter() {
            let state = state(node).map(ShortState::of);
            match found.iter_mut().find(|other| other.state == state) {
                Some(other) => {
                    other.nodes.insert(node);
                }
                None => found.push(NodesWithState { nodes: NodeSet::of(node), state }),
            }
        }
        found
    }
}

impl ShortState {
    fn of(state: &StateVector) -> ShortState {
        let coordinator = state.believes_in();
        ShortState { word: state.word.clone(), coordinator, group: state.group.filter(|_| coordinator.is_some()) }
    }
}

impl Display for Grade {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Grade::Possible => "possible",
            Grade::Certain => "certain",
            Grade::Observed => "observed",
        })
    }
}

impl Display for Contradiction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let said = |(node, capacity): &Standing| format!("{node} (capacity {capacity})");
        match self {
            Contradiction::Claims([earlier, later]) => write!(f, "{earlier}, {later}"),
            Contradiction::SecondGroup { node, number } => {
                write!(f, "{node} forms a second group with the number {number}")
            }
            Contradiction::SecondLeader { node, term, other } => {
                write!(f, "{node} leads in term {term}, in which {other} led")
            }
            Contradiction::Ends(ends) => f.write_str(&listed(ends)),
            Contradiction::NoMasterOfItself(ends) => write!(f, "no node names itself master: {}", listed(ends)),
            Contradiction::Unaccepted(end) => {
                write!(f, "{end}")?;
                end.master.map_or(Ok(()), |master| write!(f, ", but {master} does not name itself master"))
            }
            Contradiction::NotLargest { master, stood: Some(own), largest } => {
                write!(f, "all name {}, but {} was a candidate too", said(&(*master, *own)), said(largest))
            }
            Contradiction::NotLargest { master, stood: None, largest } => {
                write!(f, "all name {master}, which was not a candidate, but {} was", said(largest))
            }
            Contradiction::NotLargestOfList { node, master, largest } => {
                write!(f, "{node} names {master}, but the largest in the deciding list is {}", said(largest))
            }
            Contradiction::WronglyListed { node, listed, stood } => {
                write!(f, "the list that decided at {node} has {}, ", said(listed))?;
                match stood {
                    Some(own) => write!(f, "but it stood with capacity {own}"),
                    None => f.write_str("which was not a candidate"),
                }
            }
            Contradiction::NobodyElected { began, states } => {
                write!(f, "the election that began at {} has elected nobody: {}", stamp(*began), listed(states))
            }
            Contradiction::NoEnd { began, states } => {
                write!(f, "elections have gone on since {} without an end: {}", stamp(*began), listed(states))
            }
            Contradiction::AtRest { quiet_since, states } => {
                write!(f, "quiet since {}, but {}", stamp(*quiet_since), listed(states))
            }
            Contradiction::Undone { quiet_since, what } => {
                write!(f, "quiet since {}, but {what}", stamp(*quiet_since))
            }
            Contradiction::Work(work) => work.fmt(f),
        }
    }
}

impl Display for Claim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Claim { node, word, coordinator, group, task, since, until } = self;
        let verb = if until.is_some() { "was" } else { "is" };
        write!(f, "{node} {verb} {word} under {coordinator}")?;
        if let Some(group) = group {
            write!(f, " in group {group}")?;
        }
        match task {
            ClaimedTask::NotAsked => {}
            ClaimedTask::None => f.write_str(" without a task")?,
            ClaimedTask::Task(task) => write!(f, " with task {task}")?,
        }
        match until {
            Some(until) => write!(f, " from {} to {}", stamp(*since), stamp(*until)),
            None => write!(f, " since {}", stamp(*since)),
        }
    }
}

impl Display for NodeEnd {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let NodeEnd { node, word, master } = self;
        match master {
            Some(master) => write!(f, "{node} is {word} under {master}"),
            None => write!(f, "{node} is in {word}"),
        }
    }
}

impl Display for NodesWithState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.nodes, verb(&self.nodes, "is", "are"))?;
        match &self.state {
            None => f.write_str("without a state"),
            Some(ShortState { word, coordinator: Some(coordinator), group: Some(group) }) => {
                write!(f, "{word} under {coordinator} in group {group}")
            }
            Some(ShortState { word, coordinator: Some(coordinator), .. }) => write!(f, "{word} under {coordinator}"),
            Some(ShortState { word, .. }) => write!(f, "in {word}"),
        }
    }
}

impl Display for StalledWork {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            StalledWork::Section { waiting, inside } => {
                write!(f, "{waiting} {} for the critical section, and ", verb(waiting, "waits", "wait"))?;
                match inside.is_empty() {
                    true => f.write_str("nobody is inside"),
                    false => write!(f, "{inside} stays inside"),
                }
            }
            StalledWork::Service(nodes) => {
                write!(f, "{nodes} {} asked for a service, and nobody serves", verb(nodes, "has", "have"))
            }
            StalledWork::Doubt(nodes) => {
                write!(f, "{nodes} {} in doubt of an update, and all processes run", verb(nodes, "is", "are"))
            }
            StalledWork::Orders(nodes) => write!(f, "orders wait at {nodes}, and all processes run"),
        }
    }
}

fn listed(of: &[impl Display]) -> String {
    of.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn verb(nodes: &NodeSet, one: &'static str, many: &'static str) -> &'static str {
    if nodes.len() == 1 { one } else { many }
}
