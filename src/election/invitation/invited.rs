//! Invitation and Accept: how a node comes into the group of another (Garcia-Molina 1982, Appendix II).
//!
//! Invariant: in the sequential form a call of Invitation returns when the procedure has come to its end, and never if
//! Recovery took its place.

use super::calls::{Caller, Procedure};
use super::{Hole, Invitation, Message, Timer, card as line};
use crate::garcia_molina::{CallPace, Sequence, YesOrNo};
use protocol::{CallNumber, Effects, GroupNumber, NodeId, NodeSet, Span, Status};

/// Invitation, at the invited.
impl Invitation {
    pub(super) fn invitation(
        &mut self,
        caller: Caller,
        coordinator: NodeId,
        group: GroupNumber,
        fx: &mut Effects<Invitation>,
    ) {
        if self.status != Status::Normal || !self.may_be_invited(coordinator, group) {
            fx.line(line::INVITATION_DECLINED);
            self.return_invitation(caller, fx);
            return;
        }
        let coordinated = self.cells.coordinator == Some(self.me);
        if coordinated && !self.joins.contains(self.me) {
            fx.line(line::INVITATION_NOT_JOINED);
            self.return_invitation(caller, fx);
            return;
        }
        fx.line(line::INVITATION_TAKEN);
        self.stop(fx);
        self.become_invited(coordinator, group);
        self.hear_coordinator(fx);
        let members = if coordinated { self.other_members() } else { NodeSet::EMPTY };
        let invitation = |call| Message::Invitation { call, coordinator, group };
        match self.pace {
            _ if members.is_empty() => self.accept_invitation(caller, fx),
            CallPace::OneByOne => {
                let passing_on = |calls| Procedure::PassingOn { calls, caller };
                let members = (members, Sequence::Downwards);
                self.call_each(members, line::INVITATION_PASSED_ON, fx, invitation, passing_on);
            }
            // Nobody waits for these calls to return.
            CallPace::AllAtOnce => {
                fx.line(line::INVITATION_PASSED_ON);
                let call = self.calls.give_out();
                fx.send_each(members, invitation(call));
                self.accept_invitation(caller, fx);
            }
        }
    }

    /// A late copy that was passed on would lead a Normal member into Reorganization; but its coordinator takes it for
    /// Normal and never calls Ready again. No node invites itself: an invitation in a node's own name was garbled, and
    /// would leave a coordinator without a Merge whose Timeout returns at once (hole I1); or it is the node's own
    /// invitation, which a former coordinator has passed on to it late, and its number would be used for a second group
    /// (hole I4).
    fn may_be_invited(&self, coordinator: NodeId, group: GroupNumber) -> bool {
        !self.mends(Hole::I1) || (self.cells.group != Some(group) && coordinator != self.me)
    }

    /// The old members have been invited.
    pub(super) fn accept_invitation(&mut self, caller: Caller, fx: &mut Effects<Invitation>) {
        let coordinator = self.cells.coordinator.expect("a node has had a coordinator since its Recovery");
        let group = self.own_group();
        fx.line(line::INVITATION_ACCEPT);
        if coordinator == self.me {
            // To the letter only. A CALL at the own node is a plain procedure call.
            self.take_accept(self.me, group, fx);
            self.become_accepted(caller, fx);
        } else {
            let inviter = NodeSet::of(coordinator);
            let round = self.call(inviter, Timer::Accept, fx, |call| Message::Accept { call, group });
            self.process = Some(Procedure::Accepting { round, caller });
        }
    }

    pub(super) fn accept_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        accepted: YesOrNo,
        fx: &mut Effects<Invitation>,
    ) {
        let Some(Procedure::Accepting { round, caller }) = &mut self.process else { return };
        if !round.take_answer(from, call) {
            return;
        }
        let caller = *caller;
        let is_refused = accepted == YesOrNo::No;
        if is_refused && !self.mends(Hole::H10_27) {
            self.recover_and_run_on(caller, fx);
        } else if is_refused && self.mends(Hole::I3) {
            // The node belongs to no group, and would wait in Reorganization until its Timeout learns that.
            fx.line(line::INVITATION_NOT_ACCEPTED);
            self.recovery(fx);
        } else if self.mends(Hole::Ready) {
            self.process = None;
            fx.cancel_timer(Timer::Accept);
            self.become_accepted(caller, fx);
            self.hear_coordinator(fx);
        } else {
            // The paper's Accept does not return whether it was refused. To the letter the message handler has the
            // answer in one step, and the process that it wakes sets the status in another.
            self.process = Some(Procedure::Accepted { caller });
            fx.cancel_timer(Timer::Accept);
            fx.set_timer(Timer::GoOn, Span::ZERO);
            self.hear_coordinator(fx);
        }
    }

    /// The process goes on when the handler has read the messages that had come.
    pub(super) fn accept_has_returned(&mut self, fx: &mut Effects<Invitation>) {
        if let Some(Procedure::Accepted { caller }) = self.process {
            self.process = None;
            self.become_accepted(caller, fx);
        }
    }

    pub(super) fn accept_hears_nothing(&mut self, fx: &mut Effects<Invitation>) {
        match &self.process {
            Some(Procedure::Accepting { caller, .. }) if !self.mends(Hole::H10_27) => {
                self.recover_and_run_on(*caller, fx)
            }
            _ => {
                fx.line(line::INVITATION_SILENT);
                self.recovery(fx);
            }
        }
    }

    /// Hole 10.27: the listing does not return after its Recovery. The node is then no member, and coordinates nobody.
    fn recover_and_run_on(&mut self, caller: Caller, fx: &mut Effects<Invitation>) {
        fx.line(line::INVITATION_REFUSED);
        self.recovery(fx);
        fx.line(line::INVITATION_RUNS_ON);
        self.status = Status::Reorganization;
        self.return_invitation(caller, fx);
    }

    fn become_accepted(&mut self, caller: Caller, fx: &mut Effects<Invitation>) {
        fx.line(line::INVITATION_ACCEPTED);
        self.status = Status::Reorganization;
        self.return_invitation(caller, fx);
    }

    /// Election, in the group of another node; its own Up is passed on and then means nothing.
    fn become_invited(&mut self, coordinator: NodeId, group: GroupNumber) {
        self.status = Status::Election;
        self.cells.coordinator = Some(coordinator);
        self.cells.group = Some(group);
    }

    /// The procedure has ended. In parallel its caller does not wait for that.
    fn return_invitation(&mut self, caller: Caller, fx: &mut Effects<Invitation>) {
        if self.pace == CallPace::OneByOne {
            fx.line(line::INVITATION_RETURNS);
            fx.send(caller.node, Message::InvitationAnswer { call: caller.call });
        }
    }
}

/// The inviter's side.
impl Invitation {
    /// The loop of Merge, or of an Invitation that passes itself on, goes on with the next node.
    pub(super) fn invitation_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Invitation>) {
        let Some(Procedure::Inviting { calls, .. } | Procedure::PassingOn { calls, .. }) = &mut self.process else {
            return;
        };
        if calls.take_answer(from, call) {
            self.go_on(fx);
        }
    }

    pub(super) fn accept(
        &mut self,
        caller: NodeId,
        call: CallNumber,
        group: GroupNumber,
        fx: &mut Effects<Invitation>,
    ) {
        let accepted = self.take_accept(caller, group, fx);
        fx.send(caller, Message::AcceptAnswer { call, accepted });
    }

    fn take_accept(&mut self, caller: NodeId, group: GroupNumber, fx: &mut Effects<Invitation>) -> YesOrNo {
        let mine = self.cells.group == Some(group) && self.cells.coordinator == Some(self.me);
        let accepted = self.status == Status::Election && mine;
        if accepted {
            fx.line(line::ACCEPT);
            self.cells.up.insert(caller);
        } else {
            fx.line(line::ACCEPT_LATE);
        }
        accepted.into()
    }
}
