//! Newcomers: whether enough members have said yes, and whether one member set follows another.
//!
//! Invariant: only a vote that the newcomer could have known of counts.

use super::*;
use protocol::{
    ApplicationFacts, Incarnation, JoinAttempt, JoinPoll, JoinStance, JoinWork, MemberView, PendingJoin, Work,
};

/// Three members, and 4 that asks.
fn started() -> Trace {
    let mut head = head(5, &[Property::Majority], Assumption::first(6));
    head.facts.application = Some(ApplicationFacts {
        name: "joining".into(),
        title: "Joining a group".into(),
        bystanders: 0,
        needs: Assumption::first(6).to_vec(),
        promises: vec![Property::Majority],
        shards: None,
        services: None,
        section: None,
        weights: Vec::new(),
        orders: vec!["request".into()],
    });
    let mut trace = Trace::new(&head);
    (1..=3).for_each(|of| trace.start(of, 0, knows(FIRST, "1-3")));
    (4..=5).for_each(|of| trace.start(of, 0, asks()));
    trace
}

const FIRST: u32 = 0;

fn view(version: u32, members: &str) -> MemberView {
    MemberView { version, members: members.parse().unwrap() }
}

fn with(work: JoinWork) -> StateVector {
    StateVector { work: Some(Box::new(Work::Joining(work))), ..normal(4) }
}

fn knows(version: u32, members: &str) -> StateVector {
    with(JoinWork { view: view(version, members), ..JoinWork::default() })
}

fn attempt() -> JoinAttempt {
    JoinAttempt { incarnation: Incarnation(1), serial: 1 }
}

fn asks() -> StateVector {
    let poll = Some(JoinPoll { attempt: attempt(), yes: NodeSet::EMPTY, no: NodeSet::EMPTY });
    with(JoinWork { view: view(FIRST, "1-3"), stance: JoinStance::Asks, poll, ..JoinWork::default() })
}

fn says_yes() -> StateVector {
    let pending = Some(PendingJoin { newcomer: NodeId::new(4).unwrap(), attempt: attempt() });
    with(JoinWork { view: view(FIRST, "1-3"), pending, ..JoinWork::default() })
}

/// What was told, without when and why.
fn told(mut trace: Trace) -> Vec<String> {
    trace.close(9000);
    let what = |text: &&str| text.split("): ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
    trace.texts().iter().map(what).collect()
}

#[test]
fn a_newcomer_is_admitted_by_the_votes_that_it_knows_of() {
    let mut right = started();
    (1..=2).for_each(|of| right.become_state(of, 100, says_yes()));
    (1..=2).for_each(|of| right.tell(of, 110 + i64::from(of), 4, None));
    right.become_state(4, 150, knows(1, "1-4"));
    assert_eq!(right.judge.tallies().get(Property::Majority).held, 1);
    assert_eq!(told(right), [""; 0]);

    let mut untold = started();
    (1..=2).for_each(|of| untold.become_state(of, 100, says_yes()));
    untold.tell(1, 110, 4, None);
    untold.become_state(4, 150, knows(1, "1-4"));
    assert_eq!(told(untold), ["4 is admitted by 1 of the 3 members"]);
}

#[test]
fn one_member_set_follows_another_and_none_is_forgotten() {
    let mut trace = started();
    (1..=2).for_each(|of| trace.become_state(of, 100, says_yes()));
    (1..=2).for_each(|of| trace.tell(of, 110 + i64::from(of), 4, None));
    trace.become_state(4, 150, knows(1, "1-4"));
    trace.become_state(3, 200, knows(1, "1-3,5"));
    trace.become_state(3, 210, knows(FIRST, "1-3"));
    let expected =
        ["4 knows 1-4 as members after 1 admissions, and 3 knows 1-3,5", "3 has forgotten that 1-3,5 were members"];
    assert_eq!(told(trace), expected);
}

#[test]
fn what_the_last_step_of_a_process_that_was_killed_says_may_never_have_been() {
    let mut trace = started();
    (1..=2).for_each(|of| trace.become_state(of, 100, says_yes()));
    (1..=2).for_each(|of| trace.tell(of, 110 + i64::from(of), 4, None));
    trace.become_state(4, 150, knows(1, "1-4"));
    trace.crash(4, 160);
    trace.become_state(3, 200, knows(1, "1-3,5"));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn a_garbled_set_may_name_a_member_that_is_no_node() {
    let mut trace = started();
    let poll = Some(JoinPoll { attempt: attempt(), yes: NodeSet::EMPTY, no: NodeSet::EMPTY });
    let asks = JoinWork { view: view(1, "1-3,135"), stance: JoinStance::Asks, poll, ..JoinWork::default() };
    trace.become_state(4, 100, with(asks));
    trace.become_state(4, 200, knows(2, "1-4,135"));
    assert_eq!(told(trace), ["4 is admitted by 0 of the 4 members"]);
}
