//! Two sessions side by side.
//!
//! Invariant: whatever is pressed, both halves show the same time, as far as their sessions reach.

use std::time::Duration;

use insta::assert_snapshot;

use super::stage::{MS, calm, crash, given, id, message, numbered, replay, step, storm};
use super::{press, text, write_text};
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::{open_at_difference, update};
use crate::model::Model;
use crate::model::pair::{PairPlace, SessionDifference};
use crate::model::places::Screen;
use protocol::{NodeId, Order};
use record::{EffectText, Input, Record};

fn told(places: Option<[PairPlace; 2]>) -> SessionDifference {
    let sentence = |text: &str| text.to_owned();
    match places {
        Some(_) => SessionDifference {
            title: sentence("first difference: node 4, its record 3"),
            sentences: vec![
                sentence(
                    "A, record 25, 3.100 s: 4's timer silence runs out, and 5 has not answered; 4 sends Halt to 1-3.",
                ),
                sentence("B has no such record: nothing more is recorded there."),
                sentence("Why: In B the timer silence of 4 never runs out: 5 answers before."),
            ],
            whole: vec![sentence("A: one"), sentence("B: other"), sentence("the first difference is in node 4")],
            places,
            node: NodeId::new(4),
        },
        None => SessionDifference {
            title: sentence("no difference"),
            sentences: vec![sentence("The two were held against each other: no difference.")],
            whole: vec![sentence("A: one"), sentence("B: its copy"), sentence("no difference")],
            places,
            node: None,
        },
    }
}

fn of(one: &[Record], other: &[Record], places: Option<[PairPlace; 2]>) -> Model {
    let mut model = Model::beside(replay(one), replay(other), told(places));
    update(&mut model, ScreenMessage::Resize(80, 24));
    open_at_difference(&mut model);
    model
}

/// Two sessions that part after 3 s.
pub fn pair(one: &[Record], other: &[Record]) -> Model {
    let number = one.iter().find(|record| record.at == 3_100 * MS).unwrap().number;
    of(one, other, Some([PairPlace::Record(number), PairPlace::Time(3_100 * MS)]))
}

fn other(model: &Model) -> &Model {
    &model.beside.as_ref().unwrap().other
}

fn times(model: &Model) -> (i64, i64) {
    (model.time.scene.at, other(model).time.scene.at)
}

#[test]
fn two_sessions_at_their_first_difference() {
    let mut model = pair(&storm(), &crash());
    model.toasts.clear();
    assert_snapshot!("two_sessions_at_80x24", text(&mut model, 80, 24));
    assert_snapshot!("two_sessions_at_100x30", text(&mut model, 100, 30));
    assert_snapshot!("two_sessions_at_140x45", text(&mut model, 140, 45));
    assert_snapshot!("two_sessions_at_80x45", text(&mut model, 80, 45));
    press(&mut model, "X");
    let flipped = text(&mut model, 80, 24);
    assert!(flipped.starts_with("B first") && flipped.contains("X shows A"), "{flipped}");
}

#[test]
fn both_move_in_time_and_look_at_the_same() {
    let mut model = pair(&storm(), &storm());
    for keys in [". . .", "l l", "]", "h", ",", "Home", "End", ": s e e k Space 2 . 5 s Enter", "X l", ")"] {
        press(&mut model, keys);
        let (one, other) = times(&model);
        assert_eq!(one, other, "{keys}");
    }
    press(&mut model, "Home Space");
    let began = model.clock;
    for beat in 1..20 {
        update(&mut model, ScreenMessage::Tick(began + Duration::from_millis(100 * beat)));
    }
    let (one, followed) = times(&model);
    assert!(one == followed && one > 1_500 * MS, "{one} {followed}");
    press(&mut model, "Space 3");
    assert_eq!((model.places.screen, other(&model).places.screen), (Screen::Faults, Screen::Faults));
    press(&mut model, "1 + b z");
    let rules = |model: &Model| {
        (model.time.scene.flow.rules().folding, model.time.scene.flow.rules().periodic, model.places.panes.zoom)
    };
    assert_eq!(rules(&model), rules(other(&model)));
    // The shorter session stays at its end.
    let mut model = pair(&storm(), &calm());
    press(&mut model, "End");
    assert_eq!(times(&model), (6_800 * MS, 420 * MS));
}

#[test]
fn one_key_leads_to_the_difference_and_tells_all_about_it() {
    let mut model = pair(&storm(), &crash());
    assert_eq!(times(&model), (3_100 * MS, 3_100 * MS));
    let place = model.places.panes.flow_cursor;
    assert!(place.is_some());
    press(&mut model, "X End X Home D");
    assert_eq!((times(&model), model.places.panes.flow_cursor), ((3_100 * MS, 3_100 * MS), place));
    assert!(text(&mut model, 140, 45).contains("difference"), "the band marks it");
    press(&mut model, "D");
    assert!(text(&mut model, 80, 24).contains("the first difference is in node 4"));
    press(&mut model, "q");
    assert!(model.dialogs.layer.is_none());
    assert!(press(&mut model, "c").is_empty(), "nothing is broken in a replay");
}

#[test]
fn a_difference_in_a_heartbeat_is_shown_with_its_node_and_the_cursor_is_on_it() {
    let mut records = storm();
    let place = records.partition_point(|record| record.at <= 3_050 * MS);
    let asks = EffectText::Send { id: id(4, 3, 3), message: message("AreYouNormal") };
    let order = Input::Order { order: Order::Elect };
    records.insert(place, step(3_050 * MS, 3, given(4, 3, "AreYouNormal"), Vec::new(), None));
    records.insert(place, step(3_040 * MS, 4, order, vec![asks], None));
    let records = numbered(records);
    let [asked, number] = [place, place + 1].map(|place| records[place].number);
    let mut model = of(&records, &crash(), Some([PairPlace::Record(number), PairPlace::Time(3_050 * MS)]));
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("AreYouNormal") && screen.contains("Heartbeats are shown"), "{screen}");
    assert_eq!((model.places.panes.flow_cursor, model.places.node), (Some(asked), NodeId::new(4)));
    assert!(screen.contains("why 4") && !screen.contains("why 1"), "{screen}");
}

#[test]
fn the_difference_is_told_first_of_the_session_in_front() {
    let mut model = pair(&storm(), &crash());
    assert!(text(&mut model, 80, 24).contains("A, record 25") && !text(&mut model, 80, 24).contains("B has no such"));
    press(&mut model, "X");
    assert!(text(&mut model, 80, 24).contains("B has no such record"));
}

#[test]
fn a_session_and_its_copy_do_not_differ_and_stand_at_their_beginning() {
    let mut model = of(&storm(), &storm(), None);
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("no difference") && model.time.scene.at < 0, "{screen}");
    press(&mut model, "D");
    assert!(text(&mut model, 80, 24).contains("B: its copy"));
    for (width, height) in [(60, 16), (59, 16), (1, 1), (121, 20), (200, 60), (60, 35)] {
        text(&mut model, width, height);
    }
}

#[test]
fn a_session_may_lie_over_the_two_and_leads_back_to_them() {
    let mut model = pair(&storm(), &crash());
    press(&mut model, ":");
    write_text(&mut model, "open last");
    assert!(matches!(press(&mut model, "Enter")[..], [Command::OpenSession(_)]));
    crate::input::update::open_session(&mut model, Ok(Box::new(replay(&calm()))));
    assert_eq!(model.size, (80, 24));
    let over = text(&mut model, 140, 45);
    assert!(!over.starts_with("A ") && over.contains("q leads back"), "{over}");
    press(&mut model, "q");
    assert!(text(&mut model, 140, 45).contains("first difference"));
}
