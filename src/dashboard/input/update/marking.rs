//! Markers, notes and chapters: writing them, taking them back, going to them.
//!
//! Invariant: nothing counts as written before the file has it.

use super::time;
use crate::input::action::{Action, FeedKind};
use crate::input::message::{Command, NoteChange};
use crate::input::prompt::{Prompt, PromptKind};
use crate::model::{Model, Tone, Viewpoint};
use crate::options::Access;
use crate::time::feed::{Feed, Live};
use record::{NoteKind, NotesFile, SessionNote};

/// The line that takes a note back.
pub const TAKE_BACK: &str = "unmark";

/// Why nothing is written.
#[derive(Debug, thiserror::Error)]
pub enum NotNoted {
    /// Nothing is recorded.
    #[error("This lab is not recorded, so there is no session to write about.")]
    NotRecorded,
    /// The session comes later.
    #[error("The session of a lab in virtual time is written when it ends: `hustings replay last` takes markers then.")]
    AtItsEnd,
    /// A node's view has no session.
    #[error("A node alone has no session; write markers on the lab's own screen.")]
    OfANode,
    /// The screen was opened only to watch.
    #[error("This screen is read-only; write markers on another one.")]
    ReadOnly,
    /// The session has no head, so nothing tells which it is, or its notes could not be read.
    #[error("The notes beside this session cannot be read, so nothing is written there.")]
    NoFile,
    /// There are no words.
    #[error("Write what it says, such as `{0} the coordinator is back`.")]
    NoWords(&'static str),
    /// There is nothing to take back.
    #[error("There is no marker, note or chapter at this moment{how}.")]
    NothingHere { how: String },
}

/// Opens the line for a marker.
pub fn begin(model: &mut Model) {
    model.dialogs.prompt = Some(Prompt::new(PromptKind::Palette, format!("{} ", NoteKind::Marker.word())));
}

/// The kind of note that a line begins with, and its words.
pub fn begun(line: &str) -> Option<(NoteKind, &str)> {
    let (word, text) = line.split_once(' ').unwrap_or((line, ""));
    let kind = NoteKind::ALL.into_iter().find(|kind| kind.word() == word)?;
    Some((kind, text.trim()))
}

/// Writes a note about the moment on the screen.
pub fn write(model: &mut Model, kind: NoteKind, text: &str) -> Result<Vec<Command>, NotNoted> {
    let file = file(model)?;
    let scene = model.seen();
    let note = SessionNote::new(kind, scene.at, scene.world.records, text).ok_or(NotNoted::NoWords(kind.word()))?;
    Ok(vec![Command::Note(file, NoteChange::Written(note))])
}

/// Takes back what was written last about the moment on the screen.
pub fn take_back(model: &mut Model) -> Result<Vec<Command>, NotNoted> {
    let file = file(model)?;
    let note = model.notes.last_at(model.seen().at).ok_or_else(|| {
        let [on, back] = [Action::NoteForward, Action::NoteBack].map(|action| model.key(action));
        let is_replay = model.feed_kind() == FeedKind::Replay;
        NotNoted::NothingHere { how: if is_replay { format!("; {on} and {back} go to one") } else { String::new() } }
    })?;
    Ok(vec![Command::Note(file, NoteChange::TakenBack(note))])
}

/// The file has taken it, or has not.
pub fn take(model: &mut Model, change: NoteChange, refused: Option<String>) {
    match (refused, change) {
        (Some(why), _) => model.tell(Tone::Bad, format!("Nothing was written: {why}.")),
        (None, NoteChange::Written(note)) => {
            model.notes.take(note.clone());
            let told = model.note_told(&note);
            model.tell(Tone::Good, told);
        }
        (None, NoteChange::TakenBack(note)) => {
            model.notes.forget(&note);
            model.tell(Tone::Good, format!("The {} \"{}\" is gone.", note.kind.word(), note.text));
        }
    }
}

fn file(model: &Model) -> Result<NotesFile, NotNoted> {
    if let Viewpoint::Node(_) = model.vantage {
        return Err(NotNoted::OfANode);
    }
    match model.lab_feed() {
        Feed::Replay(_) => model.notes.file.clone().ok_or(NotNoted::NoFile),
        Feed::Simulated(_) => Err(NotNoted::AtItsEnd),
        Feed::Live(_) if model.rights.access == Access::ReadOnly => Err(NotNoted::ReadOnly),
        Feed::Live(Live { session, .. }) => {
            let session = session.as_ref().ok_or(NotNoted::NotRecorded)?;
            let head = model.head.as_ref().ok_or(NotNoted::NotRecorded)?;
            Ok(NotesFile::beside(session, &head.lab_id))
        }
    }
}

/// The direction of a leap from note to note.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Leap {
    /// To the next one.
    On,
    /// To the one before.
    Back,
}

/// Goes to the next note, or to the one before.
pub fn leap(model: &mut Model, way: Leap) {
    let at = model.seen().at;
    let mut all = model.notes_and_chapters().into_iter();
    let found = match way {
        Leap::On => all.find(|note| note.at > at),
        Leap::Back => all.rfind(|note| note.at < at),
    };
    match found {
        Some(note) => go_to(model, &note),
        None => {
            let side = if way == Leap::On { "after" } else { "before" };
            let how = match model.feed_kind() {
                FeedKind::Replay => format!("; {} writes one", model.key(Action::WriteMarker)),
                FeedKind::Live | FeedKind::Past | FeedKind::Pair | FeedKind::Simulated => String::new(),
            };
            model.tell(Tone::Plain, format!("There is no marker, note or chapter {side} this moment{how}."));
        }
    }
}

/// Goes to the moment of a note, and shows it.
pub fn go_to(model: &mut Model, note: &SessionNote) {
    time::stand(model);
    time::seek(model, note.at);
    let told = model.note_told(note);
    model.tell(Tone::Plain, told);
}

/// Shows the notes that a playing picture has just passed.
pub fn tell_passed(model: &mut Model, from: i64) {
    let to = model.seen().at;
    let passed: Vec<SessionNote> = model.notes.all().filter(|note| from < note.at && note.at <= to).cloned().collect();
    for note in passed {
        let told = model.note_told(&note);
        model.tell(Tone::Plain, told);
    }
}
