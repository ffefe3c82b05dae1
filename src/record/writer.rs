//! Writes a session: the head, then one record a line, in causal order, line by line.
//!
//! Invariant: a file that is being written is locked, and the lock ends with the process; a file without its whole first
//! line is removed; what a failed write has left of a line is cut off, and if that fails too, the next line begins with a
//! newline, so that a torn line spoils only itself.

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

/// What a session is written to.
pub trait Cuttable: Write {
    /// Cuts it to so many bytes; what is written next follows them.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;
}

impl Cuttable for SessionFile {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.file().set_len(bytes)
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
pub struct SessionWriter<W: Cuttable = SessionFile> {
    file: W,
    path: PathBuf,
    first: Option<FirstLine>,
    /// How many bytes it has.
    bytes: u64,
    torn: bool,
}

impl SessionWriter {
    /// Makes the file, readable by its owner only, and writes its first line. If this fails, there is no such file; an
    /// existing file is not touched: an error.
    pub fn create(path: &Path, first: FirstLine) -> io::Result<SessionWriter> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
        let mut writer = SessionWriter::over(SessionFile::lock(file), path);
        let line = serde_json::to_string(&first).expect("a head is plain data, and its maps have text keys");
        if let Err(error) = writer.write_line(&line) {
            fs::remove_file(path)?;
            return Err(error);
        }
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

impl<W: Cuttable> SessionWriter<W> {
    /// Writes to an open file with this path; writes no head.
    pub fn over(file: W, path: &Path) -> SessionWriter<W> {
        SessionWriter { file, path: path.to_owned(), first: None, bytes: 0, torn: false }
    }

    /// Where the session is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one record as one line. After an error nothing of the line is left, or the next one starts afresh.
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
            // A line without its end can be read, so it must not count as lost.
            if left.len() == 1 {
                (self.torn, self.bytes) = (true, self.bytes + text.len() as u64 - 1);
                return Ok(());
            }
            let begun = text.len() - left.len();
            if begun > 0 && self.file.cut(self.bytes).is_err() {
                (self.torn, self.bytes) = (true, self.bytes + begun as u64);
            }
            return Err(error);
        }
        (self.torn, self.bytes) = (false, self.bytes + text.len() as u64);
        Ok(())
    }
}
