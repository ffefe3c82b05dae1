//! Writes a session: the head, then one record a line, in causal order, line by line. A long session goes on in parts.
//! If its name ends with `.zst`, what goes to the file is compressed, line by line too.
//!
//! Invariant: a file that is being written is locked, and the lock ends with the process; a file without its whole first
//! line is removed; what a failed write has left of a line is cut off. If that fails too, a torn line spoils only itself:
//! in a plain file the next line begins with a newline, and a compressed session goes on in a new part.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::files::make_own_directory;
use super::packed::{LinePacker, packed_alone};
use super::parts::{self, PART_BYTES, PART_BYTES_MAX, PartForm};
use super::session_stream::SESSION_BYTES_MAX;
use super::{FirstLine, Record};

/// The files of a session, which nobody deletes to make room while it is open here.
#[derive(Debug)]
pub struct SessionFile {
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
    /// Is locked.
    Locked(Flock<File>),
    /// This file system has no locks: whoever wants to delete the file cannot have its lock either.
    Unlocked(File),
}

/// What a session is written to.
pub trait SessionOutput: Write {
    /// Cuts it to so many bytes; what is written next follows them.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;

    /// Goes on in a new part: what that has already. After an error the present part can still be written.
    fn begin_next_part(&mut self) -> io::Result<PartSize>;
}

/// How much a part has.
#[derive(Copy, Clone, Eq, PartialEq, Default, Debug)]
pub struct PartSize {
    /// The text, in bytes.
    pub text: u64,
    /// The file, in bytes.
    pub file: u64,
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
    /// Makes the file of a part, with its first line. If this fails, there is no such file.
    fn begin_part(path: &Path, first: &FirstLine) -> io::Result<(LockedFile, PartSize)> {
        let line = serde_json::to_string(first).expect("a head is plain data, and its maps have text keys") + "\n";
        let text = line.len() as u64;
        let bytes = match parts::form_named(path) {
            PartForm::Plain => line.into_bytes(),
            PartForm::Compressed => packed_alone(line.as_bytes())?,
        };
        let file = LockedFile::create(&parts::path_of(path, first.part))?;
        if let Err(error) = file.file().write_all(&bytes) {
            fs::remove_file(parts::path_of(path, first.part))?;
            return Err(error);
        }
        Ok((file, PartSize { text, file: bytes.len() as u64 }))
    }
}

impl SessionOutput for SessionFile {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.file.file().set_len(bytes)
    }

    fn begin_next_part(&mut self) -> io::Result<PartSize> {
        let closed = self.first.part;
        if u64::from(closed + 1) * PART_BYTES_MAX >= SESSION_BYTES_MAX {
            return Err(io::Error::other("the session is as long as one may be"));
        }
        let first = FirstLine { part: closed + 1, ..self.first.clone() };
        let (file, size) = SessionFile::begin_part(&self.path, &first)?;
        let full = std::mem::replace(&mut self.file, file);
        self.first = first;
        if closed == 0 {
            self._first_file = Some(full);
        }
        Ok(size)
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
pub struct SessionWriter<W: SessionOutput = SessionFile> {
    file: W,
    path: PathBuf,
    /// Which part is written.
    part: u32,
    /// What it has, without what a failed write has left.
    size: PartSize,
    last: LastLine,
    /// Absent if the session is plain.
    packer: Option<LinePacker>,
}

/// What a failed write has left of the last line, if it could not be cut off.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum LastLine {
    /// Nothing, or the line has its end.
    Whole,
    /// The line lacks its end.
    Torn,
}

impl SessionWriter {
    /// Makes the file, readable by its owner only, and writes its first line. If this fails, there is no such file; an
    /// existing file is not touched: an error.
    pub fn create(path: &Path, first: FirstLine) -> io::Result<SessionWriter> {
        if let Some(directory) = path.parent() {
            make_own_directory(directory)?;
        }
        let (file, size) = SessionFile::begin_part(path, &first)?;
        let mut writer =
            SessionWriter::over(SessionFile { file, _first_file: None, path: path.to_owned(), first }, path);
        writer.begin(size);
        Ok(writer)
    }

    /// Begins the part that is written anew in the place of its file, which was deleted. A file that is there now is not
    /// touched: an error.
    pub fn begin_anew(&mut self) -> io::Result<()> {
        let (file, size) = SessionFile::begin_part(&self.path, &self.file.first)?;
        self.file.file = file;
        self.begin(size);
        Ok(())
    }

    /// Whether the file of the part that is written has been deleted: writes still succeed, but nobody will find them.
    pub fn is_deleted(&self) -> bool {
        self.file.file.file().metadata().is_ok_and(|file| file.nlink() == 0)
    }
}

impl<W: SessionOutput> SessionWriter<W> {
    /// Writes to an open file with this path, in the form that its name says; writes no head.
    pub fn over(file: W, path: &Path) -> SessionWriter<W> {
        let packer = match parts::form_named(path) {
            PartForm::Plain => None,
            PartForm::Compressed => Some(LinePacker::default()),
        };
        let size = PartSize::default();
        SessionWriter { file, path: path.to_owned(), part: 0, size, last: LastLine::Whole, packer }
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
        let is_spoiled = self.last == LastLine::Torn && self.packer.is_some();
        if is_spoiled || self.size.text >= PART_BYTES {
            self.end_stream();
            let size = self.file.begin_next_part()?;
            self.part += 1;
            self.begin(size);
        }
        let start = if self.last == LastLine::Torn { "\n" } else { "" };
        let text = format!("{start}{line}\n");
        let Some(packer) = &mut self.packer else { return self.put(text.as_bytes(), text.as_bytes()) };
        let put = match packer.pack(text.as_bytes()) {
            Ok(bytes) => self.put(&bytes, text.as_bytes()),
            Err(error) => Err(error),
        };
        let packer = self.packer.as_mut().expect("it was there above");
        if put.is_ok() {
            packer.kept()
        } else {
            packer.lost()
        }
        put
    }

    /// What follows is the lab's end: whoever reads the end alone needs nothing of what comes before it.
    pub fn begin_last(&mut self) {
        self.end_stream();
    }

    /// A part has just been begun, with this in it.
    fn begin(&mut self, size: PartSize) {
        (self.size, self.last) = (size, LastLine::Whole);
        self.packer = self.packer.as_ref().map(|_| LinePacker::default());
    }

    /// Ends the compressed stream, for those who read it by other means than this program. It can be done without.
    fn end_stream(&mut self) {
        let ending = self.packer.as_ref().map_or(&[][..], LinePacker::ending);
        if self.last == LastLine::Whole && self.put(ending, &[]).is_ok() {
            self.packer = self.packer.as_ref().map(|_| LinePacker::default());
        }
    }

    /// Writes these bytes, which hold this text.
    fn put(&mut self, bytes: &[u8], text: &[u8]) -> io::Result<()> {
        let mut left = bytes;
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
            // A line without its end can be read, so it must not count as lost. (What is compressed may hold it as it is.)
            let is_readable = left.len() == 1 && !text.is_empty() && bytes.ends_with(text);
            let stays = is_readable && self.packer.is_none();
            let begun = (bytes.len() - left.len()) as u64;
            if begun > 0 && (stays || self.file.cut(self.size.file).is_err()) {
                self.last = LastLine::Torn;
                self.size = PartSize { text: self.size.text + begun, file: self.size.file + begun };
                if is_readable {
                    return Ok(());
                }
            }
            return Err(error);
        }
        self.last = LastLine::Whole;
        self.size = PartSize { text: self.size.text + text.len() as u64, file: self.size.file + bytes.len() as u64 };
        Ok(())
    }
}

impl<W: SessionOutput> Drop for SessionWriter<W> {
    fn drop(&mut self) {
        self.end_stream();
    }
}
