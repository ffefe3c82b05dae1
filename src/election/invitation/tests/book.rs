//! Invitation by the book (Chow and Johnson 1997, listings 10.24, 10.26 and 10.27), and what the paper's text has in
//! common with it: one input each.
//!
//! Invariant: every line of the listing that begins with "The book" is cited here.

use super::*;

fn by_the_book(mut bench: Bench<Invitation>) -> Bench<Invitation> {
    bench.machine.mends = letter_of::<Invitation>("book");
    bench
}

#[test]
fn hole_10_24_timeout_takes_no_answer() {
    let mut bench = by_the_book(member());
    bench.time_out(Timer::Timeout);
    assert_eq!(bench.hear(4, Message::AreYouThereAnswer { call: call(2), there: YesOrNo::Yes }), []);
    assert_eq!(bench.lines, [line::TIMEOUT_MISNAMED]);
    bench.time_out(Timer::AreYouThere);
    assert_eq!(bench.lines, [line::TIMEOUT_RECOVERY, line::RECOVERY]);
}

#[test]
fn hole_10_26_answers_are_counted() {
    let mut bench = by_the_book(giving_out());
    let answer = |serial, taken| Message::ReadyAnswer { call: call(serial), taken };
    assert_eq!(bench.hear(1, answer(3, YesOrNo::No)), [], "not in the group");
    assert_eq!(bench.hear(1, answer(1, YesOrNo::Yes)), [], "another group");
    bench.hear(1, answer(3, YesOrNo::Yes));
    assert_eq!(
        (bench.lines.as_slice(), state(&bench).status),
        ([line::MERGE_COUNT].as_slice(), Status::Reorganization)
    );
    bench.hear(1, answer(3, YesOrNo::Yes));
    assert_eq!(bench.lines, [line::MERGE_COUNT, line::MERGE_NORMAL], "1 for 2");
    let mut refused = by_the_book(giving_out());
    refused.hear(1, answer(3, YesOrNo::No));
    refused.hear(2, answer(3, YesOrNo::Yes));
    refused.time_out(Timer::Ready);
    assert_eq!(refused.lines, [line::MERGE_FAILED, line::RECOVERY]);
}

#[test]
fn hole_10_27_invitation_runs_on() {
    let silent = |bench: &mut Bench<Invitation>| bench.time_out(Timer::Accept).to_vec();
    let refused = |bench: &mut Bench<Invitation>| {
        bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::No }).to_vec()
    };
    for end in [silent, refused] {
        let mut bench = by_the_book(accepting());
        end(&mut bench);
        assert_eq!(bench.lines, [line::INVITATION_REFUSED, line::RECOVERY, line::INVITATION_RUNS_ON]);
        let now = state(&bench);
        assert_eq!((now.status, now.coordinator), (Status::Reorganization, Some(node(3))));
        bench.time_out(Timer::Check);
        assert_eq!(bench.lines, [line::CHECK_SKIPPED]);
        bench.time_out(Timer::Timeout);
        assert_eq!(bench.lines, [line::TIMEOUT_MINE]);
        bench.hear(4, Message::Invitation { call: call(9), coordinator: node(4), group: group(4, 6) });
        assert_eq!((bench.lines.as_slice(), state(&bench)), ([line::INVITATION_DECLINED].as_slice(), now));
    }
}

#[test]
fn hole_ready_left_in_accept_takes_two_steps() {
    for letter in ["paper", "book"] {
        let mut bench = accepting();
        bench.machine.mends = letter_of::<Invitation>(letter);
        let heard = [cancel(Timer::Accept), set(Timer::GoOn, Span::ZERO), set(Timer::Timeout, TIMING.silence)];
        assert_eq!(bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes }), heard);
        assert_eq!((state(&bench).status, bench.lines.as_slice()), (Status::Election, [].as_slice()));
        let refused = send(4, Message::ReadyAnswer { call: call(40), taken: YesOrNo::No });
        assert_eq!(bench.hear(4, ready_of_4()), [refused], "hole Ready");
        assert_eq!(bench.time_out(Timer::GoOn), []);
        assert_eq!((state(&bench).status, bench.lines), (Status::Reorganization, vec![line::INVITATION_ACCEPTED]));
    }
}

#[test]
fn hole_i3_left_in_the_refusal_is_unsaid() {
    let mut bench = accepting();
    bench.machine.mends = letter_of::<Invitation>("paper");
    bench.hear(4, Message::AcceptAnswer { call: call(1), accepted: YesOrNo::No });
    bench.time_out(Timer::GoOn);
    assert_eq!((state(&bench).status, state(&bench).coordinator), (Status::Reorganization, Some(node(4))));
}
