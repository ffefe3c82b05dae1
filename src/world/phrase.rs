//! What is true of the processes that run, in words: those with the same words are named together.
//!
//! Invariant: a process that does not elect is not among them.

use super::{NodeView, World};
use protocol::{NodeId, NodeSet};

/// The words about one process or several.
#[derive(Eq, PartialEq)]
pub enum Phrase {
    Names(String),
    Is(String),
}

/// The processes that run and elect.
pub fn running(world: &World) -> impl Iterator<Item = (NodeId, &NodeView)> {
    let running = world.running();
    world.nodes.iter().filter(move |(id, _)| running.contains(**id)).map(|(id, view)| (*id, view))
}

/// Says it of these nodes, if they run: nodes with the same words are named together, the lowest id first.
pub fn described(world: &World, nodes: NodeSet, say: impl Fn(&NodeView) -> Phrase) -> String {
    let mut said: Vec<(Phrase, NodeSet)> = Vec::new();
    for (id, view) in running(world).filter(|(id, _)| nodes.contains(*id)) {
        let phrase = say(view);
        match said.iter_mut().find(|(other, _)| *other == phrase) {
            Some((_, nodes)) => {
                nodes.insert(id);
            }
            None => said.push((phrase, NodeSet::of(id))),
        }
    }
    if said.is_empty() {
        return "none of them runs".to_owned();
    }
    let texts: Vec<String> = said
        .into_iter()
        .map(|(phrase, nodes)| match (phrase, nodes.len()) {
            (Phrase::Names(whom), 1) => format!("{nodes} names {whom}"),
            (Phrase::Names(whom), _) => format!("{nodes} name {whom}"),
            (Phrase::Is(how), 1) => format!("{nodes} is {how}"),
            (Phrase::Is(how), _) => format!("{nodes} are {how}"),
        })
        .collect();
    texts.join(", ")
}
