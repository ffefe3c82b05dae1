//! Records of a session that are kept with their index: a question about them needs no other look at all of them.
//!
//! Invariant: the index is that of the records, whichever of them are left out.

use std::sync::Arc;

use super::index::PastIndex;
use super::session_past::{PastRecords, SessionPast};
use record::{Head, Record};

/// The records, in the session's order.
#[derive(Clone, Default, Debug)]
pub struct IndexedRecords {
    records: Vec<Arc<Record>>,
    index: PastIndex,
}

impl IndexedRecords {
    /// Takes in the next record.
    pub fn take(&mut self, record: Arc<Record>) {
        self.index.take(&record);
        self.records.push(record);
    }

    /// Leaves out the records that are not to stay: all others are taken in anew.
    pub fn retain(&mut self, stays: impl FnMut(&Arc<Record>) -> bool) {
        let mut records = std::mem::take(self).records;
        records.retain(stays);
        self.extend(records);
    }

    /// The records, in the session's order.
    pub fn all(&self) -> &[Arc<Record>] {
        &self.records
    }

    /// Them as a past, which end with the last one.
    pub fn session_past<'a>(&'a self, head: Option<&'a Head>) -> SessionPast<'a> {
        SessionPast::indexed(head, PastRecords::Shared(&self.records), &self.index)
    }
}

impl Extend<Arc<Record>> for IndexedRecords {
    fn extend<T: IntoIterator<Item = Arc<Record>>>(&mut self, records: T) {
        records.into_iter().for_each(|record| self.take(record));
    }
}
