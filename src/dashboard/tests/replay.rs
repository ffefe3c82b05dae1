//! A session replayed: any way to a moment shows the same, and the same as a live screen showed.
//!
//! Invariant: stamps out of order in the file are part of every session used here.

use std::time::Duration;

use proptest::prelude::*;

use super::prompt::wrong;
use super::stage::{MS, calm, live, node, numbered, replay, storm};
use super::{hear, press, text, write_text};
use crate::input::message::ScreenMessage;
use crate::input::update::{seek, update};
use crate::model::{Follow, Model};
use crate::options::{Role, Source};
use crate::time::feed::Feed;
use crate::time::freshness::Rate;
use crate::time::playback::{LeapTarget, Playback};
use crate::time::scene::Scene;
use fault::FaultId;
use protocol::Roster;
use record::{Body, Record, SessionReader, StoredSession};
use world::World;

fn fold(records: &[Record]) -> World {
    let mut world = World::new(Roster::new(5).unwrap());
    records.iter().for_each(|record| world.fold(record));
    world
}

/// A long session whose stamps are not in order.
fn long(jitter: &[i64]) -> Vec<Record> {
    let base = storm();
    let records = (0..).zip(base.iter().cycle()).take(4_500);
    let late = |(index, record): (i64, &Record)| {
        let jitter = jitter[index as usize % jitter.len()];
        Record { at: index * MS + jitter, ..record.clone() }
    };
    numbered(records.map(late).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_seek_equals_the_fold_of_what_had_happened(jitter in prop::collection::vec(-40 * MS..40 * MS, 1..50), times in prop::collection::vec(-100..4_700_i64, 1..6)) {
        let records = long(&jitter);
        let mut playback = Playback::new(Some(&super::stage::head()), records.clone());
        for time in times {
            let at = (time * MS).clamp(playback.start(), playback.end());
            let scene = playback.seek(time * MS);
            let happened = records.iter().position(|record| record.at > at).unwrap_or(records.len());
            prop_assert_eq!(playback.position(), happened);
            prop_assert_eq!(&scene.world, &fold(&records[..happened]));
            prop_assert_eq!(scene.at, at);
        }
    }
}

#[test]
fn a_session_in_its_file_is_played_as_one_in_memory() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.jsonl");
    // More than are kept of a file at once, and with more keyframes than are kept.
    let base = storm();
    let at = |number: u64, record: &Record| Record { number, at: number as i64 * MS, ..record.clone() };
    let records: Vec<Record> =
        (1..=45_000).zip(base.iter().cycle()).map(|(number, record)| at(number, record)).collect();
    let mut lines = vec![serde_json::to_string(&super::stage::head()).unwrap()];
    lines.extend(records.iter().map(Record::to_line));
    std::fs::write(&path, lines.join("\n")).unwrap();
    let mut held = Playback::new(Some(&super::stage::head()), records);
    let mut stored = Playback::stored(StoredSession::open(&path).unwrap()).unwrap();
    assert_eq!(
        (stored.take_unusable().is_none(), stored.len(), stored.start(), stored.end()),
        (true, held.len(), held.start(), held.end())
    );
    let rows =
        |scene: &Scene| -> Vec<_> { scene.rows.newest().map(|(number, row)| (number, row.text.clone())).collect() };
    let same = |one: &Scene, other: &Scene, least: usize| {
        assert_eq!((one.at, &one.world), (other.at, &other.world));
        let (one, other) = (rows(one), rows(other));
        assert!(other.len() >= least.min(one.len() / 2), "{} rows", other.len());
        assert_eq!(&one[..other.len()], &other[..]);
    };
    // What is read at once, and all of it.
    let (some, all) = (2_000, 5_000);
    for seconds in [44, 3, 30, 31, 12, 0, 45] {
        let (mut one, mut other) = (held.seek(seconds * 1_000 * MS), stored.seek(seconds * 1_000 * MS));
        same(&one, &other, some);
        for _ in 0..3 {
            assert_eq!(held.advance(&mut one), stored.advance(&mut other));
        }
        same(&one, &other, some);
        assert!(!held.read_whole(&mut one), "nothing of it is in a file");
        assert!(stored.read_whole(&mut other) && !stored.read_whole(&mut other));
        same(&one, &other, all);
        for _ in 0..3 {
            assert_eq!(held.advance(&mut one), stored.advance(&mut other));
        }
        same(&one, &other, all);
        for target in [LeapTarget::Fault, LeapTarget::Violation] {
            let there = |playback: &mut Playback| playback.last_of(target).or_else(|| playback.next_of(target));
            let (Some((one, first)), Some((mut other, second))) = (there(&mut held), there(&mut stored)) else {
                panic!()
            };
            assert_eq!(first, second);
            same(&one, &other, some);
            assert!(stored.read_whole(&mut other));
            same(&one, &other, all);
        }
        if let (Some(one), Some(mut other)) = (held.back_to(|_| true), stored.back_to(|_| true)) {
            same(&one, &other, some);
            assert!(stored.read_whole(&mut other));
            same(&one, &other, all);
        }
    }
}

#[test]
fn the_older_rows_of_a_file_are_read_once_nobody_moves_and_a_selected_row_stays() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.jsonl");
    let base = storm();
    let mut lines = vec![serde_json::to_string(&super::stage::head()).unwrap()];
    for (number, record) in (1..=9_000).zip(base.iter().cycle()) {
        lines.push(Record { number, at: number as i64 * MS, ..record.clone() }.to_line());
    }
    std::fs::write(&path, lines.join("\n")).unwrap();
    let options = super::stage::options(Source::Session(path.clone()), Role::Visitor);
    let mut model = Model::stored(&options, StoredSession::open(&path).unwrap()).unwrap();
    let tick = |model: &mut Model, at: u64| update(model, ScreenMessage::Tick(Duration::from_millis(at)));
    press(&mut model, "End");
    let (at_once, newest) =
        (model.time.scene.rows.len(), model.time.scene.rows.newest().next().map(|(number, _)| number));
    tick(&mut model, 1_000);
    tick(&mut model, 1_299);
    assert_eq!(model.time.scene.rows.len(), at_once, "somebody has just moved");
    model.drawing.done();
    tick(&mut model, 1_300);
    let whole = model.time.scene.rows.len();
    assert!(whole > 2 * at_once && model.drawing.is_needed(), "{whole} rows, {at_once} at once");
    assert_eq!(model.time.scene.rows.newest().next().map(|(number, _)| number), newest, "they keep their numbers");
    press(&mut model, "2");
    let oldest = model.time.scene.rows.newest().last().map(|(number, _)| number);
    (model.places.messages.cursor, model.places.messages.follow) = (oldest, Follow::Off);
    seek(&mut model, 8_999 * MS);
    assert_eq!(model.places.messages.cursor, oldest, "the row under the cursor is read at once");
    model.drawing.done();
    tick(&mut model, 9_000);
    tick(&mut model, 10_000);
    assert!(!model.drawing.is_needed(), "nothing is left to read");
}

#[test]
fn every_way_to_a_moment_shows_the_same() {
    let mut sought = replay(&storm());
    press(&mut sought, ":");
    write_text(&mut sought, "seek 5.3s");
    press(&mut sought, "Enter");
    let mut stepped = replay(&storm());
    while stepped.time.scene.at < sought.time.scene.at {
        press(&mut stepped, ".");
    }
    let mut backwards = replay(&storm());
    press(&mut backwards, "End");
    while backwards.time.scene.at > sought.time.scene.at {
        press(&mut backwards, ",");
    }
    let mut played = replay(&storm());
    press(&mut played, "Space");
    for beat in 1.. {
        update(&mut played, ScreenMessage::Tick(Duration::from_millis(beat)));
        if played.time.scene.at >= 5_300 * MS {
            break;
        }
    }
    press(&mut played, "Space");
    let picture = text(&mut sought, 100, 30);
    assert!(picture.contains("‖ paused") && picture.contains("5.300000 s │ REPLAY stopped"), "{picture}");
    for (way, model) in [("stepped", &mut stepped), ("backwards", &mut backwards), ("played", &mut played)] {
        assert_eq!(model.time.scene.world, sought.time.scene.world, "{way}");
        let other = text(model, 100, 30);
        assert_eq!(other.lines().skip(1).collect::<Vec<_>>(), picture.lines().skip(1).collect::<Vec<_>>(), "{way}");
    }
}

#[test]
fn a_replay_shows_at_a_frozen_moment_what_was_frozen() {
    let records = storm();
    for cut in [calm().len(), 30, 36, 41] {
        let mut frozen = live(&records[..calm().len()]);
        records[calm().len()..cut].iter().for_each(|record| hear(&mut frozen, record.clone()));
        press(&mut frozen, "F");
        // What follows comes too late for the picture, but for what bears the same stamp.
        records[cut..].iter().for_each(|record| hear(&mut frozen, record.clone()));
        let told = frozen.toasts.iter().find(|toast| toast.text.starts_with("Frozen")).unwrap().text.clone();
        let seek = told.split('`').nth(1).unwrap().strip_prefix(':').unwrap().to_owned();
        frozen.toasts.clear();
        let mut again = replay(&records);
        press(&mut again, ":");
        write_text(&mut again, &seek);
        press(&mut again, "Enter");
        let table =
            |model: &mut Model| text(model, 100, 30).lines().skip(2).take(6).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(table(&mut frozen), table(&mut again), "{seek} after {cut} records");
        assert_eq!(frozen.time.shown().world, again.time.scene.world, "{seek} after {cut} records");
    }
}

#[test]
fn a_second_on_and_back_the_beginning_and_the_end() {
    let mut model = replay(&storm());
    press(&mut model, "l l l");
    assert_eq!(model.time.scene.at, 2_910 * MS - 1);
    press(&mut model, "Left");
    assert_eq!(model.time.scene.at, 1_910 * MS - 1);
    press(&mut model, "End");
    assert_eq!(model.time.scene.at, 6_800 * MS);
    press(&mut model, "l .");
    assert_eq!(model.time.scene.at, 6_800 * MS);
    assert!(model.toasts.back().unwrap().text.contains("end of the session"));
    press(&mut model, "Home");
    assert_eq!((model.time.scene.at, model.time.scene.world.records), (-90 * MS - 1, 0));
    press(&mut model, ",");
    assert!(model.toasts.back().unwrap().text.contains("beginning of the session"));
}

#[test]
fn playing_keeps_the_time_at_which_it_happened_and_stands_at_the_end() {
    let mut model = replay(&storm());
    press(&mut model, "Space");
    for beat in 1..=20 {
        update(&mut model, ScreenMessage::Tick(Duration::from_millis(beat * 100)));
    }
    assert_eq!(model.time.scene.at, (2_000 - 90) * MS - 1);
    // A screen that was stopped for an hour does not leap.
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(3_600)));
    assert_eq!(model.time.scene.at, (2_250 - 90) * MS - 1);
    for beat in 1..=60 {
        update(&mut model, ScreenMessage::Tick(Duration::from_secs(3_600) + Duration::from_millis(beat * 100)));
    }
    assert!(matches!(model.time.feed, Feed::Replay(_)) && model.time.rate() == Rate::Standing);
    assert!(text(&mut model, 80, 24).contains("This is the end of the session"));
    press(&mut model, "Space");
    assert_eq!(model.time.scene.at, -90 * MS - 1, "played again from the beginning");
}

#[test]
fn a_replay_plays_from_a_fiftieth_of_the_speed_to_sixteen_times_it() {
    for (keys, speed, passed) in [
        ("-", "0.5x", 50 * MS),
        ("- -", "0.25x", 25 * MS),
        ("- - -", "0.1x", 10 * MS),
        ("- - - -", "0.05x", 5 * MS),
        ("- - - - -", "0.02x", 2 * MS),
        ("- - - - - -", "0.02x", 2 * MS),
        ("=", "2x", 200 * MS),
        ("= = = =", "16x", 1_600 * MS),
        ("= = = = =", "16x", 1_600 * MS),
        ("= -", "1x", 100 * MS),
    ] {
        let mut model = replay(&storm());
        let start = model.time.scene.at;
        press(&mut model, keys);
        press(&mut model, "Space");
        update(&mut model, ScreenMessage::Tick(Duration::from_millis(100)));
        assert_eq!(model.time.scene.at - start, passed, "{keys}");
        let screen = text(&mut model, 80, 24);
        assert!(screen.contains(&format!("REPLAY playing {speed} ")), "{screen}");
    }
}

#[test]
fn a_replay_leaps_from_fault_to_fault_and_stands_there() {
    let mut model = replay(&storm());
    press(&mut model, "Space");
    let orders = [("]", 1, 1), ("] ]", 3, 3), ("]", 4, 4), ("[ [ [", 1, 1)];
    for (keys, fault, ordered) in orders {
        press(&mut model, keys);
        assert_eq!(model.places.fault, Some(FaultId(fault)), "{keys}");
        assert_eq!(model.time.scene.world.faults.len(), ordered, "{keys}");
        let at = model.time.scene.world.faults.last().unwrap().ordered;
        assert_eq!(model.time.scene.at, at, "{keys}");
    }
    assert!(matches!(model.time.feed, Feed::Replay(_)) && model.time.rate() == Rate::Standing);
    let footer = text(&mut model, 190, 24);
    assert!(footer.contains("] fault on  [ fault back  } violation on  { violation back"), "{footer}");
    // From between two faults the one before is the nearer, not the one before that.
    press(&mut model, "] . [");
    assert_eq!(model.time.scene.world.faults.len(), 2);
    press(&mut model, "Home [");
    assert!(model.toasts.back().unwrap().text.contains("no fault before"));
    press(&mut model, "End ]");
    assert!(model.toasts.back().unwrap().text.contains("no fault after"));
    assert_eq!(model.time.scene.at, 6_800 * MS, "a leap to nowhere stays");
}

#[test]
fn a_leap_to_a_violation_tells_it_and_the_list_opens_it() {
    let mut model = replay(&storm());
    press(&mut model, "}");
    assert_eq!((model.time.scene.at, model.time.scene.world.violations.iter().count()), (6_700 * MS, 1));
    assert!(model.toasts.back().unwrap().text.contains("violation of assertion-1"));
    press(&mut model, "V Enter");
    assert!(text(&mut model, 100, 30).contains("4 is Normal under 4 since 3.301 s."));
    press(&mut model, "Esc Esc }");
    assert!(model.toasts.back().unwrap().text.contains("no violation after"));
    press(&mut model, "End {");
    assert_eq!(model.time.scene.at, 6_700 * MS);
    press(&mut model, "{");
    assert!(model.toasts.back().unwrap().text.contains("no violation before"));
    press(&mut model, "Esc Home :");
    write_text(&mut model, "next violation");
    press(&mut model, "Enter");
    assert_eq!(model.time.scene.at, 6_700 * MS);
}

#[test]
fn a_time_outside_of_the_session_is_as_near_as_it_reaches_and_a_wrong_one_shows_the_form() {
    let mut model = replay(&storm());
    press(&mut model, ":");
    write_text(&mut model, "seek 99s");
    press(&mut model, "Enter");
    assert_eq!(model.time.scene.at, 6_800 * MS);
    assert!(
        model.toasts.back().unwrap().text.contains("The session goes from -0.090 s to 6.800 s: this is its end."),
        "{:?}",
        model.toasts
    );
    press(&mut model, ":");
    write_text(&mut model, "seek soon");
    press(&mut model, "Enter");
    assert_eq!(model.time.scene.at, 6_800 * MS);
    assert!(wrong(&model).contains("`soon` is no time and no place") && wrong(&model).contains("`seek 12.5s`"));
    for (place, at) in [("end", 6_800), ("beginning", -91)] {
        press(&mut model, "Esc :");
        write_text(&mut model, &format!("seek {place}"));
        press(&mut model, "Enter");
        assert_eq!(model.time.scene.at.div_euclid(MS), at, "{place}");
    }
    press(&mut model, ":");
    write_text(&mut model, "seek step part");
    press(&mut model, "Enter");
    assert!(wrong(&model).contains("There is no step part in this session"));
    press(&mut model, "Esc : s e e k Enter");
    assert!(wrong(&model).contains("`seek` goes to a time: write `seek 12.5s`"));
    for (time, at) in [("99999s", 6_800), ("2", 2_000), ("3.25", 3_250), ("1500ms", 1_500), ("999999999m", 6_800)] {
        press(&mut model, "Esc :");
        write_text(&mut model, &format!("seek {time}"));
        press(&mut model, "Enter");
        assert!(model.dialogs.prompt.is_none() && model.time.scene.at == at * MS, "{time}");
    }
}

#[test]
fn a_file_that_is_cut_or_spoiled_opens_and_says_which_lines_were_skipped() {
    let mut lines = vec![serde_json::to_string(&super::stage::head()).unwrap()];
    lines.extend(storm().iter().map(Record::to_line));
    lines[20] = "{\"at\":5,".into();
    let whole = lines.join("\n");
    let at = super::options_of_replay();
    let mut model = super::replay_of(&at, SessionReader::read(whole.as_bytes()));
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("1 of the file's lines were skipped: 21 (line 21: not a record"), "{screen}");
    for cut in (0..whole.len()).step_by(97) {
        let mut model = super::replay_of(&at, SessionReader::read(&whole.as_bytes()[..cut]));
        press(&mut model, "End");
        assert!(text(&mut model, 80, 24).contains("REPLAY stopped"), "cut at {cut}");
        press(&mut model, "2 3 1 Enter");
        text(&mut model, 80, 24);
    }
}

#[test]
fn a_session_without_its_head_shows_the_nodes_that_its_records_name() {
    let record = Record::of_node(MS, node(2), Body::Spawned { pid: 7 });
    let session = SessionReader { head: None, records: vec![record], skipped: Vec::new() };
    let mut model = super::replay_of(&super::options_of_replay(), session);
    press(&mut model, "End");
    assert!(text(&mut model, 80, 24).contains("starts"));
}

#[test]
fn a_step_by_hand_stops_the_playing() {
    for key in [".", ","] {
        let mut model = replay(&storm());
        press(&mut model, "l Space");
        press(&mut model, key);
        let at = model.time.scene.at;
        update(&mut model, ScreenMessage::Tick(Duration::from_millis(200)));
        assert_eq!(model.time.scene.at, at, "{key}");
    }
}
