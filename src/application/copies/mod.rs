//! Replicated data updating by election (King, Gendreau and Ni 1988, section 7, item 3): only the process that has
//! gained control of a majority of the replicated data updates it.
//!
//! The data is a counter. Each process holds a copy of a weight, and the weight is its capacity; so the heaviest copy
//! is elected. That is not enough: in a part of the network the heaviest one may be alone. The paper does not say how a
//! process gains control, so this is ours. Before each update the master binds copies of more than half of all weight
//! to a version that is larger than all they know, goes on from the latest of them, and writes to more than half. Any
//! two such majorities have a copy in common: so it sees every update that was acknowledged, and a master that has lost
//! its copies to another one writes nothing. The master does one order at a time. An order is done at most once: one
//! whose master is gone while it may have begun is given up, in doubt.
//!
//! Invariant: a copy is bound to the largest version that it has told of or holds, and takes nothing that is smaller;
//! what is told has been kept before.

mod card;
mod judge;
mod machine;
mod master;
mod member;
mod message;
#[cfg(test)]
mod tests;
mod words;

use std::collections::VecDeque;

use self::card as line;
pub use self::machine::{CopyCells, CopyTimer, CounterCopies};
use self::machine::{CopyEffects, CopyRole, ORDERS_MAX};
pub use self::message::{CopyMessage, CopyOrder, CopyOutcome};
use crate::LabApplication;
use protocol::{
    Application, ApplicationCard, ApplicationEntry, CAPACITIES, CopyWork, NodeId, NodeMap, NodeSet, OrderId,
    RefusalReason, Settings, Setup, StateVector, Status, TaskId, Work,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<CounterCopies>(),
    judge: judge::of,
    did: words::did,
    row: words::row,
    fields: words::fields,
};

impl Application for CounterCopies {
    type Message = CopyMessage;
    type Timer = CopyTimer;
    type Saved = CopyCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, _: &Settings, saved: Option<CopyCells>) -> CounterCopies {
        CounterCopies {
            me: setup.me,
            incarnation: setup.incarnation,
            others: setup.roster.others(setup.me),
            weights: setup.settings.numbers(CAPACITIES.name).to_vec(),
            t: setup.timing.t,
            check: setup.timing.check,
            cells: saved.unwrap_or_default(),
            status: Status::Down,
            role: CopyRole::Away,
            handed: None,
            waiting: VecDeque::new(),
            serial: 0,
            outcomes: NodeMap::new(),
            refused: None,
            doubted: None,
            acknowledged: None,
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut CopyEffects) {
        let now = TaskId::at_work(state);
        self.status = state.status;
        if self.task().is_some_and(|task| now != Some(task)) {
            self.become_away(fx);
        }
        if let (Some(task), Some(master), CopyRole::Away) = (now, state.believes_in(), &self.role) {
            if master == self.me {
                self.become_master(task, fx);
            } else {
                self.role = CopyRole::Member { task, master };
                self.hand_next(fx);
            }
        }
    }

    fn on_message(&mut self, from: NodeId, message: CopyMessage, fx: &mut CopyEffects) {
        match &self.role {
            CopyRole::Away => {}
            CopyRole::Member { master, .. } if *master == from => self.hear_master(from, message, fx),
            CopyRole::Member { .. } => {}
            CopyRole::Master(_) => self.hear_member(from, message, fx),
        }
    }

    fn on_timer(&mut self, timer: CopyTimer, fx: &mut CopyEffects) {
        match timer {
            CopyTimer::Ask => self.ask(fx),
            CopyTimer::Again => self.ask_again(fx),
            CopyTimer::Knock => self.knock(fx),
        }
    }

    fn on_update(&mut self, value: i32, fx: &mut CopyEffects) {
        let waiting = self.orders();
        if let CopyRole::Away = self.role {
            return self.refuse(value, RefusalReason::NotNormal(self.status), fx);
        }
        if waiting >= ORDERS_MAX {
            return self.refuse(value, RefusalReason::QueueFull(waiting as u16), fx);
        }
        fx.line(line::ORDER);
        self.serial += 1;
        let id = OrderId { node: self.me, incarnation: self.incarnation, serial: self.serial };
        self.waiting.push_back(CopyOrder { id, value });
        self.hand_next(fx);
    }

    fn waits_for(&self, timer: CopyTimer) -> NodeSet {
        match (timer, &self.role) {
            (CopyTimer::Again | CopyTimer::Knock, CopyRole::Master(reign)) => self.others.minus(&reign.answered()),
            _ => NodeSet::EMPTY,
        }
    }

    fn work(&self) -> Work {
        let control = match &self.role {
            CopyRole::Master(reign) => reign.control.map(|control| self.weight_of(control)),
            CopyRole::Away | CopyRole::Member { .. } => None,
        };
        Work::Copies(CopyWork {
            held: self.cells.held,
            control,
            waiting: self.orders() as u16,
            refused: self.refused,
            doubted: self.doubted,
            acknowledged: self.acknowledged,
        })
    }
}
