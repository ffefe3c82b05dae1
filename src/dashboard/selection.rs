//! What is under the cursor of each list: a row of the messages, of the log, a fault, an election.
//!
//! Invariant: a cursor whose row is gone, or that follows, is on the newest row.

use std::sync::Arc;

use super::model::{Model, Receipts};
use super::row::Row;
use world::{ElectionView, FaultView};

impl Model {
    /// The number of the row under the cursor among the messages: the newest that passes the filter while it follows.
    pub fn selected_message(&self) -> Option<u64> {
        let journal = &self.seen().journal;
        let passing = |(number, row): (u64, &Arc<Row>)| self.has_message_row(row).then_some(number);
        match self.reading.cursor {
            Some(cursor) => journal.from(cursor).find_map(passing).or_else(|| journal.newest().find_map(passing)),
            None => journal.newest().find_map(passing),
        }
    }

    /// Whether the messages screen shows this row: it passes the filter, and is no receipt that its sending tells of.
    pub fn has_message_row(&self, row: &Row) -> bool {
        let is_folded =
            || self.reading.receipts == Receipts::Folded && self.seen().journal.sendings().has_sending_of(row);
        self.reading.filter.passes(row) && !is_folded()
    }

    /// The fault under the cursor: the chosen one, or the newest.
    pub fn selected_fault(&self) -> Option<&FaultView> {
        let faults = &self.seen().world.faults;
        let chosen = self.fault.and_then(|id| faults.iter().find(|fault| fault.id == id));
        chosen.or(faults.last())
    }

    /// The election under the cursor: the chosen one, or the newest.
    pub fn selected_election(&self) -> Option<&ElectionView> {
        let latest = &self.seen().world.elections.latest;
        let chosen = self.election.and_then(|ordinal| latest.iter().find(|election| election.ordinal == ordinal));
        chosen.or(latest.back())
    }

    /// The row of the log under the cursor; the newest one while it follows.
    pub fn selected_news(&self) -> Option<Arc<Row>> {
        let journal = &self.seen().journal;
        match self.panes.log_cursor {
            Some(number) => journal.get(number).cloned(),
            None => journal.news_before(u64::MAX).next().map(|(_, row)| row).cloned(),
        }
    }
}
