//! The session file: a head, then one record a line, in causal order, flushed line by line.
//!
//! The head is the first line: `format` is `hustings-session`, `version` 1; `lab_id` 32 hex digits; `name`, `about`,
//! `source` if the lab has one; `lab_file` the lab file's text; `seed`; `nodes`; `timing` (`t`, `check`, `silence` in nanoseconds); `settings`;
//! `facts` (the algorithm's Card, its bounds in nanoseconds); `base_port` (node N is 127.0.0.1:base_port+N); `group`
//! (the multicast group, if the algorithm broadcasts); `build`; `wall_clock` (seconds since 1970, when the lab was
//! made); `origin`, `simulated` if it was; `drawn`, if a campaign made it: the `seed` of the run, and `again`, the command
//! that plays it again. Every later line is a [`Record`]: `number`, `at`, `lab`, `node`, `kind`, and the kind's own fields as
//! [`super::Body`] documents them.
//!
//! Invariant: a file that was cut anywhere can be opened; after a failed write the next line begins with a newline, so
//! a torn line spoils only itself; a reader says which lines it skipped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddrV4;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Record;
use crate::protocol::{Facts, Roster, Settings, Timing};

/// The format's name in the first line of every session.
pub const FORMAT: &str = "hustings-session";
/// The format's version.
pub const VERSION: u32 = 1;
/// A longer line is skipped.
const LINE_BYTES_MAX: usize = 1 << 20;

/// The first line of a session; what watchers and nodes are told of the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The lab's id, 32 hex digits.
    pub lab_id: String,
    /// The lab's name.
    pub name: String,
    /// What the lab is about, in a sentence.
    pub about: String,
    /// The paper and the part of it that the lab is about, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The lab file's text.
    pub lab_file: String,
    /// The seed of the dice; beyond 2^53 it is written as a string, because not every JSON reader can hold such a
    /// number.
    #[serde(with = "wide")]
    pub seed: u64,
    /// How many nodes.
    pub nodes: u16,
    /// The lab's periods.
    pub timing: Timing,
    /// The algorithm's settings.
    pub settings: Settings,
    /// What the algorithm's Card says.
    pub facts: Facts,
    /// Node N is 127.0.0.1:base_port+N.
    pub base_port: u16,
    /// The multicast group, if the algorithm broadcasts.
    pub group: Option<SocketAddrV4>,
    /// The version of the program.
    pub build: String,
    /// Seconds since 1970 when the lab was made; 0 if it was simulated.
    pub wall_clock: u64,
    /// What made the records.
    #[serde(default, skip_serializing_if = "Origin::is_live")]
    pub origin: Origin,
    /// What a campaign drew the lab with: the lab file alone does not make it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
}

/// What a campaign drew a session with, besides the seed of the dice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Drawn {
    /// The seed of the run: of the network and the starts, and in a swarm of the faults.
    #[serde(with = "wide")]
    pub seed: u64,
    /// The command that plays it again.
    pub again: String,
}

impl Head {
    /// The lab's roster; `None` if no lab can have this number of nodes.
    pub fn roster(&self) -> Option<Roster> {
        Roster::ranked(self.nodes, self.facts.rank)
    }
}

/// What made a session's records.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Real processes.
    #[default]
    Live,
    /// The simulator, in virtual time.
    Simulated,
}

impl Origin {
    fn is_live(&self) -> bool {
        *self == Origin::Live
    }
}

/// Integers beyond 2^53 as strings.
mod wide {
    use serde::{Deserialize, Deserializer, Serializer, de};

    const EXACT_MAX: u64 = 1 << 53;

    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        if *number <= EXACT_MAX { serializer.serialize_u64(*number) } else { serializer.collect_str(number) }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(number),
            Written::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}

/// Writes a session.
#[derive(Debug)]
pub struct SessionWriter<W: Write = File> {
    file: W,
    path: PathBuf,
    torn: bool,
}

impl SessionWriter {
    /// Makes the file, readable by its owner only, and writes the head. An existing file, or a link in its place,
    /// is not touched: an error.
    pub fn create(path: &Path, head: &Head) -> io::Result<SessionWriter> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let mut writer = SessionWriter::over(file, path);
        let line = serde_json::to_string(head).expect("a head is plain data, and its maps have text keys");
        // A file without a head would only stand in the way of the next one.
        writer.write_line(&line).inspect_err(|_| drop(fs::remove_file(path)))?;
        Ok(writer)
    }

    /// Whether the file has been deleted: writes still succeed, but nobody will find them.
    pub fn is_deleted(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.nlink() == 0)
    }
}

impl<W: Write> SessionWriter<W> {
    /// Writes to an open file with this path; writes no head.
    pub fn over(file: W, path: &Path) -> SessionWriter<W> {
        SessionWriter { file, path: path.to_owned(), torn: false }
    }

    /// Where the session is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one record as one line. After an error the line may be torn; the next one starts afresh.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        self.write_line(&record.to_line())
    }

    /// The same, for a record that is already a line.
    pub fn write_line(&mut self, line: &str) -> io::Result<()> {
        let start = if self.torn { "\n" } else { "" };
        let text = format!("{start}{line}\n");
        let mut left = text.as_bytes();
        while !left.is_empty() {
            let error = match self.file.write(left) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(written) => {
                    left = &left[written..];
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            self.torn = true;
            // A line without its end can be read, so it must not count as lost.
            return if left.len() == 1 { Ok(()) } else { Err(error) };
        }
        self.torn = false;
        Ok(())
    }
}

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
