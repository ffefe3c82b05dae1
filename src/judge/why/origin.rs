//! Where an election began: at a start, at an order, or when a node at rest looked round again.
//!
//! Invariant: a fault is named as the one that ordered the beginning only if its order came right before it.

use super::causal_path::{PathStep, StepReason};
use super::session_past::SessionPast;
use super::words::{RecordRole, Sentence, Tense, span, stands};
use fault::{FaultId, FaultLine, ProcessFault};
use protocol::NodeId;
use record::{Body, Input};
use world::stamp;

/// The sentence about the first milestone, which did this.
pub(super) fn of(session_past: &SessionPast<'_>, first: &PathStep, deed: &str) -> Sentence {
    let (node, at) = (first.node, stamp(session_past.at(first.place).at));
    let deed = if deed.is_empty() { String::new() } else { format!("; it {deed}") };
    match &first.by {
        StepReason::Start => {
            let saved = match session_past.step(first.place).map(|(_, step)| &step.input) {
                Some(Input::Start { saved: true }) => ", with what its safe cells held",
                _ => "",
            };
            let lost = cells_lost(session_past, node, first.place);
            let saved = lost.map_or(saved, |(_, _, words)| words);
            let recovered = recovery(session_past, node, first.place);
            let by = recovered.map_or_else(String::new, |(by, _)| format!("{by} recovered {node}: "));
            let places =
                recovered.map(|(_, order)| order).into_iter().chain(lost.map(|(at, ..)| at)).chain([first.place]);
            let by_loss = lost.and_then(|(_, by, _)| by);
            let told_loss = by_loss.map_or_else(String::new, |by| format!(", by {by}"));
            let words = format!("{by}{node} started at {at}{saved}{told_loss}{deed}");
            Sentence::new(session_past, words, places, RecordRole::Before)
                .about(recovered.map(|(by, _)| by).into_iter().chain(by_loss))
        }
        StepReason::Order => {
            let ordered = order(session_past, node, first.place);
            let to = match session_past.step(first.place).map(|(_, step)| &step.input) {
                Some(Input::Order { order }) => order.says(),
                _ => "act".into(),
            };
            let who = ordered.map_or_else(|| "The operator".to_owned(), |(by, _)| by.to_string());
            let places = ordered.map(|(_, order)| order).into_iter().chain([first.place]);
            let words = format!("{who} ordered {node} at {at} to {to}{deed}");
            Sentence::new(session_past, words, places, RecordRole::Before).about(ordered.map(|(by, _)| by))
        }
        StepReason::Time { span: passed, .. } => {
            let what = if session_past.check() == Some(*passed) {
                "check period was over".to_owned()
            } else {
                format!("wait of {} was over", span(session_past, *passed))
            };
            let before = session_past.state_before(node, first.place);
            let until = before.map_or_else(String::new, |(_, state)| {
                format!(" (it {} until then)", stands(node, state, Tense::Past))
            });
            let since = before.map(|(since, _)| since);
            let words = format!("{node}'s {what} at {at}{until}{deed}");
            Sentence::new(session_past, words, since.into_iter().chain([first.place]), RecordRole::Before)
        }
        StepReason::Message { .. } | StepReason::Silence { .. } => Sentence::default(),
    }
}

/// Where the starting process found its safe cells other than it had saved them, by which fault, and how.
fn cells_lost(
    session_past: &SessionPast<'_>,
    node: NodeId,
    start: usize,
) -> Option<(usize, Option<FaultId>, &'static str)> {
    let from = session_past.latest_life(node, start)?;
    session_past.between(from, start).filter(|(_, record)| record.node == Some(node)).find_map(|(place, record)| {
        let (by, left) = match &record.body {
            Body::CellsLost { by, left, .. } => (Some(*by), left),
            Body::CellsChanged { left } => (None, left),
            _ => return None,
        };
        let words = match (left, by) {
            (None, _) => ", with its safe cells empty",
            (Some(_), Some(_)) => ", with its safe cells as they were before its last save",
            (Some(_), None) => ", with safe cells that somebody had changed",
        };
        Some((place, by, words))
    })
}

/// The fault that ordered this start of the node's process, and where.
pub(super) fn recovery(session_past: &SessionPast<'_>, node: NodeId, start: usize) -> Option<(FaultId, usize)> {
    let spawned = session_past
        .latest_life(node, start)
        .filter(|life| matches!(session_past.at(*life).body, Body::Spawned { .. }))?;
    let died = session_past
        .latest_life(node, spawned)
        .filter(|life| matches!(session_past.at(*life).body, Body::Died { .. }))?;
    let mut faults = session_past.faults_before(spawned).take_while(|(_, order, ..)| *order > died);
    let (id, order, ..) = faults.find(|(_, _, line, nodes)| match line {
        FaultLine::Process(ProcessFault::Recover, _) | FaultLine::Lift(_) | FaultLine::Undo => nodes.contains(node),
        FaultLine::HealAll => true,
        _ => false,
    })?;
    Some((id, order))
}

/// The fault line that ordered the node to act, and where.
fn order(session_past: &SessionPast<'_>, node: NodeId, place: usize) -> Option<(FaultId, usize)> {
    let Input::Order { order: ordered } = &session_past.step(place)?.1.input else { return None };
    let mut faults = session_past.faults_before(place);
    let gives = |line: &FaultLine| matches!(line, FaultLine::Process(..)) && line.verb() == ordered.word();
    let (id, order, ..) = faults.find(|(_, _, line, nodes)| gives(line) && nodes.contains(node))?;
    Some((id, order))
}
