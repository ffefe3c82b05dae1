//! What the master does: a newcomer collects votes; every other one tells all who is a member.
//!
//! Invariant: a newcomer counts the votes of one member set, and only those that were given with that one.

use super::card as line;
use super::machine::{JoinEffects, JoinPhase, JoinRole, JoinTimer, Joining};
use super::message::{JoinMessage, JoinVote};
use protocol::{JoinAttempt, JoinPoll, JoinState, MemberView, NodeId, NodeSet, TaskId};

/// How often those that are silent are asked for their votes.
const TRIES: u8 = 3;

impl Joining {
    pub(super) fn become_master(&mut self, task: TaskId, fx: &mut JoinEffects) {
        let phase = JoinPhase::Tells { knowing: NodeSet::EMPTY };
        self.role = JoinRole::Master { task, phase };
        if self.wants_in() { self.ask_all(1, fx) } else { self.tell_all(fx) }
    }

    /// A new attempt begins.
    pub(super) fn ask_all(&mut self, tries: u8, fx: &mut JoinEffects) {
        let JoinRole::Master { phase, .. } = &mut self.role else { return };
        fx.line(line::ASK);
        self.attempt.serial += 1;
        let poll = JoinPoll { attempt: self.attempt, yes: NodeSet::EMPTY, no: NodeSet::EMPTY };
        *phase = JoinPhase::Asks { poll, busy_with: None, tries };
        self.send_all(JoinMessage::Join(self.attempt, self.cells.view), fx);
        fx.cancel_timer(JoinTimer::Tell);
        fx.set_timer(JoinTimer::Again, self.t * 2);
    }

    pub(super) fn count(
        &mut self,
        from: NodeId,
        attempt: JoinAttempt,
        vote: JoinVote,
        view: MemberView,
        fx: &mut JoinEffects,
    ) {
        let JoinRole::Master { phase: JoinPhase::Asks { poll, tries, .. }, .. } = &self.role else { return };
        if poll.attempt != attempt {
            return;
        }
        let tries = *tries;
        if self.adopt(view, fx) {
            return if self.stance == JoinState::Member { self.tell_all(fx) } else { self.ask_all(tries, fx) };
        }
        let known = self.cells.view;
        if view != known || !known.members.contains(from) {
            return;
        }
        let JoinRole::Master { phase: JoinPhase::Asks { poll, busy_with, .. }, .. } = &mut self.role else { return };
        match vote {
            JoinVote::Yes => drop(poll.yes.insert(from)),
            JoinVote::No => drop(poll.no.insert(from)),
            JoinVote::Busy(other) => {
                poll.no.insert(from);
                *busy_with = Some(other);
                if self.others.contains(other) {
                    fx.send(other, JoinMessage::Blocks);
                }
            }
        }
        let (yes, may_yet) = (poll.yes, known.members.minus(&poll.no));
        if known.is_majority(&yes) {
            self.become_admitted(fx);
        } else if !known.is_majority(&may_yet) {
            self.become_refused(fx);
        }
    }

    fn become_admitted(&mut self, fx: &mut JoinEffects) {
        fx.line(line::ADMIT);
        self.cells.view = self.cells.view.with(self.me);
        self.keep(fx);
        self.become_member(fx);
        self.tell_all(fx);
    }

    /// A majority has not said yes to it.
    fn become_refused(&mut self, fx: &mut JoinEffects) {
        let JoinRole::Master { phase: JoinPhase::Asks { poll, busy_with, .. }, .. } = &self.role else { return };
        let poll = *poll;
        if busy_with.is_some() {
            fx.line(line::WAIT);
            self.stance = JoinState::GivesWay;
        } else {
            fx.line(line::REFUSED);
            self.stance = JoinState::Outside;
            self.refusals += 1;
            self.refused_by = Some(poll);
        }
        self.send_all(JoinMessage::Withdraw(poll.attempt), fx);
        // What is sent now does not reach those that are in an election.
        fx.set_timer(JoinTimer::Begin, self.check);
        self.tell_all(fx);
    }

    /// Some have not voted for 2T.
    pub(super) fn ask_again(&mut self, fx: &mut JoinEffects) {
        let JoinRole::Master { phase: JoinPhase::Asks { poll, tries, .. }, .. } = &mut self.role else { return };
        if *tries >= TRIES {
            return self.become_refused(fx);
        }
        *tries += 1;
        let (attempt, silent) = (poll.attempt, self.others.minus(&poll.yes).minus(&poll.no));
        fx.line(line::AGAIN);
        silent.iter().for_each(|node| fx.send(node, JoinMessage::Join(attempt, self.cells.view)));
        fx.set_timer(JoinTimer::Again, self.t * 2);
    }

    pub(super) fn tell_all(&mut self, fx: &mut JoinEffects) {
        let JoinRole::Master { phase, .. } = &mut self.role else { return };
        *phase = JoinPhase::Tells { knowing: NodeSet::of(self.me) };
        fx.cancel_timer(JoinTimer::Again);
        self.tell_again(fx);
    }

    /// Those that may not know the members are told.
    pub(super) fn tell_again(&mut self, fx: &mut JoinEffects) {
        let JoinRole::Master { phase: JoinPhase::Tells { knowing }, .. } = &self.role else { return };
        let others = self.others.minus(knowing);
        if !others.is_empty() {
            fx.line(line::TELL);
            others.iter().for_each(|node| fx.send(node, JoinMessage::Members(self.cells.view)));
        }
        fx.set_timer(JoinTimer::Tell, self.check);
    }

    /// Somebody says which members it knows.
    pub(super) fn hear_members(&mut self, from: NodeId, view: MemberView, fx: &mut JoinEffects) {
        let is_new = self.adopt(view, fx);
        match &mut self.role {
            JoinRole::Away(_) => {}
            JoinRole::Under { master, .. } if *master == from => {
                fx.send(from, JoinMessage::Members(self.cells.view));
            }
            JoinRole::Under { .. } => {}
            JoinRole::Master { phase: JoinPhase::Asks { tries, .. }, .. } if is_new => {
                let tries = *tries;
                if self.stance == JoinState::Member { self.tell_all(fx) } else { self.ask_all(tries, fx) }
            }
            JoinRole::Master { phase: JoinPhase::Asks { .. }, .. } => {}
            JoinRole::Master { phase: JoinPhase::Tells { .. }, .. } if is_new => self.tell_all(fx),
            JoinRole::Master { phase: JoinPhase::Tells { knowing }, .. } => {
                if view == self.cells.view {
                    knowing.insert(from);
                }
            }
        }
    }
}
