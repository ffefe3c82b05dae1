//! A computation in shards, as messages, safe cells, panels and the judge name it (Garcia-Molina 1982, section II: the task
//! definition).
//!
//! Invariant: a set of shards reads back what it prints.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{NodeId, NodeSet, NodeTextError, TaskId};

/// The most shards of a task.
pub const SHARDS_MAX: u16 = 256;

/// A process's part of a computation in shards.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ShardWork {
    /// The definition under which it works; absent outside of Normal, or while it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<DefinitionId>,
    /// The shards that this definition gives to it, and that it has not computed yet.
    pub out: ShardSet,
    /// At a coordinator: the shards that its definition gives to its group, and whose results it does not have.
    #[serde(default, skip_serializing_if = "ShardSet::is_empty")]
    pub given: ShardSet,
    /// The shards whose results it has in its safe cells.
    pub done: ShardSet,
    /// How many primes these results count together.
    pub primes: u64,
    /// What it computed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<ShardResult>,
}

/// Which groups compute.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputingGroups {
    /// Those with a majority of all nodes: so one at most.
    WithMajority,
    /// All.
    All,
}

/// The result of one shard.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct ShardResult {
    /// Which, from 1.
    pub shard: u16,
    /// How many primes it holds.
    pub primes: u32,
}

/// Names one division of a task among members. A coordinator that divides the task of its group again counts the rounds.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct DefinitionId {
    /// The task definition `d` of the group.
    pub task: TaskId,
    /// Which division of it, from 1.
    pub round: u32,
}

impl fmt::Display for DefinitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.task, self.round)
    }
}

/// What the judge must know of a computation in shards.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ShardFacts {
    /// How many shards there are.
    pub shards: u16,
    /// How many numbers a shard has.
    pub numbers: u64,
    /// Which groups compute.
    pub groups: ComputingGroups,
}

/// A set of shards, in 32 bytes. Its text form is that of a set of nodes: `1-3,5`, or `-`.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShardSet(NodeSet);

impl ShardSet {
    /// No shard.
    pub const EMPTY: ShardSet = ShardSet(NodeSet::EMPTY);

    /// The shards from 1 to this number, at most [`SHARDS_MAX`].
    pub fn first(number: u16) -> ShardSet {
        ShardSet(NodeSet::first(number.min(SHARDS_MAX)))
    }

    /// Adds a shard, if there may be one of this number.
    pub fn insert(&mut self, shard: u16) {
        if let Some(place) = NodeId::new(shard) {
            self.0.insert(place);
        }
    }

    /// Takes a shard out; returns whether it was there.
    pub fn remove(&mut self, shard: u16) -> bool {
        NodeId::new(shard).is_some_and(|place| self.0.remove(place))
    }

    /// Whether the shard is in it.
    pub fn contains(&self, shard: u16) -> bool {
        NodeId::new(shard).is_some_and(|place| self.0.contains(place))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The shards, lowest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u16> + use<> {
        self.0.iter().map(NodeId::get)
    }

    /// Shards of either.
    pub fn union(&self, other: &ShardSet) -> ShardSet {
        ShardSet(self.0.union(&other.0))
    }

    /// Shards of this set that the other does not have.
    pub fn minus(&self, other: &ShardSet) -> ShardSet {
        ShardSet(self.0.minus(&other.0))
    }

    /// Shards of both.
    pub fn intersection(&self, other: &ShardSet) -> ShardSet {
        ShardSet(self.0.intersection(&other.0))
    }
}

impl FromIterator<u16> for ShardSet {
    fn from_iter<I: IntoIterator<Item = u16>>(shards: I) -> ShardSet {
        let mut set = ShardSet::EMPTY;
        shards.into_iter().for_each(|shard| set.insert(shard));
        set
    }
}

impl fmt::Display for ShardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for ShardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShardSet({self})")
    }
}

impl FromStr for ShardSet {
    type Err = NodeTextError;

    fn from_str(text: &str) -> Result<ShardSet, NodeTextError> {
        text.parse().map(ShardSet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Incarnation, Work};

    #[test]
    fn a_set_of_shards_reads_back_what_it_prints() {
        let mut shards = ShardSet::first(256).minus(&"3-250".parse().unwrap());
        assert_eq!((shards.to_string().as_str(), shards.len()), ("1,2,251-256", 8));
        shards.insert(0);
        shards.insert(257);
        assert!(!shards.remove(0) && shards.remove(1) && !shards.contains(1) && shards.contains(256));
        assert_eq!(shards.iter().collect::<ShardSet>(), shards);
        assert_eq!(ShardSet::EMPTY.to_string(), "-");
    }

    #[test]
    fn a_work_is_read_as_it_was_written() {
        let task = TaskId { author: NodeId::new(5).unwrap(), incarnation: Incarnation(1), serial: 2 };
        let work = Work::Shards(ShardWork {
            under: Some(DefinitionId { task, round: 3 }),
            out: "1,2".parse().unwrap(),
            given: "1-3".parse().unwrap(),
            done: "4".parse().unwrap(),
            primes: 135,
            latest: Some(ShardResult { shard: 4, primes: 135 }),
        });
        let text = serde_json::to_string(&work).unwrap();
        assert!(text.starts_with(r#"{"shards":{"under":{"task":{"author":5"#), "{text}");
        assert_eq!(serde_json::from_str::<Work>(&text).unwrap(), work);
        assert_eq!(DefinitionId { task, round: 3 }.to_string(), "5.1.2/3");
    }
}
