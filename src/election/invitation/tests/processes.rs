//! Invitation's Recovery, Check, Merge and Timeout one by one: a state, one input, exactly what comes of it.
//!
//! Invariant: the states are reached by messages and time-outs alone.

use super::*;

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
fn recovery_is_one_step_to_a_group_of_one_with_a_saved_number() {
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
fn recovery_after_a_crash_uses_no_number_again() {
    let bench = coordinator();
    let again = bench.recovered(SafeCells::clone(&bench.machine.cells));
    assert_eq!(state(&again).group, Some(group(3, 3)));
    assert_eq!(state(&again).task.unwrap().incarnation, Incarnation(2));
}

#[test]
fn check_asks_all_others_at_a_normal_coordinator_only() {
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
fn check_that_finds_lower_coordinators_merges_at_once() {
    let bench = looked(&[1], mended);
    assert_eq!((state(&bench).status, state(&bench).group), (Status::Election, Some(group(3, 2))));
}

#[test]
fn check_waits_two_periods_for_each_step_of_priority() {
    let bench = looked(&[1, 4], mended);
    assert_eq!(bench.effects, [cancel(Timer::AreYouCoordinator), set(Timer::Wait, TIMING.check * 2)]);
    assert_eq!(state(&bench).status, Status::Normal);
    let mut lowest: Bench<Invitation> = Bench::start(1, 4, TIMING, mended);
    lowest.time_out(Timer::Check);
    lowest.hear(4, Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes });
    assert_eq!(lowest.time_out(Timer::AreYouCoordinator), [set(Timer::Wait, TIMING.check * 2 * 3)]);
}

#[test]
fn check_asks_again_after_its_wait_and_merges_with_those_that_still_coordinate() {
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
fn check_to_the_letter_merges_after_its_wait_with_those_it_had_found() {
    let mut bench = looked(&[1, 4], to_the_letter);
    bench.time_out(Timer::Wait);
    assert_eq!(bench.lines, [line::MERGE, line::MERGE_INVITE]);
    let invitation = |to| send(to, Message::Invitation { call: call(2), coordinator: node(3), group: group(3, 2) });
    assert_eq!(bench.effects[1..], [invitation(4), invitation(1), set(Timer::Accepts, T * 2)]);
}

#[test]
fn merge_invites_the_found_and_the_old_members_under_a_saved_new_number() {
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
fn merge_gives_the_task_to_those_that_accepted() {
    let bench = giving_out();
    let task = Task { author: node(3), incarnation: Incarnation(1), serial: 2, members: nodes("1,2") };
    let ready = |to| send(to, Message::Ready { call: call(3), group: group(3, 2), task: Box::new(task) });
    let expected = [save(SafeCells::clone(&bench.machine.cells)), ready(2), ready(1), set(Timer::Ready, T)];
    assert_eq!(bench.effects, expected);
    assert_eq!((state(&bench).status, state(&bench).task), (Status::Reorganization, Some(task)));
    assert_eq!(bench.machine.waits_for(Timer::Ready), nodes("1,2"));
}

#[test]
fn merge_that_nobody_accepts_leaves_a_group_of_one() {
    let mut bench = inviting();
    bench.time_out(Timer::Accepts);
    assert_eq!((state(&bench).status, state(&bench).up), (Status::Normal, NodeSet::EMPTY));
    assert_eq!(bench.lines, [line::MERGE_READY, line::MERGE_NORMAL]);
}

#[test]
fn merge_is_over_when_all_have_the_task() {
    let mut bench = giving_out();
    assert_eq!(bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes }), []);
    assert_eq!(state(&bench).status, Status::Reorganization);
    let last = Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes };
    assert_eq!(bench.hear(1, last.clone()), [cancel(Timer::Ready)]);
    assert_eq!(state(&bench).status, Status::Normal);
    assert_eq!(bench.hear(1, last), [], "a repetition");
}

#[test]
fn merge_recovers_and_nothing_more_when_a_member_is_silent() {
    let mut bench = giving_out();
    bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    assert_eq!(bench.time_out(Timer::Ready).len(), 2, "a save, and the timer that is stopped");
    assert_eq!((state(&bench).group, state(&bench).up), (Some(group(3, 3)), NodeSet::EMPTY));
    assert_eq!(bench.lines, [line::MERGE_FAILED, line::RECOVERY]);
    assert_eq!(bench.hear(1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes }), []);
}

#[test]
fn merge_recovers_when_a_ready_was_not_taken_unless_to_the_letter() {
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
fn timeout_of_a_coordinator_returns_at_once_in_every_status() {
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
fn holes_i1_and_i4_an_invitation_in_ones_own_name_is_declined() {
    for number in [group(4, 5), group(3, 1)] {
        let bench = invited_by_itself(mended, number);
        assert_eq!((bench.effects, bench.lines), (vec![], vec![line::INVITATION_DECLINED]));
    }
}

#[test]
fn holes_i1_and_i4_to_the_letter_it_is_taken_and_accepted_by_a_call_of_accept_at_oneself() {
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
fn to_the_letter_who_has_accepted_itself_calls_the_other_members_only() {
    let mut bench = invited_by_itself(to_the_letter, group(3, 1));
    bench.hear(4, Message::Ready { call: call(40), group: group(3, 1), task: Box::new(task_of_4()) });
    assert_eq!((state(&bench).status, state(&bench).up), (Status::Normal, nodes("1-3")));
    let invitation = |serial| Message::Invitation { call: call(serial), coordinator: node(4), group: group(4, 5) };
    let effects = bench.hear(4, invitation(9));
    assert_eq!(effects[2..4], [send(2, invitation(5)), send(1, invitation(5))]);
    assert!(matches!(&effects[4], protocol::Effect::Send { message: Message::Accept { .. }, .. }));
}

#[test]
fn timeout_of_a_member_asks_its_coordinator_in_every_status() {
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

/// It has refused a Ready whose group was garbled, and its "no" was garbled into a "yes": its coordinator is content.
#[test]
fn timeout_of_a_member_that_no_ready_reaches_recovers_though_its_coordinator_says_yes_unless_to_the_letter() {
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
fn timeout_recovers_when_the_coordinator_says_no_or_nothing() {
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
fn an_order_makes_a_coordinator_check_and_a_member_leave() {
    let mut coordinates = alone();
    coordinates.elect();
    assert_eq!(coordinates.lines, [line::ORDER, line::CHECK_ASK]);
    let mut belongs = member();
    belongs.elect();
    assert_eq!((state(&belongs).group, belongs.lines), (Some(group(3, 2)), vec![line::ORDER, line::RECOVERY]));
    assert_eq!(reorganizing().elect(), [], "an election is under way");
}

#[test]
fn to_the_letter_a_late_copy_of_ones_own_invitation_is_taken() {
    let mut bench = alone_reading(to_the_letter);
    bench.hear(2, Message::Invitation { call: call(9), coordinator: node(3), group: group(3, 1) });
    assert_eq!(bench.lines, [line::INVITATION_TAKEN, line::INVITATION_ACCEPT, line::ACCEPT, line::INVITATION_ACCEPTED]);
    assert_eq!((state(&bench).status, state(&bench).coordinator), (Status::Reorganization, Some(node(3))));
    assert_eq!(state(&bench).up, nodes("3"), "Accept is called at itself");
    bench.time_out(Timer::Timeout);
    assert_eq!(state(&bench).status, Status::Reorganization, "there is no way out");
}
