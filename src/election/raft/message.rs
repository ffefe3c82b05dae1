//! What the processes of Raft's election say to each other (Ongaro and Ousterhout 2014, figure 2), without the log.
//!
//! Invariant: every message says the term of its sender.

use serde::{Deserialize, Serialize};

use protocol::Described;

/// The number of a term.
pub type TermNumber = u64;

/// A message. A call and its answer are two.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// A candidate asks for a vote.
    RequestVote {
        /// The candidate's.
        term: TermNumber,
    },
    /// The answer to it.
    RequestVoteAnswer {
        /// The voter's, for a candidate that is behind.
        term: TermNumber,
        /// Whether the candidate has the vote.
        granted: bool,
    },
    /// A heartbeat: a leader has nothing to append.
    AppendEntries {
        /// The leader's.
        term: TermNumber,
    },
    /// The answer to it.
    AppendEntriesAnswer {
        /// The receiver's, for a leader that is behind.
        term: TermNumber,
    },
}

impl Message {
    /// The term of its sender.
    pub fn term(&self) -> TermNumber {
        match self {
            Message::RequestVote { term }
            | Message::RequestVoteAnswer { term, .. }
            | Message::AppendEntries { term }
            | Message::AppendEntriesAnswer { term } => *term,
        }
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::RequestVote { .. } => "RequestVote",
            Message::RequestVoteAnswer { .. } => "RequestVoteAnswer",
            Message::AppendEntries { .. } => "AppendEntries",
            Message::AppendEntriesAnswer { .. } => "AppendEntriesAnswer",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("term", self.term().to_string())];
        if let Message::RequestVoteAnswer { granted, .. } = self {
            fields.push(("granted", if *granted { "yes" } else { "no" }.to_owned()));
        }
        fields
    }
}
