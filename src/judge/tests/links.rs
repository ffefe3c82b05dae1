//! What link faults break that keep messages back or bite one channel, and that what is armed breaks nothing.
//!
//! Invariant: each trace ends in two coordinators; only what happened to one message before differs.

use super::*;
use record::CopyFate;

/// Two coordinators, of a lab in which 2 had sent 1 a word under this fault; what the judge found at the end.
fn because(line: &str, happens: impl Fn(&mut Trace, MessageId, FaultId)) -> (Option<Assumption>, String) {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let fault = trace.fault(1000, line, "1,2");
    let word = trace.send(2, 1900, 1, None);
    happens(&mut trace, word, fault);
    trace.become_state(1, 2500, normal(1));
    trace.close(2900);
    assert!(!trace.only().is_by_machine());
    (trace.only().because(), trace.only().text.clone())
}

fn held(id: MessageId, by: FaultId) -> Body {
    Body::Held { id, by, span: None, message: None }
}

#[test]
fn what_is_held_past_the_bound_is_late() {
    let late = Some(Assumption::DeliveryInTime);
    for (released_at, expected, took) in [(None, late, "1s"), (Some(1950), None, ""), (Some(2200), late, "300ms")] {
        let (because_of, told) = because("hold 2->1", |trace, id, by| {
            trace.happened(1, 1901, held(id, by));
            if let Some(at) = released_at {
                let release = trace.fault(at, "release 2->1", "1,2");
                trace.happened(1, at, Body::Released { id, by: release });
                trace.receive(1, at, id, None);
            }
        });
        assert_eq!(because_of, expected, "{told}");
        let tells = told.contains("cause: f1 (hold 2->1) broke") && told.ends_with(took);
        assert!(expected.is_none() || tells, "{told}");
    }
}

#[test]
fn what_a_reversed_release_loses_is_the_holds() {
    let (because_of, told) = because("hold 2->1", |trace, first, by| {
        let second = trace.send(2, 1902, 1, None);
        for id in [first, second] {
            trace.happened(1, 1903, held(id, by));
        }
        let release = trace.fault(1910, "release 2->1 reversed", "1,2");
        for id in [second, first] {
            trace.happened(1, 1911, Body::Released { id, by: release });
        }
        trace.receive(1, 1912, second, None);
        trace.happened(1, 1913, Body::Stale { id: first });
    });
    assert_eq!(because_of, Some(Assumption::DeliveryInTime));
    assert!(told.contains("cause: f1 (hold 2->1) broke") && told.contains("1 message lost"), "{told}");
}

#[test]
fn a_hold_that_keeps_nothing_breaks_nothing() {
    assert_eq!(because("hold 2->1", |trace, id, _| trace.receive(1, 1902, id, None)).0, None);
    let mut trace = Trace::bully(3);
    trace.agree(3, 900);
    let fault = trace.fault(1000, "hold 3->1", "1,3");
    let word = trace.send(3, 1900, 1, None);
    trace.happened(1, 1901, held(word, fault));
    trace.crash(1, 1950);
    trace.become_state(2, 2500, normal(2));
    trace.close(2900);
    assert_eq!(trace.only().because(), None, "{}", trace.only().text);
}

#[test]
fn copies_that_are_all_held_are_lost() {
    // Through 3, which sent it, and through 2, which relays it: only if both are held is 1 without it.
    for (held_of, takes, bitten) in [(&[2, 3][..], false, 1), (&[2][..], true, 0), (&[3][..], true, 0)] {
        let mut trace = Trace::bully(3);
        trace.agree(3, 900);
        let by = trace.fault(1000, "hold *->1", "1-3");
        let word = trace.broadcast(3, 1900, None);
        let copy = |through: u16, fate| Body::Copy { id: word, through: node(through), by, fate };
        for through in held_of {
            trace.happened(1, 1901, copy(*through, CopyFate::Held(None)));
        }
        trace.receive(2, 1975, word, None);
        if takes {
            trace.receive(1, 1975, word, None);
        }
        for through in held_of {
            trace.happened(1, 2300, copy(*through, CopyFate::Released));
        }
        trace.speak(2400, "1-3");
        let eighth = trace.assumption(Assumption::DeliveryInTime);
        assert_eq!((eighth.by_faults, eighth.by_machine), (bitten, 0), "{eighth:?}");
        assert_eq!(eighth.meant_by, [by]);
    }
}

#[test]
fn what_is_dropped_late_was_late() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let by = trace.fault(1000, "hold 2->1", "1,2");
    let word = trace.send(2, 1900, 1, None);
    trace.happened(1, 1903, held(word, by));
    trace.become_state(1, 2500, normal(1));
    trace.happened(1, 2700, Body::Stale { id: word });
    trace.close(2900);
    assert_eq!(trace.only().because(), Some(Assumption::DeliveryInTime));
}

#[test]
fn what_came_late_excuses_nothing_before() {
    type End = fn(&mut Trace, MessageId);
    let comes: End = |trace, id| trace.receive(3, 2300, id, None);
    let is_dropped: End = |trace, id| trace.happened(3, 2300, Body::Stale { id });
    let is_still_out: End = |_, _| {};
    for (there_at, expected) in [(1999, None), (2001, Some(Assumption::DeliveryInTime))] {
        for end in [comes, is_dropped, is_still_out] {
            let mut trace = Trace::bully(3);
            trace.agree(3, 900);
            trace.become_state(2, 950, electing());
            trace.tell(2, 960, 1, None);
            let by = trace.fault(1000, "hold 2->3", "2,3");
            let word = trace.send(2, 1900, 3, None);
            trace.happened(3, 1901, held(word, by));
            trace.become_state(1, there_at, normal(1));
            end(&mut trace, word);
            trace.close(2900);
            assert_eq!(trace.only().because(), expected, "{}", trace.only().text);
        }
    }
}

#[test]
fn a_held_copy_excuses_before_the_bound() {
    let is_released: fn(&mut Trace, Body) = |trace, released| trace.happened(1, 2300, released);
    let is_still_out: fn(&mut Trace, Body) = |_, _| {};
    for end in [is_released, is_still_out] {
        let mut trace = Trace::bully(3);
        trace.agree(3, 900);
        let by = trace.fault(1000, "hold 3->1", "1,3");
        let word = trace.broadcast(3, 1900, None);
        let copy = |fate| Body::Copy { id: word, through: node(3), by, fate };
        trace.happened(1, 1901, copy(CopyFate::Held(None)));
        trace.become_state(1, 1980, normal(1));
        end(&mut trace, copy(CopyFate::Released));
        trace.close(2900);
        assert_eq!(trace.only().because(), Some(Assumption::DeliveryInTime), "{}", trace.only().text);
    }
}
