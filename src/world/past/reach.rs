//! What had a part in the states of some nodes, and the way from a bite to them.
//!
//! Invariant: of two links on a way the later one was found first, so a way has an end.

use std::borrow::Cow;
use std::fmt;

use crate::index;
use crate::stamp;
use protocol::{NodeId, NodeSet};

/// What had a part in the states of some nodes.
#[derive(Clone, Debug)]
pub struct Reach {
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

/// How.
#[derive(Clone, Debug)]
pub(super) enum Influence {
    Message(Cow<'static, str>),
    Silence,
    Unknown,
}

impl Reach {
    /// So far only these nodes, in their states at this stamp; no further back than `since`.
    pub(super) fn new(nodes: &NodeSet, number: usize, at: i64, since: i64) -> Reach {
        Reach { since, frontiers: vec![None; number], links: Vec::new(), ends: *nodes, at }
    }

    /// Whether a bite on the node from this stamp on had a part.
    pub fn holds(&self, node: NodeId, at: i64) -> bool {
        self.frontiers.get(index(node)).copied().flatten().is_some_and(|frontier| at <= frontier)
    }

    /// The way from a bite on the node from this stamp on to the nodes in question: each step with its record. Nothing
    /// if it had no part.
    pub fn way_from(&self, node: NodeId, at: i64) -> Option<Route> {
        if !self.holds(node, at) {
            return None;
        }
        let mut way = Route { node, at, steps: Vec::new() };
        let (mut of, mut since, mut before) = (node, at, self.links.len());
        // One of them may also have had a part in the state of another: that says more than that it was hit.
        while let Some((place, link)) = self.link_from(of, since, before) {
            way.steps.push(link.told());
            (of, since, before) = (link.to, link.at, place);
            if self.is_end(of, since) {
                return Some(way);
            }
        }
        // Links into steps that are forgotten lead nowhere, but what hit one of them had a part all the same.
        self.is_end(node, at).then(|| Route { node, at, steps: Vec::new() })
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
    fn told(&self) -> String {
        let CausalLink { from, to, at, record, of, .. } = self;
        let how = match of {
            Influence::Message(kind) => format!("{to} heard {kind} of {from}"),
            Influence::Silence => format!("{to} timed out on {from}"),
            Influence::Unknown => format!("{to} may have heard of {from}"),
        };
        format!("{how} at {} (record {record})", stamp(*at))
    }
}

/// The way from a bite on a node to a contradiction.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Route {
    node: NodeId,
    at: i64,
    steps: Vec<String>,
}

/// A way tells this many of its first and of its last steps.
const TOLD_AT_EACH_END: usize = 3;

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was affected at {}", self.node, stamp(self.at))?;
        let left_out = self.steps.len().saturating_sub(2 * TOLD_AT_EACH_END);
        for (place, step) in self.steps.iter().enumerate() {
            if left_out > 0 && place == TOLD_AT_EACH_END {
                write!(f, ", {left_out} more steps")?;
            }
            if left_out == 0 || place < TOLD_AT_EACH_END || place >= TOLD_AT_EACH_END + left_out {
                write!(f, ", {step}")?;
            }
        }
        Ok(())
    }
}
