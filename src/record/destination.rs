//! Where a session is recorded.
//!
//! Invariant: a file that is there already is not touched, except the session of a simulated lab that is simulated
//! again: it is made again.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::retention::{self, Pruned, Retention};
use super::{FirstLine, Head, MadeBy, Origin, SessionWriter};

/// The sessions that this process has begun in the default place. It has named them to a person.
static BEGUN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Where to record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Recording {
    /// To a new file in `$XDG_STATE_HOME/hustings`, else `~/.local/state/hustings`, for this command.
    Default(MadeBy),
    /// To this file, which must not exist yet.
    To(PathBuf),
    /// Nothing.
    Off,
}

impl Recording {
    /// Makes room for one more session where commands record by themselves: removes the oldest sessions of such
    /// commands past these limits, and none that this process has begun. Returns what it removed, if anything.
    pub fn make_room(&self, kept: Retention) -> Option<Pruned> {
        match self {
            Recording::Default(MadeBy::Run | MadeBy::Simulate) => {
                let begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
                retention::make_room(&state_directory(), kept, &begun)
            }
            Recording::Default(MadeBy::Up) | Recording::To(_) | Recording::Off => None,
        }
    }

    /// Begins the session file. An error names the file; nothing was recorded.
    pub fn begin(&self, head: &Head) -> io::Result<Option<SessionWriter>> {
        let (path, made_by) = match self {
            Recording::Off => return Ok(None),
            Recording::To(path) => (path.clone(), None),
            Recording::Default(made_by) => {
                let path = free_path(&state_directory(), head);
                BEGUN.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
                (path, Some(*made_by))
            }
        };
        let remedy = match (self, path.symlink_metadata().is_ok()) {
            (Recording::To(_), true) => "name a new file",
            (Recording::To(_), false) => "name a file in a directory that you can write",
            _ => "`hustings doctor` tells what to do",
        };
        let named = |error: io::Error| {
            let why = match error.kind() {
                io::ErrorKind::AlreadyExists => "the file exists already".to_owned(),
                _ => error.to_string(),
            };
            io::Error::new(error.kind(), format!("cannot record to {}: {why}; {remedy}", path.display()))
        };
        SessionWriter::create(&path, FirstLine { head: head.clone(), made_by, part: 0 }).map(Some).map_err(named)
    }
}

/// The path of a new session. A simulated lab that is simulated again makes the same session again, so the earlier one
/// is removed, unless a person may want it.
fn free_path(directory: &Path, head: &Head) -> PathBuf {
    let name = file_name(head);
    let path = directory.join(format!("{name}.jsonl.zst"));
    if head.origin == Origin::Live {
        return path;
    }
    let numbered = (2..).map(|number| directory.join(format!("{name}-{number}.jsonl.zst")));
    // Earlier builds did not compress it.
    let is_free = |path: &PathBuf| {
        let places = [path.clone(), path.with_extension("")];
        places.iter().all(|path| path.symlink_metadata().is_err() || retention::remove(path))
    };
    std::iter::once(path).chain(numbered).find(is_free).expect("numbers do not end")
}

/// `first-1763628683-3f0a9c21`: the lab, when (or that it was simulated, and the seed), and the head of its id.
fn file_name(head: &Head) -> String {
    let safe: String = head.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let made = match head.origin {
        Origin::Live => head.wall_clock.to_string(),
        Origin::Simulated => format!("simulated-{}", head.drawn.as_ref().map_or(head.seed, |drawn| drawn.seed)),
    };
    format!("{safe}-{made}-{}", &head.lab_id[..8])
}

/// Where the program keeps what lasts: the sessions of commands that are not told where to record, and what it remembers.
pub fn state_directory() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    state.or_else(home).unwrap_or_else(std::env::temp_dir).join("hustings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_simulated_lab_takes_the_place_of_its_own_session_and_of_no_other() {
        let place = tempfile::tempdir().unwrap();
        let head = Head { origin: Origin::Simulated, ..sample::head() };
        let made = |made_by| {
            let path = free_path(place.path(), &head);
            SessionWriter::create(&path, FirstLine { head: head.clone(), made_by: Some(made_by), part: 0 }).unwrap();
            path.file_name().unwrap().to_str().unwrap().to_owned()
        };
        let [first, second] = ["first-simulated-1-aabbccdd.jsonl.zst", "first-simulated-1-aabbccdd-2.jsonl.zst"];
        let earlier = place.path().join("first-simulated-1-aabbccdd.jsonl");
        let line = FirstLine { head: head.clone(), made_by: Some(MadeBy::Run), part: 0 };
        drop(SessionWriter::create(&earlier, line).unwrap());
        assert_eq!(made(MadeBy::Run), first);
        assert!(!earlier.exists(), "an earlier build's session is made again");
        assert_eq!(made(MadeBy::Up), first, "a run's session is made again");
        assert_eq!(made(MadeBy::Run), second, "a person's session stays");
        assert_eq!(made(MadeBy::Simulate), second);
        assert!([first, second].iter().all(|name| retention::is_named_by_us(Path::new(name))));
    }

    #[test]
    fn a_file_that_cannot_be_made_is_named_with_what_to_do() {
        let place = tempfile::tempdir().unwrap();
        let there = place.path().join("there.jsonl");
        std::fs::write(&there, "").unwrap();
        let refused = |path: PathBuf| Recording::To(path).begin(&sample::head()).unwrap_err().to_string();
        let nowhere = refused(there.join("new.jsonl"));
        assert!(refused(there).ends_with("there.jsonl: the file exists already; name a new file"));
        assert!(nowhere.contains("there.jsonl/new.jsonl: "), "{nowhere}");
        assert!(nowhere.ends_with("name a file in a directory that you can write"), "{nowhere}");
    }
}
