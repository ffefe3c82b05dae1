//! The procedures that run at a node of Invitation beside the handlers of messages, and its loops of calls, in the two
//! forms a lab can choose.
//!
//! Invariant: Check, Merge and Invitation run one at a time: STOP and the status leave no room for two.

use super::{Invitation, Message, Timer};
use crate::garcia_molina::{Loop, Sequence};
use protocol::{CallNumber, Effects, LineNumber, NodeId, NodeSet, Round};

/// The procedure that runs, and what it waits for.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum Procedure {
    /// Check asks who coordinates.
    Looking { look: Attempt, calls: Loop<Message>, found: NodeSet },
    /// Check waits, and knows the coordinators that it has found.
    Waiting { found: NodeSet },
    /// Merge calls Invitation, one node after another; then it invites these old members.
    Inviting { calls: Loop<Message>, members: NodeSet },
    /// Merge collects Accepts.
    Collecting,
    /// Merge gives out the task.
    GivingOut(Loop<Message>),
    /// Invitation is passed on, to one old member after another.
    PassingOn { calls: Loop<Message>, caller: Caller },
    /// Invitation has called Accept.
    Accepting { round: Round, caller: Caller },
    /// Accept has returned, and Invitation has not gone on yet (to the letter).
    Accepted { caller: Caller },
}

/// Whether Check asks for the first time, or again after its wait.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum Attempt {
    First,
    Again,
}

/// The caller of the Invitation that runs here; in the sequential form the caller waits until that returns.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct Caller {
    pub node: NodeId,
    pub call: CallNumber,
}

impl Procedure {
    /// The timer that it waits for.
    pub fn timer(&self) -> Timer {
        match self {
            Procedure::Looking { .. } => Timer::AreYouCoordinator,
            Procedure::Waiting { .. } => Timer::Wait,
            Procedure::Inviting { .. } | Procedure::PassingOn { .. } => Timer::Invitation,
            Procedure::Collecting => Timer::Accepts,
            Procedure::GivingOut(_) => Timer::Ready,
            Procedure::Accepting { .. } => Timer::Accept,
            Procedure::Accepted { .. } => Timer::GoOn,
        }
    }

    /// The nodes whose answers it waits for.
    pub fn silent(&self) -> NodeSet {
        match self {
            Procedure::Looking { calls, .. }
            | Procedure::Inviting { calls, .. }
            | Procedure::GivingOut(calls)
            | Procedure::PassingOn { calls, .. } => calls.silent(),
            Procedure::Accepting { round, .. } => round.silent(),
            Procedure::Waiting { .. } | Procedure::Collecting | Procedure::Accepted { .. } => NodeSet::EMPTY,
        }
    }

    fn calls(&mut self) -> Option<&mut Loop<Message>> {
        match self {
            Procedure::Looking { calls, .. }
            | Procedure::Inviting { calls, .. }
            | Procedure::GivingOut(calls)
            | Procedure::PassingOn { calls, .. } => Some(calls),
            Procedure::Waiting { .. }
            | Procedure::Collecting
            | Procedure::Accepting { .. }
            | Procedure::Accepted { .. } => None,
        }
    }
}

impl Invitation {
    /// FOR each of these nodes, in this order: CALL. The process waits for the answers.
    pub(super) fn call_each(
        &mut self,
        nodes: (NodeSet, Sequence),
        line: LineNumber,
        fx: &mut Effects<Invitation>,
        question: impl FnOnce(CallNumber) -> Message,
        process: impl FnOnce(Loop<Message>) -> Procedure,
    ) {
        let number = self.calls.give_out();
        self.process = Some(process(Loop::new(line, question(number), nodes, number)));
        fx.line(line);
        self.iterate(fx);
    }

    /// After an answer: goes on as soon as no call waits any more.
    pub(super) fn go_on(&mut self, fx: &mut Effects<Invitation>) {
        let Some(process) = self.process.as_mut().filter(|process| process.silent().is_empty()) else { return };
        if process.calls().is_some_and(|calls| calls.next_line().is_none()) {
            fx.cancel_timer(process.timer());
        }
        self.next_iteration(fx);
    }

    /// NEXT ITERATION: a node that has not answered is passed over.
    pub(super) fn next_iteration(&mut self, fx: &mut Effects<Invitation>) {
        let calls = self.process.as_mut().and_then(Procedure::calls);
        calls.and_then(|calls| calls.next_line()).into_iter().for_each(|line| fx.line(line));
        self.iterate(fx);
    }

    /// Calls the next node, or in parallel all of them; when none is left, the lines after the loop follow.
    fn iterate(&mut self, fx: &mut Effects<Invitation>) {
        let Some(process) = &mut self.process else { return };
        let timer = process.timer();
        if process.calls().is_some_and(|calls| calls.call_next(self.pace, fx)) {
            fx.set_timer(timer, self.timing.t);
        } else {
            self.after_loop(fx);
        }
    }

    fn after_loop(&mut self, fx: &mut Effects<Invitation>) {
        match self.process.take() {
            Some(Procedure::Looking { look, found, .. }) => self.check_has_looked(look, found, fx),
            Some(Procedure::Inviting { members, .. }) => self.merge_has_invited(members, fx),
            Some(Procedure::GivingOut(_)) => self.merge_has_given_out(fx),
            Some(Procedure::PassingOn { caller, .. }) => self.accept_invitation(caller, fx),
            other => self.process = other,
        }
    }
}
