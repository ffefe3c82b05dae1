//! Missing records: unknown, never green, never red.
//!
//! Invariant: what touches a gap, or whose past goes through one, neither convicts nor acquits.

use super::*;

#[test]
fn what_touches_a_gap_does_not_convict() {
    for of in [Some(2), None] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.tell(2, 950, 1, None);
        assert_eq!(trace.judge.unknown(), None);
        trace.gap(of, 1000);
        trace.become_state(1, 2000, normal(1));
        trace.close(9000);
        assert_eq!(trace.texts(), [""; 0]);
        let why = trace.judge.unknown().unwrap().to_string();
        assert!(why.starts_with("3 records") && why.ends_with("missing, lost in the node's own buffer"), "{why}");
    }
}

#[test]
fn a_past_through_a_gap_does_not_convict() {
    let mut trace = Trace::electing(4);
    trace.become_state(4, 100, normal(4));
    trace.gap(Some(2), 200);
    trace.tell(2, 300, 1, Some(normal(1)));
    trace.speak(500, "1-4");
    assert_eq!(trace.texts(), [""; 0], "1 has heard of 2");
    trace.become_state(3, 600, normal(3));
    trace.close(9000);
    assert_eq!(trace.only().nodes, set("3,4"));
}

#[test]
fn a_receive_without_its_send_breaks_the_chain() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let id = MessageId { from: node(2), incarnation: Incarnation(1), to: Some(node(1)), sequence: 77 };
    trace.receive(1, 2000, id, Some(normal(1)));
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
    assert_eq!(
        trace.judge.unknown().unwrap().to_string(),
        "1 received message 77 of 2 whose sending is not on record, or which it had before"
    );
}

#[test]
fn no_end_is_judged_after_a_gap() {
    let mut trace = Trace::new(&head(2, &[Property::Uniqueness], &[]));
    trace.gap(Some(1), 0);
    trace.start(1, 1, state(Status::Normal, "stop", Some(1)));
    trace.start(2, 2, state(Status::Normal, "stop", Some(2)));
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn nobody_is_convicted_whose_excuse_may_be_missing() {
    // 3's records have a gap; what 2 knows of 3 may have come of it, and what 1 knows does not.
    for (hears_of, told) in [(None, 1), (Some(2), 0)] {
        let mut trace = Trace::new(&head(3, &[Property::Assertion2], &Assumption::ALL));
        trace.start_all(3, &electing());
        trace.states(100, &[normal(1), normal(2), normal(3)]);
        trace.pass(3000);
        if let Some(of) = hears_of {
            trace.gap(Some(of), 3100);
        }
        trace.close(9000);
        assert_eq!(trace.reports.len(), told, "{:?}", trace.texts());
        assert_eq!(trace.judge.unknown().is_some(), told == 0);
    }
}

#[test]
fn what_is_long_under_way_is_known() {
    // One way takes 5 s: what left 3 s before its receiver's start comes after it.
    let mut head = head(2, &[Property::Assertion1], &Assumption::ALL);
    head.facts.one_way_bound = Span::from_millis(5000);
    let mut trace = Trace::new(&head);
    trace.agree(2, 900);
    trace.crash(1, 1000);
    let early = trace.send(2, 2000, 1, None);
    trace.recover(1, 5000, electing());
    trace.receive(1, 6000, early, None);
    assert_eq!(trace.judge.unknown(), None);
}

#[test]
fn two_thousand_held_messages_are_known() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let by = trace.fault(1000, "hold 2->1", "1,2");
    let held: Vec<MessageId> = (0..2000).map(|number| trace.send(2, 1001 + number, 1, None)).collect();
    for (at, id) in (3100..).zip(&held) {
        trace.happened(1, at, Body::Held { id: *id, by, span: None, message: None });
    }
    let later = trace.send(2, 6000, 1, None);
    trace.receive(1, 6001, later, None);
    for (at, id) in (6100..).zip(held.iter().rev()) {
        trace.receive(1, at, *id, None);
    }
    assert_eq!(trace.judge.unknown(), None);
}

#[test]
fn a_dead_process_beside_many_groups_is_known() {
    let mut trace = Trace::new(&head(3, &[Property::Assertion3], &[]));
    trace.start_all(3, &electing());
    trace.crash(3, 100);
    for counter in 1..=1500 {
        let at = 1000 + i64::try_from(counter).unwrap() * 10;
        trace.become_state(2, at, in_group(normal(2), 2, counter));
        trace.tell(2, at + 1, 1, Some(in_group(normal(2), 2, counter)));
        trace.records.clear();
    }
    assert_eq!((trace.texts(), trace.judge.unknown()), (vec![], None));
    assert!(trace.judge.kept()[0] <= 2 * 513, "{:?}", trace.judge.kept());
    // What is claimed of a group that was let go is not held against anything; of the others it is.
    trace.recover(3, 20_000, in_group(normal(3), 2, 4));
    assert_eq!((trace.texts(), trace.tally(Property::Assertion3).unknown), (vec![], 1));
    trace.become_state(3, 20_100, in_group(normal(3), 2, 1499));
    trace.close(30_000);
    assert_eq!(trace.only().nodes, set("2,3"), "{:?}", trace.texts());
}
