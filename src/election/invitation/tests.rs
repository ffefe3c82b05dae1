//! The procedures of Invitation that others call, one by one: a state, one input, exactly what comes of it.
//!
//! Invariant: every procedure of Appendix II has a test that names it; those that run by themselves are in `processes`,
//! what the sequential form does otherwise in `sequential`, and what the book says otherwise in `book`.

mod book;
mod processes;
mod sequential;

use super::{Invitation, Message, SafeCells, Timer, card as line};
use crate::garcia_molina::YesOrNo;
use bench::{Bench, call, cancel, save, send, set};
use bench::{node, nodes};
use protocol::{
    Algorithm, GroupNumber, Incarnation, NodeSet, SettingValue, Settings, Span, StateVector, Status, Task, Timing,
};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(1000), silence: Span::from_millis(2000) };

fn mended(settings: Settings) -> Settings {
    settings
}

fn to_the_letter(settings: Settings) -> Settings {
    settings.with("errata", SettingValue::Flag(false))
}

fn group(node_number: u16, counter: u64) -> GroupNumber {
    GroupNumber { node: node(node_number), counter }
}

fn state(bench: &Bench<Invitation>) -> StateVector {
    bench.machine.state()
}

/// Node 3 of 4, alone in its group 3.1 since its Recovery.
fn alone_reading(reading: fn(Settings) -> Settings) -> Bench<Invitation> {
    Bench::start(3, 4, TIMING, reading)
}

fn alone() -> Bench<Invitation> {
    alone_reading(mended)
}

/// Node 3 which found 1 in call 1 (no other answered) and invites it into group 3.2, in call 2.
fn inviting_reading(reading: fn(Settings) -> Settings) -> Bench<Invitation> {
    let mut bench = alone_reading(reading);
    bench.time_out(Timer::Check);
    bench.hear(1, Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes });
    bench.time_out(Timer::AreYouCoordinator);
    bench
}

fn inviting() -> Bench<Invitation> {
    inviting_reading(mended)
}

/// Node 3 which gives 1 and 2 the task of group 3.2, in call 3.
fn giving_out_reading(reading: fn(Settings) -> Settings) -> Bench<Invitation> {
    let mut bench = inviting_reading(reading);
    bench.hear(1, Message::Accept { call: call(20), group: group(3, 2) });
    bench.hear(2, Message::Accept { call: call(30), group: group(3, 2) });
    bench.time_out(Timer::Accepts);
    bench
}

fn giving_out() -> Bench<Invitation> {
    giving_out_reading(mended)
}

/// Node 3, Normal, coordinator of group 3.2 with 1 and 2.
fn coordinator() -> Bench<Invitation> {
    let mut bench = giving_out();
    bench.hear(1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    bench
}

/// Node 3 which takes the invitation of 4 into group 4.5 and accepts, in call 1.
fn accepting() -> Bench<Invitation> {
    let mut bench = alone();
    bench.hear(4, Message::Invitation { call: call(9), coordinator: node(4), group: group(4, 5) });
    bench
}

/// Node 3 in Reorganization, in group 4.5.
fn reorganizing() -> Bench<Invitation> {
    let mut bench = accepting();
    bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes });
    bench
}

/// Node 3, Normal, a member of group 4.5.
fn member() -> Bench<Invitation> {
    let mut bench = reorganizing();
    bench.hear(4, ready_of_4());
    bench
}

fn task_of_4() -> Task {
    Task { author: node(4), incarnation: Incarnation(1), serial: 7, members: nodes("3") }
}

fn ready_of_4() -> Message {
    Message::Ready { call: call(40), group: group(4, 5), task: Box::new(task_of_4()) }
}

#[test]
fn are_you_coordinator_is_answered_yes_by_a_normal_coordinator_only() {
    let told = |coordinator| send(1, Message::AreYouCoordinatorAnswer { call: call(5), coordinator });
    for (mut bench, coordinates) in [
        (alone(), YesOrNo::Yes),
        (coordinator(), YesOrNo::Yes),
        (inviting(), YesOrNo::No),
        (giving_out(), YesOrNo::No),
        (accepting(), YesOrNo::No),
        (member(), YesOrNo::No),
    ] {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(1, Message::AreYouCoordinator { call: call(5) }), [told(coordinates)]);
        assert_eq!(bench.machine, before);
    }
}

#[test]
fn are_you_there_asks_group_and_up_and_not_the_status() {
    let ask = |mut bench: Bench<Invitation>, from, group| {
        let effects = bench.hear(from, Message::AreYouThere { call: call(5), group });
        effects[0].clone()
    };
    let told = |to, there| send(to, Message::AreYouThereAnswer { call: call(5), there });
    assert_eq!(ask(coordinator(), 1, group(3, 2)), told(1, YesOrNo::Yes));
    assert_eq!(ask(giving_out(), 1, group(3, 2)), told(1, YesOrNo::Yes), "in Reorganization too");
    assert_eq!(ask(coordinator(), 4, group(3, 2)), told(4, YesOrNo::No), "not in Up");
    assert_eq!(ask(coordinator(), 1, group(3, 1)), told(1, YesOrNo::No), "an old group");
    assert_eq!(ask(inviting(), 1, group(3, 2)), told(1, YesOrNo::No), "not yet accepted");
    assert_eq!(ask(member(), 1, group(4, 5)), told(1, YesOrNo::No), "not its coordinator");
}

#[test]
fn an_invitation_is_taken_in_normal_and_accepted() {
    let bench = accepting();
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        set(Timer::Timeout, TIMING.silence),
        send(4, Message::Accept { call: call(1), group: group(4, 5) }),
        set(Timer::Accept, T),
    ];
    assert_eq!(bench.effects, expected);
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.group), (Status::Election, Some(node(4)), Some(group(4, 5))));
    assert_eq!(bench.machine.waits_for(Timer::Accept), nodes("4"));
}

#[test]
fn a_coordinator_passes_an_invitation_on_before_it_accepts_itself() {
    let mut bench = coordinator();
    let invitation = |serial| Message::Invitation { call: call(serial), coordinator: node(4), group: group(4, 5) };
    let effects = bench.hear(4, invitation(9)).to_vec();
    let sends: Vec<_> = effects.into_iter().filter(|e| matches!(e, protocol::Effect::Send { .. })).collect();
    let accept = Message::Accept { call: call(5), group: group(4, 5) };
    assert_eq!(sends, [send(2, invitation(4)), send(1, invitation(4)), send(4, accept)]);
}

#[test]
fn a_member_just_leaves_its_group_by_an_invitation_and_accepts_to_the_inviter() {
    let mut bench = member();
    let effects = bench.hear(2, Message::Invitation { call: call(9), coordinator: node(1), group: group(1, 9) });
    let expected = [
        set(Timer::Timeout, TIMING.silence),
        send(1, Message::Accept { call: call(2), group: group(1, 9) }),
        set(Timer::Accept, T),
    ];
    assert_eq!(effects[1..], expected);
}

#[test]
fn an_invitation_is_declined_in_silence_out_of_normal() {
    for mut bench in [inviting(), giving_out(), accepting(), reorganizing()] {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(2, Message::Invitation { call: call(9), coordinator: node(2), group: group(2, 9) }), []);
        assert_eq!((bench.machine, bench.lines), (before, vec![line::INVITATION_DECLINED]));
    }
}

#[test]
fn an_invitation_to_ones_own_group_is_declined() {
    for (mut bench, coordinator, number) in [(member(), 4, group(4, 5)), (coordinator(), 3, group(3, 2))] {
        assert_eq!(
            bench.hear(2, Message::Invitation { call: call(9), coordinator: node(coordinator), group: number }),
            []
        );
    }
}

#[test]
fn a_taken_invitation_stops_check_its_wait_and_timeout() {
    let looking = {
        let mut bench = alone();
        bench.time_out(Timer::Check);
        bench
    };
    let waiting = {
        let mut bench = alone();
        bench.time_out(Timer::Check);
        bench.hear(4, Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes });
        bench.time_out(Timer::AreYouCoordinator);
        bench
    };
    let inquiring = {
        let mut bench = member();
        bench.time_out(Timer::Timeout);
        bench
    };
    for (mut bench, timer) in
        [(looking, Timer::AreYouCoordinator), (waiting, Timer::Wait), (inquiring, Timer::AreYouThere)]
    {
        let effects = bench.hear(4, Message::Invitation { call: call(9), coordinator: node(4), group: group(4, 9) });
        assert!(effects.contains(&cancel(timer)), "{timer:?}");
        assert_eq!(state(&bench).group, Some(group(4, 9)));
    }
}

#[test]
fn an_accepted_invitation_leads_to_reorganization_in_one_step() {
    let bench = reorganizing();
    assert_eq!(bench.effects, [cancel(Timer::Accept), set(Timer::Timeout, TIMING.silence)]);
    assert_eq!((state(&bench).status, bench.lines), (Status::Reorganization, vec![line::INVITATION_ACCEPTED]));
}

#[test]
fn an_inviter_that_is_silent_makes_the_invited_recover_and_nothing_more() {
    let mut bench = accepting();
    bench.time_out(Timer::Accept);
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.group), (Status::Normal, Some(node(3)), Some(group(3, 2))));
    assert_eq!(bench.lines, [line::INVITATION_SILENT, line::RECOVERY]);
    assert_eq!(bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes }), []);
    assert_eq!(state(&bench).status, Status::Normal);
}

#[test]
fn hole_i3_who_is_not_accepted_recovers_at_once_and_nothing_more() {
    let mut bench = accepting();
    bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::No });
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.group), (Status::Normal, Some(node(3)), Some(group(3, 2))));
    assert_eq!(bench.effects, [save(SafeCells::clone(&bench.machine.cells)), cancel(Timer::Accept)]);
    assert_eq!(bench.lines, [line::INVITATION_NOT_ACCEPTED, line::RECOVERY]);
}

#[test]
fn accept_counts_in_election_of_the_same_group_only() {
    let mut bench = inviting();
    let answer = |from, accepted| send(from, Message::AcceptAnswer { call: call(20), accepted });
    let effects = bench.hear(1, Message::Accept { call: call(20), group: group(3, 2) });
    assert_eq!(effects[1], answer(1, YesOrNo::Yes));
    assert_eq!((state(&bench).up, bench.lines.clone()), (nodes("1"), vec![line::ACCEPT]));
    assert_eq!(bench.effects[0], save(SafeCells::clone(&bench.machine.cells)));
    assert_eq!(bench.hear(2, Message::Accept { call: call(20), group: group(3, 1) }), [answer(2, YesOrNo::No)]);
    assert_eq!((state(&bench).up, bench.lines.clone()), (nodes("1"), vec![line::ACCEPT_LATE]));
    let mut late = giving_out();
    assert_eq!(late.hear(4, Message::Accept { call: call(20), group: group(3, 2) }), [answer(4, YesOrNo::No)]);
    assert_eq!(state(&late).up, nodes("1,2"));
}

#[test]
fn ready_is_taken_in_reorganization_of_the_same_group_whoever_calls() {
    for from in [4, 2] {
        let mut bench = reorganizing();
        bench.hear(from, ready_of_4());
        let expected = [
            save(SafeCells::clone(&bench.machine.cells)),
            set(Timer::Timeout, TIMING.silence),
            send(from, Message::ReadyAnswer { call: call(40), taken: YesOrNo::Yes }),
        ];
        assert_eq!(bench.effects, expected);
        assert_eq!((state(&bench).status, state(&bench).task), (Status::Normal, Some(task_of_4())));
    }
}

#[test]
fn ready_is_refused_else_and_the_answer_says_so() {
    for mut bench in [accepting(), member(), alone(), giving_out()] {
        let before = bench.machine.clone();
        let refused = send(4, Message::ReadyAnswer { call: call(40), taken: YesOrNo::No });
        assert!(bench.hear(4, ready_of_4()).contains(&refused));
        assert_eq!((bench.machine, bench.lines), (before, vec![line::READY_REFUSED]));
    }
}

#[test]
fn the_check_of_its_coordinator_is_not_heard_as_its_coordinator() {
    for mut bench in [member(), reorganizing(), accepting()] {
        let no = send(4, Message::AreYouCoordinatorAnswer { call: call(5), coordinator: YesOrNo::No });
        assert_eq!(bench.hear(4, Message::AreYouCoordinator { call: call(5) }), [no]);
    }
}
