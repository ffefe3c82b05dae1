//! The last records that went through a line of the listing.
//!
//! Invariant: the list stays as it was when it was opened, so its rows do not move under the cursor.

use std::sync::Arc;

use super::row::Row;
use protocol::{Facts, LineNumber};
use record::Record;

/// At most so many are listed.
const ROWS_MAX: usize = 200;

/// A line and its last records.
#[derive(Clone, Debug)]
pub struct LineSheet {
    /// The line.
    pub number: LineNumber,
    /// A row for each of the last records that went through it, the newest first.
    pub rows: Vec<Arc<Row>>,
}

impl LineSheet {
    /// Those among these records, which are in their order.
    pub fn new(number: LineNumber, records: &[Arc<Record>], facts: Option<&Facts>) -> LineSheet {
        let through = |record: &&Arc<Record>| record.step().is_some_and(|step| step.lines.contains(&number));
        let newest = records.iter().rev().filter(through).take(ROWS_MAX);
        LineSheet { number, rows: newest.map(|record| Arc::new(Row::first_of(record, facts))).collect() }
    }
}
