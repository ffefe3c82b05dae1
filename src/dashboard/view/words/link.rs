//! What the links screen says: the order of its rows and columns, the link under the cursor, the words about a link.
//!
//! Invariant: the words of a link name every fault that is in force on it.

use super::fault::state_words;
use crate::model::Model;
use crate::view::paint;
use protocol::NodeId;
use world::{FaultState, FaultView, Topology};

/// With more nodes than these, the ones that faults are about come first.
const BY_ID_MAX: usize = 12;

impl Model {
    /// The nodes in the order of the matrix.
    pub fn link_ends(&self) -> Vec<NodeId> {
        let world = &self.seen().world;
        let all: Vec<NodeId> = world.nodes.keys().copied().collect();
        if all.len() <= BY_ID_MAX {
            return all;
        }
        let touched = Topology::of(world).touched();
        let (mut first, rest): (Vec<NodeId>, Vec<NodeId>) = all.into_iter().partition(|node| touched.contains(*node));
        first.extend(rest);
        first
    }

    /// The link under the cursor, or the first one on which something is in force, or the first one.
    pub fn selected_link(&self) -> Option<(NodeId, NodeId)> {
        let world = &self.seen().world;
        let is_there = |(from, to): &(NodeId, NodeId)| world.nodes.contains_key(from) && world.nodes.contains_key(to);
        if let Some(cursor) = self.crossing.cursor.filter(is_there) {
            return Some(cursor);
        }
        let topology = Topology::of(world);
        let ends: Vec<NodeId> = topology.touched().iter().collect();
        let mut links = ends.iter().flat_map(|from| ends.iter().map(move |to| (*from, *to)));
        let is_held = |link: &(NodeId, NodeId)| topology.queue(link.0, link.1).is_some();
        let is_touched = |link: &(NodeId, NodeId)| !topology.faults(link.0, link.1).is_empty();
        let found = links.clone().find(is_held).or_else(|| links.find(is_touched));
        found.or_else(|| {
            let mut ends = world.nodes.keys().copied();
            let first = ends.next()?;
            Some((first, ends.next().unwrap_or(first)))
        })
    }

    /// What is in force on the way from one to the other, in sentences.
    pub fn link_words(&self, from: NodeId, to: NodeId) -> String {
        if from == to {
            return format!("{from} gives itself what it sends; there is no link.");
        }
        let topology = Topology::of(&self.seen().world);
        let faults = topology.faults(from, to);
        let mut words = format!("{from} -> {to}: ");
        if faults.is_empty() {
            words.push_str("whole");
        } else {
            let each: Vec<String> = faults.iter().map(|fault| self.in_force_words(fault)).collect();
            words.push_str(&each.join("; "));
        }
        match topology.queue(from, to).map(|queue| queue.len()) {
            None if topology.holding(from, to).is_some() => words.push_str("; nothing waits"),
            None => {}
            Some(1) => words.push_str("; 1 datagram waits"),
            Some(count) => words.push_str(&format!("; {count} datagrams wait")),
        }
        words.push('.');
        words
    }

    fn in_force_words(&self, fault: &FaultView) -> String {
        let since = match fault.state {
            FaultState::InForce => {
                format!("since {} s", paint::seconds(fault.in_force.unwrap_or(fault.ordered), 3))
            }
            FaultState::Ordered | FaultState::NotInForce(_) | FaultState::Lifted => state_words(fault, &self.theme).1,
        };
        format!("{} {} {since}", fault.id, fault.line)
    }
}
