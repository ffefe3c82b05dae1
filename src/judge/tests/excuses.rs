//! What excuses a contradiction, when it is told, and how.
//!
//! Invariant: a fault comes before the machine; a pause of one of the two before what it did to messages.

use super::*;

/// 5 is paused, 4 takes over, 5 goes on.
fn pause(trace: &mut Trace) {
    trace.agree(5, 900);
    trace.pause(5, 2000);
    trace.time_out(4, 3000, 3200, 3200, "5", Some(electing()));
    trace.take_over(4, "1-3", 3201);
}

#[test]
fn what_held_in_a_pause_is_not_counted() {
    for (at, held) in [(3500, 2), (3801, 3)] {
        let mut trace = Trace::electing(2);
        trace.become_state(2, 900, normal(2));
        trace.tell(2, 1000, 1, Some(normal(2)));
        trace.pause(2, 2000);
        trace.resume(2, 3000);
        trace.become_state(1, at, reorganizing(2));
        trace.close(9000);
        let tally = trace.tally(Property::Assertion1);
        assert_eq!((trace.texts(), tally.due, tally.held), (vec![], held, held));
    }
}

#[test]
fn what_a_paused_node_receives_late_is_excused() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    trace.pause(2, 2000);
    let word = trace.send(1, 2100, 2, Some(normal(1)));
    trace.resume(2, 4000);
    trace.receive(2, 4001, word, None);
    trace.close(5000);
    assert_eq!(trace.only().because(), Some(Assumption::NoPauses));
    assert!(
        trace.only().text.ends_with("f1 (pause 2) broke assumption 9 (no pauses): node 2 was paused for 2s"),
        "{}",
        trace.only().text
    );
    assert_eq!(trace.judge.kept()[3], 1, "the pause alone is broken");
}

#[test]
fn each_dispute_is_one_violation() {
    let mut trace = Trace::bully(5);
    pause(&mut trace);
    trace.resume(5, 6000);
    trace.take_over(5, "1-4", 6100);
    trace.speak(7000, "1-5");
    assert_eq!(trace.reports.len(), 1, "{:#?}", trace.texts());
    trace.pause(5, 8000);
    trace.time_out(4, 9000, 9200, 9200, "5", Some(electing()));
    trace.take_over(4, "1-3", 9201);
    trace.close(11_000);
    assert_eq!(trace.reports.len(), 2, "{:#?}", trace.texts());
    assert!(trace.reports[1].text.contains("cause: f2 (pause "), "{}", trace.reports[1].text);
}

#[test]
fn a_later_stall_is_the_machines() {
    let mut trace = Trace::bully(5);
    trace.agree(5, 900);
    trace.time_out(4, 3000, 3200, 3200, "5", Some(electing()));
    trace.take_over(4, "1-3", 3201);
    trace.speak(3500, "1-4");
    assert_eq!(trace.texts(), [""; 0], "5 has not spoken since");
    trace.time_out(5, 2800, 3000, 3510, "-", None);
    let report = trace.only();
    assert_eq!((report.because(), report.is_by_machine()), (Some(Assumption::NoPauses), true));
    assert!(report.text.ends_with("cause: this computer broke assumption 9 (no pauses): node 5 was paused for 510ms"));
}

#[test]
fn a_late_message_has_its_cause() {
    for by_fault in [false, true] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        let delay = trace.fault(1000, "delay 1->2 300ms", "1,2");
        let word = trace.send(1, 2000, 2, None);
        if by_fault {
            trace.held(2, 2001, word, delay, 300);
        }
        trace.become_state(1, 2200, normal(1));
        trace.receive(2, 2301, word, None);
        trace.speak(2400, "1,2");
        let report = trace.only();
        assert_eq!((report.because(), report.is_by_machine()), (Some(Assumption::DeliveryInTime), !by_fault));
        let cause = if by_fault { "f1 (delay 1->2 300ms)" } else { "this computer" };
        let told = format!(
            "cause: {cause} broke assumption 8 (delivery within the bound): 1 message took longer than the bound, \
             the slowest from 1 to 2 took 301ms"
        );
        assert!(report.text.ends_with(&told), "{}", report.text);
    }
}

#[test]
fn a_delay_within_the_bound_breaks_nothing() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let delay = trace.fault(1000, "delay 1->2 50ms", "1,2");
    let word = trace.send(1, 2000, 2, Some(normal(1)));
    trace.held(2, 2001, word, delay, 50);
    trace.receive(2, 2051, word, None);
    trace.close(2400);
    assert_eq!(trace.only().because(), None);
}

#[test]
fn a_fault_comes_before_the_machine() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let cut = trace.fault(1000, "cut 2->1", "1,2");
    let word = trace.send(2, 1900, 1, None);
    trace.dropped(1, 1901, word, cut);
    trace.time_out(2, 1000, 1200, 1999, "-", None);
    trace.overflowed(1, 1999, 7);
    trace.become_state(1, 2000, normal(1));
    trace.close(2400);
    assert_eq!((trace.only().because(), trace.only().is_by_machine()), (Some(Assumption::DeliveryInTime), false));
}

#[test]
fn a_pause_of_one_of_both_comes_first() {
    for (paused, because) in [(2, Assumption::NoPauses), (3, Assumption::DeliveryInTime)] {
        let mut trace = Trace::bully(3);
        trace.start(1, 0, electing());
        trace.start(2, 0, normal(2));
        trace.start(3, 0, electing());
        trace.pause(paused, 1200);
        let cut = trace.fault(1300, "cut 2->1", "1,2");
        let word = trace.send(1, 1400, 2, None);
        trace.dropped(2, 1401, word, cut);
        trace.become_state(1, 2000, normal(1));
        trace.close(2400);
        assert_eq!((trace.only().nodes, trace.only().because()), (set("1,2"), Some(because)), "{}", trace.only().text);
    }
}

#[test]
fn a_break_before_the_states_excuses_nothing() {
    for (until, because) in [(8000, Some(Assumption::NoPauses)), (100, None)] {
        let mut trace = Trace::electing(2);
        trace.pause(2, 50);
        trace.resume(2, until);
        trace.become_state(2, 9000 - 200, normal(2));
        trace.become_state(1, 9000, normal(1));
        trace.close(9500);
        assert_eq!(trace.only().because(), because, "{}", trace.only().text);
    }
}

#[test]
fn who_has_an_overdue_timer_stands_still() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let watch = EffectText::SetTimer { timer: "check".into(), span: Span::from_millis(200) };
    trace.effects(2, 1000, vec![watch]);
    trace.become_state(1, 2000, normal(1));
    trace.speak(2500, "1");
    assert_eq!(trace.judge.wake_at(), Some(3000 * MS));
    assert!(trace.judge.ripen(2999 * MS).is_empty());
    let reports = trace.judge.ripen(3000 * MS);
    assert_eq!((reports[0].because(), reports[0].is_by_machine()), (Some(Assumption::NoPauses), true));
    assert!(
        reports[0].text.ends_with("this computer broke assumption 9 (no pauses): node 2 has been paused for 1.8s"),
        "{}",
        reports[0].text
    );
    assert_eq!(trace.judge.wake_at(), None);
    trace.time_out(2, 1000, 1200, 3700, "-", None);
    assert!(
        trace.judge.sentences()[0]
            .ends_with("this computer broke assumption 9 (no pauses): node 2 was paused for 2.5s")
    );
}

#[test]
fn what_is_still_held_is_late() {
    // For how long the message is held back, and whether its receiver dies before it comes.
    for (ms, dies, is_late) in [(2000, false, true), (2000, true, true), (49, false, false)] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        let slow = trace.fault(1000, "delay 2->1 2s", "1,2");
        let word = trace.send(2, 1200, 1, None);
        trace.held(1, 1250, word, slow, ms);
        trace.become_state(1, 2000, normal(1));
        if dies {
            trace.crash(1, 2050);
        }
        trace.speak(2100, if dies { "2" } else { "1,2" });
        let report = trace.only();
        assert_eq!((report.because(), report.is_by_machine()), (is_late.then_some(Assumption::DeliveryInTime), false));
        let words = "f1 (delay 2->1 2s) broke assumption 8 (delivery within the bound): 1 message took longer than the \
                     bound, the slowest from 2 to 1 took 900ms";
        assert!(!is_late || dies || report.text.ends_with(words), "{}", report.text);
    }
}

#[test]
fn what_is_not_promised_is_counted_apart() {
    let mut head = head(2, &[Property::Assertion1], &Assumption::ALL);
    head.facts.withheld = vec![Property::Assertion1];
    let mut trace = Trace::new(&head);
    trace.agree(2, 900);
    trace.become_state(1, 2000, normal(1));
    trace.close(7000);
    assert!(trace.only().text.ends_with("no assumption was broken"));
    let tally = trace.tally(Property::Assertion1);
    assert_eq!((tally.broken, tally.excused, tally.unpromised), (0, 0, 1));
    assert_eq!(tally.due, tally.held);
}

#[test]
fn a_full_buffer_explains_the_last_second() {
    // It is told once a second: what it tells of may have been lost so long before.
    for (told_at, because) in [(2900, Some(Assumption::DeliveryInTime)), (3100, None)] {
        let mut trace = Trace::bully(3);
        trace.start_all(2, &electing());
        trace.become_state(2, 2000, normal(2));
        trace.become_state(1, 2001, normal(1));
        trace.overflowed(1, told_at, 7);
        trace.close(4000);
        assert_eq!(trace.only().because(), because, "{}", trace.only().text);
    }
}

#[test]
fn what_broke_before_the_rest_excuses_nothing() {
    for (promises, because) in [
        (&[Property::Assertion1][..], Some(Assumption::DeliveryInTime)),
        (&[Property::Assertion1, Property::Assertion2][..], None),
    ] {
        let mut trace = Trace::new(&head(2, promises, &Assumption::ALL));
        trace.agree(2, 900);
        let loss = trace.fault(1000, "loss 2->1 50%", "1,2");
        for at in [5000, 5100] {
            let word = trace.send(2, at, 1, None);
            trace.dropped(1, at + 1, word, loss);
        }
        // Two messages were lost at 5 s; where a property of quiet is promised it was seen to hold at 8.1 s.
        trace.become_state(1, 60_000, normal(1));
        trace.close(62_000);
        trace.reports.retain(|report| report.property == Property::Assertion1);
        assert_eq!(trace.causes(), [because], "{:?}", trace.texts());
    }
}

#[test]
fn a_lab_with_a_paused_process_never_rests() {
    for (paused_at, because) in [(Some(5_200), Some(Assumption::DeliveryInTime)), (None, None)] {
        let mut trace =
            Trace::new(&head(3, &[Property::Assertion3, Property::Assertion4], &[Assumption::DeliveryInTime]));
        trace.agree(3, 900);
        let of_task = |serial| with_task(in_group(normal(3), 3, 1), 3, serial);
        (1..=3).for_each(|of| trace.become_state(of, 1000, of_task(1)));
        let loss = trace.fault(2000, "loss 3->1 50%", "1,3");
        let word = trace.send(3, 5_000, 1, None);
        trace.dropped(1, 5_001, word, loss);
        if let Some(at) = paused_at {
            trace.pause(1, at);
        }
        trace.become_state(1, 60_000, of_task(2));
        trace.close(62_000);
        trace.reports.retain(|report| report.property == Property::Assertion3);
        assert_eq!(trace.causes(), [because], "{:?}", trace.texts());
    }
}

#[test]
fn an_excuse_has_a_way_to_the_contradiction() {
    // 5 stood still; only what 2 and 3 heard of 4, which waited for 5, came of that.
    for (hears_of, because) in [(Some(4), Some(Assumption::NoPauses)), (Some(1), None), (None, None)] {
        let mut trace = Trace::electing(5);
        trace.pause(5, 2000);
        trace.time_out(4, 2500, 2700, 2700, "5", None);
        trace.resume(5, 2750);
        for (of, at) in [(2, 2800), (3, 2810)] {
            match hears_of {
                Some(from) => trace.tell(from, at, of, Some(normal(of))),
                None => trace.become_state(of, at, normal(of)),
            }
        }
        trace.close(9000);
        let report = trace.only();
        assert_eq!((report.nodes, report.because()), (set("2,3"), because), "{}", report.text);
        if because.is_some() {
            let way = "path: 5 was affected at 2.000 s, 4 timed out on 5 at 2.700 s (record 0), 2 heard Word of 4 \
                       at 2.801 s (record 0); cause: f1 (pause 5) broke assumption 9 (no pauses): node 5 was paused \
                       for 750ms";
            assert!(report.text.ends_with(way), "{}", report.text);
        }
    }
}

#[test]
fn what_a_third_missed_has_no_part() {
    for (missed_by, because) in [(1, Some(Assumption::DeliveryInTime)), (3, None)] {
        let mut trace = Trace::electing(3);
        let loss = trace.fault(1000, "loss *->* 50%", "1-3");
        let word = trace.send(2, 1900, missed_by, None);
        trace.dropped(missed_by, 1901, word, loss);
        trace.become_state(2, 1950, normal(2));
        trace.become_state(1, 2000, normal(1));
        trace.close(9000);
        assert_eq!(trace.only().because(), because, "{}", trace.only().text);
    }
}
