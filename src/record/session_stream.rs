//! A session as it is read: the head, the records, and the lines that cannot be used.
//!
//! A session is text, whether its file is compressed or not: the first line is a [`FirstLine`](super::FirstLine), and
//! every later line is a [`Record`]: `number`, `at`, `lab`, `node`, `kind`, and the kind's own fields as
//! [`super::Body`] documents them.
//!
//! Invariant: a file that was cut anywhere can be opened; a reader says which lines it skipped; it holds one line at a
//! time and reads no further than its limits.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::{FORMAT, Head, Record, VERSION};

/// A longer line is skipped. The longest line is the head of a session whose lab file is as long as one may be.
pub const LINE_BYTES_MAX: usize = 16 << 20;
/// A longer session is not read, and none is written.
pub const SESSION_BYTES_MAX: u64 = 16 << 30;
/// A file with more lines that cannot be used is not read to its end: it is no session.
const SKIPPED_MAX: usize = 10_000;

/// Why a line of a session cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LineError {
    /// A record is never this long.
    #[error("longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
    /// Is not text.
    #[error("not UTF-8")]
    NotText,
    /// Is the first line but not a head, as the JSON reader says.
    #[error("not a session head: {0}")]
    NotAHead(String),
    /// Is the head of a file that this build does not read.
    #[error(
        "the format is {format} {version}, and this build reads {FORMAT} {VERSION}; open it with the build that recorded it"
    )]
    Foreign {
        /// The file's format.
        format: String,
        /// The format's version.
        version: u32,
    },
    /// Is not a record, as the JSON reader says.
    #[error("not a record: {0}")]
    NotARecord(String),
    /// The compressed file is damaged at this line, and nothing after it can be read.
    #[error("the compressed file is damaged here, and the rest of it cannot be read: {0}")]
    Damaged(String),
}

/// A line that a reader could not use.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Skipped {
    /// The number in the file, from 1.
    pub line: usize,
    pub why: LineError,
}

/// Why a session cannot be read, or not to its end.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SessionError {
    /// The system refuses.
    #[error("{why}")]
    Refused {
        /// The system's words.
        why: String,
        /// The system's number, if it has one.
        number: Option<i32>,
    },
    /// Has to be unpacked into a file, and that cannot be.
    #[error("its text cannot be unpacked into a file in {directory}: {why}; set TMPDIR to a directory with room")]
    NotUnpacked {
        /// Where the file would be.
        directory: PathBuf,
        /// The system's words.
        why: String,
        /// The system's number, if it has one.
        number: Option<i32>,
    },
    /// Is longer than any session.
    #[error("it has more than {most} bytes, and no session {of} is read beyond that; name a session file")]
    TooLong {
        /// The limit.
        most: u64,
        /// Where the session comes from, as a phrase for the message, for example `out of a pipe`.
        of: &'static str,
    },
    /// The records, which a command has to hold in memory all at once, are too many.
    #[error(
        "its records take more than {} GiB of memory from {} s on, and this command needs all at once; `why --at` needs those \
         before a moment alone, and `verify`, `grade`, `replay` and `export --format jsonl` read any session",
        .most >> 30, .before / 1_000_000_000
    )]
    TooMuch {
        /// The limit.
        most: u64,
        /// The stamp up to which it is not too much.
        before: i64,
    },
    /// Is a session of this other version.
    #[error(
        "it is a session of version {0}, and this build reads version {VERSION}; open it with the build that recorded it"
    )]
    OtherVersion(u32),
    /// Too much of it is something else.
    #[error("more than {SKIPPED_MAX} of its lines cannot be read (line {}: {}); name a session file", .0.line, .0.why)]
    NotASession(Skipped),
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> SessionError {
        SessionError::Refused { why: error.to_string(), number: error.raw_os_error() }
    }
}

/// What a session consists of.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly every entry is a record, and none is kept")]
pub enum SessionEntry {
    /// The first line, if it can be used.
    Head(Box<Head>),
    Record(Record),
    /// A line that cannot be used.
    Skipped(Skipped),
}

/// A session that can be gone through any number of times.
pub trait Session {
    /// The head; absent if the file is cut within it.
    fn head(&self) -> Option<&Head>;

    /// Gives all entries in the file's order, from the beginning, until `take` breaks.
    ///
    /// # Errors
    /// The session cannot be read any further. What was given until then was in it.
    fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError>;
}

/// What a reader passes over without reading more of it than its kind and its stamp.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PassedLine {
    Nothing,
    /// The steps: most of a session.
    Steps,
}

/// What was passed over.
#[derive(Copy, Clone, Default, Debug)]
pub struct PassedRecords {
    /// How many records.
    pub count: u64,
    /// The latest stamp of one.
    pub latest: Option<i64>,
}

/// The entries of a text, one after another.
#[derive(Debug)]
pub struct SessionStream<R> {
    input: R,
    passed_over: PassedLine,
    passed: PassedRecords,
    line: Vec<u8>,
    /// How many lines and bytes were read.
    lines: usize,
    bytes: u64,
    skipped: usize,
}

impl PassedRecords {
    pub fn and(self, others: PassedRecords) -> PassedRecords {
        PassedRecords { count: self.count + others.count, latest: self.latest.max(others.latest) }
    }
}

impl<R: BufRead> SessionStream<R> {
    /// The entries of this text, from its first line on.
    pub fn new(input: R) -> SessionStream<R> {
        SessionStream::behind(input, 0, 0)
    }

    /// Entries of a session of which `lines` lines and `bytes` bytes were already read before `input`.
    pub fn behind(input: R, lines: usize, bytes: u64) -> SessionStream<R> {
        let (passed_over, passed) = (PassedLine::Nothing, PassedRecords::default());
        SessionStream { input, passed_over, passed, line: Vec::new(), lines, bytes, skipped: 0 }
    }

    /// Skips these lines.
    pub fn without(self, passed_over: PassedLine) -> SessionStream<R> {
        SessionStream { passed_over, ..self }
    }

    /// What was passed over so far.
    pub fn passed(&self) -> PassedRecords {
        self.passed
    }

    /// Where it reads.
    pub fn input(&self) -> &R {
        &self.input
    }

    /// How many lines and bytes come before the next entry.
    pub fn place(&self) -> (usize, u64) {
        (self.lines, self.bytes)
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    /// The text cannot be read any further, is too long, or has too many bad lines.
    pub fn next_entry(&mut self) -> Result<Option<SessionEntry>, SessionError> {
        while self.read_line()? {
            let index = self.lines - 1;
            if self.line.is_empty() {
                continue;
            }
            if let (PassedLine::Steps, Some(at)) = (self.passed_over, step_at(&self.line)) {
                self.passed = self.passed.and(PassedRecords { count: 1, latest: Some(at) });
                continue;
            }
            return match entry_of(index, &self.line) {
                Ok(entry) => Ok(Some(entry)),
                Err(why) => {
                    let skipped = Skipped { line: index + 1, why };
                    self.skipped += 1;
                    if self.skipped > SKIPPED_MAX {
                        return Err(SessionError::NotASession(skipped));
                    }
                    Ok(Some(SessionEntry::Skipped(skipped)))
                }
            };
        }
        Ok(None)
    }

    /// Reads the next line, or its first `LINE_BYTES_MAX + 1` bytes. Returns whether there is one.
    fn read_line(&mut self) -> Result<bool, SessionError> {
        self.line.clear();
        let bytes_before = self.bytes;
        loop {
            let room = (LINE_BYTES_MAX + 1).saturating_sub(self.line.len());
            let mut rest = Vec::new();
            // The rest of a too long line is read and dropped.
            let (into, most) = if room > 0 { (&mut self.line, room) } else { (&mut rest, LINE_BYTES_MAX) };
            let read = (&mut self.input).take(most as u64).read_until(b'\n', into)?;
            self.bytes += read as u64;
            let is_whole = into.last() == Some(&b'\n');
            if self.bytes > SESSION_BYTES_MAX {
                return Err(SessionError::TooLong { most: SESSION_BYTES_MAX, of: "file" });
            }
            if is_whole || read == 0 {
                break;
            }
        }
        if self.bytes == bytes_before {
            return Ok(false);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        self.lines += 1;
        Ok(true)
    }
}

/// The stamp of a line that is a step, by its beginning as this program writes it.
fn step_at(line: &[u8]) -> Option<i64> {
    const BEGINNING: usize = 160;
    let beginning = &line[..line.len().min(BEGINNING)];
    let behind = |what: &[u8]| {
        beginning.windows(what.len()).position(|of| of == what).map(|place| &beginning[place + what.len()..])
    };
    behind(b",\"kind\":\"step\",")?;
    let stamp = behind(b",\"at\":")?;
    let end = stamp.iter().position(|byte| *byte == b',')?;
    std::str::from_utf8(&stamp[..end]).ok()?.parse().ok()
}

fn entry_of(index: usize, line: &[u8]) -> Result<SessionEntry, LineError> {
    if line.len() > LINE_BYTES_MAX {
        return Err(LineError::TooLong);
    }
    let text = std::str::from_utf8(line).map_err(|_| LineError::NotText)?;
    if index == 0 {
        let head: Head = serde_json::from_str(text).map_err(|error| LineError::NotAHead(error.to_string()))?;
        if head.format != FORMAT || head.version != VERSION {
            return Err(LineError::Foreign { format: head.format, version: head.version });
        }
        return Ok(SessionEntry::Head(Box::new(head)));
    }
    let record = Record::from_line(text).map_err(|error| LineError::NotARecord(error.to_string()))?;
    Ok(SessionEntry::Record(record))
}
