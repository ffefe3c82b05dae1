//! The groups that nodes are in, by what they believe.
//!
//! Invariant: two nodes are in one group if they name one coordinator and one group number, or no number.

use std::collections::BTreeMap;

use super::fold::World;
use protocol::{GroupNumber, NodeId, NodeSet, Rank};

/// Nodes that are in one group: one group number, or one coordinator where there are no numbers.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct GroupView {
    /// `A` for the group of the highest coordinator, and so on.
    pub letter: String,
    pub coordinator: NodeId,
    /// The number, if it has one.
    pub number: Option<GroupNumber>,
    /// Those of the nodes asked about that are in Reorganization or Normal under it.
    pub members: NodeSet,
}

impl World {
    /// The present groups of the running and paused nodes; the first is the group whose coordinator outranks the others.
    pub fn groups(&self) -> Vec<GroupView> {
        self.groups_of(&self.nodes.iter().filter(|(_, node)| node.process.is_up()).map(|(id, _)| *id).collect())
    }

    /// The groups that these nodes are in, without the other members; the first is the group whose coordinator outranks
    /// the others.
    pub fn groups_of(&self, nodes: &NodeSet) -> Vec<GroupView> {
        let asked = self.nodes.iter().filter(|(id, _)| nodes.contains(**id));
        let believers = asked.filter_map(|(id, node)| {
            Some((*id, node.believes_in()?, node.state.as_ref().and_then(|state| state.group)))
        });
        groups_among(self.rank, believers)
    }
}

/// The groups of these nodes, each with the coordinator that it believes in and its group number; the first is the group
/// whose coordinator outranks the others.
pub fn groups_among(
    rank: Rank,
    believers: impl Iterator<Item = (NodeId, NodeId, Option<GroupNumber>)>,
) -> Vec<GroupView> {
    let mut groups: BTreeMap<(NodeId, Option<GroupNumber>), NodeSet> = BTreeMap::new();
    for (node, coordinator, number) in believers {
        groups.entry((coordinator, number)).or_default().insert(node);
    }
    let mut ranked: Vec<_> = groups.into_iter().collect();
    if rank == Rank::HigherId {
        ranked.reverse();
    }
    let named = ranked.into_iter().enumerate();
    named
        .map(|(index, ((coordinator, number), members))| GroupView {
            letter: letter(index),
            coordinator,
            number,
            members,
        })
        .collect()
}

/// `A` to `Z`, then `A1` and so on.
fn letter(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}
