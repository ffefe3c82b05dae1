//! The sessions that lie in the default place: which there are, and what a person does with one of them.
//!
//! Invariant: a session is its first part with all later ones and the notes beside them; they are renamed and deleted
//! together, and never while somebody writes them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use super::destination::state_directory;
use super::last_record::last_record;
use super::parts::{self, DirectoryNames};
use super::retention::{self, Retention, later_files};
use super::{Body, LabOutcome, ListedHead, notes};

/// What a session's name gets at its end when a person keeps it: no command gives such a name.
const KEPT_END: &str = "-kept";
/// Fewer files are not worth another thread.
const FILES_OF_A_THREAD: usize = 64;

/// The sessions of a directory.
#[derive(Debug, Default)]
pub struct SessionDirectory {
    /// The newest first.
    pub sessions: Vec<KeptSession>,
    /// The files that are named as sessions are and cannot be read, and why.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

/// A session in the default place.
#[derive(Clone, Debug)]
pub struct KeptSession {
    /// The first part.
    pub path: PathBuf,
    /// What its first line says.
    pub head: ListedHead,
    /// When it was written last.
    pub modified: SystemTime,
    /// The bytes of all its parts.
    pub bytes: u64,
    last_part: PathBuf,
    /// Whether the numbers of its parts are those of all parts.
    has_all_parts: bool,
}

/// What the end of a session's file tells.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum SessionEnding {
    /// The lab ended at this stamp, with this outcome.
    Ended(i64, LabOutcome),
    /// The lab still runs: somebody writes the session.
    Running,
    /// Does not tell: the session was cut, lacks a part, or is of a build that did not write the outcome there.
    Untold,
}

/// Whether sessions are really removed.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Pruning {
    Done,
    /// Is only told which would be.
    Told,
}

/// The sessions of the default place. Files that are none are passed over.
///
/// # Errors
/// The directory is there and cannot be read.
pub fn kept_sessions() -> io::Result<SessionDirectory> {
    sessions_in(&state_directory())
}

/// Removes the sessions that the next `run` or `simulate` would remove to make room where so much is kept, or tells
/// which these are. Returns them, the oldest first.
pub fn prune(kept: Retention, pruning: Pruning) -> Vec<PathBuf> {
    let mut gone = Vec::new();
    retention::remove_surplus(&state_directory(), kept, &BTreeSet::new(), &mut |path| {
        let is_gone = pruning == Pruning::Told || retention::remove(path);
        if is_gone {
            gone.push(path.to_owned());
        }
        is_gone
    });
    gone
}

pub(super) fn sessions_in(directory: &Path) -> io::Result<SessionDirectory> {
    let names = match DirectoryNames::read(directory) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SessionDirectory::default()),
        Err(error) => return Err(error),
    };
    let paths: Vec<PathBuf> = names.sessions().collect();
    let mut shelf = SessionDirectory::default();
    for (path, read) in paths.iter().zip(in_threads(&paths, |path| KeptSession::at(path, &names))) {
        match read {
            Ok(session) => shelf.sessions.extend(session),
            Err(error) => shelf.unreadable.push((path.clone(), error)),
        }
    }
    shelf.sessions.sort_by(|one, other| other.age_order().cmp(&one.age_order()));
    Ok(shelf)
}

/// Does this with each of them, in as many threads as this computer has processors. Returns what came of each.
pub fn in_threads<T: Sync, R: Send>(all: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(all.len() / FILES_OF_A_THREAD + 1);
    let act = &act;
    thread::scope(|scope| {
        let shares = all.chunks(all.len().div_ceil(threads).max(1));
        let shares: Vec<_> =
            shares.map(|share| scope.spawn(move || share.iter().map(act).collect::<Vec<R>>())).collect();
        let came =
            shares.into_iter().map(|share| share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        came.flatten().collect()
    })
}

impl KeptSession {
    /// The session with this first part; `None` if it is none.
    pub(super) fn at(path: &Path, names: &DirectoryNames) -> io::Result<Option<KeptSession>> {
        let file = match parts::open(path) {
            Ok(file) => file,
            // A link, a directory or a pipe is no session of this place; nor is what has gone meanwhile.
            Err(error) if is_no_session(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(head) = retention::head_of(&file)?.filter(|head| head.part == 0) else { return Ok(None) };
        let metadata = file.metadata()?;
        let (mut modified, mut bytes) = (metadata.modified()?, metadata.len());
        let (mut last_part, mut has_all_parts) = (path.to_owned(), true);
        let numbers = names.later(path);
        if !numbers.is_empty() {
            for (later, metadata) in later_files(path, &head.lab_id, names) {
                (modified, bytes) = (modified.max(metadata.modified()?), bytes + metadata.len());
                last_part = later;
            }
            has_all_parts = numbers.iter().copied().eq(1..=numbers.len() as u32);
        }
        Ok(Some(KeptSession { path: path.to_owned(), head, modified, bytes, last_part, has_all_parts }))
    }

    /// When its lab was made, in seconds since 1970; of a simulated one, which has no such time, when its file was
    /// written.
    pub fn made(&self) -> u64 {
        match self.head.wall_clock {
            0 => self.modified.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            made => made,
        }
    }

    /// Of two sessions, the newer one has the greater.
    pub(super) fn age_order(&self) -> (u64, SystemTime, &Path) {
        (self.made(), self.modified, &self.path)
    }

    /// What its end tells.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn ending(&self) -> io::Result<SessionEnding> {
        let file = parts::open(&self.last_part)?;
        let last = last_record(&file, parts::form_of(&file)?)?;
        Ok(match last.map(|record| (record.at, record.body)) {
            Some((at, Body::Ended { outcome: Some(outcome), .. })) if self.has_all_parts => {
                SessionEnding::Ended(at, outcome)
            }
            Some((_, Body::Ended { .. })) => SessionEnding::Untold,
            _ if self.is_being_written()? => SessionEnding::Running,
            _ => SessionEnding::Untold,
        })
    }

    /// Whether somebody writes it: the lock was taken before its first line was written.
    fn is_being_written(&self) -> io::Result<bool> {
        // Others may look at the same time.
        match Flock::lock(parts::open(&self.path)?, FlockArg::LockSharedNonblock) {
            Ok(_) => Ok(false),
            Err((_, error)) => Ok(error == Errno::EWOULDBLOCK),
        }
    }

    /// The name: that of its file, without what says the file's form.
    pub fn name(&self) -> String {
        let stem = parts::stem_of(&self.path);
        stem.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// How long ago its lab was made, in words: `3 min`.
    pub fn age(&self) -> String {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        match now.as_secs().saturating_sub(self.made()) {
            age @ 0..60 => format!("{age} s"),
            age @ 60..3_600 => format!("{} min", age / 60),
            age @ 3_600..172_800 => format!("{} h", age / 3_600),
            age => format!("{} days", age / 86_400),
        }
    }

    /// The bytes in words: `45 kB`.
    pub fn size(&self) -> String {
        match self.bytes {
            bytes @ 0..10_000 => format!("{bytes} B"),
            bytes @ 10_000..10_000_000 => format!("{} kB", bytes / 1_000),
            bytes => format!("{} MB", bytes / 1_000_000),
        }
    }

    /// Whether a command recorded it by itself, so that it is removed when there are too many.
    pub fn is_prunable(&self) -> bool {
        retention::is_prunable(&self.path, &self.head)
    }

    /// Deletes it.
    ///
    /// # Errors
    /// Somebody writes it, or the system refuses; nothing, or only later parts, were deleted.
    pub fn forget(&self) -> io::Result<()> {
        retention::delete(&self.path, parts::open(&self.path)?, &self.head.lab_id)
    }

    /// Gives it a name that no command gives, so that it is never removed to make room. Returns its new path.
    ///
    /// # Errors
    /// Somebody writes it, the new name is taken, or the system refuses; what was renamed has its old name again.
    pub fn keep(&self) -> io::Result<PathBuf> {
        let _locked = retention::locked(parts::open(&self.path)?)?;
        let renamed = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str())?;
            let old = self.name();
            Some(path.with_file_name(format!("{old}{KEPT_END}{}", name.strip_prefix(&old)?)))
        };
        let names = DirectoryNames::beside(&self.path);
        let files = later_files(&self.path, &self.head.lab_id, &names).into_iter().map(|(path, _)| path);
        let mut done: Vec<(PathBuf, PathBuf)> = Vec::new();
        let notes = Some(notes::place_of(&self.path)).filter(|notes| notes.symlink_metadata().is_ok());
        for path in files.chain(notes).chain([self.path.clone()]) {
            let Some(new) = renamed(&path) else { continue };
            let moved = if new.symlink_metadata().is_ok() {
                Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} is there already", new.display())))
            } else {
                fs::rename(&path, &new)
            };
            if let Err(error) = moved {
                done.iter().rev().for_each(|(old, new)| drop(fs::rename(new, old)));
                return Err(error);
            }
            done.push((path, new));
        }
        Ok(done.pop().map_or_else(|| self.path.clone(), |(_, new)| new))
    }
}

fn is_no_session(error: &io::Error) -> bool {
    let is_link = error.raw_os_error() == Some(Errno::ELOOP as i32);
    is_link || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FirstLine, Head, MadeBy, Record, Recorder, SessionWriter, sample};

    fn made(place: &Path, name: &str, made_by: Option<MadeBy>) -> PathBuf {
        let path = place.join(name);
        let head = Head { name: name.to_owned(), ..sample::head() };
        drop(SessionWriter::create(&path, FirstLine { head, made_by, part: 0 }).unwrap());
        path
    }

    const OURS: &str = "first-1763628683-aabbccdd.jsonl.zst";

    #[test]
    fn sessions_are_listed_and_other_files_are_not() {
        let place = tempfile::tempdir().unwrap();
        assert!(sessions_in(&place.path().join("none")).unwrap().sessions.is_empty());
        made(place.path(), OURS, Some(MadeBy::Run));
        made(place.path(), "lesson.jsonl", None);
        fs::write(place.path().join("notes.jsonl"), "no session\n").unwrap();
        fs::write(place.path().join("notes.txt"), "no session\n").unwrap();
        let listed = sessions_in(place.path()).unwrap().sessions;
        let mut names: Vec<(String, bool)> =
            listed.iter().map(|session| (session.name(), session.is_prunable())).collect();
        names.sort();
        assert_eq!(names, [("first-1763628683-aabbccdd".to_owned(), true), ("lesson".to_owned(), false)]);
        assert!(listed.iter().all(|session| session.bytes > 0));
    }

    #[test]
    fn the_newest_lab_is_first_whenever_its_file_was_touched() {
        let place = tempfile::tempdir().unwrap();
        // When each was made, and when its file was written last.
        for (name, wall_clock, written) in [("c", 300, 10), ("a", 100, 900), ("b", 200, 20), ("simulated", 0, 250)] {
            let path = place.path().join(format!("{name}.jsonl.zst"));
            let head = Head { wall_clock, ..sample::head() };
            drop(SessionWriter::create(&path, FirstLine { head, made_by: None, part: 0 }).unwrap());
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(written)).unwrap();
        }
        let listed = sessions_in(place.path()).unwrap().sessions;
        assert_eq!(listed.iter().map(KeptSession::name).collect::<Vec<_>>(), ["c", "simulated", "b", "a"]);
    }

    /// A session whose lab ends, unless it is to run on.
    fn recorded(place: &Path, name: &str, ended: Option<LabOutcome>) -> Recorder {
        let first = FirstLine { head: sample::head(), made_by: None, part: 0 };
        let mut recorder = Recorder::new(Some(SessionWriter::create(&place.join(name), first).unwrap()));
        let note = |number, text: &str| Record { number, ..Record::of_host(0, Body::Note { text: text.repeat(900) }) };
        for number in 1..9 {
            assert_eq!(recorder.write(&note(number, "n")), None);
        }
        if ended.is_some() {
            let body = Body::Ended { why: "its steps are finished".into(), outcome: ended };
            assert_eq!(recorder.write(&Record { number: 9, ..Record::of_host(7_000, body) }), None);
        }
        recorder
    }

    #[test]
    fn the_end_of_a_file_tells_what_came_out_and_nothing_else_is_read() {
        let outcome = LabOutcome { met: 7, violations: 1, missing: 3, ..LabOutcome::default() };
        for end in ["jsonl", "jsonl.zst"] {
            let place = tempfile::tempdir().unwrap();
            drop(recorded(place.path(), &format!("ended.{end}"), Some(outcome)));
            drop(recorded(place.path(), &format!("cut.{end}"), None));
            let running = recorded(place.path(), &format!("running.{end}"), None);
            let listed = sessions_in(place.path()).unwrap().sessions;
            let ending = |name: &str| listed.iter().find(|session| session.name() == name).unwrap().ending().unwrap();
            assert_eq!(ending("ended"), SessionEnding::Ended(7_000, outcome));
            assert_eq!((ending("cut"), ending("running")), (SessionEnding::Untold, SessionEnding::Running));
            drop(running);
            assert_eq!(ending("running"), SessionEnding::Untold);
            // What lies between the beginning and the end may be anything.
            let path = place.path().join(format!("ended.{end}"));
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() - 600;
            bytes[middle - 40..middle].fill(0);
            fs::write(&path, bytes).unwrap();
            assert_eq!(ending("ended"), SessionEnding::Ended(7_000, outcome));
            fs::remove_file(&path).unwrap();
            let ended = listed.iter().find(|session| session.name() == "ended").unwrap();
            assert_eq!(ended.ending().unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }

    #[test]
    fn an_end_does_not_tell_for_a_part_that_is_missing() {
        let place = tempfile::tempdir().unwrap();
        let outcome = Some(LabOutcome::default());
        drop(recorded(place.path(), "s.jsonl", outcome));
        let line = serde_json::to_string(&FirstLine { head: sample::head(), made_by: None, part: 2 }).unwrap();
        let ended = Record { number: 90, ..Record::of_host(9, Body::Ended { why: String::new(), outcome }) }.to_line();
        fs::write(place.path().join("s.2.jsonl"), format!("{line}\n{ended}\n")).unwrap();
        let [session] = &sessions_in(place.path()).unwrap().sessions[..] else { panic!("another number of sessions") };
        assert_eq!(session.ending().unwrap(), SessionEnding::Untold);
    }

    #[test]
    fn what_is_done_in_threads_comes_in_its_order() {
        for count in [0, 1, 63, 64, 65, 1_000] {
            let all: Vec<usize> = (0..count).collect();
            assert_eq!(in_threads(&all, |number| number * 2), all.iter().map(|number| number * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_kept_has_a_name_that_is_never_pruned_and_what_is_forgotten_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let path = made(place.path(), OURS, Some(MadeBy::Run));
        let [session] = &sessions_in(place.path()).unwrap().sessions[..] else { panic!("another number of sessions") };
        let kept = session.keep().unwrap();
        assert_eq!(kept.file_name().unwrap(), "first-1763628683-aabbccdd-kept.jsonl.zst");
        assert!(!path.exists());
        let [session] = &sessions_in(place.path()).unwrap().sessions[..] else { panic!("another number of sessions") };
        assert!(!session.is_prunable() && !retention::remove(&kept));
        session.forget().unwrap();
        assert!(!kept.exists());
    }

    #[test]
    fn what_somebody_writes_is_neither_kept_nor_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(OURS);
        let _writer = SessionWriter::create(&path, FirstLine { head: sample::head(), made_by: None, part: 0 }).unwrap();
        let [session] = &sessions_in(place.path()).unwrap().sessions[..] else { panic!("another number of sessions") };
        assert_eq!(session.forget().unwrap_err().to_string(), "it is still being recorded");
        assert_eq!(session.keep().unwrap_err().to_string(), "it is still being recorded");
        assert!(path.exists());
    }
}
