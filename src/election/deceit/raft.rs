//! What a liar can make of the messages of Raft's election: it claims to lead, gives its vote to all or to nobody, and
//! stands in one term after the other.

use crate::raft::Message;
use protocol::{Claimant, Deceit, Roster};

impl Deceit for Message {
    /// The vote: 1 is yes.
    fn value(&self) -> Option<i64> {
        match self {
            Message::RequestVoteAnswer { granted, .. } => Some((*granted).into()),
            _ => None,
        }
    }

    fn with_value(self, value: i64, _: Roster) -> Message {
        match self {
            Message::RequestVoteAnswer { term, .. } => Message::RequestVoteAnswer { term, granted: value % 2 != 0 },
            other => other,
        }
    }

    fn number(&self) -> Option<u64> {
        Some(self.term())
    }

    fn claims(claimant: &Claimant) -> Vec<Message> {
        vec![Message::AppendEntries { term: claimant.number }]
    }

    fn opening(number: u64, _: i64) -> Option<Message> {
        Some(Message::RequestVote { term: number })
    }
}
