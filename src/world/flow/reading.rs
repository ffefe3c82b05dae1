//! Reading the rows: which one a record began, what happened before one, how long nothing happened.
//!
//! Invariant: the past of a row is closed: it has the past of each of its rows.

use std::collections::BTreeSet;

use super::row::FlowRow;
use crate::protocol::Span;

/// The rows that happened before this one, and itself.
pub fn past_of(rows: &[FlowRow], row: usize) -> BTreeSet<usize> {
    let mut past = BTreeSet::from([row]);
    let mut open = vec![row];
    while let Some(row) = open.pop() {
        open.extend(rows[row].after.iter().filter(|before| past.insert(**before)));
    }
    past
}

/// The place of the row that this record began, or of the last one before it.
pub fn row_of(rows: &[FlowRow], record: u64) -> Option<usize> {
    let exact = rows.iter().rposition(|row| row.record.number == record);
    exact.or_else(|| rows.iter().rposition(|row| row.record.number <= record)).or((!rows.is_empty()).then_some(0))
}

/// The length of an idle time between two rows, if it is longer than this bound.
pub fn idle_between(before: &FlowRow, next: &FlowRow, bound: i64) -> Option<Span> {
    let idle = next.record.at.saturating_sub(before.until.max(before.record.at));
    (idle > bound).then(|| Span::from_nanos(u64::try_from(idle).unwrap_or(0)))
}
