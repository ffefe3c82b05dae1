//! Weighed copies: whether what is acknowledged is held by enough, and lasts.
//!
//! Invariant: only what the acknowledging process could have known of counts as held.

use super::*;
use protocol::{AcknowledgedCopy, ApplicationFacts, CopyVersion, CopyWork, HeldCopy, Incarnation, OrderId, Work};

/// Three processes, whose copies weigh 2, 1 and 1.
fn started() -> Trace {
    let mut head = head(3, &[Property::Majority], Assumption::first(6));
    head.facts.application = Some(ApplicationFacts {
        name: "copies".into(),
        title: "Copies".into(),
        bystanders: 0,
        needs: Assumption::first(6).to_vec(),
        promises: vec![Property::Majority],
        shards: None,
        services: None,
        section: None,
        weights: vec![2, 1, 1],
        orders: vec!["update".into()],
    });
    let mut trace = Trace::new(&head);
    (1..=3).for_each(|of| trace.start(of, 0, holds(HeldCopy::default())));
    trace
}

fn copy(number: u64, count: u32) -> HeldCopy {
    let version = Some(CopyVersion { number, author: NodeId::new(1).unwrap() });
    HeldCopy { version, count, counter: i64::from(count) * 7 }
}

fn with(work: CopyWork) -> StateVector {
    StateVector { work: Some(Box::new(Work::Copies(work))), ..normal(1) }
}

fn holds(held: HeldCopy) -> StateVector {
    with(CopyWork { held, ..CopyWork::default() })
}

/// It holds this, and acknowledges an order that was written with that.
fn acknowledges(held: HeldCopy, times: u32, written: HeldCopy) -> StateVector {
    let id = OrderId { node: NodeId::new(1).unwrap(), incarnation: Incarnation(1), serial: times };
    let acknowledged = Some(AcknowledgedCopy { times, id, held: written });
    with(CopyWork { held, acknowledged, ..CopyWork::default() })
}

/// What was told, without when and why.
fn told(mut trace: Trace) -> Vec<String> {
    trace.close(9000);
    let what = |text: &&str| text.split("): ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
    trace.texts().iter().map(what).collect()
}

#[test]
fn more_than_half_of_the_weight_must_hold_what_is_acknowledged_and_the_past_must_know_it() {
    let mut right = started();
    right.become_state(1, 100, holds(copy(1, 1)));
    right.become_state(2, 120, holds(copy(1, 1)));
    right.tell(2, 130, 1, None);
    right.become_state(1, 150, acknowledges(copy(1, 1), 1, copy(1, 1)));
    assert_eq!(right.judge.tallies().get(Property::Majority).held, 1);
    assert_eq!(told(right), [""; 0]);

    let mut untold = started();
    untold.become_state(1, 100, holds(copy(1, 1)));
    untold.become_state(2, 120, holds(copy(1, 1)));
    untold.become_state(1, 150, acknowledges(copy(1, 1), 1, copy(1, 1)));
    assert_eq!(told(untold), ["1 acknowledges 1.1.1, and copies of only 2 of 4 of the weight have it"]);
}

#[test]
fn a_later_write_counts_as_holding_an_earlier_one() {
    let mut trace = started();
    trace.become_state(2, 100, holds(copy(3, 2)));
    trace.become_state(3, 110, holds(copy(1, 1)));
    trace.tell(2, 120, 1, None);
    trace.tell(3, 130, 1, None);
    trace.become_state(1, 150, acknowledges(copy(1, 1), 1, copy(1, 1)));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn an_acknowledged_update_that_a_later_write_lacks_is_lost() {
    let mut trace = started();
    for (at, number, count) in [(100, 1, 1), (200, 2, 1)] {
        (2..=3).for_each(|of| trace.become_state(of, at, holds(copy(number, count))));
        (2..=3).for_each(|of| trace.tell(of, at + 10 * i64::from(of), 1, None));
        trace.become_state(1, at + 50, acknowledges(copy(number, count), number as u32, copy(number, count)));
    }
    let lost = "1 acknowledges 1.1.2 as update 1, and 1 has acknowledged 1.1.1 as update 1 of an earlier write";
    assert_eq!(told(trace), [lost]);
}

#[test]
fn two_copies_of_one_write_are_equal_and_none_goes_back() {
    let mut trace = started();
    trace.become_state(1, 100, holds(copy(1, 1)));
    trace.become_state(2, 110, holds(HeldCopy { counter: 8, ..copy(1, 1) }));
    trace.become_state(1, 200, holds(HeldCopy::default()));
    let expected =
        ["1 holds counter 7 after 1 updates by write 1.1, and 2 holds 8 after 1", "1 has lost write 1.1 of its copy"];
    assert_eq!(told(trace), expected);
}

#[test]
fn only_the_last_step_of_a_process_that_was_killed_may_be_lost() {
    let mut trace = started();
    trace.become_state(1, 100, holds(copy(1, 1)));
    trace.crash(1, 110);
    trace.recover(1, 200, holds(HeldCopy::default()));
    trace.become_state(2, 300, holds(copy(2, 1)));
    trace.tell(2, 310, 1, None);
    trace.crash(2, 320);
    trace.recover(2, 400, holds(HeldCopy::default()));
    assert_eq!(told(trace), ["2 has lost write 2.1 of its copy"]);
}
