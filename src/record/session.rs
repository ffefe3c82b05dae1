//! A session as it is read: the head, the records, and the lines that cannot be used.
//!
//! A session is text: the first line is a [`FirstLine`](super::FirstLine), and every later line is a [`Record`]:
//! `number`, `at`, `lab`, `node`, `kind`, and the kind's own fields as [`super::Body`] documents them.
//!
//! Invariant: a file that was cut anywhere can be opened; a reader says which lines it skipped.

use std::fs;
use std::io;
use std::path::Path;

use super::{FORMAT, Head, Record, VERSION};

/// A longer line is skipped. The longest line is the head of a session whose lab file is as long as one may be.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// Why a line of a session cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LineError {
    /// A record is never this long.
    #[error("longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
    /// It is not text.
    #[error("not UTF-8")]
    NotText,
    /// It is the first line but not a head, as the JSON reader says.
    #[error("not a session head: {0}")]
    NotAHead(String),
    /// It is the head of a file that this build does not read.
    #[error("the format is {format} {version}, but this build reads {FORMAT} {VERSION}")]
    Foreign {
        /// The file's format.
        format: String,
        /// The format's version.
        version: u32,
    },
    /// It is not a record, as the JSON reader says.
    #[error("not a record: {0}")]
    NotARecord(String),
}

/// A line that a reader could not use.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Skipped {
    /// Its number in the file, from 1.
    pub line: usize,
    /// Why.
    pub why: LineError,
}

/// A session, read completely.
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
    pub fn open(path: &Path) -> io::Result<SessionReader> {
        Ok(SessionReader::read(&fs::read(path)?))
    }

    /// Reads a session's bytes, even invalid ones.
    pub fn read(bytes: &[u8]) -> SessionReader {
        let mut session = SessionReader { head: None, records: Vec::new(), skipped: Vec::new() };
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            if let Err(why) = session.take_line(index, line) {
                session.skipped.push(Skipped { line: index + 1, why });
            }
        }
        session
    }

    fn take_line(&mut self, index: usize, line: &[u8]) -> Result<(), LineError> {
        if line.len() > LINE_BYTES_MAX {
            return Err(LineError::TooLong);
        }
        let text = std::str::from_utf8(line).map_err(|_| LineError::NotText)?;
        if index == 0 {
            let head: Head = serde_json::from_str(text).map_err(|error| LineError::NotAHead(error.to_string()))?;
            if head.format != FORMAT || head.version != VERSION {
                return Err(LineError::Foreign { format: head.format, version: head.version });
            }
            self.head = Some(head);
            return Ok(());
        }
        let record = Record::from_line(text).map_err(|error| LineError::NotARecord(error.to_string()))?;
        self.records.push(record);
        Ok(())
    }
}
