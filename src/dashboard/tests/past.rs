//! The last minute of a running lab again, while the lab goes on.
//!
//! Invariant: the past looks as a replay of the same records at the same time does.

use std::path::PathBuf;
use std::time::Duration;

use insta::assert_snapshot;

use super::stage::{MS, calm, crash, lab, live, live_with, node, options, replay, snapshot, storm};
use super::{hear, press, text, write_text};
use crate::Role;
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::update;
use crate::model::Model;
use crate::time::feed::{Feed, SoFarWanted};
use crate::time::session_so_far::NotReadSoFar;
use fault::FaultId;
use record::{Body, Death, Frame, Record};

/// A live screen of these records that shows their past, which stands at its beginning.
pub fn past(records: &[Record]) -> Model {
    let mut model = live(records);
    press(&mut model, "R Space");
    model
}

fn tick(model: &mut Model, millis: u64) {
    update(model, ScreenMessage::Tick(model.clock + Duration::from_millis(millis)));
}

/// A live screen some seconds after these records.
fn later(records: &[Record]) -> Model {
    let mut model = live(records);
    update(&mut model, ScreenMessage::Frame(Box::new(Frame::Pulse { at: 12_000 * MS })));
    model
}

/// The death of a node, which no fault line ordered.
fn death(number: u64, at: i64, of: u16) -> Record {
    Record { number, ..Record::of_node(at, node(of), Body::Died { death: Death::Killed { by: FaultId(9) } }) }
}

#[test]
fn the_past_of_a_storm() {
    let mut model = later(&storm());
    press(&mut model, "R");
    let begun = text(&mut model, 80, 24);
    assert!(begun.contains("PAST playing 1x 12s behind live"), "{begun}");
    assert!(begun.contains("The lab again, from its beginning; it goes on, recorded. R: live."), "{begun}");
    for _ in 0..14 {
        tick(&mut model, 250);
    }
    assert_snapshot!("the_past_at_80x24", text(&mut model, 80, 24));
    press(&mut model, "] ] Tab");
    assert_snapshot!("the_past_at_100x30", text(&mut model, 100, 30));
    assert_snapshot!("the_past_at_140x45", text(&mut model, 140, 45));
}

#[test]
fn the_past_shows_what_a_replay_shows_and_every_key_of_a_replay_moves_in_it() {
    let (mut past, mut replay) = (past(&storm()), replay(&storm()));
    for keys in [": s e e k Space 3 . 3 s Enter", "] ]", "(", ". . .", ", ,", "l", "h", "}", "{", "End", "Home"] {
        for model in [&mut past, &mut replay] {
            press(model, keys);
            model.toasts.clear();
        }
        let seen = |model: &mut Model| (model.time.scene.at, model.time.scene.world.clone(), text(model, 80, 24));
        let ((at, world, one), (then, same, other)) = (seen(&mut past), seen(&mut replay));
        assert_eq!((at, world), (then, same), "{keys}");
        assert!(one.lines().skip(2).take(19).eq(other.lines().skip(2).take(19)), "{keys}\n{one}\n{other}");
    }
}

#[test]
fn the_lab_goes_on_meanwhile_and_one_key_shows_its_present() {
    let mut model = past(&storm());
    press(&mut model, "l l l");
    model.toasts.clear();
    let before = text(&mut model, 80, 24);
    hear(&mut model, death(100, 9_000 * MS, 2));
    hear(&mut model, Record { number: 101, ..Record::of_host(9_001 * MS, Body::Violation(super::stage::violation())) });
    assert!(text(&mut model, 80, 24).contains("Excused violation of"), "what happens now is told");
    model.toasts.clear();
    let now = text(&mut model, 80, 24);
    assert!(now.lines().skip(1).eq(before.lines().skip(1)), "{before}\n{now}");
    assert!(now.contains("6s behind live"), "{now}");
    assert!(press(&mut model, "R").is_empty());
    assert!(model.time.lab.is_none() && !model.time.is_behind());
    assert!(model.time.scene.world.nodes[&node(2)].process == world::ProcessState::Dead);
    assert_eq!(model.time.scene.world.violations.count(|_| true), 2);
    // A second look reaches as far as the lab has come.
    press(&mut model, "R End");
    assert_eq!((model.time.scene.at, model.time.scene.world.violations.count(|_| true)), (9_001 * MS, 2));
    press(&mut model, "Esc");
    assert!(model.time.lab.is_none(), "Esc leads back too");
    assert!(press(&mut model, "R q").is_empty());
    assert!(model.time.lab.is_none(), "q leads back before it leaves");
}

#[test]
fn what_was_before_the_last_minute_is_still_known() {
    let mut model = live(&crash());
    assert!(why(&mut model).starts_with("4 has coordinated since"), "{}", why(&mut model));
    hear(&mut model, death(1_000, 90_000 * MS, 2));
    press(&mut model, "R");
    let begun = text(&mut model, 100, 30);
    assert!(begun.contains("The last minute again, from 30.0 s; the lab goes on"), "{begun}");
    assert!(begun.contains("Nothing in this minute yet."), "{begun}");
    assert!(why(&mut model).starts_with("4 has coordinated since"), "{}", why(&mut model));
}

fn why(model: &mut Model) -> String {
    model.why_in_brief(node(4)).sentence.text
}

#[test]
fn nothing_is_broken_in_the_past_and_what_is_written_goes_to_the_session_of_the_lab() {
    let mut model = past(&storm());
    for key in ["c", "U", "e"] {
        assert!(press(&mut model, key).is_empty());
        assert!(model.toasts.back().unwrap().text.starts_with("This is the past"), "{key}");
    }
    press(&mut model, ":");
    write_text(&mut model, "predict 4 18");
    press(&mut model, "Enter");
    let refused = text(&mut model, 100, 30);
    assert!(refused.contains("this is the past, in which all is decided; R returns to the lab"), "{refused}");
    press(&mut model, "Esc l l M");
    write_text(&mut model, "here");
    let commands = press(&mut model, "Enter");
    let [Command::Note(file, _)] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(file.path().parent(), PathBuf::from("first.session").parent());
}

#[test]
fn its_end_says_so_and_the_end_of_the_lab_is_told() {
    let mut model = past(&crash());
    press(&mut model, "End Space");
    assert!(model.time.lab.is_some(), "it plays from its beginning again");
    press(&mut model, "Space End .");
    assert!(model.toasts.back().unwrap().text.starts_with("The past ends here"));
    let mut visitor = live_with(options(lab(None), Role::Visitor), &calm());
    press(&mut visitor, "R");
    update(&mut visitor, ScreenMessage::Frame(Box::new(Frame::Goodbye { why: "it was ended".into() })));
    let over = text(&mut visitor, 80, 24);
    assert!(over.contains("before the end") && over.contains("The lab is over: it was ended"), "{over}");
}

#[test]
fn it_begins_after_records_that_are_missing_and_where_an_old_lab_was_first_seen() {
    let mut model = live(&calm());
    let with_gap: Vec<Record> = storm().into_iter().map(|of| Record { number: of.number + 50, ..of }).collect();
    update(&mut model, ScreenMessage::Frame(Box::new(snapshot(&with_gap, 7))));
    press(&mut model, "R");
    assert!(model.time.lab.is_none(), "nothing has come since");
    hear(&mut model, death(100, 9_000 * MS, 2));
    press(&mut model, "R");
    assert!(model.time.scene.at >= 6_800 * MS && model.time.scene.world.records > 10, "{}", model.time.scene.at);
    let mut alone = live_with(options(lab(Some(node(4))), Role::Visitor), &crash());
    press(&mut alone, "R End");
    assert!(alone.time.scene.at > 3_000 * MS);
}

#[test]
fn a_screen_that_comes_late_says_that_it_did() {
    let Frame::Snapshot { head, world, missed, session, steps_held, .. } = snapshot(&crash(), 0) else { panic!("one") };
    let late = Frame::Snapshot { head, world, recent: Vec::new(), missed, session, steps_held };
    let mut model = Model::live(&options(lab(None), Role::Visitor));
    update(&mut model, ScreenMessage::Frame(Box::new(late)));
    let screen = text(&mut model, 100, 30);
    assert!(
        screen.contains("Nothing new since this screen was opened.") && !screen.contains("not recorded"),
        "{screen}"
    );
    let Feed::Live(live) = &mut model.time.feed else { panic!("it is live") };
    live.session = None;
    assert!(text(&mut model, 100, 30).contains("Nothing older is known: the lab is not recorded."));
    let Feed::Live(live) = &mut model.time.feed else { panic!("it is live") };
    live.reading = Some(SoFarWanted { path: PathBuf::new(), lab_id: String::new(), until: 1 });
    assert!(text(&mut model, 100, 30).contains("What was before this screen was opened is being read."));
    update(&mut model, ScreenMessage::SoFar(Err(NotReadSoFar::Unwanted)));
    assert!(!text(&mut model, 100, 30).contains("is being read."));
}

#[test]
fn a_key_of_the_present_says_where_it_does_something() {
    let mut model = past(&crash());
    for (key, told) in [
        ("T", "This is the past, which takes no faults; R returns to the present of the lab."),
        ("F", "F does something in the present of the lab only; R returns there."),
    ] {
        press(&mut model, key);
        assert_eq!(model.toasts.back().unwrap().text, told, "{key}");
    }
    let mut of_file = replay(&crash());
    press(&mut of_file, "T");
    assert!(of_file.toasts.back().unwrap().text.starts_with("A replay takes no faults"));
}
