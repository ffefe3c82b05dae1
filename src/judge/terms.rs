//! Terms: whether two processes led in one (Ongaro and Ousterhout 2014, figure 3: election safety).
//!
//! A process leads in a term when it is Normal under itself, in the election of that number. It may lead in it once more
//! after a crash; only another node must not.
//!
//! Invariant: memory is bounded, whatever the terms are.

use std::collections::BTreeMap;

use protocol::{NodeId, StateVector, Status};

/// For how many terms it is remembered who led; the lowest are forgotten first.
const TERMS_MAX: usize = 1_024;

/// Who led in which term, and since when.
#[derive(Clone, Default, Debug)]
pub(super) struct TermLeaders(BTreeMap<u64, Vec<(NodeId, i64)>>);

/// A process has begun to lead in a term.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) struct LedTerm {
    pub term: u64,
    /// Who led in it before, and since when, if anybody else did.
    pub before: Option<(NodeId, i64)>,
}

impl TermLeaders {
    /// A node's state after a step. Returns the term in which it now leads, if it never did before.
    pub fn take_state(&mut self, node: NodeId, state: &StateVector, at: i64) -> Option<LedTerm> {
        let leads = state.status == Status::Normal && state.coordinator == Some(node);
        let term = state.election.filter(|_| leads)?;
        let leaders = self.0.entry(term).or_default();
        if leaders.iter().any(|(other, _)| *other == node) {
            return None;
        }
        let before = leaders.first().copied();
        leaders.push((node, at));
        if self.0.len() > TERMS_MAX {
            self.0.pop_first();
        }
        Some(LedTerm { term, before })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn in_term(term: u64, leader: u16) -> StateVector {
        StateVector { election: Some(term), ..StateVector::new(Status::Normal, "", Some(node(leader))) }
    }

    #[test]
    fn another_leader_of_a_term_is_told() {
        let mut leaders = TermLeaders::default();
        assert_eq!(leaders.take_state(node(1), &in_term(7, 1), 10), Some(LedTerm { term: 7, before: None }));
        assert_eq!(leaders.take_state(node(1), &in_term(7, 1), 20), None, "it leads in it still");
        assert_eq!(leaders.take_state(node(2), &in_term(7, 1), 30), None, "it follows");
        assert_eq!(leaders.take_state(node(2), &in_term(8, 2), 40), Some(LedTerm { term: 8, before: None }));
        let before = Some((node(1), 10));
        assert_eq!(leaders.take_state(node(3), &in_term(7, 3), 50), Some(LedTerm { term: 7, before }));
        assert_eq!(leaders.take_state(node(3), &in_term(7, 3), 60), None);
    }

    #[test]
    fn the_lowest_terms_are_forgotten() {
        let mut leaders = TermLeaders::default();
        let most = TERMS_MAX as u64;
        (1..=most + 1).for_each(|term| assert!(leaders.take_state(node(1), &in_term(term, 1), 0).is_some()));
        assert_eq!(leaders.0.first_key_value().map(|(term, _)| *term), Some(2));
        assert_eq!(leaders.0.len(), TERMS_MAX);
    }
}
