//! The log of updates: what is in the safe cells, with the counter that it adds up to and a digest of every prefix.
//!
//! Invariant: the log only grows, by one update at a time, and each update is in it once.

use std::hash::{Hash, Hasher};

use crate::protocol::{LogDigest, LoggedUpdate, TransactionId, UpdateId};

/// The log of one process.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub(super) struct UpdateLog {
    updates: Vec<LoggedUpdate>,
    /// The digest after each of them.
    digests: Vec<LogDigest>,
    counter: i64,
}

/// The digest stands for the log.
impl Hash for UpdateLog {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.length(), self.digest()).hash(state);
    }
}

impl UpdateLog {
    /// The log of these updates.
    pub fn of(updates: &[LoggedUpdate]) -> UpdateLog {
        let mut log = UpdateLog::default();
        updates.iter().for_each(|update| log.append(*update));
        log
    }

    /// Adds the update at the next place.
    pub fn append(&mut self, update: LoggedUpdate) {
        self.digests.push(self.digest().after(&update));
        self.counter += i64::from(update.value);
        self.updates.push(update);
    }

    /// All updates, in order.
    pub fn updates(&self) -> &[LoggedUpdate] {
        &self.updates
    }

    /// How many there are.
    pub fn length(&self) -> u32 {
        self.updates.len() as u32
    }

    /// What they add up to.
    pub fn counter(&self) -> i64 {
        self.counter
    }

    /// The digest of all.
    pub fn digest(&self) -> LogDigest {
        self.digests.last().copied().unwrap_or_default()
    }

    /// The digest of the first `length` updates, if the log has as many.
    pub fn digest_at(&self, length: u32) -> Option<LogDigest> {
        match length {
            0 => Some(LogDigest::default()),
            length => self.digests.get(length as usize - 1).copied(),
        }
    }

    /// The transaction that did the update at this place, if there is one.
    pub fn by_at(&self, position: u32) -> Option<TransactionId> {
        let place = (position as usize).checked_sub(1)?;
        self.updates.get(place).map(|update| update.by)
    }

    /// The place of this update, if it is in the log. The latest are looked at first.
    pub fn position_of(&self, id: UpdateId) -> Option<u32> {
        self.updates.iter().rposition(|update| update.id == id).map(|place| place as u32 + 1)
    }

    /// The updates after the first `length`, at most `most` of them.
    pub fn after(&self, length: u32, most: usize) -> Vec<LoggedUpdate> {
        self.updates.iter().skip(length as usize).take(most).copied().collect()
    }
}
