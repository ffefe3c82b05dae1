//! The Bully algorithm: Garcia-Molina 1982, Appendix I; the highest node that is up coordinates.
//!
//! `procedures` has the paper's procedures, each under its text, and `calls` the four forms in which they make their
//! calls: one after another as in the paper, or those of a phase all at once, as in the book, or in two ways that fall. With `errata = false` the
//! machine is the paper's of 1982, with holes B1, B8 and B9, or with `letter = "book"` that of the listings of 1997, which
//! have those three as well and add their own: `book`.
//!
//! Invariant: after STOP no answer and no time-out of an earlier process has any effect.

mod book;
mod calls;
mod card;
mod message;
mod procedures;
#[cfg(test)]
mod tests;

use book::FailedMember;
use calls::{CallForm, Loops};
use card as line;
pub use message::Message;
use serde::{Deserialize, Serialize};

use crate::garcia_molina::Cells;
use protocol::{
    Algorithm, CallNumbers, Card, Effects, Incarnation, Mends, NodeId, NodeSet, Roster, Setup, StateVector, Status,
    Task, Timing,
};

/// One node of the Bully algorithm.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Bully {
    me: NodeId,
    roster: Roster,
    timing: Timing,
    mends: Mends,
    form: CallForm,
    failed_member: FailedMember,
    incarnation: Incarnation,
    numbers: CallNumbers,
    tasks: u32,
    status: Status,
    cells: Cells<SafeCells>,
    /// The running loops of calls, by the timer that waits for their answers. An Election that asks the higher nodes
    /// may run beside one that has called STOP: the STOP of the asking Election then ends the other.
    loops: Loops,
}

/// The state vector without the status, which a crash changes: what the paper keeps in safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct SafeCells {
    /// The coordinator `c`.
    pub coordinator: Option<NodeId>,
    /// The task definition `d`.
    pub task: Option<Task>,
    /// The node that halted it last, `h`.
    pub halted_by: Option<NodeId>,
    /// The other nodes of the group, `Up`.
    pub up: NodeSet,
}

protocol::worded! {
    /// Bully's timers. All but the first two wait T for answers, and name the loop of calls that waits.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum Timer {
        /// Check is due.
        Check = "Check",
        /// The coordinator, or the node that has halted this one, has been silent for too long.
        Timeout = "Timeout",
        /// Check's AreYouNormal.
        AreYouNormal = "answers to AreYouNormal",
        /// Timeout's AreYouThere to the coordinator.
        CoordinatorThere = "answer of the coordinator to AreYouThere",
        /// Election's AreYouThere to the higher nodes.
        AreYouThere = "answers to AreYouThere",
        /// Election's Halt.
        Halt = "answers to Halt",
        /// Election's NewCoordinator.
        NewCoordinator = "answers to NewCoordinator",
        /// Election's Ready.
        Ready = "answers to Ready",
    }
}

impl Algorithm for Bully {
    type Message = Message;
    type Timer = Timer;
    type Saved = SafeCells;
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Bully>) -> Bully {
        let mut node = Bully {
            me: setup.me,
            roster: setup.roster,
            timing: setup.timing,
            mends: Mends::of(&setup.settings, card::HOLES),
            form: CallForm::of(&setup.settings),
            failed_member: FailedMember::of(&setup.settings),
            incarnation: setup.incarnation,
            numbers: CallNumbers::new(setup.incarnation),
            tasks: 0,
            status: Status::Down,
            cells: Cells::new(saved.unwrap_or_default()),
            loops: Loops::default(),
        };
        node.step(fx, |node, fx| {
            fx.set_timer(Timer::Check, node.timing.check);
            node.hear_coordinator(fx);
            node.recovery(fx);
        });
        node
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Effects<Bully>) {
        self.step(fx, |node, fx| {
            match message {
                Message::AreYouThere { call } => node.are_you_there(from, call, fx),
                Message::AreYouNormal { call } => node.are_you_normal(from, call, fx),
                Message::Halt { call } => node.halt(from, call, fx),
                Message::NewCoordinator { call } => node.new_coordinator(from, call, fx),
                Message::Ready { call, task } => node.ready(from, call, task, fx),
                Message::AreYouThereAnswer { call } => node.are_you_there_answered(from, call, fx),
                Message::AreYouNormalAnswer { call, normal } => node.are_you_normal_answered(from, call, normal, fx),
                Message::HaltAnswer { call } => node.halt_answered(from, call, fx),
                Message::NewCoordinatorAnswer { call } => node.member_answered(Timer::NewCoordinator, from, call, fx),
                Message::ReadyAnswer { call } => node.member_answered(Timer::Ready, from, call, fx),
            }
            if node.listens_to() == Some(from) {
                node.hear_coordinator(fx);
            }
        });
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        self.step(fx, |node, fx| match timer {
            Timer::Check => {
                fx.set_timer(Timer::Check, node.timing.check);
                node.check(fx);
            }
            Timer::Timeout => {
                node.hear_coordinator(fx);
                node.timeout(fx);
            }
            call => node.hears_nothing(call, fx),
        });
    }

    fn on_elect(&mut self, fx: &mut Effects<Bully>) {
        self.step(fx, |node, fx| {
            fx.line(line::ORDER);
            node.election(fx);
        });
    }

    fn on_start_over(&mut self, fx: &mut Effects<Bully>) {
        self.step(fx, |node, fx| {
            fx.line(line::ORDER_START_OVER);
            node.recovery(fx);
        });
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Check => NodeSet::EMPTY,
            Timer::Timeout => self.listens_to().into_iter().filter(|node| *node != self.me).collect(),
            call => self.silent(call),
        }
    }

    fn state(&self) -> StateVector {
        StateVector {
            task: self.cells.task,
            up: self.cells.up,
            halted_by: self.cells.halted_by,
            ..StateVector::new(self.status, self.status.word(), self.cells.coordinator)
        }
    }
}

/// The holes of the paper and of the book's listings, each with a mend of its own.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Hole {
    B1,
    B2,
    B3,
    B4,
    B5,
    B7,
    B8,
    B9,
}

impl Bully {
    /// Whether the hole is mended, or is not in the text that is followed.
    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }
}

/// What the paper's operating system does.
impl Bully {
    /// CALL STOP: every process ends, and what it waited for is forgotten. Check and Timeout will be called again.
    fn stop(&mut self, fx: &mut Effects<Bully>) {
        self.loops.take_timers().for_each(|timer| fx.cancel_timer(timer));
    }

    /// The node whose silence counts: the coordinator, and while there is none, the node that has halted this one.
    fn listens_to(&self) -> Option<NodeId> {
        match self.status {
            Status::Normal | Status::Reorganization => self.cells.coordinator,
            Status::Election => self.cells.halted_by,
            Status::Down => None,
        }
    }

    /// From now on the silence is counted anew. Timeout runs in every status, so this timer is never stopped.
    fn hear_coordinator(&mut self, fx: &mut Effects<Bully>) {
        fx.set_timer(Timer::Timeout, self.timing.silence);
    }

    /// One step: its changes of the safe cells are saved before any of its messages leaves.
    fn step(&mut self, fx: &mut Effects<Bully>, procedure: impl FnOnce(&mut Bully, &mut Effects<Bully>)) {
        procedure(self, fx);
        if let Some(changed) = self.cells.take_change() {
            fx.save_first(changed);
        }
    }
}
