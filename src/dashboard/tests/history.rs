//! What the flow still shows after a long time in which nothing but heartbeats came.
//!
//! Invariant: a row that was shown stays, until there are very many rows after it.

use super::stage::{MS, calm, crash, given, live, node, numbered, options, replay, sent, snapshot, step};
use super::{hear, press, text};
use crate::input::message::ScreenMessage;
use crate::input::update::{seek, update};
use crate::model::Model;
use crate::model::pages::session_past;
use crate::model::places::Pane;
use crate::options::{Role, Source};
use judge::why::why_record;
use protocol::NodeId;
use record::{Frame, Record, StoredSession};

/// So many heartbeats after the crash, five in a second.
fn heartbeats(count: u64) -> Vec<Record> {
    let first = crash().len() as u64 + 1;
    let at = |place: u64| 4_000 * MS + i64::try_from(place).unwrap() * 200 * MS;
    let sends = || vec![sent(4, 3, "AreYouNormal")];
    let beat =
        |place| Record { number: first + place, ..step(at(place), 4, given(3, 4, "AreYouNormal"), sends(), None) };
    (0..count).map(beat).collect()
}

fn live_after(beats: &[Record]) -> Model {
    let mut model = live(&crash());
    text(&mut model, 80, 24);
    beats.iter().for_each(|beat| hear(&mut model, beat.clone()));
    model
}

fn shows_all(model: &mut Model) {
    press(model, "g");
    let screen = text(model, 100, 40);
    assert!(screen.contains("the lab begins") && screen.contains("f1 crash 5"), "{screen}");
    assert!(screen.contains("4→1-3 Halt"), "{screen}");
}

#[test]
fn a_snapshot_of_the_newest_records_takes_no_row_away() {
    let beats = heartbeats(600);
    let mut model = live_after(&beats);
    let all: Vec<Record> = crash().into_iter().chain(beats).collect();
    // A lab sends one when its steps begin to play: no record tells that.
    let Frame::Snapshot { head, world, recent, missed, session, .. } = snapshot(&all, 0) else { panic!("no snapshot") };
    let recent = recent[recent.len() - 500..].to_vec();
    let frame = Frame::Snapshot { head, world, recent, missed, session, steps_held: false };
    update(&mut model, ScreenMessage::Frame(Box::new(frame)));
    press(&mut model, "Tab");
    shows_all(&mut model);
    press(&mut model, "6 Enter");
    let screen = text(&mut model, 100, 40);
    assert!(screen.contains("[1 overview]") && !screen.contains("no longer shows"), "{screen}");
}

#[test]
fn heartbeats_push_no_row_out() {
    let mut model = live_after(&heartbeats(45_000));
    press(&mut model, "Tab");
    shows_all(&mut model);
    press(&mut model, "b");
    let rows = model.seen().flow.rows().len();
    assert!((100..=20_000).contains(&rows), "the newest heartbeats are kept, and not all of them: {rows}");
    press(&mut model, "b");
    shows_all(&mut model);
}

#[test]
fn messages_that_are_no_longer_kept_are_told() {
    let mut model = live_after(&heartbeats(100));
    press(&mut model, "2");
    assert!(!text(&mut model, 80, 24).contains("newest"));
    let mut model = live_after(&heartbeats(12_000));
    press(&mut model, "2");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("the newest 20000 rows (older ones are no longer kept), following"), "{screen}");
}

/// A crash among heartbeats: 4 hears 5 until just before, and 3 then; and 30,000 more follow.
fn among_heartbeats(of_three_meanwhile: i64) -> Vec<Record> {
    let beat = |at, from| step(at, 4, given(from, 4, "AreYouNormal"), vec![sent(4, from, "AreYouNormal")], None);
    let (calm, mut crash) = (calm(), crash());
    let after = crash.split_off(calm.len() + 3);
    let mut records = calm;
    records.extend((0..3_000).map(|place| beat(430 * MS + place * MS / 2, 5)));
    records.extend(crash.split_off(records.len() - 3_000));
    records.extend((0..of_three_meanwhile).map(|place| beat(2_010 * MS + place * MS / 2, 3)));
    records.extend(after);
    records.extend((0..30_000).map(|place| beat(4_000 * MS + place * 10 * MS, 3)));
    numbered(records)
}

fn stored(records: &[Record]) -> (tempfile::TempDir, Model) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.jsonl");
    let mut lines = vec![serde_json::to_string(&super::stage::head()).unwrap()];
    lines.extend(records.iter().map(Record::to_line));
    std::fs::write(&path, lines.join("\n")).unwrap();
    let options = options(Source::Session(path.clone()), Role::Visitor);
    (place, Model::stored(&options, StoredSession::open(&path).unwrap()).unwrap())
}

fn why(model: &Model, who: NodeId) -> String {
    model.why_in_brief(who).sentence.text
}

#[test]
fn a_moment_of_a_long_session_shows_what_happened_before_its_heartbeats() {
    let records = among_heartbeats(20);
    let (_place, of_file) = stored(&records);
    for (kind, mut model) in [("in a file", of_file), ("in memory", replay(&records))] {
        for at in [300_000 * MS, 250_000 * MS, 301_000 * MS] {
            seek(&mut model, at);
            let four = why(&model, node(4));
            assert!(four.contains("4 has coordinated since 3.300 s"), "{kind}: {four}");
            let all = model.records_seen();
            assert_eq!((all[0].number, all.is_sorted_by_key(|record| record.number)), (1, true), "{kind}");
            model.places.panes.give_keys_to(Pane::Flow);
            shows_all(&mut model);
            // The log, from its newest row up.
            let news: Vec<String> = model.seen().rows.news_before(u64::MAX).map(|(_, row)| row.text.clone()).collect();
            assert!(news[0].contains("Normal under 4") && news.iter().any(|text| text == "the lab begins"), "{news:?}");
            // With the heartbeats the rows begin where none of these is missing.
            press(&mut model, "b");
            let rows = model.seen().flow.rows();
            let mut numbers: Vec<u64> = rows.iter().flat_map(|row| row.records.iter().copied()).collect();
            numbers.sort_unstable();
            assert!(numbers.len() > 1_000 && numbers.is_sorted_by(|one, next| one + 1 == *next), "{kind}: {numbers:?}");
            drop(rows);
            press(&mut model, "b");
        }
    }
}

#[test]
fn what_was_heard_last_is_told_only_if_nothing_after_it_is_left_out() {
    for (meanwhile, is_known) in [(20, true), (2_000, false)] {
        let records = among_heartbeats(meanwhile);
        let (_place, of_file) = stored(&records);
        for (kind, mut model) in [("in a file", of_file), ("in memory", replay(&records))] {
            seek(&mut model, 300_000 * MS);
            let number = records.iter().find(|record| record.at == 3_100 * MS).unwrap().number;
            let told = why_record(&session_past(model.head.as_ref(), &model.records_seen()), number).unwrap();
            let told: Vec<&str> = told.all().map(|sentence| sentence.text.as_str()).collect();
            let told = told.join(" ");
            assert!(told.contains("4 waited in vain for 5"), "{kind}: {told}");
            assert_eq!(told.contains("4 last heard 5 at 1.930 s"), is_known, "{kind}: {told}");
            assert_eq!(told.contains("last heard 5"), is_known, "{kind}: {told}");
        }
    }
}

#[test]
fn a_live_screen_keeps_the_causes_of_a_state_longer_than_heartbeats() {
    let model = live_after(&heartbeats(45_000));
    let four = why(&model, node(4));
    assert!(four.contains("4 has coordinated since 3.300 s"), "{four}");
    let seen = model.records_seen();
    assert!(seen[0].number == 1 && seen.len() <= 20_000, "{} records", seen.len());
}
