//! When a node's process stood still: a fault had paused it, or somebody else had stopped it.
//!
//! Invariant: who stopped it is told with each stop, and a fault that is no pause with its line.

use super::annals::Annals;
use super::words::{Bond, Sentence};
use crate::fault::FaultId;
use crate::protocol::NodeId;
use crate::record::{Body, CONTINUED_BY_SOMEBODY, STOPPED_BY_SOMEBODY};
use crate::world::stamp;

/// Who stopped a process.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum StoppedBy {
    /// This fault.
    Fault(FaultId),
    /// Nobody of the lab.
    Somebody,
}

/// Who stopped a process, if the record says that one was stopped.
pub(super) fn begins(body: &Body) -> Option<StoppedBy> {
    match body {
        Body::Stopped { by } => Some(StoppedBy::Fault(*by)),
        Body::Note { text } if text == STOPPED_BY_SOMEBODY => Some(StoppedBy::Somebody),
        _ => None,
    }
}

/// Whether the record says that a stopped process goes on.
pub(super) fn ends(body: &Body) -> bool {
    matches!(body, Body::Continued) || matches!(body, Body::Note { text } if text == CONTINUED_BY_SOMEBODY)
}

impl StoppedBy {
    /// As the beginning of a sentence about the process: `f1 paused`.
    pub fn stopped(self, annals: &Annals<'_>) -> String {
        let StoppedBy::Fault(by) = self else { return "Somebody else stopped".to_owned() };
        let line = annals.fault(by).map(|(_, line)| line).filter(|line| line.verb() != "pause");
        format!("{by}{} paused", line.map_or_else(String::new, |line| format!(" ({line})")))
    }

    /// The fault, if it was one.
    pub fn fault(self) -> Option<FaultId> {
        match self {
            StoppedBy::Fault(by) => Some(by),
            StoppedBy::Somebody => None,
        }
    }
}

/// The latest stop of the node that ended between these places.
pub(super) fn of_pause(annals: &Annals<'_>, node: NodeId, (from, to): (usize, usize)) -> Option<Sentence> {
    let went_on = annals.latest_life(node, to).filter(|life| *life > from && ends(&annals.at(*life).body))?;
    let stopped = annals.latest_life(node, went_on)?;
    let by = begins(&annals.at(stopped).body)?;
    let [stopped_at, went_on_at] = [stopped, went_on].map(|life| stamp(annals.at(life).at));
    let words = format!("{} {node} at {stopped_at}, until it went on at {went_on_at}", by.stopped(annals));
    Some(Sentence::new(annals, words, [stopped, went_on], Bond::Silence).about(by.fault()))
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
pub(super) fn own_stops(annals: &Annals<'_>, node: NodeId, between: (usize, usize)) -> OwnStops {
    let mut stops: Vec<(usize, usize, StoppedBy)> = Vec::new();
    for pair in annals.lives_between(node, between).windows(2) {
        if let Some(by) = begins(&annals.at(pair[0]).body).filter(|_| ends(&annals.at(pair[1]).body)) {
            stops.push((pair[0], pair[1], by));
        }
    }
    let (Some(first), Some(last)) = (stops.first(), stops.last()) else { return OwnStops::default() };
    let times = if stops.len() == 1 { String::new() } else { format!("{} times ", stops.len()) };
    let [from, to] = [first.0, last.1].map(|place| stamp(annals.at(place).at));
    let who = match last.2 {
        StoppedBy::Fault(_) => last.2.stopped(annals),
        StoppedBy::Somebody => "somebody else stopped".to_owned(),
    };
    OwnStops {
        words: format!(", and stood still {times}from {from} to {to} ({who} it)"),
        places: stops.iter().flat_map(|(stopped, went_on, _)| [*stopped, *went_on]).collect(),
        faults: stops.iter().filter_map(|(.., by)| by.fault()).collect(),
    }
}
