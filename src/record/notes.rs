//! What people write about a session: markers, notes and chapters, in a file beside it, `NAME.notes`.
//!
//! The file is text, a JSON object a line. The first line says `format` (`hustings-notes`), `version` 1 and the session's
//! `lab_id`; each later one is a [`NoteLine`]: a note (`kind`, `at`, `after`, `text`), or that one is taken back.
//!
//! Invariant: the session itself stays as it was recorded, byte for byte; what was written is only ever added to; a
//! session with notes is a person's, and is not removed to make room.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::parts;
use protocol::visible;

/// The format's name in the first line.
const NOTES_FORMAT: &str = "hustings-notes";
/// The format's version.
const NOTES_VERSION: u32 = 1;
/// The end of the file's name.
const END: &str = ".notes";
/// A longer file is not read, and none becomes longer.
const BYTES_MAX: u64 = 1 << 20;

protocol::worded! {
    /// What a note is for.
    #[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NoteKind {
        /// A moment with a name, to come back to.
        Marker = "marker",
        /// A remark on a moment.
        Note = "note",
        /// The beginning of a chapter, with its title.
        Chapter = "chapter",
    }
}

/// What somebody wrote about a moment of a session.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct SessionNote {
    /// What it is for.
    pub kind: NoteKind,
    /// The moment, in nanoseconds of lab time.
    pub at: i64,
    /// The number of the last record before it; 0 if there is none.
    #[serde(default)]
    pub after: u64,
    /// The words, without control characters.
    pub text: String,
}

/// A line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum NoteLine {
    /// A note.
    Written(SessionNote),
    /// A note is taken back: of several equal ones the last.
    TakenBack { taken_back: SessionNote },
}

/// The file's first line.
#[derive(Debug, Serialize, Deserialize)]
struct NotesHead {
    format: String,
    version: u32,
    lab_id: String,
}

/// What the file holds.
#[derive(Clone, Default, Debug)]
pub struct NotesRead {
    /// The notes in the order in which they were written.
    pub notes: Vec<SessionNote>,
    /// The lines that cannot be used, and why.
    pub skipped: Vec<(usize, String)>,
}

/// The file of notes beside a session.
#[derive(Clone, Debug)]
pub struct NotesFile {
    path: PathBuf,
    lab_id: String,
}

impl SessionNote {
    /// A note of these words, in one line; nothing if there are none.
    pub fn new(kind: NoteKind, at: i64, after: u64, text: &str) -> Option<SessionNote> {
        let lines: Vec<&str> = text.split(['\n', '\r', '\t']).map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = visible(&lines.join(" ")).into_owned();
        (!text.is_empty()).then_some(SessionNote { kind, at, after, text })
    }

    /// The note with words that a terminal may be shown.
    fn visible(self) -> Option<SessionNote> {
        SessionNote::new(self.kind, self.at, self.after, &self.text)
    }
}

impl NotesFile {
    /// The file beside the session of this lab, any file of which this is.
    pub fn beside(session: &Path, lab_id: &str) -> NotesFile {
        NotesFile { path: place_of(session), lab_id: lab_id.to_owned() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds; nothing if it is not there.
    ///
    /// # Errors
    /// It cannot be read, is too long, or belongs to another session.
    pub fn read(&self) -> io::Result<NotesRead> {
        let mut text = Vec::new();
        match parts::open(&self.path) {
            Ok(file) => file.take(BYTES_MAX + 1).read_to_end(&mut text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(NotesRead::default()),
            Err(error) => return Err(error),
        };
        if text.len() as u64 > BYTES_MAX {
            return Err(io::Error::other(format!("it has more than {BYTES_MAX} bytes; no file of notes is that long")));
        }
        self.read_text(&text)
    }

    fn read_text(&self, text: &[u8]) -> io::Result<NotesRead> {
        let mut read = NotesRead::default();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.is_empty() {
                continue;
            }
            if number == 1 {
                self.check_head(line)?;
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(NoteLine::Written(note)) => match note.visible() {
                    Some(note) => read.notes.push(note),
                    None => read.skipped.push((number, "it has no words".to_owned())),
                },
                Ok(NoteLine::TakenBack { taken_back }) => {
                    let taken_back = taken_back.visible();
                    let place = read.notes.iter().rposition(|note| Some(note) == taken_back.as_ref());
                    place.into_iter().for_each(|place| drop(read.notes.remove(place)));
                }
                Err(_) => read.skipped.push((number, "it is neither a note nor the end of one".to_owned())),
            }
        }
        Ok(read)
    }

    fn check_head(&self, line: &[u8]) -> io::Result<()> {
        let wrong = |what: String| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        match serde_json::from_slice::<NotesHead>(line) {
            Err(error) => {
                wrong(format!("its first line is not that of a file of notes: {}", visible(&error.to_string())))
            }
            Ok(head) if head.format != NOTES_FORMAT || head.version != NOTES_VERSION => wrong(format!(
                "its format is {} {}, but this build reads {NOTES_FORMAT} {NOTES_VERSION}",
                visible(&head.format),
                head.version
            )),
            Ok(head) if head.lab_id != self.lab_id => wrong("it belongs to another session; move it away".to_owned()),
            Ok(_) => Ok(()),
        }
    }

    /// Writes a note behind all others.
    ///
    /// # Errors
    /// The file belongs to another session, is full, or the system refuses; then nothing was written.
    pub fn add(&self, note: &SessionNote) -> io::Result<()> {
        self.append(&NoteLine::Written(note.clone()))
    }

    /// Takes this note back.
    ///
    /// # Errors
    /// As in [`NotesFile::add`].
    pub fn take_back(&self, note: &SessionNote) -> io::Result<()> {
        self.append(&NoteLine::TakenBack { taken_back: note.clone() })
    }

    fn append(&self, line: &NoteLine) -> io::Result<()> {
        self.read()?;
        let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(&self.path)?;
        let bytes = file.metadata()?.len();
        let mut text = String::new();
        if bytes == 0 {
            let head =
                NotesHead { format: NOTES_FORMAT.to_owned(), version: NOTES_VERSION, lab_id: self.lab_id.clone() };
            text = written(&head);
        } else if !ends_in_a_line(&self.path)? {
            text.push('\n');
        }
        text += &written(line);
        if bytes + text.len() as u64 > BYTES_MAX {
            return Err(io::Error::other("the file of notes is full"));
        }
        file.write_all(text.as_bytes())
    }
}

/// Where the notes of the session lie to which this file belongs.
pub(super) fn place_of(session: &Path) -> PathBuf {
    let stem = parts::stem_of(session);
    let number = stem.extension().and_then(|end| end.to_str()).and_then(|end| end.parse::<u32>().ok());
    let first = number.and_then(|part| parts::firsts(session, part).into_iter().find(|first| first.exists()));
    let mut name = first.map_or(stem, |first| parts::stem_of(&first)).into_os_string();
    name.push(END);
    PathBuf::from(name)
}

fn written(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("a note is plain data") + "\n"
}

/// Whether the last line has its end: a write may have been cut.
fn ends_in_a_line(path: &Path) -> io::Result<bool> {
    let mut text = Vec::new();
    File::open(path)?.take(BYTES_MAX).read_to_end(&mut text)?;
    Ok(text.last().is_none_or(|last| *last == b'\n'))
}

/// Whether somebody has written about this session.
pub(super) fn are_there(session: &Path) -> bool {
    fs::symlink_metadata(place_of(session)).is_ok_and(|found| found.is_file() && found.len() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(at: i64, text: &str) -> SessionNote {
        SessionNote::new(NoteKind::Marker, at, 3, text).unwrap()
    }

    #[test]
    fn what_is_written_is_read_again_and_what_is_taken_back_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let session = place.path().join("lesson.jsonl.zst");
        let file = NotesFile::beside(&session, "abc");
        assert!(file.read().unwrap().notes.is_empty() && !are_there(&session));
        for (at, text) in [(5, "first"), (9, "second"), (7, "third")] {
            file.add(&note(at, text)).unwrap();
        }
        file.take_back(&note(9, "second")).unwrap();
        let read = file.read().unwrap();
        assert_eq!(read.notes, [note(5, "first"), note(7, "third")]);
        assert!(read.skipped.is_empty() && are_there(&session));
        assert_eq!(file.path(), place.path().join("lesson.notes"));
        let other = NotesFile::beside(&session, "def");
        assert!(other.add(&note(1, "x")).unwrap_err().to_string().contains("belongs to another session"));
    }

    #[test]
    fn a_damaged_line_is_passed_over_and_said_and_the_next_one_stands_alone() {
        let place = tempfile::tempdir().unwrap();
        let file = NotesFile::beside(&place.path().join("s.jsonl"), "abc");
        file.add(&note(5, "first")).unwrap();
        let mut text = fs::read(file.path()).unwrap();
        text.extend(b"{\"kind\":\"marker\",\"at\":1,\"text\":\"\\u001b[2J\"}\n{\"kind\":\"no");
        fs::write(file.path(), text).unwrap();
        file.add(&note(6, "last")).unwrap();
        let read = file.read().unwrap();
        let texts: Vec<&str> = read.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!((texts[0], texts[2], texts.len()), ("first", "last", 3));
        assert!(!texts[1].contains('\u{1b}'), "{texts:?}");
        assert_eq!(read.skipped.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn words_without_letters_are_no_note_and_a_later_part_has_the_notes_of_its_session() {
        assert_eq!(SessionNote::new(NoteKind::Note, 1, 0, "  \t "), None);
        assert_eq!(note(1, " one\r\n\ntwo\tthree ").text, "one two three");
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("long.jsonl"), "").unwrap();
        assert_eq!(place_of(&place.path().join("long.2.jsonl")), place.path().join("long.notes"));
        assert_eq!(place_of(&place.path().join("alone.2.jsonl")), place.path().join("alone.2.notes"));
    }
}
