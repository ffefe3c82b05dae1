//! A live screen of a lab in which nothing happens but heartbeats: what it costs, and what it keeps.
//!
//! Invariant: work is counted here, not timed.

use std::time::Duration;

use super::stage::{MS, calm, live, message, node, numbered, step};
use super::{draw, hear};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use crate::model::kept_rows::ROWS_MAX;
use crate::time::scene::RECORDS_MAX;
use judge::why::records_read;
use protocol::Incarnation;
use record::{EffectText, Input, MessageId, Record};

/// The coordinator asks the four others and they answer: so many records.
const ROUND: usize = 9;
/// A round takes so long, in nanoseconds.
const PERIOD: i64 = 200 * MS;

/// The records of this round of heartbeats.
fn round(round: usize) -> Vec<Record> {
    let at = 1_000 * MS + i64::try_from(round).unwrap() * PERIOD;
    let id = |from, to| MessageId {
        from: node(from),
        incarnation: Incarnation(1),
        to: Some(node(to)),
        sequence: 1_000 + round as u64,
    };
    let sent = |from, to| EffectText::Send { id: id(from, to), message: message("AreYouNormal") };
    let given = |from, to| Input::Message { id: id(from, to), message: message("AreYouNormal") };
    let check = Input::Timer { timer: "check".into(), set: 0, due: 0, waited_for: Default::default() };
    let mut records = vec![step(at, 5, check, (1..5).map(|to| sent(5, to)).collect(), None)];
    records.extend((1..5).map(|who| step(at + MS, who, given(5, who), vec![sent(who, 5)], None)));
    records.extend((1..5).map(|who| step(at + 2 * MS, 5, given(who, 5), vec![], None)));
    assert_eq!(records.len(), ROUND);
    records
}

/// The calm lab, and so many rounds of heartbeats after it.
fn idle(rounds: usize) -> Vec<Record> {
    let mut records = calm();
    records.extend((0..rounds).flat_map(round));
    numbered(records)
}

/// The screen of a lab that has beaten so long.
fn screen_after(rounds: usize) -> Model {
    let records = idle(rounds);
    let mut model = live(&records[..calm().len()]);
    records[calm().len()..].iter().for_each(|record| hear(&mut model, record.clone()));
    model
}

/// How many records the drawing after the next heartbeat reads, with this node under the cursor.
fn read_by_a_drawing(model: &mut Model, rounds: usize, who: u16) -> u64 {
    model.places.node = Some(node(who));
    let number = (calm().len() + rounds * ROUND + 1) as u64;
    hear(model, Record { number, ..round(rounds).remove(0) });
    let before = records_read();
    draw(model, 100, 30);
    records_read() - before
}

#[test]
fn a_drawing_reads_as_many_records_after_an_hour_as_after_a_minute() {
    for who in [1, 4, 5] {
        let [young, old] = [200, 2_000].map(|rounds| read_by_a_drawing(&mut screen_after(rounds), rounds, who));
        assert_eq!(young, old, "of {who}");
        assert!((1..100).contains(&young), "{young}");
    }
}

#[test]
fn what_an_idle_screen_keeps_has_a_bound() {
    let model = screen_after(2_500);
    let kept = model.time.scene.records.all();
    assert!(kept.len() <= RECORDS_MAX && kept.len() < 2_500 * ROUND, "{}", kept.len());
    assert!(model.time.scene.rows.len() <= ROWS_MAX);
    assert_eq!(kept[0].number, 1, "what is shown by default stays");
    let newest = |model: &Model| model.time.scene.rows.news_before(u64::MAX).next().map(|(_, row)| row.text.clone());
    assert_eq!(newest(&model), newest(&screen_after(0)), "so do the news");
}

#[test]
fn heartbeats_are_drawn_ten_times_a_second_and_other_things_at_once() {
    let mut model = screen_after(1);
    let (mut clock, mut drawn) = (model.clock, 0);
    model.drawing.done();
    for (place, record) in (1..=10).flat_map(round).enumerate() {
        clock += Duration::from_millis(11);
        let number = (calm().len() + ROUND + place + 1) as u64;
        hear(&mut model, Record { number, at: record.at / 2, ..record });
        update(&mut model, ScreenMessage::Tick(clock));
        if model.drawing.is_needed() {
            drawn += 1;
            model.drawing.done();
        }
    }
    assert!((8..=21).contains(&drawn), "{drawn} drawings of 90 heartbeats in a second");
    hear(&mut model, Record { number: 1_000, at: 9_000 * MS, ..calm().last().unwrap().clone() });
    assert!(model.drawing.is_needed());
}
