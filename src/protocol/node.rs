//! The nodes that take part: a node's id, and a set of nodes.
//!
//! Invariant: every `NodeId` lies in 1..=256, so a `NodeSet` holds it in 32 bytes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The most nodes a lab may have.
pub const NODES_MAX: u16 = 256;

/// The identity of a node, from 1 to [`NODES_MAX`]. The roster says which of two outranks the other.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct NodeId(u16);

impl NodeId {
    /// The node with this number, or `None` if no node can have it.
    pub const fn new(number: u16) -> Option<NodeId> {
        if number >= 1 && number <= NODES_MAX { Some(NodeId(number)) } else { None }
    }

    /// The number.
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl TryFrom<u16> for NodeId {
    type Error = NodeTextError;

    fn try_from(number: u16) -> Result<NodeId, NodeTextError> {
        NodeId::new(number).ok_or_else(|| NodeTextError::OutOfRange(number.to_string()))
    }
}

impl From<NodeId> for u16 {
    fn from(node: NodeId) -> u16 {
        node.0
    }
}

impl FromStr for NodeId {
    type Err = NodeTextError;

    fn from_str(text: &str) -> Result<NodeId, NodeTextError> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NodeTextError::NotANode(text.to_owned()));
        }
        text.parse().ok().and_then(NodeId::new).ok_or_else(|| NodeTextError::OutOfRange(text.to_owned()))
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// Why a text does not name a node or a set of nodes.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NodeTextError {
    /// Is not a number.
    #[error("`{0}` is not a node id; write a number from 1 to 256")]
    NotANode(String),
    /// Is a number that no node can have.
    #[error("there is no node {0}; ids go from 1 to 256")]
    OutOfRange(String),
    /// A range such as `5-3`.
    #[error("the range `{0}` runs backwards; write the lower id first")]
    Backwards(String),
}

/// A set of nodes, in 32 bytes. Its text form is `1-3,5`; the empty set is `-`.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct NodeSet([u64; 4]);

impl NodeSet {
    /// The set without members.
    pub const EMPTY: NodeSet = NodeSet([0; 4]);

    /// The nodes from `first` to `last`, both included; empty if `last` is lower.
    pub fn range(first: NodeId, last: NodeId) -> NodeSet {
        let up_to = |bits: u16| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        NodeSet(std::array::from_fn(|word| {
            let before = 64 * word as u16;
            up_to(last.0.saturating_sub(before)) & !up_to((first.0 - 1).saturating_sub(before))
        }))
    }

    /// The nodes from 1 to this number; empty for 0.
    pub(super) fn first(number: u16) -> NodeSet {
        NodeId::new(number).map_or(NodeSet::EMPTY, |last| NodeSet::range(NodeId(1), last))
    }

    /// The set with one member.
    pub fn of(node: NodeId) -> NodeSet {
        let mut set = NodeSet::EMPTY;
        set.insert(node);
        set
    }

    /// Adds a node; returns whether it was new.
    pub fn insert(&mut self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Takes a node out; returns whether it was there.
    pub fn remove(&mut self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        let there = self.0[word] & bit != 0;
        self.0[word] &= !bit;
        there
    }

    /// Whether the node is a member.
    pub fn contains(&self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        self.0[word] & bit != 0
    }

    /// How many members it has.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The members, lowest id first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        Members(*self)
    }

    /// The highest id, if there is one.
    pub fn highest(&self) -> Option<NodeId> {
        self.iter().next_back()
    }

    /// Members of either.
    pub fn union(&self, other: &NodeSet) -> NodeSet {
        NodeSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Members of this set that the other does not have.
    pub fn minus(&self, other: &NodeSet) -> NodeSet {
        NodeSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Members of both.
    pub fn intersection(&self, other: &NodeSet) -> NodeSet {
        NodeSet(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    fn write_runs(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut left = self.iter().map(NodeId::get).peekable();
        let mut comma = "";
        while let Some(first) = left.next() {
            let mut last = first;
            while left.next_if_eq(&(last + 1)).is_some() {
                last += 1;
            }
            match last - first {
                0 => write!(out, "{comma}{first}")?,
                1 => write!(out, "{comma}{first},{last}")?,
                _ => write!(out, "{comma}{first}-{last}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

/// The members of a set that are still to come.
struct Members(NodeSet);

impl Members {
    fn take(&mut self, word: usize, bit: u32) -> NodeId {
        self.0.0[word] &= !(1 << bit);
        // A word has 64 bits and a set four words, so the number fits.
        NodeId(64 * word as u16 + bit as u16 + 1)
    }
}

impl Iterator for Members {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let word = self.0.0.iter().position(|word| *word != 0)?;
        Some(self.take(word, self.0.0[word].trailing_zeros()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl DoubleEndedIterator for Members {
    fn next_back(&mut self) -> Option<NodeId> {
        let word = self.0.0.iter().rposition(|word| *word != 0)?;
        Some(self.take(word, 63 - self.0.0[word].leading_zeros()))
    }
}

fn place(node: NodeId) -> (usize, u64) {
    let index = usize::from(node.0 - 1);
    (index / 64, 1 << (index % 64))
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> NodeSet {
        let mut set = NodeSet::EMPTY;
        for node in nodes {
            set.insert(node);
        }
        set
    }
}

impl fmt::Display for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.pad("-");
        }
        // Records are full of sets, and none of those is padded.
        if f.width().is_none() && f.precision().is_none() {
            return self.write_runs(f);
        }
        let mut text = String::new();
        self.write_runs(&mut text)?;
        f.pad(&text)
    }
}

impl fmt::Debug for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl FromStr for NodeSet {
    type Err = NodeTextError;

    fn from_str(text: &str) -> Result<NodeSet, NodeTextError> {
        if text == "-" {
            return Ok(NodeSet::EMPTY);
        }
        let mut set = NodeSet::EMPTY;
        for part in text.split(',') {
            let part = part.trim();
            match part.split_once('-') {
                // A sign, or a comma too many: what is wrong is more than nothing.
                None if part.is_empty() => return Err(NodeTextError::NotANode(text.to_owned())),
                Some((first, last)) if first.is_empty() || last.is_empty() => {
                    return Err(NodeTextError::NotANode(part.to_owned()));
                }
                None => {
                    set.insert(part.parse()?);
                }
                Some((first, last)) => {
                    let (first, last): (NodeId, NodeId) = (first.trim().parse()?, last.trim().parse()?);
                    if last < first {
                        return Err(NodeTextError::Backwards(part.to_owned()));
                    }
                    set = set.union(&NodeSet::range(first, last));
                }
            }
        }
        Ok(set)
    }
}

/// On the wire the 32 bytes, in a record the text form.
impl Serialize for NodeSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { self.0.serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for NodeSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NodeSet, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(de::Error::custom)
        } else {
            <[u64; 4]>::deserialize(deserializer).map(NodeSet)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> NodeSet {
        text.parse().unwrap()
    }

    #[test]
    fn a_set_reads_back_what_it_prints() {
        for text in ["-", "1", "1,2", "1-3", "1-3,5", "2,4-256"] {
            assert_eq!(set(text).to_string(), text);
        }
        assert_eq!(set("3,1,2").to_string(), "1-3");
    }

    #[test]
    fn a_bad_node_is_named() {
        assert_eq!("0".parse::<NodeSet>(), Err(NodeTextError::OutOfRange("0".into())));
        for text in ["1,,2", "-1", "3-"] {
            assert_eq!(text.parse::<NodeSet>(), Err(NodeTextError::NotANode(text.into())));
        }
        assert_eq!("5-3".parse::<NodeSet>(), Err(NodeTextError::Backwards("5-3".into())));
    }

    #[test]
    fn a_range_has_its_ends_and_what_lies_between() {
        for (first, last) in [(1, 1), (1, 64), (2, 63), (63, 65), (64, 64), (65, 128), (1, 256), (192, 193), (256, 256)]
        {
            let all: Vec<u16> = NodeSet::range(NodeId(first), NodeId(last)).iter().map(NodeId::get).collect();
            assert_eq!(all, (first..=last).collect::<Vec<u16>>());
        }
        assert!(NodeSet::range(NodeId(3), NodeId(2)).is_empty());
    }

    #[test]
    fn a_sets_members_come_in_order_from_both_ends_and_meet() {
        let numbers = [1, 2, 63, 64, 65, 128, 129, 200, 256];
        let set: NodeSet = numbers.iter().filter_map(|number| NodeId::new(*number)).collect();
        let read = |nodes: &mut dyn Iterator<Item = NodeId>| nodes.map(NodeId::get).collect::<Vec<u16>>();
        assert_eq!(read(&mut set.iter()), numbers);
        assert_eq!(read(&mut set.iter().rev()), numbers.iter().rev().copied().collect::<Vec<u16>>());
        let mut ends = set.iter();
        assert_eq!((ends.next_back().map(NodeId::get), ends.next().map(NodeId::get)), (Some(256), Some(1)));
        assert_eq!(ends.size_hint(), (7, Some(7)));
        assert_eq!(read(&mut ends), numbers[1..8]);
        assert_eq!(NodeSet::EMPTY.iter().next(), None);
    }
}
