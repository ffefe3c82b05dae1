//! Why a node that answered was not Normal, or Normal under another one than the coordinator that asked: a process was
//! new, or had stood still.
//!
//! Invariant: only a fault that began or ended this stretch of its life is named.

use super::origin::recovery;
use super::reading::ends;
use super::session_past::SessionPast;
use super::stillness::of_pause;
use super::words::{RecordRole, Sentence};
use protocol::{NodeId, Status};
use record::{Body, Input};
use world::stamp;

/// The sentence about the recovery or the pause behind the state that the node has before this place, if it is not
/// Normal there.
pub(super) fn of(session_past: &SessionPast<'_>, node: NodeId, place: usize) -> Option<Sentence> {
    let (since, state) = session_past.state_before(node, place)?;
    let life = session_past.latest_life(node, place).filter(|life| *life < since && state.status != Status::Normal)?;
    match &session_past.at(life).body {
        body if ends(body) => of_pause(session_past, node, (0, place)),
        Body::Spawned { .. } => {
            let is_start = |step: &usize| matches!(session_past.step(*step), Some((_, step)) if matches!(step.input, Input::Start { .. }));
            let start = session_past.steps_before(node, place).find(is_start)?;
            let (by, order) = recovery(session_past, node, start)?;
            let words = format!("{by} recovered {node}: {node} started at {}", stamp(session_past.at(start).at));
            Some(Sentence::new(session_past, words, [order, start], RecordRole::Before).about([by]))
        }
        _ => None,
    }
}

/// The sentence about the pause of the node that asked, if the other one had come to follow somebody else before that
/// pause was over.
pub(super) fn of_asker(session_past: &SessionPast<'_>, asker: NodeId, other: NodeId, place: usize) -> Option<Sentence> {
    let (since, state) = session_past.state_before(other, place)?;
    let follows_another = state.status == Status::Normal && state.believes_in().is_some_and(|of| of != asker);
    follows_another.then(|| of_pause(session_past, asker, (since, place))).flatten()
}
