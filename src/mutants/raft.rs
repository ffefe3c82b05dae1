//! Bugs planted in Raft's election.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::raft::{Message, Raft, Timer};
use fault::{Bug, MutantInput, MutantOutput};
use protocol::{Algorithm, Effect};

/// A server votes for every candidate of its term.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct VotesForAll;

impl Bug for VotesForAll {
    type Machine = Raft;

    fn give(&mut self, machine: &mut Raft, given: MutantInput<Raft>, capacity: i64) -> MutantOutput<Raft> {
        let asks = match given {
            MutantInput::Message(_, Message::RequestVote { term }) => machine.state().election == Some(term),
            _ => false,
        };
        let mut step = given.to(machine, capacity);
        for effect in step.effects.iter_mut().filter(|_| asks) {
            if let sends!(Message::RequestVoteAnswer { granted, .. }) = effect {
                *granted = true;
            }
        }
        step
    }
}

/// A leader sends one heartbeat and no other, so the others stand again and again.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct BeatsOnce;

impl Bug for BeatsOnce {
    type Machine = Raft;

    fn done(&mut self, _: &mut Raft, step: MutantOutput<Raft>, _: i64) -> MutantOutput<Raft> {
        step.without(|effect| matches!(effect, Effect::SetTimer { timer: Timer::Heartbeat, .. }))
    }
}
