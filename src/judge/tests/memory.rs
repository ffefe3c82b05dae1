//! What the judge keeps is bounded by the lab, not by its length.
//!
//! Invariant: intervals that everybody has passed and messages that have arrived are let go.

use super::*;
use record::CopyFate;

#[test]
fn ten_thousand_steps_leave_little_behind() {
    let mut trace = Trace::bully(5);
    trace.agree(5, 900);
    let mut most = [0; 4];
    for round in 0..300 {
        trace.records.clear();
        trace.take_over(5, "1-4", 2000 + round * 1000);
        for (most, kept) in most.iter_mut().zip(trace.judge.kept()) {
            *most = (*most).max(kept);
        }
    }
    assert_eq!(trace.texts(), [""; 0]);
    // Five open intervals, and of each node those that not all have passed: of two statuses under one coordinator.
    assert!(most[0] <= 5 * 3, "{most:?}");
    assert!(most[1] <= 5 && most[2] == 0 && most[3] <= 5, "{most:?}");
}

#[test]
fn a_message_in_flight_costs_little() {
    let mut trace = Trace::electing(256);
    let calls: Vec<MessageId> = (1..256).map(|of| trace.send(of, 1, 256, None)).collect();
    for call in calls {
        trace.answer(256, 2, call, None);
    }
    let (messages, bytes) = trace.judge.in_flight();
    assert_eq!(messages, 255);
    // Each answer carries one call more than the one before it. Of 256 counts each a list would have 2048 bytes.
    assert!(bytes <= messages * 300, "{bytes} bytes of {messages} messages");
}

#[test]
fn a_group_that_all_left_goes() {
    let mut trace = Trace::new(&head(3, &[Property::Assertion3], &[]));
    let mut most = 0;
    for counter in 1..=500 {
        let at = i64::try_from(counter).unwrap() * 100;
        trace.become_state(3, at, in_group(normal(3), 3, counter));
        for of in [1, 2] {
            let invitation = trace.send(3, at + 1, of, None);
            let accept = trace.answer(of, at + 2, invitation, Some(in_group(normal(3), 3, counter)));
            trace.receive(3, at + 3, accept, None);
        }
        trace.tell(3, at + 4, 1, None);
        trace.tell(3, at + 4, 2, None);
        most = most.max(trace.judge.kept()[0]);
        trace.records.clear();
    }
    assert_eq!(trace.texts(), [""; 0]);
    assert!(most <= 6, "{most}");
}

#[test]
fn a_dead_node_keeps_few_intervals() {
    let mut trace = Trace::bully(5);
    trace.agree(5, 900);
    trace.crash(5, 1500);
    trace.time_out(4, 1600, 1800, 1800, "5", None);
    for round in 0..500 {
        trace.records.clear();
        trace.take_over(4, "1-3", 2000 + round * 1000);
        let unanswered = trace.send(4, 2900 + round * 1000, 5, None);
        assert_eq!(unanswered.to, Some(node(5)));
    }
    let [intervals, flights, ..] = trace.judge.kept();
    assert!(intervals <= 5 * 6, "{intervals}");
    assert_eq!(flights, 500, "what is under way to a dead process, up to a cap");
    trace.recover(5, 900_000, electing());
    assert!(trace.judge.kept()[1] <= 8, "but for what may leave late");
}

#[test]
fn the_meter_forgets_the_oldest_breaks() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let cut = trace.fault(1000, "cut 1->2", "1,2");
    for number in 0..10_000 {
        let word = trace.send(1, 2000 + number, 2, None);
        trace.dropped(2, 2001 + number, word, cut);
        trace.records.clear();
    }
    assert_eq!(trace.judge.kept()[3], 1);
    for number in 0..10_000 {
        let at = 20_000 + number * 1000;
        trace.time_out(1, at - 300, at - 200, at, "-", None);
        trace.records.clear();
    }
    assert_eq!(trace.judge.kept()[3], 4096);
}

#[test]
fn steps_and_bites_are_bounded() {
    let mut trace = Trace::new(&head(256, &[Property::Assertion1], &Assumption::ALL));
    let loss = trace.fault(1000, "loss 1->2 100%", "1,2");
    for number in 0..3000 {
        let word = trace.send(1, 2000 + number, 2, None);
        trace.dropped(2, 2001 + number, word, loss);
        trace.records.clear();
    }
    assert_eq!(trace.judge.remembered(), (256, 256), "of 256 nodes each has its share");
}

#[test]
fn what_may_excuse_is_not_forgotten() {
    let needs = Assumption::first(7);
    let mut trace = Trace::new(&head(2, &[Property::Assertion3], needs));
    trace.start(1, 0, electing());
    trace.start(2, 0, in_group(normal(2), 2, 1));
    let word = trace.send(2, 900, 1, None);
    let by = trace.fault(900, "garble 2->1 5%", "1,2");
    trace.garbled(1, 1000, word, by);
    for number in 0..5000 {
        let at = 20_000 + number * 1000;
        trace.time_out(1, at - 300, at - 200, at, "-", None);
        trace.records.clear();
    }
    trace.become_state(1, 6_000_000, in_group(normal(1), 2, 1));
    trace.close(6_001_000);
    assert_eq!(trace.only().because(), Some(Assumption::NothingGarbled));
}

#[test]
fn a_forgotten_hold_is_not_the_machines() {
    let mut trace = Trace::new(&head(2, &[], &Assumption::ALL));
    trace.start_all(2, &electing());
    let by = trace.linked(900, "hold 2->1");
    // More than are remembered, and more than a channel keeps behind a later one.
    let held: Vec<MessageId> = (1000..3200)
        .map(|at| {
            let id = trace.broadcast(2, at, None);
            let (through, fate) = (node(2), CopyFate::Held(None));
            trace.happened(1, at, Body::Copy { id, through, by, fate });
            id
        })
        .collect();
    let later = trace.broadcast(2, 3300, None);
    trace.receive(1, 3301, later, None);
    trace.happened(1, 3302, Body::Late { id: held[0], span: Span::from_millis(2000), message: None });
    trace.speak(5000, "1,2");
    let view = trace.assumption(Assumption::DeliveryInTime);
    assert_eq!(view.by_machine, 0, "{view:?}");
}
