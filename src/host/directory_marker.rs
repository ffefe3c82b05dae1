//! Marks: which directories a lab made, and so may delete. A directory is a lab's if it has the lab's id as its name, is
//! this user's own, and has a file of ours in it with our word.
//!
//! Invariant: a directory without the mark is not touched, however old it is. A lab's directory has its mark before it
//! has its name.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;
use nix::unistd::Uid;

/// What a mark holds.
const WORD: &[u8] = b"a lab of hustings made this directory, and deletes it\n";
/// How many hex digits a lab's id has.
const ID_DIGITS: usize = 32;

/// Whether this is the name of a lab's directory: the lab's id.
pub fn is_lab_id(name: &OsStr) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.len() == ID_DIGITS && name.as_encoded_bytes().iter().all(is_digit)
}

/// Whether it is a directory of this user, and no link to one.
pub fn is_own_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == Uid::effective().as_raw())
}

/// Makes a file for a mark, without the word; it was not there before.
pub fn make(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a file that may be a mark.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)
}

/// Writes the word: from now on the directory is a lab's.
pub fn write_word(mut mark: &File) -> io::Result<()> {
    mark.write_all(WORD)
}

/// Whether the file holds the word, from where it is read next.
pub fn has_word(mark: &File) -> bool {
    let mut word = Vec::new();
    let is_file = mark.metadata().is_ok_and(|found| found.is_file());
    is_file && mark.take(WORD.len() as u64 + 1).read_to_end(&mut word).is_ok() && word == WORD
}
