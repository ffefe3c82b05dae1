//! How long sessions are kept. Those that a command recorded by itself are removed, oldest first, when there are too
//! many; those that a person recorded are never removed.
//!
//! Invariant: only a regular file of the given directory is removed, with a name that this program gives and a first
//! line that says that `run` or `simulate` made it, about which nobody has written a note, and only while nobody writes it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::parts::DirectoryNames;
use super::{FORMAT, ListedHead, MadeBy, notes, parts};
use nix::fcntl::{Flock, FlockArg};

/// How much is kept of what commands recorded by themselves.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Retention {
    /// At most so many sessions.
    pub sessions: usize,
    /// At most so many bytes of them together.
    pub bytes: u64,
}

impl Retention {
    /// What is kept unless a person wants it otherwise: 100 sessions and 1 GiB.
    pub const DEFAULT: Retention = Retention { sessions: 100, bytes: 1 << 30 };
}

/// The sessions that were removed.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Pruned {
    /// How many.
    pub count: usize,
    /// From which directory.
    pub directory: PathBuf,
    /// How much is kept.
    pub kept: Retention,
}

impl fmt::Display for Pruned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, directory) = (self.count, self.directory.display());
        let sessions = if count == 1 { "session" } else { "sessions" };
        let kept = self.kept.sessions;
        let bytes = match self.kept.bytes {
            bytes if bytes % (1 << 30) == 0 => format!("{} GiB", bytes >> 30),
            bytes => format!("{} MiB", bytes >> 20),
        };
        write!(
            f,
            "removed {count} old {sessions} of `run` and `simulate` from {directory}: at most {kept} of them are kept, \
             and {bytes}"
        )
    }
}

/// A session that a command recorded by itself.
struct PrunableSession {
    modified: SystemTime,
    path: PathBuf,
    bytes: u64,
}

/// Makes room for one more session, but spares these. A file that cannot be listed or removed does not matter.
pub(super) fn make_room(directory: &Path, kept: Retention, spared: &BTreeSet<PathBuf>) -> Option<Pruned> {
    let count = remove_surplus(directory, kept, spared, &mut |path| remove(path));
    (count > 0).then(|| Pruned { count, directory: directory.to_owned(), kept })
}

/// Removes in this way what must go to make room for one more session, but spares these. Returns how many it removed.
pub(super) fn remove_surplus(
    directory: &Path,
    limits: Retention,
    spared: &BTreeSet<PathBuf>,
    remove: &mut dyn FnMut(&Path) -> bool,
) -> usize {
    let is_directory = fs::symlink_metadata(directory).is_ok_and(|place| place.is_dir());
    let Some(names) = is_directory.then(|| DirectoryNames::read(directory).ok()).flatten() else { return 0 };
    let mut sessions: Vec<PrunableSession> = names.sessions().filter_map(|path| kept(path, &names)).collect();
    sessions.sort_by(|one, other| (one.modified, &one.path).cmp(&(other.modified, &other.path)));
    let (mut left, mut bytes) = (sessions.len(), sessions.iter().map(|session| session.bytes).sum::<u64>());
    let mut count = 0;
    for session in sessions {
        if left < limits.sessions && bytes <= limits.bytes {
            break;
        }
        if !spared.contains(&session.path) && remove(&session.path) {
            (left, bytes, count) = (left - 1, bytes - session.bytes, count + 1);
        }
    }
    count
}

/// Removes the session of this path with all its parts, if a command recorded it by itself and nobody writes it. Returns
/// whether it did.
pub(super) fn remove(path: &Path) -> bool {
    prunable(path).is_some_and(|(file, head)| delete(path, file, &head.lab_id).is_ok())
}

/// Deletes the session of this path, whose open first part this is, with all its parts and what was written about it.
///
/// # Errors
/// Somebody writes it, or the system refuses; nothing, or only later parts, were deleted.
pub(super) fn delete(path: &Path, file: File, lab_id: &str) -> io::Result<()> {
    let locked = locked(file)?;
    // The name may belong to another file meanwhile.
    let (there, file) = (fs::symlink_metadata(path)?, locked.metadata()?);
    if (there.dev(), there.ino()) != (file.dev(), file.ino()) {
        return Err(io::Error::other("another file has its name now"));
    }
    // The first part goes last: while a later one is there, it is found through the first.
    for (path, _) in later_files(path, lab_id, &DirectoryNames::beside(path)) {
        fs::remove_file(path)?;
    }
    let notes = notes::place_of(path);
    fs::remove_file(path)?;
    match fs::remove_file(notes) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Locks an open first part. Whoever writes a session holds its lock, and a process that has died holds none.
pub(super) fn locked(file: File) -> io::Result<Flock<File>> {
    Flock::lock(file, FlockArg::LockExclusiveNonblock)
        .map_err(|_| io::Error::new(io::ErrorKind::WouldBlock, "it is still being recorded"))
}

fn kept(path: PathBuf, names: &DirectoryNames) -> Option<PrunableSession> {
    let (file, head) = prunable(&path)?;
    let (mut modified, mut bytes) = (SystemTime::UNIX_EPOCH, 0);
    let later = later_files(&path, &head.lab_id, names).into_iter().map(|(_, metadata)| metadata);
    for metadata in later.chain([file.metadata().ok()?]) {
        (modified, bytes) = (modified.max(metadata.modified().ok()?), bytes + metadata.len());
    }
    Some(PrunableSession { modified, path, bytes })
}

/// The session's open first part and its head, if a command recorded it by itself.
fn prunable(path: &Path) -> Option<(File, ListedHead)> {
    let file = is_named_by_us(path).then(|| parts::open(path).ok()).flatten()?;
    let head = head_of(&file).ok()??;
    is_prunable(path, &head).then_some((file, head))
}

/// Whether a command recorded the session with this first part and this head by itself, and nobody has written a note
/// about it.
pub(super) fn is_prunable(path: &Path, head: &ListedHead) -> bool {
    let is_by_itself = matches!(head.made_by, Some(MadeBy::Run | MadeBy::Simulate)) && head.part == 0;
    // What somebody has written about is theirs.
    is_by_itself && is_named_by_us(path) && !notes::are_there(path)
}

pub(super) fn is_named_by_us(path: &Path) -> bool {
    named_time(path).is_some()
}

/// The head of an open part; `None` if it is a part of no session.
///
/// # Errors
/// It cannot be read.
pub(super) fn head_of(file: &File) -> io::Result<Option<ListedHead>> {
    let line = parts::first_line::<ListedHead>(file, parts::form_of(file)?)?;
    Ok(line.map(|(head, _)| head).filter(|head| head.format == FORMAT))
}

/// The files of the later parts of this lab's session, whatever their form.
pub(super) fn later_files(first: &Path, lab_id: &str, names: &DirectoryNames) -> Vec<(PathBuf, fs::Metadata)> {
    let is_of_session = |part: &u32| {
        parts::places_of(first, *part).into_iter().any(|path| {
            let head = parts::open(&path).ok().and_then(|file| head_of(&file).ok().flatten());
            head.is_some_and(|head| head.part == *part && head.lab_id == lab_id)
        })
    };
    let numbers = names.later(first).into_iter().filter(is_of_session);
    let files = numbers.flat_map(|part| [parts::places_of(first, part), vec![parts::unfinished(first, part)]].concat());
    let is_there = |path: PathBuf| {
        let metadata = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some((path, metadata))
    };
    files.filter_map(is_there).collect()
}

/// What a name that this program gave says of when the lab was made.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum NamedTime {
    /// At this second since 1970.
    Seconds(u64),
    /// Was simulated, so its file's time counts.
    OfFile,
}

/// The same of this file; `None` if this program did not give it its name. It gives `LAB-SECONDS-ID.jsonl.zst` and
/// `LAB-simulated-SEED-ID.jsonl.zst`, and with a number after the id where a person's session had the name. Earlier builds
/// gave them without `.zst`.
pub(super) fn named_time(path: &Path) -> Option<NamedTime> {
    let name = path.file_name()?.to_str()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_id = |text: &str| text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = name.strip_suffix(".zst").unwrap_or(name);
    let mut words = plain.strip_suffix(".jsonl")?.rsplit('-');
    let mut last = words.next()?;
    if is_number(last) && !is_id(last) {
        last = words.next()?;
    }
    let number = words.next().filter(|word| is_id(last) && is_number(word))?;
    match words.next()? {
        "" => None,
        "simulated" => Some(NamedTime::OfFile),
        _ => Some(number.parse().map_or(NamedTime::OfFile, NamedTime::Seconds)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::time::Duration;

    use super::*;
    use crate::{FirstLine, SessionWriter, sample};

    /// A session of this age.
    fn session(directory: &Path, age: usize, made_by: Option<MadeBy>) -> PathBuf {
        // Some of them are of earlier builds.
        let end = if age.is_multiple_of(2) { ".zst" } else { "" };
        let path = directory.join(format!("first-{age}-aabbccdd.jsonl{end}"));
        SessionWriter::create(&path, FirstLine { head: sample::head(), made_by, part: 0 }).unwrap();
        let made = SystemTime::UNIX_EPOCH + Duration::from_secs(age as u64);
        OpenOptions::new().write(true).open(&path).unwrap().set_modified(made).unwrap();
        path
    }

    #[test]
    fn what_a_person_recorded_stays_and_the_oldest_of_what_commands_recorded_go() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("sessions");
        fs::create_dir(&directory).unwrap();
        let persons = [session(&directory, 1, None), session(&directory, 2, Some(MadeBy::Up))];
        // A name that is not ours, a text that is not ours, and links to a session elsewhere.
        let elsewhere = session(place.path(), 3, Some(MadeBy::Run));
        let [named, notes, link] =
            ["mine.jsonl", "first-4-aabbccdd.jsonl", "first-5-aabbccdd.jsonl"].map(|name| directory.join(name));
        fs::copy(&elsewhere, &named).unwrap();
        fs::write(&notes, "{\"note\": 1}\n").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        let runs: Vec<PathBuf> = (10..115).map(|age| session(&directory, age, Some(MadeBy::Run))).collect();

        let pruned = make_room(&directory, Retention::DEFAULT, &BTreeSet::from([runs[1].clone()])).unwrap();
        assert_eq!((pruned.count, &pruned.directory), (6, &directory));
        for path in persons.iter().chain([&elsewhere, &named, &notes, &link]) {
            assert!(path.symlink_metadata().is_ok(), "{} is a person's", path.display());
        }
        let left: Vec<usize> = (0..runs.len()).filter(|place| runs[*place].exists()).collect();
        assert_eq!(left, [1].into_iter().chain(7..105).collect::<Vec<usize>>());
        assert_eq!(make_room(&directory, Retention::DEFAULT, &BTreeSet::new()), None, "there is room");
    }

    #[test]
    fn a_directory_that_is_a_link_keeps_all() {
        let place = tempfile::tempdir().unwrap();
        let (directory, link) = (place.path().join("sessions"), place.path().join("link"));
        fs::create_dir(&directory).unwrap();
        std::os::unix::fs::symlink(&directory, &link).unwrap();
        (10..115).for_each(|age| drop(session(&directory, age, Some(MadeBy::Run))));
        assert_eq!(make_room(&link, Retention::DEFAULT, &BTreeSet::new()), None);
    }

    #[test]
    fn a_session_that_is_being_written_stays_until_its_writer_ends() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("first-1-aabbccdd.jsonl.zst");
        let first = FirstLine { head: sample::head(), made_by: Some(MadeBy::Run), part: 0 };
        let writer = SessionWriter::create(&path, first).unwrap();
        assert!(!remove(&path) && path.exists());
        drop(writer);
        assert!(remove(&path) && !path.exists());
    }

    #[test]
    fn large_sessions_go_before_there_are_many() {
        let place = tempfile::tempdir().unwrap();
        let paths = [1, 2, 3].map(|age| session(place.path(), age, Some(MadeBy::Simulate)));
        let grow = |path: &PathBuf| {
            OpenOptions::new().write(true).open(path).unwrap().set_len(Retention::DEFAULT.bytes / 2).unwrap()
        };
        paths[..2].iter().for_each(grow);
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        OpenOptions::new().write(true).open(&paths[0]).unwrap().set_modified(old).unwrap();
        let pruned = make_room(place.path(), Retention::DEFAULT, &BTreeSet::new()).unwrap();
        assert_eq!((pruned.count, paths.map(|path| path.exists())), (1, [false, true, true]));
    }

    #[test]
    fn only_names_that_this_program_gives_are_its_own() {
        for name in [
            "first-1763628683-3f0a9c21.jsonl.zst",
            "first-1763628683-3f0a9c21.jsonl",
            "a-b-simulated-7-00000001.jsonl.zst",
            "_-simulated-7-00000001-12.jsonl",
        ] {
            assert!(is_named_by_us(Path::new(name)), "{name}");
        }
        for name in [
            "notes.jsonl",
            "first-1763628683-3f0a9c21.json",
            "-1-3f0a9c21.jsonl",
            "first-x-3f0a9c21.jsonl",
            "first-1-3f0a9c21.zst",
        ] {
            assert!(!is_named_by_us(Path::new(name)), "{name}");
        }
    }
}
