//! Tests of what watchers get: the bound of their queue, and what a snapshot must not lack.
//!
//! Invariant: no socket is opened here; the whole way is held in the tests of the process.

use super::super::trial::{Trial, head, setup};
use super::*;
use crate::protocol::{Algorithm, Effects, Incarnation, NodeId};
use crate::record::{Input, Step};

fn record(number: u64, body: Body) -> Record {
    Record { number, ..Record::of_node(0, NodeId::new(1).unwrap(), body) }
}

fn note(number: u64) -> Record {
    record(number, Body::Note { text: "a note".into() })
}

fn step(number: u64) -> Record {
    let state = Trial::start(&setup(1), None, &mut Effects::new(1)).state();
    let (input, lines, effects) = (Input::Start { saved: false }, vec![], vec![]);
    let incarnation = Incarnation(1);
    record(
        number,
        Body::Step(Step {
            incarnation,
            step: number,
            input,
            capacity: 1,
            lines,
            effects,
            held: None,
            state: Some(state),
        }),
    )
}

fn numbers(observers: &Observers) -> Vec<u64> {
    match observers.0.borrow().snapshot(0) {
        Frame::Snapshot { recent, .. } => recent.iter().map(|record| record.number).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_snapshot_holds_the_newest_records_and_never_lacks_incarnation_and_state() {
    let observers = Observers::new(head(20_224, None), LabClock::default());
    observers.publish(record(1, Body::Ready { incarnation: Incarnation(1) }));
    observers.publish(step(2));
    observers.publish(step(3));
    (4..=RECENT_MAX as u64 + 10).for_each(|number| observers.publish(note(number)));
    let newest = 11..=RECENT_MAX as u64 + 10;
    assert_eq!(numbers(&observers), [1, 3].into_iter().chain(newest).collect::<Vec<_>>());
}

#[test]
fn a_full_queue_counts_what_it_misses_and_a_fresh_snapshot_follows_the_lines() {
    let observers = Observers::new(head(20_224, None), LabClock::default());
    let watcher = Rc::new(Watcher::default());
    observers.0.borrow_mut().watchers.push(Rc::downgrade(&watcher));
    (1..=LINES_MAX as u64 + 7).for_each(|number| observers.publish(note(number)));
    // Room in the middle of a gap changes nothing: a hole in the stream would go unseen.
    assert!(matches!(watcher.take(), Next::Line(_)));
    observers.publish(note(0));
    let mut left = 0;
    loop {
        match watcher.take() {
            Next::Line(_) => left += 1,
            Next::Snapshot { missed } => {
                assert_eq!((left, missed), (LINES_MAX - 1, 8));
                break;
            }
            Next::Nothing => panic!("the gap was not told"),
        }
    }
    observers.publish(note(1));
    assert!(matches!(watcher.take(), Next::Line(_)) && matches!(watcher.take(), Next::Nothing));
}

#[test]
fn many_bytes_fill_a_queue_too() {
    let observers = Observers::new(head(20_224, None), LabClock::default());
    let watcher = Rc::new(Watcher::default());
    observers.0.borrow_mut().watchers.push(Rc::downgrade(&watcher));
    let text = "x".repeat(BYTES_MAX / 3);
    (1..=4).for_each(|number| observers.publish(record(number, Body::Note { text: text.clone() })));
    assert!(matches!(watcher.take(), Next::Line(_)) && matches!(watcher.take(), Next::Line(_)));
    assert!(matches!(watcher.take(), Next::Snapshot { missed: 2 }));
}

#[test]
fn only_a_socket_is_removed_to_make_room() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("node-1.sock");
    std::fs::write(&path, "precious").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let _inside = runtime.enter();
    assert_eq!(bind(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    std::fs::remove_file(&path).unwrap();
    drop(bind(&path).unwrap());
    bind(&path).unwrap();
}
