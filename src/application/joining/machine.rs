//! The machine of joining: what a process keeps and knows, and what a member does.
//!
//! Invariant: the members that it knows, and to whom it has said yes, are in the safe cells as they are here when a
//! step ends.

use serde::{Deserialize, Serialize};

use super::card as line;
use super::message::{JoinMessage, JoinVote};
use protocol::{
    ApplicationEffects, JoinAttempt, JoinPoll, JoinState, MemberView, NodeId, NodeSet, PendingJoin, Span, Status,
    TaskId,
};

protocol::worded! {
    /// The timers of joining.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum JoinTimer {
        /// May begin an election.
        Begin = "next election of a newcomer",
        /// Some have not voted.
        Again = "votes within 2T",
        /// Some do not know the members.
        Tell = "a sign of those that may not know the members",
    }
}

/// What is kept in the safe cells.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct JoinCells {
    /// The members.
    pub view: MemberView,
    /// To whom it has said yes.
    pub pending: Option<PendingJoin>,
}

/// One process's part.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Joining {
    pub(super) me: NodeId,
    pub(super) others: NodeSet,
    pub(super) t: Span,
    pub(super) check: Span,
    pub(super) silence: Span,
    /// What it says to a newcomer.
    pub(super) opinion: JoinVote,
    pub(super) cells: JoinCells,
    pub(super) habit: JoinHabit,
    pub(super) stance: JoinState,
    pub(super) role: JoinRole,
    /// The latest attempt.
    pub(super) attempt: JoinAttempt,
    pub(super) refusals: u32,
    pub(super) refused_by: Option<JoinPoll>,
}

/// Whether a process may ask to be admitted.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum JoinHabit {
    /// May be elected, and so it may.
    MayAsk,
    /// The lab does not let it be elected.
    Abstains,
}

/// What the process is in the elections.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum JoinRole {
    /// Is not at work.
    Away(Status),
    /// Works under this master.
    Under { task: TaskId, master: NodeId },
    /// Is the master.
    Master { task: TaskId, phase: JoinPhase },
}

/// What a master is at.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum JoinPhase {
    /// Asks to be admitted.
    Asks {
        poll: JoinPoll,
        /// Of those that said no: the newcomer for whose sake one did.
        busy_with: Option<NodeId>,
        tries: u8,
    },
    /// Tells who is a member.
    Tells {
        /// Those that know.
        knowing: NodeSet,
    },
}

pub(super) type JoinEffects = ApplicationEffects<Joining>;

impl Joining {
    pub(super) fn task(&self) -> Option<TaskId> {
        match &self.role {
            JoinRole::Away(_) => None,
            JoinRole::Under { task, .. } | JoinRole::Master { task, .. } => Some(*task),
        }
    }

    pub(super) fn wants_in(&self) -> bool {
        matches!(self.stance, JoinState::Asks | JoinState::GivesWay)
    }

    pub(super) fn keep(&self, fx: &mut JoinEffects) {
        fx.save(self.cells);
    }

    pub(super) fn send_all(&self, message: JoinMessage, fx: &mut JoinEffects) {
        self.others.iter().for_each(|node| fx.send(node, message));
    }

    /// Takes the members that somebody else knows, if there are more. Returns whether there are.
    pub(super) fn adopt(&mut self, view: MemberView, fx: &mut JoinEffects) -> bool {
        if view.version <= self.cells.view.version {
            return false;
        }
        fx.line(line::ADOPT);
        self.cells.view = view;
        self.cells.pending.take_if(|pending| view.members.contains(pending.newcomer));
        self.keep(fx);
        if view.members.contains(self.me) {
            self.become_member(fx);
        }
        true
    }

    pub(super) fn become_member(&mut self, fx: &mut JoinEffects) {
        if self.stance != JoinState::Member {
            self.stance = JoinState::Member;
            fx.cancel_timer(JoinTimer::Begin);
        }
    }

    /// A newcomer, who is the master, asks for a vote.
    pub(super) fn vote(&mut self, newcomer: NodeId, attempt: JoinAttempt, view: MemberView, fx: &mut JoinEffects) {
        self.adopt(view, fx);
        let members = self.cells.view.members;
        if !members.contains(self.me) {
            return;
        }
        let pending = self.cells.pending.filter(|pending| pending.newcomer != newcomer);
        let vote = match (pending, self.opinion) {
            _ if members.contains(newcomer) => JoinVote::No,
            (Some(pending), _) => JoinVote::Busy(pending.newcomer),
            (None, opinion) => opinion,
        };
        fx.line(match vote {
            JoinVote::Yes => line::YES,
            JoinVote::No => line::NO,
            JoinVote::Busy(_) => line::BUSY,
        });
        if vote == JoinVote::Yes {
            self.cells.pending = Some(PendingJoin { newcomer, attempt });
            self.keep(fx);
        }
        fx.send(newcomer, JoinMessage::Vote(attempt, vote, self.cells.view));
    }

    /// A newcomer asks no more.
    pub(super) fn forget(&mut self, newcomer: NodeId, attempt: JoinAttempt, fx: &mut JoinEffects) {
        let is_it = |pending: &mut PendingJoin| pending.newcomer == newcomer && pending.attempt <= attempt;
        if self.cells.pending.take_if(is_it).is_some() {
            fx.line(line::FORGET);
            self.keep(fx);
        }
    }

    /// Another newcomer cannot be voted on, because members wait for what becomes of this one.
    pub(super) fn answer_block(&mut self, from: NodeId, fx: &mut JoinEffects) {
        match self.stance {
            JoinState::Member => fx.send(from, JoinMessage::Members(self.cells.view)),
            JoinState::Asks | JoinState::GivesWay => {}
            JoinState::Outside => {
                fx.line(line::WITHDRAW);
                self.send_all(JoinMessage::Withdraw(self.attempt), fx);
            }
        }
    }
}
