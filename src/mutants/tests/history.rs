//! The bugs of the history, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins};
use crate::history::{
    CellsNotRead, OneLacksAParent, PartLacksTheHighest, ReadsTheNextNumber, ReportsNothing, StartNotKept,
};
use application::history::{HistoryCells, HistoryMessage};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{AnyMessage, AnySaved};
use bench::{node, nodes};
use election::bully::{self, Bully};
use election::garcia_molina::YesOrNo;
use election::invitation::{self, Invitation};
use fault::Bug;
use protocol::{
    Algorithm, CallNumber, Effect, FormedGroup, GroupNumber, GroupPlace, Incarnation, NodeSet, Settings, Span, Task,
    TaskId, Timing, Work,
};

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(1000), silence: Span::from_millis(2000) };

fn with_history(settings: Settings) -> Settings {
    settings.with_application("history", Settings::defaults(&[], NodeSet::EMPTY))
}

fn first() -> FormedGroup {
    let number = TaskId { author: node(4), incarnation: Incarnation(1), serial: 1 };
    FormedGroup { number, members: nodes("1-4"), parents: [].into(), depth: 1 }
}

/// Cells of a process that was in the first group.
fn cells() -> AnySaved {
    AnySaved::History(HistoryCells { last: Some(first().place()), older: 0, groups: vec![first()] })
}

/// Node `me`, which is back, and was in the first group.
fn back<A: Algorithm, B: Bug<Machine = Working<A>>>(me: u16) -> Twins<B> {
    Twins::start(me, 4, TIMING, with_history).recovered(WorkingCells { election: None, application: Some(cells()) })
}

fn call_of(of: u16, serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(if of == 4 { 1 } else { 2 }), serial }
}

fn said<M>(message: M) -> WorkingMessage<M> {
    WorkingMessage::Election(message, None)
}

/// What the application gave the messages of these effects to carry, or sent itself.
fn sent<A: Algorithm>(effects: &[Effect<Working<A>>]) -> Vec<HistoryMessage> {
    let of_history = |effect: &Effect<Working<A>>| match effect {
        Effect::Send { message: WorkingMessage::Election(_, Some(AnyMessage::History(sent))), .. }
        | Effect::Send { message: WorkingMessage::Application(_, AnyMessage::History(sent)), .. } => Some(sent.clone()),
        _ => None,
    };
    effects.iter().filter_map(of_history).collect()
}

fn last_of(message: &HistoryMessage) -> Option<GroupPlace> {
    let HistoryMessage::Report { last, .. } = message else { panic!("{message:?} is no report") };
    *last
}

/// What 3 answers when its coming coordinator 4 calls.
fn reports<B: Bug<Machine = Working<Bully>>>() -> [Option<GroupPlace>; 2] {
    let halted = back::<Bully, B>(3).hear(4, said(bully::Message::Halt { call: call_of(4, 1) }));
    let Apart { plain, mutant, .. } =
        halted.apart_hearing(4, said(bully::Message::NewCoordinator { call: call_of(4, 2) }));
    [plain, mutant].map(|effects| last_of(&sent(&effects)[0]))
}

#[test]
fn a_member_does_not_report_its_last_group() {
    assert_eq!(reports::<ReportsNothing>(), [Some(first().place()), None]);
}

#[test]
fn a_process_starts_without_a_history() {
    let Apart { plain_state, mutant_state, .. } = back::<Bully, CellsNotRead>(3).apart();
    let groups = [plain_state, mutant_state].map(|state| match state.work.as_deref() {
        Some(Work::History(work)) => work.groups,
        other => panic!("{other:?} is no history"),
    });
    assert_eq!(groups, [1, 0]);
}

#[test]
fn the_next_number_is_taken_for_the_last_one() {
    let candidate = back::<Bully, ReadsTheNextNumber>(3).time_out(WorkingTimer::Election(bully::Timer::AreYouThere));
    let answer = said(bully::Message::HaltAnswer { call: call_of(3, 2) });
    let halting = candidate.hear(2, answer.clone()).hear(1, answer);
    let announcing = halting.time_out(WorkingTimer::Election(bully::Timer::Halt));
    let joins = bully::Message::NewCoordinatorAnswer { call: call_of(3, 3) };
    let report = |serial| {
        let number = TaskId { serial, ..first().number };
        let last = Some(GroupPlace { depth: 1, number });
        WorkingMessage::Election(joins.clone(), Some(AnyMessage::History(HistoryMessage::Report { last, digest: 0 })))
    };
    let mut twins = announcing.hear(2, said(joins.clone()));
    twins.give(fault::Given::Message(node(1), report(5)));
    let Apart { plain, mutant, .. } = twins.apart();
    let parents = [plain, mutant].map(|effects| match &sent(&effects)[0] {
        HistoryMessage::Definition { group, .. } => group.parents.iter().map(ToString::to_string).collect::<Vec<_>>(),
        other => panic!("{other:?} is no definition"),
    });
    assert_eq!(parents, [["4.1.1", "4.1.5"], ["4.1.1", "4.1.6"]]);
}

/// Node 3, which invites 2 and 1.
fn inviting<B: Bug<Machine = Working<Invitation>>>() -> Twins<B> {
    let answer = |of| said(invitation::Message::AreYouCoordinatorAnswer { call: of, coordinator: YesOrNo::Yes });
    back::<Invitation, B>(3)
        .time_out(WorkingTimer::Election(invitation::Timer::Check))
        .hear(2, answer(call_of(3, 1)))
        .time_out(WorkingTimer::Election(invitation::Timer::AreYouCoordinator))
}

/// 2 accepts, and 3 has waited for others: it gives out the task next.
fn merging<B: Bug<Machine = Working<Invitation>>>() -> Twins<B> {
    let group = GroupNumber { node: node(3), counter: 2 };
    let accept = invitation::Message::Accept { call: call_of(3, 1), group };
    let number = TaskId { author: node(2), incarnation: Incarnation(1), serial: 9 };
    let last = Some(GroupPlace { depth: 7, number });
    let report = AnyMessage::History(HistoryMessage::Report { last, digest: 7 });
    inviting().hear(2, WorkingMessage::Election(accept, Some(report)))
}

#[test]
fn one_member_is_not_told_of_the_first_parent() {
    let Apart { plain, mutant, .. } =
        merging::<OneLacksAParent>().apart_at(WorkingTimer::Election(invitation::Timer::Accepts));
    let parents = [plain, mutant].map(|effects| match &sent(&effects)[0] {
        HistoryMessage::Definition { group, .. } => group.parents.len(),
        other => panic!("{other:?} is no definition"),
    });
    assert_eq!(parents, [2, 1]);
}

#[test]
fn a_part_has_groups_without_their_highest_member() {
    let task = Task { author: node(3), incarnation: Incarnation(2), serial: 1, members: NodeSet::EMPTY };
    let fetch = WorkingMessage::Application(TaskId::of(&task), AnyMessage::History(HistoryMessage::Fetch { part: 0 }));
    let Apart { plain, mutant, .. } = back::<Invitation, PartLacksTheHighest>(3).apart_hearing(2, fetch);
    let members = [plain, mutant].map(|effects| match &sent(&effects)[0] {
        HistoryMessage::Part { groups, .. } => groups.last().unwrap().members,
        other => panic!("{other:?} is no part"),
    });
    assert_eq!(members, [nodes("1-4"), nodes("1-3")]);
}

#[test]
fn the_group_of_one_is_not_kept() {
    let Apart { plain, mutant, .. } = back::<Invitation, StartNotKept>(3).apart();
    let kept = |effects: &[Effect<Working<Invitation>>]| {
        effects.iter().rev().find_map(|effect| match effect {
            Effect::Save { saved } => saved.application.clone(),
            _ => None,
        })
    };
    let groups = [plain, mutant].map(|effects| match kept(&effects) {
        Some(AnySaved::History(cells)) => cells.groups.len(),
        other => panic!("{other:?} is no history"),
    });
    assert_eq!(groups, [2, 1]);
}
