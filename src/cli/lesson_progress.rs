//! What the program remembers of those who learn with it: the lessons that were seen to their end, and that the strip
//! for newcomers was. It stands in the file `learned` beside the sessions, one word a line.
//!
//! Invariant: a line that is not known stays; a file that cannot be read remembers nothing, and is not written anew.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::built_in;
use dashboard::{Remembered, Tour};
use record::{make_own_directory, state_directory};

/// The line that says that the strip for newcomers was seen.
const TOUR_SEEN: &str = "tour";

/// The lessons that were seen to their end, by their names.
pub fn lessons() -> BTreeSet<String> {
    read(&file())
}

/// Whether a screen shows the strip for newcomers.
pub fn tour() -> Tour {
    if read(&file()).contains(TOUR_SEEN) { Tour::Hidden } else { Tour::Shown }
}

/// Remembers this; a lab that is no lesson of the program is nothing to remember.
///
/// # Errors
/// The file cannot be written.
pub fn remember(what: &Remembered) -> io::Result<()> {
    match what {
        Remembered::TourSeen => add(&file(), TOUR_SEEN),
        Remembered::LessonDone(name) if built_in::lessons().any(|lesson| lesson.name == name) => add(&file(), name),
        Remembered::LessonDone(_) => Ok(()),
    }
}

fn file() -> PathBuf {
    state_directory().join("learned")
}

fn read(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

fn add(file: &Path, word: &str) -> io::Result<()> {
    if read(file).contains(word) {
        return Ok(());
    }
    if let Some(directory) = file.parent() {
        make_own_directory(directory)?;
    }
    // One short write at the end: two screens that end at once do not spoil each other's line.
    OpenOptions::new().create(true).append(true).open(file)?.write_all(format!("{word}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_added_once_and_what_is_there_stays() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("below").join("learned");
        assert!(read(&file).is_empty());
        for word in ["tour", "lesson-1-first-election", "tour"] {
            add(&file, word).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "tour\nlesson-1-first-election\n");
        fs::write(&file, "of another version\n\ntour\n").unwrap();
        add(&file, "lesson-2-two-coordinators").unwrap();
        assert_eq!(read(&file).len(), 3);
    }
}
