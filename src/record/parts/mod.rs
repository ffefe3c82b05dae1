//! The parts of a long session: `NAME.jsonl.zst`, then `NAME.1.jsonl.zst`, `NAME.2.jsonl.zst` and so on, each with a
//! first line of its own. The parts of a plain session are named alike, without `.zst`.
//!
//! Invariant: all parts that are written have the form that the first part's name says, and keep it. Whatever is read is
//! taken as what it is, not as what its name says: earlier builds compressed parts of plain sessions.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Deref;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::FirstLine;
use super::files::{FileFrom, regular};
use super::packed::{MAGIC, UnpackedText};
use super::session_stream::LINE_BYTES_MAX;

/// A part that has this many bytes of text is followed by another one. (Tests have short parts.)
pub const PART_BYTES: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
/// No part has more text: a line is written whole.
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

/// The form in which a session of this name is written.
pub(super) fn form_named(path: &Path) -> PartForm {
    let is_compressed = path.as_os_str().as_encoded_bytes().ends_with(COMPRESSED.as_bytes());
    if is_compressed { PartForm::Compressed } else { PartForm::Plain }
}

/// The path of a part of the session with this first part.
pub(super) fn path_of(first: &Path, part: u32) -> PathBuf {
    if part == 0 {
        return first.to_owned();
    }
    let plain = with_end(&stem_of(first), &format!(".{part}{PLAIN}"));
    if form_named(first) == PartForm::Plain { plain } else { with_end(&plain, COMPRESSED) }
}

/// Where the first part may be of the session to which a file of this name belongs, if it is this part of it; the
/// likeliest place first. There is none if no such part has this name.
pub(super) fn firsts(path: &Path, part: u32) -> Vec<PathBuf> {
    if part == 0 {
        return vec![path.to_owned()];
    }
    let plain = path.to_str().map(|text| text.strip_suffix(COMPRESSED).unwrap_or(text));
    let Some(stem) = plain.and_then(|plain| plain.strip_suffix(&format!(".{part}{PLAIN}"))) else { return Vec::new() };
    let ends = [PLAIN, "", ".jsonl.zst", COMPRESSED];
    ends.into_iter().map(|end| with_end(Path::new(stem), end)).collect()
}

/// The names in a directory, read once.
#[derive(Clone, Debug)]
pub(super) struct DirectoryNames {
    directory: PathBuf,
    /// Those that are text.
    names: BTreeSet<String>,
}

impl DirectoryNames {
    /// Those of this directory.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(directory: &Path) -> io::Result<DirectoryNames> {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(directory)? {
            names.extend(entry?.file_name().into_string());
        }
        Ok(DirectoryNames { directory: directory.to_owned(), names })
    }

    /// Those of the directory of this file; none if it cannot be read.
    pub fn beside(first: &Path) -> DirectoryNames {
        let directory = first.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let none = || DirectoryNames { directory: directory.to_owned(), names: BTreeSet::new() };
        DirectoryNames::read(directory).unwrap_or_else(|_| none())
    }

    /// The paths of the files that have the name of a session.
    pub fn sessions(&self) -> impl Iterator<Item = PathBuf> {
        let is_named_so = |name: &&String| name.ends_with(PLAIN) || name.ends_with(".jsonl.zst");
        self.names.iter().filter(is_named_so).map(|name| self.directory.join(name))
    }

    /// The numbers of the later parts of the session with this first part, lowest first.
    pub fn later(&self, first: &Path) -> BTreeSet<u32> {
        let stem = stem_of(first);
        let Some(stem) = stem.file_name().and_then(|name| name.to_str()) else { return BTreeSet::new() };
        let begin = format!("{stem}.");
        let number_of = |name: &String| -> Option<u32> {
            let (number, end) = name.strip_prefix(&begin)?.split_once(PLAIN)?;
            let part: u32 = number.parse().ok()?;
            (part > 0 && part.to_string() == number && ["", COMPRESSED, UNFINISHED].contains(&end)).then_some(part)
        };
        self.names.range(begin.clone()..).take_while(|name| name.starts_with(&begin)).filter_map(number_of).collect()
    }
}

/// The numbers of the later parts of the session with this first part, by the names in its directory, lowest first.
pub(super) fn later(first: &Path) -> BTreeSet<u32> {
    DirectoryNames::beside(first).later(first)
}

/// Whether this session, whose first file has no such name, is there: compressed, or in its later parts.
pub(super) fn are_there(first: &Path) -> bool {
    compressed(first).exists() || !later_of_missing(first).is_empty()
}

/// The files of the later parts of a session whose first part is not there, if this is a first part's name.
pub(super) fn later_of_missing(first: &Path) -> Vec<PathBuf> {
    let is_first = first.to_str().is_some_and(|name| name.ends_with(PLAIN) || name.ends_with(".jsonl.zst"));
    let parts = if is_first { later(first) } else { BTreeSet::new() };
    parts.into_iter().flat_map(|part| places_of(first, part)).filter(|path| is_later(path)).collect()
}

/// Whether this file is a later part of any session.
fn is_later(path: &Path) -> bool {
    let line = open(path).and_then(|file| first_line::<FirstLine>(&file, form_of(&file)?));
    line.is_ok_and(|line| line.is_some_and(|(line, _)| line.part > 0))
}

/// The files in which a part of the session with this first part may be.
pub(super) fn places_of(first: &Path, part: u32) -> Vec<PathBuf> {
    if part == 0 {
        return vec![first.to_owned()];
    }
    let plain = with_end(&stem_of(first), &format!(".{part}{PLAIN}"));
    vec![compressed(&plain), plain]
}

/// The form of what is in this file.
pub(super) fn form_of(file: &File) -> io::Result<PartForm> {
    let mut bytes = [0; MAGIC.len()];
    let read = file.read_at(&mut bytes, 0)?;
    Ok(form_beginning_with(&bytes[..read]))
}

/// The form of what begins with these bytes, or was cut there.
pub(super) fn form_beginning_with(bytes: &[u8]) -> PartForm {
    let is_compressed = !bytes.is_empty() && MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]);
    if is_compressed { PartForm::Compressed } else { PartForm::Plain }
}

/// The name of this plain file, if it was compressed.
pub(super) fn compressed(path: &Path) -> PathBuf {
    with_end(path, COMPRESSED)
}

/// Where an earlier build, if it died while it compressed a part, left what it had.
pub(super) fn unfinished(first: &Path, part: u32) -> PathBuf {
    with_end(&stem_of(first), &format!(".{part}{PLAIN}{UNFINISHED}"))
}

/// The session's path without what says the file's form.
pub(super) fn stem_of(first: &Path) -> PathBuf {
    let Some(text) = first.to_str() else { return first.to_owned() };
    let plain = text.strip_suffix(COMPRESSED).unwrap_or(text);
    PathBuf::from(plain.strip_suffix(PLAIN).unwrap_or(plain))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(end);
    PathBuf::from(text)
}

/// Opens a regular file. No link is followed, and no pipe is waited for.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
    regular(OpenOptions::new().read(true).custom_flags(flags).open(path)?)
}

/// The text of a part's file, whatever its form.
#[derive(Debug)]
pub(super) enum PartText<F> {
    /// Is that.
    Plain(FileFrom<F>),
    /// Is unpacked while it is read.
    Packed(UnpackedText<FileFrom<F>>),
}

impl<F: Deref<Target = File> + Clone> PartText<F> {
    /// The text of this file of this form, from its beginning on.
    pub fn new(file: F, form: PartForm) -> io::Result<PartText<F>> {
        let file = FileFrom::new(file, 0);
        Ok(match form {
            PartForm::Plain => PartText::Plain(file),
            PartForm::Compressed => PartText::Packed(UnpackedText::new(file)?),
        })
    }

    /// Why nothing of the part follows what was read, if something should.
    pub fn damage(&self) -> Option<&str> {
        match self {
            PartText::Plain(_) => None,
            PartText::Packed(text) => text.damage(),
        }
    }
}

impl<F: Deref<Target = File> + Clone> Read for PartText<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            PartText::Plain(text) => text.read(buffer),
            PartText::Packed(text) => text.read(buffer),
        }
    }
}

/// The first line of a part's file, and how many bytes it has with its end; `None` if it is not one.
pub(super) fn first_line<L: DeserializeOwned>(file: &File, form: PartForm) -> io::Result<Option<(L, u64)>> {
    let mut line = Vec::new();
    BufReader::new(PartText::new(file, form)?).take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line)?;
    let first = std::str::from_utf8(&line).ok().and_then(|line| serde_json::from_str(line).ok());
    Ok(first.map(|first| (first, line.len() as u64)))
}
