//! The parts of a long session: `NAME.jsonl`, then `NAME.1.jsonl`, `NAME.2.jsonl` and so on, each with a first line of
//! its own. A part between the first and the last is compressed in the end: `NAME.1.jsonl.zst`.
//!
//! Invariant: a part is there in one form or the other at any moment, whole; the first part is never compressed, so the
//! name that a person was told stays.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use super::FirstLine;
use super::session::LINE_BYTES_MAX;

/// A part that has this many bytes is followed by another one.
pub const PART_BYTES: u64 = 64 << 20;
/// No part has more: a line is written whole.
pub const PART_BYTES_MAX: u64 = PART_BYTES + LINE_BYTES_MAX as u64 + 1;

const PLAIN: &str = ".jsonl";
const COMPRESSED: &str = ".zst";
const UNFINISHED: &str = ".zst.tmp";

/// The form of a part's file.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum PartForm {
    /// Text.
    Plain,
    /// Compressed text.
    Compressed,
}

/// The path of a part of the session with this first part.
pub(super) fn path_of(first: &Path, part: u32) -> PathBuf {
    if part == 0 { first.to_owned() } else { with_end(&stem_of(first), &format!(".{part}{PLAIN}")) }
}

/// The first part of the session to which a file of this name belongs, if it is this part of it.
pub(super) fn first_of(path: &Path, part: u32) -> Option<PathBuf> {
    let text = path.to_str()?;
    let plain = text.strip_suffix(COMPRESSED).unwrap_or(text);
    if part == 0 {
        return Some(PathBuf::from(plain));
    }
    let stem = plain.strip_suffix(&format!(".{part}{PLAIN}"))?;
    let bare = PathBuf::from(stem);
    Some(if bare.is_file() { bare } else { PathBuf::from(format!("{stem}{PLAIN}")) })
}

/// The numbers of the later parts of the session with this first part, by the names in its directory, lowest first.
pub(super) fn later(first: &Path) -> BTreeSet<u32> {
    let stem = stem_of(first);
    let name = stem.file_name().and_then(|name| name.to_str());
    let directory = first.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let number_of = |of: &OsStr| -> Option<u32> {
        let (number, end) = of.to_str()?.strip_prefix(name?)?.strip_prefix('.')?.split_once(PLAIN)?;
        let part: u32 = number.parse().ok()?;
        (part > 0 && part.to_string() == number && ["", COMPRESSED, UNFINISHED].contains(&end)).then_some(part)
    };
    entries.filter_map(|entry| number_of(&entry.file_name())).collect()
}

/// The files in which a part of the session with this first part may be.
pub(super) fn forms(first: &Path, part: u32) -> [(PathBuf, PartForm); 2] {
    let plain = path_of(first, part);
    let compressed = compressed(&plain);
    [(plain, PartForm::Plain), (compressed, PartForm::Compressed)]
}

/// The form of a file of this name.
pub(super) fn form_of(path: &Path) -> PartForm {
    let is_compressed = path.to_str().is_some_and(|path| path.ends_with(COMPRESSED));
    if is_compressed { PartForm::Compressed } else { PartForm::Plain }
}

/// Where this part is once it is compressed.
pub(super) fn compressed(path: &Path) -> PathBuf {
    with_end(path, COMPRESSED)
}

/// Where this part is while it is being compressed.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    with_end(path, UNFINISHED)
}

fn stem_of(first: &Path) -> PathBuf {
    let stem = first.to_str().and_then(|text| text.strip_suffix(PLAIN));
    stem.map_or_else(|| first.to_owned(), PathBuf::from)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(end);
    PathBuf::from(text)
}

/// Opens a regular file. No link is followed, and no pipe is waited for.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

/// The text of a file of this form.
pub(super) fn content<'a>(file: impl Read + 'a, form: PartForm) -> io::Result<Box<dyn Read + 'a>> {
    Ok(match form {
        PartForm::Plain => Box::new(file),
        PartForm::Compressed => Box::new(zstd::Decoder::new(file)?),
    })
}

/// The first line of a part, and how many bytes it has with its end; `None` if it is not one.
pub(super) fn first_line(content: impl Read) -> io::Result<Option<(FirstLine, u64)>> {
    let mut line = Vec::new();
    BufReader::new(content).take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line).ok().map(|first| (first, line.len() as u64)))
}

/// Compresses parts on a thread of its own. Dropping it waits until all are compressed.
#[derive(Debug)]
pub(super) struct Packer {
    parts: Option<Sender<PathBuf>>,
    thread: Option<JoinHandle<()>>,
}

impl Packer {
    /// A packer that has nothing to do.
    pub fn start() -> io::Result<Packer> {
        let (parts, paths) = mpsc::channel::<PathBuf>();
        let work = move || {
            for path in paths {
                // A part that cannot be compressed stays as it is.
                if pack(&path).is_err() {
                    let _ = fs::remove_file(unfinished(&path));
                }
            }
        };
        let thread = thread::Builder::new().name("packer".into()).spawn(work)?;
        Ok(Packer { parts: Some(parts), thread: Some(thread) })
    }

    /// Compresses this part, to which nothing is written any more.
    pub fn pack(&self, path: PathBuf) {
        // Without its thread, the part stays as it is.
        let _ = self.parts.as_ref().map(|parts| parts.send(path));
    }
}

impl Drop for Packer {
    fn drop(&mut self) {
        drop(self.parts.take());
        // If it panicked, its last part stays as it is.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn pack(path: &Path) -> io::Result<()> {
    let unfinished = unfinished(path);
    let into = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    zstd::stream::copy_encode(File::open(path)?, &into, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    into.sync_all()?;
    fs::rename(&unfinished, compressed(path))?;
    fs::remove_file(path)
}
