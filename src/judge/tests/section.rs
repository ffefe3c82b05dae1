//! A critical section: who is inside in one consistent cut, and who is overtaken how often.
//!
//! Invariant: a wait is overtaken only by an entry that could have known of it.

use super::*;
use crate::protocol::{ApplicationFacts, SectionWork, Stance, Work};

/// Three processes; while one waits, another may enter once.
fn started() -> Trace {
    let properties = [Property::MutualExclusion, Property::Fairness];
    let mut head = head(3, &properties, Assumption::first(10));
    head.facts.application = Some(ApplicationFacts {
        name: "mutual-exclusion".into(),
        title: "Mutual exclusion".into(),
        bystanders: 0,
        needs: Assumption::first(10).to_vec(),
        promises: properties.to_vec(),
        shards: None,
        overtakes: Some(1),
        weights: Vec::new(),
        orders: Vec::new(),
    });
    let mut trace = Trace::new(&head);
    (1..=3).for_each(|of| trace.start(of, 0, stands(Stance::Outside)));
    trace
}

fn stands(stance: Stance) -> StateVector {
    let work = Work::Exclusion(SectionWork { stance, entries: 0 });
    StateVector { work: Some(Box::new(work)), ..normal(1) }
}

/// The process enters and leaves.
fn visit(trace: &mut Trace, of: u16, at: i64) {
    trace.become_state(of, at, stands(Stance::Inside));
    trace.become_state(of, at + 10, stands(Stance::Outside));
}

/// What was told, without when and why.
fn told(mut trace: Trace) -> Vec<String> {
    trace.close(9000);
    let what = |text: &&str| text.split("): ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
    trace.texts().iter().map(what).collect()
}

#[test]
fn one_that_enters_knowing_that_the_other_has_left_is_right() {
    let mut trace = started();
    visit(&mut trace, 1, 100);
    trace.tell(1, 120, 2, None);
    visit(&mut trace, 2, 200);
    assert_eq!(trace.judge.tallies().get(Property::MutualExclusion).held, 2);
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn two_that_know_nothing_of_each_other_are_inside_in_one_cut() {
    let mut trace = started();
    visit(&mut trace, 1, 100);
    trace.become_state(2, 200, stands(Stance::Inside));
    assert_eq!(told(trace), ["2 enters the critical section, and 1 is inside"]);
}

#[test]
fn a_crash_inside_ends_the_stay_also_for_those_that_do_not_know_of_it() {
    let mut trace = started();
    trace.become_state(1, 100, stands(Stance::Inside));
    trace.crash(1, 150);
    trace.become_state(2, 300, stands(Stance::Inside));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn the_second_entry_of_one_that_knows_of_a_wait_is_unfair_and_told_once() {
    let mut trace = started();
    trace.become_state(1, 50, stands(Stance::Waiting));
    visit(&mut trace, 2, 100);
    trace.tell(1, 120, 2, None);
    visit(&mut trace, 2, 200);
    assert_eq!(trace.reports.len(), 0);
    visit(&mut trace, 2, 300);
    visit(&mut trace, 2, 400);
    assert_eq!(told(trace), ["2 enters the critical section 2 times while 1 waits for it"]);
}

#[test]
fn one_that_returns_or_has_entered_meanwhile_overtakes_anew() {
    let mut trace = started();
    trace.become_state(1, 50, stands(Stance::Waiting));
    trace.tell(1, 60, 2, None);
    visit(&mut trace, 2, 100);
    trace.crash(2, 150);
    trace.recover(2, 200, stands(Stance::Outside));
    trace.tell(1, 210, 2, None);
    visit(&mut trace, 2, 300);
    assert_eq!(told(trace), [""; 0]);
}
