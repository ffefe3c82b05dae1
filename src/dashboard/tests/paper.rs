//! The paper's listing: who is on which line, what was reached, and the ways to a line and back.
//!
//! Invariant: what is expected of a line is counted by hand from the records of the stage.

use std::sync::Arc;

use insta::assert_snapshot;

use super::stage::{MS, calm, crash, given, lab, live, live_with, node, numbered, options, replay, snapshot, step};
use super::{hear, press, styled, text};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::places::{PaperCursor, PaperItem, Screen};
use crate::model::{Model, Subject};
use crate::{Colour, Glyphs, Options, Role};
use protocol::{Facts, HoleFact, HoleStanding, Line, LineTaker, ListingLine};
use record::{Body, Frame, Input, Missed, Record};

/// A start goes through line 1, a time-out through 7 and 8, a message through 12.
fn with_lines(records: Vec<Record>) -> Vec<Record> {
    let lined = |mut record: Record| {
        if let Body::Step(step) = &mut record.body {
            step.lines = match step.input {
                Input::Start { .. } => vec![1],
                Input::Timer { .. } => vec![7, 8],
                _ => vec![12],
            };
        }
        record
    };
    records.into_iter().map(lined).collect()
}

fn list(facts: &mut Facts) {
    let line = |number, procedure, text| ListingLine::of(&Line::new(number, procedure, text));
    facts.listing = vec![
        line(1, "Recovery", "Start an election after a crash."),
        line(7, "Election", "Ask every higher node whether it is there; if one answers, leave the state as it was."),
        line(8, "Election", "All are silent for T: halt every lower node."),
        ListingLine::of(&Line::of_killed(9, "Election", "fault (the process is killed): to fail")),
        line(12, "Elected", "Take the sender of Elected for coordinator."),
        line(20, "Check", "Ask all others whether they are normal."),
    ];
    let hole = |number: &str, title: &str, lines: &[u16], lab: Option<&str>, standing| HoleFact {
        number: number.into(),
        title: title.into(),
        stands_in: "Appendix I".into(),
        lines: lines.to_vec(),
        lab: lab.map(str::to_owned),
        standing,
    };
    facts.holes = vec![
        hole("B1", "Two coordinators never find each other.", &[12], Some("bully-pause"), HoleStanding::Open),
        hole("B2", "A node stays in Election for ever.", &[7, 20], None, HoleStanding::InAnotherText),
        hole("B9", "Nobody hears of it.", &[], None, HoleStanding::Mended),
    ];
}

fn listed(mut model: Model) -> Model {
    list(Arc::make_mut(model.time.scene.facts.as_mut().unwrap()));
    list(&mut model.head.as_mut().unwrap().facts);
    model
}

/// The lab after the crash; 3 has just come to lines 7 and 8.
fn failover() -> Vec<Record> {
    let mut records = crash();
    let timer = Input::Timer { timer: "silence".into(), set: 0, due: 1, waited_for: Default::default() };
    records.push(step(3400 * MS, 3, timer, vec![], None));
    numbered(with_lines(records))
}

fn paper() -> Model {
    let mut model = listed(live(&failover()));
    press(&mut model, "4");
    model
}

/// The first row of a line, with one blank between its words.
fn row(model: &mut Model, number: &str) -> String {
    let screen = text(model, 80, 40);
    let starts = |line: &&str| line.trim_start_matches(['›', '◆', ' ']).starts_with(&format!("{number} "));
    let row = screen.lines().find(starts).unwrap_or_else(|| panic!("{screen}"));
    row.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_paper() {
    assert_snapshot!(styled(&mut paper(), 80, 30));
}

#[test]
fn the_paper_compact() {
    assert_snapshot!(text(&mut paper(), 60, 16));
}

#[test]
fn the_paper_in_ascii_and_without_colour() {
    let plain = Options { glyphs: Glyphs::Ascii, colour: Colour::Mono, ..options(lab(None), Role::Visitor) };
    let mut model = listed(live_with(plain, &failover()));
    press(&mut model, "4");
    let screen = styled(&mut model, 100, 30);
    assert!(screen.is_ascii(), "{screen}");
    assert_snapshot!(screen);
}

#[test]
fn each_line_says_who_is_on_it_and_how_often_it_was_reached() {
    let mut model = paper();
    // Five starts; two time-outs; in calm and after the crash 5 and 4 messages. 9 is for the dead, 20 was never reached.
    assert_eq!(row(&mut model, "1"), "1 ×5 Start an election after a crash.");
    assert!(row(&mut model, "7").starts_with("7 3A ×2 Ask every higher node"));
    assert!(row(&mut model, "8").starts_with("8 3A ×2 All are silent"));
    assert!(row(&mut model, "9").starts_with("9 - fault"));
    assert!(row(&mut model, "12").starts_with("› 12 4★A 1,2A ×9 Take the sender"));
    assert!(row(&mut model, "20").starts_with("20 · Ask all others"));
    let screen = text(&mut model, 80, 40);
    assert!(screen.contains("reached 4 of 5 lines (80 %)  1 of 3 holes open"), "{screen}");
    hear(&mut model, Record::of_node(3500 * MS, node(4), Body::Died { death: record::Death::Exited { code: 1 } }));
    assert!(row(&mut model, "12").starts_with("› 12 1,2A ×9"), "{}", row(&mut model, "12"));
}

#[test]
fn the_cursor_goes_with_the_selected_node_until_a_person_moves_it() {
    let mut model = listed(live(&failover()));
    press(&mut model, "j j 4");
    assert!(text(&mut model, 80, 40).contains("follows 3"));
    assert!(row(&mut model, "8").starts_with('›'), "the last line of its step");
    let message = with_lines(vec![step(3600 * MS, 3, given(4, 3, "Elected"), vec![], None)]).remove(0);
    hear(&mut model, message.clone());
    assert!(row(&mut model, "12").starts_with('›'));
    press(&mut model, "k");
    assert!(row(&mut model, "9").starts_with('›') && text(&mut model, 80, 40).contains("not following (f)"));
    hear(&mut model, Record { at: 3700 * MS, ..message });
    assert!(row(&mut model, "9").starts_with('›'), "it stays");
    press(&mut model, "g");
    assert_eq!(model.places.paper.cursor, PaperCursor::On(PaperItem::Line(1)));
    press(&mut model, "G");
    assert_eq!(model.places.paper.cursor, PaperCursor::On(PaperItem::Hole(2)));
    press(&mut model, "k k k");
    assert_eq!(model.places.paper.cursor, PaperCursor::On(PaperItem::Line(20)));
    press(&mut model, "f");
    assert!(row(&mut model, "12").starts_with('›'));
    press(&mut model, "f");
    assert_eq!(model.places.paper.cursor, PaperCursor::On(PaperItem::Line(12)), "it stops where it is");
    assert_eq!((model.selected_node(), model.places.screen), (Some(node(3)), Screen::Paper));
}

#[test]
fn a_page_is_a_page_of_rows_and_skips_no_line() {
    let mut model = paper();
    let facts = Arc::make_mut(model.time.scene.facts.as_mut().unwrap());
    for number in 30..60 {
        // Each of these takes three rows of the narrow screen.
        let text = format!("begin{number} {}", "and on and on ".repeat(7));
        facts.listing.push(ListingLine { number, procedure: "Check".into(), text, taken_by: LineTaker::Running });
    }
    for (key, from, to) in [("PgDn", "g", PaperItem::Hole(2)), ("PgUp", "G", PaperItem::Line(1))] {
        text(&mut model, 60, 16);
        press(&mut model, from);
        let mut seen = String::new();
        for _ in 0..20 {
            seen.push_str(&text(&mut model, 60, 16));
            press(&mut model, key);
        }
        assert_eq!(model.places.paper.cursor, PaperCursor::On(to));
        let missing = (30..60).find(|number| !seen.contains(&format!("begin{number}")));
        assert_eq!(missing, None, "{key}");
    }
}

#[test]
fn from_a_row_to_its_lines_and_back() {
    let records = failover();
    let timeout = records.iter().rfind(|record| record.at == 3100 * MS).unwrap().number;
    // From the messages: 4's time-out, up from the newest row.
    let mut model = listed(live(&records));
    press(&mut model, "2");
    while model.selected_message().and_then(|row| model.time.scene.rows.get(row)).unwrap().record.number != timeout {
        press(&mut model, "k");
    }
    let cursor = model.places.messages.cursor;
    press(&mut model, "4");
    let screen = text(&mut model, 80, 40);
    assert!(screen.contains(&format!("◆ record {timeout}")), "{screen}");
    assert!(row(&mut model, "7").starts_with('›') && row(&mut model, "8").starts_with('◆'), "{screen}");
    press(&mut model, "Esc");
    assert_eq!((model.places.screen, model.places.messages.cursor), (Screen::Messages, cursor));
    // From its page, which is still open afterwards.
    press(&mut model, "Enter 4");
    assert!(model.dialogs.layer.is_none() && row(&mut model, "8").starts_with('◆'));
    press(&mut model, "Esc");
    assert!(matches!(&model.dialogs.layer, Some(layer) if matches!(layer.about, Subject::Row(_))));
    press(&mut model, "Esc");
    assert_eq!((model.places.screen, model.dialogs.layer.is_none()), (Screen::Messages, true));
    // From the flow.
    press(&mut model, "1 Tab k");
    let in_flow = model.places.panes.flow_cursor;
    assert!(in_flow.is_some());
    press(&mut model, "4");
    assert!(model.places.paper.traced.is_some());
    press(&mut model, "Esc");
    assert_eq!((model.places.screen, model.places.panes.flow_cursor), (Screen::Overview, in_flow));
    // Without a row the listing follows the node, as at first, and Esc leads back too.
    press(&mut model, "2 G 4");
    assert_eq!((model.places.paper.traced.clone(), model.places.paper.cursor), (None, PaperCursor::Following));
    press(&mut model, "Esc");
    assert_eq!(model.places.screen, Screen::Messages);
    // What one came from is forgotten on the way round by Tab.
    press(&mut model, "4 Tab Tab Tab Tab Tab Esc");
    assert_eq!(model.places.screen, Screen::Overview);
}

#[test]
fn a_row_without_lines_says_so_and_a_page_of_a_node_leads_to_the_nodes_line() {
    let mut model = listed(live(&failover()));
    press(&mut model, "2 g 4");
    assert!(model.toasts.back().unwrap().text.contains("went through no line"));
    assert_eq!(model.places.paper.cursor, PaperCursor::Following);
    press(&mut model, "Esc g Esc 1 j j j Enter");
    assert!(text(&mut model, 80, 40).contains("─ node 4 ─"));
    press(&mut model, "4");
    assert!(text(&mut model, 80, 40).contains("follows 4"));
    press(&mut model, "Esc");
    assert!(text(&mut model, 80, 40).contains("─ node 4 ─"));
}

#[test]
fn a_line_opens_its_last_records_the_newest_first() {
    let mut model = paper();
    press(&mut model, "g j Enter");
    let screen = text(&mut model, 100, 30);
    for (line, is_there) in [
        ("─ line 7 ─", true),
        ("reached      2 times", true),
        ("on it        3", true),
        ("the last 2 records that went through it, the newest first", true),
        ("hole B2, of another text", true),
        ("› 3.400 s    3", true),
        ("  3.100 s    4", true),
        ("4.000 s", false),
    ] {
        assert_eq!(screen.contains(line), is_there, "{line}: {screen}");
    }
    assert!(screen.find("3.400 s").unwrap() < screen.find("3.100 s").unwrap());
    // What comes later does not move the list.
    let timer = Input::Timer { timer: "silence".into(), set: 0, due: 1, waited_for: Default::default() };
    hear(&mut model, with_lines(vec![step(4000 * MS, 2, timer, vec![], None)]).remove(0));
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("reached      3 times") && !screen.contains("4.000 s"), "{screen}");
    press(&mut model, "j Enter");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("─ record ─") && screen.contains("3.100000000 s"), "{screen}");
    press(&mut model, "q q");
    assert!(model.dialogs.layer.is_none() && model.places.screen == Screen::Paper);
    press(&mut model, "j j Enter");
    assert!(text(&mut model, 100, 30).contains("only a killed process could go through it"));
    press(&mut model, "q j Enter");
    assert!(text(&mut model, 100, 30).contains("`hustings up bully-pause` shows it."));
}

#[test]
fn a_hole_leads_to_its_line() {
    let mut model = paper();
    press(&mut model, "G Enter");
    assert!(model.toasts.back().unwrap().text.contains("The paper has no line about this."));
    press(&mut model, "k Enter");
    assert_eq!((model.places.paper.cursor, model.dialogs.layer.is_none()), (PaperCursor::On(PaperItem::Line(7)), true));
}

#[test]
fn a_screen_that_comes_late_knows_what_was_reached_and_says_when_it_cannot() {
    let Frame::Snapshot { head, world, session, steps_held, .. } = snapshot(&failover(), 0) else { panic!() };
    let mut model = live(&with_lines(calm()));
    update(
        &mut model,
        ScreenMessage::Frame(Box::new(Frame::Snapshot { head, world, recent: vec![], missed: 0, session, steps_held })),
    );
    let mut model = listed(model);
    press(&mut model, "4");
    assert!(text(&mut model, 80, 40).contains("reached 4 of 5 lines (80 %)"));
    // It has the records that came before, and these went through other lines.
    press(&mut model, "g j Enter");
    assert!(text(&mut model, 80, 40).contains("this screen keeps none of the records that went through it"));
    press(&mut model, "Esc");
    let missed = Missed { count: 3, place: "on their way".into() };
    hear(&mut model, Record::of_host(5000 * MS, Body::Gap(missed)));
    assert!(text(&mut model, 80, 40).contains("reached at least 4 of 5 lines (80 %)"));
    let mut alone = listed(live_with(options(lab(Some(node(3))), Role::Visitor), &failover()));
    press(&mut alone, "4");
    assert!(text(&mut alone, 80, 40).contains("reached at least"), "{}", text(&mut alone, 80, 40));
}

#[test]
fn a_replay_reaches_line_by_line_and_back() {
    let mut model = replay(&failover());
    press(&mut model, "4");
    let share = |model: &mut Model| text(model, 80, 24).lines().nth(2).unwrap().to_owned();
    // The stage's own listing has the lines 1, 7 and 12.
    let before = share(&mut model);
    assert!(before.starts_with("reached 0 of 3 lines (0 %)") && before.ends_with("1 is on no line"), "{before}");
    press(&mut model, "End");
    assert!(share(&mut model).starts_with("reached 3 of 3 lines (100 %)"));
    press(&mut model, "h h h");
    assert!(share(&mut model).starts_with("reached 1 of 3 lines (33 %)"), "{}", share(&mut model));
}

#[test]
fn many_processes_on_one_line_are_counted_where_their_numbers_do_not_fit() {
    let mut model = listed(live(&calm()));
    model.time.scene.world = world::World::new(protocol::Roster::new(60).unwrap());
    for who in (1..=60).filter(|who| who % 3 != 0) {
        hear(&mut model, with_lines(vec![step(0, who, Input::Start { saved: false }, vec![], None)]).remove(0));
    }
    press(&mut model, "4");
    assert!(row(&mut model, "1").starts_with("› 1 40× ×40 Start"), "{}", row(&mut model, "1"));
}
