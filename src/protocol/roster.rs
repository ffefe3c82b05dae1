//! The roster: all nodes of a lab, and which of two outranks the other.
//!
//! With Garcia-Molina 1982 a higher id has the higher priority, with Stoller 1997 (section 4) a lower one.
//!
//! A bystander has the numbers after those of the electors. It is a node like the others to everything but the election:
//! it has a process, links and records, and no machine of the algorithm.
//!
//! Invariant: of two different nodes exactly one outranks the other, or none outranks any.

use serde::{Deserialize, Serialize};

use super::{NODES_MAX, NodeId, NodeSet};

/// Which of two nodes outranks the other.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rank {
    /// The one with the higher id.
    #[default]
    HigherId,
    /// The one with the lower id.
    LowerId,
    /// Neither: ids do not decide who is elected.
    Neither,
}

impl Rank {
    /// Whether `a` comes before `b` when both would coordinate.
    pub fn outranks(self, a: NodeId, b: NodeId) -> bool {
        match self {
            Rank::HigherId => a > b,
            Rank::LowerId => a < b,
            Rank::Neither => false,
        }
    }

    /// The one of these that outranks all others of them; the highest if none outranks another.
    pub fn first_of(self, nodes: &NodeSet) -> Option<NodeId> {
        match self {
            Rank::HigherId | Rank::Neither => nodes.highest(),
            Rank::LowerId => nodes.iter().next(),
        }
    }

    /// As a fragment: `higher id outranks`.
    pub fn says(self) -> &'static str {
        match self {
            Rank::HigherId => "higher id outranks",
            Rank::LowerId => "lower id outranks",
            Rank::Neither => "no id outranks another",
        }
    }
}

/// All nodes of a lab and their rank.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Roster {
    nodes: u16,
    #[serde(default)]
    rank: Rank,
    /// How many of the nodes are bystanders: the last ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    bystanders: u16,
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

impl Roster {
    /// The roster of a lab of nodes 1 to `nodes`, where a higher id outranks a lower one. At least one and at most
    /// [`NODES_MAX`], else `None`.
    pub fn new(nodes: u16) -> Option<Roster> {
        Roster::ranked(nodes, Rank::HigherId)
    }

    /// The same, with this rank among them.
    pub fn ranked(nodes: u16, rank: Rank) -> Option<Roster> {
        (1..=NODES_MAX).contains(&nodes).then_some(Roster { nodes, rank, bystanders: 0 })
    }

    /// The same roster and this many bystanders behind it; `None` if these are more than [`NODES_MAX`] in all.
    pub fn with_bystanders(self, bystanders: u16) -> Option<Roster> {
        let nodes = self.nodes.checked_add(bystanders).filter(|nodes| *nodes <= NODES_MAX)?;
        Some(Roster { nodes, bystanders: self.bystanders + bystanders, ..self })
    }

    /// The roster of those that elect.
    pub fn electors(self) -> Roster {
        Roster { nodes: self.nodes - self.bystanders, bystanders: 0, ..self }
    }

    /// Whether the node elects.
    pub fn elects(&self, node: NodeId) -> bool {
        node.get() <= self.nodes - self.bystanders
    }

    /// The nodes that do not elect.
    pub fn bystanders(&self) -> NodeSet {
        self.all().minus(&NodeSet::first(self.nodes - self.bystanders))
    }

    /// How many nodes there are; among those that elect, the papers' n.
    pub fn len(&self) -> u16 {
        self.nodes
    }

    /// Never: a roster has at least one node.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Which of two nodes outranks the other.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Every node.
    pub fn all(&self) -> NodeSet {
        NodeSet::first(self.nodes)
    }

    /// Every node but this one.
    pub fn others(&self, node: NodeId) -> NodeSet {
        self.all().minus(&NodeSet::of(node))
    }

    /// Whether `a` comes before `b` when both would coordinate.
    pub fn outranks(&self, a: NodeId, b: NodeId) -> bool {
        self.rank.outranks(a, b)
    }

    /// The nodes that outrank this node.
    pub fn above(&self, node: NodeId) -> NodeSet {
        match self.rank {
            Rank::HigherId => self.all().minus(&NodeSet::first(node.get())),
            Rank::LowerId => self.all().intersection(&NodeSet::first(node.get())).minus(&NodeSet::of(node)),
            Rank::Neither => NodeSet::EMPTY,
        }
    }

    /// The nodes that this node outranks.
    pub fn below(&self, node: NodeId) -> NodeSet {
        match self.rank {
            Rank::HigherId | Rank::LowerId => self.others(node).minus(&self.above(node)),
            Rank::Neither => NodeSet::EMPTY,
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
    fn the_roster_ranks_by_id() {
        let three = NodeId::new(3).unwrap();
        for (rank, above, below) in [(Rank::HigherId, "4,5", "1,2"), (Rank::LowerId, "1,2", "4,5")] {
            let roster = Roster::ranked(5, rank).unwrap();
            assert_eq!((roster.above(three), roster.below(three)), (set(above), set(below)));
            assert_eq!(roster.others(three), set("1,2,4,5"));
            for (a, b) in roster.all().iter().flat_map(|a| roster.all().iter().map(move |b| (a, b))) {
                assert_eq!(roster.above(a).contains(b), roster.outranks(b, a));
                assert_eq!(roster.below(a).contains(b), roster.outranks(a, b));
            }
            let first = rank.first_of(&set("2-4")).unwrap();
            assert!(set("2-4").iter().all(|other| other == first || rank.outranks(first, other)));
        }
    }

    #[test]
    fn a_roster_has_as_many_nodes_as_a_lab_may_have() {
        assert_eq!(
            [0, 1, 256, 257].map(|nodes| Roster::new(nodes).map(|roster| roster.all().len())),
            [None, Some(1), Some(256), None]
        );
    }

    #[test]
    fn a_bystander_is_a_node_and_no_elector() {
        let roster = Roster::new(3).unwrap().with_bystanders(1).unwrap();
        assert_eq!((roster.all(), roster.bystanders(), roster.len()), (set("1-4"), set("4"), 4));
        assert_eq!(roster.electors(), Roster::new(3).unwrap());
        assert_eq!(roster.electors().bystanders(), NodeSet::EMPTY);
        assert_eq!(Roster::new(256).unwrap().with_bystanders(1), None);
        let text = serde_json::to_string(&roster).unwrap();
        assert_eq!(serde_json::from_str::<Roster>(&text).unwrap(), roster);
        assert_eq!(serde_json::to_string(&roster.electors()).unwrap(), r#"{"nodes":3,"rank":"higher-id"}"#);
    }

    #[test]
    fn a_roster_of_a_session_without_a_rank_has_that_of_1982() {
        let read: Roster = serde_json::from_str(r#"{"nodes":3}"#).unwrap();
        assert_eq!(read, Roster::new(3).unwrap());
    }
}
