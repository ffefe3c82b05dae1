//! What a terminal might obey, in every text of every record, on every panel.
//!
//! Invariant: the session is the one that the commands are tested with.

#[path = "../../../tests/real/hostile.rs"]
mod texts;

use serde_json::json;

use self::texts::{SAMPLES, is_poisoned, poison, records, spoiled};
use super::stage::{head, live, options};
use super::{draw, press, replay_of, write_text};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use crate::{Role, Source};
use record::{Answer, Frame, Head, Record, Request, SessionReader};

/// What shows every screen, and what opens from it.
const EVERYWHERE: &[&str] = &["1", "Enter", "Esc", "2", "Enter", "Esc", "3", "Enter", "Esc", "?", "Esc", ":", "Esc"];
/// What shows a row of the overview and of the messages, and the details of the last one.
const ROWS: &[&str] = &["1", "2", "Enter"];

/// Presses the keys, and looks at every cell after each.
fn look(model: &mut Model, what: &str, keys: &[&str], sizes: &[(u16, u16)]) {
    for keys in keys {
        press(model, keys);
        for (width, height) in sizes {
            let buffer = draw(model, *width, *height);
            let cell = buffer.content.iter().find(|cell| is_poisoned(cell.symbol()));
            assert_eq!(cell, None, "{what}: {keys}");
        }
    }
}

#[test]
fn no_panel_shows_what_a_terminal_would_obey() {
    let session = format!("{}\n{}", json!(head()), records());
    let mut model =
        replay_of(&options(Source::Session("x".into()), Role::Visitor), SessionReader::read(session.as_bytes()));
    press(&mut model, "End");
    look(&mut model, "the end of a replay", EVERYWHERE, &[(200, 60), (80, 24), (40, 12)]);
    for (line, record) in SAMPLES.lines().zip(SessionReader::read(format!("\n{SAMPLES}").as_bytes()).records) {
        let spoiled = spoiled(&serde_json::from_str(line).unwrap());
        let read = spoiled.iter().filter_map(|record| Record::from_line(&record.to_string()).ok());
        let mut model = live(&read.chain([record]).collect::<Vec<Record>>());
        look(&mut model, line, ROWS, &[(100, 30)]);
    }
}

#[test]
fn neither_a_head_nor_an_answer_nor_a_goodbye_is_obeyed() {
    for head in spoiled(&json!(head())) {
        let Ok(read) = serde_json::from_value::<Head>(head.clone()) else { continue };
        let session = SessionReader { head: Some(read), ..SessionReader::read(format!("\n{SAMPLES}").as_bytes()) };
        let mut model = replay_of(&options(Source::Session(poison().into()), Role::Visitor), session);
        press(&mut model, "End");
        look(&mut model, &head.to_string(), ROWS, &[(100, 30)]);
    }
    let mut model = live(&[]);
    for answer in [Answer::Done { id: None, text: poison() }, Answer::Refused { why: poison() }] {
        update(&mut model, ScreenMessage::Answered { request: Request::Inject(poison()), answer });
        look(&mut model, "an answer", &["Tab"], &[(100, 30)]);
    }
    press(&mut model, ":");
    write_text(&mut model, &poison());
    look(&mut model, "the prompt", &["Left"], &[(100, 30)]);
    update(&mut model, ScreenMessage::Frame(Box::new(Frame::Goodbye { why: poison() })));
    look(&mut model, "a goodbye", &["Tab"], &[(100, 30)]);
}
