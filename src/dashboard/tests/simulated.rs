//! A simulated lab on the screen: it goes as far as it is looked at, and branches where it is broken.
//!
//! Invariant: wherever a test branches, what is shown afterwards is what the lab made.

use std::time::Duration;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::fake_lab::{FIRST, simulated, simulated_of, simulated_with};
use super::stage::{MS, head, replay, storm};
use super::{played, press, styled, text, write_text};
use crate::Source;
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use crate::time::freshness::Rate;
use crate::time::playback::{LeapTarget, Playback};
use fault::FaultId;
use record::{Drawn, Head, Origin, Record, SessionReader};
use script::VirtualLab;

fn tick(model: &mut Model, millis: u64) {
    let clock = model.clock + Duration::from_millis(millis);
    update(model, ScreenMessage::Tick(clock));
}

fn line(model: &mut Model, words: &str) {
    press(model, ":");
    write_text(model, words);
    press(model, "Enter");
}

fn told(model: &Model) -> Vec<&str> {
    model.toasts.iter().map(|toast| toast.text.as_str()).collect()
}

#[test]
fn a_lab_is_simulated_as_far_as_it_is_shown() {
    let (mut model, lab) = simulated_with();
    assert_eq!((model.time.scene.at, lab.borrow().now()), (0, 0));
    for _ in 0..20 {
        tick(&mut model, 100);
        assert_eq!(lab.borrow().now(), model.time.scene.at);
    }
    assert_eq!(model.time.scene.at, 2_000 * MS);
    press(&mut model, "Space");
    tick(&mut model, 100);
    assert_eq!(lab.borrow().now(), 2_000 * MS, "it stands");
    press(&mut model, "h h l");
    assert_eq!((model.time.scene.at, lab.borrow().now()), (1_000 * MS, 2_000 * MS), "nothing is simulated twice");
    press(&mut model, "l l");
    assert_eq!((model.time.scene.at, lab.borrow().now()), (3_000 * MS, 3_000 * MS));
    press(&mut model, "Space = =");
    tick(&mut model, 100);
    assert_eq!((model.time.scene.at, lab.borrow().now()), (3_400 * MS, 3_400 * MS));
    // A screen that was stopped for an hour does not leap.
    tick(&mut model, 3_600_000);
    assert_eq!(lab.borrow().now(), 4_400 * MS);
}

#[test]
fn at_its_end_a_record_on_is_the_next_that_the_lab_makes() {
    let (mut model, lab) = simulated_with();
    line(&mut model, "seek 1s");
    press(&mut model, ".");
    assert_eq!((model.time.scene.at, lab.borrow().now()), (2_000 * MS, 2_000 * MS));
    assert_eq!(model.time.scene.world.faults.len(), 1);
    press(&mut model, ", , ,");
    press(&mut model, ". . .");
    assert_eq!(model.time.scene.at, 2_000 * MS);
    line(&mut model, "seek 99s");
    assert_eq!((model.time.scene.at, lab.borrow().now()), (99_000 * MS, 99_000 * MS));
    press(&mut model, ".");
    assert!(told(&model).last().unwrap().contains("Nothing more happens by itself"), "{:?}", model.toasts);
    line(&mut model, "seek 9999s");
    assert!(told(&model).last().unwrap().contains("at most 300 s more. The same line again goes on"));
    assert_eq!(model.time.scene.at, 399_000 * MS, "a slip of the finger simulates no day");
    press(&mut model, "Home End");
    assert_eq!(model.time.scene.at, 399_000 * MS);
}

#[test]
fn what_is_done_at_an_earlier_moment_branches_there() {
    let (mut model, lab) = simulated_with();
    line(&mut model, "seek 6.9s");
    let whole = played(&model).unwrap().len();
    line(&mut model, "seek 2.5s");
    let happened = played(&model).unwrap().position();
    press(&mut model, "G c");
    let gone = whole - happened;
    assert_eq!(
        told(&model),
        [format!("Branched at 2.500 s: {gone} records of the other future are gone."), "f100 crash 5: in force".into()]
    );
    let playback = played(&model).unwrap();
    assert_eq!((playback.position(), playback.len(), model.time.scene.at), (happened + 2, happened + 2, 2_500 * MS));
    assert_eq!(model.time.rate(), Rate::Standing, "it stands as it stood");
    assert_eq!(lab.borrow().now(), 2_500 * MS);
    assert_eq!(model.time.scene.world.faults.last().unwrap().id, FaultId(FIRST));
    // At the end of the branch nothing is forgotten, and nothing said of it.
    model.toasts.clear();
    press(&mut model, "u");
    assert_eq!(told(&model), ["f101 undo: in force"]);
    // The new future is simulated on, and looked at as the other was.
    press(&mut model, "l l l l l");
    assert!(played(&model).unwrap().len() > happened + 20);
    press(&mut model, "[ [ [ [ [");
    assert_eq!(model.time.scene.at, 2_500 * MS);
}

#[test]
fn between_two_records_of_one_instant_the_branch_is_between_them() {
    let mut model = simulated();
    line(&mut model, "seek 6.9s");
    line(&mut model, "seek 5.2s");
    press(&mut model, ".");
    assert_eq!(model.time.scene.world.faults.len(), 3, "a pause is done: {:?}", model.time.scene.at);
    let position = played(&model).unwrap().position();
    let next = played(&model).unwrap().next_time();
    assert_eq!(next, Some(model.time.scene.at), "and its coming into force, at the same instant, is still to come");
    press(&mut model, "e");
    assert_eq!(played(&model).unwrap().position(), position + 2);
    assert_eq!(model.time.scene.world.faults.last().unwrap().line.to_string(), "elect 1");
}

#[test]
fn a_refusal_forgets_nothing() {
    let mut model = simulated();
    line(&mut model, "seek 6.9s");
    line(&mut model, "seek 2.5s");
    let whole = played(&model).unwrap().len();
    line(&mut model, "crash 9");
    assert!(told(&model).last().unwrap().contains("there is no node 9"));
    assert_eq!((played(&model).unwrap().len(), model.time.scene.at), (whole, 2_500 * MS));
}

#[test]
fn keys_break_a_simulated_lab_as_they_break_a_live_one() {
    for (keys, lines) in [
        ("c", vec!["crash 1"]),
        ("G r", vec!["recover 5"]),
        ("m Down m i", vec!["isolate 1,2"]),
        ("o Enter", vec!["loss 1->* 30%"]),
        ("d Enter", vec!["delay 1->* 200ms"]),
        ("m Down m x Enter", vec!["partition 1,2|3-5"]),
        ("U", vec!["heal all"]),
        ("p e", vec!["pause 1", "elect 1"]),
    ] {
        let mut model = simulated();
        line(&mut model, "seek 1s");
        assert!(press(&mut model, keys).is_empty(), "no request leaves the screen");
        let done: Vec<String> = model.time.scene.world.faults.iter().map(|fault| fault.line.to_string()).collect();
        assert_eq!(done, lines, "{keys}");
    }
}

#[test]
fn the_steps_are_held_until_the_moment_at_which_they_are_played() {
    let mut model = simulated();
    line(&mut model, "seek 3s");
    assert!(text(&mut model, 80, 24).contains("S play steps"));
    press(&mut model, "S");
    assert!(told(&model).last().unwrap().contains("played from now on"));
    assert!(!text(&mut model, 80, 24).contains("S play steps"));
    press(&mut model, "S");
    assert!(told(&model).last().unwrap().contains("already being played"));
    press(&mut model, "h");
    assert!(text(&mut model, 80, 24).contains("S play steps"), "before that moment they were not");
    press(&mut model, "l");
    assert!(!text(&mut model, 80, 24).contains("S play steps"));
}

#[test]
fn what_is_told_of_a_future_goes_with_it() {
    let mut model = simulated();
    tick(&mut model, 100);
    press(&mut model, "> > > >");
    while model.time.scene.at < 6_750 * MS {
        tick(&mut model, 100);
    }
    assert!(told(&model).iter().any(|told| told.contains("violation of assertion-1")), "{:?}", model.toasts);
    line(&mut model, "seek 2.5s");
    press(&mut model, "c");
    assert!(told(&model).iter().all(|told| !told.contains("violation")), "{:?}", model.toasts);
}

#[test]
fn a_simulated_lab_on_the_screen() {
    let mut model = simulated();
    line(&mut model, "seek 6.9s");
    line(&mut model, "seek 5.25s");
    press(&mut model, "Down c");
    assert_snapshot!(styled(&mut model, 80, 24));
}

#[test]
fn the_help_of_a_simulated_lab() {
    let mut model = simulated();
    press(&mut model, "?");
    assert_snapshot!(text(&mut model, 100, 70));
}

#[test]
fn a_replay_of_a_simulated_session_says_so() {
    let header = |model: &mut Model| text(model, 80, 24).lines().next().unwrap().to_owned();
    let replayed = |drawn| {
        let head = Head { origin: Origin::Simulated, drawn, ..head() };
        let session = SessionReader { head: Some(head), records: storm(), skipped: Vec::new() };
        let options = super::stage::options(Source::Session("first.session".into()), crate::Role::Visitor);
        header(&mut super::replay_of(&options, session))
    };
    assert!(replayed(None).starts_with("first │ SIMULATED │ Bul"), "{}", replayed(None));
    let drawn = || Some(Drawn { seed: 56, again: String::new() });
    assert!(replayed(drawn()).starts_with("first │ SIMULATED seed 56 │ Bul"), "{}", replayed(drawn()));
    assert!(!header(&mut replay(&storm())).contains("SIMULATED"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_session_that_grows_and_is_cut_is_the_session_of_the_records_that_are_left(
        pieces in prop::collection::vec((1_usize..3_000, 0_usize..5_000), 1..6),
        positions in prop::collection::vec(0.0..1.0, 4),
    ) {
        let source: Vec<_> = (0..).zip(storm().into_iter().cycle()).take(20_000)
            .map(|(index, record)| record::Record { number: index + 1, at: index as i64 * MS, ..record }).collect();
        let mut grown = Playback::new(Some(&head()), Vec::new());
        let mut left = Vec::new();
        let mut rest = source.into_iter();
        for (more, keep) in pieces {
            let piece: Vec<_> = rest.by_ref().take(more).collect();
            left.extend(piece.iter().cloned());
            grown.grow(piece, i64::MIN);
            grown.cut(keep);
            left.truncate(keep);
        }
        let mut whole = Playback::new(Some(&head()), left);
        prop_assert_eq!((grown.len(), grown.start(), grown.end()), (whole.len(), whole.start(), whole.end()));
        for target in [LeapTarget::Fault, LeapTarget::Violation, LeapTarget::Election] {
            prop_assert_eq!(
                grown.times_of(target).collect::<Vec<_>>(),
                whole.times_of(target).collect::<Vec<_>>()
            );
        }
        for position in positions {
            let at = (grown.end() as f64 * position) as i64;
            let (one, other) = (grown.seek(at), whole.seek(at));
            prop_assert_eq!(grown.position(), whole.position());
            prop_assert_eq!(one.world, other.world);
            prop_assert_eq!(one.rows.len(), other.rows.len());
        }
    }
}

#[test]
fn a_paced_picture_goes_on_from_where_a_person_jumped() {
    let mut records = storm();
    let late = Record { at: 100_000 * MS, ..records[records.len() - 2].clone() };
    records.push(late);
    let (mut model, _) = simulated_of(records);
    line(&mut model, "seek 90s");
    press(&mut model, "Home P");
    tick(&mut model, 250);
    press(&mut model, "End");
    tick(&mut model, 250);
    assert_eq!(model.time.scene.at, 100_000 * MS, "{:?}", model.toasts);
}
