//! Newcomers: whether enough members have said yes, and whether one member set follows another.
//!
//! Invariant: only a vote that the newcomer could have known of counts.

use crate::tests::judged;
use judge::trial::*;
use protocol::{
    Incarnation, JoinAttempt, JoinPoll, JoinState, JoinWork, MemberView, NodeSet, PendingJoin, Property, StateVector,
    Work,
};

/// Three members, and 4 that asks.
fn started() -> Trace {
    let mut trace = judged(&head_with(5, application("joining", &[Property::Majority], 6)));
    trace.start_all(3, &knows(FIRST, "1-3"));
    (4..=5).for_each(|of| trace.start(of, 0, asks()));
    trace
}

const FIRST: u32 = 0;

fn view(version: u32, members: &str) -> MemberView {
    MemberView { version, members: set(members) }
}

fn with(work: JoinWork) -> StateVector {
    at_work(Work::Joining(work), normal(4))
}

fn knows(version: u32, members: &str) -> StateVector {
    with(JoinWork { view: view(version, members), ..JoinWork::default() })
}

fn attempt() -> JoinAttempt {
    JoinAttempt { incarnation: Incarnation(1), serial: 1 }
}

fn asks() -> StateVector {
    asks_knowing(view(FIRST, "1-3"))
}

fn asks_knowing(view: MemberView) -> StateVector {
    let poll = Some(JoinPoll { attempt: attempt(), yes: NodeSet::EMPTY, no: NodeSet::EMPTY });
    with(JoinWork { view, stance: JoinState::Asks, poll, ..JoinWork::default() })
}

fn says_yes() -> StateVector {
    let pending = Some(PendingJoin { newcomer: node(4), attempt: attempt() });
    with(JoinWork { view: view(FIRST, "1-3"), pending, ..JoinWork::default() })
}

#[test]
fn a_newcomer_needs_votes_it_knows_of() {
    let mut right = started();
    (1..=2).for_each(|of| right.become_state(of, 100, says_yes()));
    (1..=2).for_each(|of| right.tell(of, 110 + i64::from(of), 4, None));
    right.become_state(4, 150, knows(1, "1-4"));
    assert_eq!(right.tally(Property::Majority).held, 1);
    assert_eq!(right.told(), [""; 0]);

    let mut untold = started();
    (1..=2).for_each(|of| untold.become_state(of, 100, says_yes()));
    untold.tell(1, 110, 4, None);
    untold.become_state(4, 150, knows(1, "1-4"));
    assert_eq!(untold.told(), ["4 is admitted by 1 of the 3 members"]);
}

#[test]
fn one_member_set_follows_another() {
    let mut trace = started();
    (1..=2).for_each(|of| trace.become_state(of, 100, says_yes()));
    (1..=2).for_each(|of| trace.tell(of, 110 + i64::from(of), 4, None));
    trace.become_state(4, 150, knows(1, "1-4"));
    trace.become_state(3, 200, knows(1, "1-3,5"));
    trace.become_state(3, 210, knows(FIRST, "1-3"));
    let expected =
        ["4 knows 1-4 as members after 1 admissions, and 3 knows 1-3,5", "3 has forgotten that 1-3,5 were members"];
    assert_eq!(trace.told(), expected);
}

#[test]
fn a_killed_last_step_may_never_have_been() {
    let mut trace = started();
    (1..=2).for_each(|of| trace.become_state(of, 100, says_yes()));
    (1..=2).for_each(|of| trace.tell(of, 110 + i64::from(of), 4, None));
    trace.become_state(4, 150, knows(1, "1-4"));
    trace.crash(4, 160);
    trace.become_state(3, 200, knows(1, "1-3,5"));
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn a_garbled_set_may_name_no_node() {
    let mut trace = started();
    trace.become_state(4, 100, asks_knowing(view(1, "1-3,135")));
    trace.become_state(4, 200, knows(2, "1-4,135"));
    assert_eq!(trace.told(), ["4 is admitted by 0 of the 4 members"]);
}
