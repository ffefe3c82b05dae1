//! A session in memory.
//!
//! Invariant: it holds the same entries that reading the session returns.

use std::ops::ControlFlow;
use std::path::Path;

use super::session_stream::{Session, SessionEntry, SessionError, SessionStream, Skipped};
use super::{Head, Record, StoredSession};

/// A session, read completely: for a short one.
#[derive(Clone, Debug)]
pub struct SessionReader {
    /// The head; absent if the file is cut within it.
    pub head: Option<Head>,
    /// The records, in the file's order.
    pub records: Vec<Record>,
    /// The lines that could not be used.
    pub skipped: Vec<Skipped>,
}

impl SessionReader {
    /// Reads a session file.
    pub fn open(path: &Path) -> Result<SessionReader, SessionError> {
        let mut session = SessionReader { head: None, records: Vec::new(), skipped: Vec::new() };
        StoredSession::open(path)?.go_through(&mut |entry| {
            session.take(entry);
            ControlFlow::Continue(())
        })?;
        Ok(session)
    }

    /// Reads a session's bytes, even invalid ones, up to the limits.
    pub fn read(bytes: &[u8]) -> SessionReader {
        let mut session = SessionReader { head: None, records: Vec::new(), skipped: Vec::new() };
        let mut stream = SessionStream::new(bytes);
        while let Ok(Some(entry)) = stream.next_entry() {
            session.take(entry);
        }
        session
    }

    fn take(&mut self, entry: SessionEntry) {
        match entry {
            SessionEntry::Head(head) => self.head = Some(*head),
            SessionEntry::Record(record) => self.records.push(record),
            SessionEntry::Skipped(skipped) => self.skipped.push(skipped),
        }
    }
}

impl Session for SessionReader {
    fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError> {
        let head = self.head.iter().map(|head| SessionEntry::Head(Box::new(head.clone())));
        let skipped = self.skipped.iter().cloned().map(SessionEntry::Skipped);
        let records = self.records.iter().cloned().map(SessionEntry::Record);
        // Whether `take` wants more does not matter: this cannot fail.
        let _ = head.chain(skipped).chain(records).try_for_each(take);
        Ok(())
    }
}
