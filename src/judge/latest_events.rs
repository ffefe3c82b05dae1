//! The latest events: those that a verdict may have to tell between its two states.
//!
//! It keeps the events that change what nodes may believe: faults, starts and unordered ends of processes, time-outs
//! that waited for a node, election points. Ordinary messages are in the session, by the numbers that the events carry.
//!
//! Invariant: bounded; an event names its record, so that a reader finds it in the session.

use std::collections::{BTreeMap, VecDeque};

use fault::{FaultId, FaultLine};
use protocol::{NodeId, NodeSet, Status};
use record::{Body, Death, Input, Record, Step};
use world::stamp;

/// The most events that are kept.
const EVENTS_MAX: usize = 512;
/// A verdict tells this many of the first and of the last events.
const TOLD_AT_EACH_END: usize = 3;

#[derive(Clone, Debug, Default)]
pub(super) struct LatestEvents {
    events: VecDeque<Noted>,
    lines: BTreeMap<FaultId, FaultLine>,
}

#[derive(Clone, Debug)]
struct Noted {
    at: i64,
    number: u64,
    what: What,
}

/// What happened; its words are found when somebody asks.
#[derive(Copy, Clone, Debug)]
enum What {
    InForce(FaultId),
    Over(FaultId),
    Died(NodeId),
    Started(NodeId),
    WaitedInVain(NodeId, NodeSet),
    Reorganizes(NodeId, NodeId),
}

impl LatestEvents {
    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        if let Body::FaultOrdered { id, line, .. } = &record.body {
            self.lines.insert(*id, line.clone());
        }
        let Some(what) = what(record) else { return };
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
        }
        self.events.push_back(Noted { at: record.at, number: record.number, what });
    }

    /// The events after `from` and not after `to`, in order; of many, the first and the last.
    pub fn between(&self, from: i64, to: i64) -> String {
        let events: Vec<&Noted> = self.events.iter().filter(|event| from < event.at && event.at <= to).collect();
        let told = |event: &&Noted| {
            let Noted { at, number, what } = event;
            let what = self.told(*what);
            format!("{what} at {} (record {number})", stamp(*at))
        };
        let left_out = events.len().saturating_sub(2 * TOLD_AT_EACH_END);
        let all: Vec<String> = if left_out == 0 {
            events.iter().map(told).collect()
        } else {
            let first = events[..TOLD_AT_EACH_END].iter().map(told);
            let last = events[events.len() - TOLD_AT_EACH_END..].iter().map(told);
            first.chain([format!("{left_out} more")]).chain(last).collect()
        };
        if all.is_empty() { "nothing recorded".to_owned() } else { all.join(", ") }
    }

    fn told(&self, what: What) -> String {
        match what {
            What::InForce(id) => match self.lines.get(&id) {
                Some(line) => format!("{id} {line} in force"),
                None => format!("{id} in force"),
            },
            What::Over(id) => format!("{id} over"),
            What::Died(node) => format!("{node} died"),
            What::Started(node) => format!("{node} started"),
            What::WaitedInVain(node, silent) => format!("{node} timed out on {silent}"),
            What::Reorganizes(node, coordinator) => format!("{node} reached Reorganization under {coordinator}"),
        }
    }
}

fn what(record: &Record) -> Option<What> {
    match (record.node, &record.body) {
        (_, Body::FaultInForce { id }) => Some(What::InForce(*id)),
        (_, Body::FaultLifted { id }) => Some(What::Over(*id)),
        // A fault that killed a process is told already.
        (Some(node), Body::Died { death: Death::Exited { .. } | Death::Signalled { .. } }) => Some(What::Died(node)),
        (Some(node), Body::Step(step)) => of_step(node, step),
        _ => None,
    }
}

fn of_step(node: NodeId, step: &Step) -> Option<What> {
    match &step.input {
        Input::Start { .. } => Some(What::Started(node)),
        Input::Timer { waited_for, .. } if !waited_for.is_empty() => Some(What::WaitedInVain(node, *waited_for)),
        _ => {
            let chosen = step.state.as_ref().filter(|state| state.status == Status::Reorganization)?;
            Some(What::Reorganizes(node, chosen.coordinator?))
        }
    }
}
