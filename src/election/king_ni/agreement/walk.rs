//! `el(Y')` over the lists that were agreed on (section 5.2, in the form that section 5.3 leaves to its builder).
//!
//! There is no order in which capacities arrived that all have in common, so the walk goes by id: over the candidates of
//! all agreed lists, and over nothing else.
//!
//! Invariant: who has the same lists elects the same process.

use std::collections::BTreeSet;

use super::super::b2;
use super::super::largest;
use protocol::{NodeId, Standing};

pub use b2::Decision;

/// `el(Y')`. `agreed` stands by the ids of its owners.
///
/// The first candidate with a list of its own decides, then the next; if there is none, the first list does that has a
/// candidate.
pub fn el(agreed: &[(NodeId, Vec<Standing>)]) -> Decision<'_> {
    let entries = agreed.iter().flat_map(|(_, list)| list);
    let candidates: BTreeSet<NodeId> = entries.filter(|(_, capacity)| *capacity >= 0).map(|(node, _)| *node).collect();
    let max = |list: &'_ Vec<Standing>| largest(list.iter().copied());
    let decide = |(_, list): &'_ (NodeId, Vec<Standing>)| max(list).is_some();
    let own = agreed.iter().filter(|(owner, _)| candidates.contains(owner)).find(|entry| decide(entry));
    let (line, decides) = match own {
        Some(entry) => (302, Some(entry)),
        None => (303, agreed.iter().find(|entry| decide(entry))),
    };
    let elected = decides.and_then(|(_, list)| Some((max(list)?, list.as_slice())));
    Decision { line, elected }
}
