//! The newest records up to the moment of a scene, with their index: what the screen says of causes is read from them.
//!
//! Their number has a bound, and with it the memory of a screen: what a person can look back at is chosen by it. Older
//! records stay in the session's file, if the lab has one.
//!
//! Invariant: there are never more than a given number of them; those that the flow shows by default stay longest.

use std::sync::Arc;

use super::noted::BEFORE_SHOWN;
use judge::why::{Annals, IndexedRecords};
use record::{Head, Record};
use world::flow::{FlowRules, changes_rows};

/// A screen keeps this many records.
pub const RECORDS_MAX: usize = 20_000;
/// When there are more, those that are not shown by default go, but for those among so many newest ones and those
/// shortly before one that is shown.
const UNSEEN_KEPT: usize = 4_000;
/// Others go only when this many are left; so many go at once.
const SEEN_MAX: usize = 16_000;
const SEEN_DROPPED: usize = 4_000;

/// The records.
#[derive(Clone, Default, Debug)]
pub struct SceneRecords(IndexedRecords);

impl SceneRecords {
    /// Takes in the next record; if there is no room, older ones go, first those that the flow does not show by default.
    pub fn take(&mut self, record: Arc<Record>, rules: &FlowRules) {
        self.0.take(record);
        let count = self.0.all().len();
        if count <= RECORDS_MAX {
            return;
        }
        let (rules, older) = (rules.by_default(), count - UNSEEN_KEPT);
        // How far behind each record the next one comes that is shown.
        let mut ahead = 0;
        let is_kept = |record: &Arc<Record>| {
            ahead = if changes_rows(&rules, record) { 0 } else { ahead + 1 };
            ahead <= BEFORE_SHOWN
        };
        let mut kept: Vec<bool> = self.0.all()[..older].iter().rev().map(is_kept).collect();
        let left = kept.iter().filter(|is_kept| **is_kept).count() + UNSEEN_KEPT;
        let mut dropped = if left > SEEN_MAX { SEEN_DROPPED } else { 0 };
        self.0.retain(|_| {
            let is_kept = kept.pop().unwrap_or(true);
            let is_dropped = is_kept && dropped > 0;
            dropped -= usize::from(is_dropped);
            is_kept && !is_dropped
        });
    }

    /// The records, in the session's order.
    pub fn all(&self) -> &[Arc<Record>] {
        self.0.all()
    }

    /// Those before this one; none if it is not kept itself.
    pub fn before(&self, record: &Arc<Record>) -> &[Arc<Record>] {
        let place = self.all().iter().rposition(|kept| Arc::ptr_eq(kept, record));
        &self.all()[..place.unwrap_or(0)]
    }

    /// Them as annals, which end with the last one.
    pub fn annals<'a>(&'a self, head: Option<&'a Head>) -> Annals<'a> {
        self.0.annals(head)
    }
}

impl FromIterator<Arc<Record>> for SceneRecords {
    fn from_iter<T: IntoIterator<Item = Arc<Record>>>(records: T) -> SceneRecords {
        let mut indexed = IndexedRecords::default();
        indexed.extend(records);
        SceneRecords(indexed)
    }
}
