//! Why a node that answered was not Normal, or Normal under another one than the coordinator that asked: a process was
//! new, or had stood still.
//!
//! Invariant: only a fault that began or ended this stretch of its life is named.

use super::annals::Annals;
use super::origin::recovery;
use super::reading::ends;
use super::stillness::of_pause;
use super::words::{Bond, Sentence};
use protocol::{NodeId, Status};
use record::{Body, Input};
use world::stamp;

/// The sentence about the recovery or the pause behind the state that the node has before this place, if it is not
/// Normal there.
pub(super) fn of(annals: &Annals<'_>, node: NodeId, place: usize) -> Option<Sentence> {
    let (since, state) = annals.state_before(node, place)?;
    let life = annals.latest_life(node, place).filter(|life| *life < since && state.status != Status::Normal)?;
    match &annals.at(life).body {
        body if ends(body) => of_pause(annals, node, (0, place)),
        Body::Spawned { .. } => {
            let is_start = |step: &usize| matches!(annals.step(*step), Some((_, step)) if matches!(step.input, Input::Start { .. }));
            let start = annals.steps_before(node, place).find(is_start)?;
            let (by, order) = recovery(annals, node, start)?;
            let words = format!("{by} recovered {node}: {node} started at {}", stamp(annals.at(start).at));
            Some(Sentence::new(annals, words, [order, start], Bond::Before).about([by]))
        }
        _ => None,
    }
}

/// The sentence about the pause of the node that asked, if the other one had come to follow somebody else before that
/// pause was over.
pub(super) fn of_asker(annals: &Annals<'_>, asker: NodeId, other: NodeId, place: usize) -> Option<Sentence> {
    let (since, state) = annals.state_before(other, place)?;
    let follows_another = state.status == Status::Normal && state.believes_in().is_some_and(|of| of != asker);
    follows_another.then(|| of_pause(annals, asker, (since, place))).flatten()
}
