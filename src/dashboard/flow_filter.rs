//! Which rows of the flow are shown: those that concern the processes and the kinds of a filter.
//!
//! Invariant: a number in a filter stands for a process, any other term for a part of a row's words.

use super::journal::Filter;
use protocol::NodeId;
use world::flow::FlowRow;

/// The places of the rows that pass, from the top down.
pub fn passing(filter: &Filter, rows: &[FlowRow]) -> Vec<usize> {
    if filter.is_open() {
        return (0..rows.len()).collect();
    }
    (0..rows.len()).filter(|row| passes(filter, &rows[*row])).collect()
}

fn passes(filter: &Filter, row: &FlowRow) -> bool {
    let nodes = row.nodes();
    let words: Vec<String> = row.parts().iter().map(|part| part.text.to_lowercase()).collect();
    filter.admits(|term| match term.parse::<u16>().ok().and_then(NodeId::new) {
        Some(node) => nodes.contains(node),
        None => words.iter().any(|text| text.contains(term)),
    })
}
