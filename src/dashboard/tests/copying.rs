//! Copying what is under the cursor.

use super::stage::{MS, crash, live, node, numbered, storm};
use super::{press, text};
use crate::input::message::Command;
use crate::model::Model;
use record::{Body, Record};

fn copied(model: &mut Model, keys: &str) -> String {
    match &press(model, keys)[..] {
        [Command::Copy(text)] => text.clone(),
        other => panic!("{keys} copies nothing: {other:?}"),
    }
}

#[test]
fn a_fault_is_copied_as_its_line_a_row_with_its_time_and_a_page_whole() {
    let mut model = live(&storm());
    assert_eq!(copied(&mut model, "3 Up Up Y"), "partition 1,2|3-5");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("Sent to the terminal's clipboard: 1 line, 17 characters."), "{screen}");
    let row = copied(&mut model, "2 Up Y");
    assert!(row.starts_with("6.700 s  ") && !row.contains('\n'), "{row}");
    let page = copied(&mut model, "Enter Y");
    assert!(page.lines().count() > 3 && page.contains("6.700000000 s"), "{page}");
    assert!(model.dialogs.layer.is_some(), "the page stays open");
}

#[test]
fn why_is_copied_in_whole_sentences() {
    let mut model = live(&crash());
    let brief = copied(&mut model, "1 Down Down Down Y");
    assert!(brief.starts_with("4: ") && brief.lines().count() == 1, "{brief}");
    let why = copied(&mut model, "v Y");
    text(&mut model, 60, 16);
    assert_eq!(why, copied(&mut model, "Y"), "a narrow page breaks no sentence");
}

#[test]
fn nothing_of_a_session_that_a_terminal_or_a_shell_would_obey_is_copied() {
    let message = "a\u{1b}]0;x\u{7}\nrm -rf /\r\tb".to_owned();
    let mut records = crash();
    records.push(Record::of_node(4000 * MS, node(4), Body::Panicked { message }));
    let mut model = live(&numbered(records));
    let row = copied(&mut model, "2 G Y");
    assert!(row.contains("a\\u001b]0;x\\u0007\\nrm -rf /\\u000d\\tb"), "{row}");
    assert!(!row.chars().any(char::is_control), "{row:?}");
}

#[test]
fn without_a_row_there_is_nothing_to_copy() {
    let mut model = live(&[]);
    assert!(press(&mut model, "3 Y").is_empty());
    assert!(text(&mut model, 80, 24).contains("There is nothing under the cursor to copy."));
}

#[test]
fn an_election_is_copied_with_its_number() {
    let mut model = live(&crash());
    let copied = copied(&mut model, "6 Y");
    let mut lines = copied.lines();
    assert!(lines.next().unwrap().starts_with("election ") && lines.next().unwrap().starts_with("began"), "{copied}");
}
