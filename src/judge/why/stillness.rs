//! When a node's process stood still: a fault had paused it, or somebody else had stopped it.
//!
//! Invariant: who stopped it is told with each stop, and a fault that is no pause with its line.

use super::annals::Annals;
use super::reading::{StoppedBy, begins, ends};
use super::words::{Bond, Sentence};
use fault::FaultId;
use protocol::NodeId;
use world::stamp;

/// Who stopped a process, as the beginning of a sentence about it: `f1 paused`.
pub(super) fn stopped(annals: &Annals<'_>, by: StoppedBy) -> String {
    let StoppedBy::Fault(by) = by else { return "Somebody else stopped".to_owned() };
    let line = annals.fault(by).map(|(_, line)| line).filter(|line| line.verb() != "pause");
    format!("{by}{} paused", line.map_or_else(String::new, |line| format!(" ({line})")))
}

/// The latest stop of the node that ended between these places.
pub(super) fn of_pause(annals: &Annals<'_>, node: NodeId, (from, to): (usize, usize)) -> Option<Sentence> {
    let went_on = annals.latest_life(node, to).filter(|life| *life > from && ends(&annals.at(*life).body))?;
    let began = annals.latest_life(node, went_on)?;
    let by = begins(&annals.at(began).body)?;
    let [stopped_at, went_on_at] = [began, went_on].map(|life| stamp(annals.at(life).at));
    let words = format!("{} {node} at {stopped_at}, until it went on at {went_on_at}", stopped(annals, by));
    Some(Sentence::new(annals, words, [began, went_on], Bond::Silence).about(by.fault()))
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
        StoppedBy::Fault(_) => stopped(annals, last.2),
        StoppedBy::Somebody => "somebody else stopped".to_owned(),
    };
    OwnStops {
        words: format!(", and stood still {times}from {from} to {to} ({who} it)"),
        places: stops.iter().flat_map(|(stopped, went_on, _)| [*stopped, *went_on]).collect(),
        faults: stops.iter().filter_map(|(.., by)| by.fault()).collect(),
    }
}
