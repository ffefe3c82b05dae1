//! Invitation's procedures one by one: a state, one input, exactly what comes of it.
//!
//! Invariant: every procedure of Appendix II has a test that names it, and the states are reached by messages and
//! time-outs alone. What the sequential form does otherwise is in `sequential`, what the book says otherwise in `book`.

mod book;
mod network;
mod sequential;

use super::procedures::AfterTimeout;
use super::{Invitation, Message, SafeCells, Timer, card as line};
use crate::garcia_molina::YesOrNo;
use protocol::{
    Algorithm, Effect, GroupNumber, Incarnation, NodeSet, SettingValue, Settings, Span, StateVector, Status, Task,
    Timing,
};
use test_harness::{Bench, call, cancel, letter_of, node, nodes, save, send, set};

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
fn are_you_coordinator_asks_status_and_c() {
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
fn are_you_there_asks_group_and_up() {
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
fn invitation_is_taken_in_normal() {
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
fn invitation_is_passed_on_before_accept() {
    let mut bench = coordinator();
    let invitation = |serial| Message::Invitation { call: call(serial), coordinator: node(4), group: group(4, 5) };
    let effects = bench.hear(4, invitation(9)).to_vec();
    let sends: Vec<_> = effects.into_iter().filter(|e| matches!(e, Effect::Send { .. })).collect();
    let accept = Message::Accept { call: call(5), group: group(4, 5) };
    assert_eq!(sends, [send(2, invitation(4)), send(1, invitation(4)), send(4, accept)]);
}

#[test]
fn invitation_takes_a_member_from_its_group() {
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
fn invitation_is_declined_out_of_normal() {
    for mut bench in [inviting(), giving_out(), accepting(), reorganizing()] {
        let before = bench.machine.clone();
        assert_eq!(bench.hear(2, Message::Invitation { call: call(9), coordinator: node(2), group: group(2, 9) }), []);
        assert_eq!((bench.machine, bench.lines), (before, vec![line::INVITATION_DECLINED]));
    }
}

#[test]
fn hole_i1_an_invitation_to_ones_own_group() {
    for (mut bench, coordinator, number) in [(member(), 4, group(4, 5)), (coordinator(), 3, group(3, 2))] {
        let invitation = Message::Invitation { call: call(9), coordinator: node(coordinator), group: number };
        assert_eq!(bench.hear(2, invitation), []);
    }
    // To the letter it is taken; its coordinator then refuses the Accept, for its Merge is over.
    let mut bench = member();
    bench.machine.mends = letter_of::<Invitation>("paper");
    bench.hear(2, Message::Invitation { call: call(9), coordinator: node(4), group: group(4, 5) });
    assert_eq!(bench.lines, [line::INVITATION_TAKEN, line::INVITATION_ACCEPT]);
    assert_eq!((state(&bench).status, state(&bench).group), (Status::Election, Some(group(4, 5))));
}

#[test]
fn invitation_stops_check_its_wait_and_timeout() {
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
fn invitation_accepted_leads_to_reorganization() {
    let bench = reorganizing();
    assert_eq!(bench.effects, [cancel(Timer::Accept), set(Timer::Timeout, TIMING.silence)]);
    assert_eq!((state(&bench).status, bench.lines), (Status::Reorganization, vec![line::INVITATION_ACCEPTED]));
}

#[test]
fn invitation_of_a_silent_inviter_ends_in_recovery() {
    let mut bench = accepting();
    bench.time_out(Timer::Accept);
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.group), (Status::Normal, Some(node(3)), Some(group(3, 2))));
    assert_eq!(bench.lines, [line::INVITATION_SILENT, line::RECOVERY]);
    assert_eq!(bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes }), []);
    assert_eq!(state(&bench).status, Status::Normal);
}

#[test]
fn hole_i3_mended_the_refused_recovers_at_once() {
    let mut bench = accepting();
    bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::No });
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.group), (Status::Normal, Some(node(3)), Some(group(3, 2))));
    assert_eq!(bench.effects, [save(SafeCells::clone(&bench.machine.cells)), cancel(Timer::Accept)]);
    assert_eq!(bench.lines, [line::INVITATION_NOT_ACCEPTED, line::RECOVERY]);
}

#[test]
fn accept_counts_in_election_of_its_group() {
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
fn ready_is_taken_in_reorganization_of_its_group() {
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
fn ready_is_refused_else_and_says_so() {
    for mut bench in [accepting(), member(), alone(), giving_out()] {
        let before = bench.machine.clone();
        let refused = send(4, Message::ReadyAnswer { call: call(40), taken: YesOrNo::No });
        assert!(bench.hear(4, ready_of_4()).contains(&refused));
        assert_eq!((bench.machine, bench.lines), (before, vec![line::READY_REFUSED]));
    }
}

#[test]
fn are_you_coordinator_is_no_sign_of_life() {
    for mut bench in [member(), reorganizing(), accepting()] {
        let no = send(4, Message::AreYouCoordinatorAnswer { call: call(5), coordinator: YesOrNo::No });
        assert_eq!(bench.hear(4, Message::AreYouCoordinator { call: call(5) }), [no]);
    }
}

fn looked(found: &[u16], reading: fn(Settings) -> Settings) -> Bench<Invitation> {
    let mut bench = alone_reading(reading);
    bench.time_out(Timer::Check);
    for other in [1, 2, 4] {
        let coordinator = YesOrNo::from(found.contains(&other));
        bench.hear(other, Message::AreYouCoordinatorAnswer { call: call(1), coordinator });
    }
    bench
}

#[test]
fn recovery_makes_a_group_of_one() {
    let bench = alone();
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        set(Timer::Check, TIMING.check),
        set(Timer::Timeout, TIMING.silence),
    ];
    assert_eq!(bench.effects, expected);
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.group), (Status::Normal, Some(node(3)), Some(group(3, 1))));
    assert_eq!((now.up, now.task.unwrap().members), (NodeSet::EMPTY, NodeSet::EMPTY));
    assert_eq!(bench.machine.cells.counter, 1);
}

#[test]
fn recovery_uses_no_number_again() {
    let bench = coordinator();
    let again = bench.recovered(SafeCells::clone(&bench.machine.cells));
    assert_eq!(state(&again).group, Some(group(3, 3)));
    assert_eq!(state(&again).task.unwrap().incarnation, Incarnation(2));
}

#[test]
fn check_asks_at_a_normal_coordinator_only() {
    let mut bench = coordinator();
    let question = |to| send(to, Message::AreYouCoordinator { call: call(4) });
    let expected =
        [set(Timer::Check, TIMING.check), question(1), question(2), question(4), set(Timer::AreYouCoordinator, T)];
    assert_eq!(bench.time_out(Timer::Check), expected);
    assert_eq!(bench.machine.waits_for(Timer::AreYouCoordinator), nodes("1,2,4"));
    for mut bench in [inviting(), giving_out(), accepting(), reorganizing(), member()] {
        assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)]);
        assert_eq!(bench.lines, [line::CHECK_SKIPPED]);
    }
}

#[test]
fn check_is_skipped_during_another_and_its_wait() {
    let mut looking = alone();
    looking.time_out(Timer::Check);
    for mut bench in [looking, looked(&[4], mended)] {
        assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)]);
        assert_eq!(bench.lines, [line::CHECK_SKIPPED]);
    }
}

#[test]
fn check_that_finds_nobody_is_over() {
    let bench = looked(&[], mended);
    assert_eq!((bench.effects, bench.lines), (vec![cancel(Timer::AreYouCoordinator)], vec![line::CHECK_NONE]));
    let mut silent = alone();
    silent.time_out(Timer::Check);
    assert_eq!(silent.time_out(Timer::AreYouCoordinator), []);
}

#[test]
fn check_that_finds_lower_ones_merges() {
    let bench = looked(&[1], mended);
    assert_eq!((state(&bench).status, state(&bench).group), (Status::Election, Some(group(3, 2))));
}

#[test]
fn check_waits_two_periods_a_step() {
    let bench = looked(&[1, 4], mended);
    assert_eq!(bench.effects, [cancel(Timer::AreYouCoordinator), set(Timer::Wait, TIMING.check * 2)]);
    assert_eq!(state(&bench).status, Status::Normal);
    let mut lowest: Bench<Invitation> = Bench::start(1, 4, TIMING, mended);
    lowest.time_out(Timer::Check);
    lowest.hear(4, Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes });
    assert_eq!(lowest.time_out(Timer::AreYouCoordinator), [set(Timer::Wait, TIMING.check * 2 * 3)]);
}

fn all_wait(settings: Settings) -> Settings {
    settings.with("wait", SettingValue::Word("all".to_owned()))
}

fn nobody_waits(settings: Settings) -> Settings {
    settings.with("wait", SettingValue::Word("none".to_owned()))
}

#[test]
fn check_waits_as_the_setting_says() {
    let bench = looked(&[4], nobody_waits);
    assert_eq!((state(&bench).status, bench.lines[1]), (Status::Election, line::MERGE));
    for found in [1, 4] {
        let bench = looked(&[found], all_wait);
        assert_eq!(bench.effects[1..], [set(Timer::Wait, TIMING.check * 2 * 4 / 3)], "2n/i periods");
    }
}

#[test]
fn a_coordinator_left_out_of_joins_declines() {
    let joins = |settings: Settings| settings.with("joins", SettingValue::Nodes(nodes("1,2,4")));
    let invitation = |serial| Message::Invitation { call: call(serial), coordinator: node(4), group: group(4, 5) };
    let mut bench = alone_reading(joins);
    let before = bench.machine.clone();
    assert_eq!(bench.hear(4, invitation(9)), []);
    assert_eq!((bench.machine, bench.lines), (before, vec![line::INVITATION_NOT_JOINED]));
    let mut member = member();
    member.machine.joins = nodes("1,2,4");
    member.hear(2, Message::Invitation { call: call(9), coordinator: node(1), group: group(1, 9) });
    assert_eq!(member.lines[0], line::INVITATION_TAKEN, "a member takes it");
}

#[test]
fn check_asks_again_after_its_wait() {
    let mut bench = looked(&[1, 4], mended);
    let question = |to| send(to, Message::AreYouCoordinator { call: call(2) });
    assert_eq!(bench.time_out(Timer::Wait), [question(1), question(4), set(Timer::AreYouCoordinator, T)]);
    bench.hear(1, Message::AreYouCoordinatorAnswer { call: call(2), coordinator: YesOrNo::No });
    bench.hear(4, Message::AreYouCoordinatorAnswer { call: call(2), coordinator: YesOrNo::Yes });
    let invitation = Message::Invitation { call: call(3), coordinator: node(3), group: group(3, 2) };
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        cancel(Timer::AreYouCoordinator),
        send(4, invitation),
        set(Timer::Accepts, T * 2),
    ];
    assert_eq!(bench.effects, expected, "4 outranks it, but it has waited");
}

#[test]
fn hole_check_left_in_nobody_is_asked_again() {
    let mut bench = looked(&[1, 4], to_the_letter);
    bench.time_out(Timer::Wait);
    assert_eq!(bench.lines, [line::MERGE, line::MERGE_INVITE]);
    let invitation = |to| send(to, Message::Invitation { call: call(2), coordinator: node(3), group: group(3, 2) });
    assert_eq!(bench.effects[1..], [invitation(4), invitation(1), set(Timer::Accepts, T * 2)]);
}

#[test]
fn merge_invites_the_found_and_old_members() {
    let mut bench = coordinator();
    bench.time_out(Timer::Check);
    for (other, coordinator) in [(1, YesOrNo::Yes), (2, YesOrNo::No), (4, YesOrNo::No)] {
        bench.hear(other, Message::AreYouCoordinatorAnswer { call: call(4), coordinator });
    }
    let invitation = |to| send(to, Message::Invitation { call: call(5), coordinator: node(3), group: group(3, 3) });
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        cancel(Timer::AreYouCoordinator),
        invitation(2),
        invitation(1),
        set(Timer::Accepts, T * 2),
    ];
    assert_eq!(bench.effects, expected, "1 is both found and an old member, and is invited once");
    assert_eq!((state(&bench).status, state(&bench).up), (Status::Election, NodeSet::EMPTY));
}

#[test]
fn merge_readies_those_that_accepted() {
    let bench = giving_out();
    let task = Task { author: node(3), incarnation: Incarnation(1), serial: 2, members: nodes("1,2") };
    let ready = |to| send(to, Message::Ready { call: call(3), group: group(3, 2), task: Box::new(task) });
    let expected = [save(SafeCells::clone(&bench.machine.cells)), ready(2), ready(1), set(Timer::Ready, T)];
    assert_eq!(bench.effects, expected);
    assert_eq!((state(&bench).status, state(&bench).task), (Status::Reorganization, Some(task)));
    assert_eq!(bench.machine.waits_for(Timer::Ready), nodes("1,2"));
}

#[test]
fn merge_that_nobody_accepts_ends_alone() {
    let mut bench = inviting();
    bench.time_out(Timer::Accepts);
    assert_eq!((state(&bench).status, state(&bench).up), (Status::Normal, NodeSet::EMPTY));
    assert_eq!(bench.lines, [line::MERGE_READY, line::MERGE_NORMAL]);
}

#[test]
fn merge_is_over_when_all_have_the_task() {
    let mut bench = giving_out();
    for _ in 0..2 {
        assert_eq!(bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes }), []);
        assert_eq!(state(&bench).status, Status::Reorganization, "2 does not stand in for 1");
    }
    let last = Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes };
    assert_eq!(bench.hear(1, last.clone()), [cancel(Timer::Ready)]);
    assert_eq!(state(&bench).status, Status::Normal);
    assert_eq!(bench.hear(1, last), [], "a repetition");
}

#[test]
fn merge_recovers_when_a_member_is_silent() {
    let mut bench = giving_out();
    bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    assert_eq!(bench.time_out(Timer::Ready).len(), 2, "a save, and the timer that is stopped");
    assert_eq!((state(&bench).group, state(&bench).up), (Some(group(3, 3)), NodeSet::EMPTY));
    assert_eq!(bench.lines, [line::MERGE_FAILED, line::RECOVERY]);
    assert_eq!(bench.hear(1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes }), []);
}

#[test]
fn merge_recovers_when_a_ready_is_refused() {
    let refusal = Message::ReadyAnswer { call: call(3), taken: YesOrNo::No };
    let mut bench = giving_out();
    bench.hear(2, refusal.clone());
    assert_eq!((state(&bench).status, state(&bench).group), (Status::Normal, Some(group(3, 3))));
    assert_eq!(bench.lines, [line::MERGE_FAILED, line::RECOVERY]);
    let mut letter = giving_out_reading(to_the_letter);
    letter.hear(2, refusal.clone());
    letter.hear(1, refusal);
    assert_eq!((state(&letter).status, state(&letter).up), (Status::Normal, nodes("1,2")), "Normal with both in Up");
}

#[test]
fn timeout_of_a_coordinator_returns() {
    for mut bench in [alone(), coordinator(), inviting(), giving_out()] {
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
        assert_eq!(bench.machine.waits_for(Timer::Timeout), NodeSet::EMPTY);
        assert_eq!(bench.lines, [line::TIMEOUT_MINE]);
    }
}

/// Node 3, coordinator of its second group, hears an invitation in its own name: it was garbled, or it is 3's own
/// invitation into its first group, passed on to it late.
fn invited_by_itself(reading: fn(Settings) -> Settings, number: GroupNumber) -> Bench<Invitation> {
    let mut bench = giving_out_reading(reading);
    bench.hear(1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    assert_eq!((state(&bench).status, state(&bench).group), (Status::Normal, Some(group(3, 2))));
    bench.hear(4, Message::Invitation { call: call(9), coordinator: node(3), group: number });
    bench
}

#[test]
fn hole_i1_mended_ones_own_name_is_declined() {
    for number in [group(4, 5), group(3, 1)] {
        let bench = invited_by_itself(mended, number);
        assert_eq!((bench.effects, bench.lines), (vec![], vec![line::INVITATION_DECLINED]));
    }
}

#[test]
fn hole_i1_left_in_ones_own_is_taken() {
    for number in [group(4, 5), group(3, 1)] {
        let mut bench = invited_by_itself(to_the_letter, number);
        let lines = [
            line::INVITATION_TAKEN,
            line::INVITATION_PASSED_ON,
            line::INVITATION_ACCEPT,
            line::ACCEPT,
            line::INVITATION_ACCEPTED,
        ];
        assert_eq!(bench.lines, lines);
        let now = state(&bench);
        assert_eq!((now.status, now.coordinator, now.group), (Status::Reorganization, Some(node(3)), Some(number)));
        assert_eq!(now.up, nodes("1-3"), "itself too");
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
        assert_eq!((state(&bench).status, bench.lines), (Status::Reorganization, vec![line::TIMEOUT_MINE]));
    }
}

/// Only a Ready that was garbled leads out of there; a CALL of Invitation at oneself is then declined at once.
#[test]
fn hole_i1_left_in_nobody_calls_itself() {
    let mut bench = invited_by_itself(to_the_letter, group(3, 1));
    bench.hear(4, Message::Ready { call: call(40), group: group(3, 1), task: Box::new(task_of_4()) });
    assert_eq!((state(&bench).status, state(&bench).up), (Status::Normal, nodes("1-3")));
    let invitation = |serial| Message::Invitation { call: call(serial), coordinator: node(4), group: group(4, 5) };
    let effects = bench.hear(4, invitation(9));
    assert_eq!(effects[2..4], [send(2, invitation(5)), send(1, invitation(5))]);
    assert!(matches!(&effects[4], Effect::Send { message: Message::Accept { .. }, .. }));
}

#[test]
fn timeout_of_a_member_asks_its_coordinator() {
    for (mut bench, stays) in [(member(), true), (accepting(), true), (reorganizing(), false)] {
        let expected = [
            set(Timer::Timeout, TIMING.silence),
            send(4, Message::AreYouThere { call: call(2), group: group(4, 5) }),
            set(Timer::AreYouThere, T),
        ];
        assert_eq!(bench.machine.waits_for(Timer::Timeout), nodes("4"));
        assert_eq!(bench.time_out(Timer::Timeout), expected);
        let before = state(&bench);
        let heard = [cancel(Timer::AreYouThere), set(Timer::Timeout, TIMING.silence)];
        let effects = bench.hear(4, Message::AreYouThereAnswer { call: call(2), there: YesOrNo::Yes }).to_vec();
        assert_eq!((effects == heard, state(&bench) == before), (stays, stays));
    }
}

/// Has refused a Ready whose group was garbled, and its "no" was garbled into a "yes": its coordinator is content.
#[test]
fn hole_i2_timeout_without_a_ready() {
    let yes = Message::AreYouThereAnswer { call: call(2), there: YesOrNo::Yes };
    let mut bench = reorganizing();
    bench.time_out(Timer::Timeout);
    bench.hear(4, yes.clone());
    assert_eq!(bench.effects, [save(SafeCells::clone(&bench.machine.cells)), cancel(Timer::AreYouThere)]);
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.group), (Status::Normal, Some(node(3)), Some(group(3, 2))));
    assert_eq!(bench.lines, [line::TIMEOUT_LEFT_OUT, line::RECOVERY]);
    let mut letter = alone_reading(to_the_letter);
    letter.hear(4, Message::Invitation { call: call(9), coordinator: node(4), group: group(4, 5) });
    letter.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes });
    letter.time_out(Timer::GoOn);
    letter.time_out(Timer::Timeout);
    assert_eq!(letter.hear(4, yes), [cancel(Timer::AreYouThere), set(Timer::Timeout, TIMING.silence)]);
    assert_eq!((state(&letter).status, letter.lines), (Status::Reorganization, vec![line::TIMEOUT_YES]));
}

#[test]
fn timeout_recovers_at_no_or_nothing() {
    let mut no = member();
    no.time_out(Timer::Timeout);
    no.hear(4, Message::AreYouThereAnswer { call: call(2), there: YesOrNo::No });
    let mut silent = member();
    silent.time_out(Timer::Timeout);
    assert_eq!(silent.machine.waits_for(Timer::AreYouThere), nodes("4"));
    silent.time_out(Timer::AreYouThere);
    for bench in [no, silent] {
        assert_eq!((state(&bench).status, state(&bench).group), (Status::Normal, Some(group(3, 2))));
        assert_eq!(bench.lines, [line::TIMEOUT_RECOVERY, line::RECOVERY]);
    }
}

#[test]
fn timeout_invites_the_old_members() {
    let invites = |mut bench: Bench<Invitation>| {
        bench.machine.after_timeout = AfterTimeout::Invite;
        bench.time_out(Timer::Timeout);
        bench.time_out(Timer::AreYouThere);
        bench
    };
    let mut member = reorganizing();
    let task = Box::new(Task { members: nodes("1-3"), ..task_of_4() });
    member.hear(4, Message::Ready { call: call(40), group: group(4, 5), task });
    let bench = invites(member);
    assert_eq!(bench.lines[2..], [line::TIMEOUT_INVITES, line::MERGE, line::MERGE_INVITE]);
    let invited = |to| send(to, Message::Invitation { call: call(3), coordinator: node(3), group: group(3, 3) });
    assert_eq!(bench.effects[2..4], [invited(2), invited(1)]);
    assert_eq!(state(&bench).status, Status::Election);
    let bench = invites(reorganizing());
    assert_eq!(bench.lines, [line::TIMEOUT_RECOVERY, line::RECOVERY], "the task is of another group");
}

#[test]
fn order_makes_one_check_or_leave() {
    let mut coordinates = alone();
    coordinates.elect();
    assert_eq!(coordinates.lines, [line::ORDER, line::CHECK_ASK]);
    let mut belongs = member();
    belongs.elect();
    assert_eq!((state(&belongs).group, belongs.lines), (Some(group(3, 2)), vec![line::ORDER, line::RECOVERY]));
    assert_eq!(reorganizing().elect(), [], "an election is under way");
}
