//! A long session file on the screen: its beginning before its end is known.
//!
//! Invariant: what is shown does not depend on how much of the file has been read.

use std::path::PathBuf;
use std::time::Duration;

use super::stage::{MS, options, storm};
use super::{press, text};
use crate::input::message::ScreenMessage;
use crate::input::update::{seek, update};
use crate::model::Model;
use crate::time::playback::{LeapTarget, Playback};
use crate::{Role, Source};
use record::{Body, NoteKind, NotesFile, Record, SessionNote, StoredSession};

/// A session file of so many records, a millisecond apart.
fn file_of(count: u64) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("long.jsonl");
    let base = storm();
    let mut lines = vec![serde_json::to_string(&super::stage::head()).unwrap()];
    for (number, record) in (1..=count).zip(base.iter().cycle()) {
        lines.push(Record { number, at: number as i64 * MS, ..record.clone() }.to_line());
    }
    std::fs::write(&path, lines.join("\n")).unwrap();
    (place, path)
}

fn opened(path: &std::path::Path) -> Model {
    let options = options(Source::Session(path.to_owned()), Role::Visitor);
    Model::opened(&options, StoredSession::open(path).unwrap()).unwrap()
}

#[test]
fn the_first_frame_waits_for_the_first_piece_alone_and_the_rest_is_read_as_time_passes() {
    let (_place, path) = file_of(10_000);
    let mut model = opened(&path);
    assert!(model.is_reading());
    let first = text(&mut model, 80, 24);
    assert!(first.contains("0/3000+"), "{first}");
    for tick in 1..=4 {
        update(&mut model, ScreenMessage::Tick(Duration::from_millis(tick)));
    }
    assert!(!model.is_reading());
    let whole = text(&mut model, 80, 24);
    assert!(whole.contains("0/10000") && !whole.contains("0/10000+"), "{whole}");
}

#[test]
fn what_is_asked_for_is_read_first() {
    let (_place, path) = file_of(10_000);
    let playback = || Playback::opened(StoredSession::open(&path).unwrap()).unwrap();
    let whole = Playback::stored(StoredSession::open(&path).unwrap()).unwrap();
    assert_eq!((playback().len(), whole.len()), (3_000, 10_000));
    let mut one = playback();
    assert_eq!((one.seek(7_000 * MS).at, one.position(), one.len()), (7_000 * MS, 7_000, 9_000));
    let mut one = playback();
    let (_, record) = one.record_of(9_999).unwrap();
    assert_eq!((record.number, one.position()), (9_999, 9_999));
    assert!(one.record_of(10_001).is_none() && one.is_whole());
    let mut one = playback();
    let violations = whole.times_of(LeapTarget::Violation).count();
    assert!(
        one.nth_of(LeapTarget::Violation, violations).is_some()
            && one.nth_of(LeapTarget::Violation, violations + 1).is_none()
    );
    // Without a seek, record by record beyond what was read.
    let mut one = playback();
    let mut scene = one.seek(2_999 * MS);
    (0..5).for_each(|_| drop(one.advance(&mut scene)));
    assert_eq!((one.position(), scene.at), (3_004, 3_004 * MS));
}

#[test]
fn a_file_that_is_read_piece_by_piece_shows_the_same_moments() {
    let (_place, path) = file_of(10_000);
    let mut piece = opened(&path);
    let options = options(Source::Session(path.clone()), Role::Visitor);
    let mut whole = Model::stored(&options, StoredSession::open(&path).unwrap()).unwrap();
    for at in [5_000, 100, 9_999, 2_999, 3_000, 3_001] {
        seek(&mut piece, at * MS);
        seek(&mut whole, at * MS);
        assert_eq!(piece.time.scene.world, whole.time.scene.world, "{at}");
        let rows = |model: &Model| model.time.scene.rows.newest().map(|(number, _)| number).collect::<Vec<u64>>();
        assert_eq!(rows(&piece), rows(&whole), "{at}");
    }
    press(&mut piece, "End");
    press(&mut whole, "End");
    assert_eq!(text(&mut piece, 100, 30), text(&mut whole, 100, 30));
}

#[test]
fn a_line_of_the_notes_that_cannot_be_used_is_told_when_the_session_opens() {
    let (_place, path) = file_of(10);
    let lab_id = super::stage::head().lab_id;
    let notes = NotesFile::beside(&path, &lab_id);
    notes.add(&SessionNote::new(NoteKind::Marker, 0, 0, "here").unwrap()).unwrap();
    let text_of_notes = std::fs::read_to_string(notes.path()).unwrap();
    std::fs::write(notes.path(), format!("{text_of_notes}no note\n")).unwrap();
    let screen = text(&mut opened(&path), 140, 45);
    assert!(screen.contains("1 of the lines of") && screen.contains("(line 3: it is neither a note"), "{screen}");
}

#[test]
fn a_file_that_is_cut_says_so_once_it_is_known_to_its_end() {
    let (_place, path) = file_of(8_000);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2 + 17]).unwrap();
    let mut model = opened(&path);
    assert!(model.is_reading() && !text(&mut model, 80, 24).contains("skipped"));
    press(&mut model, "End");
    update(&mut model, ScreenMessage::Tick(Duration::from_millis(1)));
    let screen = text(&mut model, 80, 24);
    assert!(!model.is_reading() && screen.contains("1 of the file's lines were skipped"), "{screen}");
}

#[test]
fn a_session_that_lacks_a_record_or_its_end_is_never_green() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("lost.jsonl");
    let mut lines = vec![serde_json::to_string(&super::stage::head()).unwrap()];
    let mut records = super::stage::numbered(super::stage::calm());
    let last = records.last().unwrap();
    let ended = Body::Ended { why: "it was told to end".to_owned(), outcome: None };
    records.push(Record { number: last.number + 1, ..Record::of_host(last.at, ended) });
    lines.extend(records.iter().map(Record::to_line));
    std::fs::write(&path, lines.join("\n")).unwrap();
    assert!(text(&mut opened(&path), 80, 24).contains("● ok"));
    for kept in [1, lines.len() - 1] {
        std::fs::write(&path, lines[..kept].join("\n")).unwrap();
        let mut model = opened(&path);
        assert!(text(&mut model, 80, 24).contains("? unknown"), "{kept} lines");
        press(&mut model, "V");
        assert!(text(&mut model, 80, 24).contains("stops without the lab's end"), "{kept} lines");
    }
    lines.remove(3);
    std::fs::write(&path, lines.join("\n")).unwrap();
    let mut model = opened(&path);
    assert!(text(&mut model, 80, 24).contains("? unknown"));
    press(&mut model, "V");
    assert!(text(&mut model, 80, 24).contains("A record of the session is missing"));
}
