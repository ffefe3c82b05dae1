//! The Bully algorithm in its parallel form: Garcia-Molina 1982, Appendix I; the highest node that is up coordinates.
//!
//! The procedures bear the paper's names. A CALL is a numbered request; the calls of one phase are made at once,
//! highest node first, and wait T together. With `errata = false` the machine is the paper's of 1982, hole B1 and all;
//! the slips of the book's listings (10.18 to 10.21: no way out of Election, a dead node re-elected at every Check, no
//! STOP, counted answers) are in neither reading.
//!
//! Invariant: after STOP no answer and no time-out of an earlier process has any effect.

mod card;
mod message;
mod procedures;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod tests;

use card as line;
pub use message::Message;
use serde::{Deserialize, Serialize};

use crate::election::garcia_molina::{Reading, save_first};
use crate::protocol::{
    Algorithm, CallNumber, CallNumbers, Card, Effects, Incarnation, NodeId, NodeSet, Order, Roster, Round, Setup,
    StateVector, Status, Task, Timing,
};

/// One node of the Bully algorithm.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Bully {
    me: NodeId,
    roster: Roster,
    timing: Timing,
    reading: Reading,
    incarnation: Incarnation,
    calls: CallNumbers,
    tasks: u32,
    status: Status,
    cells: SafeCells,
    /// An Election that asks the higher nodes. A second Election that comes to ask meanwhile is this one.
    asking: Option<Round>,
    /// An Election that has called STOP. A later one may be asking beside it: its STOP ends this one.
    reforming: Option<Phase>,
    /// Check's question to all.
    checking: Option<Round>,
    /// Timeout's question to the coordinator.
    inquiring: Option<Round>,
}

/// The state vector without the status, which a crash changes: what the paper keeps in safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct SafeCells {
    /// The coordinator `c`.
    pub coordinator: Option<NodeId>,
    /// The task definition `d`.
    pub task: Option<Task>,
    /// Who halted it last, `h`.
    pub halted_by: Option<NodeId>,
    /// Who else is in the group, `Up`.
    pub up: NodeSet,
}

/// Bully's timers. All but the first two wait T for the answers of a round.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// Check is due.
    Check,
    /// The coordinator, or who has halted this node, has been silent for too long.
    Timeout,
    /// Check's AreYouNormal.
    AreYouNormal,
    /// Timeout's AreYouThere to the coordinator.
    CoordinatorThere,
    /// Election's AreYouThere to the higher nodes.
    AreYouThere,
    /// Election's Halt.
    Halt,
    /// Election's NewCoordinator.
    NewCoordinator,
    /// Election's Ready.
    Ready,
}

/// How far an Election is that has called STOP.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Phase {
    Halting(Round),
    Announcing(Round),
    GivingOut(Round),
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
            reading: Reading::of(&setup.settings),
            incarnation: setup.incarnation,
            calls: CallNumbers::new(setup.incarnation),
            tasks: 0,
            status: Status::Down,
            cells: saved.unwrap_or_default(),
            asking: None,
            reforming: None,
            checking: None,
            inquiring: None,
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
                Message::NewCoordinatorAnswer { call } => node.new_coordinator_answered(from, call, fx),
                Message::ReadyAnswer { call } => node.ready_answered(from, call, fx),
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
            Timer::AreYouNormal => {
                node.checking = None;
                fx.line(line::CHECK_SILENT);
            }
            Timer::CoordinatorThere => {
                node.inquiring = None;
                fx.line(line::TIMEOUT_SILENT);
                node.election(fx);
            }
            Timer::AreYouThere => {
                node.asking = None;
                node.become_candidate(fx);
            }
            Timer::Halt => node.become_coordinator(fx),
            Timer::NewCoordinator | Timer::Ready => {
                node.reforming = None;
                fx.line(line::ELECTION_AGAIN);
                node.election(fx);
            }
        });
    }

    fn on_order(&mut self, order: Order, fx: &mut Effects<Bully>) {
        self.step(fx, |node, fx| match order {
            Order::Elect => {
                fx.line(line::ORDER);
                node.election(fx);
            }
        });
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        let silent = |round: &Option<Round>| round.as_ref().map_or(NodeSet::EMPTY, Round::silent);
        match (timer, &self.reforming) {
            (Timer::Timeout, _) => self.listens_to().into_iter().filter(|node| *node != self.me).collect(),
            (Timer::AreYouNormal, _) => silent(&self.checking),
            (Timer::CoordinatorThere, _) => silent(&self.inquiring),
            (Timer::AreYouThere, _) => silent(&self.asking),
            (Timer::Halt, Some(Phase::Halting(round)))
            | (Timer::NewCoordinator, Some(Phase::Announcing(round)))
            | (Timer::Ready, Some(Phase::GivingOut(round))) => round.silent(),
            (Timer::Check | Timer::Halt | Timer::NewCoordinator | Timer::Ready, _) => NodeSet::EMPTY,
        }
    }

    fn state(&self) -> StateVector {
        StateVector {
            status: self.status,
            word: self.status.to_string().into(),
            coordinator: self.cells.coordinator,
            group: None,
            task: self.cells.task,
            up: self.cells.up,
            halted_by: self.cells.halted_by,
            election: None,
        }
    }
}

/// What the paper's operating system does.
impl Bully {
    /// CALL STOP: every process ends, and what it waited for is forgotten. Check and Timeout will be called again.
    fn stop(&mut self, fx: &mut Effects<Bully>) {
        let reforming = self.reforming.take().map(|phase| match phase {
            Phase::Halting(_) => Timer::Halt,
            Phase::Announcing(_) => Timer::NewCoordinator,
            Phase::GivingOut(_) => Timer::Ready,
        });
        let asking = self.asking.take().map(|_| Timer::AreYouThere);
        let checking = self.checking.take().map(|_| Timer::AreYouNormal);
        let inquiring = self.inquiring.take().map(|_| Timer::CoordinatorThere);
        for timer in [reforming, asking, checking, inquiring].into_iter().flatten() {
            fx.cancel_timer(timer);
        }
    }

    /// Calls a procedure at all of these, highest first; the timer ends the round after T.
    fn call(
        &mut self,
        nodes: NodeSet,
        timer: Timer,
        fx: &mut Effects<Bully>,
        message: impl FnOnce(CallNumber) -> Message,
    ) -> Round {
        let number = self.calls.give_out();
        fx.send_each(nodes, message(number));
        fx.set_timer(timer, self.timing.t);
        Round::new(number, nodes)
    }

    /// Whose silence counts: the coordinator's, and while there is none that of the one that has halted this node.
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

    /// One step: what it changes in the safe cells is saved before anything that it sends.
    fn step(&mut self, fx: &mut Effects<Bully>, procedure: impl FnOnce(&mut Bully, &mut Effects<Bully>)) {
        let before = self.cells.clone();
        let mut done = Effects::new(fx.capacity());
        procedure(self, &mut done);
        save_first((self.cells != before).then(|| self.cells.clone()), done, fx);
    }
}
