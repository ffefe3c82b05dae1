//! A file that a person named for a command's output.
//!
//! Invariant: what is there already is replaced only if that was asked for, and a link decides where only if it is this
//! user's own; after an error the file holds what it held before, or is not there.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

/// What happens to a file that is there already.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Existing {
    /// Stays, and the command fails.
    Kept,
    /// Is replaced as a whole.
    Replaced,
}

/// So many links lead on to each other at most.
const LINKS_MAX: usize = 40;

/// What is written into a file, when that is open.
pub type FileContent<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Writes this content into the file.
///
/// # Errors
/// The file is there and is kept, a link to it belongs to somebody else, the system refuses, or the content has an
/// error of its own; the file is unchanged.
pub fn write(path: &Path, existing: Existing, content: FileContent<'_>) -> io::Result<()> {
    if existing == Existing::Kept {
        return make(path, content).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => is_there(),
            _ => error,
        });
    }
    let place = led_to(path)?;
    if fs::symlink_metadata(&place).is_ok_and(|found| !found.is_file()) {
        // A pipe or a device cannot be replaced; a directory cannot be written either way.
        return content(&mut OpenOptions::new().write(true).open(&place)?);
    }
    let beside = beside(&place);
    make(&beside, content)?;
    fs::rename(&beside, &place).inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// Whether the file could be written now: what is to be written takes long to find out.
///
/// # Errors
/// As those of [`write`]; nothing is changed.
pub fn check(path: &Path, existing: Existing) -> io::Result<()> {
    let place = match existing {
        Existing::Kept if path.symlink_metadata().is_ok() => return Err(is_there()),
        Existing::Kept => path.to_owned(),
        Existing::Replaced => led_to(path)?,
    };
    if fs::symlink_metadata(&place).is_ok_and(|found| !found.is_file()) {
        return OpenOptions::new().write(true).open(&place).map(drop);
    }
    let beside = beside(&place);
    make(&beside, &mut |_| Ok(()))?;
    fs::remove_file(&beside)
}

fn is_there() -> io::Error {
    let why = "the file exists already; name a new file, or add --force to replace it";
    io::Error::new(ErrorKind::AlreadyExists, why)
}

/// Where the content of this file is written before it replaces what is there.
fn beside(place: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    place.with_file_name(name)
}

/// Writes a file that is not there; a link in its place counts as one that is. After an error it is not there again.
fn make(path: &Path, content: FileContent<'_>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    content(&mut file).inspect_err(|_| drop(fs::remove_file(path)))
}

/// Where the links lead that begin at this path, if all of them belong to this user.
fn led_to(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::symlink_metadata(&place) {
            Ok(found) if !found.is_symlink() => return Ok(place),
            Ok(link) if link.uid() == Uid::effective().as_raw() => {
                let next = fs::read_link(&place)?;
                place = place.parent().unwrap_or(Path::new("")).join(next);
            }
            Ok(_) => {
                let why = format!("{} is a link of another user; name a file of your own", place.display());
                return Err(io::Error::new(ErrorKind::PermissionDenied, why));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(place),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links lead on to each other; name the file itself"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write_text(path: &Path, text: &str, existing: Existing) -> io::Result<()> {
        write(path, existing, &mut |file| file.write_all(text.as_bytes()))
    }

    #[test]
    fn what_is_there_stays_unless_it_is_to_be_replaced_and_nothing_lies_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        write_text(&file, "first", Existing::Kept).unwrap();
        let refused = write_text(&file, "second", Existing::Kept).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        write_text(&file, "third", Existing::Replaced).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "third");
        assert!(write_text(place.path(), "fourth", Existing::Replaced).is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn ones_own_link_leads_on_and_a_link_in_the_place_of_a_new_file_does_not() {
        let place = tempfile::tempdir().unwrap();
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        symlink("file", &link).unwrap();
        assert_eq!(write_text(&link, "text", Existing::Kept).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert!(!file.exists());
        write_text(&link, "text", Existing::Replaced).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "text");
        let circle = place.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(write_text(&circle, "text", Existing::Replaced).is_err());
    }

    #[test]
    fn a_link_of_another_user_leads_nowhere() {
        // The links of /proc/self belong to the user itself; this one belongs to the superuser, and so cannot be tried
        // by the superuser, except on a link given away.
        let place = tempfile::tempdir().unwrap();
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        symlink(&file, &link).unwrap();
        let other = nix::unistd::Uid::from_raw(Uid::effective().as_raw() + 1);
        let link = if nix::unistd::fchownat(
            nix::fcntl::AT_FDCWD,
            &link,
            Some(other),
            None,
            nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW,
        )
        .is_ok()
        {
            link
        } else {
            PathBuf::from("/proc/self")
        };
        let refused = write_text(&link, "text", Existing::Replaced).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
        assert!(!file.exists() && refused.to_string().contains("another user"), "{refused}");
    }

    #[test]
    fn whether_a_file_could_be_written_is_known_before_and_nothing_is_left_of_the_question() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        for existing in [Existing::Kept, Existing::Replaced] {
            check(&file, existing).unwrap();
            assert!(check(Path::new("/proc/file"), existing).is_err());
            assert!(check(&place.path().join("none/file"), existing).is_err());
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        write_text(&file, "first", Existing::Kept).unwrap();
        assert_eq!(check(&file, Existing::Kept).unwrap_err().kind(), ErrorKind::AlreadyExists);
        check(&file, Existing::Replaced).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
    }

    #[test]
    fn a_device_takes_what_it_takes_and_stays() {
        let full = write_text(Path::new("/dev/full"), "text", Existing::Replaced).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::StorageFull);
        assert!(!fs::symlink_metadata("/dev/full").unwrap().is_file());
    }
}
