//! The latest events: those that a verdict may have to tell between its two states.
//!
//! It keeps the events that change what nodes may believe: faults, starts and unordered ends of processes, time-outs
//! that waited for a node, election points. Ordinary messages are in the session, by the numbers that the events carry.
//!
//! Invariant: bounded; an event names its record, so that a reader finds it in the session.

use std::collections::{BTreeMap, VecDeque};

use fault::{FaultId, FaultLine};
use protocol::{NodeId, Status};
use record::{BetweenKind, Body, Death, EventBetween, EventsBetween, Input, Record, Step};

/// The most events that are kept.
const EVENTS_MAX: usize = 512;

#[derive(Clone, Debug, Default)]
pub(super) struct LatestEvents {
    events: VecDeque<EventBetween>,
    lines: BTreeMap<FaultId, FaultLine>,
}

impl LatestEvents {
    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        if let Body::FaultOrdered { id, line, .. } = &record.body {
            self.lines.insert(*id, line.clone());
        }
        let Some(what) = self.kind_of(record) else { return };
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
        }
        self.events.push_back(EventBetween { at: record.at, record: record.number, what });
    }

    /// The events after `from` and not after `to`.
    pub fn between(&self, from: i64, to: i64) -> EventsBetween {
        EventsBetween::of(self.events.iter().filter(|event| from < event.at && event.at <= to).cloned().collect())
    }

    fn kind_of(&self, record: &Record) -> Option<BetweenKind> {
        match (record.node, &record.body) {
            (_, Body::FaultInForce { id }) => Some(BetweenKind::InForce { id: *id, line: self.lines.get(id).cloned() }),
            (_, Body::FaultLifted { id }) => Some(BetweenKind::Over { id: *id }),
            // A fault that killed a process is told already.
            (Some(node), Body::Died { death: Death::Exited { .. } | Death::Signalled { .. } }) => {
                Some(BetweenKind::Died { node })
            }
            (Some(node), Body::Step(step)) => of_step(node, step),
            _ => None,
        }
    }
}

fn of_step(node: NodeId, step: &Step) -> Option<BetweenKind> {
    match &step.input {
        Input::Start { .. } => Some(BetweenKind::Started { node }),
        Input::Timer { waited_for, .. } if !waited_for.is_empty() => {
            Some(BetweenKind::TimedOut { node, silent: *waited_for })
        }
        _ => {
            let chosen = step.state.as_ref().filter(|state| state.status == Status::Reorganization)?;
            Some(BetweenKind::Reorganizes { node, coordinator: chosen.coordinator? })
        }
    }
}
