//! The records of a session that is played: all of a simulated lab, and of a session file those that were looked at
//! last.
//!
//! Invariant: whatever is kept, a record is the same each time.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use record::{Body, Missed, Record, SessionEntry, SessionError, SessionPlace, StoredSession};

/// A session file is read in pieces of this many records.
pub const CHUNK_RECORDS: usize = 500;
/// This many pieces of a session file are kept.
const CHUNKS_KEPT: usize = 64;

/// The records of a session.
#[derive(Debug)]
pub enum Shelf {
    /// All of them, in memory.
    Held(Vec<Arc<Record>>),
    /// In a file.
    Stored(Box<StoredRecords>),
}

/// The records of a session file.
#[derive(Debug)]
pub struct StoredRecords {
    session: StoredSession,
    /// Where each piece begins.
    places: Vec<SessionPlace>,
    count: usize,
    /// Where reading goes on, if the file was not read to its end yet.
    rest: Option<SessionPlace>,
    /// The pieces that were read last, the latest at the end.
    recent: RefCell<VecDeque<(usize, Rc<Chunk>)>>,
}

/// The records of a piece of a session file.
type Chunk = Vec<Arc<Record>>;

impl Shelf {
    /// The record at this place, if there is one.
    pub fn get(&self, place: usize) -> Option<Arc<Record>> {
        match self {
            Shelf::Held(records) => records.get(place).cloned(),
            Shelf::Stored(stored) if place < stored.count => {
                Some(Arc::clone(&stored.chunk(place / CHUNK_RECORDS)[place % CHUNK_RECORDS]))
            }
            Shelf::Stored(_) => None,
        }
    }
}

impl StoredRecords {
    /// The records of this file, of which none has been read yet.
    pub fn new(session: StoredSession) -> StoredRecords {
        let rest = Some(session.entries().place());
        StoredRecords { session, places: Vec::new(), count: 0, rest, recent: RefCell::default() }
    }

    /// Whether the file was read to its end, or as far as it can be.
    pub fn is_whole(&self) -> bool {
        self.rest.is_none()
    }

    /// How much of it has been read, from 0 to 1.
    pub fn share_read(&self) -> f64 {
        self.rest.map_or(1.0, |rest| self.session.share_before(rest))
    }

    /// No more of it is read.
    pub fn give_up(&mut self) {
        self.rest = None;
    }

    /// The next records and lines that cannot be used, at most so many; after an error there are no more.
    pub fn read_on(&mut self, most: usize) -> Result<Vec<SessionEntry>, SessionError> {
        let Some(rest) = self.rest.take() else { return Ok(Vec::new()) };
        let mut entries = self.session.entries_from(rest);
        let mut read = Vec::new();
        while read.len() < most {
            let place = entries.place();
            let Some(entry) = entries.next_entry()? else { return Ok(read) };
            match entry {
                SessionEntry::Head(_) => continue,
                SessionEntry::Skipped(_) => {}
                SessionEntry::Record(_) => {
                    if self.count.is_multiple_of(CHUNK_RECORDS) {
                        self.places.push(place);
                    }
                    self.count += 1;
                }
            }
            read.push(entry);
        }
        self.rest = Some(entries.place());
        Ok(read)
    }

    /// The piece of this number.
    fn chunk(&self, number: usize) -> Rc<Chunk> {
        let mut recent = self.recent.borrow_mut();
        let known = recent.iter().position(|(of, _)| *of == number);
        let found = known.and_then(|place| recent.remove(place));
        let (_, chunk) = found.unwrap_or_else(|| (number, Rc::new(self.read(number))));
        if recent.len() == CHUNKS_KEPT {
            recent.pop_front();
        }
        recent.push_back((number, Rc::clone(&chunk)));
        chunk
    }

    fn read(&self, number: usize) -> Chunk {
        let wanted = (self.count - number * CHUNK_RECORDS).min(CHUNK_RECORDS);
        let mut records = Vec::with_capacity(wanted);
        let mut entries = self.session.entries_from(self.places[number]);
        while records.len() < wanted {
            let record = match entries.next_entry() {
                Ok(Some(SessionEntry::Record(record))) => record,
                Ok(Some(SessionEntry::Head(_) | SessionEntry::Skipped(_))) => continue,
                // Somebody has cut the file since it was opened.
                Ok(None) | Err(_) => {
                    let place = "because the file was changed while it was shown".to_owned();
                    Record::of_host(0, Body::Gap(Missed { count: 1, place }))
                }
            };
            records.push(Arc::new(record));
        }
        records
    }
}
