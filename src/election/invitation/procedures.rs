//! Invitation's procedures, under the paper's names (Garcia-Molina 1982, Appendix II).
//!
//! Invariant: `recovery`, `merge` and a taken `invitation` call STOP, and nothing else does; after a Recovery that a
//! procedure calls nothing more of it is executed (but for hole 10.27, in the book's reading).

use super::{Invitation, Look, Message, Process, Timer, card, card as line};
use crate::election::garcia_molina::{Answer, Edition};
use crate::protocol::{CallNumber, Effects, GroupNumber, NodeId, NodeSet, Round, Status, Task};

/// The procedures that others call.
impl Invitation {
    pub(super) fn are_you_coordinator(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Invitation>) {
        fx.line(line::ARE_YOU_COORDINATOR);
        let coordinator = Answer::from(self.coordinates());
        fx.send(caller, Message::AreYouCoordinatorAnswer { call, coordinator });
    }

    pub(super) fn are_you_there(
        &mut self,
        caller: NodeId,
        call: CallNumber,
        group: GroupNumber,
        fx: &mut Effects<Invitation>,
    ) {
        fx.line(line::ARE_YOU_THERE);
        let mine = self.cells.group == Some(group) && self.cells.coordinator == Some(self.me);
        let there = Answer::from(mine && self.cells.up.contains(caller));
        fx.send(caller, Message::AreYouThereAnswer { call, there });
    }

    pub(super) fn invitation(&mut self, coordinator: NodeId, group: GroupNumber, fx: &mut Effects<Invitation>) {
        // A copy that was passed on and comes late would lead a Normal member into Reorganization, where its
        // coordinator takes it for Normal and never calls Ready again.
        let late_copy = self.edition == Edition::Mended && self.cells.group == Some(group);
        if self.status != Status::Normal || late_copy {
            fx.line(line::INVITATION_DECLINED);
            return;
        }
        fx.line(line::INVITATION_TAKEN);
        self.stop(fx);
        let coordinated = self.cells.coordinator == Some(self.me);
        self.become_invited(coordinator, group);
        self.hear_coordinator(fx);
        if coordinated {
            fx.line(line::INVITATION_PASSED_ON);
            fx.send_each(self.cells.up, Message::Invitation { coordinator, group });
        }
        fx.line(line::INVITATION_ACCEPT);
        if coordinator == self.me {
            // A late copy of one's own (to the letter only), or an inviter that was garbled on the way. A CALL at the
            // own node is a plain procedure call.
            self.become_accepted(fx);
        } else {
            let inviter = NodeSet::of(coordinator);
            let round = self.call(inviter, Timer::Accept, fx, |call| Message::Accept { call, group });
            self.process = Some(Process::Accepting(round));
        }
    }

    pub(super) fn accept(
        &mut self,
        caller: NodeId,
        call: CallNumber,
        group: GroupNumber,
        fx: &mut Effects<Invitation>,
    ) {
        let mine = self.cells.group == Some(group) && self.cells.coordinator == Some(self.me);
        let accepted = self.status == Status::Election && mine;
        if accepted {
            fx.line(line::ACCEPT);
            self.cells.up.insert(caller);
        } else {
            fx.line(line::ACCEPT_LATE);
        }
        fx.send(caller, Message::AcceptAnswer { call, accepted: accepted.into() });
    }

    pub(super) fn ready(
        &mut self,
        caller: NodeId,
        call: CallNumber,
        group: GroupNumber,
        task: Task,
        fx: &mut Effects<Invitation>,
    ) {
        let taken = self.status == Status::Reorganization && self.cells.group == Some(group);
        if taken {
            fx.line(line::READY);
            self.cells.task = Some(task);
            self.become_normal();
            self.hear_coordinator(fx);
        } else {
            fx.line(line::READY_REFUSED);
        }
        fx.send(caller, Message::ReadyAnswer { call, taken: taken.into() });
    }

    pub(super) fn accept_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        accepted: Answer,
        fx: &mut Effects<Invitation>,
    ) {
        let Some(Process::Accepting(round)) = &mut self.process else { return };
        if !round.take_answer(from, call) {
            return;
        }
        if accepted == Answer::No && self.edition == Edition::Book {
            self.recover_and_run_on(fx);
        } else {
            self.process = None;
            fx.cancel_timer(Timer::Accept);
            self.become_accepted(fx);
            self.hear_coordinator(fx);
        }
    }

    pub(super) fn accept_hears_nothing(&mut self, fx: &mut Effects<Invitation>) {
        match self.edition {
            Edition::Mended | Edition::Paper => {
                fx.line(line::INVITATION_SILENT);
                self.recovery(fx);
            }
            Edition::Book => self.recover_and_run_on(fx),
        }
    }

    /// Hole 10.27: the listing does not return after its Recovery. Who does so is no member, and coordinates nobody.
    fn recover_and_run_on(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::INVITATION_REFUSED);
        self.recovery(fx);
        fx.line(line::INVITATION_RUNS_ON);
        self.status = Status::Reorganization;
    }
}

/// Recovery, Check and Timeout.
impl Invitation {
    pub(super) fn recovery(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::RECOVERY);
        self.stop(fx);
        self.become_inviter();
        self.compute_task();
        self.become_normal();
    }

    pub(super) fn check(&mut self, fx: &mut Effects<Invitation>) {
        if !self.coordinates() || self.process.is_some() {
            fx.line(line::CHECK_SKIPPED);
            return;
        }
        fx.line(line::CHECK_ASK);
        self.look(Look::First, self.roster.others(self.me), fx);
    }

    fn look(&mut self, look: Look, nodes: NodeSet, fx: &mut Effects<Invitation>) {
        if nodes.is_empty() {
            fx.line(line::CHECK_NONE);
            return;
        }
        let round = self.call(nodes, Timer::AreYouCoordinator, fx, |call| Message::AreYouCoordinator { call });
        self.process = Some(Process::Looking { look, round, found: NodeSet::EMPTY });
    }

    pub(super) fn are_you_coordinator_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        coordinator: Answer,
        fx: &mut Effects<Invitation>,
    ) {
        let Some(Process::Looking { round, found, .. }) = &mut self.process else { return };
        if !round.take_answer(from, call) {
            return;
        }
        if coordinator == Answer::Yes {
            fx.line(line::CHECK_FOUND);
            found.insert(from);
        }
        if round.silent().is_empty() {
            fx.cancel_timer(Timer::AreYouCoordinator);
            self.check_has_looked(fx);
        }
    }

    pub(super) fn check_has_looked(&mut self, fx: &mut Effects<Invitation>) {
        let Some(Process::Looking { look, found, .. }) = self.process.take() else { return };
        let Some(highest) = found.highest() else {
            fx.line(line::CHECK_NONE);
            return;
        };
        if look == Look::First && self.roster.outranks(highest, self.me) {
            fx.line(line::CHECK_WAIT);
            let steps = u64::from(highest.get() - self.me.get());
            fx.set_timer(Timer::Wait, card::wait(&self.timing, steps));
            self.process = Some(Process::Waiting { found });
        } else {
            self.merge(found, fx);
        }
    }

    pub(super) fn check_has_waited(&mut self, fx: &mut Effects<Invitation>) {
        let Some(Process::Waiting { found }) = self.process.take() else { return };
        match self.edition {
            Edition::Mended => {
                fx.line(line::CHECK_ASK_AGAIN);
                self.look(Look::Again, found, fx);
            }
            Edition::Paper | Edition::Book => self.merge(found, fx),
        }
    }

    pub(super) fn timeout(&mut self, fx: &mut Effects<Invitation>) {
        if self.edition == Edition::Mended && self.is_stranded() {
            fx.line(line::TIMEOUT_STRANDED);
            self.recovery(fx);
            return;
        }
        let (Some(coordinator), Some(group)) = (self.listens_to(), self.cells.group) else {
            fx.line(line::TIMEOUT_MINE);
            return;
        };
        fx.line(line::TIMEOUT_ASK);
        let coordinator = NodeSet::of(coordinator);
        self.inquiring =
            Some(self.call(coordinator, Timer::AreYouThere, fx, |call| Message::AreYouThere { call, group }));
    }

    pub(super) fn are_you_there_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        there: Answer,
        fx: &mut Effects<Invitation>,
    ) {
        // Hole 10.24.
        if self.edition == Edition::Book {
            fx.line(line::TIMEOUT_MISNAMED);
            return;
        }
        if !self.inquiring.as_mut().is_some_and(|round| round.take_answer(from, call)) {
            return;
        }
        self.inquiring = None;
        fx.cancel_timer(Timer::AreYouThere);
        // Timeout counts from the moment the Accept was heard, and silence is longer than a Merge. So who is asked
        // believes that this node has taken its Ready, and will never call it again: a refusal was garbled.
        let left_out = self.edition == Edition::Mended && self.status == Status::Reorganization;
        match there {
            Answer::Yes if left_out => {
                fx.line(line::TIMEOUT_LEFT_OUT);
                self.recovery(fx);
            }
            Answer::Yes => {
                fx.line(line::TIMEOUT_YES);
                self.hear_coordinator(fx);
            }
            Answer::No => {
                fx.line(line::TIMEOUT_RECOVERY);
                self.recovery(fx);
            }
        }
    }
}

/// Merge.
impl Invitation {
    fn merge(&mut self, found: NodeSet, fx: &mut Effects<Invitation>) {
        fx.line(line::MERGE);
        self.status = Status::Election;
        self.stop(fx);
        let invited = found.union(&self.cells.up);
        let group = self.become_inviter();
        fx.line(line::MERGE_INVITE);
        fx.send_each(invited, Message::Invitation { coordinator: self.me, group });
        fx.set_timer(Timer::Accepts, self.timing.t * 2);
        self.process = Some(Process::Inviting);
    }

    pub(super) fn give_out_task(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::MERGE_READY);
        self.status = Status::Reorganization;
        let task = self.compute_task();
        let up = self.cells.up;
        let group = self.cells.group.expect("a node has had a group number since its Recovery");
        if up.is_empty() {
            self.process = None;
            fx.line(line::MERGE_NORMAL);
            self.become_normal();
        } else {
            let ready = |call| Message::Ready { call, group, task: Box::new(task) };
            let round = self.call(up, Timer::Ready, fx, ready);
            self.process = Some(Process::GivingOut(round));
        }
    }

    pub(super) fn ready_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        taken: Answer,
        fx: &mut Effects<Invitation>,
    ) {
        let Some(Process::GivingOut(round)) = &mut self.process else { return };
        if self.edition == Edition::Book {
            if !count_answer(round, call, taken) {
                return;
            }
            fx.line(line::MERGE_COUNT);
        } else if !round.take_answer(from, call) {
            return;
        }
        if taken == Answer::No && self.edition == Edition::Mended {
            fx.line(line::MERGE_FAILED);
            self.recovery(fx);
        } else if round.silent().is_empty() {
            self.process = None;
            fx.cancel_timer(Timer::Ready);
            fx.line(line::MERGE_NORMAL);
            self.become_normal();
        }
    }
}

/// num_answer + 1 of listing 10.26 (hole 10.26): it asks whether the task was taken in this group, whose Ready bears one
/// number, and not who has taken it. Whether it counts.
fn count_answer(round: &mut Round, call: CallNumber, taken: Answer) -> bool {
    let counts = call == round.number() && taken == Answer::Yes;
    if counts && let Some(one) = round.silent().highest() {
        *round = Round::new(call, round.silent().minus(&NodeSet::of(one)));
    }
    counts
}

/// How the state vector changes.
impl Invitation {
    /// A coordinator in the middle of an election that no process of its carries on. The proof of theorem A4 counts on
    /// Timeout to lead everybody out who is in no normal group; whoever takes itself for its coordinator asks nobody.
    fn is_stranded(&self) -> bool {
        self.status != Status::Normal && self.cells.coordinator == Some(self.me) && self.process.is_none()
    }

    fn coordinates(&self) -> bool {
        self.status == Status::Normal && self.cells.coordinator == Some(self.me)
    }

    /// Election, at the head of a group of its own with a new number: in Merge about to be filled, in Recovery whole.
    fn become_inviter(&mut self) -> GroupNumber {
        self.status = Status::Election;
        self.cells.counter += 1;
        let group = GroupNumber { node: self.me, counter: self.cells.counter };
        self.cells.group = Some(group);
        self.cells.coordinator = Some(self.me);
        self.cells.up = NodeSet::EMPTY;
        group
    }

    /// Election, in the group of another; its own Up is passed on and means nothing more.
    fn become_invited(&mut self, coordinator: NodeId, group: GroupNumber) {
        self.status = Status::Election;
        self.cells.coordinator = Some(coordinator);
        self.cells.group = Some(group);
    }

    fn become_accepted(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::INVITATION_ACCEPTED);
        self.status = Status::Reorganization;
    }

    fn become_normal(&mut self) {
        self.status = Status::Normal;
    }

    fn compute_task(&mut self) -> Task {
        self.tasks += 1;
        let (author, incarnation, members) = (self.me, self.incarnation, self.cells.up);
        let task = Task { author, incarnation, serial: self.tasks, members };
        self.cells.task = Some(task);
        task
    }
}
