//! How a process joins a group, as messages, safe cells, panels and the judge name it (King, Gendreau and Ni 1988,
//! section 7, item 5).
//!
//! Invariant: of two member sets the one with the larger version is the later one, and has one member more for each
//! version.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Incarnation, NodeId, NodeSet};

/// Who is a member.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct MemberView {
    /// How many were admitted since the first members.
    pub version: u32,
    /// The members.
    pub members: NodeSet,
}

impl MemberView {
    /// Whether these are more than half of the members.
    pub fn is_majority(&self, of: &NodeSet) -> bool {
        2 * of.intersection(&self.members).len() > self.members.len()
    }

    /// The view after this one, with one more member.
    pub fn with(&self, newcomer: NodeId) -> MemberView {
        MemberView { version: self.version.saturating_add(1), members: self.members.union(&NodeSet::of(newcomer)) }
    }
}

/// Names one of a newcomer's attempts to be admitted. Of two of one newcomer, the larger is the later one.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct JoinAttempt {
    /// The newcomer's life.
    pub incarnation: Incarnation,
    /// Which attempt of that life, from 1.
    pub serial: u32,
}

/// A newcomer to which a member has said yes, and of which it does not know whether it was admitted.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct PendingJoin {
    /// The newcomer.
    pub newcomer: NodeId,
    /// The attempt.
    pub attempt: JoinAttempt,
}

/// The votes on a newcomer.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct JoinPoll {
    /// The attempt.
    pub attempt: JoinAttempt,
    /// Those that have said yes.
    pub yes: NodeSet,
    /// Those that have said no.
    pub no: NodeSet,
}

impl fmt::Display for JoinPoll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "yes {}, no {}", self.yes, self.no)
    }
}

crate::worded! {
    /// How a process stands to the group.
    #[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum JoinState {
        /// Is a member.
        #[default]
        Member = "a member",
        /// Wants in.
        Asks = "wants in",
        /// Wants in after another newcomer.
        GivesWay = "wants in after another newcomer",
        /// Was refused, or may not be elected: it does not ask.
        Outside = "no member, and does not ask",
    }
}

/// A process's part in the group.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct JoinWork {
    /// The members that it knows.
    pub view: MemberView,
    /// How it stands to them.
    pub stance: JoinState,
    /// The votes on it, while it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll: Option<JoinPoll>,
    /// To whom it has said yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingJoin>,
    /// How often it was refused in this life.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refusals: u32,
    /// The votes by which it was refused last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_by: Option<JoinPoll>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
