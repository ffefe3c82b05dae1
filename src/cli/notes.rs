//! `hustings sessions notes` and `sessions note`: what people write about a session, in a file beside it.
//!
//! Invariant: the session's own files are only read.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::output::{remark, say};
use super::{code, session_moment, session_names};
use protocol::Span;
use record::{NoteKind, NotesFile, Session, SessionNote, StoredSession};
use world::stamp;

/// What `sessions note` takes.
#[derive(Debug, clap::Args)]
pub struct NewNote {
    /// The session's file; or `last`, or the number or the beginning of a name that `sessions` lists
    session: PathBuf,
    /// What it says
    text: String,
    /// The moment, since the lab began
    #[arg(long, value_name = "SPAN")]
    at: Span,
    /// Whether it is a marker, a note, or the beginning of a chapter
    #[arg(long, value_parser = parse_kind, default_value = "note", value_name = "KIND")]
    kind: NoteKind,
}

fn parse_kind(text: &str) -> Result<NoteKind, &'static str> {
    NoteKind::named(text).ok_or("the kinds are `marker`, `note` and `chapter`")
}

/// Lists what was written about this session.
pub fn list(meant: &Path, json: bool) -> u8 {
    let notes = match file_of(meant) {
        Ok(notes) => notes,
        Err(code) => return code,
    };
    let all = match all_of(&notes) {
        Ok(all) => all,
        Err(error) => return code::of_io(&error),
    };
    if all.is_empty() {
        remark(
            "nothing was written about this session; `hustings sessions note` writes a note, and `:note TEXT` does in its replay",
        );
    }
    for SessionNote { kind, at, after, text } in &all {
        if json {
            say(json!({"v": 1, "kind": kind.word(), "at": at, "after": after, "text": text}));
        } else {
            say(format!("{:>10}  {:<7}  {text}", stamp(*at), kind.word()));
        }
    }
    code::MET
}

/// Writes a note.
pub fn add(new: &NewNote) -> u8 {
    let placed = opened(&new.session).and_then(|(file, session, notes)| {
        let at = session_moment::within(&session, &file, new.at)?;
        Ok((notes, at))
    });
    let (notes, at) = match placed {
        Ok(placed) => placed,
        Err(code) => return code,
    };
    let Some(note) = SessionNote::new(new.kind, at, 0, &new.text) else {
        remark("write what it says, such as `\"the coordinator is back\"`");
        return code::USAGE;
    };
    match notes.add(&note) {
        Ok(()) => {
            say(format!("{} at {}: {}", note.kind.word(), stamp(note.at), note.text));
            code::MET
        }
        Err(error) => {
            remark(format!("{}: {error}", notes.path().display()));
            code::of_io(&error)
        }
    }
}

/// What was written about this session, by its time. What cannot be read is said and passed over.
pub fn beside(session: &StoredSession, file: &Path) -> Vec<SessionNote> {
    let notes = session.head().map(|head| NotesFile::beside(file, &head.lab_id));
    notes.and_then(|notes| all_of(&notes).ok()).unwrap_or_default()
}

/// All notes of this file by their time. On an error stderr has the reason, and it has the lines that cannot be used.
fn all_of(notes: &NotesFile) -> io::Result<Vec<SessionNote>> {
    let read = notes.read().inspect_err(|error| remark(format!("{}: {error}", notes.path().display())))?;
    for (line, why) in &read.skipped {
        remark(format!("{}:{line}: skipped: {why}", notes.path().display()));
    }
    let mut all = read.notes;
    all.sort_by_key(|note| note.at);
    Ok(all)
}

/// The file of notes beside the session that is meant.
fn file_of(meant: &Path) -> Result<NotesFile, u8> {
    opened(meant).map(|(_, _, notes)| notes)
}

/// The session that is meant: its file, what is in it, and the file of notes beside it.
fn opened(meant: &Path) -> Result<(PathBuf, StoredSession, NotesFile), u8> {
    let file = session_names::file_of(meant)?;
    let session = StoredSession::open(&file).map_err(|error| {
        remark(format!("{}: {error}", file.display()));
        code::unread(&error)
    })?;
    let Some(head) = session.head() else {
        remark(format!("{}: its first line is no session's, so nothing tells which session it is", file.display()));
        return Err(code::UNKNOWN);
    };
    let notes = NotesFile::beside(&file, &head.lab_id);
    Ok((file, session, notes))
}
