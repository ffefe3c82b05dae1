//! Tests of the machine: one input, and exactly what it wants done.
//!
//! Invariant: each rule of the paper's figure 2 that an election needs has a test here.

use super::card as line;
use super::*;
use protocol::Span;
use test_harness::{Bench, cancel, node, save, send, set};

const T: Span = Span::from_millis(10);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(50), silence: Span::from_millis(100) };

/// Server 1 of five, a follower of nobody in term 0.
fn follower() -> Bench<Raft> {
    Bench::start(1, 5, TIMING, |settings| settings)
}

/// The same once its time-out is over: a candidate in term 1.
fn candidate() -> Bench<Raft> {
    let mut server = follower();
    server.time_out(Timer::Election);
    server
}

/// The same with the votes of 2 and 3.
fn leader() -> Bench<Raft> {
    let mut server = candidate();
    for voter in [2, 3] {
        server.hear(voter, Message::RequestVoteAnswer { term: 1, granted: true });
    }
    server
}

fn time_out() -> Effect<Raft> {
    Effect::SetTimer { timer: Timer::Election, shortest: TIMING.silence, longest: TIMING.silence * 2 }
}

fn kept(term: TermNumber, voted_for: Option<u16>) -> Effect<Raft> {
    save(Persistent { term, voted_for: voted_for.map(node) })
}

fn to_all(message: Message) -> Vec<Effect<Raft>> {
    [5, 4, 3, 2].map(|other| send(other, message.clone())).to_vec()
}

fn stands(server: &Bench<Raft>) -> (&'static str, Option<u16>, Option<TermNumber>) {
    let state = server.machine.state();
    let word = Raft::CARD.words.iter().find(|word| **word == state.word).unwrap();
    (word, state.coordinator.map(NodeId::get), state.election)
}

#[test]
fn a_server_starts_as_a_follower() {
    let server = follower();
    assert_eq!((server.effects.clone(), server.lines.clone()), (vec![time_out()], vec![line::START]));
    assert_eq!(stands(&server), ("Follower", None, Some(0)));
    let again = server.recovered(Persistent { term: 7, voted_for: Some(node(2)) });
    assert_eq!(stands(&again), ("Follower", None, Some(7)));
}

#[test]
fn a_follower_without_a_heartbeat_stands() {
    let server = candidate();
    let asks = to_all(Message::RequestVote { term: 1 });
    assert_eq!(server.effects, [vec![kept(1, Some(1)), time_out()], asks].concat());
    assert_eq!(server.lines, [line::TIME_OUT, line::STAND, line::COUNT]);
    assert_eq!(stands(&server), ("Candidate", None, Some(1)));
}

#[test]
fn a_candidate_without_most_votes_stands_again() {
    let mut server = candidate();
    server.time_out(Timer::Election);
    assert_eq!(stands(&server), ("Candidate", None, Some(2)));
    assert_eq!(server.effects[0], kept(2, Some(1)));
}

#[test]
fn the_votes_of_most_make_a_leader() {
    let mut server = candidate();
    let vote = Message::RequestVoteAnswer { term: 1, granted: true };
    assert_eq!(server.hear(2, vote.clone()), []);
    assert_eq!(server.hear(2, vote.clone()), []);
    assert_eq!(server.hear(3, Message::RequestVoteAnswer { term: 1, granted: false }), []);
    assert_eq!(stands(&server), ("Candidate", None, Some(1)));
    let beats = to_all(Message::AppendEntries { term: 1 });
    let next = vec![set(Timer::Heartbeat, TIMING.check)];
    assert_eq!(server.hear(4, vote.clone()), [vec![cancel(Timer::Election)], beats, next].concat());
    assert_eq!(server.lines, [line::COUNT, line::LEAD, line::BEAT]);
    assert_eq!(stands(&server), ("Leader", Some(1), Some(1)));
    assert_eq!(server.hear(5, vote), [], "it leads already");
}

#[test]
fn an_earlier_vote_does_not_count() {
    let mut server = candidate();
    server.time_out(Timer::Election);
    for voter in [2, 3, 4] {
        assert_eq!(server.hear(voter, Message::RequestVoteAnswer { term: 1, granted: true }), []);
    }
    assert_eq!(stands(&server), ("Candidate", None, Some(2)));
}

#[test]
fn the_first_candidate_has_the_vote() {
    let mut server = follower();
    let ask = Message::RequestVote { term: 1 };
    let granted = send(2, Message::RequestVoteAnswer { term: 1, granted: true });
    assert_eq!(server.hear(2, ask.clone()), [kept(1, Some(2)), time_out(), granted.clone()]);
    assert_eq!(server.lines, [line::NEWER_TERM, line::GRANT]);
    assert_eq!(server.hear(2, ask.clone()), [time_out(), granted], "its answer may have been lost");
    assert_eq!(server.hear(3, ask), [send(3, Message::RequestVoteAnswer { term: 1, granted: false })]);
    assert_eq!(server.lines, [line::REFUSE]);
}

#[test]
fn the_vote_outlasts_a_crash() {
    let mut again = follower().recovered(Persistent { term: 1, voted_for: Some(node(2)) });
    let refused = send(3, Message::RequestVoteAnswer { term: 1, granted: false });
    assert_eq!(again.hear(3, Message::RequestVote { term: 1 }), [refused]);
}

#[test]
fn a_candidate_behind_is_told_the_term() {
    let mut server = follower().recovered(Persistent { term: 7, voted_for: None });
    let refused = send(2, Message::RequestVoteAnswer { term: 7, granted: false });
    assert_eq!(server.hear(2, Message::RequestVote { term: 6 }), [refused]);
}

#[test]
fn a_heartbeat_makes_a_follower_of_a_candidate() {
    let mut server = candidate();
    let answer = send(4, Message::AppendEntriesAnswer { term: 1 });
    assert_eq!(server.hear(4, Message::AppendEntries { term: 1 }), [time_out(), answer]);
    assert_eq!(server.lines, [line::FOLLOW]);
    assert_eq!(stands(&server), ("Follower", Some(4), Some(1)));
    assert_eq!(server.machine.waits_for(Timer::Election), NodeSet::of(node(4)));
}

#[test]
fn an_old_heartbeat_changes_nothing() {
    let mut server = follower().recovered(Persistent { term: 7, voted_for: None });
    assert_eq!(server.hear(2, Message::AppendEntries { term: 6 }), [send(2, Message::AppendEntriesAnswer { term: 7 })]);
    assert_eq!(server.lines, [line::REFUSE_OLD]);
    assert_eq!(stands(&server), ("Follower", None, Some(7)));
}

#[test]
fn a_leader_ends_at_a_higher_term() {
    let mut server = leader();
    let beats = to_all(Message::AppendEntries { term: 1 });
    assert_eq!(server.time_out(Timer::Heartbeat), [beats, vec![set(Timer::Heartbeat, TIMING.check)]].concat());
    assert_eq!(server.lines, [line::BEAT]);
    let ends = [kept(3, None), cancel(Timer::Heartbeat), time_out()];
    assert_eq!(server.hear(5, Message::AppendEntriesAnswer { term: 3 }), ends);
    assert_eq!(stands(&server), ("Follower", None, Some(3)));
}

#[test]
fn the_operator_lets_even_a_leader_stand() {
    let mut server = leader();
    let asks = to_all(Message::RequestVote { term: 2 });
    assert_eq!(server.elect(), [vec![cancel(Timer::Heartbeat), kept(2, Some(1)), time_out()], asks].concat());
    assert_eq!(stands(&server), ("Candidate", None, Some(2)));
}

#[test]
fn a_server_that_is_alone_leads() {
    let mut server: Bench<Raft> = Bench::start(1, 1, TIMING, |settings| settings);
    let next = set(Timer::Heartbeat, TIMING.check);
    assert_eq!(server.time_out(Timer::Election), [kept(1, Some(1)), time_out(), cancel(Timer::Election), next]);
    assert_eq!(stands(&server), ("Leader", Some(1), Some(1)));
}
