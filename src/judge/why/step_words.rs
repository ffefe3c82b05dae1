//! What a step did, in words: what its node became, and what it sent.
//!
//! Invariant: each message is told once, with all who were to get it.

use super::causal_path::{PathStep, StepReason};
use super::reading::sent;
use super::session_past::SessionPast;
use super::words::{became, in_a_row, message};
use protocol::{NodeId, NodeSet};
use record::MessageText;

/// What the milestone did: what its node became, and what it sent, above all to the next milestone.
pub(super) fn deed(session_past: &SessionPast<'_>, way: &[PathStep], place: usize) -> String {
    let here = &way[place];
    let Some((_, step)) = session_past.step(here.place) else { return String::new() };
    let before = session_past.state_before(here.node, here.place).map(|(_, state)| state);
    let mut deeds: Vec<String> =
        step.state.as_ref().and_then(|after| became(here.node, before, after)).into_iter().collect();
    let next = way.get(place + 1).map(|next| &next.by);
    let wanted = match next {
        Some(StepReason::Message { id, .. }) => sent(step).find(|(sent, _)| sent == id).map(|(_, text)| message(text)),
        _ => None,
    };
    // The last one is what is explained: what it sent is told by nobody's question.
    let is_last = next.is_none() && !deeds.is_empty();
    let mut sends = Vec::new();
    for (words, to) in sendings(sent(step).map(|(id, text)| (id.to, text)).filter(|_| !is_last)) {
        if wanted.as_ref().is_none_or(|wanted| *wanted == words) {
            sends.push(format!("{words} to {}", to.map_or_else(|| "all".to_owned(), |to| to.to_string())));
        }
    }
    sends.truncate(2);
    if !sends.is_empty() {
        deeds.push(format!("sent {}", in_a_row(&sends)));
    }
    in_a_row(&deeds)
}

/// What was sent, each message once with all who were to get it; a broadcast is for nobody in particular.
fn sendings<'t>(all: impl Iterator<Item = (Option<NodeId>, &'t MessageText)>) -> Vec<(String, Option<NodeSet>)> {
    let mut sendings: Vec<(String, Option<NodeSet>)> = Vec::new();
    for (to, text) in all {
        let words = message(text);
        match (sendings.iter_mut().find(|(known, _)| *known == words), to) {
            (Some((_, Some(nodes))), Some(to)) => {
                nodes.insert(to);
            }
            (Some(_), _) => {}
            (None, to) => sendings.push((words, to.map(NodeSet::of))),
        }
    }
    sendings
}
