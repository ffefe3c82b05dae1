//! What had a part in the states of some nodes, and the way from a bite to them.
//!
//! Invariant: of two links on a way the later one was found first, so a way has an end.

use crate::index;
use protocol::{NodeId, NodeSet};
use record::{CausalWay, Influence, WayStep};

/// What had a part in the states of some nodes.
#[derive(Clone, Debug)]
pub struct CausalPast {
    pub(super) since: i64,
    /// By node, the stamp up to which a bite on it had a part.
    pub(super) frontiers: Vec<Option<i64>>,
    /// The reason for each frontier; a later link leads to an earlier one.
    pub(super) links: Vec<CausalLink>,
    ends: NodeSet,
    at: i64,
}

/// One node had a part in what another did.
#[derive(Clone, Debug)]
pub(super) struct CausalLink {
    pub from: NodeId,
    pub from_at: i64,
    pub to: NodeId,
    pub at: i64,
    pub record: u64,
    pub of: Influence,
}

impl CausalPast {
    /// So far only these nodes, in their states at this stamp; no further back than `since`.
    pub(super) fn new(nodes: &NodeSet, number: usize, at: i64, since: i64) -> CausalPast {
        CausalPast { since, frontiers: vec![None; number], links: Vec::new(), ends: *nodes, at }
    }

    /// Whether a bite on the node from this stamp on had a part.
    pub fn holds(&self, node: NodeId, at: i64) -> bool {
        self.frontiers.get(index(node)).copied().flatten().is_some_and(|frontier| at <= frontier)
    }

    /// The way from a bite on the node from this stamp on to the nodes in question: each step with its record. Nothing
    /// if it had no part.
    pub fn way_from(&self, node: NodeId, at: i64) -> Option<CausalWay> {
        if !self.holds(node, at) {
            return None;
        }
        let mut way = CausalWay { node, at, steps: Vec::new() };
        let (mut of, mut since, mut before) = (node, at, self.links.len());
        // One of them may also have had a part in the state of another: that says more than that it was hit.
        while let Some((place, link)) = self.link_from(of, since, before) {
            way.steps.push(link.step());
            (of, since, before) = (link.to, link.at, place);
            if self.is_end(of, since) {
                return Some(way);
            }
        }
        // Links into steps that are forgotten lead nowhere, but what hit one of them had a part all the same.
        self.is_end(node, at).then(|| CausalWay { node, at, steps: Vec::new() })
    }

    /// The last step of what the node had a part in from this stamp on, of the links before that place.
    fn link_from(&self, node: NodeId, since: i64, before: usize) -> Option<(usize, &CausalLink)> {
        let links = self.links[..before].iter().enumerate();
        links.into_iter().find(|(_, link)| link.from == node && link.from_at >= since)
    }

    fn is_end(&self, node: NodeId, at: i64) -> bool {
        self.ends.contains(node) && at <= self.at
    }

    /// Whether it is told here first that one of the nodes that were asked about had a part in what the other node did.
    pub(super) fn is_untold(&self, from: NodeId, to: NodeId) -> bool {
        from != to && self.ends.contains(from) && !self.links.iter().any(|link| link.from == from)
    }

    /// Raises the node's frontier; returns the part between the old one and the new.
    pub(super) fn raise(&mut self, node: NodeId, at: i64) -> Option<(NodeId, i64, i64)> {
        let since = self.since;
        let frontier = &mut self.frontiers[index(node)];
        let before = frontier.unwrap_or(since.saturating_sub(1));
        if at <= before {
            return None;
        }
        *frontier = Some(at);
        Some((node, before, at))
    }
}

impl CausalLink {
    fn step(&self) -> WayStep {
        let CausalLink { from, to, at, record, of, .. } = self;
        WayStep { from: *from, to: *to, at: *at, record: *record, by: of.clone() }
    }
}
