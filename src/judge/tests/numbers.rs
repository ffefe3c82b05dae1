//! Group numbers: used once, across crashes too.
//!
//! Invariant: who joins a group uses no number; who forms one does.

use super::*;

fn lab() -> Trace {
    Trace::new(&head(2, &[Property::GroupNumbers], &[Assumption::SafeCells]))
}

fn gathering(owner: u16, counter: u64) -> StateVector {
    in_group(state(Status::Election, "Election", Some(owner)), owner, counter)
}

fn whole(owner: u16, counter: u64, task: u32) -> StateVector {
    with_task(in_group(normal(owner), owner, counter), owner, task)
}

#[test]
fn a_number_that_counts_up_is_new() {
    let mut trace = lab();
    for counter in 1..=1000 {
        let at = i64::try_from(counter).unwrap() * 10;
        trace.become_state(2, at, gathering(2, counter));
        trace.become_state(1, at + 1, in_group(normal(2), 2, counter));
        trace.become_state(2, at + 2, in_group(reorganizing(2), 2, counter));
        trace.become_state(2, at + 3, whole(2, counter, counter as u32));
        trace.records.clear();
    }
    trace.crash(2, 20_000);
    trace.recover(2, 21_000, whole(2, 1001, 1));
    trace.close(30_000);
    assert_eq!(trace.texts(), [""; 0]);
    let tally = trace.tally(Property::GroupNumbers);
    assert_eq!((tally.due, tally.held), (1001, 1001));
}

#[test]
fn a_number_of_before_the_crash_is_told() {
    let mut trace = lab();
    trace.start(2, 0, whole(2, 1, 1));
    trace.become_state(2, 100, whole(2, 2, 2));
    trace.effects(2, 150, vec![]);
    trace.crash(2, 200);
    trace.recover(2, 300, whole(2, 2, 1));
    trace.close(9000);
    assert_eq!(trace.only().because(), None);
    let told = "group-numbers violated at 0.301 s (observed): 2 forms a second group with the number 2.2; between \
                them: 2 started at 0.301 s (record 0); no assumption was broken";
    assert_eq!(trace.only().text, told);
}

/// The record of a step is written before its effects are carried out: a process that is killed between the two has not
/// kept its new number. If another node has heard of it, it is used, even where that node hears of it after the crash.
#[test]
fn a_killed_steps_number_counts_if_heard() {
    for heard_at in [None, Some(150), Some(250)] {
        let mut trace = lab();
        trace.start(2, 0, whole(2, 1, 1));
        trace.become_state(2, 100, gathering(2, 2));
        let hear = |trace: &mut Trace| trace.become_state(1, heard_at.unwrap(), in_group(reorganizing(2), 2, 2));
        if heard_at == Some(150) {
            hear(&mut trace);
        }
        trace.crash(2, 200);
        if heard_at == Some(250) {
            hear(&mut trace);
        }
        trace.recover(2, 300, gathering(2, 2));
        trace.effects(2, 400, vec![]);
        trace.close(9000);
        assert_eq!(trace.texts().len(), usize::from(heard_at.is_some()), "{:#?}", trace.texts());
    }
}

#[test]
fn a_second_group_under_one_number_is_told() {
    for second in [gathering(2, 1), whole(2, 1, 2)] {
        let mut trace = lab();
        trace.start(2, 0, whole(2, 1, 1));
        trace.become_state(2, 100, second);
        trace.close(9000);
        assert_eq!(trace.only().nodes, set("2"));
    }
}

#[test]
fn nobody_returns_to_its_own_number() {
    let mut trace = lab();
    trace.start(2, 0, whole(2, 1, 1));
    trace.become_state(2, 100, in_group(normal(1), 1, 1));
    trace.become_state(2, 200, whole(2, 1, 1));
    trace.close(9000);
    assert_eq!(trace.only().property, Property::GroupNumbers);
}

#[test]
fn only_what_numbers_need_excuses_their_reuse() {
    for (how, excused) in [("reorder", false), ("garble", true), ("cells", true)] {
        let needs = Assumption::first(7);
        let mut trace = Trace::new(&head(2, &[Property::GroupNumbers], needs));
        trace.start(2, 0, whole(2, 1, 1));
        trace.become_state(2, 100, whole(2, 2, 2));
        let word = trace.send(1, 110, 2, None);
        let line = if how == "cells" { "wipe 2".to_owned() } else { format!("{how} 1->2 5%") };
        let by = trace.fault(110, &line, "1,2");
        match how {
            "reorder" => trace.happened(2, 120, Body::Reordered { id: word, by }),
            "garble" => trace.garbled(2, 120, word, by),
            _ => {}
        }
        trace.effects(2, 130, if how == "cells" { vec![EffectText::Save { body: String::new() }] } else { vec![] });
        trace.crash(2, 200);
        trace.recover(2, 300, whole(2, 2, 1));
        trace.become_state(2, 400, whole(2, 3, 1));
        trace.close(9000);
        assert_eq!(trace.only().because().is_some(), excused, "{}", trace.only().text);
        let tally = trace.tally(Property::GroupNumbers);
        // For 800 ms after that nothing is counted on.
        assert_eq!((tally.held, tally.broken), if excused { (2, 0) } else { (3, 1) });
    }
}

/// 1 stood still while the group's coordinator lost its cells, and enters the old group when the new one is forming.
#[test]
fn lost_cells_excuse_two_groups_later() {
    for (loses, excused) in [(true, true), (false, false)] {
        let needs = Assumption::first(7);
        let mut trace = Trace::new(&head(2, &[Property::Assertion3, Property::GroupNumbers], needs));
        trace.start(2, 0, whole(2, 1, 1));
        trace.become_state(2, 100, whole(2, 2, 2));
        let saved = if loses { vec![EffectText::Save { body: String::new() }] } else { vec![] };
        trace.effects(2, 120, saved);
        trace.crash(2, 200);
        trace.recover(2, 300, whole(2, 3, 3));
        trace.become_state(1, 3000, with_task(in_group(normal(2), 2, 2), 2, 2));
        trace.become_state(2, 4000, whole(2, 2, 4));
        trace.close(9000);
        let of_both = trace.reports.iter().filter(|report| report.property == Property::Assertion3);
        let because: Vec<_> = of_both.map(|report| report.because()).collect();
        assert_eq!(because, [excused.then_some(Assumption::SafeCells)], "{:#?}", trace.texts());
    }
}
