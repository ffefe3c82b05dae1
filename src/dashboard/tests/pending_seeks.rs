//! Going to where a long session file has not been read to yet.
//!
//! Invariant: no key waits for the file.

use std::time::Duration;

use super::stage::{MS, head, storm};
use super::{press, text, write_text};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use crate::model::places::Screen;
use crate::options::{Role, Source};
use record::{Record, StoredSession};

const RECORDS: u64 = 20_000;

/// A screen for a session file of which only the first piece has been read, and the place of the file.
fn opened() -> (Model, tempfile::TempDir) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.jsonl");
    let base = storm();
    let mut lines = vec![serde_json::to_string(&head()).unwrap()];
    for (number, record) in (1..=RECORDS).zip(base.iter().cycle()) {
        lines.push(Record { number, at: number as i64 * MS, ..record.clone() }.to_line());
    }
    std::fs::write(&path, lines.join("\n")).unwrap();
    let options = super::stage::options(Source::Session(path.clone()), Role::Visitor);
    (Model::opened(&options, StoredSession::open(&path).unwrap()).unwrap(), place)
}

fn tick(model: &mut Model) {
    update(model, ScreenMessage::Tick(model.clock + Duration::from_millis(10)));
}

fn is_whole(model: &Model) -> bool {
    !model.is_reading()
}

#[test]
fn the_end_of_a_long_file_is_reached_while_keys_work() {
    let (mut model, _place) = opened();
    let at = model.time.scene.at;
    press(&mut model, "End");
    assert!(!is_whole(&model) && model.time.scene.at == at && model.time.pending.is_some());
    let reading = text(&mut model, 80, 24);
    assert!(reading.contains("READING ON, 1") && reading.contains("% read"), "{reading}");
    tick(&mut model);
    press(&mut model, "3");
    assert!(model.places.screen == Screen::Faults && model.time.pending.is_some(), "a look elsewhere changes nothing");
    let mut before = model.percent_read();
    while !is_whole(&model) {
        tick(&mut model);
        assert!(model.percent_read() >= before);
        before = model.percent_read();
    }
    tick(&mut model);
    assert_eq!(
        (model.time.scene.at, model.percent_read(), model.time.pending.is_none()),
        (RECORDS as i64 * MS, 100, true)
    );
    assert!(!text(&mut model, 80, 24).contains("READING"));
}

#[test]
fn escape_stays_and_another_way_takes_its_place() {
    let (mut model, _place) = opened();
    press(&mut model, "End Esc");
    assert!(model.time.pending.is_none());
    tick(&mut model);
    assert!(model.time.scene.at < MS);
    press(&mut model, "End l");
    assert!(model.time.pending.is_none() && model.time.scene.at > 900 * MS);
    press(&mut model, "End Home");
    while !is_whole(&model) {
        tick(&mut model);
    }
    assert!(model.time.scene.at < MS, "it was asked to be at the beginning");
}

#[test]
fn a_line_that_seeks_far_ahead_is_carried_out_as_soon_as_the_file_is_read_so_far() {
    for (line, at) in [("seek 15s", 15_000 * MS), ("seek record 12000", 12_000 * MS), ("seek election 90000", 0)] {
        let (mut model, _place) = opened();
        press(&mut model, ":");
        write_text(&mut model, line);
        press(&mut model, "Enter");
        assert!(model.time.pending.is_some() && model.dialogs.prompt.is_none(), "{line}");
        while model.time.pending.is_some() {
            tick(&mut model);
        }
        assert_eq!(is_whole(&model), at == 0, "{line}");
        if at == 0 {
            assert!(model.toasts.back().unwrap().text.contains("no election 90000"), "{line}");
        } else {
            assert_eq!(model.time.scene.at, at, "{line}");
        }
    }
}
