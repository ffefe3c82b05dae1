//! The conditions that applications add to those that every lab can be asked: how each is written, when it holds, what
//! is true instead, and which labs can never answer it.
//!
//! Invariant: a condition reads only the states of running processes.

use std::fmt;
use std::hash::{Hash, Hasher};

use fault::Unsuited;
use protocol::{ApplicationCard, NodeId, NodeSet, Settings};
use world::World;

/// A condition of an application, and what it asks for.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct WorkCondition {
    pub form: &'static ConditionForm,
    pub asked: Asked,
}

/// What a condition asks for: what its form does not have is empty.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct Asked {
    pub number: i128,
    /// Of which process; of all together if nobody is named.
    pub by: Option<NodeId>,
    /// None of them is `none`.
    pub nodes: NodeSet,
}

/// How a condition of an application is written, and what it means.
#[derive(Copy, Clone, Debug)]
pub struct ConditionForm {
    /// The word that it begins with.
    pub word: &'static str,
    /// What follows the word.
    pub asks: Asks,
    /// The ways to be written, each with what it says.
    pub ways: &'static [(&'static str, &'static str)],
    pub holds: fn(&Asked, &World) -> bool,
    /// What is true instead, as a fragment.
    pub instead: fn(&Asked, &World) -> String,
    /// Why it can never be true in a lab, if that is known.
    pub lacks: fn(&Asked, &KnownLab<'_>) -> Option<Unsuited>,
}

/// What follows the word of a condition.
#[derive(Copy, Clone, Debug)]
pub enum Asks {
    /// A number of these, from 1, to so many at most.
    Number(&'static str, Option<u32>),
    /// A number of these, from 1, and perhaps `by` and a node.
    NumberBy(&'static str),
    /// A whole number.
    WholeNumber,
    /// Nodes.
    Nodes,
    /// Nodes, or `none`.
    NodesOrNone,
}

/// What is known of a lab while its file is read.
#[derive(Copy, Clone, Default, Debug)]
pub struct KnownLab<'a> {
    /// The application, with the application's own settings, if it has one and that is known.
    pub application: Option<(&'static ApplicationCard, &'a Settings)>,
    /// Whether its settings are known.
    pub has_settings: bool,
    /// Whether its nodes are known.
    pub has_nodes: bool,
    /// Whether some of its nodes do not elect.
    pub has_bystanders: bool,
}

impl WorkCondition {
    /// The nodes that it names.
    pub fn nodes(&self) -> NodeSet {
        self.asked.by.map_or(self.asked.nodes, NodeSet::of)
    }
}

impl fmt::Display for WorkCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Asked { number, by, nodes } = &self.asked;
        match (self.form.asks, by) {
            (Asks::NumberBy(_), Some(node)) => write!(f, "{} {number} by {node}", self.form.word),
            (Asks::Number(..) | Asks::NumberBy(_) | Asks::WholeNumber, _) => write!(f, "{} {number}", self.form.word),
            (Asks::Nodes | Asks::NodesOrNone, _) if nodes.is_empty() => write!(f, "{} none", self.form.word),
            (Asks::Nodes | Asks::NodesOrNone, _) => write!(f, "{} {nodes}", self.form.word),
        }
    }
}

impl PartialEq for ConditionForm {
    fn eq(&self, other: &ConditionForm) -> bool {
        self.word == other.word
    }
}

impl Eq for ConditionForm {}

impl Hash for ConditionForm {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.word.hash(hasher);
    }
}

impl ConditionForm {
    /// The ways to be written, as an error shows them between backticks.
    pub fn form(&self) -> String {
        self.ways.iter().map(|(way, _)| *way).collect::<Vec<_>>().join("` or `")
    }
}

impl KnownLab<'_> {
    /// The Card of its application.
    pub fn card(&self) -> Option<&'static ApplicationCard> {
        self.application.map(|(card, _)| card)
    }

    /// Whether it is known that its application is none of this name.
    pub fn is_without(&self, name: &str) -> bool {
        self.has_nodes && self.card().is_none_or(|card| card.name != name)
    }
}

/// Why no process of a lab could ever make a condition true: so it has to be another one, or this application.
pub fn another(what: &str, remedy: &str) -> Unsuited {
    Unsuited { what: what.to_owned(), expected: "expected another condition".to_owned(), remedy: remedy.to_owned() }
}

/// The same, of a number that is too large.
pub fn at_most(most: impl fmt::Display, what: String, remedy: &str) -> Unsuited {
    Unsuited { what, expected: format!("expected {most} at most"), remedy: remedy.to_owned() }
}
