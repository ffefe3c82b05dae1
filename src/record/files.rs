//! Files of persons and places of the program: what is opened to be read, and the directories of what lasts.
//!
//! Invariant: nothing that a person names is waited for unless it is one of this process's own descriptors, such as
//! `/dev/stdin`, or `/dev/null`, which is empty; a directory that is made here is its owner's alone.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::ops::Deref;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;

/// What is no regular file, and is read all the same: where this process's own descriptors lie, and what is empty.
const READ_TOO: [&str; 4] = ["/dev/fd", "/proc/self/fd", "/dev/stdin", "/dev/null"];

/// A file from an offset on, which other readers of the file do not move.
#[derive(Clone, Debug)]
pub(super) struct FileFrom<F> {
    file: F,
    offset: u64,
}

impl<F> FileFrom<F> {
    pub fn new(file: F, offset: u64) -> FileFrom<F> {
        FileFrom { file, offset }
    }
}

impl<F: Deref<Target = File>> Read for FileFrom<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Opens a regular file to read it; one of this process's own descriptors whatever it is.
///
/// # Errors
/// The system refuses, or it is something else, such as a pipe or a device: that may never have an end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if READ_TOO.iter().any(|place| path.starts_with(place)) {
        return File::open(path);
    }
    // A pipe that nobody writes to is not waited for.
    let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path)?;
    regular(file)
}

/// This file, if it is a regular one.
///
/// # Errors
/// It is something else.
pub(super) fn regular(file: File) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    let why = match () {
        () if kind.is_file() => return Ok(file),
        () if kind.is_dir() => "it is a directory",
        () => "it is no regular file; to read out of a pipe, name /dev/stdin and send it there",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// Makes this directory, and those above it that are missing.
///
/// # Errors
/// The system refuses.
pub fn make_own_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_no_file_is_refused_at_once_unless_it_is_our_own_descriptor() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for (path, why) in [
            (pipe.as_path(), "it is no regular file; "),
            (Path::new("/dev/zero"), "it is no regular file; "),
            (place.path(), "it is a directory"),
        ] {
            let error = open_regular(path).unwrap_err().to_string();
            assert!(error.starts_with(why), "{}: {error}", path.display());
        }
        assert!(open_regular(Path::new("/dev/null")).is_ok(), "it is empty, and so has an end");
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"text").unwrap();
        drop(writer);
        let mut text = String::new();
        let own = format!("/proc/self/fd/{}", reader.as_raw_fd());
        open_regular(Path::new(&own)).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }

    #[test]
    fn a_directory_is_its_owners_alone_and_one_that_is_there_stays_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let below = place.path().join("above").join("below");
        make_own_directory(&below).unwrap();
        assert_eq!((mode(below.parent().unwrap()), mode(&below)), (0o700, 0o700));
        std::fs::set_permissions(&below, PermissionsExt::from_mode(0o755)).unwrap();
        make_own_directory(&below).unwrap();
        assert_eq!(mode(&below), 0o755);
    }
}
