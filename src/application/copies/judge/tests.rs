//! Weighed copies: whether what is acknowledged is held by enough, and lasts.
//!
//! Invariant: only what the acknowledging process could have known of counts as held.

use crate::tests::judged;
use judge::trial::*;
use protocol::{AcknowledgedCopy, ApplicationFacts, CopyVersion, CopyWork, HeldCopy, Property, StateVector, Work};

/// Three processes, whose copies weigh 2, 1 and 1.
fn started() -> Trace {
    let application = ApplicationFacts { weights: vec![2, 1, 1], ..application("copies", &[Property::Majority], 6) };
    let mut trace = judged(&head_with(3, application));
    trace.start_all(3, &holds(HeldCopy::default()));
    trace
}

fn copy(number: u64, count: u32) -> HeldCopy {
    let version = Some(CopyVersion { number, author: node(1) });
    HeldCopy { version, count, counter: i64::from(count) * 7 }
}

fn holds(held: HeldCopy) -> StateVector {
    at_work(Work::Copies(CopyWork { held, ..CopyWork::default() }), normal(1))
}

/// Holds this, and acknowledges an order that was written with that.
fn acknowledges(held: HeldCopy, times: u32, written: HeldCopy) -> StateVector {
    let acknowledged = Some(AcknowledgedCopy { times, id: order(times), held: written });
    at_work(Work::Copies(CopyWork { held, acknowledged, ..CopyWork::default() }), normal(1))
}

#[test]
fn what_is_acknowledged_is_held_by_a_majority() {
    let mut right = started();
    right.become_state(1, 100, holds(copy(1, 1)));
    right.become_state(2, 120, holds(copy(1, 1)));
    right.tell(2, 130, 1, None);
    right.become_state(1, 150, acknowledges(copy(1, 1), 1, copy(1, 1)));
    assert_eq!(right.tally(Property::Majority).held, 1);
    assert_eq!(right.told(), [""; 0]);

    let mut untold = started();
    untold.become_state(1, 100, holds(copy(1, 1)));
    untold.become_state(2, 120, holds(copy(1, 1)));
    untold.become_state(1, 150, acknowledges(copy(1, 1), 1, copy(1, 1)));
    assert_eq!(untold.told(), ["1 acknowledges 1.1.1, and copies of only 2 of 4 of the weight have it"]);
}

#[test]
fn a_later_write_holds_an_earlier_one() {
    let mut trace = started();
    trace.become_state(2, 100, holds(copy(3, 2)));
    trace.become_state(3, 110, holds(copy(1, 1)));
    trace.tell(2, 120, 1, None);
    trace.tell(3, 130, 1, None);
    trace.become_state(1, 150, acknowledges(copy(1, 1), 1, copy(1, 1)));
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn what_a_later_write_lacks_is_lost() {
    let mut trace = started();
    for (at, number, count) in [(100, 1, 1), (200, 2, 1)] {
        (2..=3).for_each(|of| trace.become_state(of, at, holds(copy(number, count))));
        (2..=3).for_each(|of| trace.tell(of, at + 10 * i64::from(of), 1, None));
        trace.become_state(1, at + 50, acknowledges(copy(number, count), number as u32, copy(number, count)));
    }
    let lost = "1 acknowledges 1.1.2 as update 1, and 1 has acknowledged 1.1.1 as update 1 of an earlier write";
    assert_eq!(trace.told(), [lost]);
}

#[test]
fn copies_are_equal_and_none_goes_back() {
    let mut trace = started();
    trace.become_state(1, 100, holds(copy(1, 1)));
    trace.become_state(2, 110, holds(HeldCopy { counter: 8, ..copy(1, 1) }));
    trace.become_state(1, 200, holds(HeldCopy::default()));
    let expected =
        ["1 holds counter 7 after 1 updates by write 1.1, and 2 holds 8 after 1", "1 has lost write 1.1 of its copy"];
    assert_eq!(trace.told(), expected);
}

#[test]
fn only_a_killed_last_step_may_be_lost() {
    let mut trace = started();
    trace.become_state(1, 100, holds(copy(1, 1)));
    trace.crash(1, 110);
    trace.recover(1, 200, holds(HeldCopy::default()));
    trace.become_state(2, 300, holds(copy(2, 1)));
    trace.tell(2, 310, 1, None);
    trace.crash(2, 320);
    trace.recover(2, 400, holds(HeldCopy::default()));
    assert_eq!(trace.told(), ["2 has lost write 2.1 of its copy"]);
}
