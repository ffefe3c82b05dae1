//! What `duplicate`, `reorder`, `garble` and `corrupt` break, and that they break nothing else.
//!
//! Invariant: each test ends in the same two coordinators; only what happened to one message before differs.

use super::*;
use record::CopyFate;

fn because(line: &str, deliveries: usize, bites: impl Fn(MessageId, FaultId) -> Vec<Body>) -> Trace {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let fault = trace.fault(1000, line, "1,2");
    let word = trace.send(2, 1900, 1, None);
    bites(word, fault).into_iter().for_each(|body| trace.happened(1, 1901, body));
    (0..deliveries).for_each(|_| trace.receive(1, 1902, word, None));
    trace.become_state(1, 2000, normal(1));
    trace.close(2400);
    trace
}

#[test]
fn each_bite_breaks_its_own_assumption() {
    type Bites = fn(MessageId, FaultId) -> Vec<Body>;
    let (garbled, lost): (Bites, Bites) = (
        |id, by| vec![Body::Garbled { id, by, was: text(), became: Some(text()) }],
        |id, by| vec![Body::Garbled { id, by, was: text(), became: None }],
    );
    let rows: [(&str, usize, Bites, Option<Assumption>, &str); 6] = [
        (
            "duplicate",
            2,
            |id, by| vec![Body::Duplicated { id, by }],
            Some(Assumption::Order),
            "f1 (duplicate 2->1 5%) broke assumption 7 (messages of a link arrive in order): 1 message delivered twice, \
             the first from 2 to 1 at 1.901 s",
        ),
        (
            "reorder",
            1,
            |id, by| vec![Body::Reordered { id, by }],
            Some(Assumption::Order),
            "1 message overtaken, the first from 2 to 1 at 1.901 s",
        ),
        ("garble", 1, garbled, Some(Assumption::NothingGarbled), "1 message garbled, the first from 2 to 1 at 1.901 s"),
        ("garble", 0, lost, Some(Assumption::DeliveryInTime), "1 message lost, the first from 2 to 1 at 1.901 s"),
        (
            "corrupt",
            0,
            |id, by| vec![Body::Spoiled { id, by, message: None }],
            Some(Assumption::DeliveryInTime),
            "f1 (corrupt 2->1 5%) broke assumption 8 (delivery within the bound): 1 message lost, the first from 2 to 1 \
             at 1.901 s",
        ),
        // What is armed and does not bite breaks nothing.
        ("garble", 1, |_, _| vec![], None, "no assumption was broken"),
    ];
    for (kind, deliveries, bites, broken, words) in rows {
        let trace = because(&format!("{kind} 2->1 5%"), deliveries, bites);
        assert_eq!(
            (trace.only().because(), trace.only().is_by_machine(), trace.judge.unknown()),
            (broken, false, None)
        );
        assert!(trace.only().text.ends_with(words), "{}", trace.only().text);
    }
}

#[test]
fn an_unannounced_copy_breaks_the_chain() {
    let trace = because("duplicate 2->1 5%", 2, |_, _| vec![]);
    assert!(trace.reports.is_empty(), "what stands on a broken chain convicts nobody");
    assert!(trace.judge.unknown().is_some_and(|why| why.to_string().contains("whose sending is not on record")));
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
fn a_broadcast_is_lost_with_all_its_copies() {
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
        assert_eq!(trace.reports[0].because(), because, "{through:?}: {:?}", trace.texts());
        assert_eq!(trace.judge.unknown(), None, "its sending is still known when it is delivered");
        if because.is_some() {
            let words = "f1 (loss *->1 5%) broke assumption 8 (delivery within the bound): 1 message lost, the first \
                         from 2 to 1 at 1.975 s";
            assert!(trace.texts()[0].ends_with(words), "{:?}", trace.texts());
        }
    }
}

#[test]
fn who_missed_the_senders_copy_relays_nothing() {
    let mut trace = Trace::bully(3);
    trace.agree(3, 900);
    let by = trace.fault(1000, "loss 3->* 5%", "1-3");
    let word = trace.broadcast(3, 1900, None);
    for (of, at) in [(2, 1901), (1, 1901), (1, 1902)] {
        trace.happened(of, at, Body::Copy { id: word, through: node(3), by, fate: CopyFate::Dropped });
    }
    trace.receive(2, 1975, word, None);
    trace.become_state(1, 2000, normal(1));
    trace.close(2400);
    assert_eq!(trace.reports[0].because(), Some(Assumption::DeliveryInTime));
}

#[test]
fn a_late_broadcast_has_its_cause() {
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
        assert_eq!((report.because(), report.is_by_machine()), (Some(Assumption::DeliveryInTime), by_machine));
        let words = "1 message came too late for the ordered broadcast, the first from 3 to 1, due at 1.975 s";
        assert!(
            report.text.ends_with(&format!("cause: {by} broke assumption 8 (delivery within the bound): {words}")),
            "{}",
            report.text
        );
    }
}

#[test]
fn copies_held_past_the_bound_are_late() {
    let held = |ms| copies(&[3, 2], CopyFate::Held(Some(Span::from_millis(ms))));
    let trace = ordered("delay *->1 2s", held(2000), false);
    let report = &trace.reports[0];
    assert_eq!((report.because(), report.is_by_machine()), (Some(Assumption::DeliveryInTime), false));
    let words = "f1 (delay *->1 2s) broke assumption 8 (delivery within the bound): 1 message took longer than the \
                 bound, the slowest from 3 to 1 took 2s";
    assert!(report.text.ends_with(words), "{}", report.text);
    let trace = ordered("delay *->1 30ms", held(30), false);
    assert_eq!(trace.reports[0].because(), None);
}
