//! Bully's procedures, under the paper's names (Garcia-Molina 1982, Appendix I).
//!
//! Where a hole is not mended, the procedures follow the text that has it: holes B1 to B9 of the Card.
//!
//! Invariant: only `halt` and `become_candidate` call STOP; only an answer to a call that waits counts.

use super::calls::CallForm;
use super::{Bully, Hole, Message, Timer, card as line};
use crate::garcia_molina::{Sequence, YesOrNo};
use protocol::{CallNumber, Effects, LineNumber, NodeId, NodeSet, Status, Task};

/// The immediate procedures: answered at once, in every status.
impl Bully {
    pub(super) fn are_you_there(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        fx.line(line::ARE_YOU_THERE);
        fx.send(caller, Message::AreYouThereAnswer { call });
    }

    pub(super) fn are_you_normal(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        fx.line(line::ARE_YOU_NORMAL);
        // Hole B1: the caller must not be content with a node that is normal under another coordinator.
        let content = !self.mends(Hole::B1) || self.cells.coordinator == Some(caller);
        let normal = YesOrNo::from(self.status == Status::Normal && content);
        fx.send(caller, Message::AreYouNormalAnswer { call, normal });
    }

    pub(super) fn halt(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        if self.may_be_halted_by(caller) {
            fx.line(line::HALT);
            self.status = Status::Election;
            self.cells.halted_by = Some(caller);
            self.stop(fx);
        } else {
            fx.line(line::HALT_REFUSED);
        }
        fx.send(caller, Message::HaltAnswer { call });
    }

    pub(super) fn new_coordinator(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        if self.cells.halted_by == Some(caller) && self.status == Status::Election {
            fx.line(line::NEW_COORDINATOR);
            self.become_member_of(caller);
        } else {
            fx.line(line::NEW_COORDINATOR_REFUSED);
        }
        fx.send(caller, Message::NewCoordinatorAnswer { call });
    }

    pub(super) fn ready(&mut self, caller: NodeId, call: CallNumber, task: Task, fx: &mut Effects<Bully>) {
        if self.cells.coordinator == Some(caller) && self.status == Status::Reorganization {
            fx.line(line::READY);
            self.cells.task = Some(task);
            self.become_normal();
        } else {
            fx.line(line::READY_REFUSED);
        }
        fx.send(caller, Message::ReadyAnswer { call });
    }
}

impl Bully {
    /// Hole B8: a message that was garbled into a Halt, or into a NewCoordinator after it, binds a node to a lower one.
    /// Nobody frees it again: the lower node's Election ends at the answer of the node that it cannot halt, and its
    /// Checks are signs of life that keep that node's Timeout away. The proof of theorem A2 needs every node's
    /// coordinator to outrank it; with this guard both `h` and `c` do, whatever assumption was broken.
    fn may_be_halted_by(&self, caller: NodeId) -> bool {
        !self.mends(Hole::B8) || self.roster.outranks(caller, self.me)
    }
}

/// The procedures that run as processes, up to their first wait.
impl Bully {
    pub(super) fn recovery(&mut self, fx: &mut Effects<Bully>) {
        if self.mends(Hole::B7) {
            fx.line(line::RECOVERY);
            self.cells.halted_by = None;
        } else {
            // The listing's first line also makes a running node Down, if it was ordered to start over.
            fx.line(line::RECOVERY_KEEPS_H);
            self.status = Status::Down;
        }
        self.election(fx);
    }

    pub(super) fn check(&mut self, fx: &mut Effects<Bully>) {
        if self.status != Status::Normal || self.cells.coordinator != Some(self.me) {
            fx.line(line::CHECK_NOT_MINE);
            return;
        }
        // One after another, the calls may take longer than a Check period; a Check that comes due meanwhile counts as
        // this one. In parallel, where a period is at least T, every node that will ever answer has answered the last
        // Check; only with hole B3 does a Check wait for the silence of the others.
        let may_be_under_way = self.form == CallForm::Sequential || !self.mends(Hole::B3);
        if may_be_under_way && self.is_calling(Timer::AreYouNormal) {
            return;
        }
        let others = self.roster.others(self.me);
        let question = |call| Message::AreYouNormal { call };
        self.call_each((others, Sequence::Upwards), Timer::AreYouNormal, line::CHECK_ASK, fx, question);
    }

    pub(super) fn timeout(&mut self, fx: &mut Effects<Bully>) {
        if !matches!(self.status, Status::Normal | Status::Reorganization) {
            if self.mends(Hole::B2) {
                fx.line(line::TIMEOUT_ELECT);
                self.election(fx);
            } else {
                fx.line(line::TIMEOUT_NOTHING);
            }
            return;
        }
        if self.mends(Hole::B9) && self.is_stranded() {
            fx.line(line::TIMEOUT_STRANDED);
            self.election(fx);
            return;
        }
        let coordinator = self.cells.coordinator.filter(|node| *node != self.me).into_iter().collect();
        let question = |call| Message::AreYouThere { call };
        self.call_each((coordinator, Sequence::Upwards), Timer::CoordinatorThere, line::TIMEOUT_ASK, fx, question);
    }

    /// Hole B9: a coordinator whose Election has returned at the answer of a higher node, which then died. It finds
    /// itself up, so its Timeout is content, and Check acts in Normal only. The proof of theorem A2 trusts Check to
    /// repair whatever a coordinator has left undone; with this way out that trust is right.
    fn is_stranded(&self) -> bool {
        let is_electing = [Timer::AreYouThere, Timer::NewCoordinator, Timer::Ready].map(|timer| self.is_calling(timer));
        let coordinates = self.status == Status::Reorganization && self.cells.coordinator == Some(self.me);
        coordinates && !is_electing.contains(&true)
    }

    pub(super) fn election(&mut self, fx: &mut Effects<Bully>) {
        // A second Election that would ask meanwhile joins the one that asks.
        if self.is_calling(Timer::AreYouThere) {
            return;
        }
        let above = self.roster.above(self.me);
        let question = |call| Message::AreYouThere { call };
        self.call_each((above, Sequence::Upwards), Timer::AreYouThere, line::ELECTION_ASK, fx, question);
    }
}

/// Election's way from one loop to the next.
impl Bully {
    /// What follows the loop, when it has gone through all its nodes.
    pub(super) fn after_loop(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        match timer {
            Timer::AreYouThere => self.become_candidate(fx),
            Timer::Halt => self.become_coordinator(fx),
            Timer::NewCoordinator => self.give_out_task(fx),
            Timer::Ready => {
                fx.line(line::ELECTION_NORMAL);
                self.become_normal();
            }
            Timer::AreYouNormal | Timer::CoordinatorThere | Timer::Check | Timer::Timeout => {}
        }
    }

    fn become_candidate(&mut self, fx: &mut Effects<Bully>) {
        if self.mends(Hole::B4) {
            fx.line(line::ELECTION_STOP);
            self.stop(fx);
        } else {
            fx.line(line::ELECTION_NO_STOP);
        }
        self.status = Status::Election;
        self.cells.halted_by = Some(self.me);
        self.cells.up = NodeSet::EMPTY;
        self.hear_coordinator(fx);
        let below = self.roster.below(self.me);
        // From i-1 down to 1, as the proof of theorem A1 (case 1) needs.
        let question = |call| Message::Halt { call };
        self.call_each((below, Sequence::Downwards), Timer::Halt, line::ELECTION_HALT, fx, question);
    }

    fn become_coordinator(&mut self, fx: &mut Effects<Bully>) {
        fx.line(line::ELECTION_POINT);
        self.cells.coordinator = Some(self.me);
        self.status = Status::Reorganization;
        let up = self.cells.up;
        let question = |call| Message::NewCoordinator { call };
        self.call_each((up, Sequence::Downwards), Timer::NewCoordinator, line::ELECTION_TELL, fx, question);
    }

    fn give_out_task(&mut self, fx: &mut Effects<Bully>) {
        self.tasks += 1;
        let up = self.cells.up;
        let task = Task { author: self.me, incarnation: self.incarnation, serial: self.tasks, members: up };
        self.cells.task = Some(task);
        let question = |call| Message::Ready { call, task };
        self.call_each((up, Sequence::Downwards), Timer::Ready, line::ELECTION_READY, fx, question);
    }

    fn become_member_of(&mut self, coordinator: NodeId) {
        self.cells.coordinator = Some(coordinator);
        self.status = Status::Reorganization;
    }

    fn become_normal(&mut self) {
        self.status = Status::Normal;
    }
}

/// What an answer does.
impl Bully {
    pub(super) fn are_you_there_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        for (timer, answered) in
            [(Timer::AreYouThere, line::ELECTION_RETURN), (Timer::CoordinatorThere, line::TIMEOUT_HEARD)]
        {
            if self.take_answer(timer, from, call) {
                fx.line(answered);
                fx.cancel_timer(timer);
                self.leave_loop(timer);
            }
        }
    }

    /// If Halts are made one after another, they need no wait: a higher node that is back halts this one before it
    /// halts any node that this one has halted. If Halts are made all at once, they wait the whole of T, also when all
    /// have answered: a higher node's Halt that is on its way then arrives before this node's election point (case 1 of
    /// the proof of theorem A1).
    pub(super) fn halt_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        if !self.take_answer(Timer::Halt, from, call) {
            return;
        }
        fx.line(line::ELECTION_UP);
        self.cells.up.insert(from);
        match self.form {
            CallForm::Sequential | CallForm::ParallelEarly => self.go_on(Timer::Halt, fx),
            CallForm::Parallel => {}
        }
    }

    /// A member has heard NewCoordinator, or Ready.
    pub(super) fn member_answered(&mut self, timer: Timer, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        let taken =
            if self.mends(Hole::B5) { self.take_answer(timer, from, call) } else { self.count_answer(timer, from, fx) };
        if taken {
            self.go_on(timer, fx);
        }
    }

    pub(super) fn are_you_normal_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        normal: YesOrNo,
        fx: &mut Effects<Bully>,
    ) {
        if !self.take_answer(Timer::AreYouNormal, from, call) {
            return;
        }
        let is_counted_on = self.mends(Hole::B3) || self.cells.up.contains(from);
        match normal {
            YesOrNo::Yes if is_counted_on => self.go_on(Timer::AreYouNormal, fx),
            YesOrNo::No if is_counted_on => self.check_elects(line::CHECK_NO, fx),
            YesOrNo::Yes | YesOrNo::No => self.check_elects(line::CHECK_NOT_IN_UP, fx),
        }
    }

    /// No answer to AreYouNormal has come for T.
    pub(super) fn check_hears_nothing(&mut self, fx: &mut Effects<Bully>) {
        if self.mends(Hole::B3) {
            fx.line(line::CHECK_SILENT);
            self.next_iteration(Timer::AreYouNormal, fx);
        } else {
            self.check_elects(line::CHECK_NOT_IN_UP, fx);
        }
    }

    fn check_elects(&mut self, line: LineNumber, fx: &mut Effects<Bully>) {
        fx.cancel_timer(Timer::AreYouNormal);
        self.leave_loop(Timer::AreYouNormal);
        fx.line(line);
        self.election(fx);
    }
}
