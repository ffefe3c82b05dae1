//! An algorithm's own settings: which ones it has, and the values that a lab gave them.
//!
//! Invariant: a `Settings` holds exactly the names its Card lists, each with a value of the kind listed there.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{HoleCard, NodeSet};

/// One setting of an algorithm, as its Card lists it.
#[derive(Copy, Clone, Debug)]
pub struct SettingCard {
    /// The key in the lab file's `[settings]`.
    pub name: &'static str,
    /// What it takes, and its default.
    pub kind: SettingKind,
    /// What it does, as a sentence.
    pub about: &'static str,
}

/// What a setting takes.
#[derive(Copy, Clone, Debug)]
pub enum SettingKind {
    /// Which of these holes are mended: all by default; `true`, `false` or a list of their numbers.
    Holes(&'static [HoleCard]),
    /// `true` or `false`.
    Flag {
        /// The default.
        default: bool,
    },
    /// One of these words; the first is the default.
    Word(&'static [&'static str]),
    /// A list of nodes, such as `"1-3"`; all nodes by default.
    Nodes,
    /// The same, or `"none"`.
    NodesOrNone,
    /// A whole number from 0 for each node, from node 1 on, such as `[3, 9, 4]`; none by default.
    Numbers,
    /// A whole number from 0.
    Number {
        /// The default, or the most if that is less.
        default: u64,
        /// The greatest value in a lab of this many nodes; 0 nodes where their number is not known.
        most: fn(u16) -> u64,
    },
}

/// The value of one setting.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingValue {
    /// Of a [`SettingKind::Flag`]; of a [`SettingKind::Holes`]: all, or none.
    Flag(bool),
    /// Of a [`SettingKind::Holes`]: the holes of these numbers, in the Card's order; all others are left in.
    Holes(Vec<String>),
    /// Of a [`SettingKind::Word`].
    Word(String),
    /// Of a [`SettingKind::Nodes`] or [`SettingKind::NodesOrNone`].
    Nodes(NodeSet),
    /// Of a [`SettingKind::Numbers`]: one for each node, or none at all.
    Numbers(Vec<u32>),
    /// Of a [`SettingKind::Number`].
    Number(u64),
    /// The lab's application, if it has one, under the name [`APPLICATION`]: no Card has a setting of this kind.
    Application {
        /// The name.
        name: String,
        /// The own settings, complete.
        settings: Settings,
    },
}

/// Where the settings of a lab keep its application.
const APPLICATION: &str = "application";

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Flag(flag) => write!(f, "{flag}"),
            SettingValue::Holes(numbers) => write!(f, "{numbers:?}"),
            SettingValue::Word(word) => write!(f, "{word}"),
            SettingValue::Nodes(nodes) => write!(f, "{nodes}"),
            SettingValue::Numbers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", numbers.join(", "))
            }
            SettingValue::Number(number) => write!(f, "{number}"),
            SettingValue::Application { name, .. } => f.write_str(name),
        }
    }
}

/// The settings of a lab's algorithm, complete.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, SettingValue>);

impl Settings {
    /// The defaults of the Card, for a lab of these nodes.
    pub fn defaults(cards: &[SettingCard], all: NodeSet) -> Settings {
        let value = |kind: SettingKind| match kind {
            SettingKind::Holes(_) => SettingValue::Flag(true),
            SettingKind::Flag { default } => SettingValue::Flag(default),
            SettingKind::Word(words) => SettingValue::Word(words[0].to_owned()),
            SettingKind::Nodes | SettingKind::NodesOrNone => SettingValue::Nodes(all),
            SettingKind::Numbers => SettingValue::Numbers(Vec::new()),
            SettingKind::Number { default, most } => SettingValue::Number(default.min(most(all.len() as u16))),
        };
        Settings(cards.iter().map(|card| (card.name.to_owned(), value(card.kind))).collect())
    }

    /// Gives a setting its value. The caller has checked name and kind against the Card.
    pub fn with(mut self, name: &str, value: SettingValue) -> Settings {
        self.0.insert(name.to_owned(), value);
        self
    }

    /// The same settings with an application. The caller has checked it against its Card.
    pub fn with_application(self, name: &str, settings: Settings) -> Settings {
        self.with(APPLICATION, SettingValue::Application { name: name.to_owned(), settings })
    }

    /// The lab's application and its settings, if it has one.
    pub fn application(&self) -> Option<(&str, &Settings)> {
        match self.0.get(APPLICATION) {
            Some(SettingValue::Application { name, settings }) => Some((name, settings)),
            _ => None,
        }
    }

    /// The value of a setting, if the algorithm has it.
    pub fn value(&self, name: &str) -> Option<&SettingValue> {
        self.0.get(name)
    }

    /// A word's value. Asking for a word that the Card does not list is a bug.
    pub fn word(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(SettingValue::Word(word)) => word,
            other => panic!("setting {name} is not a word: {other:?}"),
        }
    }

    /// A flag's value. Asking for a flag that the Card does not list is a bug.
    pub fn flag(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(SettingValue::Flag(flag)) => *flag,
            other => panic!("setting {name} is not a flag: {other:?}"),
        }
    }

    /// A number's value. Asking for a number that the Card does not list is a bug.
    pub fn number(&self, name: &str) -> u64 {
        match self.0.get(name) {
            Some(SettingValue::Number(number)) => *number,
            other => panic!("setting {name} is not a number: {other:?}"),
        }
    }

    /// A number's value, if the algorithm has a setting of that name.
    pub fn number_if_any(&self, name: &str) -> Option<u64> {
        match self.0.get(name) {
            Some(SettingValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// A node list's value, if the algorithm has a setting of that name.
    pub fn nodes(&self, name: &str) -> Option<NodeSet> {
        match self.0.get(name) {
            Some(SettingValue::Nodes(nodes)) => Some(*nodes),
            _ => None,
        }
    }

    /// A list of numbers; empty if the algorithm has no setting of that name, or the lab gives none.
    pub fn numbers(&self, name: &str) -> &[u32] {
        match self.0.get(name) {
            Some(SettingValue::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// The settings that are words, with their values.
    pub fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        self.iter().filter_map(|(name, value)| match value {
            SettingValue::Word(word) => Some((name, word.as_str())),
            _ => None,
        })
    }

    /// Names and values, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SettingValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}
