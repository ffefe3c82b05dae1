//! What `duplicate`, `reorder`, `garble` and `corrupt` break, and that they break nothing else.
//!
//! Invariant: each test ends in the same two coordinators; only what happened to one message before differs.

use super::*;
use record::CopyFate;

/// What the judge makes of two coordinators when this has happened to a message of 2 to 1; the message is then given to
/// 1 so many times.
fn because(line: &str, deliveries: usize, bites: impl Fn(MessageId, FaultId) -> Vec<Body>) -> (Trace, String) {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let fault = trace.fault(1000, line, "1,2");
    let word = trace.send(2, 1900, 1, None);
    for body in bites(word, fault) {
        trace.happened(1, 1901, body);
    }
    for _ in 0..deliveries {
        trace.receive(1, 1902, word, None);
    }
    trace.become_state(1, 2000, normal(1));
    trace.close(2400);
    let told = trace.texts().concat();
    (trace, told)
}

#[test]
fn a_message_delivered_twice_breaks_7_and_no_chain() {
    let (trace, told) = because("duplicate 2->1 5%", 2, |id, by| vec![Body::Duplicated { id, by }]);
    assert_eq!((trace.only().because, trace.only().by_machine), (Some(Assumption::Order), false));
    let words = "f1 (duplicate 2->1 5%) broke assumption 7 (messages of a link arrive in order): 1 message delivered \
                 twice, the first from 2 to 1 at 1.901 s";
    assert!(told.ends_with(words), "{told}");
    assert_eq!(trace.judge.unknown(), None);
}

#[test]
fn a_copy_that_no_record_announced_breaks_the_chain() {
    let (trace, _) = because("duplicate 2->1 5%", 2, |_, _| vec![]);
    assert!(trace.reports.is_empty(), "what stands on a broken chain convicts nobody");
    assert!(trace.judge.unknown().is_some_and(|why| why.contains("whose sending is not on record")));
}

#[test]
fn a_message_that_was_overtaken_breaks_7() {
    let (trace, told) = because("reorder 2->1 5%", 1, |id, by| vec![Body::Reordered { id, by }]);
    assert_eq!(trace.only().because, Some(Assumption::Order));
    assert!(told.contains("1 message overtaken, the first from 2 to 1"), "{told}");
}

#[test]
fn a_garbled_message_breaks_6_and_one_that_came_to_nothing_8() {
    let (trace, told) =
        because("garble 2->1 5%", 1, |id, by| vec![Body::Garbled { id, by, was: text(), became: Some(text()) }]);
    assert_eq!(trace.only().because, Some(Assumption::NothingGarbled));
    assert!(told.contains("1 message garbled, the first from 2 to 1"), "{told}");
    let (trace, told) =
        because("garble 2->1 5%", 0, |id, by| vec![Body::Garbled { id, by, was: text(), became: None }]);
    assert_eq!(trace.only().because, Some(Assumption::DeliveryInTime));
    assert!(told.contains("1 message lost"), "{told}");
}

#[test]
fn a_spoiled_datagram_is_a_loss() {
    let (trace, told) = because("corrupt 2->1 5%", 0, |id, by| vec![Body::Spoiled { id, by, message: None }]);
    assert_eq!(trace.only().because, Some(Assumption::DeliveryInTime));
    assert!(
        told.ends_with(
            "f1 (corrupt 2->1 5%) broke assumption 8 (delivery within the bound): 1 message lost, the \
                            first from 2 to 1 at 1.901 s"
        ),
        "{told}"
    );
}

#[test]
fn what_is_armed_and_does_not_bite_breaks_nothing() {
    let (trace, _) = because("garble 2->1 5%", 1, |_, _| vec![]);
    assert_eq!(trace.only().because, None);
}

/// The same two coordinators; 2 had broadcast a word by the ordered broadcast, and this happened to it at 1.
fn ordered(line: &str, bites: impl Fn(MessageId, FaultId) -> Vec<(i64, Body)>, receives: bool) -> Trace {
    let mut trace = Trace::bully(3);
    trace.agree(3, 900);
    let fault = trace.fault(1000, line, "1-3");
    let word = trace.broadcast(3, 1900, None);
    for (at, body) in bites(word, fault) {
        trace.happened(1, at, body);
    }
    trace.receive(2, 1975, word, None);
    if receives {
        trace.receive(1, 1976, word, None);
    }
    trace.become_state(1, 2000, normal(1));
    trace.close(2400);
    trace
}

/// Of the broadcast of 3 this happened to the copies that came to 1 through these.
fn copies(through: &'static [u16], fate: CopyFate) -> impl Fn(MessageId, FaultId) -> Vec<(i64, Body)> {
    move |id, by| {
        let copy = |through: &u16| (1901, Body::Copy { id, through: node(*through), by, fate });
        through.iter().map(copy).collect()
    }
}

#[test]
fn a_broadcast_is_lost_at_a_receiver_if_every_copy_of_it_was_and_not_if_one_may_have_come() {
    // 3 sends it, and 2, which takes it from 3, relays it.
    for (through, receives, because) in [
        (&[2, 3][..], false, Some(Assumption::DeliveryInTime)),
        (&[2][..], true, None),
        (&[3][..], true, None),
        // The relay of 2 was kept back by nothing, and did not come: no fault explains that.
        (&[3][..], false, None),
        (&[2][..], false, None),
    ] {
        let trace = ordered("loss *->1 5%", copies(through, CopyFate::Dropped), receives);
        assert_eq!(trace.reports[0].because, because, "{through:?}: {:?}", trace.texts());
        assert_eq!(trace.judge.unknown(), None, "its sending is still known when it is delivered");
        if because.is_some() {
            let words = "f1 (loss *->1 5%) broke assumption 8 (delivery within the bound): 1 message lost, the first \
                         from 2 to 1 at 1.975 s";
            assert!(trace.texts()[0].ends_with(words), "{:?}", trace.texts());
        }
    }
}

#[test]
fn a_copy_of_one_that_missed_the_senders_own_is_not_waited_for_since_it_relays_nothing() {
    let lost = |id, by| {
        let mut lost = copies(&[3], CopyFate::Dropped)(id, by);
        lost.push((1902, Body::Copy { id, through: node(3), by, fate: CopyFate::Dropped }));
        lost
    };
    let mut trace = Trace::bully(3);
    trace.agree(3, 900);
    let by = trace.fault(1000, "loss 3->* 5%", "1-3");
    let word = trace.broadcast(3, 1900, None);
    trace.happened(2, 1901, Body::Copy { id: word, through: node(3), by, fate: CopyFate::Dropped });
    for (at, body) in lost(word, by) {
        trace.happened(1, at, body);
    }
    trace.receive(2, 1975, word, None);
    trace.become_state(1, 2000, normal(1));
    trace.close(2400);
    assert_eq!(trace.reports[0].because, Some(Assumption::DeliveryInTime));
}

#[test]
fn what_came_too_late_for_the_ordered_broadcast_breaks_8_by_the_fault_that_held_it_or_by_the_machine() {
    let late = |id| (1990, Body::Late { id, span: Span::from_millis(15), message: None });
    let held = |through| {
        move |id, by| {
            let mut held = copies(through, CopyFate::Held(Some(Span::from_millis(90))))(id, by);
            held.push(late(id));
            held
        }
    };
    for (trace, by_machine, by) in [
        (ordered("delay *->1 90ms", held(&[2, 3]), false), false, "f1 (delay *->1 90ms)"),
        (ordered("delay *->1 90ms", held(&[3]), false), true, "this computer"),
        (ordered("delay *->1 90ms", held(&[]), false), true, "this computer"),
    ] {
        let report = &trace.reports[0];
        assert_eq!((report.because, report.by_machine), (Some(Assumption::DeliveryInTime), by_machine));
        let words = "1 message came too late for the ordered broadcast, the first from 3 to 1, due at 1.975 s";
        assert!(
            report.text.ends_with(&format!("cause: {by} broke assumption 8 (delivery within the bound): {words}")),
            "{}",
            report.text
        );
    }
}

#[test]
fn copies_that_are_held_past_the_bound_break_8_before_they_come_and_one_that_may_come_in_time_does_not() {
    let held = |ms| copies(&[3, 2], CopyFate::Held(Some(Span::from_millis(ms))));
    let trace = ordered("delay *->1 2s", held(2000), false);
    let report = &trace.reports[0];
    assert_eq!((report.because, report.by_machine), (Some(Assumption::DeliveryInTime), false));
    let words = "f1 (delay *->1 2s) broke assumption 8 (delivery within the bound): 1 message took longer than the \
                 bound, the slowest from 3 to 1 took 2s";
    assert!(report.text.ends_with(words), "{}", report.text);
    let trace = ordered("delay *->1 30ms", held(30), false);
    assert_eq!(trace.reports[0].because, None);
}
