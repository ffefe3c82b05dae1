//! Writes a session: the head, then one record a line, in causal order, line by line. A long session goes on in parts.
//!
//! Invariant: a file that is being written is locked, and the lock ends with the process; a file without its whole first
//! line is removed; what a failed write has left of a line is cut off, and if that fails too, the next line begins with a
//! newline, so that a torn line spoils only itself.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::parts::{self, PART_BYTES, PART_BYTES_MAX, Packer};
use super::session::SESSION_BYTES_MAX;
use super::{FirstLine, Record};

/// The files of a session, which nobody deletes to make room while it is open here.
#[derive(Debug)]
pub struct SessionFile {
    /// It ends before the locks do.
    packer: Option<Packer>,
    /// The part that is written.
    file: LockedFile,
    /// The first part, while another one is written: its lock is that of the session.
    _first_file: Option<LockedFile>,
    /// The path of the first part.
    path: PathBuf,
    /// The first line of the part that is written.
    first: FirstLine,
}

#[derive(Debug)]
enum LockedFile {
    /// It is locked.
    Locked(Flock<File>),
    /// This file system has no locks: whoever wants to delete the file cannot have its lock either.
    Unlocked(File),
}

/// What a session is written to.
pub trait SessionGround: Write {
    /// Cuts it to so many bytes; what is written next follows them.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;

    /// Goes on in a new part if the present one has so many bytes that it is full. If it does: the bytes that the new
    /// part has already.
    fn turn(&mut self, bytes: u64) -> io::Result<Option<u64>>;
}

impl LockedFile {
    /// Makes a file that is not there yet, readable by its owner only.
    fn create(path: &Path) -> io::Result<LockedFile> {
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
        Ok(match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => LockedFile::Locked(locked),
            Err((file, _)) => LockedFile::Unlocked(file),
        })
    }

    fn file(&self) -> &File {
        match self {
            LockedFile::Locked(file) => file,
            LockedFile::Unlocked(file) => file,
        }
    }
}

impl SessionFile {
    /// Makes the file of a part, with its first line. If this fails, there is no such file. Returns its bytes too.
    fn begin_part(path: &Path, first: &FirstLine) -> io::Result<(LockedFile, u64)> {
        let file = LockedFile::create(&parts::path_of(path, first.part))?;
        let line = serde_json::to_string(first).expect("a head is plain data, and its maps have text keys") + "\n";
        if let Err(error) = file.file().write_all(line.as_bytes()) {
            fs::remove_file(parts::path_of(path, first.part))?;
            return Err(error);
        }
        Ok((file, line.len() as u64))
    }
}

impl SessionGround for SessionFile {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.file.file().set_len(bytes)
    }

    fn turn(&mut self, bytes: u64) -> io::Result<Option<u64>> {
        if bytes < PART_BYTES {
            return Ok(None);
        }
        let closed = self.first.part;
        if u64::from(closed + 1) * PART_BYTES_MAX >= SESSION_BYTES_MAX {
            return Err(io::Error::other("the session is as long as one may be"));
        }
        let first = FirstLine { part: closed + 1, ..self.first.clone() };
        let (file, bytes) = SessionFile::begin_part(&self.path, &first)?;
        let full = std::mem::replace(&mut self.file, file);
        self.first = first;
        if closed == 0 {
            self._first_file = Some(full);
        } else {
            if self.packer.is_none() {
                // Without one, parts stay as they are.
                self.packer = Packer::start().ok();
            }
            let packed = parts::path_of(&self.path, closed);
            self.packer.iter().for_each(|packer| packer.pack(packed.clone()));
        }
        Ok(Some(bytes))
    }
}

impl Write for SessionFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.file().flush()
    }
}

/// Writes a session.
#[derive(Debug)]
pub struct SessionWriter<W: SessionGround = SessionFile> {
    file: W,
    path: PathBuf,
    /// Which part is written.
    part: u32,
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
        let (file, bytes) = SessionFile::begin_part(path, &first)?;
        let file = SessionFile { packer: None, file, _first_file: None, path: path.to_owned(), first };
        Ok(SessionWriter { bytes, ..SessionWriter::over(file, path) })
    }

    /// Begins the part that is written anew in the place of its file, which was deleted. A file that is there now is not
    /// touched: an error.
    pub fn begin_anew(&mut self) -> io::Result<()> {
        (self.file.file, self.bytes) = SessionFile::begin_part(&self.path, &self.file.first)?;
        self.torn = false;
        Ok(())
    }

    /// Whether the file of the part that is written has been deleted: writes still succeed, but nobody will find them.
    pub fn is_deleted(&self) -> bool {
        self.file.file.file().metadata().is_ok_and(|file| file.nlink() == 0)
    }
}

impl<W: SessionGround> SessionWriter<W> {
    /// Writes to an open file with this path; writes no head.
    pub fn over(file: W, path: &Path) -> SessionWriter<W> {
        SessionWriter { file, path: path.to_owned(), part: 0, bytes: 0, torn: false }
    }

    /// Where the session is: the path of its first part.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which part is written, from 0.
    pub fn part(&self) -> u32 {
        self.part
    }

    /// Writes one record as one line. After an error nothing of the line is left, or the next one starts afresh.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        self.write_line(&record.to_line())
    }

    /// The same, for a record that is already a line.
    pub fn write_line(&mut self, line: &str) -> io::Result<()> {
        if let Some(bytes) = self.file.turn(self.bytes)? {
            (self.part, self.bytes, self.torn) = (self.part + 1, bytes, false);
        }
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
