//! What people wrote about the session on the screen: its markers, notes and chapters.
//!
//! Invariant: they stand in the order of their moments; what is here is also in the file beside the session.

use std::path::Path;

use record::{Head, NotesFile, SessionNote};

/// The notes of a session.
#[derive(Clone, Default, Debug)]
pub struct SessionNotes {
    /// The file, if the session has a place.
    pub file: Option<NotesFile>,
    /// The notes by their moments.
    all: Vec<SessionNote>,
}

impl SessionNotes {
    /// The notes of the session of this file, and a sentence if some of them cannot be read.
    pub fn of(session: &Path, head: Option<&Head>) -> (SessionNotes, Option<String>) {
        let Some(head) = head else { return (SessionNotes::default(), None) };
        let file = NotesFile::beside(session, &head.lab_id);
        let read = match file.read() {
            Ok(read) => read,
            Err(error) => {
                let told = format!("The notes in {} cannot be read: {error}.", file.path().display());
                return (SessionNotes::default(), Some(told));
            }
        };
        let told = read.skipped.first().map(|(line, why)| {
            let (count, place) = (read.skipped.len(), file.path().display());
            format!("{count} of the lines of {place} were skipped (line {line}: {why}).")
        });
        let mut marks = SessionNotes { file: Some(file), all: Vec::new() };
        read.notes.into_iter().for_each(|note| marks.take(note));
        (marks, told)
    }

    /// All of them.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &SessionNote> {
        self.all.iter()
    }

    /// A note was written.
    pub fn take(&mut self, note: SessionNote) {
        let place = self.all.partition_point(|other| other.at <= note.at);
        self.all.insert(place, note);
    }

    /// The note of this moment that was written last.
    pub fn last_at(&self, at: i64) -> Option<SessionNote> {
        self.all.iter().rev().find(|note| note.at == at).cloned()
    }

    /// This note was taken back.
    pub fn forget(&mut self, note: &SessionNote) {
        let place = self.all.iter().rposition(|other| other == note);
        place.into_iter().for_each(|place| drop(self.all.remove(place)));
    }
}
