//! Reading a session file piece by piece: its beginning is shown before its end is known.
//!
//! Invariant: whatever is asked for is read first; what was read stays as it is.

use std::sync::Arc;

use super::Playback;
use super::unusable::Unusable;
use crate::shelf::{Shelf, StoredRecords};
use record::{Session, SessionEntry, SessionError, Skipped, StoredSession};

/// So many entries are read in one go: in a few hundredths of a second.
const ENTRIES_AT_ONCE: usize = 3_000;
/// So many lines that cannot be used are named.
const NAMED_MAX: usize = 8;
/// A file with more of them is not read to its end: it is no session.
const UNUSABLE_MAX: usize = 10_000;

impl Playback {
    /// A session file at its beginning, of which the first piece has been read.
    ///
    /// # Errors
    /// Not even that can be read.
    pub fn opened(session: StoredSession) -> Result<Playback, SessionError> {
        let head = session.head().cloned();
        let stored = Shelf::Stored(Box::new(StoredRecords::new(session)));
        let mut playback = Playback::empty(head.as_ref(), stored);
        playback.read_on();
        playback.or_its_end()
    }

    /// A session file at its beginning, read to its end.
    ///
    /// # Errors
    /// The file cannot be read to its end.
    pub fn stored(session: StoredSession) -> Result<Playback, SessionError> {
        let mut playback = Playback::opened(session)?;
        playback.read_until(i64::MAX);
        playback.or_its_end()
    }

    /// Itself, unless it could not be read any further.
    fn or_its_end(mut self) -> Result<Playback, SessionError> {
        let end = self.unusable.as_mut().and_then(|unusable| unusable.end.take());
        end.map_or(Ok(self), Err)
    }

    /// Whether the session is known to its end.
    pub fn is_whole(&self) -> bool {
        match &self.records {
            Shelf::Held(_) => true,
            Shelf::Stored(stored) => stored.is_whole(),
        }
    }

    /// How much of the session has been read, from 0 to 1.
    pub fn share_read(&self) -> f64 {
        match &self.records {
            Shelf::Held(_) => 1.0,
            Shelf::Stored(stored) => stored.share_read(),
        }
    }

    /// What of the file cannot be used, once that is known; the second time nothing.
    pub fn take_unusable(&mut self) -> Option<Unusable> {
        if self.is_whole() { self.unusable.take() } else { None }
    }

    /// How many records of the file are missing, as far as it was read.
    pub fn lost(&self) -> u64 {
        self.lost.count()
    }

    /// Whether the file is known to its end, and the lab's end is missing.
    pub fn lacks_end(&self) -> bool {
        matches!(&self.records, Shelf::Stored(stored) if stored.is_whole()) && self.tip.world.ended.is_none()
    }

    /// Reads the next piece of the file. Returns whether there was one.
    pub fn read_on(&mut self) -> bool {
        let Shelf::Stored(stored) = &mut self.records else { return false };
        if stored.is_whole() {
            return false;
        }
        let entries = stored.read_on(ENTRIES_AT_ONCE).unwrap_or_else(|error| {
            self.unusable.get_or_insert_default().end = Some(error);
            Vec::new()
        });
        for entry in entries {
            match entry {
                SessionEntry::Record(record) => {
                    self.lost.take_record(&record);
                    self.index(&Arc::new(record));
                }
                SessionEntry::Skipped(line) => self.pass_over(line),
                SessionEntry::Head(_) => {}
            }
        }
        true
    }

    /// This line cannot be used.
    pub fn pass_over(&mut self, line: Skipped) {
        self.lost.skip();
        let unusable = self.unusable.get_or_insert_default();
        unusable.count += 1;
        if unusable.first.len() < NAMED_MAX {
            unusable.first.push(line.clone());
        }
        if unusable.count > UNUSABLE_MAX {
            unusable.end.get_or_insert(SessionError::NotASession(line));
            if let Shelf::Stored(stored) = &mut self.records {
                stored.give_up();
            }
        }
    }

    /// Reads on until the record after this time is known, or the end.
    pub fn read_until(&mut self, at: i64) {
        while self.latest.last().is_none_or(|latest| *latest <= at) && self.read_on() {}
    }

    /// Reads on until so many records are known, or the end.
    pub fn read_records(&mut self, count: usize) {
        while self.len() < count && self.read_on() {}
    }
}
