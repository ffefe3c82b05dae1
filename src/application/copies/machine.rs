//! The machine of the copies: what a process keeps and knows, and what it does with its own orders under any master.
//!
//! Invariant: its copy and what that is bound to are in the safe cells as they are here when a step ends.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::card as line;
use super::message::{CopyOrder, CopyOutcome};
use protocol::{
    AcknowledgedCopy, ApplicationEffects, CopyVersion, DoubtedUpdate, HeldCopy, Incarnation, NodeId, NodeMap, NodeSet,
    OrderId, RefusalReason, RefusedUpdate, Span, Status, TaskId, WeightShare,
};

/// How many orders may wait at a process; another one is refused.
pub(super) const ORDERS_MAX: usize = 8;

protocol::worded! {
    /// The timers of the copies.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum CopyTimer {
        /// At a member: the master has not answered.
        Ask = "outcome of an order",
        /// At the master: some have not answered.
        Again = "answers within 2T",
        /// At the master: some do not hold the latest write.
        Knock = "a sign of those that lag",
    }
}

/// What is kept in the safe cells.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct CopyCells {
    /// The copy.
    pub held: HeldCopy,
    /// The version that it is bound to.
    pub bound: Option<CopyVersion>,
}

/// One process's part.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct CounterCopies {
    pub(super) me: NodeId,
    pub(super) incarnation: Incarnation,
    pub(super) others: NodeSet,
    /// The weight of each copy, from node 1 on.
    pub(super) weights: Vec<u32>,
    pub(super) t: Span,
    pub(super) check: Span,
    pub(super) cells: CopyCells,
    pub(super) status: Status,
    pub(super) role: CopyRole,
    /// The order that the present master has.
    pub(super) handed: Option<CopyOrder>,
    /// Those that wait for it.
    pub(super) waiting: VecDeque<CopyOrder>,
    /// How many orders were taken in this life.
    pub(super) serial: u32,
    /// What it has told each process of its last order. It is kept from one reign to the next one: a master that is
    /// elected, takes part in an election without an end, and is master as before, is asked again by those that never
    /// noticed.
    pub(super) outcomes: NodeMap<(OrderId, CopyOutcome)>,
    pub(super) refused: Option<RefusedUpdate>,
    pub(super) doubted: Option<DoubtedUpdate>,
    pub(super) acknowledged: Option<AcknowledgedCopy>,
}

/// What the process is in its group.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum CopyRole {
    /// Is not at work.
    Away,
    /// Works under this master.
    Member { task: TaskId, master: NodeId },
    /// Is the master.
    Master(Box<MasterTerm>),
}

/// A master between its election and the next one.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct MasterTerm {
    pub task: TaskId,
    /// What it asks or writes with.
    pub version: CopyVersion,
    pub phase: MasterPhase,
    /// Orders that wait their turn.
    pub queue: VecDeque<CopyOrder>,
    /// Those that have answered since it last knew how much it controls.
    pub control: Option<NodeSet>,
}

/// What a master is at.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum MasterPhase {
    /// Asks for copies, to do this order, or because it is elected.
    Reads {
        order: Option<CopyOrder>,
        /// Those that are bound to its version.
        answered: NodeSet,
        /// The largest copy of theirs.
        largest: HeldCopy,
        tries: u8,
    },
    /// Writes.
    Writes {
        order: Option<CopyOrder>,
        /// Those that hold it.
        written: NodeSet,
        tries: u8,
    },
    /// No order waits.
    Rests {
        /// Those that hold the last write.
        written: NodeSet,
    },
}

impl MasterTerm {
    /// Those from which it waits for nothing.
    pub fn answered(&self) -> NodeSet {
        match &self.phase {
            MasterPhase::Reads { answered, .. } => *answered,
            MasterPhase::Writes { written, .. } | MasterPhase::Rests { written } => *written,
        }
    }

    /// One more is bound to its version, or holds its write.
    pub fn take_control_of(&mut self, node: NodeId) {
        if let Some(control) = &mut self.control {
            control.insert(node);
        }
    }
}

pub(super) type CopyEffects = ApplicationEffects<CounterCopies>;

impl CounterCopies {
    pub(super) fn task(&self) -> Option<TaskId> {
        match &self.role {
            CopyRole::Away => None,
            CopyRole::Member { task, .. } => Some(*task),
            CopyRole::Master(reign) => Some(reign.task),
        }
    }

    /// How many orders of this process wait.
    pub(super) fn orders(&self) -> usize {
        self.waiting.len() + usize::from(self.handed.is_some())
    }

    /// How much these weigh together.
    pub(super) fn weight_of(&self, nodes: NodeSet) -> WeightShare {
        let weight = |node: NodeId| u64::from(self.weights.get(usize::from(node.get()) - 1).copied().unwrap_or(0));
        WeightShare { have: nodes.iter().map(weight).sum(), of: self.weights.iter().map(|of| u64::from(*of)).sum() }
    }

    pub(super) fn keep(&self, fx: &mut CopyEffects) {
        fx.save(self.cells);
    }

    pub(super) fn refuse(&mut self, value: i32, why: RefusalReason, fx: &mut CopyEffects) {
        fx.line(line::REFUSE);
        let times = self.refused.map_or(0, |refused| refused.times) + 1;
        self.refused = Some(RefusedUpdate { times, value, why });
    }

    pub(super) fn doubt(&mut self, value: i32, fx: &mut CopyEffects) {
        fx.line(line::DOUBT);
        let times = self.doubted.map_or(0, |doubted| doubted.times) + 1;
        self.doubted = Some(DoubtedUpdate { times, value });
    }

    /// What became of the order that the master has.
    pub(super) fn hear_outcome(&mut self, id: OrderId, outcome: CopyOutcome, fx: &mut CopyEffects) {
        let Some(order) = self.handed.take_if(|handed| handed.id == id) else { return };
        fx.cancel_timer(CopyTimer::Ask);
        match outcome {
            CopyOutcome::Done(held) => {
                fx.line(line::ACKNOWLEDGE);
                let times = self.acknowledged.map_or(0, |acknowledged| acknowledged.times) + 1;
                self.acknowledged = Some(AcknowledgedCopy { times, id, held });
            }
            CopyOutcome::Refused(why) => self.refuse(order.value, why, fx),
            CopyOutcome::InDoubt => self.doubt(order.value, fx),
        }
        self.hand_next(fx);
    }

    /// The master gets the next order, if it has none of this process.
    pub(super) fn hand_next(&mut self, fx: &mut CopyEffects) {
        if self.handed.is_some() {
            return;
        }
        match &self.role {
            CopyRole::Away => {}
            CopyRole::Member { .. } => {
                self.handed = self.waiting.pop_front();
                self.ask(fx);
            }
            CopyRole::Master(_) => {
                self.handed = self.waiting.pop_front();
                self.handed.into_iter().for_each(|order| self.take_order(order, fx));
            }
        }
    }

    /// What the master has not begun waits for the next one; of anything else nobody here knows what becomes.
    pub(super) fn become_away(&mut self, fx: &mut CopyEffects) {
        fx.line(line::STOP);
        let role = std::mem::replace(&mut self.role, CopyRole::Away);
        [CopyTimer::Ask, CopyTimer::Again, CopyTimer::Knock].into_iter().for_each(|timer| fx.cancel_timer(timer));
        let Some(order) = self.handed.take() else { return };
        let is_begun = match role {
            CopyRole::Master(reign) => {
                matches!(reign.phase, MasterPhase::Writes { order: Some(begun), .. } if begun == order)
            }
            CopyRole::Away | CopyRole::Member { .. } => true,
        };
        if is_begun {
            self.doubt(order.value, fx);
        } else {
            self.waiting.push_front(order);
        }
    }
}
