//! Missing records: unknown, never green, never red.
//!
//! Invariant: what touches a gap, or whose past goes through one, neither convicts nor acquits.

use super::*;
use crate::record::Missed;

fn gap(trace: &mut Trace, of: Option<u16>, at: i64) {
    let body = Body::Gap(Missed { count: 3, place: "in the node's own buffer".into() });
    trace.take(Record { node: of.map(node), ..Record::of_host(at * MS, body) });
}

#[test]
fn an_interval_that_touches_a_gap_does_not_convict() {
    for of in [Some(2), None] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.tell(2, 950, 1, None);
        assert_eq!(trace.judge.unknown(), None);
        gap(&mut trace, of, 1000);
        trace.become_state(1, 2000, normal(1));
        trace.close(9000);
        assert_eq!(trace.texts(), [""; 0]);
        let why = trace.judge.unknown().unwrap();
        assert!(why.starts_with("3 records") && why.ends_with("missing, lost in the node's own buffer"), "{why}");
    }
}

#[test]
fn a_past_that_goes_through_a_gap_does_not_convict_and_others_still_do() {
    let mut trace = Trace::bully(4);
    for of in 1..=4 {
        trace.start(of, 0, electing());
    }
    trace.become_state(4, 100, normal(4));
    gap(&mut trace, Some(2), 200);
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
    assert_eq!(trace.judge.unknown().unwrap(), "1 received message 77 of 2 whose sending is not on record");
}

#[test]
fn no_end_is_judged_after_a_gap() {
    let mut trace = Trace::new(&head(2, &[Property::Uniqueness], &[]));
    gap(&mut trace, Some(1), 0);
    trace.start(1, 1, state(Status::Normal, "stop", Some(1)));
    trace.start(2, 2, state(Status::Normal, "stop", Some(2)));
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
}
