//! Writes a session: the head, then one record a line, in causal order, line by line.
//!
//! Invariant: a file that is being written is locked, and the lock ends with the process; after a failed write the next
//! line begins with a newline, so a torn line spoils only itself.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::{FirstLine, Record};

/// The file of a session, which nobody deletes to make room while it is open here.
#[derive(Debug)]
pub enum SessionFile {
    /// It is locked.
    Locked(Flock<File>),
    /// This file system has no locks: whoever wants to delete the file cannot have its lock either.
    Unlocked(File),
}

impl SessionFile {
    fn lock(file: File) -> SessionFile {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => SessionFile::Locked(locked),
            Err((file, _)) => SessionFile::Unlocked(file),
        }
    }

    fn file(&self) -> &File {
        match self {
            SessionFile::Locked(file) => file,
            SessionFile::Unlocked(file) => file,
        }
    }
}

impl Write for SessionFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Writes a session.
#[derive(Debug)]
pub struct SessionWriter<W: Write = SessionFile> {
    file: W,
    path: PathBuf,
    first: Option<FirstLine>,
    torn: bool,
}

impl SessionWriter {
    /// Makes the file, readable by its owner only, and writes its first line. An existing file is not touched: an error.
    pub fn create(path: &Path, first: FirstLine) -> io::Result<SessionWriter> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let mut writer = SessionWriter::over(SessionFile::lock(file), path);
        let line = serde_json::to_string(&first).expect("a head is plain data, and its maps have text keys");
        writer.write_line(&line)?;
        writer.first = Some(first);
        Ok(writer)
    }

    /// Begins the same session anew in the place of its file, which was deleted. A file that is there now is not touched:
    /// an error.
    pub fn begin_anew(&mut self) -> io::Result<()> {
        let first = self.first.clone().expect("a session that was created has a first line");
        *self = SessionWriter::create(&self.path, first)?;
        Ok(())
    }

    /// Whether the file has been deleted: writes still succeed, but nobody will find them.
    pub fn is_deleted(&self) -> bool {
        self.file.file().metadata().is_ok_and(|file| file.nlink() == 0)
    }
}

impl<W: Write> SessionWriter<W> {
    /// Writes to an open file with this path; writes no head.
    pub fn over(file: W, path: &Path) -> SessionWriter<W> {
        SessionWriter { file, path: path.to_owned(), first: None, torn: false }
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
