//! The order of the rows of the messages and of the log, on a live screen and in a replay.
//!
//! Invariant: records come here as they do from processes whose streams have each their own delay.

use std::time::Duration;

use super::stage::{MS, calm, given, live, numbered, replay, step};
use super::{hear, press, text};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use record::Record;

/// Two records of two processes whose stamps are not in the order in which they came, and one that is very late.
fn unordered() -> Vec<Record> {
    let of = |at, who, from| step(at * MS, who, given(from, who, "Halt"), vec![], None);
    let mut records = calm();
    records.extend([of(1_018, 4, 5), of(1_017, 3, 2), of(1_200, 2, 1), of(1_100, 1, 2)]);
    numbered(records)
}

fn tick(model: &mut Model, millis: u64) {
    update(model, ScreenMessage::Tick(model.clock + Duration::from_millis(millis)));
}

/// The stamps of the rows in sight, and the words of the last one.
fn rows(model: &mut Model) -> (Vec<f64>, String) {
    let screen = text(model, 100, 40);
    let stamped = screen.lines().filter_map(|line| {
        let words = line.trim_start_matches(['>', '›', ' ']);
        Some((words.split_whitespace().next()?.parse::<f64>().ok().filter(|_| words.contains("<-"))?, words.to_owned()))
    });
    let (stamps, words): (Vec<f64>, Vec<String>) = stamped.unzip();
    (stamps, words.last().cloned().unwrap_or_default())
}

#[test]
fn the_rows_of_the_messages_stand_by_their_stamps() {
    let records = unordered();
    let mut model = live(&records[..calm().len()]);
    press(&mut model, "2 +");
    tick(&mut model, 10);
    for record in &records[calm().len()..calm().len() + 2] {
        hear(&mut model, record.clone());
    }
    tick(&mut model, 10);
    assert!(!text(&mut model, 100, 40).contains("1.01"), "they wait for others that may stand before them");
    tick(&mut model, 60);
    let (stamps, _) = rows(&mut model);
    assert_eq!(stamps[stamps.len() - 2..], [1.017, 1.018], "{stamps:?}");
    // A selected row stays selected, whatever comes.
    press(&mut model, "Up");
    let selected = model.selected_message();
    for record in &records[calm().len() + 2..] {
        hear(&mut model, record.clone());
        tick(&mut model, 60);
    }
    assert_eq!(model.selected_message(), selected);
    press(&mut model, "f f");
    let (stamps, last) = rows(&mut model);
    assert_eq!(stamps[stamps.len() - 4..], [1.017, 1.018, 1.2, 1.1], "{stamps:?}");
    assert!(last.contains("(late) 1 <- 2"), "{last}");
    // A replay shows the same.
    let mut again = replay(&records);
    press(&mut again, "End 2 +");
    assert_eq!(rows(&mut again), (stamps, last));
}
