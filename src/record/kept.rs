//! The sessions that lie in the default place: which there are, and what a person does with one of them.
//!
//! Invariant: a session is its first part with all later ones and the notes beside them; they are renamed and deleted
//! together, and never while somebody writes them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::recording::state_directory;
use super::retention::{self, Retention, extent, first_line, later_files};
use super::{FORMAT, FirstLine, notes, parts};

/// What a session's name gets at its end when a person keeps it: no command gives such a name.
const KEPT_END: &str = "-kept";

/// A session in the default place.
#[derive(Clone, Debug)]
pub struct KeptSession {
    /// Its first part.
    pub path: PathBuf,
    /// What its first line says.
    pub first: FirstLine,
    /// When it was written last.
    pub modified: SystemTime,
    /// The bytes of all its parts.
    pub bytes: u64,
}

/// Whether sessions are really removed.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Pruning {
    /// They are.
    Done,
    /// It is only told which would be.
    Told,
}

/// The sessions of the default place, the newest first. Files that are none are passed over.
///
/// # Errors
/// The directory is there and cannot be read.
pub fn kept_sessions() -> io::Result<Vec<KeptSession>> {
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

fn sessions_in(directory: &Path) -> io::Result<Vec<KeptSession>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut sessions: Vec<KeptSession> = entries.filter_map(|entry| KeptSession::at(entry.ok()?.path())).collect();
    sessions.sort_by(|one, other| (other.modified, &other.path).cmp(&(one.modified, &one.path)));
    Ok(sessions)
}

impl KeptSession {
    /// The session with this first part, if it is one.
    fn at(path: PathBuf) -> Option<KeptSession> {
        let is_named_so = path.to_str().is_some_and(|name| name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"));
        let file = is_named_so.then(|| parts::open(&path).ok()).flatten()?;
        let (first, _) = first_line(&file)?;
        if first.head.format != FORMAT || first.part != 0 {
            return None;
        }
        let (modified, bytes) = extent(&path, &file, &first.head.lab_id)?;
        Some(KeptSession { path, first, modified, bytes })
    }

    /// Its name: that of its file, without what says the file's form.
    pub fn name(&self) -> String {
        let stem = parts::stem_of(&self.path);
        stem.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// How long ago it was written last, in words: `3 min`.
    pub fn age(&self) -> String {
        match SystemTime::now().duration_since(self.modified).map_or(0, |age| age.as_secs()) {
            age @ 0..60 => format!("{age} s"),
            age @ 60..3_600 => format!("{} min", age / 60),
            age @ 3_600..172_800 => format!("{} h", age / 3_600),
            age => format!("{} days", age / 86_400),
        }
    }

    /// Its bytes in words: `45 kB`.
    pub fn size(&self) -> String {
        match self.bytes {
            bytes @ 0..10_000 => format!("{bytes} B"),
            bytes @ 10_000..10_000_000 => format!("{} kB", bytes / 1_000),
            bytes => format!("{} MB", bytes / 1_000_000),
        }
    }

    /// Whether a command recorded it by itself, so that it is removed when there are too many.
    pub fn is_prunable(&self) -> bool {
        retention::is_prunable(&self.path)
    }

    /// Deletes it.
    ///
    /// # Errors
    /// Somebody writes it, or the system refuses; nothing, or only later parts, were deleted.
    pub fn forget(&self) -> io::Result<()> {
        retention::delete(&self.path, parts::open(&self.path)?, &self.first.head.lab_id)
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
        let files = later_files(&self.path, &self.first.head.lab_id).into_iter().map(|(path, _)| path);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Head, MadeBy, SessionWriter, sample};

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
        assert!(sessions_in(&place.path().join("none")).unwrap().is_empty());
        made(place.path(), OURS, Some(MadeBy::Run));
        made(place.path(), "lesson.jsonl", None);
        fs::write(place.path().join("notes.jsonl"), "no session\n").unwrap();
        fs::write(place.path().join("notes.txt"), "no session\n").unwrap();
        let listed = sessions_in(place.path()).unwrap();
        let mut names: Vec<(String, bool)> =
            listed.iter().map(|session| (session.name(), session.is_prunable())).collect();
        names.sort();
        assert_eq!(names, [("first-1763628683-aabbccdd".to_owned(), true), ("lesson".to_owned(), false)]);
        assert!(listed.iter().all(|session| session.bytes > 0));
    }

    #[test]
    fn what_is_kept_has_a_name_that_is_never_pruned_and_what_is_forgotten_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let path = made(place.path(), OURS, Some(MadeBy::Run));
        let [session] = &sessions_in(place.path()).unwrap()[..] else { panic!("another number of sessions") };
        let kept = session.keep().unwrap();
        assert_eq!(kept.file_name().unwrap(), "first-1763628683-aabbccdd-kept.jsonl.zst");
        assert!(!path.exists());
        let [session] = &sessions_in(place.path()).unwrap()[..] else { panic!("another number of sessions") };
        assert!(!session.is_prunable() && !retention::remove(&kept));
        session.forget().unwrap();
        assert!(!kept.exists());
    }

    #[test]
    fn what_somebody_writes_is_neither_kept_nor_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(OURS);
        let _writer = SessionWriter::create(&path, FirstLine { head: sample::head(), made_by: None, part: 0 }).unwrap();
        let [session] = &sessions_in(place.path()).unwrap()[..] else { panic!("another number of sessions") };
        assert_eq!(session.forget().unwrap_err().to_string(), "it is still being recorded");
        assert_eq!(session.keep().unwrap_err().to_string(), "it is still being recorded");
        assert!(path.exists());
    }
}
