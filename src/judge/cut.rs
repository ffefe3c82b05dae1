//! The properties of one state of a whole lab, for a reader that knows every node's state at once: an explorer.
//!
//! They are the judge's own rows: those of two states of one consistent cut, and those of a lab that is at rest. Such a
//! reader needs no excuses: it knows which faults it has allowed.
//!
//! Invariant: what is wrong is decided by the functions of `assertions` and `liveness`, and nowhere else.

use super::assertions::{ASSERTIONS, Dispute};
use super::failed_elections::FruitlessElections;
use super::interval::Belief;
use super::liveness::{ExcuseTerm, QUIET_ASSERTIONS, RestingLab, scope_of};
use super::quiet::Scope;
use protocol::{NodeSet, Property, Rank, StateVector};

/// What one node of a cut claims of the election: a node in Reorganization or Normal claims something.
#[derive(Clone, Debug)]
pub struct CutClaim(Belief);

impl CutClaim {
    /// The claim of a node in this state, if it claims anything.
    pub fn of(state: &StateVector) -> Option<CutClaim> {
        Belief::of(state).map(CutClaim)
    }

    /// Whether this claim and that of another node of the same cut contradict the property.
    pub fn contradicts(&self, property: Property, other: &CutClaim) -> bool {
        self.dispute(property, other).is_some()
    }

    fn dispute(&self, property: Property, other: &CutClaim) -> Option<Dispute> {
        let row = ASSERTIONS.iter().find(|row| row.property == property)?;
        (row.dispute)(&self.0, &other.0)
    }
}

/// Whether the property is one of two states of a cut: then [`CutClaim::contradicts`] decides it.
pub fn is_of_cuts(property: Property) -> bool {
    ASSERTIONS.iter().any(|row| row.property == property)
}

/// A whole lab that nothing has disturbed for the bound of its algorithm.
#[derive(Clone, Debug)]
pub struct LabAtRest {
    /// The state of each node, by its place; none of a dead one.
    pub states: Vec<Option<StateVector>>,
    /// Which node outranks the other.
    pub rank: Rank,
    /// The running nodes.
    pub running: NodeSet,
    /// For each running node, in their order, the nodes that it is linked with both ways, itself among them.
    pub linked: Vec<NodeSet>,
}

impl LabAtRest {
    /// Whether the property does not hold in this lab. It does where it is none of rest, or cannot be judged: nobody runs,
    /// or it is one of the whole lab and not all are linked.
    pub fn violates(&self, property: Property) -> bool {
        let row = QUIET_ASSERTIONS.iter().find(|row| row.property == property);
        let parts = scope_of(property).and_then(|scope| self.parts(scope));
        let (Some(row), Some(parts)) = (row, parts) else { return false };
        let repose = RestingLab {
            states: &self.states,
            rank: self.rank,
            running: self.running,
            steady: self.running,
            liars: NodeSet::EMPTY,
            parts: &parts,
            took_part: None,
            settled: i64::MIN,
            unrepaired: ExcuseTerm::Never,
            // One state does not tell what its processes have gone through.
            fruitless: &FruitlessElections::default(),
            work: None,
        };
        (row.wrong)(&repose).is_some()
    }

    /// The sets of nodes that such a property is about. Of links that are not transitive the parts are the papers'
    /// largest sets of nodes that are all linked with each other, found from each node on.
    fn parts(&self, scope: Scope) -> Option<Vec<NodeSet>> {
        if self.running.is_empty() {
            return None;
        }
        match scope {
            Scope::MostUp if 2 * self.running.len() <= self.states.len() => None,
            Scope::Whole | Scope::DespiteLies | Scope::MostUp => {
                self.linked.iter().all(|linked| *linked == self.running).then(|| vec![self.running])
            }
            Scope::Links => Some(self.linked.clone()),
            Scope::Parts => Some(self.largest_parts()),
        }
    }

    /// Assertion 4's sets R: each two nodes of one are linked, and no node could be added.
    fn largest_parts(&self) -> Vec<NodeSet> {
        let mut parts: Vec<NodeSet> = Vec::new();
        for (first, _) in self.running.iter().zip(&self.linked) {
            let mut part = NodeSet::of(first);
            for (node, linked) in self.running.iter().zip(&self.linked) {
                if part.minus(linked).is_empty() {
                    part.insert(node);
                }
            }
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts
    }
}
