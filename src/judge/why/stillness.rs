//! When a node's process stood still: a fault had paused it, or somebody else had stopped it.
//!
//! Invariant: who stopped it is told with each stop, and a fault that is no pause with its line.

use super::reading::{StoppedBy, begins, ends};
use super::session_past::SessionPast;
use super::words::{RecordRole, Sentence};
use fault::FaultId;
use protocol::NodeId;
use world::stamp;

/// Who stopped a process, as the beginning of a sentence about it: `f1 paused`.
pub(super) fn stopped(session_past: &SessionPast<'_>, by: StoppedBy) -> String {
    let StoppedBy::Fault(by) = by else { return "Somebody else stopped".to_owned() };
    let line = session_past.fault(by).map(|(_, line)| line).filter(|line| line.verb() != "pause");
    format!("{by}{} paused", line.map_or_else(String::new, |line| format!(" ({line})")))
}

/// The latest stop of the node that ended between these places.
pub(super) fn of_pause(session_past: &SessionPast<'_>, node: NodeId, (from, to): (usize, usize)) -> Option<Sentence> {
    let went_on =
        session_past.latest_life(node, to).filter(|life| *life > from && ends(&session_past.at(*life).body))?;
    let began = session_past.latest_life(node, went_on)?;
    let by = begins(&session_past.at(began).body)?;
    let [stopped_at, went_on_at] = [began, went_on].map(|life| stamp(session_past.at(life).at));
    let words = format!("{} {node} at {stopped_at}, until it went on at {went_on_at}", stopped(session_past, by));
    Some(Sentence::new(session_past, words, [began, went_on], RecordRole::Silence).about(by.fault()))
}

/// The stops of a node that itself waited meanwhile.
#[derive(Default)]
pub(super) struct OwnStops {
    /// As the rest of a sentence about its wait: `, and stood still from 7.000 s to 14.000 s (f2 paused it)`.
    pub words: String,
    /// The records of the stops.
    pub places: Vec<usize>,
    /// The faults that stopped it.
    pub faults: Vec<FaultId>,
}

/// How the node stood still between these places of its own steps.
pub(super) fn own_stops(session_past: &SessionPast<'_>, node: NodeId, between: (usize, usize)) -> OwnStops {
    let mut stops: Vec<(usize, usize, StoppedBy)> = Vec::new();
    for pair in session_past.lives_between(node, between).windows(2) {
        if let Some(by) = begins(&session_past.at(pair[0]).body).filter(|_| ends(&session_past.at(pair[1]).body)) {
            stops.push((pair[0], pair[1], by));
        }
    }
    let (Some(first), Some(last)) = (stops.first(), stops.last()) else { return OwnStops::default() };
    let times = if stops.len() == 1 { String::new() } else { format!("{} times ", stops.len()) };
    let [from, to] = [first.0, last.1].map(|place| stamp(session_past.at(place).at));
    let who = match last.2 {
        StoppedBy::Fault(_) => stopped(session_past, last.2),
        StoppedBy::Somebody => "somebody else stopped".to_owned(),
    };
    OwnStops {
        words: format!(", and stood still {times}from {from} to {to} ({who} it)"),
        places: stops.iter().flat_map(|(stopped, went_on, _)| [*stopped, *went_on]).collect(),
        faults: stops.iter().filter_map(|(.., by)| by.fault()).collect(),
    }
}
