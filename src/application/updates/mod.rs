//! Updates of a replicated counter: operations that only a group with a majority of all nodes does (Garcia-Molina 1982,
//! section IV.B: restricted operations), by two-phase commit inside the group.
//!
//! Every process keeps the log of all updates in its safe cells, and at most one update that is prepared. The process
//! that takes an order asks its coordinator until the update is in its own log. The coordinator does one update at a
//! time: it asks all members that answer, and decides. Two-phase commit blocks: after the coordinator has died, its
//! voters may be in doubt. A process that is in doubt keeps that over elections and crashes, and reports it to each new
//! coordinator, which settles it if the group knows enough, and does nothing else before that.
//!
//! The paper has the history of the groups tell which updates conflict where no group asks for a majority. With
//! `majority = false` every group does updates, each update knows what it builds on, and a merged group first makes the
//! union of the logs of its members (`graph`): it lists the updates of which neither builds on the other.
//!
//! Invariant: an update is in a log only after processes that are a majority of all nodes have prepared it, if that is
//! the rule; what is told has been kept before; a message of an older group decides nothing.

mod card;
mod commit;
mod conditions;
mod coordinator;
mod graph;
mod judge;
mod log;
mod machine;
mod member;
mod message;
mod settle;
#[cfg(test)]
mod tests;
mod version;
mod words;

use std::collections::VecDeque;

pub use self::conditions::{BLOCKED, CONFLICTS, LOGGED};
use card as line;
use log::UpdateLog;
use machine::{AskedUpdate, GroupRole, OwnOrder, UpdateEffects, UpdateRule};
pub use machine::{UpdateCells, UpdateTimer, Updates};
pub use message::{BuiltUpdate, LogPart, LogStanding, Proposal, UpdateMessage};
pub use version::LogVersion;

use crate::LabApplication;
use protocol::{
    Application, ApplicationCard, ApplicationEntry, NodeId, NodeMap, NodeSet, OrderId, RefusalReason, Settings, Setup,
    StateVector, Status, TaskId, UpdateWork, Work,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<Updates>(),
    judge: judge::of,
    did: words::did,
    row: words::row,
    fields: words::fields,
};

impl Application for Updates {
    type Message = UpdateMessage;
    type Timer = UpdateTimer;
    type Saved = UpdateCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<UpdateCells>) -> Updates {
        let UpdateCells { updates, prepared, built } = saved.unwrap_or_default();
        let shape = card::shape(settings);
        let (rule, log) = match shape.may_conflict {
            false => (UpdateRule::Majority, UpdateLog::of(&updates)),
            true => (UpdateRule::AnyGroup, UpdateLog::graph_of(&built)),
        };
        Updates {
            me: setup.me,
            incarnation: setup.incarnation,
            nodes: usize::from(setup.roster.len()),
            rule,
            t: setup.timing.t,
            silence: setup.timing.silence,
            log_max: shape.updates_max,
            orders_max: settings.number(card::ORDERS) as usize,
            log,
            prepared,
            status: Status::Down,
            coordinator: None,
            group: None,
            role: GroupRole::Away,
            reports: NodeMap::new(),
            orders: VecDeque::new(),
            serial: 0,
            refused: None,
            acknowledged: None,
            learnt: Vec::new(),
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut UpdateEffects) {
        self.learnt.clear();
        let at_work_on = TaskId::at_work(state);
        if self.task().is_some_and(|task| at_work_on != Some(task)) {
            self.stop(fx);
        }
        if state.status == Status::Election && (self.status, self.group) != (state.status, state.group) {
            // Members join anew.
            self.reports.clear();
        }
        (self.status, self.coordinator, self.group) = (state.status, state.coordinator, state.group);
        if let (Some(task), GroupRole::Away, Some(of_group)) = (at_work_on, &self.role, &state.task) {
            let among = of_group.members.union(&NodeSet::of(of_group.author));
            match state.believes_in() {
                Some(coordinator) if coordinator == self.me => self.become_coordinator(task, state.up, fx),
                Some(coordinator) => self.become_member(task, coordinator, among, fx),
                None => {}
            }
        }
    }

    fn on_message(&mut self, from: NodeId, message: UpdateMessage, fx: &mut UpdateEffects) {
        self.learnt.clear();
        match &self.role {
            _ if !self.is_of_rule(&message) => {}
            GroupRole::Away => {}
            GroupRole::Member { coordinator, .. } if *coordinator != from => {}
            GroupRole::Member { .. } => self.hear_coordinator(from, message, fx),
            GroupRole::Coordinator(lead) if lead.among.contains(from) => self.hear_member(from, message, fx),
            GroupRole::Coordinator(_) => {}
        }
    }

    fn on_timer(&mut self, timer: UpdateTimer, fx: &mut UpdateEffects) {
        self.learnt.clear();
        match timer {
            UpdateTimer::Request => {
                self.submit(fx);
                self.advance(fx);
            }
            UpdateTimer::Doubt => self.ask(fx),
            UpdateTimer::Resend => self.send_again(fx),
            UpdateTimer::Silent => self.go_on_without_the_silent(fx),
            UpdateTimer::Knock => self.knock(fx),
        }
    }

    fn on_update(&mut self, value: i32, fx: &mut UpdateEffects) {
        self.learnt.clear();
        let (have, of) = (self.among().len() as u16, self.nodes as u16);
        let why = match &self.role {
            GroupRole::Away => Some(RefusalReason::NotNormal(self.status)),
            _ if !self.are_enough(self.among()) => Some(RefusalReason::NoMajority { have, of }),
            _ if self.orders.len() >= self.orders_max => Some(RefusalReason::QueueFull(self.orders.len() as u16)),
            _ => None,
        };
        if let Some(why) = why {
            return self.refuse(value, why, fx);
        }
        fx.line(line::ORDER);
        self.serial += 1;
        let id = OrderId { node: self.me, incarnation: self.incarnation, serial: self.serial };
        self.orders.push_back(OwnOrder { asked: AskedUpdate { id, value }, first: None });
        if self.orders.len() == 1 {
            self.submit(fx);
            self.advance(fx);
        }
    }

    fn report(&self) -> Option<UpdateMessage> {
        Some(UpdateMessage::Report(self.standing(), self.group))
    }

    fn on_report(&mut self, from: NodeId, report: UpdateMessage, fx: &mut UpdateEffects) {
        self.learnt.clear();
        let UpdateMessage::Report(standing, group) = report else { return };
        // A report comes late if it is of another group than the one that this process is about to form.
        let is_of_this = match group {
            Some(_) => group == self.group,
            None => self.status == Status::Reorganization,
        };
        if self.coordinator == Some(self.me) && is_of_this {
            fx.line(line::REPORT);
            self.reports.insert(from, standing);
        }
    }

    fn definition(&self) -> Option<UpdateMessage> {
        None
    }

    fn waits_for(&self, timer: UpdateTimer) -> NodeSet {
        match (timer, &self.role) {
            // A member waits for an outcome, and its coordinator may well have answered meanwhile.
            (UpdateTimer::Resend | UpdateTimer::Silent, GroupRole::Coordinator(lead)) => lead.owing(),
            _ => NodeSet::EMPTY,
        }
    }

    fn work(&self) -> Work {
        let blocked = match &self.role {
            GroupRole::Coordinator(lead) => lead.blocked,
            _ => None,
        };
        Work::Updates(UpdateWork {
            length: self.log.length(),
            counter: self.log.counter(),
            digest: self.log.digest(),
            last: self.log.updates().last().copied(),
            in_doubt: self.prepared,
            blocked,
            waiting: self.orders.len() as u16,
            refused: self.refused,
            acknowledged: self.acknowledged,
            learnt: self.learnt.clone(),
            conflicts: self.log.conflicts().cloned().map(Box::new),
        })
    }
}
