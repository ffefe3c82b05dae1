//! A critical section: who is inside in one consistent cut, and who is overtaken how often.
//!
//! Invariant: a wait is overtaken only by an entry that could have known of it, or in a waiting list by one of those that
//! stand before it.

use crate::tests::judged;
use judge::trial::*;
use protocol::{
    ApplicationFacts, Assumption, Property, SectionFacts, SectionState, SectionWork, Span, StateVector, Status,
    TokenWork, Work,
};
use record::EffectText;

/// Three processes; while one waits, another may enter once. One that is inside leaves after 10 ms.
fn started() -> Trace {
    started_with(&[Property::MutualExclusion, Property::Fairness])
}

fn started_with(properties: &[Property]) -> Trace {
    let section = Some(SectionFacts { overtakes: 1, inside: Span::from_millis(10) });
    let application = ApplicationFacts { section, ..application("mutual-exclusion", properties, 10) };
    let mut trace = judged(&head_with(3, application));
    trace.start_all(3, &stands(SectionState::Outside));
    trace
}

fn stands(stance: SectionState) -> StateVector {
    let work = Work::Exclusion(SectionWork { stance, entries: 0 });
    at_work(work, numbered(normal(1), 1))
}

/// The process enters and leaves.
fn visit(trace: &mut Trace, of: u16, at: i64) {
    trace.become_state(of, at, stands(SectionState::Inside));
    trace.become_state(of, at + 10, stands(SectionState::Outside));
}

#[test]
fn who_knows_that_the_other_left_enters() {
    let mut trace = started();
    visit(&mut trace, 1, 100);
    trace.tell(1, 120, 2, None);
    visit(&mut trace, 2, 200);
    assert_eq!(trace.tally(Property::MutualExclusion).held, 2);
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn two_strangers_are_inside_in_one_cut() {
    let mut trace = started();
    visit(&mut trace, 1, 100);
    trace.become_state(2, 200, stands(SectionState::Inside));
    assert_eq!(trace.told(), ["2 enters the critical section, and cannot know that 1 has left it at 0.110 s"]);
    let mut trace = started();
    trace.become_state(1, 100, stands(SectionState::Inside));
    trace.become_state(2, 200, stands(SectionState::Inside));
    assert_eq!(trace.told(), ["2 enters the critical section, and 1 is inside"]);
}

#[test]
fn a_crash_inside_ends_the_stay() {
    let mut trace = started();
    trace.become_state(1, 100, stands(SectionState::Inside));
    trace.crash(1, 150);
    trace.become_state(2, 300, stands(SectionState::Inside));
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn a_second_entry_past_one_waiting_is_unfair() {
    let mut trace = started();
    trace.become_state(1, 50, stands(SectionState::Waiting));
    visit(&mut trace, 2, 100);
    trace.tell(1, 120, 2, None);
    visit(&mut trace, 2, 200);
    assert_eq!(trace.reports.len(), 0);
    visit(&mut trace, 2, 300);
    visit(&mut trace, 2, 400);
    assert_eq!(trace.told(), ["2 enters the critical section 2 times while 1 waits for it"]);
}

#[test]
fn who_returns_overtakes_anew() {
    let mut trace = started();
    trace.become_state(1, 50, stands(SectionState::Waiting));
    trace.tell(1, 60, 2, None);
    visit(&mut trace, 2, 100);
    trace.crash(2, 150);
    trace.recover(2, 200, stands(SectionState::Outside));
    trace.tell(1, 210, 2, None);
    visit(&mut trace, 2, 300);
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn who_returns_is_overtaken_once_it_elects() {
    let returned = StateVector { status: Status::Down, ..stands(SectionState::Waiting) };
    let trace = || {
        let mut trace = started();
        trace.crash(1, 20);
        trace.recover(1, 50, returned.clone());
        trace.tell(1, 60, 2, None);
        trace
    };
    let (mut passed_over, mut overtaken) = (trace(), trace());
    [100, 200].into_iter().for_each(|at| visit(&mut passed_over, 2, at));
    assert_eq!(passed_over.told(), [""; 0]);
    overtaken.become_state(1, 70, StateVector { status: Status::Election, ..stands(SectionState::Waiting) });
    overtaken.tell(1, 80, 2, None);
    [100, 200].into_iter().for_each(|at| visit(&mut overtaken, 2, at));
    assert_eq!(overtaken.told(), ["2 enters the critical section 2 times while 1 waits for it"]);
}

#[test]
fn who_waits_gets_in_when_quiet() {
    let mut waiting = started_with(&[Property::Progress]);
    waiting.become_state(1, 50, stands(SectionState::Waiting));
    waiting.pass(3009);
    assert_eq!(waiting.tally(Property::Progress).due, 0);
    assert_eq!(waiting.told(), ["quiet since 0.000 s, but 1 waits for the critical section, and nobody is inside"]);
    let mut held_up = started_with(&[Property::Progress]);
    held_up.become_state(2, 50, stands(SectionState::Waiting));
    held_up.become_state(1, 50, stands(SectionState::Waiting));
    held_up.become_state(3, 60, stands(SectionState::Inside));
    assert_eq!(held_up.told(), ["quiet since 0.000 s, but 1,2 wait for the critical section, and 3 stays inside"]);
    let mut served = started_with(&[Property::Progress]);
    served.become_state(1, 50, stands(SectionState::Waiting));
    served.become_state(1, 3000, stands(SectionState::Inside));
    served.pass(9000);
    assert_eq!((served.tally(Property::Progress).held, served.told()), (1, vec![]));
}

/// With a token: how it stands, and who comes next.
fn listed(stance: SectionState, next: Option<u16>) -> StateVector {
    let section = SectionWork { stance, entries: 0 };
    let work = Work::Token(TokenWork { section, token: None, guess: None, next: next.map(node) });
    at_work(work, normal(1))
}

/// Three processes with a token. 1 is inside, and 2 waits.
fn with_token() -> Trace {
    let mut trace = started();
    trace.become_state(1, 50, listed(SectionState::Inside, None));
    trace.become_state(2, 60, listed(SectionState::Waiting, None));
    trace
}

/// The process leaves, and is inside again.
fn enters_again(trace: &mut Trace, of: u16, at: i64) {
    trace.become_state(of, at, listed(SectionState::Outside, None));
    trace.become_state(of, at + 10, listed(SectionState::Inside, None));
}

#[test]
fn who_knows_the_next_lets_it_in() {
    let mut trace = with_token();
    trace.become_state(1, 100, listed(SectionState::Inside, Some(2)));
    enters_again(&mut trace, 1, 200);
    enters_again(&mut trace, 1, 300);
    assert_eq!(trace.told(), ["1 enters the critical section 2 times while 2 waits for it"]);
}

#[test]
fn who_stands_before_another_enters_once() {
    let mut trace = with_token();
    trace.become_state(3, 100, listed(SectionState::Waiting, None));
    trace.become_state(2, 110, listed(SectionState::Waiting, Some(3)));
    trace.become_state(1, 120, listed(SectionState::Inside, Some(2)));
    trace.tell(1, 130, 2, None);
    trace.become_state(1, 150, listed(SectionState::Outside, None));
    trace.tell(1, 160, 2, Some(listed(SectionState::Inside, Some(3))));
    assert_eq!(trace.tally(Property::Fairness).held, 1);
    trace.become_state(2, 200, listed(SectionState::Outside, None));
    trace.tell(2, 210, 1, Some(listed(SectionState::Inside, None)));
    // For 1 it is the second time that it is inside while 3 stands behind it, and 3 has not been in.
    assert_eq!(trace.told(), ["1 enters the critical section 2 times while 3 waits for it"]);
}

#[test]
fn who_was_replaced_keeps_its_turn() {
    let mut trace = with_token();
    trace.become_state(1, 100, listed(SectionState::Inside, Some(2)));
    trace.become_state(3, 110, listed(SectionState::Waiting, None));
    trace.become_state(1, 120, listed(SectionState::Inside, Some(3)));
    trace.become_state(1, 200, listed(SectionState::Outside, None));
    trace.tell(1, 210, 3, Some(listed(SectionState::Inside, None)));
    trace.become_state(3, 300, listed(SectionState::Outside, None));
    trace.tell(3, 310, 1, Some(listed(SectionState::Inside, None)));
    assert_eq!(trace.told(), ["1 enters the critical section 2 times while 2 waits for it"]);
}

#[test]
fn who_is_not_listed_is_not_overtaken() {
    let mut trace = with_token();
    trace.tell(2, 70, 1, None);
    (2..6).for_each(|hundred| enters_again(&mut trace, 1, hundred * 100));
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn a_second_token_is_excused_by_lost_cells() {
    let mut trace = started();
    let told = |trace: &Trace| trace.only().because();
    trace.become_state(1, 50, listed(SectionState::Outside, None));
    trace.effects(1, 60, vec![EffectText::Save { body: "00".into() }]);
    trace.effects(1, 70, Vec::new());
    trace.crash(1, 100);
    trace.recover(1, 200, listed(SectionState::Outside, None));
    trace.tell(1, 300, 3, None);
    trace.become_state(2, 500_000, listed(SectionState::Inside, None));
    trace.become_state(3, 500_100, listed(SectionState::Inside, None));
    trace.become_state(2, 501_000, listed(SectionState::Outside, None));
    trace.tell(2, 502_000, 3, Some(listed(SectionState::Outside, None)));
    trace.become_state(3, 503_000, listed(SectionState::Inside, None));
    trace.close(600_000);
    assert_eq!(told(&trace), Some(Assumption::SafeCells));
    // 2 had heard of nobody. All that 3 does from then on may come of the second token.
    assert_eq!(trace.tally(Property::MutualExclusion).due, 1);
}
