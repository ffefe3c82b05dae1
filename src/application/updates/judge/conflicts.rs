//! Updates without the majority rule: logs that join, and what they list.
//!
//! Invariant: 3 does the first update alone, 2 does the second one with 1, and neither knows of the other.

use super::tests::{by, lab_withholding, log, prepared, under, update};
use judge::trial::*;
use protocol::{AcknowledgedUpdate, ConflictList, LoggedUpdate, OrderId, Property, UpdateWork};

fn first() -> LoggedUpdate {
    update(1, by(3, 1))
}

fn second() -> LoggedUpdate {
    LoggedUpdate { id: OrderId { node: node(2), ..first().id }, ..update(2, by(2, 1)) }
}

/// Two groups, of 3 alone and of 1 and 2, have each done an update.
fn apart() -> Trace {
    let mut trace = lab_withholding(&[Property::Majority]);
    trace.become_state(3, 100, under(3, "3", prepared(&[], first(), "3")));
    trace.become_state(3, 110, under(3, "3", log(&[first()])));
    for (of, at) in [(2, 120), (1, 130)] {
        trace.become_state(of, at, under(2, "1,2", prepared(&[], second(), "1,2")));
    }
    for (of, at) in [(2, 140), (1, 150)] {
        trace.become_state(of, at, under(2, "1,2", log(&[second()])));
    }
    trace
}

/// The union of both, taken in by one that lacked this one, with a list of so many.
fn joined(lacked: LoggedUpdate, updates: u32) -> UpdateWork {
    let list = ConflictList { updates, pairs: u64::from(updates / 2), ..ConflictList::default() };
    let conflicts = (updates > 0).then(|| Box::new(list));
    UpdateWork { learnt: vec![lacked], conflicts, ..log(&[second(), first()]) }
}

/// What was told of logs, without when and why.
fn told(mut trace: Trace) -> Vec<String> {
    trace.speak(8000, "1-3");
    trace.close(9000);
    trace.reports.retain(|report| report.property == Property::AtomicCommit);
    trace.told()
}

#[test]
fn what_follows_a_join_conflicts_with_nothing() {
    let mut trace = apart();
    trace.become_state(3, 300, under(3, "1-3", joined(second(), 2)));
    for of in [1, 2] {
        trace.become_state(of, 310, under(3, "1-3", joined(first(), 2)));
    }
    let third = update(3, by(3, 2));
    let after = |work| UpdateWork { conflicts: joined(first(), 2).conflicts, ..work };
    for of in [3, 1, 2] {
        let asked = prepared(&[second(), first()], third, "1-3");
        trace.become_state(of, 320, under(3, "1-3", after(asked)));
    }
    trace.become_state(3, 400, under(3, "1-3", after(log(&[second(), first(), third]))));
    trace.speak(410, "1-3");
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn a_log_that_says_something_wrong_is_told() {
    let third = update(3, by(3, 2));
    let acknowledged = Some(AcknowledgedUpdate { times: 1, id: second().id, position: 1 });
    let conflicts = joined(second(), 2).conflicts;
    for (group, work, told) in [
        ("1-3", joined(second(), 0), "3 lists 0 conflicting updates in 0 pairs, and 2 in 1 of its log conflict"),
        (
            "3",
            UpdateWork { conflicts, ..log(&[first()]) },
            "3 lists 2 conflicting updates in 1 pairs, and 0 in 0 of its log conflict",
        ),
        ("1-3", UpdateWork { counter: 7, ..joined(second(), 2) }, "3 counts 7 after +2 to 1"),
        ("1-3", log(&[second(), first(), third]), "3 has 2 more updates in its log, and tells of 1"),
        ("1-3", log(&[]), "3 had 1 updates in its log, and has 0"),
        ("3", UpdateWork { acknowledged, ..log(&[first()]) }, "3 acknowledges order 2.1.1, which is not in its log"),
    ] {
        let mut trace = apart();
        trace.become_state(3, 300, under(3, group, work));
        assert_eq!(self::told(trace), [told]);
    }
}

#[test]
fn an_order_done_by_two_groups_is_told() {
    let mut trace = lab_withholding(&[Property::Majority]);
    let again = LoggedUpdate { by: by(2, 1), ..first() };
    for (of, update) in [(3, first()), (2, again)] {
        let alone = of.to_string();
        trace.become_state(of, 100, under(of, &alone, prepared(&[], update, &alone)));
        trace.become_state(of, 110, under(of, &alone, log(&[update])));
    }
    assert_eq!(told(trace), ["3 does order 1.1.1 by 3.1.1/1, and 2.1.1/1 did it"]);
}

#[test]
fn a_voter_with_another_log_is_told() {
    let (mut trace, third) = (apart(), update(3, by(3, 2)));
    trace.become_state(3, 300, under(3, "1-3", prepared(&[first()], third, "1,3")));
    trace.become_state(1, 310, under(3, "1-3", prepared(&[second()], third, "1,3")));
    assert_eq!(told(trace), ["1 prepares update 2 after another log than 3"]);
}

#[test]
fn what_is_done_and_aborted_is_told() {
    let (mut trace, third) = (apart(), update(3, by(2, 2)));
    for of in [2, 1] {
        trace.become_state(of, 200, under(2, "1,2", prepared(&[second()], third, "1,2")));
    }
    trace.become_state(2, 220, under(2, "1,2", log(&[second(), third])));
    trace.speak(230, "2");
    trace.become_state(1, 300, under(2, "1,2", log(&[second()])));
    assert_eq!(told(trace), ["2 has done update 2, and 1 aborts it"]);
}

#[test]
fn after_a_gap_the_list_is_not_judged() {
    let mut trace = apart();
    trace.gap(Some(3), 250);
    let unknown = update(9, by(3, 9));
    trace.become_state(3, 300, under(3, "3", log(&[first(), unknown])));
    let learnt = vec![first(), unknown];
    trace.become_state(1, 310, under(3, "1-3", UpdateWork { learnt, ..log(&[second(), first(), unknown]) }));
    assert_eq!(told(trace), [""; 0]);
}
