//! Quiet: since when no event could keep a lab from coming to rest, and which nodes are linked.
//!
//! Quiet begins with the last fault, crash, recovery or repair, and with the last bite of an assumption that the
//! algorithm needs. Properties of the whole lab need every process that is up to run, and every link. Properties of
//! parts accept lasting cuts, crashes and pauses: losses of a cut between parts are no bite then. Parts are sets of
//! running nodes that are linked both ways, each with all others of its set and with no others. If links are not like
//! this (not transitive, or one way only) there are no parts, and no property of parts is due. A property of links
//! alone is due even if links are not transitive, but not if a link goes one way only.
//!
//! Invariant: uncertainty (a fault that is ordered and not in force yet, a process that has not taken a step) is not
//! quiet.

use fault::{FaultId, LinkRule};
use protocol::{ELECTING_LINE, NodeId, NodeSet};
use record::{Body, Input, Record};

/// What a property of quiet is about.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Scope {
    /// The whole lab.
    Whole,
    /// Each part for itself.
    Parts,
    /// The running nodes, in parts or not: each two linked both ways, or not at all.
    Links,
    /// The whole lab, whatever its liars say.
    DespiteLies,
    /// The whole lab, while most of its nodes are up.
    MostUp,
}

impl Scope {
    /// All of them, each at its place.
    pub const ALL: [Scope; 5] = [Scope::Whole, Scope::Parts, Scope::Links, Scope::DespiteLies, Scope::MostUp];
}

/// The link faults that are ordered or in force, and when the lab was disturbed last.
#[derive(Clone, Debug)]
pub(super) struct Quiet {
    /// The stamp of the last fault, crash, recovery or repair.
    pub disturbed: i64,
    /// The stamp of the last of these that may keep a process from hearing messages that go round: it came, stopped or
    /// went on, or a link fault came or went. A crash of another process, or an order to elect, does not count.
    pub unsettled: i64,
    links: Vec<LinkOnOrder>,
}

#[derive(Clone, Debug)]
struct LinkOnOrder {
    id: FaultId,
    rule: LinkRule,
    is_in_force: bool,
}

impl Quiet {
    pub fn new() -> Quiet {
        Quiet { disturbed: i64::MIN, unsettled: i64::MIN, links: Vec::new() }
    }

    /// Takes in the next record; says whether it disturbs the quiet.
    pub fn take(&mut self, record: &Record) -> bool {
        let concerns_link = |id: &FaultId| self.links.iter().any(|fault| fault.id == *id);
        let unsettles = match &record.body {
            Body::FaultOrdered { rule, .. } => rule.is_some(),
            Body::FaultInForce { id } | Body::FaultNotInForce { id, .. } | Body::FaultLifted { id } => {
                concerns_link(id)
            }
            Body::Died { .. } => false,
            Body::Step(step) => matches!(step.input, Input::Start { .. }),
            _ => true,
        };
        match &record.body {
            Body::FaultOrdered { id, rule, .. } => {
                let standing = |rule: &LinkRule| LinkOnOrder { id: *id, rule: rule.clone(), is_in_force: false };
                self.links.extend(rule.as_ref().map(standing));
            }
            Body::FaultInForce { id } => {
                self.links.iter_mut().filter(|fault| fault.id == *id).for_each(|fault| fault.is_in_force = true);
            }
            // Some may hold a part of a fault that did not come into force everywhere: its links stay uncertain.
            Body::FaultNotInForce { .. } => {}
            Body::FaultLifted { id } => self.links.retain(|fault| fault.id != *id),
            // An application that begins an election does what an operator's order does.
            Body::Step(step) if step.lines.contains(&ELECTING_LINE) => {}
            Body::Step(step) if !matches!(step.input, Input::Start { .. }) => return false,
            Body::Began
            | Body::Step(_)
            | Body::Spawned { .. }
            | Body::Died { .. }
            | Body::Stopped { .. }
            | Body::Continued => {}
            _ => return false,
        }
        if unsettles {
            self.unsettled = self.unsettled.max(record.at);
        }
        true
    }

    /// The parts of a lab of these running nodes, or none if its links leave no parts.
    pub fn parts(&self, running: &NodeSet) -> Option<Vec<NodeSet>> {
        if self.links.iter().any(|fault| !fault.is_in_force) {
            return None;
        }
        if !self.links.iter().any(|fault| fault.rule.effect.is_cut()) {
            return Some(vec![*running]);
        }
        let mut parts: Vec<NodeSet> = Vec::new();
        for node in running.iter() {
            let linked = self.linked_with(node, running)?;
            match parts.iter().find(|part| !part.intersection(&linked).is_empty()) {
                Some(part) if *part == linked => {}
                Some(_) => return None,
                None => parts.push(linked),
            }
        }
        Some(parts)
    }

    /// For each of these nodes those that it is linked with both ways, itself among them; none if one link goes one way
    /// only, or is uncertain.
    pub fn linked(&self, running: &NodeSet) -> Option<Vec<NodeSet>> {
        let are_certain = self.links.iter().all(|fault| fault.is_in_force);
        are_certain.then(|| running.iter().map(|node| self.linked_with(node, running)).collect()).flatten()
    }

    /// The node and all that it is linked with both ways; none if one link goes one way only.
    fn linked_with(&self, node: NodeId, running: &NodeSet) -> Option<NodeSet> {
        let mut linked = NodeSet::of(node);
        for other in running.iter().filter(|other| *other != node) {
            match (self.is_cut(node, other), self.is_cut(other, node)) {
                (false, false) => {
                    linked.insert(other);
                }
                (true, true) => {}
                _ => return None,
            }
        }
        Some(linked)
    }

    fn is_cut(&self, from: NodeId, to: NodeId) -> bool {
        self.links.iter().any(|fault| fault.rule.effect.is_cut() && fault.rule.concerns(from, to))
    }
}
