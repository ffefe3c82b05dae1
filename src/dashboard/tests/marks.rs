//! Markers, notes and chapters on the screen.
//!
//! Invariant: what a person wrote is shown once the file has it.

use super::stage::{MS, calm, live, options, replay, storm};
use super::{press, text, write_text};
use crate::input::message::{Command, NoteChange, ScreenMessage};
use crate::input::update::{seek, update};
use crate::model::Model;
use crate::time::feed::Feed;
use crate::{Role, Source};
use record::{NoteKind, NotesFile, SessionNote};

/// A replay beside which notes can be written.
fn noted() -> (tempfile::TempDir, Model) {
    let place = tempfile::tempdir().unwrap();
    let mut model = replay(&storm());
    let path = place.path().join("s.jsonl");
    model.notes.file = Some(NotesFile::beside(&path, &model.head.as_ref().unwrap().lab_id));
    (place, model)
}

/// Carries out what the screen wants done with notes.
fn carry_out(model: &mut Model, commands: Vec<Command>) -> usize {
    let mut done = 0;
    for command in commands {
        let Command::Note(file, change) = command else { panic!("{command:?}") };
        let kept = match &change {
            NoteChange::Written(note) => file.add(note),
            NoteChange::TakenBack(note) => file.take_back(note),
        };
        update(model, ScreenMessage::NoteChanged { change, refused: kept.err().map(|error| error.to_string()) });
        done += 1;
    }
    done
}

fn line(model: &mut Model, line: &str) -> String {
    press(model, ":");
    write_text(model, line);
    let commands = press(model, "Enter");
    carry_out(model, commands);
    let screen = text(model, 140, 45);
    if model.dialogs.prompt.is_some() {
        press(model, "Esc");
    }
    screen
}

fn texts(model: &Model) -> Vec<String> {
    model.notes.all().map(|note| format!("{} {}", note.at / MS, note.text)).collect()
}

#[test]
fn a_marker_is_written_by_key_and_found_again_by_key_line_and_name() {
    let (_place, mut model) = noted();
    seek(&mut model, 2_000 * MS);
    press(&mut model, "M");
    write_text(&mut model, "the crash");
    let commands = press(&mut model, "Enter");
    assert!(texts(&model).is_empty(), "the file has not taken it yet");
    assert_eq!(carry_out(&mut model, commands), 1);
    seek(&mut model, 500 * MS);
    line(&mut model, "chapter How it begins");
    seek(&mut model, 3_000 * MS);
    line(&mut model, "note nobody hears 5");
    assert_eq!(texts(&model), ["500 How it begins", "2000 the crash", "3000 nobody hears 5"]);

    press(&mut model, "K");
    assert_eq!(model.time.scene.at, 2_000 * MS);
    press(&mut model, "K K");
    assert_eq!(model.time.scene.at, 500 * MS, "there is none before the first");
    press(&mut model, "J");
    assert_eq!(model.time.scene.at, 2_000 * MS);
    for (words, at) in [("chapter 1", 500), ("note hears", 3_000), ("marker THE CRASH", 2_000)] {
        line(&mut model, &format!("seek {words}"));
        assert_eq!(model.time.scene.at, at * MS, "{words}");
    }
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("How it begins") && screen.contains("the crash"), "{screen}");

    line(&mut model, "unmark");
    assert_eq!(texts(&model), ["500 How it begins", "3000 nobody hears 5"]);
    let file = model.notes.file.clone().unwrap();
    assert_eq!(file.read().unwrap().notes.len(), 2);
}

#[test]
fn notes_are_told_as_a_playing_picture_passes_them() {
    let (_place, mut model) = noted();
    let at = 1_000 * MS;
    model.notes.take(SessionNote::new(NoteKind::Note, at, 0, "look at 4").unwrap());
    seek(&mut model, at - 50 * MS);
    press(&mut model, "Space");
    for tick in 1..=3 {
        update(&mut model, ScreenMessage::Tick(std::time::Duration::from_millis(tick * 100)));
    }
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("note 1 of 1: look at 4"), "{screen}");
}

#[test]
fn where_nothing_can_be_written_it_is_said_why() {
    let mut of_lab = live(&calm());
    let Feed::Live(lab) = &mut of_lab.time.feed else { panic!() };
    lab.session = None;
    assert!(line(&mut of_lab, "marker x").contains("This lab is not recorded"));
    let (_place, mut model) = noted();
    assert!(line(&mut model, "marker").contains("Write what it says"));
    assert!(
        line(&mut model, "unmark").contains("There is no marker, note or chapter at this moment; J and K go to one.")
    );
    // In a live lab these keys go nowhere.
    assert!(line(&mut live(&calm()), "unmark").contains("There is no marker, note or chapter at this moment."));
    model.notes.file = None;
    assert!(line(&mut model, "note x").contains("cannot be read"));
}

#[test]
fn a_session_shows_what_was_written_beside_it_and_says_what_cannot_be_read() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.jsonl");
    let mut lines = vec![serde_json::to_string(&super::stage::head()).unwrap()];
    lines.extend(storm().iter().map(record::Record::to_line));
    std::fs::write(&path, lines.join("\n")).unwrap();
    let file = NotesFile::beside(&path, &super::stage::head().lab_id);
    file.add(&SessionNote::new(NoteKind::Chapter, 400 * MS, 0, "The storm").unwrap()).unwrap();
    std::fs::write(file.path(), std::fs::read_to_string(file.path()).unwrap() + "nonsense\n").unwrap();
    let options = options(Source::Session(path.clone()), Role::Visitor);
    let session = record::StoredSession::open(&path).unwrap();
    let mut model = Model::opened(&options, session).unwrap();
    assert_eq!(texts(&model), ["400 The storm"]);
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("The storm") && screen.contains("1 of the lines of"), "{screen}");
}

#[test]
fn a_line_seeks_records_faults_elections_and_violations() {
    let (_place, mut model) = noted();
    for (words, kind) in
        [("record 12", ""), ("fault f1", "fault-ordered"), ("election 1", ""), ("violation 1", "violation")]
    {
        line(&mut model, &format!("seek {words}"));
        let last = model.time.scene.records.all().last().unwrap();
        assert!(last.to_line().contains(kind), "{words}: {}", last.to_line());
        assert!(words != "record 12" || last.number == 12);
    }
    assert!(line(&mut model, "seek violation 99").contains("There is no violation 99 in this session."));
    assert!(line(&mut model, "seek marker nowhere").contains("There is no marker nowhere in this session."));
}
