//! Which row a thing joins, and what it brings to it.
//!
//! Invariant: a row is joined only if nothing that happened before the joining thing stands below that row.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::reason::{same_cause, same_state};
use super::*;
use protocol::LieSet;

impl FlowFold {
    /// A row that this thing may join, because what it does there is done for the same reason.
    pub(super) fn row_like(
        &self,
        node: NodeId,
        record: &Arc<Record>,
        cause: &FlowCause,
        like: impl Fn(&FlowRow) -> bool,
    ) -> Option<usize> {
        if self.rules.folding == FlowDetail::Unfolded {
            return None;
        }
        self.joinable(node, record, |row| same_cause(&row.cause, cause) && like(row))
    }

    pub(super) fn row_of_state(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        cause: FlowCause,
        change: &LaneChange,
    ) -> usize {
        // Where a wait is over at several processes, the states to which that brings them are one row.
        let is_timer = matches!(cause, FlowCause::Timer { .. });
        let like = |row: &FlowRow| {
            let is_like = |known: &LaneChange| is_timer || same_state(known, change);
            row.arrows.is_empty() && row.changes.iter().all(|(of, known)| *of != node && is_like(known))
        };
        let row = self.row_like(node, record, &cause, like).unwrap_or_else(|| self.begin(record, RowTone::Plain));
        self.add_cause(row, cause);
        row
    }

    /// The newest row like this that may be joined by happened-before and by time.
    pub(super) fn joinable(
        &self,
        node: NodeId,
        record: &Arc<Record>,
        like: impl Fn(&FlowRow) -> bool,
    ) -> Option<usize> {
        let floor = self.fronts.get(&node).map_or(0, LaneFront::floor);
        let first = self.rows.len().saturating_sub(ROWS_LOOKED_AT).max(floor);
        (first..self.rows.len()).rev().find(|row| {
            let row = &self.rows[*row];
            row.tone == RowTone::Plain
                && row.lies.is_empty()
                && record.at.saturating_sub(row.until) <= self.rules.one_way_bound / 2
                && like(row)
        })
    }

    pub(super) fn begin(&mut self, record: &Arc<Record>, tone: RowTone) -> usize {
        self.rows.push(FlowRow {
            record: Arc::clone(record),
            until: record.at,
            cause: FlowCause::Plain,
            arrows: Vec::new(),
            arrivals: Vec::new(),
            changes: Vec::new(),
            told: Vec::new(),
            tone,
            lies: LieSet::HONEST,
            number: None,
            after: BTreeSet::new(),
            records: Vec::new(),
            is_late: false,
        });
        self.rows.len() - 1
    }

    /// What happens at the node stands in this row.
    pub(super) fn join(&mut self, node: NodeId, row: usize, record: &Arc<Record>) {
        let front = self.fronts.get_or_default(node);
        let before = std::mem::replace(&mut front.rows, BTreeSet::from([row]));
        let joined = &mut self.rows[row];
        joined.after.extend(before.into_iter().filter(|before| *before != row));
        joined.until = joined.until.max(record.at);
        if joined.records.last() != Some(&record.number) {
            joined.records.push(record.number);
        }
    }

    pub(super) fn apply(&mut self, node: NodeId, row: usize, change: LaneChange) {
        self.lanes.change(node, &change);
        self.rows[row].changes.push((node, change));
    }

    pub(super) fn add_cause(&mut self, row: usize, cause: FlowCause) {
        let known = &mut self.rows[row].cause;
        match (known, cause) {
            (FlowCause::Start(all), FlowCause::Start(new)) => *all = all.union(&new),
            (
                FlowCause::Timer { at: all, waited_for: silent, .. },
                FlowCause::Timer { at: new, waited_for: newly, .. },
            ) => (*all, *silent) = (all.union(&new), silent.union(&newly)),
            (FlowCause::Unshown { at: all, .. }, FlowCause::Unshown { at: new, .. })
            | (FlowCause::Order { at: all, .. }, FlowCause::Order { at: new, .. }) => *all = all.union(&new),
            (known, cause) => *known = cause,
        }
    }

    pub(super) fn follow(&mut self, id: MessageId, flight: FlowFlight) {
        if self.flights.insert(id, flight).is_none() {
            self.flights_in_order.push_back(id);
        }
        if self.flights_in_order.len() > FLIGHTS_MAX {
            let oldest = self.flights_in_order.pop_front();
            oldest.map(|id| self.flights.remove(&id));
        }
    }
}
