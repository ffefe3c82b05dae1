//! The Invitation algorithm: Garcia-Molina 1982, Appendix II; groups with numbers find each other and merge.
//!
//! The procedures bear the paper's names; `merge` has Check and Merge, `invited` Invitation and Accept, and `calls` the
//! two forms in which they make their calls: all of a loop at once, as in the book, or one after another, as in the
//! paper.
//! - In parallel Merge does not wait for a CALL of Invitation to return: a node that takes it says so by Accept, and
//!   Merge waits 2T for Accepts, which covers three hops of T/2 each (invite, pass on, accept). In the sequential form
//!   the CALL returns when the procedure has ended, accepted or declined, and Merge waits (n-1)T more: a node with
//!   silent members may need that long to pass it on.
//! - Silence proves nothing here: a call that is not answered within T is given up, and the next Check or Timeout finds
//!   it.
//! - `errata = true` mends the holes that can leave a node in Reorganization for ever. A Ready that was not taken makes
//!   its coordinator recover, and an Accept that has returned is followed by Reorganization in the same step (hole
//!   Ready). A node declines an invitation to the group that it is in (a late copy, passed on), and an invitation in
//!   its own name (garbled, I1; or its own, which was passed on late, and whose number would be used again, I4).
//!   Timeout leads out a member that hears yes but for a whole Merge no Ready (its refusal was garbled into consent,
//!   I2). A node whose Accept is refused recovers at once (I3), and Check asks again after its wait. With `false` the
//!   procedures are the paper's of 1982, or with `letter = "book"` those of the listings of 1997, whose Accept and
//!   Ready say whether they were taken, and which have holes of their own. 10.24: Timeout waits for an answer of
//!   another name, and always ends in Recovery. 10.26: Ready's answers are counted, so a repeated one stands in for a
//!   silent member. 10.27: a node whose Accept is refused or not answered recovers, and is in Reorganization all the
//!   same: a coordinator whose Timeout returns at once, and which declines every invitation. The machine follows the
//!   paper where the listings choose otherwise and do not slip (Merge is guarded, and stop_processing() ends no process
//!   of an election; Accepts have T; every Check waits, which is a setting of its own).
//! - Only a coordinator's messages about this very group count as hearing it; its Check goes to all others, strangers
//!   too.
//! - STOP is kept as in the paper, so only a procedure that leaves the node Normal, or about to be, ends a process.
//!
//! Invariant: a group number is never used twice; its counter is saved before it is sent.

mod calls;
mod card;
mod invited;
mod merge;
mod message;
mod procedures;
#[cfg(test)]
mod tests;

use calls::{Caller, Procedure};
use card as line;
use merge::CheckWait;
pub use message::Message;
use procedures::AfterTimeout;
use serde::{Deserialize, Serialize};

use crate::garcia_molina::{CallPace, Cells};
use protocol::{
    Algorithm, CallNumber, CallNumbers, Card, Effects, GroupNumber, Incarnation, Mends, NodeId, NodeSet, Roster, Round,
    Setup, StateVector, Status, Task, Timing,
};

/// One node of the Invitation algorithm.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Invitation {
    me: NodeId,
    roster: Roster,
    timing: Timing,
    mends: Mends,
    pace: CallPace,
    wait: CheckWait,
    /// The nodes that take an invitation while they coordinate.
    joins: NodeSet,
    after_timeout: AfterTimeout,
    incarnation: Incarnation,
    calls: CallNumbers,
    tasks: u32,
    status: Status,
    cells: Cells<SafeCells>,
    /// Check, Merge or Invitation: STOP and the status leave room for one of them at a time.
    process: Option<Procedure>,
    /// Timeout's question to the coordinator.
    inquiring: Option<Round>,
}

/// The state vector without the status, which a crash changes: what the paper keeps in safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct SafeCells {
    /// How many group numbers this node has made.
    pub counter: u64,
    /// The coordinator `c`.
    pub coordinator: Option<NodeId>,
    /// The group number `g`.
    pub group: Option<GroupNumber>,
    /// The task definition `d`.
    pub task: Option<Task>,
    /// The other nodes of the group, `Up`.
    pub up: NodeSet,
}

protocol::worded! {
    /// Invitation's timers.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum Timer {
        /// Check is due.
        Check = "Check",
        /// The coordinator has been silent for too long.
        Timeout = "Timeout",
        /// Check's AreYouCoordinator: T.
        AreYouCoordinator = "answers to AreYouCoordinator",
        /// Check's wait for coordinators of higher priority.
        Wait = "wait before Merge",
        /// Merge's wait for Accepts: 2T; sequential (n-1)T.
        Accepts = "Accept from those invited",
        /// Merge's Ready: T.
        Ready = "answers to Ready",
        /// Invitation's Accept: T.
        Accept = "answer to Accept",
        /// In the sequential form Merge's Invitation, and one that is passed on: T.
        Invitation = "answer to Invitation",
        /// To the letter Invitation's next step after its Accept: at once.
        GoOn = "next step after Accept",
        /// Timeout's AreYouThere: T.
        AreYouThere = "answer to AreYouThere",
    }
}

impl Algorithm for Invitation {
    type Message = Message;
    type Timer = Timer;
    type Saved = SafeCells;
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Invitation>) -> Invitation {
        let mut node = Invitation {
            me: setup.me,
            roster: setup.roster,
            timing: setup.timing,
            mends: Mends::of(&setup.settings, card::HOLES),
            pace: CallPace::of(&setup.settings),
            wait: CheckWait::of(&setup.settings),
            after_timeout: AfterTimeout::of(&setup.settings),
            joins: setup.settings.nodes(card::JOINS).unwrap_or(setup.roster.all()),
            incarnation: setup.incarnation,
            calls: CallNumbers::new(setup.incarnation),
            tasks: 0,
            status: Status::Down,
            cells: Cells::new(saved.unwrap_or_default()),
            process: None,
            inquiring: None,
        };
        node.step(fx, |node, fx| {
            fx.set_timer(Timer::Check, node.timing.check);
            node.hear_coordinator(fx);
            node.recovery(fx);
        });
        node
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Effects<Invitation>) {
        self.step(fx, |node, fx| match message {
            Message::AreYouCoordinator { call } => node.are_you_coordinator(from, call, fx),
            Message::AreYouThere { call, group } => node.are_you_there(from, call, group, fx),
            Message::Invitation { call, coordinator, group } => {
                node.invitation(Caller { node: from, call }, coordinator, group, fx);
            }
            Message::InvitationAnswer { call } => node.invitation_answered(from, call, fx),
            Message::Accept { call, group } => node.accept(from, call, group, fx),
            Message::Ready { call, group, task } => node.ready(from, call, group, *task, fx),
            Message::AreYouCoordinatorAnswer { call, coordinator } => {
                node.are_you_coordinator_answered(from, call, coordinator, fx);
            }
            Message::AreYouThereAnswer { call, there } => node.are_you_there_answered(from, call, there, fx),
            Message::AcceptAnswer { call, accepted } => node.accept_answered(from, call, accepted, fx),
            Message::ReadyAnswer { call, taken } => node.ready_answered(from, call, taken, fx),
        });
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<Invitation>) {
        self.step(fx, |node, fx| match timer {
            Timer::Check => {
                fx.set_timer(Timer::Check, node.timing.check);
                node.check(fx);
            }
            Timer::Timeout => {
                node.hear_coordinator(fx);
                node.timeout(fx);
            }
            Timer::AreYouCoordinator | Timer::Invitation => node.next_iteration(fx),
            Timer::Wait => node.check_has_waited(fx),
            Timer::Accepts => node.give_out_task(fx),
            Timer::Ready => node.merge_has_failed(fx),
            Timer::Accept => node.accept_hears_nothing(fx),
            Timer::GoOn => node.accept_has_returned(fx),
            Timer::AreYouThere => node.timeout_hears_nothing(fx),
        });
    }

    /// An Invitation election is a Merge, and only Check finds whom to merge with: so a coordinator runs its Check now,
    /// and a member first becomes a group of one.
    fn on_elect(&mut self, fx: &mut Effects<Invitation>) {
        self.step(fx, |node, fx| {
            fx.line(line::ORDER);
            match (node.status, node.cells.coordinator == Some(node.me)) {
                (Status::Normal, true) => node.check(fx),
                (Status::Normal, false) => node.recovery(fx),
                (Status::Down | Status::Election | Status::Reorganization, _) => {}
            }
        });
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match (timer, &self.process) {
            (Timer::Timeout, _) => self.listens_to().into_iter().collect(),
            (Timer::AreYouThere, _) => self.inquiring.as_ref().map_or(NodeSet::EMPTY, Round::silent),
            (timer, Some(process)) if timer == process.timer() => process.silent(),
            _ => NodeSet::EMPTY,
        }
    }

    fn state(&self) -> StateVector {
        StateVector {
            group: self.cells.group,
            task: self.cells.task,
            up: self.cells.up,
            ..StateVector::new(self.status, self.status.word(), self.cells.coordinator)
        }
    }
}

/// The holes of the paper and of the book's listings, each with a mend of its own.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Hole {
    Ready,
    Check,
    I1,
    I2,
    I3,
    H10_24,
    H10_26,
    H10_27,
}

impl Invitation {
    /// Whether the hole is mended, or is not in the text that is followed.
    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }
}

/// What the paper's operating system does.
impl Invitation {
    /// CALL STOP: every process ends, and what it waited for is forgotten. Check and Timeout will be called again.
    fn stop(&mut self, fx: &mut Effects<Invitation>) {
        let process = self.process.take().map(|process| process.timer());
        let inquiring = self.inquiring.take().map(|_| Timer::AreYouThere);
        for timer in [process, inquiring].into_iter().flatten() {
            fx.cancel_timer(timer);
        }
    }

    /// Calls a procedure at all of these; the timer ends the round after T.
    fn call(
        &mut self,
        nodes: NodeSet,
        timer: Timer,
        fx: &mut Effects<Invitation>,
        message: impl FnOnce(CallNumber) -> Message,
    ) -> Round {
        let number = self.calls.give_out();
        fx.send_each(nodes, message(number));
        fx.set_timer(timer, self.timing.t);
        Round::new(number, nodes)
    }

    /// The node whose silence counts: the coordinator, in every status. For a coordinator there is none.
    fn listens_to(&self) -> Option<NodeId> {
        self.cells.coordinator.filter(|coordinator| *coordinator != self.me)
    }

    /// From now on the silence is counted anew. Timeout runs in every status, so this timer is never stopped. Only the
    /// messages that a node sends as the coordinator of this group count: if its Check, which asks everybody, counted
    /// too, a member whose Accept came too late would hear it for ever, and would never learn that it was left out.
    fn hear_coordinator(&mut self, fx: &mut Effects<Invitation>) {
        fx.set_timer(Timer::Timeout, self.timing.silence);
    }

    /// One step: its changes of the safe cells are saved before any of its messages leaves.
    fn step(
        &mut self,
        fx: &mut Effects<Invitation>,
        procedure: impl FnOnce(&mut Invitation, &mut Effects<Invitation>),
    ) {
        procedure(self, fx);
        if let Some(changed) = self.cells.take_change() {
            fx.save_first(changed);
        }
    }
}
