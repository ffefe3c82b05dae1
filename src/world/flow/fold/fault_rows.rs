//! What faults, links and processes do, in the rows of the flow.
//!
//! Invariant: what became of a message stands at its arrow, wherever that is.

use std::sync::Arc;

use super::super::arrow::ArrowLoss;
use super::*;
use record::{Body, Death};

impl FlowFold {
    /// What a link or a process did at a node.
    pub(super) fn take_node(&mut self, node: NodeId, record: &Arc<Record>, body: &Body) {
        match body {
            Body::Dropped { id, by, .. } => self.end(*id, node, ArrowEnd::Dropped(*by)),
            Body::Held { id, by, .. } => {
                self.end(*id, node, ArrowEnd::Held(*by));
                if let Some(flight) = self.flights.get_mut(id) {
                    flight.held_by = Some(*by);
                }
            }
            Body::Spoiled { id, .. } | Body::Garbled { id, became: None, .. } => {
                self.end(*id, node, ArrowEnd::Lost(ArrowLoss::Spoiled));
            }
            Body::Stale { id } => self.end(*id, node, ArrowEnd::Lost(ArrowLoss::Overtaken)),
            Body::Late { id, .. } => self.end(*id, node, ArrowEnd::Lost(ArrowLoss::TooLate)),
            Body::SendFailed { id, .. } => {
                let to = id.to.unwrap_or(node);
                self.end(*id, to, ArrowEnd::Lost(ArrowLoss::NotSent));
            }
            Body::Spawned { .. } => {
                self.change_process(node, record, ProcessState::Starting, None, "has a new process");
            }
            Body::Ready { .. } => {
                let change = LaneChange::Process(ProcessState::Running);
                // The newest row may be about another one: the sign stands where this one was ordered to start.
                let looked_at = self.rows.len().saturating_sub(ROWS_LOOKED_AT)..self.rows.len();
                let ordered = looked_at.rev().find(|row| match &self.rows[*row].record.body {
                    Body::FaultOrdered { nodes, .. } => nodes.contains(node),
                    _ => false,
                });
                let last = self.rows.len().checked_sub(1).filter(|_| self.deaths.contains_key(&node));
                match ordered.or(last) {
                    Some(row) => self.apply(node, row, change),
                    None => self.change_before_rows(node, &change),
                }
            }
            Body::Died { death } => {
                let (by, words) = match death {
                    Death::Killed { by } => (Some(*by), "is dead"),
                    Death::Exited { .. } => (None, "is dead: its process ended by itself"),
                    Death::Signalled { .. } => (None, "is dead: somebody else killed it"),
                };
                if let Some(row) = self.change_process(node, record, ProcessState::Dead, by, words) {
                    self.deaths.insert(node, FlowDeath { row, until: None });
                }
                self.end_flights_to(node);
            }
            Body::Stopped { by } => {
                self.change_process(node, record, ProcessState::Paused, Some(*by), "is paused");
            }
            Body::Continued => {
                self.change_process(node, record, ProcessState::Running, None, "goes on");
            }
            Body::Panicked { message } => self.tell(record, RowTone::Violation, format!("{node} panicked: {message}")),
            Body::Overflowed { count } => {
                let text = format!("{node} lost {count} datagrams: its receive buffer was full");
                self.tell(record, RowTone::Doubt, text);
            }
            Body::Gap(missed) => {
                self.tell(record, RowTone::Doubt, format!("{} records are missing here", missed.count))
            }
            _ => {}
        }
    }

    pub(super) fn take_host(&mut self, record: &Arc<Record>, body: &Body) {
        match body {
            Body::Began => self.tell(record, RowTone::Note, "the lab begins".into()),
            Body::Ended { why, .. } => self.tell(record, RowTone::Note, format!("the lab ends: {why}")),
            Body::Marker { text } => self.tell(record, RowTone::Note, format!("marker: {text}")),
            Body::Gap(missed) => {
                self.tell(record, RowTone::Doubt, format!("{} records are missing here", missed.count))
            }
            Body::Violation(report) => {
                let word = if report.is_excused() { "excused violation" } else { "violation" };
                let text = format!("{word} {} of {}: {}", report.property, report.nodes, report.text);
                self.tell(record, RowTone::Violation, text);
            }
            Body::FaultOrdered { id, line, rule, .. } => {
                self.tell(record, RowTone::Fault, format!("{id} {line}"));
                self.faults.insert(*id, (self.rows.len() - 1, rule.is_some()));
            }
            Body::FaultNotInForce { id, why } => self.tell(record, RowTone::Fault, format!("{id} not in force: {why}")),
            Body::FaultLifted { id } if self.faults.get(id).is_some_and(|(_, stays)| *stays) => {
                self.tell(record, RowTone::Fault, format!("{id} is over"));
            }
            _ => {}
        }
    }

    pub(super) fn tell(&mut self, record: &Arc<Record>, tone: RowTone, text: String) {
        let row = self.begin(record, tone);
        self.rows[row].told.push(text);
        self.rows[row].records.push(record.number);
    }

    /// A process does something, in the row of the fault that ordered it, or in the newest row of a fault about it.
    /// Returns that row.
    pub(super) fn change_process(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        process: ProcessState,
        by: Option<FaultId>,
        words: &str,
    ) -> Option<usize> {
        if self.rows.is_empty() {
            self.change_before_rows(node, &LaneChange::Process(process));
            return None;
        }
        let floor = self.fronts.get(&node).map_or(0, LaneFront::floor);
        let of_fault = by.and_then(|by| self.faults.get(&by)).map(|(row, _)| *row);
        let about = |row: &usize| match &self.rows[*row].record.body {
            Body::FaultOrdered { nodes, .. } => nodes.contains(node),
            _ => false,
        };
        let newest = (self.rows.len().saturating_sub(ROWS_LOOKED_AT)..self.rows.len()).rev().find(about);
        let row = match of_fault.or(newest).filter(|row| *row >= floor) {
            Some(row) => row,
            None => {
                let row = self.begin(record, RowTone::Fault);
                let by = by.map_or_else(String::new, |by| format!(" by {by}"));
                self.rows[row].told.push(format!("{node} {words}{by}"));
                row
            }
        };
        self.join(node, row, record);
        self.apply(node, row, LaneChange::Process(process));
        Some(row)
    }

    pub(super) fn change_before_rows(&mut self, node: NodeId, change: &LaneChange) {
        self.beginning.change(node, change);
        self.lanes.change(node, change);
    }

    pub(super) fn end(&mut self, id: MessageId, to: NodeId, end: ArrowEnd) {
        match self.flights.get(&id).map(|flight| flight.shown) {
            Some(Shown::Arrow(row, arrow)) => {
                let heads = &mut self.rows[row].arrows[arrow].heads;
                if let Some(head) = heads.iter_mut().find(|head| head.to == to) {
                    head.end = end;
                }
            }
            Some(Shown::Answer(row, arrow, head)) if !matches!(end, ArrowEnd::Held(_)) => {
                self.rows[row].arrows[arrow].heads[head].end = ArrowEnd::AnswerLost;
            }
            Some(Shown::Answer(..) | Shown::Nowhere) | None => {}
        }
    }

    /// The process died: what was on its way to it comes no more.
    pub(super) fn end_flights_to(&mut self, node: NodeId) {
        let first = self.rows.len().saturating_sub(ROWS_LOOKED_AT);
        for head in self.rows[first..].iter_mut().flat_map(|row| &mut row.arrows).flat_map(|arrow| &mut arrow.heads) {
            if head.to == node && head.end == ArrowEnd::Flying {
                head.end = ArrowEnd::Lost(ArrowLoss::Dead);
            }
        }
    }
}
