//! How sure a contradiction is, and what is none: the traces that a judge is trusted by.
//!
//! Invariant: the clock decides what was observed, happened-before all the rest.

use super::*;
use world::{Orderer, World};

fn grade(trace: &Trace) -> &str {
    let text = &trace.only().text;
    let begin = text.find('(').unwrap() + 1;
    &text[begin..text.find(')').unwrap()]
}

#[test]
fn possible_is_what_nothing_orders() {
    let mut trace = Trace::electing(2);
    trace.become_state(2, 100, normal(2));
    trace.become_state(2, 200, electing());
    trace.become_state(1, 300, normal(1));
    trace.close(3000);
    assert_eq!(grade(&trace), "possible");
}

#[test]
fn observed_is_what_stood_at_one_instant() {
    for (until, told) in [(302, "observed"), (301, "possible")] {
        let mut trace = Trace::electing(2);
        trace.become_state(2, 100, normal(2));
        trace.become_state(1, 300, normal(1));
        trace.become_state(2, until, electing());
        trace.become_state(1, until, electing());
        trace.close(3000);
        assert_eq!(grade(&trace), told, "stamps are uncertain by a millisecond");
    }
}

#[test]
fn faster_lab_time_makes_stamps_less_certain() {
    for (until, told) in [(311, "observed"), (310, "possible")] {
        let mut trace = Trace::electing(2);
        let body = Body::SpeedSet { speed: "10x".parse().unwrap(), by: FaultId(1) };
        trace.take(Record::of_host(50 * MS, body));
        trace.become_state(2, 100, normal(2));
        trace.become_state(1, 300, normal(1));
        trace.become_state(2, until, electing());
        trace.become_state(1, until, electing());
        trace.close(3000);
        assert_eq!(grade(&trace), told);
    }
}

#[test]
fn certain_is_what_began_before_the_other_ended() {
    for (told_1, told_2, grade_of_it) in [(true, true, "certain"), (true, false, "possible"), (false, true, "possible")]
    {
        let mut trace = Trace::electing(2);
        trace.become_state(1, 300, normal(1));
        trace.become_state(2, 300, normal(2));
        // Each hears of the other before its own state ends, all within the stamping's uncertainty.
        let (of_1, of_2) = (trace.send(1, 300, 2, None), trace.send(2, 300, 1, None));
        if told_1 {
            trace.receive(1, 301, of_2, None);
        }
        if told_2 {
            trace.receive(2, 301, of_1, None);
        }
        trace.become_state(1, 301, electing());
        trace.become_state(2, 301, electing());
        trace.close(3000);
        assert_eq!(grade(&trace), grade_of_it);
    }
}

#[test]
fn the_clock_alone_contradicts_nobody() {
    let mut trace = Trace::electing(2);
    trace.become_state(2, 100, normal(2));
    // 2 gives up and says so; its stamps are ahead of those of 1, which goes on by that word.
    let word = trace.send(2, 205, 1, Some(electing()));
    trace.receive(1, 201, word, Some(normal(1)));
    trace.close(3000);
    assert_eq!(trace.texts(), [""; 0]);
}

/// 5 leads, and then it is gone; 4 waits for it in vain and takes over.
fn fail_over(goes: impl Fn(&mut Trace), between: impl Fn(&mut Trace)) -> Trace {
    let mut trace = Trace::bully(5);
    trace.agree(5, 900);
    goes(&mut trace);
    trace.time_out(4, 3000, 3200, 3200, "5", Some(electing()));
    between(&mut trace);
    trace.take_over(4, "1-3", 3201);
    trace.speak(4500, "1-4");
    trace.close(6000);
    trace
}

#[test]
fn a_pause_with_a_gap_is_unknown() {
    let trace = fail_over(|trace| _ = trace.pause(5, 2000), |trace| trace.gap(Some(4), 3201));
    assert_eq!(trace.texts(), [""; 0]);
    assert!(trace.judge.unknown().is_some_and(|why| why.to_string().starts_with("3 records of 4 are missing")));
    let tally = trace.tally(Property::Assertion1);
    assert!(tally.unknown > 0 && tally.broken + tally.excused == 0, "{tally:?}");
}

#[test]
fn streams_read_one_by_one_give_one_verdict() {
    for paused in [true, false] {
        let goes = |trace: &mut Trace| if paused { _ = trace.pause(5, 2000) } else { trace.crash(5, 2000) };
        let drawn = fail_over(goes, |_| {});
        // The streams are read one after the other, the host's last but for what concerns no node.
        let mut streams = drawn.records.clone();
        streams.sort_by_key(|record| record.node.map_or(0, |node| 256 - node.get()));
        let mut orderer = Orderer::new(Roster::new(5).unwrap());
        let mut judge = crate::Judge::new(&head(5, &[Property::Assertion1], &Assumption::ALL), None);
        let mut world = World::new(Roster::new(5).unwrap());
        let mut reports = Vec::new();
        let mut most_waiting = 0;
        for (read, record) in (1..).zip(streams) {
            for ordered in orderer.take(record, 0) {
                world.fold(&ordered);
                reports.extend(judge.take(&ordered));
            }
            most_waiting = most_waiting.max(read - world.records);
        }
        reports.extend(judge.close(6000 * MS));
        assert!(most_waiting > 5, "{most_waiting}");
        assert_eq!((world.records as usize, judge.unknown()), (drawn.records.len(), None));
        // Equal are all that it says, at the end: property, grade, stamps, states, what lies between, and the cause.
        assert_eq!(judge.sentences(), drawn.judge.sentences());
        assert_eq!((reports.len(), drawn.reports.len()), (usize::from(paused), usize::from(paused)));
    }
}

#[test]
fn a_duplicate_makes_no_edge() {
    let mut trace = Trace::electing(2);
    let word = trace.send(2, 90, 1, None);
    trace.become_state(2, 100, normal(2));
    trace.happened(1, 110, Body::Duplicated { id: word, by: FaultId(1) });
    trace.receive(1, 110, word, None);
    trace.become_state(2, 200, electing());
    trace.receive(1, 210, word, Some(normal(1)));
    trace.close(3000);
    assert_eq!((grade(&trace), trace.judge.unknown()), ("possible", None));
}

#[test]
fn what_became_no_input_makes_no_edge() {
    let by = FaultId(1);
    let fates: [fn(MessageId, FaultId) -> Option<Body>; 7] = [
        |_, _| None,
        |id, by| Some(Body::Dropped { id, by, message: None }),
        |id, by| Some(Body::Spoiled { id, by, message: None }),
        |id, _| Some(Body::Stale { id }),
        |id, _| Some(Body::Late { id, span: Span::from_millis(15), message: None }),
        |id, by| Some(Body::Duplicated { id, by }),
        |id, by| Some(Body::Garbled { id, by, was: text(), became: None }),
    ];
    for fate in fates {
        let mut trace = Trace::electing(2);
        trace.become_state(2, 100, normal(2));
        let word = trace.send(2, 200, 1, Some(electing()));
        match fate(word, by) {
            Some(body) => trace.happened(1, 210, body),
            None => trace.receive(1, 210, word, None),
        }
        trace.become_state(1, 300, normal(1));
        trace.close(3000);
        assert_eq!(trace.reports.len(), usize::from(fate(word, by).is_some()), "{:?}", trace.texts());
        assert!(trace.texts().iter().all(|text| text.contains("(possible)")), "{:?}", trace.texts());
    }
}

#[test]
fn in_virtual_time_stamps_are_certain() {
    let mut simulated = head(2, &[Property::Assertion1], &Assumption::ALL);
    simulated.origin = record::Origin::Simulated;
    for (of, told) in [(simulated, "observed"), (head(2, &[Property::Assertion1], &Assumption::ALL), "possible")] {
        let mut trace = Trace::new(&of);
        trace.start_all(2, &electing());
        trace.become_state(2, 100, normal(2));
        trace.become_state(1, 300, normal(1));
        trace.become_state(2, 301, electing());
        trace.become_state(1, 301, electing());
        trace.close(3000);
        assert_eq!(grade(&trace), told);
    }
}

#[test]
fn what_makes_it_surer_is_told_later() {
    let mut trace = Trace::electing(2);
    trace.become_state(2, 100, normal(2));
    trace.become_state(1, 300, normal(1));
    let word = trace.send(1, 300, 2, None);
    let other = trace.send(2, 300, 1, None);
    trace.receive(1, 301, other, Some(electing()));
    trace.speak(310, "1");
    // Until 2 has spoken, a second is waited for: it may hear of the other within that time, or later.
    trace.reports.extend(trace.judge.ripen(1400 * MS));
    assert_eq!(grade(&trace), "possible");
    trace.receive(2, 1500, word, Some(electing()));
    let now = trace.judge.sentences();
    assert!(now[0].starts_with("assertion-1 violated at 0.300 s (possible, by now certain): 2 "), "{now:?}");
}
