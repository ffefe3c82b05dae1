//! A critical section: who is inside in one consistent cut, and who is overtaken how often.
//!
//! Invariant: a wait is overtaken only by an entry that could have known of it, or in a waiting list by one of those that
//! stand before it.

use super::*;
use protocol::{ApplicationFacts, SectionFacts, SectionWork, Stance, TokenWork, Work};

/// Three processes; while one waits, another may enter once. One that is inside leaves after 10 ms.
fn started() -> Trace {
    started_with(&[Property::MutualExclusion, Property::Fairness])
}

fn started_with(properties: &[Property]) -> Trace {
    let mut head = head(3, properties, Assumption::first(10));
    head.facts.application = Some(ApplicationFacts {
        name: "mutual-exclusion".into(),
        title: "Mutual exclusion".into(),
        bystanders: 0,
        needs: Assumption::first(10).to_vec(),
        promises: properties.to_vec(),
        shards: None,
        services: None,
        section: Some(SectionFacts { overtakes: 1, inside: Span::from_millis(10) }),
        weights: Vec::new(),
        orders: Vec::new(),
    });
    let mut trace = Trace::new(&head);
    (1..=3).for_each(|of| trace.start(of, 0, stands(Stance::Outside)));
    trace
}

fn stands(stance: Stance) -> StateVector {
    let work = Work::Exclusion(SectionWork { stance, entries: 0 });
    StateVector { work: Some(Box::new(work)), election: Some(1), ..normal(1) }
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
    assert_eq!(told(trace), ["2 enters the critical section, and cannot know that 1 has left it at 0.110 s"]);
    let mut trace = started();
    trace.become_state(1, 100, stands(Stance::Inside));
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

#[test]
fn one_that_returns_is_not_overtaken_before_it_takes_part_in_an_election() {
    let returned = StateVector { status: Status::Down, ..stands(Stance::Waiting) };
    let trace = || {
        let mut trace = started();
        trace.crash(1, 20);
        trace.recover(1, 50, returned.clone());
        trace.tell(1, 60, 2, None);
        trace
    };
    let (mut passed_over, mut overtaken) = (trace(), trace());
    [100, 200].into_iter().for_each(|at| visit(&mut passed_over, 2, at));
    assert_eq!(told(passed_over), [""; 0]);
    overtaken.become_state(1, 70, StateVector { status: Status::Election, ..stands(Stance::Waiting) });
    overtaken.tell(1, 80, 2, None);
    [100, 200].into_iter().for_each(|at| visit(&mut overtaken, 2, at));
    assert_eq!(told(overtaken), ["2 enters the critical section 2 times while 1 waits for it"]);
}

#[test]
fn one_that_waits_gets_in_once_it_has_been_quiet_for_the_bound_and_the_time_inside() {
    let mut waiting = started_with(&[Property::Progress]);
    waiting.become_state(1, 50, stands(Stance::Waiting));
    waiting.pass(3009);
    assert_eq!(waiting.tally(Property::Progress).due, 0);
    assert_eq!(told(waiting), ["quiet since 0.000 s, but 1 waits for the critical section, and nobody is inside"]);
    let mut held_up = started_with(&[Property::Progress]);
    held_up.become_state(2, 50, stands(Stance::Waiting));
    held_up.become_state(1, 50, stands(Stance::Waiting));
    held_up.become_state(3, 60, stands(Stance::Inside));
    assert_eq!(told(held_up), ["quiet since 0.000 s, but 1,2 wait for the critical section, and 3 stays inside"]);
    let mut served = started_with(&[Property::Progress]);
    served.become_state(1, 50, stands(Stance::Waiting));
    served.become_state(1, 3000, stands(Stance::Inside));
    served.pass(9000);
    assert_eq!((served.tally(Property::Progress).held, told(served)), (1, vec![]));
}

/// With a token: how it stands, and who comes next.
fn listed(stance: Stance, next: Option<u16>) -> StateVector {
    let section = SectionWork { stance, entries: 0 };
    let work = Work::Token(TokenWork { section, token: None, guess: None, next: next.map(node) });
    StateVector { work: Some(Box::new(work)), ..normal(1) }
}

/// Three processes with a token. 1 is inside, and 2 waits.
fn with_token() -> Trace {
    let mut trace = started();
    trace.become_state(1, 50, listed(Stance::Inside, None));
    trace.become_state(2, 60, listed(Stance::Waiting, None));
    trace
}

/// The process leaves, and is inside again.
fn enters_again(trace: &mut Trace, of: u16, at: i64) {
    trace.become_state(of, at, listed(Stance::Outside, None));
    trace.become_state(of, at + 10, listed(Stance::Inside, None));
}

#[test]
fn who_is_inside_and_knows_the_next_one_does_not_enter_again_before_it() {
    let mut trace = with_token();
    trace.become_state(1, 100, listed(Stance::Inside, Some(2)));
    enters_again(&mut trace, 1, 200);
    enters_again(&mut trace, 1, 300);
    assert_eq!(told(trace), ["1 enters the critical section 2 times while 2 waits for it"]);
}

#[test]
fn who_stands_before_another_in_the_list_enters_once_and_not_twice() {
    let mut trace = with_token();
    trace.become_state(3, 100, listed(Stance::Waiting, None));
    trace.become_state(2, 110, listed(Stance::Waiting, Some(3)));
    trace.become_state(1, 120, listed(Stance::Inside, Some(2)));
    trace.tell(1, 130, 2, None);
    trace.become_state(1, 150, listed(Stance::Outside, None));
    trace.tell(1, 160, 2, Some(listed(Stance::Inside, Some(3))));
    assert_eq!(trace.judge.tallies().get(Property::Fairness).held, 1);
    trace.become_state(2, 200, listed(Stance::Outside, None));
    trace.tell(2, 210, 1, Some(listed(Stance::Inside, None)));
    // For 1 it is the second time that it is inside while 3 stands behind it, and 3 has not been in.
    assert_eq!(told(trace), ["1 enters the critical section 2 times while 3 waits for it"]);
}

#[test]
fn a_next_one_that_is_replaced_is_still_owed_its_turn() {
    let mut trace = with_token();
    trace.become_state(1, 100, listed(Stance::Inside, Some(2)));
    trace.become_state(3, 110, listed(Stance::Waiting, None));
    trace.become_state(1, 120, listed(Stance::Inside, Some(3)));
    trace.become_state(1, 200, listed(Stance::Outside, None));
    trace.tell(1, 210, 3, Some(listed(Stance::Inside, None)));
    trace.become_state(3, 300, listed(Stance::Outside, None));
    trace.tell(3, 310, 1, Some(listed(Stance::Inside, None)));
    assert_eq!(told(trace), ["1 enters the critical section 2 times while 2 waits for it"]);
}

#[test]
fn who_has_no_place_in_the_list_is_not_overtaken() {
    let mut trace = with_token();
    trace.tell(2, 70, 1, None);
    (2..6).for_each(|hundred| enters_again(&mut trace, 1, hundred * 100));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn a_second_token_is_excused_by_lost_cells_however_long_ago() {
    let mut trace = started();
    let told = |trace: &Trace| trace.only().because;
    trace.become_state(1, 50, listed(Stance::Outside, None));
    trace.effects(1, 60, vec![EffectText::Save { body: "00".into() }]);
    trace.effects(1, 70, Vec::new());
    trace.crash(1, 100);
    trace.recover(1, 200, listed(Stance::Outside, None));
    trace.tell(1, 300, 3, None);
    trace.become_state(2, 500_000, listed(Stance::Inside, None));
    trace.become_state(3, 500_100, listed(Stance::Inside, None));
    trace.become_state(2, 501_000, listed(Stance::Outside, None));
    trace.tell(2, 502_000, 3, Some(listed(Stance::Outside, None)));
    trace.become_state(3, 503_000, listed(Stance::Inside, None));
    trace.close(600_000);
    assert_eq!(told(&trace), Some(Assumption::SafeCells));
    // 2 had heard of nobody. All that 3 does from then on may come of the second token.
    assert_eq!(trace.judge.tallies().get(Property::MutualExclusion).due, 1);
}
