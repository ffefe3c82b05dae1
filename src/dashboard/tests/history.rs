//! What the flow still shows after a long time in which nothing but heartbeats came.
//!
//! Invariant: a row that was shown stays, until there are very many rows after it.

use super::stage::{MS, crash, given, live, sent, snapshot, step};
use super::{hear, press, text};
use crate::dashboard::happening::Happening;
use crate::dashboard::model::Model;
use crate::dashboard::update::update;
use crate::record::{Frame, Record};

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
    press(model, "Home");
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
    update(&mut model, Happening::Frame(Box::new(frame)));
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
