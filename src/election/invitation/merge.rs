//! Check and Merge: how a coordinator finds others and makes one group of all (Garcia-Molina 1982, Appendix II).
//!
//! Invariant: a Merge that a member's silence ends has Recovery take its place, and nothing more of it is executed.

use super::calls::{Attempt, Procedure};
use super::{Hole, Invitation, Message, Timer, card, card as line};
use crate::garcia_molina::{CallPace, Loop, Sequence, YesOrNo};
use protocol::{CallNumber, Effects, NodeId, NodeSet, SettingCard, SettingKind, Settings, Span, Status, Timing};

impl Invitation {
    pub(super) fn check(&mut self, fx: &mut Effects<Invitation>) {
        if !self.coordinates() || self.process.is_some() {
            fx.line(line::CHECK_SKIPPED);
            return;
        }
        self.look(Attempt::First, self.roster.others(self.me), fx);
    }

    fn look(&mut self, look: Attempt, nodes: NodeSet, fx: &mut Effects<Invitation>) {
        let line = match look {
            Attempt::First => line::CHECK_ASK,
            Attempt::Again => line::CHECK_ASK_AGAIN,
        };
        let looking = |calls| Procedure::Looking { look, calls, found: NodeSet::EMPTY };
        let nodes = (nodes, Sequence::Upwards);
        self.call_each(nodes, line, fx, |call| Message::AreYouCoordinator { call }, looking);
    }

    pub(super) fn are_you_coordinator_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        coordinator: YesOrNo,
        fx: &mut Effects<Invitation>,
    ) {
        let Some(Procedure::Looking { calls, found, .. }) = &mut self.process else { return };
        if !calls.take_answer(from, call) {
            return;
        }
        if coordinator == YesOrNo::Yes {
            fx.line(line::CHECK_FOUND);
            found.insert(from);
        }
        self.go_on(fx);
    }

    pub(super) fn check_has_looked(&mut self, look: Attempt, found: NodeSet, fx: &mut Effects<Invitation>) {
        let Some(highest) = found.highest() else {
            fx.line(line::CHECK_NONE);
            return;
        };
        let wait = self.wait.before_merge(self.me, highest, self.roster.len(), &self.timing);
        if look == Attempt::First && wait > Span::ZERO {
            fx.line(line::CHECK_WAIT);
            fx.set_timer(Timer::Wait, wait);
            self.process = Some(Procedure::Waiting { found });
        } else {
            self.merge(found, fx);
        }
    }

    pub(super) fn check_has_waited(&mut self, fx: &mut Effects<Invitation>) {
        let Some(Procedure::Waiting { found }) = self.process.take() else { return };
        if self.mends(Hole::Check) {
            self.look(Attempt::Again, found, fx);
        } else {
            self.merge(found, fx);
        }
    }

    pub(super) fn merge(&mut self, found: NodeSet, fx: &mut Effects<Invitation>) {
        fx.line(line::MERGE);
        self.status = Status::Election;
        self.stop(fx);
        let members = self.other_members();
        self.become_inviter();
        match self.pace {
            // First the coordinators found, then the old members that are not among these.
            CallPace::OneByOne => self.invite(found, members.minus(&found), fx),
            // Nobody waits for these calls to return.
            CallPace::AllAtOnce => {
                fx.line(line::MERGE_INVITE);
                let invitation = self.own_invitation();
                let call = self.calls.give_out();
                fx.send_each(found.union(&members), invitation(call));
                self.collect(fx);
            }
        }
    }

    fn invite(&mut self, nodes: NodeSet, then: NodeSet, fx: &mut Effects<Invitation>) {
        let inviting = |calls| Procedure::Inviting { calls, members: then };
        let invitation = self.own_invitation();
        self.call_each((nodes, Sequence::Downwards), line::MERGE_INVITE, fx, invitation, inviting);
    }

    /// One loop of Invitations is over; the old members, if there are any, are still to be invited.
    pub(super) fn merge_has_invited(&mut self, members: NodeSet, fx: &mut Effects<Invitation>) {
        if members.is_empty() {
            self.collect(fx);
        } else {
            self.invite(members, NodeSet::EMPTY, fx);
        }
    }

    fn collect(&mut self, fx: &mut Effects<Invitation>) {
        fx.set_timer(Timer::Accepts, card::accepts(&self.timing, self.roster.len(), self.pace));
        self.process = Some(Procedure::Collecting);
    }

    fn own_invitation(&self) -> impl FnOnce(CallNumber) -> Message + use<> {
        let (coordinator, group) = (self.me, self.own_group());
        move |call| Message::Invitation { call, coordinator, group }
    }

    pub(super) fn give_out_task(&mut self, fx: &mut Effects<Invitation>) {
        self.status = Status::Reorganization;
        let task = self.compute_task();
        let group = self.own_group();
        let up = (self.cells.up, Sequence::Downwards);
        let ready = |call| Message::Ready { call, group, task: Box::new(task) };
        self.call_each(up, line::MERGE_READY, fx, ready, Procedure::GivingOut);
    }

    pub(super) fn ready_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        taken: YesOrNo,
        fx: &mut Effects<Invitation>,
    ) {
        let counts = !self.mends(Hole::H10_26);
        let Some(Procedure::GivingOut(calls)) = &mut self.process else { return };
        if counts {
            if !count_answer(calls, call, taken) {
                return;
            }
            fx.line(line::MERGE_COUNT);
        } else if !calls.take_answer(from, call) {
            return;
        }
        if taken == YesOrNo::No && self.mends(Hole::Ready) {
            self.merge_has_failed(fx);
        } else {
            self.go_on(fx);
        }
    }

    pub(super) fn merge_has_failed(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::MERGE_FAILED);
        self.recovery(fx);
    }

    pub(super) fn merge_has_given_out(&mut self, fx: &mut Effects<Invitation>) {
        fx.line(line::MERGE_NORMAL);
        self.become_normal();
    }
}

/// How long Check waits before it merges with the coordinators that it has found: the setting `wait`. Without a wait two
/// coordinators may invite each other at the same time for ever (proof of theorem A4).
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum CheckWait {
    /// The paper's: only a node that is outranked by one found, 2 Check periods for each step of rank.
    Outranked,
    /// Listing 10.23: every node, inversely to its priority, which is its id.
    All,
    None,
}

impl CheckWait {
    /// The setting's row in a Card.
    pub const SETTING: SettingCard = SettingCard {
        name: "wait",
        kind: SettingKind::Word(&["outranked", "all", "none"]),
        about: "Who waits in Check before it merges; outranked: node i, if the highest coordinator found, p, outranks \
                it, 2(p - i) Check periods, as in the paper; all: every node i, 2n/i Check periods, as listing 10.23 \
                says (\"inversely proportional to your priority\"); none: nobody. The wait prevents livelock (proof of \
                theorem A4): with none, coordinators whose Checks are due at the same time decline each other for \
                ever; with all so may the two highest of many, whose waits differ by less than a Merge takes. So \
                assertion 4 and ale-2-prime are promised with outranked only.",
    };

    /// What the lab asks for.
    pub fn of(settings: &Settings) -> CheckWait {
        match settings.word("wait") {
            "outranked" => CheckWait::Outranked,
            "all" => CheckWait::All,
            "none" => CheckWait::None,
            other => unreachable!("the Card lists no wait {other}"),
        }
    }

    /// The wait of this node of `nodes`, if this is the highest coordinator that it has found.
    pub fn before_merge(self, node: NodeId, highest: NodeId, nodes: u16, timing: &Timing) -> Span {
        match self {
            CheckWait::Outranked => timing.check * 2 * u64::from(highest.get().saturating_sub(node.get())),
            CheckWait::All => timing.check * 2 * u64::from(nodes) / u64::from(node.get()),
            CheckWait::None => Span::ZERO,
        }
    }

    /// The longest wait of any of `nodes`.
    pub fn longest(self, nodes: u16, timing: &Timing) -> Span {
        match self {
            CheckWait::Outranked => timing.check * 2 * u64::from(nodes.saturating_sub(1)),
            CheckWait::All => timing.check * 2 * u64::from(nodes),
            CheckWait::None => Span::ZERO,
        }
    }
}

/// num_answer + 1 of listing 10.26 (hole 10.26): the listing asks whether the task was taken in this group, whose Ready
/// bears one number, and not which node has taken it. Returns whether the answer counts.
fn count_answer(calls: &mut Loop<Message>, call: CallNumber, taken: YesOrNo) -> bool {
    let counts = call == calls.number() && taken == YesOrNo::Yes;
    if counts && let Some(one) = calls.silent().highest() {
        calls.wait_no_longer_for(one);
    }
    counts
}
