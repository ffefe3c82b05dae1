//! The picture apart from the lab's own time: played event by event, and stopped at what a person waits for.
//!
//! Invariant: the lab's present takes in every record at once, whatever the picture shows.

use std::time::Duration;

use super::prompt::wrong;
use super::stage::{MS, calm, crash, live, replay, snapshot, snapshot_after_gap, storm};
use super::{hear, press, text, write_text};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use crate::view::panel::timeline::SessionTimeline;
use protocol::NodeId;
use record::Body;

fn tick(model: &mut Model, milliseconds: u64) {
    let clock = model.clock + Duration::from_millis(milliseconds);
    update(model, ScreenMessage::Tick(clock));
}

fn told(model: &Model) -> String {
    model.toasts.back().unwrap().text.clone()
}

fn stop_when(model: &mut Model, what: &str) {
    press(model, "W");
    write_text(model, what);
    press(model, "Enter");
}

#[test]
fn a_paced_picture_shows_one_event_at_a_time_and_the_lab_goes_on() {
    let mut model = live(&calm());
    press(&mut model, "P");
    crash().into_iter().skip(calm().len()).for_each(|record| hear(&mut model, record));
    let mut seen = Vec::new();
    for _ in 0..20 {
        tick(&mut model, 125);
        seen.push(model.seen().at / MS);
    }
    // The order, the death, 4's time-out and the four new states are seen; that f1 is in force is no event of its own.
    assert_eq!(seen[..13], [2000, 2000, 2001, 2001, 3100, 3100, 3300, 3300, 3300, 3300, 3300, 3300, 3300]);
    assert!(seen[13] > 3300, "without any that wait it is at the present: {seen:?}");
    assert_eq!(model.seen().world, model.time.scene.world);
    press(&mut model, "Esc Esc");
    assert!(!model.time.is_behind());
}

#[test]
fn the_header_says_how_far_a_paced_picture_is_behind_and_its_keys_change_its_pace() {
    let mut model = live(&calm());
    press(&mut model, "P");
    crash().into_iter().skip(calm().len()).for_each(|record| hear(&mut model, record));
    tick(&mut model, 1);
    assert!(text(&mut model, 100, 30).contains("2.000 s │ PACED 250ms 1s behind"), "{}", text(&mut model, 100, 30));
    press(&mut model, "- -");
    assert!(text(&mut model, 100, 30).contains("PACED 1s"));
    press(&mut model, "= = = =");
    assert!(text(&mut model, 100, 30).contains("PACED 125ms"));
    assert!(told(&model).contains("cannot be nearer"));
}

#[test]
fn a_frozen_picture_plays_on_from_where_it_stands_unless_records_are_missing() {
    let mut model = live(&calm());
    press(&mut model, "F");
    crash().into_iter().skip(calm().len()).for_each(|record| hear(&mut model, record));
    assert_eq!(model.seen().at, 420 * MS);
    press(&mut model, "P");
    tick(&mut model, 1);
    assert_eq!(model.seen().at, 2000 * MS);
    press(&mut model, "F");
    tick(&mut model, 5_000);
    assert_eq!(model.seen().at, 2000 * MS, "it stands again");
    update(&mut model, ScreenMessage::Frame(Box::new(snapshot_after_gap(&storm()[..crash().len() + 5], 7))));
    press(&mut model, "P");
    assert!(told(&model).contains("Records are missing behind this moment"));
    press(&mut model, "F P");
    update(&mut model, ScreenMessage::Frame(Box::new(snapshot_after_gap(&storm()[..crash().len() + 9], 7))));
    assert!(!model.time.is_behind(), "a paced picture cannot go on past a gap");
    press(&mut model, "P");
    update(&mut model, ScreenMessage::Frame(Box::new(snapshot(&storm(), 0))));
    assert!(!model.time.is_behind(), "records came while the connection was broken");
}

#[test]
fn a_snapshot_that_brings_nothing_new_leaves_the_picture_as_it_is() {
    for keys in ["P", "F"] {
        let mut model = live(&calm());
        press(&mut model, keys);
        crash().into_iter().skip(calm().len()).for_each(|record| hear(&mut model, record));
        // Somebody has the steps played: the lab tells all screens.
        update(&mut model, ScreenMessage::Frame(Box::new(snapshot(&crash(), 0))));
        assert_eq!(model.seen().at, 420 * MS, "{keys}");
        press(&mut model, if keys == "F" { "P" } else { "1" });
        (0..40).for_each(|_| tick(&mut model, 250));
        assert!(model.time.is_behind());
        assert_eq!(model.seen().world, model.time.scene.world, "{keys}");
    }
}

#[test]
fn a_key_of_the_flow_unfolds_a_frozen_picture_too() {
    let mut model = live(&storm());
    press(&mut model, "F Tab");
    let count = model.seen().flow.rows().len();
    press(&mut model, "+");
    assert!(model.seen().flow.rows().len() > count);
}

#[test]
fn a_picture_stops_where_it_was_asked_to_while_the_lab_goes_on() {
    let mut model = live(&calm());
    stop_when(&mut model, "coordinator 4");
    for record in storm().into_iter().skip(calm().len()) {
        hear(&mut model, record);
    }
    assert_eq!(model.seen().world.coordinator(None), NodeId::new(4));
    assert!((3_300 * MS..3_301 * MS).contains(&model.seen().at), "{}", model.seen().at);
    assert!(model.time.scene.at > 6_000 * MS);
    assert!(model.toasts.iter().any(|toast| toast.text.contains("coordinator 4. The lab goes on")));
    assert!(model.time.stop.is_none());
    press(&mut model, "F");
    assert!(!model.time.is_behind());

    let mut paced = live(&calm());
    press(&mut paced, "P");
    stop_when(&mut paced, "violation");
    storm().into_iter().skip(calm().len()).for_each(|record| hear(&mut paced, record));
    (0..100).for_each(|_| tick(&mut paced, 250));
    assert_eq!(paced.seen().at, 6_700 * MS);
    press(&mut paced, "P");
    (0..100).for_each(|_| tick(&mut paced, 250));
    assert_eq!(paced.seen().world, paced.time.scene.world);
}

#[test]
fn a_paced_picture_that_is_frozen_is_the_one_that_a_replay_shows_at_its_time() {
    let mut paced = live(&calm());
    press(&mut paced, "P");
    storm().into_iter().skip(calm().len()).for_each(|record| hear(&mut paced, record));
    while paced.seen().at < 3_300 * MS {
        tick(&mut paced, 250);
    }
    // Three more records bear stamps of this microsecond.
    press(&mut paced, "F");
    let mut again = replay(&storm());
    press(&mut again, ":");
    write_text(&mut again, &format!("seek {}ns", paced.seen().at));
    press(&mut again, "Enter");
    assert_eq!(again.time.scene.at, paced.seen().at);
    assert!(again.time.scene.world == paced.seen().world, "{:?}", paced.seen().world.nodes);
}

#[test]
fn a_message_about_a_record_of_the_present_leads_to_its_row_from_a_frozen_picture_too() {
    let mut model = live(&calm());
    press(&mut model, "F");
    model.toasts.clear();
    let told = storm().into_iter().position(|record| matches!(record.body, Body::Violation(_))).unwrap();
    storm().into_iter().take(told + 1).skip(calm().len()).for_each(|record| hear(&mut model, record));
    press(&mut model, "Enter");
    let page = text(&mut model, 100, 30);
    assert!(page.contains("assertion-1"), "{page}");
}

#[test]
fn what_is_nothing_to_stop_at_stays_to_be_mended_and_the_key_forgets_a_stop() {
    let mut model = live(&calm());
    stop_when(&mut model, "leader 4");
    assert!(wrong(&model).contains("write `election`, `violation`, or a condition"), "{}", wrong(&model));
    press(&mut model, "Esc");
    stop_when(&mut model, "an election begins");
    assert!(told(&model).contains("will stop at: an election begins"));
    press(&mut model, "W");
    assert!(model.time.stop.is_none() && told(&model).contains("no longer stops at: an election begins"));
}

#[test]
fn a_replay_is_paced_and_stops_likewise() {
    let mut whole = replay(&storm());
    press(&mut whole, "End");
    let mut model = replay(&storm());
    press(&mut model, "P");
    stop_when(&mut model, "violation");
    let (mut events, mut before) = (0, model.time.scene.at);
    for _ in 0..200 {
        tick(&mut model, 250);
        events += usize::from(model.time.scene.at != before);
        before = model.time.scene.at;
    }
    assert_eq!(model.time.scene.at, 6_700 * MS);
    assert!(events > 15, "{events} events were seen one by one");
    assert!(text(&mut model, 100, 30).contains("REPLAY stopped"));
    press(&mut model, "P");
    assert!(text(&mut model, 100, 30).contains("REPLAY paced 250ms"));
    (0..4).for_each(|_| tick(&mut model, 250));
    assert_eq!(model.time.scene.world, whole.time.scene.world);
    assert!(told(&model).contains("the end of the session"), "{}", told(&model));
    press(&mut model, "Home Space");
    stop_when(&mut model, "coordinator 4");
    (0..200).for_each(|_| tick(&mut model, 250));
    assert_eq!(model.time.scene.world.coordinator(None), NodeId::new(4));
    assert!(model.time.scene.at < 3_301 * MS);
}

#[test]
fn what_a_picture_stopped_at_is_in_its_flow() {
    let mut model = live(&calm());
    stop_when(&mut model, "election");
    for record in crash().into_iter().skip(calm().len()) {
        hear(&mut model, record);
        tick(&mut model, 1);
    }
    let mut again = replay(&crash());
    press(&mut again, ")");
    assert_eq!(model.seen().at, again.time.scene.at);
    let numbers = |model: &Model| model.seen().flow.rows().iter().map(|row| row.record.number).collect::<Vec<_>>();
    assert_eq!(numbers(&model), numbers(&again));
    // One that is frozen by hand shows what has come too.
    let mut frozen = live(&calm());
    crash().into_iter().skip(calm().len()).for_each(|record| {
        hear(&mut frozen, record);
        tick(&mut frozen, 1);
    });
    press(&mut frozen, "F");
    press(&mut again, "End");
    assert_eq!(numbers(&frozen), numbers(&again));
}

#[test]
fn what_a_paced_picture_has_not_shown_yet_is_not_told() {
    let mut model = live(&calm());
    press(&mut model, "P");
    storm().into_iter().skip(calm().len()).for_each(|record| hear(&mut model, record));
    let told = |model: &Model| model.toasts.iter().filter(|toast| toast.text.contains("violation")).count();
    while model.seen().at < 6_700 * MS {
        assert_eq!(told(&model), 0, "at {}", model.seen().at);
        tick(&mut model, 250);
    }
    assert_eq!((told(&model), model.toasts.iter().map(|toast| toast.count).max()), (1, Some(1)));
}

#[test]
fn a_paced_picture_stops_with_all_that_bears_the_same_stamp() {
    let mut paced = live(&calm());
    press(&mut paced, "P");
    stop_when(&mut paced, "coordinator 4 of 1");
    storm().into_iter().skip(calm().len()).for_each(|record| hear(&mut paced, record));
    while paced.time.stop.is_some() {
        tick(&mut paced, 250);
    }
    let said = told(&paced);
    let at =
        said.strip_prefix("Stopped at ").and_then(|rest| rest.split(' ').next()).unwrap_or_else(|| panic!("{said}"));
    let mut again = replay(&storm());
    press(&mut again, ":");
    write_text(&mut again, &format!("seek {at}s"));
    press(&mut again, "Enter");
    assert!((3_300 * MS..3_301 * MS).contains(&again.time.scene.at), "{}", again.time.scene.at);
    assert!(again.time.scene.world == paced.seen().world, "{:?}", paced.seen().world.nodes);
}

#[test]
fn a_picture_does_not_stop_at_what_is_so_already() {
    let mut model = live(&calm());
    stop_when(&mut model, "coordinator 5");
    hear(&mut model, crash()[calm().len()].clone());
    assert!(!model.time.is_behind() && model.time.stop.is_some());
}

#[test]
fn a_frozen_picture_stands_amid_a_timeline_that_goes_on() {
    let mut model = live(&calm());
    press(&mut model, "F");
    storm().into_iter().skip(calm().len()).for_each(|record| hear(&mut model, record));
    let timeline = SessionTimeline::of(&model);
    assert_eq!((timeline.at, timeline.end), (420 * MS, 6_800 * MS));
    assert_eq!(timeline.violations, [6_700 * MS]);
}

#[test]
fn an_election_in_a_frozen_picture_takes_no_longer() {
    let mut model = live(&crash()[..calm().len() + 4]);
    press(&mut model, "F 6");
    let lasting = |model: &mut Model| {
        let screen = text(model, 80, 24);
        screen.lines().find(|line| line.starts_with("goes on")).unwrap_or_else(|| panic!("{screen}")).to_owned()
    };
    let before = lasting(&mut model);
    tick(&mut model, 900);
    assert_eq!(lasting(&mut model), before);
}
