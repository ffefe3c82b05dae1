//! The bugs of mutual exclusion by election, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Effects, Twins};
use crate::exclusion::{
    CriterionIgnored, InsideDoesNotStand, LeavesAtTheMastersWord, NeverLeaves, ShortestWaitFirst, WantsIgnored, section,
};
use application::exclusion::{ExclusionMessage, ExclusionTimer};
use application::working::{Working, WorkingMessage, WorkingTimer};
use application::{APPLICATIONS, AnyMessage, AnyTimer};
use bench::setup;
use election::king_ni::ElectionNumber;
use election::king_ni::b1::{self, AlgorithmB1, Message};
use fault::{Bug, Given};
use protocol::{Effect, Order, Settings, Span, Stance, TaskId, Timing};

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(500), silence: Span::from_millis(2000) };
const INSIDE: WorkingTimer<b1::Timer> = WorkingTimer::Application(AnyTimer::Exclusion(ExclusionTimer::Inside));

/// Node 3 of four, whose capacity is its id. It waits, and has heard of no master.
fn waiting<B: Bug<Machine = Working<AlgorithmB1>>>() -> Twins<B> {
    let card = APPLICATIONS.iter().find(|card| card.name == "mutual-exclusion").unwrap();
    let own = Settings::defaults(card.settings, "1-4".parse().unwrap());
    let setup = setup::<Working<AlgorithmB1>>(3, 4, TIMING, |of| of.with_application("mutual-exclusion", own.clone()));
    Twins::of(&setup).time_out(WorkingTimer::Election(b1::Timer::Ready))
}

/// Alone in election 1 it was elected, and has entered. The next election may begin.
fn inside<B: Bug<Machine = Working<AlgorithmB1>>>() -> Twins<B> {
    let inside = waiting::<B>().elect().time_out(WorkingTimer::Election(b1::Timer::Table));
    assert_eq!(section(&inside.compared().plain_state).stance, Stance::Inside);
    inside.time_out(WorkingTimer::Election(b1::Timer::Ready))
}

/// The capacity that it broadcasts.
fn stands_with<B: Bug<Machine = Working<AlgorithmB1>>>(effects: &Effects<B>) -> Option<i64> {
    effects.iter().find_map(|effect| match effect {
        Effect::Broadcast { message: WorkingMessage::Election(Message::Capacity { capacity, .. }, _) } => {
            Some(*capacity)
        }
        _ => None,
    })
}

/// Both are ordered to hold an election: what they stand with.
fn stand<B: Bug<Machine = Working<AlgorithmB1>>>() -> (Option<i64>, Option<i64>) {
    let mut twins = waiting::<B>();
    twins.give(Given::Order(Order::Elect));
    let Apart { plain, mutant, .. } = twins.apart();
    (stands_with::<B>(&plain), stands_with::<B>(&mutant))
}

#[test]
fn the_larger_criterion_is_the_smaller_capacity() {
    assert_eq!(stand::<ShortestWaitFirst>(), (Some(10_000_000_003), Some(19_999_999_996)));
}

#[test]
fn all_that_wait_have_one_capacity() {
    assert_eq!(stand::<CriterionIgnored>(), (Some(10_000_000_003), Some(10_000_000_001)));
}

#[test]
fn one_that_is_inside_does_not_stand() {
    let election = ElectionNumber(2);
    let capacity = WorkingMessage::Election(Message::Capacity { election, capacity: 10_000_000_001 }, None);
    let Apart { plain, mutant, .. } = inside::<InsideDoesNotStand>().apart_hearing(1, capacity);
    let stand = |effects| stands_with::<InsideDoesNotStand>(effects);
    assert_eq!((stand(&plain), stand(&mutant)), (Some(20_000_000_000), None));
}

#[test]
fn one_that_has_begun_the_next_election_is_inside_until_it_hears_the_master() {
    let mut leaving = inside::<LeavesAtTheMastersWord>();
    leaving.give(Given::Timer(INSIDE));
    let Apart { plain, mutant, plain_state, mutant_state } = leaving.apart();
    assert_eq!(plain, mutant);
    assert_eq!((section(&plain_state).stance, section(&mutant_state).stance), (Stance::Outside, Stance::Inside));
    leaving.hear(1, WorkingMessage::Election(Message::Elected { election: ElectionNumber(2) }, None));
}

#[test]
fn one_that_is_inside_stays_there_when_its_time_is_over() {
    let mut staying = inside::<NeverLeaves>();
    staying.give(Given::Timer(INSIDE));
    let Apart { plain_state, mutant_state, mutant, .. } = staying.apart();
    assert_eq!((section(&plain_state).stance, section(&mutant_state).stance), (Stance::Outside, Stance::Inside));
    assert_eq!(mutant, []);
}

#[test]
fn a_master_that_is_idle_begins_no_election_for_one_that_wants_in() {
    let (table, ready) = (b1::Timer::Table, b1::Timer::Ready);
    let idle = inside::<WantsIgnored>().time_out(INSIDE);
    let idle = idle.time_out(WorkingTimer::Election(table)).time_out(WorkingTimer::Election(ready));
    let task = TaskId::at_work(&idle.compared().plain_state).unwrap();
    let wants = WorkingMessage::Application(task, AnyMessage::Exclusion(ExclusionMessage::Wants));
    let Apart { plain, mutant, .. } = idle.apart_hearing(1, wants);
    assert_eq!((stands_with::<WantsIgnored>(&plain), mutant), (Some(0), vec![]));
}
