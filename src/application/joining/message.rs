//! What processes say when one joins. The votes are in no table of the paper.
//!
//! Invariant: a vote names the attempt that it is about, so one that is late or doubled does not count for another one.

use serde::{Deserialize, Serialize};

use protocol::{Described, JoinAttempt, MemberView, NodeId};

/// A member's vote on a newcomer.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum JoinVote {
    /// May come in.
    Yes,
    /// May not, or has come in already.
    No,
    /// The member waits for what becomes of this newcomer.
    Busy(NodeId),
}

/// A message of joining.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum JoinMessage {
    /// Of the newcomer, who is the master: vote on this attempt. These are the members that it knows.
    Join(JoinAttempt, MemberView),
    /// To the newcomer: a vote, and the members that the sender knows.
    Vote(JoinAttempt, JoinVote, MemberView),
    /// Of the master, and in answer to it: these are the members that the sender knows.
    Members(MemberView),
    /// To a newcomer to which members have said yes: does it still ask?
    Blocks,
    /// Of a newcomer: it is not admitted by this attempt, nor by an earlier one.
    Withdraw(JoinAttempt),
}

impl Described for JoinMessage {
    fn kind(&self) -> &'static str {
        match self {
            JoinMessage::Join(..) => "Join",
            JoinMessage::Vote(_, JoinVote::Yes, _) => "Yes",
            JoinMessage::Vote(_, JoinVote::No, _) => "No",
            JoinMessage::Vote(_, JoinVote::Busy(_), _) => "Busy",
            JoinMessage::Members(_) => "Members",
            JoinMessage::Blocks => "Blocks",
            JoinMessage::Withdraw(_) => "Withdraw",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let attempt = |of: &JoinAttempt| ("attempt", format!("{}.{}", of.incarnation, of.serial));
        let view = |of: &MemberView| [("members", of.members.to_string()), ("version", of.version.to_string())];
        match self {
            JoinMessage::Join(of, members) => std::iter::once(attempt(of)).chain(view(members)).collect(),
            JoinMessage::Vote(of, vote, members) => {
                let with = match vote {
                    JoinVote::Busy(newcomer) => Some(("with", newcomer.to_string())),
                    JoinVote::Yes | JoinVote::No => None,
                };
                std::iter::once(attempt(of)).chain(with).chain(view(members)).collect()
            }
            JoinMessage::Members(members) => view(members).to_vec(),
            JoinMessage::Blocks => Vec::new(),
            JoinMessage::Withdraw(of) => vec![attempt(of)],
        }
    }
}
