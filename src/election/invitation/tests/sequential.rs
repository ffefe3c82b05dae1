//! Invitation's loops in the form of 1982, one call after another: a state, one input, exactly what comes of it.
//!
//! Invariant: every FOR of Appendix II has a test of its order, of an answer and of a silence.

use super::*;

const PATIENT: Timing = Timing { t: T, check: Span::from_millis(2500), silence: Span::from_millis(2000) };

fn one_by_one(settings: Settings) -> Settings {
    settings.with("form", SettingValue::Word("sequential".to_owned()))
}

fn start(me: u16) -> Bench<Invitation> {
    Bench::start(me, 4, PATIENT, one_by_one)
}

fn invitation(serial: u32, counter: u64) -> Message {
    Message::Invitation { call: call(serial), coordinator: node(3), group: group(3, counter) }
}

fn accept(counter: u64) -> Message {
    Message::Accept { call: call(20), group: group(3, counter) }
}

/// Node 3, whose Check has found 1 and 2 and which invites 2 into the group 3.2, in call 2.
fn inviting() -> Bench<Invitation> {
    let mut bench = start(3);
    bench.time_out(Timer::Check);
    for other in [1, 2] {
        bench.hear(other, Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes });
    }
    bench.time_out(Timer::AreYouCoordinator);
    bench
}

/// Node 3, which gives 2 the task of the group 3.2, in call 3, and has still to give it to 1.
fn giving_out() -> Bench<Invitation> {
    let mut bench = inviting();
    for invited in [2, 1] {
        bench.hear(invited, accept(2));
        bench.hear(invited, Message::InvitationAnswer { call: call(2) });
    }
    bench.time_out(Timer::Accepts);
    bench
}

/// Node 3, Normal, coordinator of the group 3.2 with 1 and 2.
fn coordinator() -> Bench<Invitation> {
    let mut bench = giving_out();
    bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    bench.hear(1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    bench
}

/// Node 3 which was invited by 4 into the group 4.5, in its call 9, and passes that on to 2, in call 4.
fn passing_on() -> Bench<Invitation> {
    let mut bench = coordinator();
    bench.hear(4, Message::Invitation { call: call(9), coordinator: node(4), group: group(4, 5) });
    bench
}

fn returned() -> Effect<Invitation> {
    send(4, Message::InvitationAnswer { call: call(9) })
}

#[test]
fn check_asks_from_1_past_the_silent() {
    let mut bench = start(3);
    let question = |to| send(to, Message::AreYouCoordinator { call: call(1) });
    let wait = set(Timer::AreYouCoordinator, T);
    assert_eq!(bench.time_out(Timer::Check)[1..], [question(1), wait.clone()]);
    assert_eq!(bench.machine.waits_for(Timer::AreYouCoordinator), nodes("1"));
    let no = Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::No };
    assert_eq!(bench.hear(2, no.clone()), [], "it has not been asked");
    assert_eq!(bench.hear(1, no), [question(2), wait.clone()]);
    assert_eq!(bench.time_out(Timer::AreYouCoordinator), [question(4), wait]);
    assert_eq!(bench.lines, [line::CHECK_ASK]);
    assert_eq!(bench.time_out(Timer::AreYouCoordinator), []);
    assert_eq!(bench.lines, [line::CHECK_NONE]);
}

#[test]
fn merge_invites_one_after_another() {
    let mut bench = inviting();
    assert_eq!(bench.effects[1..], [send(2, invitation(2, 2)), set(Timer::Invitation, T)]);
    assert_eq!(bench.machine.waits_for(Timer::Invitation), nodes("2"));
    assert_eq!(bench.hear(2, accept(2)).len(), 2, "a save, and the answer to Accept: the call has not returned");
    let next = [send(1, invitation(2, 2)), set(Timer::Invitation, T)];
    assert_eq!(bench.hear(2, Message::InvitationAnswer { call: call(2) }), next);
    assert_eq!(bench.lines, [line::MERGE_INVITE]);
    assert_eq!(bench.time_out(Timer::Invitation), [set(Timer::Accepts, T * 3)], "(n-1)T");
    assert_eq!(bench.hear(1, Message::InvitationAnswer { call: call(2) }), [], "after its ONTIMEOUT");
}

#[test]
fn merge_invites_the_found_first() {
    let mut bench = coordinator();
    bench.time_out(Timer::Check);
    for (other, coordinator) in [(1, YesOrNo::Yes), (2, YesOrNo::No), (4, YesOrNo::No)] {
        bench.hear(other, Message::AreYouCoordinatorAnswer { call: call(4), coordinator });
    }
    let called = |to, serial| [send(to, invitation(serial, 3)), set(Timer::Invitation, T)];
    assert_eq!(bench.effects[2..], called(1, 5));
    bench.hear(1, Message::InvitationAnswer { call: call(5) });
    assert_eq!(bench.effects, [&[cancel(Timer::Invitation)][..], &called(2, 6)].concat(), "and 1 once");
    let over = [cancel(Timer::Invitation), set(Timer::Accepts, T * 3)];
    assert_eq!(bench.hear(2, Message::InvitationAnswer { call: call(6) }), over);
}

#[test]
fn merge_readies_one_after_another() {
    let mut bench = giving_out();
    assert_eq!(bench.machine.waits_for(Timer::Ready), nodes("2"));
    assert_eq!(
        bench.hear(1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes }),
        [],
        "it has not been called"
    );
    let effects = bench.hear(2, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    assert!(matches!(effects, [Effect::Send { to, .. }, _] if *to == node(1)), "{effects:?}");
    assert_eq!(bench.hear(1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes }), [cancel(Timer::Ready)]);
    assert_eq!((state(&bench).status, bench.lines), (Status::Normal, vec![line::MERGE_NORMAL]));
    let mut bench = giving_out();
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [line::MERGE_FAILED, line::RECOVERY], "1 is not called any more");
}

#[test]
fn invitation_that_is_declined_returns() {
    let mut bench = inviting();
    assert_eq!(
        bench.hear(4, Message::Invitation { call: call(9), coordinator: node(4), group: group(4, 5) }),
        [returned()]
    );
    assert_eq!(bench.lines, [line::INVITATION_DECLINED, line::INVITATION_RETURNS]);
}

#[test]
fn invitation_is_passed_on_one_by_one() {
    let mut bench = passing_on();
    let passed = |to| {
        let invitation = Message::Invitation { call: call(4), coordinator: node(4), group: group(4, 5) };
        [send(to, invitation), set(Timer::Invitation, T)]
    };
    assert_eq!(bench.effects[2..], passed(2));
    assert_eq!(bench.hear(2, Message::InvitationAnswer { call: call(4) }), passed(1));
    let accept = Message::Accept { call: call(5), group: group(4, 5) };
    assert_eq!(bench.time_out(Timer::Invitation), [send(4, accept), set(Timer::Accept, T)]);
    let accepted = [cancel(Timer::Accept), returned(), set(Timer::Timeout, PATIENT.silence)];
    assert_eq!(bench.hear(4, Message::AcceptAnswer { call: call(5), accepted: YesOrNo::Yes }), accepted);
    assert_eq!(bench.lines, [line::INVITATION_ACCEPTED, line::INVITATION_RETURNS]);
    assert_eq!(state(&bench).status, Status::Reorganization);
}

#[test]
fn invitation_that_recovery_ends_never_returns() {
    let mut bench = passing_on();
    bench.time_out(Timer::Invitation);
    bench.time_out(Timer::Invitation);
    bench.time_out(Timer::Accept);
    assert_eq!(bench.lines, [line::INVITATION_SILENT, line::RECOVERY]);
    assert!(!bench.effects.contains(&returned()));
    let mut bench = passing_on();
    bench.time_out(Timer::Timeout);
    assert!(bench.time_out(Timer::AreYouThere).contains(&cancel(Timer::Invitation)), "STOP ends what is passed on");
    assert_eq!(bench.hear(2, Message::InvitationAnswer { call: call(4) }), []);
}

#[test]
fn the_card_gives_each_call_its_t() {
    let settings = one_by_one(Settings::defaults(Invitation::CARD.settings, NodeSet::EMPTY));
    let facts = Invitation::CARD.facts(&PATIENT, 4, &settings);
    // A Merge: three loops of three. A Check, the longest wait, the question again, the Merge, and that twice.
    let next = PATIENT.check * 7 + T * 3 * 5;
    assert_eq!((facts.time_bound, facts.quiet_bound), (T * 9, T * 9 + PATIENT.silence + T + next * 2));
    let forbidden = |timing: Timing| {
        let broken = Invitation::CARD.periods.iter().filter(|rule| !(rule.holds)(&timing, 4, &settings));
        broken.map(|rule| rule.key).collect::<Vec<_>>()
    };
    assert_eq!(forbidden(PATIENT), [""; 0]);
    assert_eq!(forbidden(Timing { check: T * 12, ..PATIENT }), ["check"]);
    assert_eq!(forbidden(Timing { silence: T * 9, ..PATIENT }), ["silence"]);
}
