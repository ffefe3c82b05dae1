//! Where a session is recorded.
//!
//! Invariant: recording never holds up or ends a lab; of the sessions in the default place the newest hundred are kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::record::{Head, SessionWriter};

/// How many sessions the default place keeps.
const SESSIONS_KEPT: usize = 100;

/// What is to be recorded where.
#[derive(Clone, Debug)]
pub enum Recording {
    /// To a new file in `$XDG_STATE_HOME/hustings`, else `~/.local/state/hustings`.
    Default,
    /// To this file, which must not be there yet.
    To(PathBuf),
    /// Nothing.
    Off,
}

impl Recording {
    /// Begins the session file. An error names the file; nothing was recorded.
    pub fn begin(&self, head: &Head) -> io::Result<Option<SessionWriter>> {
        let path = match self {
            Recording::Off => return Ok(None),
            Recording::To(path) => path.clone(),
            Recording::Default => {
                let directory = default_directory();
                keep_newest(&directory);
                directory.join(file_name(head))
            }
        };
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("cannot record to {}: {error}", path.display()));
        SessionWriter::create(&path, head).map(Some).map_err(named)
    }
}

/// `first-1763628683-3f0a9c21.jsonl`: the lab, when, and the head of its id.
fn file_name(head: &Head) -> String {
    let safe: String = head.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    format!("{safe}-{}-{}.jsonl", head.wall_clock, &head.lab_id[..8])
}

fn default_directory() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    state.or_else(home).unwrap_or_else(std::env::temp_dir).join("hustings")
}

/// Makes room for one more. What cannot be listed or removed does not matter to this lab.
fn keep_newest(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let is_session = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let mut sessions: Vec<(std::time::SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_session)
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    sessions.sort();
    let surplus = (sessions.len() + 1).saturating_sub(SESSIONS_KEPT);
    for (_, path) in sessions.into_iter().take(surplus) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..SESSIONS_KEPT + 5 {
            let file = fs::File::create(directory.path().join(format!("{number:03}.jsonl"))).unwrap();
            let made = std::time::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
            file.set_modified(made).unwrap();
        }
        fs::write(directory.path().join("notes.txt"), "not a session").unwrap();
        keep_newest(directory.path());
        let left = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, SESSIONS_KEPT - 1 + 1);
        assert!(!directory.path().join("005.jsonl").exists() && directory.path().join("006.jsonl").exists());
    }
}
