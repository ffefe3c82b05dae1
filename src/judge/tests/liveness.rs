//! What must be so when it has been quiet for the bound, 3 s here, and when nothing is due.
//!
//! Invariant: what could not be counted on is never red: it is unknown.

use super::*;
use world::Tally;

pub(super) fn lab(nodes: u16, property: Property) -> Trace {
    let mut trace = Trace::new(&head(nodes, &[property], &Assumption::ALL));
    trace.start_all(nodes, &electing());
    trace
}

/// A lab whose algorithm needs assumptions 1 to 7.
fn lab_of_groups(nodes: u16, property: Property) -> Trace {
    let needs = Assumption::first(7);
    let mut trace = Trace::new(&head(nodes, &[property], needs));
    trace.start_all(nodes, &electing());
    trace
}

/// What comes of these states, one bound after the start.
fn verdict(mut trace: Trace, property: Property, states: &[StateVector]) -> Option<ViolationReport> {
    trace.states(100, states);
    assert_eq!(trace.due_at(), Some(3000));
    trace.pass(3000);
    assert_eq!(trace.due_at(), None);
    trace.close(9000);
    let tally = trace.tally(property);
    assert_eq!((tally.due, tally.held, tally.broken), (1, 1 - tally.broken, trace.reports.len() as u64));
    trace.reports.pop()
}

#[test]
fn closing_twice_counts_nothing_twice() {
    let mut trace = Trace::new(&head(2, &[Property::Assertion2], &[]));
    trace.agree(2, 1000);
    trace.close(60_000);
    let tallied = trace.tally(Property::Assertion2);
    trace.close(61_000);
    assert_eq!(trace.tally(Property::Assertion2), tallied);
}

#[test]
fn assertion_2_asks_for_one_coordinator() {
    let verdict = |states: &[StateVector]| verdict(lab(2, Property::Assertion2), Property::Assertion2, states);
    assert_eq!(verdict(&[normal(2), normal(2)]), None);
    for states in [
        [normal(2), electing()],
        [normal(2), reorganizing(2)],
        [normal(1), normal(2)],
        [normal(3), normal(3)],
        [electing(), electing()],
    ] {
        let report = verdict(&states).unwrap();
        assert_eq!((report.because(), report.is_by_machine(), report.since), (None, false, 3000 * MS));
    }
    let told = "assertion-2 violated at 3.000 s (observed): quiet since 0.000 s, but 1 is Normal under 1, 2 is Normal \
                under 2; between them: nothing recorded; no assumption was broken";
    assert_eq!(verdict(&[normal(1), normal(2)]).unwrap().text, told);
}

#[test]
fn assertion_4_asks_for_one_group() {
    let verdict =
        |states: &[StateVector]| verdict(lab_of_groups(2, Property::Assertion4), Property::Assertion4, states);
    let under = |coordinator, counter| in_group(normal(coordinator), coordinator, counter);
    assert_eq!(verdict(&[under(2, 1), under(2, 1)]), None);
    for states in [[under(2, 1), under(2, 2)], [under(1, 1), under(2, 1)], [under(3, 1), under(3, 1)]] {
        assert_eq!(verdict(&states).unwrap().nodes, set("1,2"));
    }
}

#[test]
fn sle_2_and_end_state_ask_for_one() {
    for (property, under_1) in [(Property::Sle2, 0), (Property::EndState, 1)] {
        let verdict = |states: &[StateVector]| verdict(lab(2, property), property, states);
        assert_eq!(verdict(&[normal(2), normal(2)]), None);
        assert_eq!(verdict(&[normal(1), normal(1)]).iter().count(), under_1);
        assert!(verdict(&[normal(1), normal(2)]).is_some());
    }
}

#[test]
fn ale_2_and_its_prime_ask_for_leaders() {
    let under = |coordinator, counter| in_group(normal(coordinator), coordinator, counter);
    for (property, two_groups) in [(Property::Ale2Prime, 0), (Property::Ale2, 1)] {
        let verdict = |states: &[StateVector]| verdict(lab_of_groups(2, property), property, states);
        assert_eq!(verdict(&[under(2, 1), under(2, 1)]), None);
        assert_eq!(verdict(&[under(1, 1), under(2, 1)]).iter().count(), two_groups);
        assert_eq!(verdict(&[under(2, 1), under(2, 2)]).unwrap().nodes, set("1"));
        assert_eq!(verdict(&[electing(), under(2, 2)]).unwrap().nodes, set("1"));
    }
}

#[test]
fn deadlock_free_asks_that_elections_end() {
    let verdict = |states: &[StateVector]| {
        let mut trace = lab(3, Property::DeadlockFree);
        trace.states(100, states);
        trace.pass(3000);
        trace.close(9000);
        trace.reports.into_iter().find(|report| report.since == 3000 * MS)
    };
    let word = |status, word, master| state(status, word, master);
    let (stop, help) = (word(Status::Normal, "stop", Some(1)), word(Status::Election, "help", None));
    let (master, deaf) = (word(Status::Normal, "master", Some(1)), word(Status::Down, "normal", None));
    assert_eq!(verdict(&[master.clone(), stop, help]), None);
    let report = verdict(&[master, deaf, word(Status::Election, "coll3", None)]).unwrap();
    assert_eq!(report.nodes, set("3"));
    assert!(report.text.contains("quiet since 0.000 s, but 3 is in coll3"), "{}", report.text);
}

#[test]
fn deadlock_free_asks_that_the_master_runs() {
    let (stop, master) = (state(Status::Normal, "stop", Some(3)), state(Status::Normal, "master", Some(3)));
    let (help, deaf) = (state(Status::Election, "help", None), state(Status::Down, "normal", None));
    let under_2 = state(Status::Normal, "stop", Some(2));
    for (of_3, astray) in
        [(Some(master), ""), (Some(help), "1,2"), (Some(deaf), "1,2"), (Some(under_2), "1-3"), (None, "1,2")]
    {
        let mut trace = Trace::new(&head(3, &[Property::DeadlockFree], &Assumption::ALL));
        for (of, state) in [(1, &stop), (2, &stop)] {
            trace.start(of, 0, state.clone());
        }
        match of_3 {
            Some(state) => trace.start(3, 0, state),
            None => {
                trace.start(3, 0, electing());
                trace.crash(3, 1);
            }
        }
        trace.pass(3001);
        trace.close(9000);
        let told = trace.reports.iter().find(|report| report.text.contains("quiet since"));
        assert_eq!(told.map(|report| report.nodes), Some(astray).filter(|nodes| !nodes.is_empty()).map(set));
    }
}

#[test]
fn what_is_due_at_the_end_is_judged() {
    let mut trace = lab(2, Property::Assertion2);
    trace.states(100, &[normal(2), electing()]);
    trace.close(3000);
    assert_eq!(
        (trace.reports.len(), trace.tally(Property::Assertion2)),
        (1, Tally { due: 1, broken: 1, ..Tally::default() })
    );
}

#[test]
fn quiet_begins_with_the_last_disturbance() {
    let mut trace = lab(3, Property::Assertion2);
    trace.crash(3, 500);
    assert_eq!(trace.due_at(), Some(3500));
    trace.recover(3, 700, electing());
    assert_eq!(trace.due_at(), Some(3701));
    trace.pause(3, 800);
    assert_eq!(trace.due_at(), None, "one that is up stands still");
    trace.resume(3, 900);
    assert_eq!(trace.due_at(), Some(3900));
    let loss = trace.fault(1000, "loss 1->2 10%", "1,2");
    let word = trace.send(1, 1100, 2, None);
    trace.dropped(2, 1101, word, loss);
    assert_eq!(trace.due_at(), Some(4101));
    trace.time_out(1, 1000, 1300, 1400, "-", None);
    assert_eq!(trace.due_at(), Some(4400), "the machine held 1 up by 100 ms");
    assert_eq!(trace.tally(Property::Assertion2), due(0, 0, 0), "no quiet has lasted for an election");
    trace.crash(3, 2400);
    assert_eq!(trace.tally(Property::Assertion2), due(0, 0, 1));
    assert_eq!(trace.due_at(), Some(5400));
}

#[test]
fn while_it_stays_quiet_every_change_is_judged() {
    let mut trace = lab(2, Property::Assertion2);
    trace.states(100, &[normal(2), normal(2)]);
    trace.pass(3000);
    trace.become_state(1, 3500, electing());
    trace.become_state(1, 3600, reorganizing(2));
    trace.become_state(1, 3700, normal(2));
    trace.become_state(2, 5000, with_task(normal(2), 2, 2));
    trace.close(9000);
    let only = trace.only();
    assert_eq!((only.property, only.since), (Property::Assertion2, 3500 * MS));
    assert_eq!(trace.tally(Property::Assertion2), Tally { due: 4, held: 3, broken: 1, ..Tally::default() });
}

#[test]
fn a_stall_shown_later_was_no_quiet() {
    let mut trace = lab(2, Property::Assertion2);
    trace.states(100, &[normal(2), electing()]);
    trace.pass(3000);
    trace.time_out(2, 2500, 2700, 3100, "-", Some(normal(2)));
    trace.speak(3200, "1,2");
    trace.close(3300);
    assert_eq!(trace.texts(), [""; 0]);
    assert_eq!(trace.tally(Property::Assertion2), due(0, 0, 1));
    assert_eq!(trace.judge.liveness_due_at(), None, "the lab has ended");
}

#[test]
fn what_is_wrong_after_a_stall_is_told() {
    // The stall shows itself at 3.1 s and was over then, or long before: it is quiet again since, for the bound.
    for (late_since, over, told) in [(2700, 3100, 6100), (10, 70, 3070)] {
        let mut trace = lab(2, Property::Assertion2);
        trace.states(5, &[normal(2), electing()]);
        if over == 70 {
            trace.pass(3065);
            trace.time_out(2, 5, late_since, over, "-", None);
            trace.pass(3080);
        } else {
            trace.pass(3000);
            trace.time_out(2, 2500, late_since, over, "-", None);
            trace.speak(3200, "1,2");
        }
        trace.pass(5000);
        assert_eq!((trace.texts(), trace.tally(Property::Assertion2)), (vec![], due(0, 0, 1)));
        trace.pass(told);
        trace.pass(9000);
        trace.close(9000);
        assert_eq!((trace.only().since, trace.tally(Property::Assertion2).broken), (told * MS, 1));
    }
}

#[test]
fn a_state_known_late_was_in_time() {
    let mut trace = lab(2, Property::Assertion2);
    trace.states(100, &[normal(2), electing()]);
    trace.pass(3000);
    trace.become_state(2, 2999, normal(2));
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn what_a_cut_loses_between_parts_disturbs_nothing() {
    let under = |coordinator| in_group(normal(coordinator), coordinator, 1);
    for (of_2, broken) in [(under(2), 0), (under(3), 1)] {
        let mut trace = lab_of_groups(3, Property::Assertion4);
        let cut = trace.cut(50, "1-2<->3");
        trace.states(100, &[under(2), of_2, under(3)]);
        let word = trace.send(1, 2000, 3, None);
        trace.dropped(3, 2001, word, cut);
        assert_eq!(trace.due_at(), Some(3050));
        trace.pass(3050);
        trace.close(9000);
        assert_eq!(trace.reports.len(), broken, "{:?}", trace.texts());
        assert!(trace.reports.iter().all(|report| report.nodes == set("1,2")));
    }
}

#[test]
fn the_paused_belong_to_no_part() {
    let under = |coordinator| in_group(normal(coordinator), coordinator, 1);
    let mut trace = lab_of_groups(3, Property::Assertion4);
    trace.states(100, &[under(2), under(2), under(3)]);
    trace.pause(3, 200);
    trace.pass(3200);
    trace.close(9000);
    assert_eq!((trace.texts(), trace.tally(Property::Assertion4)), (vec![], due(1, 1, 0)));
}

#[test]
fn where_links_are_not_transitive_nothing_is_due() {
    for links in ["1<->3", "1,2->3"] {
        let mut trace = lab_of_groups(3, Property::Assertion4);
        trace.cut(50, links);
        assert_eq!(trace.due_at(), None);
        trace.happened(3, 60, Body::Continued);
        assert_eq!(trace.due_at(), None);
        trace.take(Record::of_host(200 * MS, Body::FaultLifted { id: FaultId(1) }));
        assert_eq!(trace.due_at(), Some(3200));
    }
}

#[test]
fn ale_2_prime_is_due_without_transitive_links() {
    let under = |coordinator| in_group(normal(coordinator), coordinator, 1);
    for (of_1, broken) in [(under(1), 0), (electing(), 1)] {
        let mut trace = lab_of_groups(3, Property::Ale2Prime);
        let cut = trace.cut(50, "1<->3");
        trace.states(100, &[of_1, under(3), under(3)]);
        let word = trace.send(1, 2000, 3, None);
        trace.dropped(3, 2001, word, cut);
        assert_eq!(trace.due_at(), Some(3050));
        trace.pass(3050);
        trace.close(9000);
        assert_eq!((trace.reports.len(), trace.tally(Property::Ale2Prime).due), (broken, 1), "{:?}", trace.texts());
    }
    let mut trace = lab_of_groups(3, Property::Ale2Prime);
    trace.cut(50, "1->3");
    assert_eq!(trace.due_at(), None);
}

/// Whether ALE2 is said to be violated where each is under that leader, and these links are cut both ways.
fn is_ale_2_wrong(leaders: &[u16], cuts: &[(&str, &str)]) -> bool {
    let mut trace = lab_of_groups(leaders.len() as u16, Property::Ale2);
    for (from, to) in cuts {
        trace.cut(50, &format!("{from}<->{to}"));
    }
    let states: Vec<_> = leaders.iter().map(|leader| in_group(normal(*leader), *leader, 1)).collect();
    trace.states(100, &states);
    trace.pass(3050);
    trace.close(9000);
    assert_eq!(trace.tally(Property::Ale2).due, 1, "{leaders:?}");
    !trace.reports.is_empty()
}

#[test]
fn ale_2_counts_a_cover_by_linked_sets() {
    let path = [("1", "3")];
    for (leaders, is_wrong) in [([1, 1, 3], false), ([2, 2, 2], false), ([1, 2, 2], false), ([1, 2, 3], true)] {
        assert_eq!(is_ale_2_wrong(&leaders, &path), is_wrong, "{leaders:?}");
    }
    // Stoller 1997, section 7: 1, 2 and 3 are linked with each other, and each with one of 4, 5 and 6.
    let six = [("4", "5,6"), ("5", "6"), ("1", "5,6"), ("2", "4,6"), ("3", "4,5")];
    for (leaders, is_wrong) in [([1, 1, 1, 4, 5, 6], true), ([1, 2, 3, 1, 2, 3], false), ([1, 1, 1, 1, 5, 6], false)] {
        assert_eq!(is_ale_2_wrong(&leaders, &six), is_wrong, "{leaders:?}");
    }
}

#[test]
fn a_fault_not_in_force_leaves_parts_unknown() {
    let mut trace = lab_of_groups(3, Property::Assertion4);
    let (id, line, rule) = (FaultId(9), "isolate 3".parse().unwrap(), "isolate 3".parse().unwrap());
    trace.take(Record::of_host(
        50 * MS,
        Body::FaultOrdered { id, line, nodes: set("1-3"), rule: Some(rule), step: None },
    ));
    assert_eq!(trace.due_at(), None);
    trace.take(Record::of_host(60 * MS, Body::FaultNotInForce { id, why: "no answer from 3".into() }));
    assert_eq!(trace.due_at(), None);
}

#[test]
fn nothing_is_due_when_records_are_missing() {
    let mut trace = lab(2, Property::Assertion2);
    trace.states(100, &[normal(2), electing()]);
    trace.gap(Some(1), 200);
    trace.crash(2, 2000);
    assert_eq!(trace.due_at(), None);
    trace.close(9000);
    assert_eq!((trace.texts(), trace.tally(Property::Assertion2)), (vec![], due(0, 0, 2)));
}
