//! Invitation's procedures, under the paper's names (Garcia-Molina 1982, Appendix II): those that answer, Recovery and
//! Timeout. Check and Merge are in `merge`, Invitation and Accept in `invited`.
//!
//! Invariant: `recovery`, `merge` and a taken `invitation` call STOP, and nothing else does; after a Recovery that a
//! procedure calls nothing more of it is executed (but for hole 10.27, in the book's reading).

use super::{Hole, Invitation, Message, Timer, card as line};
use crate::garcia_molina::YesOrNo;
use protocol::{CallNumber, Effects, GroupNumber, NodeId, NodeSet, SettingCard, SettingKind, Settings, Status, Task};

/// What a member does that has lost its coordinator: the setting `after-timeout`.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum AfterTimeout {
    Alone,
    Invite,
}

impl AfterTimeout {
    /// The setting's row in a Card.
    pub const SETTING: SettingCard = SettingCard {
        name: "after-timeout",
        kind: SettingKind::Word(&["alone", "invite"]),
        about: "What a member does when its coordinator is silent; alone: it forms a group of one, which a later Check \
                finds, as in the paper; invite: it invites the other members of the old group at once, an improvement \
                of the book (10.2.2).",
    };

    /// What the lab asks for.
    pub fn of(settings: &Settings) -> AfterTimeout {
        match settings.word("after-timeout") {
            "alone" => AfterTimeout::Alone,
            "invite" => AfterTimeout::Invite,
            other => unreachable!("the Card lists no after-timeout {other}"),
        }
    }
}

/// The procedures that others call.
impl Invitation {
    pub(super) fn are_you_coordinator(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Invitation>) {
        fx.line(line::ARE_YOU_COORDINATOR);
        let coordinator = YesOrNo::from(self.coordinates());
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
        let there = YesOrNo::from(mine && self.cells.up.contains(caller));
        fx.send(caller, Message::AreYouThereAnswer { call, there });
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
}

/// Recovery and Timeout.
impl Invitation {
    pub(super) fn recovery(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::RECOVERY);
        self.stop(fx);
        self.become_inviter();
        self.compute_task();
        self.become_normal();
    }

    pub(super) fn timeout(&mut self, fx: &mut Effects<Invitation>) {
        let (Some(coordinator), Some(group)) = (self.listens_to(), self.cells.group) else {
            fx.line(line::TIMEOUT_MINE);
            return;
        };
        fx.line(line::TIMEOUT_ASK);
        let coordinator = NodeSet::of(coordinator);
        self.inquiring =
            Some(self.call(coordinator, Timer::AreYouThere, fx, |call| Message::AreYouThere { call, group }));
    }

    /// The coordinator has been silent for T. The book's improvement (10.2.2): the members of its group are known from
    /// the task, so they are invited at once. Those that have not noticed are Normal, and take the invitation.
    pub(super) fn timeout_hears_nothing(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::TIMEOUT_RECOVERY);
        let was_normal = self.status == Status::Normal;
        let members = self.cells.task.map_or(NodeSet::EMPTY, |task| task.members.minus(&NodeSet::of(self.me)));
        self.recovery(fx);
        if self.after_timeout == AfterTimeout::Invite && was_normal && !members.is_empty() {
            fx.line(line::TIMEOUT_INVITES);
            self.merge(members, fx);
        }
    }

    pub(super) fn are_you_there_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        there: YesOrNo,
        fx: &mut Effects<Invitation>,
    ) {
        if !self.mends(Hole::H10_24) {
            fx.line(line::TIMEOUT_MISNAMED);
            return;
        }
        if !self.inquiring.as_mut().is_some_and(|round| round.take_answer(from, call)) {
            return;
        }
        self.inquiring = None;
        fx.cancel_timer(Timer::AreYouThere);
        // Timeout counts from the moment when the Accept was heard, and silence is longer than a Merge. So the asked
        // coordinator believes that this node has taken its Ready, and will never call Ready again: a refusal was
        // garbled.
        let left_out = self.mends(Hole::I2) && self.status == Status::Reorganization;
        match there {
            YesOrNo::Yes if left_out => {
                fx.line(line::TIMEOUT_LEFT_OUT);
                self.recovery(fx);
            }
            YesOrNo::Yes => {
                fx.line(line::TIMEOUT_YES);
                self.hear_coordinator(fx);
            }
            YesOrNo::No => {
                fx.line(line::TIMEOUT_RECOVERY);
                self.recovery(fx);
            }
        }
    }
}

/// How the state vector changes.
impl Invitation {
    /// The number of the group that this node is in.
    pub(super) fn own_group(&self) -> GroupNumber {
        self.cells.group.expect("a node has had a group number since its Recovery")
    }

    /// The other nodes in Up. To the letter a node may have accepted its own invitation; a call to itself would be
    /// declined.
    pub(super) fn other_members(&self) -> NodeSet {
        self.cells.up.minus(&NodeSet::of(self.me))
    }

    pub(super) fn coordinates(&self) -> bool {
        self.status == Status::Normal && self.cells.coordinator == Some(self.me)
    }

    /// Election, at the head of a group of its own with a new number: Merge is about to fill it, for Recovery it is
    /// whole.
    pub(super) fn become_inviter(&mut self) {
        self.status = Status::Election;
        self.cells.counter += 1;
        self.cells.group = Some(GroupNumber { node: self.me, counter: self.cells.counter });
        self.cells.coordinator = Some(self.me);
        self.cells.up = NodeSet::EMPTY;
    }

    pub(super) fn become_normal(&mut self) {
        self.status = Status::Normal;
    }

    pub(super) fn compute_task(&mut self) -> Task {
        self.tasks += 1;
        let (author, incarnation, members) = (self.me, self.incarnation, self.cells.up);
        let task = Task { author, incarnation, serial: self.tasks, members };
        self.cells.task = Some(task);
        task
    }
}
