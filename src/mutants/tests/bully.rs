//! The bugs of Bully, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::bully::{
    GoesOnWhenHalted, HaltNotSent, HalterNotChecked, HaltsEndEarly, HigherNotAsked, HighestNotAsked, NeverChecks,
    NormalToAnyone, ReadyFromAnyone, SilenceIsConsent, SilenceIsNo, StaleAnswerTaken, TimeoutOnlyAtWork,
    TimerNotCancelled,
};
use bench::{cancel, send, set};
use bench::{node, nodes};
use election::bully::{Bully, Message, Timer};
use election::garcia_molina::YesOrNo;
use fault::Bug;
use protocol::{CallNumber, Incarnation, SettingValue, Span, Status, Task, Timing};

pub(super) use bench::call;
pub(super) const T: Span = Span::from_millis(200);
pub(super) const TIMING: Timing = Timing { t: T, check: Span::from_millis(300), silence: Span::from_millis(1400) };

/// Node 3 of 4, which asks node 4 since its Recovery, in call 1.
pub(super) fn started<B: Bug<Machine = Bully>>() -> Twins<B> {
    Twins::start(3, 4, TIMING, |settings| settings)
}

/// Node 3, which found 4 silent and halts 2 and 1, in call 2.
fn candidate<B: Bug<Machine = Bully>>() -> Twins<B> {
    started().time_out(Timer::AreYouThere)
}

/// Node 3, which was answered by 2 and tells it that it coordinates, in call 3.
fn announcing<B: Bug<Machine = Bully>>() -> Twins<B> {
    candidate().hear(2, Message::HaltAnswer { call: call(2) }).time_out(Timer::Halt)
}

/// Node 3, halted by 4.
fn halted<B: Bug<Machine = Bully>>() -> Twins<B> {
    started().hear(4, Message::Halt { call: of_4(1) })
}

/// Node 3, Normal under 4.
fn member<B: Bug<Machine = Bully>>() -> Twins<B> {
    let twins = halted().hear(4, Message::NewCoordinator { call: of_4(2) });
    twins.hear(4, Message::Ready { call: of_4(3), task: task(4) })
}

fn of_4(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(4), serial }
}

fn task(author: u16) -> Task {
    Task { author: node(author), incarnation: Incarnation(1), serial: 1, members: nodes("1-3") }
}

#[test]
fn the_next_lower_node_is_not_halted() {
    let Apart { plain, mutant, .. } = started::<HaltNotSent>().alike().apart_at(Timer::AreYouThere);
    assert_eq!(mutant, without(&plain, &[send(2, Message::Halt { call: call(2) })]));
}

#[test]
fn who_is_halted_by_4_follows_5() {
    let new_coordinator = Message::NewCoordinator { call: call(9) };
    let Apart { plain, mutant, plain_state, mutant_state } =
        halted::<HalterNotChecked>().apart_hearing(5, new_coordinator.clone());
    assert_eq!(plain, [send(5, Message::NewCoordinatorAnswer { call: call(9) })]);
    assert_eq!((plain_state.status, plain_state.halted_by), (Status::Election, Some(node(4))));
    assert_eq!((mutant_state.status, mutant_state.coordinator), (Status::Reorganization, Some(node(5))));
    // What 5 as its halter would have made of it; the silence of 5 is counted from now on.
    let mut by_5 = halted::<HalterNotChecked>().hear(5, Message::Halt { call: call(8) });
    by_5.give(fault::Given::Message(node(5), new_coordinator));
    assert_eq!(mutant, [vec![set(Timer::Timeout, TIMING.silence)], by_5.compared().plain].concat());
}

#[test]
fn a_late_ready_makes_who_is_halted_normal() {
    let ready = Message::Ready { call: call(9), task: task(5) };
    let Apart { plain, plain_state, mutant, mutant_state } = halted::<ReadyFromAnyone>().apart_hearing(5, ready);
    assert_eq!(plain, [send(5, Message::ReadyAnswer { call: call(9) })]);
    assert_eq!(plain_state.status, Status::Election);
    assert_eq!((mutant_state.status, mutant_state.coordinator), (Status::Normal, Some(node(5))));
    assert_eq!(mutant_state.task, Some(task(5)));
    assert!(mutant.contains(&plain[0]));
}

#[test]
fn a_candidate_answers_halt_and_goes_on() {
    let halt = Message::Halt { call: of_4(1) };
    for twins in [candidate::<GoesOnWhenHalted>(), announcing()] {
        let before = twins.compared().mutant_state;
        let Apart { plain, plain_state, mutant, mutant_state } = twins.apart_hearing(4, halt.clone());
        assert!(plain.contains(&cancel(Timer::Halt)) || plain.contains(&cancel(Timer::NewCoordinator)));
        assert_eq!((plain_state.status, plain_state.halted_by), (Status::Election, Some(node(4))));
        assert_eq!((mutant, mutant_state), (vec![send(4, Message::HaltAnswer { call: of_4(1) })], before));
    }
    // Who halts nobody obeys.
    member::<GoesOnWhenHalted>().hear(4, halt);
}

#[test]
fn nobody_is_asked_before_the_halts() {
    let Apart { plain, mutant, mutant_state, .. } = started::<HigherNotAsked>().apart();
    assert!(plain.contains(&send(4, Message::AreYouThere { call: call(1) })));
    assert_eq!((mutant_state.status, mutant_state.halted_by), (Status::Election, Some(node(3))));
    let halts = [send(2, Message::Halt { call: call(2) }), send(1, Message::Halt { call: call(2) })];
    assert!(halts.iter().all(|halt| mutant.contains(halt)) && !mutant.contains(&set(Timer::AreYouThere, T)));
}

#[test]
fn the_highest_node_is_not_asked() {
    let Apart { plain, mutant, .. } = started::<HighestNotAsked>().apart();
    assert_eq!(mutant, without(&plain, &[send(4, Message::AreYouThere { call: call(1) })]));
    // Timeout asks its coordinator all the same.
    member::<HighestNotAsked>().time_out(Timer::Timeout);
}

#[test]
fn check_is_not_called() {
    let twins = announcing::<NeverChecks>().hear(2, Message::NewCoordinatorAnswer { call: call(3) });
    let Apart { plain, mutant, .. } = twins.hear(2, Message::ReadyAnswer { call: call(4) }).apart_at(Timer::Check);
    assert!(plain.contains(&send(1, Message::AreYouNormal { call: call(5) })));
    assert_eq!(mutant, []);
}

#[test]
fn timeout_in_election_does_nothing() {
    let Apart { plain, mutant, .. } = halted::<TimeoutOnlyAtWork>().apart_at(Timer::Timeout);
    assert!(plain.contains(&send(4, Message::AreYouThere { call: call(2) })));
    assert_eq!(mutant, [set(Timer::Timeout, TIMING.silence)]);
    member::<TimeoutOnlyAtWork>().time_out(Timer::Timeout);
}

#[test]
fn a_silent_node_makes_the_coordinator_hold_an_election() {
    let twins = announcing::<SilenceIsNo>().hear(2, Message::NewCoordinatorAnswer { call: call(3) });
    let twins = twins.hear(2, Message::ReadyAnswer { call: call(4) }).time_out(Timer::Check);
    let Apart { plain, mutant, .. } = twins.apart_at(Timer::AreYouNormal);
    assert_eq!(plain, []);
    assert!(mutant.contains(&send(4, Message::AreYouThere { call: call(6) })));
}

#[test]
fn another_coordinator_is_told_that_all_is_well() {
    let Apart { plain, mutant, .. } =
        member::<NormalToAnyone>().apart_hearing(2, Message::AreYouNormal { call: call(9) });
    let answer = |normal| send(2, Message::AreYouNormalAnswer { call: call(9), normal });
    assert_eq!((plain, mutant), (vec![answer(YesOrNo::No)], vec![answer(YesOrNo::Yes)]));
    halted::<NormalToAnyone>().hear(2, Message::AreYouNormal { call: call(9) });
}

#[test]
fn the_timer_runs_on_when_all_have_answered() {
    let Apart { plain, mutant, .. } =
        announcing::<TimerNotCancelled>().apart_hearing(2, Message::NewCoordinatorAnswer { call: call(3) });
    assert_eq!(mutant, without(&plain, &[cancel(Timer::NewCoordinator)]));
}

#[test]
fn halts_end_when_all_have_answered() {
    let twins = candidate::<HaltsEndEarly>().hear(2, Message::HaltAnswer { call: call(2) });
    let Apart { plain_state, mutant, mutant_state, .. } = twins.apart_hearing(1, Message::HaltAnswer { call: call(2) });
    assert_eq!((plain_state.status, mutant_state.status), (Status::Election, Status::Reorganization));
    assert!(mutant.contains(&send(2, Message::NewCoordinator { call: call(3) })));
}

#[test]
fn who_does_not_answer_a_halt_is_in_up() {
    let twins = candidate::<SilenceIsConsent>().hear(2, Message::HaltAnswer { call: call(2) });
    let Apart { plain_state, mutant, mutant_state, .. } = twins.apart_at(Timer::Halt);
    assert_eq!((plain_state.up, mutant_state.up), (nodes("2"), nodes("1,2")));
    assert!(mutant.contains(&send(1, Message::NewCoordinator { call: call(3) })));
    let sequential = |settings: protocol::Settings| settings.with("form", SettingValue::Word("sequential".to_owned()));
    let twins = Twins::<SilenceIsConsent>::start(3, 4, Timing { silence: T * 20, ..TIMING }, sequential);
    let twins = twins.time_out(Timer::AreYouThere).hear(2, Message::HaltAnswer { call: call(2) });
    let Apart { plain_state, mutant, mutant_state, .. } = twins.apart_at(Timer::Halt);
    assert_eq!((plain_state.up, mutant_state.up), (nodes("2"), nodes("1,2")));
    assert!(mutant.contains(&send(2, Message::NewCoordinator { call: call(3) })));
}

#[test]
fn who_was_there_once_is_there_for_ever() {
    let twins = started::<StaleAnswerTaken>().hear(4, Message::AreYouThereAnswer { call: call(1) });
    let twins = twins.hear(4, Message::Halt { call: of_4(1) }).hear(4, Message::NewCoordinator { call: of_4(2) });
    let twins = twins.hear(4, Message::Ready { call: of_4(3), task: task(4) });
    let Apart { plain, mutant, .. } = twins.apart_at(Timer::Timeout);
    assert_eq!(plain.last(), Some(&set(Timer::CoordinatorThere, T)));
    assert_eq!(mutant[..plain.len()], plain);
    assert_eq!(mutant[plain.len()..], [cancel(Timer::CoordinatorThere), set(Timer::Timeout, TIMING.silence)]);
}
