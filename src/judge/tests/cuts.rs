//! What belongs to one consistent cut: messages, crashes and the time-outs on them, recovery.
//!
//! Invariant: an honest fail-over is no violation; without the edge from the crash it would be one.

use super::*;

#[test]
fn a_fail_over_needs_the_crashs_edge() {
    for (crash_edges, disputed) in [(CrashEdges::Drawn, None), (CrashEdges::Missing, Some(set("4,5")))] {
        let mut trace = Trace::bully(5);
        trace.crash_edges = crash_edges;
        trace.agree(5, 900);
        trace.crash(5, 2000);
        trace.time_out(4, 2500, 2700, 2700, "5", Some(electing()));
        trace.take_over(4, "1-3", 2701);
        trace.close(6000);
        assert_eq!(trace.reports.iter().map(|report| report.nodes).next(), disputed, "{:?}", trace.texts());
    }
}

#[test]
fn a_time_out_has_the_edge_after_recovery() {
    for (set_at, violations) in [(2050, 0), (2150, 1)] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.crash(2, 2000);
        trace.recover(2, 2100, electing());
        // Down from 2000 until 2101: the first of the two waits began before it was up, the second after.
        trace.time_out(1, set_at, set_at + 200, set_at + 200, "2", Some(electing()));
        trace.become_state(1, 2500, normal(1));
        trace.close(6000);
        assert_eq!(trace.reports.len(), violations, "{:#?}", trace.texts());
    }
}

#[test]
fn a_crash_after_a_time_out_orders_nothing() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    trace.crash(2, 3000);
    trace.time_out(1, 2500, 2700, 2700, "2", Some(normal(1)));
    trace.close(6000);
    assert_eq!(trace.only().because(), None);
}

#[test]
fn a_time_out_before_its_crash_is_unknown() {
    for (ordered_at, is_unknown) in [(2000, true), (2150, false)] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        let by = trace.fault(ordered_at, "crash 2", "2");
        trace.time_out(1, 1900, 2100, 2100, "2", Some(normal(1)));
        trace.happened(2, ordered_at, Body::Died { death: Death::Killed { by } });
        trace.close(6000);
        assert_eq!((trace.reports.len(), trace.judge.unknown().is_some()), (usize::from(!is_unknown), is_unknown));
    }
}

#[test]
fn an_order_through_a_third_node_clears_it() {
    // Whether 1 heard of 2 before 2 knew it, and after.
    for (before, after) in [(false, true), (true, true), (false, false)] {
        let mut trace = Trace::electing(3);
        trace.become_state(3, 100, normal(3));
        if before {
            trace.tell(2, 150, 1, None);
        }
        let word = trace.send(3, 200, 2, Some(electing()));
        trace.receive(2, 201, word, None);
        if after {
            trace.tell(2, 202, 1, None);
        }
        trace.become_state(1, 300, normal(1));
        trace.close(3000);
        let told = "assertion-1 violated at 0.300 s (possible): 3 was Normal under 3 from 0.100 s to 0.200 s, 1 is Normal \
                    under 1 since 0.300 s; between them: nothing recorded; no assumption was broken";
        assert_eq!(trace.texts(), [told; 1][..usize::from(!after)]);
    }
}

#[test]
fn a_message_before_the_states_end_orders_nothing() {
    let mut trace = Trace::electing(2);
    trace.become_state(2, 100, normal(2));
    trace.tell(2, 200, 1, None);
    trace.become_state(1, 300, normal(1));
    trace.close(3000);
    assert!(trace.only().text.contains("(observed)"), "{}", trace.only().text);
}

#[test]
fn a_dropped_message_carries_nothing() {
    let mut trace = Trace::electing(2);
    trace.become_state(2, 100, normal(2));
    let cut = trace.fault(150, "cut 2->1", "1,2");
    let word = trace.send(2, 200, 1, Some(electing()));
    trace.dropped(1, 201, word, cut);
    trace.become_state(1, 300, normal(1));
    trace.close(3000);
    assert_eq!(trace.only().because(), Some(Assumption::DeliveryInTime));
}

#[test]
fn a_multicast_orders_all_its_receivers() {
    let mut trace = Trace::electing(3);
    trace.become_state(3, 100, normal(3));
    let word = trace.broadcast(3, 200, Some(electing()));
    trace.receive(1, 201, word, Some(normal(1)));
    trace.receive(2, 202, word, Some(normal(1)));
    trace.close(3000);
    assert_eq!(trace.texts(), [""; 0]);
    assert_eq!(trace.judge.kept()[1], 0);
}

#[test]
fn two_tasks_contradict_each_other_in_normal_only() {
    for (second, violations) in [(normal(2), 1), (reorganizing(2), 0)] {
        let mut trace = Trace::bully(2);
        trace.start(1, 0, with_task(normal(2), 2, 1));
        trace.start(2, 0, with_task(second, 2, 2));
        trace.close(3000);
        assert_eq!(trace.reports.len(), violations);
    }
}

#[test]
fn assertion_3_asks_for_equal_group_numbers() {
    for (counter, violations) in [(1, 1), (2, 0)] {
        let mut trace = Trace::new(&head(3, &[Property::Assertion3], &[Assumption::AllCooperate]));
        trace.start(1, 0, in_group(normal(1), 3, 1));
        trace.start(2, 0, in_group(normal(2), 3, counter));
        trace.start(3, 0, normal(3));
        trace.close(3000);
        assert_eq!(trace.reports.len(), violations, "{:#?}", trace.texts());
        if violations == 1 {
            assert!(trace.only().text.contains("2 is Normal under 2 in group 3.1"), "{}", trace.only().text);
        }
    }
}

#[test]
fn invitation_has_no_excuse_in_a_pause() {
    let needs = Assumption::first(7);
    let mut trace = Trace::new(&head(2, &[Property::Assertion3], needs));
    trace.start(2, 0, in_group(normal(2), 2, 1));
    trace.pause(2, 100);
    trace.start(1, 200, in_group(normal(1), 2, 1));
    trace.close(3000);
    assert_eq!((trace.only().because(), trace.only().is_by_machine()), (None, false));
}
