//! A screen that comes late to a lab: it reads what was recorded before it came.
//!
//! Invariant: then it shows what a screen shows that has heard the lab from its beginning.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::lessons::{calm_and, told_head};
use super::spectators::{ANSWERED, note};
use super::stage::{MS, crash, head, lab, live, numbered, options, snapshot, storm};
use super::{hear, press, text};
use crate::Role;
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::update;
use crate::model::Model;
use crate::time::feed::SoFarWanted;
use crate::time::session_so_far::{NotReadSoFar, SessionSoFar};
use record::{FirstLine, Frame, Head, Record, SessionWriter};

/// The records that the late screen's snapshot holds.
const RECENT: usize = 2;

/// The session of this head in a directory, with these records.
fn session(directory: &Path, head: Head, records: &[Record]) -> PathBuf {
    let path = directory.join("first.jsonl");
    let mut writer = SessionWriter::create(&path, FirstLine { head, made_by: None, part: 0 }).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    path
}

/// A visitor's screen that came after these records, and what it wants read.
fn late(records: &[Record], path: &Path) -> (Model, Option<SoFarWanted>) {
    late_at(head(), records, path)
}

/// The same, of a lab with this head.
fn late_at(head: Head, records: &[Record], path: &Path) -> (Model, Option<SoFarWanted>) {
    let mut model = Model::live(&options(lab(None), Role::Visitor));
    let wanted = connect(&mut model, head, records, path, 0);
    (model, wanted)
}

/// A snapshot after these records, of which the screen has missed so many, and what it wants read.
fn connect(model: &mut Model, head: Head, records: &[Record], path: &Path, missed: u64) -> Option<SoFarWanted> {
    let Frame::Snapshot { world, steps_held, .. } = snapshot(records, 0) else { unreachable!() };
    let (head, session) = (Box::new(head), Some(path.to_owned()));
    let recent = records[records.len() - RECENT..].to_vec();
    let frame = Frame::Snapshot { head, world, recent, missed, session, steps_held };
    update(model, ScreenMessage::Frame(Box::new(frame))).into_iter().find_map(|command| match command {
        Command::ReadSoFar(wanted) => Some(wanted),
        _ => None,
    })
}

fn read(wanted: SoFarWanted) -> Result<Box<SessionSoFar>, NotReadSoFar> {
    SessionSoFar::read(wanted, || ControlFlow::Continue(())).map(Box::new)
}

#[test]
fn a_late_screen_shows_what_one_shows_that_has_heard_all() {
    let place = tempfile::tempdir().unwrap();
    let (all, known) = (storm(), crash().len());
    let path = session(place.path(), head(), &all);
    let (mut model, wanted) = late(&all[..known], &path);
    let wanted = wanted.unwrap();
    assert_eq!((&wanted.path, wanted.until), (&path, known as u64));
    // The lab goes on while the session is read, and a picture that stands stays.
    all[known..known + 3].iter().for_each(|record| hear(&mut model, record.clone()));
    press(&mut model, "F");
    let stood_at = model.seen().at;
    all[known + 3..].iter().for_each(|record| hear(&mut model, record.clone()));
    assert!(!text(&mut model, 100, 30).contains("crash 5"), "it did not hear of it");
    update(&mut model, ScreenMessage::SoFar(read(wanted)));
    assert_eq!(model.seen().at, stood_at);
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("f1 crash 5") && !screen.contains("pause 3"), "{screen}");

    press(&mut model, "F");
    let mut owner = live(&all);
    let bodies = |model: &mut Model, keys: &str| {
        press(model, keys);
        model.toasts.clear();
        let screen = text(model, 140, 45);
        // The header and the keys are those of another person.
        screen.lines().skip(1).take(40).map(str::to_owned).collect::<Vec<_>>()
    };
    for keys in ["1", "2", "6", "1 v", "Esc R Home"] {
        assert_eq!(bodies(&mut model, keys), bodies(&mut owner, keys), "{keys}");
    }
    assert_eq!(model.seen().at, -90 * MS - 1, "the last minute of a short lab is all of it");
}

#[test]
fn a_cursor_stays_on_its_row_when_what_was_before_has_come() {
    let place = tempfile::tempdir().unwrap();
    let all = crash();
    let path = session(place.path(), head(), &all);
    let (mut model, wanted) = late(&all, &path);
    press(&mut model, "2 Up");
    let under = |model: &Model| model.places.messages.cursor.and_then(|row| model.seen().rows.get(row)).cloned();
    let (number, row) = (model.places.messages.cursor.unwrap(), under(&model).unwrap());
    update(&mut model, ScreenMessage::SoFar(read(wanted.unwrap())));
    assert_eq!(under(&model).unwrap().text, row.text);
    assert!(model.places.messages.cursor.unwrap() > number, "other rows came before it");
}

#[test]
fn a_question_that_the_class_answered_before_is_over() {
    let place = tempfile::tempdir().unwrap();
    let mut records = calm_and(&[(2_000 * MS, "who")]);
    records.push(note(0, 2_500 * MS, ANSWERED));
    records.extend((0..2).map(|place| Record { at: 3_000 * MS + place, ..records[17].clone() }).collect::<Vec<_>>());
    let records = numbered(records);
    let path = session(place.path(), told_head(), &records);
    let (mut model, wanted) = late_at(told_head(), &records, &path);
    assert!(model.open_question().is_some(), "it has not heard of the answer");
    update(&mut model, ScreenMessage::SoFar(read(wanted.unwrap())));
    assert!(model.open_question().is_none());
    assert!(text(&mut model, 100, 30).contains("Right is 2. Nobody above 4 answers."));
}

#[test]
fn a_screen_that_comes_at_the_beginning_or_again_reads_nothing() {
    let records = crash();
    let (_, wanted) = late(&records[..RECENT], Path::new("first.jsonl"));
    assert_eq!(wanted, None, "the snapshot holds all");
    let (mut model, wanted) = late(&records, Path::new("first.jsonl"));
    assert!(wanted.is_some());
    let again = snapshot(&records[3..], 0);
    assert!(update(&mut model, ScreenMessage::Frame(Box::new(again))).is_empty(), "it reaches back to what is known");
}

#[test]
fn a_screen_that_has_missed_records_knows_all_after_another_connection() {
    let place = tempfile::tempdir().unwrap();
    let all = storm();
    let path = session(place.path(), head(), &all);
    let (mut model, _) = late(&all[..20], &path);
    let known = crash().len();
    let wanted = connect(&mut model, head(), &all[..known], &path, 7);
    assert_eq!(wanted, None, "it has just read: one that does not keep up would fall behind even further");
    model.clock += std::time::Duration::from_secs(61);
    let wanted = connect(&mut model, head(), &all[..known + 8], &path, 7).unwrap();
    all[known + 8..].iter().for_each(|record| hear(&mut model, record.clone()));
    update(&mut model, ScreenMessage::SoFar(read(wanted)));
    assert_eq!(model.time.scene.rows.len(), live(&all).time.scene.rows.len());
}

#[test]
fn what_cannot_be_read_is_told_and_the_present_stays() {
    let place = tempfile::tempdir().unwrap();
    let all = crash();
    let other = session(place.path(), Head { lab_id: "another".into(), ..head() }, &all);
    let (mut model, wanted) = late(&all, &other);
    let before = model.time.scene.rows.len();
    update(&mut model, ScreenMessage::SoFar(read(wanted.clone().unwrap())));
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("does not know what the lab did before it came") && screen.contains("not its session"));
    assert_eq!(model.time.scene.rows.len(), before);

    fs::remove_file(&other).unwrap();
    assert!(matches!(read(wanted.clone().unwrap()), Err(NotReadSoFar::Session { .. })));
    session(place.path(), head(), &all[..10]);
    assert!(matches!(read(wanted.clone().unwrap()), Err(NotReadSoFar::LacksRecords(_))));
    fs::remove_file(&other).unwrap();
    session(place.path(), head(), &all);
    let so_far = read(wanted.unwrap()).unwrap();
    hear(&mut model, Record { number: 99, ..all[20].clone() });
    let before = model.time.scene.rows.len();
    update(&mut model, ScreenMessage::SoFar(Ok(so_far)));
    assert_eq!(model.time.scene.rows.len(), before, "records are missing between: it does not pretend to know all");
}
