//! `hustings sessions notes` and `sessions note`: what people write about a session, in a file beside it.
//!
//! Invariant: the session's own files are only read.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::tell::{remark, say};
use super::{code, session_names};
use crate::protocol::Span;
use crate::record::{NoteKind, NotesFile, Session, SessionNote, StoredSession};
use crate::world::stamp;

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
    let kind = NoteKind::ALL.into_iter().find(|kind| kind.word() == text);
    kind.ok_or("the kinds are `marker`, `note` and `chapter`")
}

/// Lists what was written about this session.
pub fn list(meant: &Path, json: bool) -> u8 {
    let notes = match file_of(meant) {
        Ok(notes) => notes,
        Err(code) => return code,
    };
    let read = match notes.read() {
        Ok(read) => read,
        Err(error) => {
            remark(format!("{}: {error}", notes.path().display()));
            return code::of_io(&error);
        }
    };
    for (line, why) in &read.skipped {
        remark(format!("{}:{line}: skipped: {why}", notes.path().display()));
    }
    let mut all = read.notes;
    all.sort_by_key(|note| note.at);
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
    let notes = match file_of(&new.session) {
        Ok(notes) => notes,
        Err(code) => return code,
    };
    let at = i64::try_from(new.at.nanos()).unwrap_or(i64::MAX);
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

/// The file of notes beside the session that is meant.
fn file_of(meant: &Path) -> Result<NotesFile, u8> {
    let file = session_names::file_of(meant)?;
    let session = StoredSession::open(&file).map_err(|error| {
        remark(format!("{}: {error}", file.display()));
        code::unread(&error)
    })?;
    let Some(head) = session.head() else {
        remark(format!("{}: its first line is no session's, so nothing tells which session it is", file.display()));
        return Err(code::UNKNOWN);
    };
    Ok(NotesFile::beside(&file, &head.lab_id))
}
