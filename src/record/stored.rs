//! A session on a disk: it is read from its beginning, or from a place in it, as often as somebody likes.
//!
//! Invariant: the file that was opened is the one that is read, whatever its name means later; what comes out of a pipe
//! is kept in a file without a name, up to a limit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::session::{SESSION_BYTES_MAX, Session, SessionEntry, SessionError, SessionStream};
use super::{Head, monotonic_nanos};

/// What does not come out of a file is not read beyond this.
const PIPE_BYTES_MAX: u64 = 256 << 20;

/// A session on a disk.
#[derive(Debug)]
pub struct StoredSession {
    file: File,
    head: Option<Head>,
}

/// A place in a session, before an entry.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct SessionPlace {
    lines: usize,
    bytes: u64,
}

/// The entries of a session from a place on.
#[derive(Debug)]
pub struct StoredEntries<'a> {
    stream: SessionStream<BufReader<FileFrom<'a>>>,
}

/// A file from an offset on, which other readers of the file do not move.
#[derive(Debug)]
struct FileFrom<'a> {
    file: &'a File,
    offset: u64,
}

impl StoredSession {
    /// Opens a session file. Of a pipe or a device everything is read now.
    ///
    /// # Errors
    /// It cannot be read, or is longer than any session.
    pub fn open(path: &Path) -> Result<StoredSession, SessionError> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let file = if metadata.is_file() { file } else { spooled(file)? };
        if metadata.len() > SESSION_BYTES_MAX {
            return Err(SessionError::TooLong { most: SESSION_BYTES_MAX, of: "file" });
        }
        let mut session = StoredSession { file, head: None };
        if let Some(SessionEntry::Head(head)) = session.entries().next_entry()? {
            session.head = Some(*head);
        }
        Ok(session)
    }

    /// All entries.
    pub fn entries(&self) -> StoredEntries<'_> {
        self.entries_from(SessionPlace { lines: 0, bytes: 0 })
    }

    /// The entries from this place on.
    pub fn entries_from(&self, place: SessionPlace) -> StoredEntries<'_> {
        let SessionPlace { lines, bytes } = place;
        let input = BufReader::with_capacity(1 << 16, FileFrom { file: &self.file, offset: bytes });
        StoredEntries { stream: SessionStream::behind(input, lines, bytes) }
    }
}

impl Session for StoredSession {
    fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError> {
        let mut entries = self.entries();
        while let Some(entry) = entries.next_entry()? {
            if take(entry).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl StoredEntries<'_> {
    /// The place of the next entry.
    pub fn place(&self) -> SessionPlace {
        let (lines, bytes) = self.stream.place();
        SessionPlace { lines, bytes }
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read any further, or is longer or worse than any session.
    pub fn next_entry(&mut self) -> Result<Option<SessionEntry>, SessionError> {
        self.stream.next_entry()
    }
}

impl Read for FileFrom<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// The content of a pipe, in a file that has no name.
fn spooled(pipe: File) -> Result<File, SessionError> {
    let path = std::env::temp_dir().join(format!("hustings-{}-{}", std::process::id(), monotonic_nanos()));
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    let copied = io::copy(&mut pipe.take(PIPE_BYTES_MAX + 1), &mut file)?;
    if copied > PIPE_BYTES_MAX {
        return Err(SessionError::TooLong { most: PIPE_BYTES_MAX, of: "out of a pipe" });
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, Record, sample};

    fn session(records: u64) -> String {
        let note =
            |number| Record { number, ..Record::of_host(0, Body::Note { text: "n".repeat(number as usize % 99) }) };
        let mut lines = vec![serde_json::to_string(&sample::head()).unwrap()];
        lines.extend((1..=records).map(|number| note(number).to_line()));
        lines.insert(3, "{".to_owned());
        lines.join("\n")
    }

    fn number(entry: &SessionEntry) -> Option<u64> {
        if let SessionEntry::Record(record) = entry { Some(record.number) } else { None }
    }

    #[test]
    fn every_place_leads_to_what_comes_after_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s.jsonl");
        fs::write(&path, session(40)).unwrap();
        let session = StoredSession::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let mut entries = session.entries();
        let mut places = Vec::new();
        loop {
            let place = entries.place();
            let Some(entry) = entries.next_entry().unwrap() else { break };
            places.push((place, format!("{entry:?}")));
        }
        assert_eq!(places.len(), 1 + 40 + 1);
        for (place, entry) in places.iter().rev() {
            assert_eq!(&format!("{:?}", session.entries_from(*place).next_entry().unwrap().unwrap()), entry);
        }
    }

    #[test]
    fn what_comes_out_of_a_pipe_can_be_gone_through_twice() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pipe");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let text = session(40);
        let writer = std::thread::spawn({
            let path = path.clone();
            move || fs::write(path, text).unwrap()
        });
        let session = StoredSession::open(&path).unwrap();
        writer.join().unwrap();
        for _ in 0..2 {
            let mut numbers = Vec::new();
            let all = &mut |entry: SessionEntry| {
                numbers.extend(number(&entry));
                ControlFlow::Continue(())
            };
            session.go_through(all).unwrap();
            assert_eq!(numbers, (1..=40).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn what_has_no_end_or_no_sense_is_read_up_to_a_limit() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s.jsonl");
        let open = |bytes: u64| {
            OpenOptions::new().write(true).create(true).truncate(false).open(&path).unwrap().set_len(bytes).unwrap();
            StoredSession::open(&path)
        };
        let all = |session: StoredSession| session.go_through(&mut |_| ControlFlow::Continue(()));
        assert_eq!(all(open(3 * super::super::LINE_BYTES_MAX as u64).unwrap()), Ok(()), "one line, too long");
        assert!(matches!(open(100 << 30), Err(SessionError::TooLong { most: SESSION_BYTES_MAX, .. })));
        let error = StoredSession::open(Path::new("/dev/zero")).unwrap_err();
        assert!(matches!(error, SessionError::TooLong { most: PIPE_BYTES_MAX, .. }), "{error}");
        fs::write(&path, "y\n".repeat(20_000)).unwrap();
        let error = all(StoredSession::open(&path).unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("more than 10000 of its lines cannot be read (line 10001: "), "{error}");
    }
}
