//! Bully's procedures, under the paper's names (Garcia-Molina 1982, Appendix I).
//!
//! Invariant: only `halt` and `become_candidate` call STOP; only an answer under the number of its own round counts.

use super::{Bully, Message, Phase, Timer, card as line};
use crate::election::garcia_molina::{Answer, Reading};
use crate::protocol::{CallNumber, Effects, NodeId, NodeSet, Status, Task};

/// The immediate procedures: answered at once, in every status.
impl Bully {
    pub(super) fn are_you_there(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        fx.line(line::ARE_YOU_THERE);
        fx.send(caller, Message::AreYouThereAnswer { call });
    }

    pub(super) fn are_you_normal(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        fx.line(line::ARE_YOU_NORMAL);
        // Hole B1: normal under another coordinator is nothing that this one may be content with.
        let content = match self.reading {
            Reading::Mended => self.cells.coordinator == Some(caller),
            Reading::ToTheLetter => true,
        };
        let normal = Answer::from(self.status == Status::Normal && content);
        fx.send(caller, Message::AreYouNormalAnswer { call, normal });
    }

    pub(super) fn halt(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        fx.line(line::HALT);
        self.status = Status::Election;
        self.cells.halted_by = Some(caller);
        self.stop(fx);
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

/// The procedures that run as processes, up to their first wait.
impl Bully {
    pub(super) fn recovery(&mut self, fx: &mut Effects<Bully>) {
        fx.line(line::RECOVERY);
        self.cells.halted_by = None;
        self.election(fx);
    }

    pub(super) fn check(&mut self, fx: &mut Effects<Bully>) {
        if self.status != Status::Normal || self.cells.coordinator != Some(self.me) {
            fx.line(line::CHECK_NOT_MINE);
            return;
        }
        fx.line(line::CHECK_ASK);
        let others = self.roster.others(self.me);
        self.checking = Some(self.call(others, Timer::AreYouNormal, fx, |call| Message::AreYouNormal { call }));
    }

    pub(super) fn timeout(&mut self, fx: &mut Effects<Bully>) {
        if !matches!(self.status, Status::Normal | Status::Reorganization) {
            fx.line(line::TIMEOUT_ELECT);
            self.election(fx);
            return;
        }
        fx.line(line::TIMEOUT_ASK);
        let coordinator: NodeSet = self.cells.coordinator.into_iter().filter(|node| *node != self.me).collect();
        if !coordinator.is_empty() {
            let round = self.call(coordinator, Timer::CoordinatorThere, fx, |call| Message::AreYouThere { call });
            self.inquiring = Some(round);
        }
    }

    pub(super) fn election(&mut self, fx: &mut Effects<Bully>) {
        if self.asking.is_some() {
            return;
        }
        fx.line(line::ELECTION_ASK);
        let above = self.roster.above(self.me);
        if above.is_empty() {
            self.become_candidate(fx);
        } else {
            self.asking = Some(self.call(above, Timer::AreYouThere, fx, |call| Message::AreYouThere { call }));
        }
    }
}

/// Election's way from one phase to the next, and what the answers do.
impl Bully {
    pub(super) fn become_candidate(&mut self, fx: &mut Effects<Bully>) {
        fx.line(line::ELECTION_STOP);
        self.stop(fx);
        self.status = Status::Election;
        self.cells.halted_by = Some(self.me);
        self.cells.up = NodeSet::EMPTY;
        self.hear_coordinator(fx);
        fx.line(line::ELECTION_HALT);
        let below = self.roster.below(self.me);
        if below.is_empty() {
            self.become_coordinator(fx);
        } else {
            let round = self.call(below, Timer::Halt, fx, |call| Message::Halt { call });
            self.reforming = Some(Phase::Halting(round));
        }
    }

    /// Halts wait the whole of T, also when all have answered: a higher node's Halt that is on its way then arrives
    /// before this node's election point (case 1 of the proof of theorem A1).
    pub(super) fn halt_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        let Some(Phase::Halting(round)) = &mut self.reforming else { return };
        if round.take_answer(from, call) {
            fx.line(line::ELECTION_UP);
            self.cells.up.insert(from);
        }
    }

    pub(super) fn become_coordinator(&mut self, fx: &mut Effects<Bully>) {
        fx.line(line::ELECTION_POINT);
        self.cells.coordinator = Some(self.me);
        self.status = Status::Reorganization;
        let up = self.cells.up;
        if up.is_empty() {
            self.give_out_task(fx);
        } else {
            let round = self.call(up, Timer::NewCoordinator, fx, |call| Message::NewCoordinator { call });
            self.reforming = Some(Phase::Announcing(round));
        }
    }

    pub(super) fn new_coordinator_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        let Some(Phase::Announcing(round)) = &mut self.reforming else { return };
        if round.take_answer(from, call) && round.silent().is_empty() {
            fx.cancel_timer(Timer::NewCoordinator);
            self.give_out_task(fx);
        }
    }

    fn give_out_task(&mut self, fx: &mut Effects<Bully>) {
        fx.line(line::ELECTION_ANNOUNCED);
        self.tasks += 1;
        let up = self.cells.up;
        let task = Task { author: self.me, incarnation: self.incarnation, serial: self.tasks, members: up };
        self.cells.task = Some(task);
        fx.line(line::ELECTION_READY);
        if up.is_empty() {
            self.reforming = None;
            fx.line(line::ELECTION_NORMAL);
            self.become_normal();
        } else {
            let round = self.call(up, Timer::Ready, fx, |call| Message::Ready { call, task });
            self.reforming = Some(Phase::GivingOut(round));
        }
    }

    pub(super) fn ready_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        let Some(Phase::GivingOut(round)) = &mut self.reforming else { return };
        if round.take_answer(from, call) && round.silent().is_empty() {
            fx.cancel_timer(Timer::Ready);
            self.reforming = None;
            fx.line(line::ELECTION_NORMAL);
            self.become_normal();
        }
    }

    pub(super) fn are_you_there_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        if self.asking.as_mut().is_some_and(|round| round.take_answer(from, call)) {
            self.asking = None;
            fx.cancel_timer(Timer::AreYouThere);
            fx.line(line::ELECTION_RETURN);
        } else if self.inquiring.as_mut().is_some_and(|round| round.take_answer(from, call)) {
            self.inquiring = None;
            fx.cancel_timer(Timer::CoordinatorThere);
            fx.line(line::TIMEOUT_HEARD);
        }
    }

    pub(super) fn are_you_normal_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        normal: Answer,
        fx: &mut Effects<Bully>,
    ) {
        let Some(round) = &mut self.checking else { return };
        if !round.take_answer(from, call) {
            return;
        }
        if normal == Answer::No || round.silent().is_empty() {
            self.checking = None;
            fx.cancel_timer(Timer::AreYouNormal);
        }
        if normal == Answer::No {
            fx.line(line::CHECK_NO);
            self.election(fx);
        }
    }

    fn become_member_of(&mut self, coordinator: NodeId) {
        self.cells.coordinator = Some(coordinator);
        self.status = Status::Reorganization;
    }

    fn become_normal(&mut self) {
        self.status = Status::Normal;
    }
}
