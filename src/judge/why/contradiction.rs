//! Why a violation: the causes of the states that contradict each other, then the excuse as the judge tells it.
//!
//! Invariant: nodes in like states are told once, by the one that coordinates them, or the first; what led to two states
//! is told once. Nobody asks here why a node does not coordinate, so nobody is answered.

use super::session_past::SessionPast;
use super::telling::SENTENCES_MAX;
use super::words::{RecordRole, Sentence};
use super::{Explanation, explain_task, explain_whole};
use protocol::{NodeId, NodeSet, StateVector};
use record::Body;

/// Each of several states is told in this many sentences at most.
const OF_ONE_MAX: usize = 6;
/// At most this many states are told.
const STATES_MAX: usize = 3;

/// What contradicts each other.
#[derive(Copy, Clone, Eq, PartialEq)]
enum ContradictingPart {
    /// What nodes believe, or where they stand.
    States,
    /// The tasks of nodes.
    Tasks,
}

/// Why the violation at this place; nothing if there is none.
pub(super) fn explain_at(session_past: &SessionPast<'_>, place: usize) -> Option<Explanation> {
    let Body::Violation(report) = &session_past.at(place).body else { return None };
    let end = session_past.place_of_stamp(report.since).min(place);
    let headline = Sentence::new(session_past, report.found(report.grade), [place], RecordRole::Beside);
    let mut sentences = Vec::new();
    let mut before = Vec::new();
    let about = if report.contradiction.is_of_tasks() { ContradictingPart::Tasks } else { ContradictingPart::States };
    let states = states(session_past, report.nodes, end, about);
    let most = if states.len() > 1 { OF_ONE_MAX } else { SENTENCES_MAX };
    for (node, alike) in states.iter().take(STATES_MAX) {
        let task = match about {
            ContradictingPart::Tasks => explain_task(session_past, *node, end, most, &mut before),
            ContradictingPart::States => None,
        };
        let told = task.unwrap_or_else(|| explain_whole(session_past, *node, end, most, &mut before));
        let mut headline = told.headline;
        if alike.len() > 1 {
            headline.text = format!("Of {alike}: {}", headline.text);
        }
        sentences.push(headline);
        sentences.extend(told.sentences);
    }
    if let Some(more) = states.len().checked_sub(STATES_MAX).filter(|more| *more > 0) {
        let words = format!("{more} more states are not told here");
        sentences.push(Sentence::new(session_past, words, [], RecordRole::Beside));
    }
    let excuse = Sentence::new(session_past, format!("The judge: {}", report.excuse), [place], RecordRole::Beside)
        .about(report.by());
    sentences.push(excuse);
    Some(Explanation { headline, sentences, ..Explanation::default() })
}

/// The nodes in groups of like states, each with the one whose state is told. Where tasks contradict each other, states
/// of two tasks are not alike.
fn states(
    session_past: &SessionPast<'_>,
    nodes: NodeSet,
    end: usize,
    about: ContradictingPart,
) -> Vec<(NodeId, NodeSet)> {
    let mut groups: Vec<(Option<NodeId>, String, NodeSet)> = Vec::new();
    for node in nodes.iter() {
        let state = session_past.stance_before(node, end).map(|(_, state)| state);
        let belief = state.and_then(StateVector::believes_in);
        let word = match state {
            Some(state) if belief.is_none() => state.word.to_string(),
            Some(StateVector { task: Some(task), .. }) if about == ContradictingPart::Tasks => task.to_string(),
            _ => String::new(),
        };
        match groups.iter_mut().find(|(known, of, _)| *known == belief && *of == word) {
            Some((_, _, alike)) => {
                alike.insert(node);
            }
            None => groups.push((belief, word, NodeSet::of(node))),
        }
    }
    let told = |(belief, _, alike): (Option<NodeId>, String, NodeSet)| {
        let first = belief.filter(|coordinator| alike.contains(*coordinator)).or(alike.iter().next());
        first.map(|first| (first, alike))
    };
    groups.into_iter().filter_map(told).collect()
}
