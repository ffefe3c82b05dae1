//! The bugs of Invitation, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::invitation::{
    AcceptForgotten, CounterNotRestored, ReadyNotAnswered, ReadyOfAnyGroup, SavedAfterSent, TimerNotCancelled,
};
use bench::{call, cancel, send};
use bench::{node, nodes};
use election::garcia_molina::YesOrNo;
use election::invitation::{Invitation, Message, SafeCells, Timer};
use fault::Bug;
use protocol::{Effect, GroupNumber, Incarnation, Span, Status, Task, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(1000), silence: Span::from_millis(2000) };

/// Node 3 of 3, a group of one: 3.1.
fn alone<B: Bug<Machine = Invitation>>() -> Twins<B> {
    Twins::start(3, 3, TIMING, |settings| settings)
}

/// Node 3, whose Check, call 1, has found 2 and is waiting for the answer of 1.
fn looking<B: Bug<Machine = Invitation>>() -> Twins<B> {
    let answer = Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes };
    alone().time_out(Timer::Check).hear(2, answer)
}

/// Node 3, which invites 2 into the group 3.2.
fn inviting<B: Bug<Machine = Invitation>>() -> Twins<B> {
    looking().time_out(Timer::AreYouCoordinator)
}

/// Node 3, which gives 2 the task, in call 3.
fn giving_out<B: Bug<Machine = Invitation>>() -> Twins<B> {
    inviting().hear(2, Message::Accept { call: call(1), group: group(3, 2) }).time_out(Timer::Accepts)
}

/// Node 1 of 3, in Reorganization in the group 3.2.
fn accepted<B: Bug<Machine = Invitation>>() -> Twins<B> {
    let twins = Twins::start(1, 3, TIMING, |settings| settings);
    let invited = twins.hear(3, Message::Invitation { call: call(9), coordinator: node(3), group: group(3, 2) });
    invited.hear(3, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes })
}

fn group(of: u16, counter: u64) -> GroupNumber {
    GroupNumber { node: node(of), counter }
}

fn task(author: u16) -> Task {
    Task { author: node(author), incarnation: Incarnation(1), serial: 1, members: nodes("1,2") }
}

fn ready(number: GroupNumber) -> Message {
    Message::Ready { call: call(9), group: number, task: Box::new(task(number.node.get())) }
}

#[test]
fn the_counter_begins_anew() {
    let saved = SafeCells { counter: 7, group: Some(group(3, 7)), coordinator: Some(node(3)), ..SafeCells::default() };
    let Apart { plain_state, mutant_state, .. } = alone::<CounterNotRestored>().alike().recovered(saved).apart();
    assert_eq!((plain_state.group, mutant_state.group), (Some(group(3, 8)), Some(group(3, 1))));
}

#[test]
fn the_number_is_sent_before_it_is_saved() {
    let Apart { plain, mutant, .. } = looking::<SavedAfterSent>().apart_at(Timer::AreYouCoordinator);
    let invitation = send(2, Message::Invitation { call: call(2), coordinator: node(3), group: group(3, 2) });
    let is_save = |effect: &Effect<Invitation>| matches!(effect, Effect::Save { .. });
    assert!(is_save(&plain[0]) && plain.contains(&invitation));
    assert_eq!(mutant, [&plain[1..], &plain[..1]].concat());
}

#[test]
fn a_ready_of_another_group_is_taken() {
    let Apart { plain, plain_state, mutant_state, .. } =
        accepted::<ReadyOfAnyGroup>().apart_hearing(2, ready(group(2, 5)));
    assert_eq!(plain, [send(2, Message::ReadyAnswer { call: call(9), taken: YesOrNo::No })]);
    assert_eq!(plain_state.status, Status::Reorganization);
    assert_eq!((mutant_state.status, mutant_state.group), (Status::Normal, Some(group(3, 2))));
    assert_eq!(mutant_state.task, Some(task(2)));
    accepted::<ReadyOfAnyGroup>().hear(3, ready(group(3, 2)));
}

#[test]
fn ready_is_not_answered() {
    let Apart { plain, mutant, .. } = accepted::<ReadyNotAnswered>().apart_hearing(3, ready(group(3, 2)));
    assert_eq!(mutant, without(&plain, &[send(3, Message::ReadyAnswer { call: call(9), taken: YesOrNo::Yes })]));
}

#[test]
fn the_timer_runs_on_when_all_have_answered() {
    let Apart { plain, mutant, .. } =
        giving_out::<TimerNotCancelled>().apart_hearing(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    assert_eq!(mutant, without(&plain, &[cancel(Timer::Ready)]));
}

#[test]
fn who_has_accepted_is_not_in_up() {
    let Apart { plain_state, mutant, mutant_state, .. } =
        inviting::<AcceptForgotten>().apart_hearing(2, Message::Accept { call: call(1), group: group(3, 2) });
    assert_eq!((plain_state.up, mutant_state.up), (nodes("2"), nodes("-")));
    assert_eq!(mutant, [send(2, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes })]);
}
