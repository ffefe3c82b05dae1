//! Messages that are shown for a while, in the strip above the footer.
//!
//! Invariant: they cover no row.

use std::time::Duration;

use super::stage::{MS, crash, live, storm};
use super::{hear, press, text};
use crate::dashboard::happening::Happening;
use crate::dashboard::model::Tone;
use crate::dashboard::update::update;
use crate::record::{Body, Record};

#[test]
fn messages_take_room_and_cover_no_row() {
    let mut model = live(&crash());
    press(&mut model, "2");
    model.tell(Tone::Bad, "It is wrong.");
    hear(&mut model, Record::of_host(900 * MS, Body::Note { text: "the newest row".into() }));
    for (size, told) in [((80, 24), 1), ((60, 16), 1), ((100, 30), 1)] {
        let screen = text(&mut model, size.0, size.1);
        let lines: Vec<&str> = screen.lines().collect();
        let strip = lines.len() - 1 - told;
        assert_eq!(lines[strip], "✗ It is wrong.");
        assert!(lines[strip - 1].ends_with("the newest row"), "{screen}");
    }
    let long = "word ".repeat(100);
    model.tell(Tone::Bad, long);
    for (size, rows) in [((80, 24), 2), ((100, 30), 4)] {
        let screen = text(&mut model, size.0, size.1);
        let strip: Vec<&str> = screen.lines().rev().skip(1).take(rows).collect();
        assert!(strip.last().unwrap().starts_with("✗ ") && strip[0].ends_with('…'), "{screen}");
        assert!(screen.lines().rev().nth(rows + 1).unwrap().ends_with("the newest row"), "{screen}");
    }
    update(&mut model, Happening::Tick(Duration::from_secs(60)));
    assert!(text(&mut model, 80, 24).lines().rev().nth(1).unwrap().ends_with("the newest row"));
}

#[test]
fn like_messages_are_counted() {
    let mut model = live(&storm());
    model.toasts.clear();
    for _ in 0..3 {
        model.tell(Tone::Bad, "No node is marked.");
    }
    model.tell(Tone::Plain, "Something else.");
    model.tell(Tone::Bad, "No node is marked.");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("› Something else.\n✗ ×4  No node is marked.\n"), "{screen}");
}

#[test]
fn of_an_older_message_the_beginning_is_shown() {
    let mut model = live(&crash());
    model.toasts.clear();
    model.tell(Tone::Bad, format!("The older: {}", "word ".repeat(20)));
    model.tell(Tone::Good, "The newer.");
    let screen = text(&mut model, 80, 24);
    let strip: Vec<&str> = screen.lines().rev().skip(1).take(2).collect();
    assert_eq!(strip[0], "● The newer.");
    assert!(strip[1].starts_with("✗ The older: word") && strip[1].ends_with('…'), "{screen}");
}
