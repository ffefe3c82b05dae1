//! Tests of what a snapshot must not lack.
//!
//! Invariant: no socket is opened here; the whole way is held in the tests of the process.

use super::super::trial::{CountingAlgorithm, head, setup};
use super::*;
use protocol::{Algorithm, Effects, Incarnation, NodeId};
use record::{Input, Step};

fn record(number: u64, body: Body) -> Record {
    Record { number, ..Record::of_node(0, NodeId::new(1).unwrap(), body) }
}

fn note(number: u64) -> Record {
    record(number, Body::Note { text: "a note".into() })
}

fn step(number: u64) -> Record {
    let state = CountingAlgorithm::start(&setup(1), None, &mut Effects::new(1)).state();
    let (input, lines, effects) = (Input::Start { saved: false }, vec![], vec![]);
    let incarnation = Incarnation(1);
    record(
        number,
        Body::Step(Step {
            incarnation,
            step: number,
            capacity: 1,
            lines,
            effects,
            state: Some(state),
            ..Step::first(input)
        }),
    )
}

fn numbers(observers: &Observers) -> Vec<u64> {
    match observers.seen.borrow().snapshot(0) {
        Frame::Snapshot { recent, .. } => recent.iter().map(|record| record.number).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_snapshot_holds_the_newest_records_and_never_lacks_incarnation_and_state() {
    let observers = Observers::new(head(20_224, None), LabClock::default(), record::hub::Room::for_watchers(0));
    observers.publish(record(1, Body::Ready { incarnation: Incarnation(1) }));
    observers.publish(step(2));
    observers.publish(step(3));
    (4..=RECENT_MAX as u64 + 10).for_each(|number| observers.publish(note(number)));
    let newest = 11..=RECENT_MAX as u64 + 10;
    assert_eq!(numbers(&observers), [1, 3].into_iter().chain(newest).collect::<Vec<_>>());
}
