//! Messages that are shown for a while, in the strip above the footer.
//!
//! Invariant: they cover no row.

use std::time::Duration;

use super::stage::{MS, crash, live, replay, storm, violation};
use super::{hear, press, text};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Tone;
use record::{Body, Outcome, Record, VerdictAbout};

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
        assert!(strip.last().unwrap().starts_with("✗ ") && strip[0].contains('…'), "{screen}");
        assert!(strip[0].ends_with("+1 more"), "{screen}");
        assert!(screen.lines().rev().nth(rows + 1).unwrap().ends_with("the newest row"), "{screen}");
    }
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(60)));
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

#[test]
fn enter_opens_what_is_under_the_cursor_while_a_violation_is_told() {
    let mut model = live(&storm());
    hear(&mut model, Record { number: 900, ..Record::of_host(7000 * MS, Body::Violation(violation())) });
    assert!(text(&mut model, 120, 30).contains("V shows all"));
    press(&mut model, "Enter");
    assert!(text(&mut model, 100, 30).contains("─ node 1 ─"));
    press(&mut model, "Esc 5 Enter");
    assert!(text(&mut model, 100, 30).contains("─ link 1 -> "));
    press(&mut model, "Esc V Enter");
    assert!(text(&mut model, 100, 30).contains("─ record ─"));
}

#[test]
fn beside_other_panes_the_log_keeps_two_rows_and_what_is_not_shown_is_counted() {
    let mut model = live(&storm());
    model.toasts.clear();
    for name in ["first", "second", "third", "fourth"] {
        model.tell(Tone::Bad, format!("The {name}."));
    }
    let screen = text(&mut model, 140, 45);
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[42].starts_with("✗ The third.") && lines[43].starts_with("✗ The fourth."), "{screen}");
    assert!(lines[43].ends_with("+2 more"), "{screen}");
    assert!(lines[39].contains("log") && lines[41].contains("met: coordinator 4"), "{screen}");
}

fn met(number: u64, at: i64, what: &str) -> Record {
    let about = VerdictAbout::Expectation(0);
    Record {
        number,
        ..Record::of_host(at, Body::Verdict { about, outcome: Outcome::Met, text: format!("met {what}") })
    }
}

#[test]
fn what_was_expected_is_told_in_one_line_and_not_for_long() {
    let mut model = live(&crash());
    model.toasts.clear();
    for (number, what) in (900..).zip(["help none after \"settled\"", "coordinator 4: at 3.200 s", "no violation"]) {
        hear(&mut model, met(number, 7_000 * MS, what));
    }
    let told: Vec<&str> = model.toasts.iter().map(|toast| toast.text.as_str()).collect();
    assert_eq!(told, ["As the lab expects: met no violation"], "the log has all");
    let later = model.clock + Duration::from_millis(4_100);
    update(&mut model, ScreenMessage::Tick(later));
    assert_eq!(model.toasts.iter().count(), 0);
}

#[test]
fn what_was_told_of_a_moment_goes_when_one_goes_elsewhere() {
    for keys in ["[", "Home", "h", ",", ": s e e k Space 1 Enter"] {
        let mut model = replay(&storm());
        press(&mut model, "}");
        assert!(text(&mut model, 100, 30).contains("Excused violation of assertion-1"));
        press(&mut model, keys);
        assert!(!text(&mut model, 100, 30).contains("Excused violation of assertion-1"), "{keys}");
    }
}
