//! The links screen: who hears whom, and what waits.
//!
//! Invariant: what is in force on a link is said without colour.

use insta::assert_snapshot;

use super::stage::{MS, calm, id, lab, live, live_with, message, node, numbered, options, replay, set, storm};
use super::{hear, lines_of, press, styled, text};
use crate::model::{Model, Subject};
use crate::{Colour, Glyphs, Options, Role};
use fault::FaultId;
use protocol::Roster;
use record::{Body, Record};
use world::World;

/// These lines are in force, f1 first; each names nodes.
fn in_force(mut records: Vec<Record>, lines: &[&str]) -> Vec<Record> {
    for (number, line) in (1..).zip(lines) {
        let (id, at) = (FaultId(number), (900 + i64::from(number)) * MS);
        let (parsed, rule) = (line.parse().unwrap(), line.parse().ok());
        let ordered = Body::FaultOrdered { id, line: parsed, nodes: set("1-5"), rule, step: None };
        records.push(Record::of_host(at, ordered));
        records.push(Record::of_host(at + MS / 2, Body::FaultInForce { id }));
    }
    numbered(records)
}

/// A hold from 5 to 4 with two datagrams, a cut one way, a loss, a delay, all at once.
fn mixed() -> Vec<Record> {
    let lines = ["hold 5->4", "cut 2->3", "loss 1->5 50%", "delay 1->4,5 5ms..9ms", "isolate 2"];
    let mut records = in_force(calm(), &lines[..4]);
    for (sequence, kind) in [(7, "AreYouNormal"), (8, "Halt")] {
        let held = Body::Held { id: id(5, 4, sequence), by: FaultId(1), span: None, message: Some(message(kind)) };
        records.push(Record::of_node((1000 + i64::try_from(sequence).unwrap()) * MS, node(4), held));
    }
    numbered(records)
}

fn link_of(model: &Model) -> String {
    let (from, to) = model.selected_link().unwrap();
    format!("{from}>{to}")
}

#[test]
fn the_links_with_their_drawing() {
    let mut model = live(&mixed());
    press(&mut model, "5");
    assert_snapshot!(styled(&mut model, 100, 30));
}

#[test]
fn the_links_in_a_storm_on_a_small_screen() {
    let mut model = live(&storm());
    press(&mut model, "5");
    assert_snapshot!(text(&mut model, 60, 16));
}

#[test]
fn the_drawing_alone_in_ascii_and_without_colour() {
    let plain = Options { glyphs: Glyphs::Ascii, colour: Colour::Mono, ..options(lab(None), Role::Visitor) };
    let mut model = live_with(plain, &mixed());
    press(&mut model, "5");
    let matrix = text(&mut model, 80, 24);
    press(&mut model, "z");
    let drawing = text(&mut model, 80, 24);
    assert!(matrix.is_ascii() && drawing.is_ascii(), "{matrix}\n{drawing}");
    assert_snapshot!(format!("{matrix}\n\n{drawing}"));
}

#[test]
fn the_queue_of_a_held_link() {
    let mut model = live(&mixed());
    press(&mut model, "5 Enter");
    assert_snapshot!(text(&mut model, 80, 24));
}

#[test]
fn the_cursor_begins_where_something_waits_and_goes_where_the_keys_send_it() {
    let mut model = live(&mixed());
    press(&mut model, "5");
    assert_eq!(link_of(&model), "5>4");
    for (keys, link) in
        [("k", "4>4"), ("Up Up", "2>4"), ("h", "2>3"), ("<", "2>2"), ("> l Right", "2>5"), ("G", "5>5"), ("g", "1>5")]
    {
        press(&mut model, keys);
        assert_eq!(link_of(&model), link, "{keys}");
    }
    press(&mut model, "j h h");
    assert!(text(&mut model, 80, 24).contains("2 -> 3: f2 cut 2->3 since 0.903 s."));
    assert!(text(&mut model, 80, 24).contains("3 -> 2: whole."));
}

#[test]
fn in_a_replay_the_arrows_are_of_time_and_the_angles_of_the_cursor() {
    let mut model = replay(&mixed());
    press(&mut model, "End 5");
    assert_eq!(link_of(&model), "5>4");
    press(&mut model, "<");
    assert_eq!(link_of(&model), "5>3");
    press(&mut model, "h");
    assert_eq!(link_of(&model), "5>3");
    assert!(!text(&mut model, 80, 24).contains("2 datagrams wait"), "a second before, nothing waited");
    press(&mut model, "End Enter");
    assert!(!text(&mut model, 80, 24).contains("may be ordered"));
}

#[test]
fn a_line_of_the_page_is_begun_in_the_palette() {
    let mut model = live(&mixed());
    press(&mut model, "5 Enter");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("release 5->4 reversed"), "{screen}");
    press(&mut model, "Down Down Down Enter");
    assert_eq!(lines_of(&press(&mut model, "Enter")), ["release 5->4"]);
}

#[test]
fn one_datagram_and_what_may_be_done_to_it() {
    let mut model = live(&mixed());
    press(&mut model, "5 Enter Down Enter");
    assert_snapshot!(text(&mut model, 80, 24));
    assert_eq!(lines_of(&press(&mut model, "Down Enter")), ["drop 5->4 8"]);
    // The queue is in sight again.
    assert!(text(&mut model, 80, 24).contains("what waits, in the order of its delivery"));
}

#[test]
fn each_act_is_a_line_and_a_datagram_that_has_gone_takes_none() {
    for (keys, line) in [("", "deliver"), ("Down", "drop"), ("Down Down", "double"), ("G", "first")] {
        let mut model = live(&mixed());
        press(&mut model, "5 Enter Enter");
        press(&mut model, keys);
        assert_eq!(lines_of(&press(&mut model, "Enter")), [format!("{line} 5->4 7")]);
    }
    let mut model = live(&mixed());
    press(&mut model, "5 Enter Enter");
    hear(&mut model, Record::of_node(1100 * MS, node(4), Body::Released { id: id(5, 4, 7), by: FaultId(9) }));
    assert!(text(&mut model, 80, 24).contains("It waits no longer"));
    assert_eq!(lines_of(&press(&mut model, "Down Enter")), [""; 0]);
    assert!(!text(&mut model, 80, 24).contains("AreYouNormal"));
}

#[test]
fn in_a_replay_a_datagram_is_shown_and_nothing_is_done_to_it() {
    let mut model = replay(&mixed());
    press(&mut model, "End 5 Enter Enter");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("number 7 from 5 to 4") && screen.contains("1 of 2"), "{screen}");
    assert!(!screen.contains("may be done"), "{screen}");
}

#[test]
fn of_many_nodes_those_that_faults_are_about_come_first_and_there_is_no_drawing() {
    let mut model = live(&calm());
    let mut world = World::new(Roster::new(60).unwrap());
    in_force(Vec::new(), &["cut 40->57", "loss 3->40 5%"]).iter().for_each(|record| world.fold(record));
    model.time.scene.world = world;
    press(&mut model, "5 z");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("The drawing has room for 16 processes; this lab has 60."), "{screen}");
    let heads = screen.lines().nth(2).unwrap();
    assert!(heads.split_whitespace().skip(3).take(5).eq(["3", "40", "57", "1", "2"]), "{screen}");
    assert!(screen.contains("link 3 -> 40") && screen.contains("of 60"), "{screen}");
    press(&mut model, "G l l l l");
    assert_eq!(link_of(&model), "60>4");
    let screen = text(&mut model, 80, 24);
    assert!(screen.lines().any(|line| line.starts_with("›· 60")), "{screen}");
}

#[test]
fn a_link_stays_what_it_is_about() {
    let mut model = live(&mixed());
    press(&mut model, "5 Enter");
    assert!(
        matches!(model.dialogs.layer.as_ref().unwrap().about, Subject::Link(from, to) if (from, to) == (node(5), node(4)))
    );
}

#[test]
fn what_holds_on_every_link_has_no_edges() {
    let mut model = live(&in_force(calm(), &["loss 1-5->1-5 5%", "cut 2->3"]));
    press(&mut model, "5 z");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("on every link: f1 loss 1-5->1-5 5%"), "{screen}");
    let drawing: String = screen.lines().skip(3).take_while(|line| !line.contains("link ")).collect();
    assert_eq!((drawing.matches('✗').count(), drawing.matches('%').count()), (1, 0), "{screen}");
}

#[test]
fn a_node_alone_does_not_know_the_links() {
    let options = options(lab(Some(node(3))), Role::Visitor);
    let mut model = live_with(options, &calm());
    press(&mut model, "5");
    assert!(text(&mut model, 80, 24).contains("One node alone does not know the lab's links"));
}

#[test]
fn what_is_too_much_to_list_is_counted_below() {
    for (count, told) in
        [(256, None), (257, Some("1 more waits behind them.")), (258, Some("2 more wait behind them."))]
    {
        let mut records = in_force(calm(), &["hold 5->4"]);
        for sequence in 1..=count {
            let held = Body::Held { id: id(5, 4, sequence), by: FaultId(1), span: None, message: None };
            records.push(Record::of_node(1000 * MS, node(4), held));
        }
        let mut model = live(&numbered(records));
        press(&mut model, "5 Enter");
        (0..30).for_each(|_| drop(press(&mut model, "PgDn")));
        let page = text(&mut model, 80, 24);
        assert_eq!(page.lines().find(|line| line.contains("behind them")).is_some(), told.is_some(), "{page}");
        assert!(told.is_none_or(|told| page.contains(told)), "{page}");
    }
}
