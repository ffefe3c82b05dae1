//! What is kept of elections that wait for the end of this one (Algorithm B.2, mend of hole 6, against liars).
//!
//! A process may lead the others out of an election into a higher one: once, until they come to an end. What it begins
//! after that waits until this election is over. Whoever follows it meanwhile, for it has just come back or was at rest,
//! says so by an init of its own, and that is followed at once. So all begin within T of each other, with the same first
//! init: every init of the waiting election counts from its place in the order, and so does every list behind the first.
//!
//! Invariant: what is kept stands in the order of its delivery, and is of elections above the present one.

use super::{AlgorithmB2, ElectionNumber, Fx, Stage, Word};
use protocol::NodeId;

/// The most messages that are kept; the oldest are dropped first.
const KEPT_MAX: usize = 1024;

/// A message of an election that waits.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct KeptMessage {
    election: ElectionNumber,
    from: NodeId,
    said: Word,
}

impl AlgorithmB2 {
    /// Whether that election waits for the end of this one.
    pub(super) fn waits(&self, election: ElectionNumber) -> bool {
        self.kept.iter().any(|kept| kept.election == election)
    }

    /// Keeps a message of an election that waits.
    pub(super) fn keep(&mut self, election: ElectionNumber, from: NodeId, said: Word) {
        if self.kept.len() == KEPT_MAX {
            self.kept.remove(0);
        }
        self.kept.push(KeptMessage { election, from, said });
    }

    /// A fresh machine for that election, which hears what was kept of it.
    pub(super) fn become_fresh(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.become_normal();
        let kept = std::mem::take(&mut self.kept);
        for KeptMessage { election: of, from, said } in kept {
            if of == election {
                self.hear(from, said, fx);
            } else if of > election {
                self.kept.push(KeptMessage { election: of, from, said });
            }
        }
    }

    /// Opens the highest election that waits, if one does and this process may. Returns whether it has.
    pub(super) fn opens_kept(&mut self, fx: &mut Fx) -> bool {
        let is_at_end = matches!(self.stage(), Stage::Rest | Stage::Stop) && self.succession.is_ready();
        let Some(election) = self.kept.iter().map(|kept| kept.election).max().filter(|_| is_at_end) else {
            return false;
        };
        fx.line(186);
        self.succession.open_kept(election, fx);
        self.become_fresh(election, fx);
        true
    }
}
