//! Updates of a replicated counter: operations that only a group with a majority of all nodes does (Garcia-Molina 1982,
//! section IV.B: restricted operations), by two-phase commit inside the group.
//!
//! Every process keeps the log of all updates in its safe cells, and at most one update that is prepared. The process
//! that takes an order asks its coordinator until the update is in its own log. The coordinator does one update at a
//! time: it asks all members that answer, and decides. Two-phase commit blocks: after the coordinator has died, its
//! voters may be in doubt. A process that is in doubt keeps that over elections and crashes, and reports it to each new
//! coordinator, which settles it if the group knows enough, and does nothing else before that.
//!
//! Invariant: an update is in a log only after processes that are a majority of all nodes have prepared it; what is
//! told has been kept before; a message of an older group decides nothing.

mod card;
mod commit;
mod lead;
mod log;
mod member;
mod message;
mod settle;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use card as line;
pub use card::LOG;
use lead::Lead;
use log::UpdateLog;
pub use message::{LogPart, LogStanding, Proposal, UpdateMessage};
use serde::{Deserialize, Serialize};

use crate::protocol::{
    AcknowledgedUpdate, Application, ApplicationCard, ApplicationEffects, GroupNumber, Incarnation, LoggedUpdate,
    NodeId, NodeSet, Order, PreparedUpdate, RefusalReason, RefusedUpdate, Settings, Setup, Span, StateVector, Status,
    TaskId, UpdateId, UpdateWork, Work,
};

/// One process's part in the updates.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Updates {
    me: NodeId,
    incarnation: Incarnation,
    nodes: usize,
    t: Span,
    silence: Span,
    log_max: u32,
    orders_max: usize,
    /// What is in the safe cells.
    log: UpdateLog,
    /// What is prepared. It is in the safe cells too.
    prepared: Option<PreparedUpdate>,
    /// The status, coordinator and group number of the process.
    status: Status,
    coordinator: Option<NodeId>,
    group: Option<GroupNumber>,
    place: Place,
    /// What those have told that join the group that this process is to coordinate.
    reports: BTreeMap<NodeId, LogStanding>,
    /// The orders that were taken here and are not in the log yet. The coordinator is asked for the first one.
    orders: VecDeque<OwnOrder>,
    /// How many orders were taken in this life.
    serial: u32,
    refused: Option<RefusedUpdate>,
    acknowledged: Option<AcknowledgedUpdate>,
}

/// An update that was ordered here.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
struct OwnOrder {
    asked: AskedUpdate,
    /// The group whose coordinator was asked first. Once another one is asked, nobody knows whether the first one has
    /// done it, before a group with a majority has settled everything.
    first: Option<TaskId>,
}

/// An update that a coordinator is asked to do.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
struct AskedUpdate {
    id: UpdateId,
    value: i32,
}

/// What the process is in its group.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Place {
    /// It is not at work.
    Away,
    /// It works under this coordinator.
    Member { task: TaskId, coordinator: NodeId, among: NodeSet },
    /// It coordinates.
    Coordinator(Box<Lead>),
}

/// What is kept in the safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct UpdateCells {
    updates: Vec<LoggedUpdate>,
    prepared: Option<PreparedUpdate>,
}

/// The timers of the updates.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum UpdateTimer {
    /// An order is not in the log yet.
    Request,
    /// At a member: it is in doubt.
    Doubt,
    /// At the coordinator: somebody has not answered for T.
    Resend,
    /// At the coordinator: somebody is silent.
    Silent,
    /// At the coordinator: somebody did not answer, and may hear now.
    Knock,
}

/// What it waits for.
impl fmt::Display for UpdateTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UpdateTimer::Request => "update in one's own log",
            UpdateTimer::Doubt => "outcome of what is in doubt",
            UpdateTimer::Resend => "answers within T",
            UpdateTimer::Silent => "answers of members",
            UpdateTimer::Knock => "a sign of those left out",
        })
    }
}

type UpdateEffects = ApplicationEffects<Updates>;

impl Application for Updates {
    type Message = UpdateMessage;
    type Timer = UpdateTimer;
    type Saved = UpdateCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<UpdateCells>) -> Updates {
        let UpdateCells { updates, prepared } = saved.unwrap_or_default();
        Updates {
            me: setup.me,
            incarnation: setup.incarnation,
            nodes: usize::from(setup.roster.len()),
            t: setup.timing.t,
            silence: setup.timing.silence,
            log_max: settings.number(card::LOG) as u32,
            orders_max: settings.number(card::ORDERS) as usize,
            log: UpdateLog::of(&updates),
            prepared,
            status: Status::Down,
            coordinator: None,
            group: None,
            place: Place::Away,
            reports: BTreeMap::new(),
            orders: VecDeque::new(),
            serial: 0,
            refused: None,
            acknowledged: None,
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut UpdateEffects) {
        let at_work_on = TaskId::at_work(state);
        if self.task().is_some_and(|task| at_work_on != Some(task)) {
            self.stop(fx);
        }
        if state.status == Status::Election && (self.status, self.group) != (state.status, state.group) {
            // Members join anew.
            self.reports.clear();
        }
        (self.status, self.coordinator, self.group) = (state.status, state.coordinator, state.group);
        if let (Some(task), Place::Away, Some(of_group)) = (at_work_on, &self.place, &state.task) {
            let among = of_group.members.union(&NodeSet::of(of_group.author));
            match state.believes_in() {
                Some(coordinator) if coordinator == self.me => self.become_coordinator(task, state.up, fx),
                Some(coordinator) => self.become_member(task, coordinator, among, fx),
                None => {}
            }
        }
    }

    fn on_message(&mut self, from: NodeId, message: UpdateMessage, fx: &mut UpdateEffects) {
        match &self.place {
            Place::Away => {}
            Place::Member { coordinator, .. } if *coordinator != from => {}
            Place::Member { .. } => self.hear_coordinator(from, message, fx),
            Place::Coordinator(lead) if lead.among.contains(from) => self.hear_member(from, message, fx),
            Place::Coordinator(_) => {}
        }
    }

    fn on_timer(&mut self, timer: UpdateTimer, fx: &mut UpdateEffects) {
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

    fn on_order(&mut self, order: Order, fx: &mut UpdateEffects) {
        let Order::Update(value) = order else { return };
        let (have, of) = (self.among().len() as u16, self.nodes as u16);
        let why = match &self.place {
            Place::Away => Some(RefusalReason::NotNormal(self.status)),
            _ if !self.is_majority(self.among()) => Some(RefusalReason::NoMajority { have, of }),
            _ if self.orders.len() >= self.orders_max => Some(RefusalReason::QueueFull(self.orders.len() as u16)),
            _ => None,
        };
        if let Some(why) = why {
            return self.refuse(value, why, fx);
        }
        fx.line(line::ORDER);
        self.serial += 1;
        let id = UpdateId { node: self.me, incarnation: self.incarnation, serial: self.serial };
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
        match (timer, &self.place) {
            (UpdateTimer::Request | UpdateTimer::Doubt, Place::Member { coordinator, .. }) => NodeSet::of(*coordinator),
            (UpdateTimer::Resend | UpdateTimer::Silent, Place::Coordinator(lead)) => lead.owing(),
            _ => NodeSet::EMPTY,
        }
    }

    fn work(&self) -> Work {
        let blocked = match &self.place {
            Place::Coordinator(lead) => lead.blocked,
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
        })
    }
}

/// What members and coordinators do alike.
impl Updates {
    fn task(&self) -> Option<TaskId> {
        match &self.place {
            Place::Away => None,
            Place::Member { task, .. } => Some(*task),
            Place::Coordinator(lead) => Some(lead.task),
        }
    }

    /// The processes of the group.
    fn among(&self) -> NodeSet {
        match &self.place {
            Place::Away => NodeSet::EMPTY,
            Place::Member { among, .. } => *among,
            Place::Coordinator(lead) => lead.among,
        }
    }

    fn is_majority(&self, nodes: NodeSet) -> bool {
        2 * nodes.len() > self.nodes
    }

    fn standing(&self) -> LogStanding {
        let (length, digest) = (self.log.length(), self.log.digest());
        LogStanding { length, digest, in_doubt: self.prepared.map(Box::new) }
    }

    /// Keeps the log and what is prepared.
    fn keep(&self, fx: &mut UpdateEffects) {
        fx.save(UpdateCells { updates: self.log.updates().to_vec(), prepared: self.prepared });
    }

    fn refuse(&mut self, value: i32, why: RefusalReason, fx: &mut UpdateEffects) {
        fx.line(line::REFUSE);
        let times = self.refused.map_or(0, |refused| refused.times) + 1;
        self.refused = Some(RefusedUpdate { times, value, why });
    }

    /// The coordinator will not do the first order that waits here. If an earlier one may have done it, it goes on
    /// waiting; else it is refused.
    fn hear_refusal(&mut self, id: UpdateId, why: RefusalReason, fx: &mut UpdateEffects) {
        let Some(first) = self.orders.front().filter(|first| first.asked.id == id) else { return };
        if first.first != self.task() && !why.is_after_settling() {
            return fx.set_timer(UpdateTimer::Request, self.silence);
        }
        let value = first.asked.value;
        self.orders.pop_front();
        fx.cancel_timer(UpdateTimer::Request);
        self.refuse(value, why, fx);
        self.submit(fx);
    }

    /// The coordinator gets the first order that waits here.
    fn submit(&mut self, fx: &mut UpdateEffects) {
        let task = self.task();
        let Some(first) = self.orders.front_mut() else { return };
        first.first = first.first.or(task);
        let asked = first.asked;
        match &mut self.place {
            Place::Away => {}
            Place::Member { .. } => self.request(fx),
            Place::Coordinator(lead) => lead.take(asked),
        }
    }

    /// Orders that are in the log by now are acknowledged.
    fn acknowledge(&mut self, fx: &mut UpdateEffects) {
        let before = self.orders.len();
        while let Some(position) = self.orders.front().and_then(|order| self.log.position_of(order.asked.id)) {
            let Some(AskedUpdate { id, .. }) = self.orders.pop_front().map(|order| order.asked) else { break };
            fx.line(line::ACKNOWLEDGE);
            let times = self.acknowledged.map_or(0, |acknowledged| acknowledged.times) + 1;
            self.acknowledged = Some(AcknowledgedUpdate { times, id, position });
        }
        if self.orders.len() < before {
            match (self.orders.is_empty(), &self.place) {
                (true, _) => fx.cancel_timer(UpdateTimer::Request),
                _ => self.submit(fx),
            }
        }
    }

    /// Takes a part of a log that follows this one. Returns whether it does.
    fn take_entries(&mut self, part: &LogPart, fx: &mut UpdateEffects) -> bool {
        let follows = part.first == self.log.length() + 1 && part.before == self.log.digest();
        let has_room = self.log.length() as usize + part.updates.len() <= self.log_max as usize;
        if !follows || !has_room || part.updates.is_empty() {
            return false;
        }
        fx.line(line::TAKE_ENTRIES);
        part.updates.iter().for_each(|update| self.log.append(*update));
        // Whatever has the place of the prepared one decides about it.
        if self.prepared.is_some_and(|prepared| prepared.position <= self.log.length()) {
            self.prepared = None;
            if let Place::Member { .. } = self.place {
                fx.cancel_timer(UpdateTimer::Doubt);
            }
        }
        self.keep(fx);
        self.acknowledge(fx);
        true
    }

    fn stop(&mut self, fx: &mut UpdateEffects) {
        fx.line(line::STOP);
        let timers = match self.place {
            Place::Away => &[][..],
            Place::Member { .. } => &[UpdateTimer::Request, UpdateTimer::Doubt],
            Place::Coordinator(_) => {
                &[UpdateTimer::Request, UpdateTimer::Resend, UpdateTimer::Silent, UpdateTimer::Knock]
            }
        };
        timers.iter().for_each(|timer| fx.cancel_timer(*timer));
        self.place = Place::Away;
        self.reports.clear();
    }
}
