//! The bugs of Raft's election, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::raft::{BeatsOnce, OneVoteMore, VoteNotKept, VotesForAll};
use bench::{node, save, send, set};
use election::raft::{Message, Persistent, Timer};
use fault::Bug;
use protocol::{Span, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(2_000) };

/// Server 3 of 5.
fn twins<B: Bug>() -> Twins<B> {
    Twins::start(3, 5, TIMING, |settings| settings)
}

#[test]
fn a_vote_is_given_and_not_kept() {
    let Apart { plain, mutant, .. } = twins::<VoteNotKept>().alike().apart_hearing(2, Message::RequestVote { term: 1 });
    assert_eq!(mutant, without(&plain, &[save(Persistent { term: 1, voted_for: Some(node(2)) })]));
}

#[test]
fn two_candidates_of_one_term_have_its_vote() {
    let twins = twins::<VotesForAll>().alike().hear(2, Message::RequestVote { term: 1 });
    let Apart { plain, mutant, .. } = twins.apart_hearing(4, Message::RequestVote { term: 1 });
    assert_eq!(plain, [send(4, Message::RequestVoteAnswer { term: 1, granted: false })]);
    assert_eq!(mutant, [send(4, Message::RequestVoteAnswer { term: 1, granted: true })]);
}

#[test]
fn two_votes_of_five_make_a_leader() {
    let twins = twins::<OneVoteMore>().alike().time_out(Timer::Election);
    let apart = twins.apart_hearing(2, Message::RequestVoteAnswer { term: 1, granted: true });
    assert_eq!((&*apart.plain_state.word, &*apart.mutant_state.word), ("Candidate", "Leader"));
}

#[test]
fn a_leader_beats_once() {
    let vote = Message::RequestVoteAnswer { term: 1, granted: true };
    let twins = twins::<BeatsOnce>().alike().time_out(Timer::Election).hear(1, vote.clone());
    let Apart { plain, mutant, .. } = twins.apart_hearing(2, vote);
    assert_eq!(mutant, without(&plain, &[set(Timer::Heartbeat, TIMING.check)]));
}
