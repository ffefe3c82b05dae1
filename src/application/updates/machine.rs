//! The machine of the updates: what it keeps and knows, and what members and coordinators do alike.
//!
//! Invariant: the log and what is prepared are in the safe cells as they are here when a step ends.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::card as line;
use super::log::{LogReach, UpdateLog};
use super::message::{BuiltUpdate, LogPart, LogStanding, UpdateMessage};
use protocol::{
    AcknowledgedUpdate, ApplicationEffects, BlockedUpdate, GroupNumber, Incarnation, LoggedUpdate, NodeId, NodeMap,
    NodeSet, OrderId, PreparedUpdate, RefusalReason, RefusedUpdate, Span, Status, TaskId,
};

/// One process's part in the updates.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Updates {
    pub(super) me: NodeId,
    pub(super) incarnation: Incarnation,
    pub(super) nodes: usize,
    pub(super) rule: UpdateRule,
    pub(super) t: Span,
    pub(super) silence: Span,
    pub(super) log_max: u32,
    pub(super) orders_max: usize,
    /// What is in the safe cells.
    pub(super) log: UpdateLog,
    /// What is prepared. It is in the safe cells too.
    pub(super) prepared: Option<PreparedUpdate>,
    /// The status, coordinator and group number of the process.
    pub(super) status: Status,
    pub(super) coordinator: Option<NodeId>,
    pub(super) group: Option<GroupNumber>,
    pub(super) role: GroupRole,
    /// What those have told that join the group that this process is to coordinate.
    pub(super) reports: NodeMap<LogStanding>,
    /// The orders that were taken here and are not in the log yet. The coordinator is asked for the first one.
    pub(super) orders: VecDeque<OwnOrder>,
    /// How many orders were taken in this life.
    pub(super) serial: u32,
    pub(super) refused: Option<RefusedUpdate>,
    pub(super) acknowledged: Option<AcknowledgedUpdate>,
    /// What the latest input brought of another group's log.
    pub(super) learnt: Vec<LoggedUpdate>,
}

/// Which groups do updates.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum UpdateRule {
    /// Those with a majority of all nodes: so the log is a line.
    Majority,
    /// All: so the log is a graph.
    AnyGroup,
}

/// An update that was ordered here.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct OwnOrder {
    pub asked: AskedUpdate,
    /// The group whose coordinator was asked first. Once another one is asked, nobody knows whether the first one has
    /// done it, before a group with a majority has settled everything.
    pub first: Option<TaskId>,
}

/// An update that a coordinator is asked to do.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct AskedUpdate {
    pub id: OrderId,
    pub value: i32,
}

/// What the process is in its group.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum GroupRole {
    /// Is not at work.
    Away,
    /// Works under this coordinator.
    Member { task: TaskId, coordinator: NodeId, among: NodeSet },
    /// Coordinates.
    Coordinator(Box<GroupKnowledge>),
}

/// What is kept in the safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct UpdateCells {
    pub(super) updates: Vec<LoggedUpdate>,
    pub(super) prepared: Option<PreparedUpdate>,
    /// Without the majority rule the log is here.
    #[serde(default)]
    pub(super) built: Vec<BuiltUpdate>,
}

protocol::worded! {
    /// The timers of the updates.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum UpdateTimer {
        /// An order is not in the log yet.
        Request = "update in one's own log",
        /// At a member: it is in doubt.
        Doubt = "outcome of what is in doubt",
        /// At the coordinator: somebody has not answered for T.
        Resend = "answers within T",
        /// At the coordinator: somebody is silent.
        Silent = "answers of members",
        /// At the coordinator: somebody did not answer, and may hear now.
        Knock = "a sign of those left out",
    }
}

pub(super) type UpdateEffects = ApplicationEffects<Updates>;

/// What a coordinator knows of its group.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct GroupKnowledge {
    pub task: TaskId,
    /// The group, this process included.
    pub among: NodeSet,
    /// How far the log goes of each other member that answers.
    pub reaches: NodeMap<LogReach>,
    /// What the others are in doubt about.
    pub doubts: NodeMap<PreparedUpdate>,
    /// Those who have told what they are in doubt about since they left their last group.
    pub heard: NodeSet,
    /// Who was sent entries, or asked for them, and has not answered.
    pub awaited: NodeSet,
    /// How many attempts were begun.
    pub attempts: u32,
    /// Who has not voted yet, while an attempt is under way.
    pub voting: Option<NodeSet>,
    pub queue: VecDeque<AskedUpdate>,
    pub blocked: Option<BlockedUpdate>,
}

impl GroupKnowledge {
    /// An order waits its turn, if it does not yet.
    pub fn take(&mut self, order: AskedUpdate) {
        if !self.queue.contains(&order) {
            self.queue.push_back(order);
        }
    }

    /// Who has not answered yet.
    pub fn owing(&self) -> NodeSet {
        self.awaited.union(&self.voting.unwrap_or_default())
    }

    /// A member takes no part until it is heard. What it has beyond this log is not known then.
    pub fn leave_out(&mut self, node: NodeId, log: &UpdateLog) {
        if self.reaches.remove(&node).is_none_or(|reach| log.may_lack(&reach)) {
            self.heard.remove(node);
        }
    }

    /// The others that answer.
    pub fn present(&self) -> NodeSet {
        self.reaches.keys().copied().collect()
    }
}

/// What members and coordinators do alike.
impl Updates {
    pub(super) fn task(&self) -> Option<TaskId> {
        match &self.role {
            GroupRole::Away => None,
            GroupRole::Member { task, .. } => Some(*task),
            GroupRole::Coordinator(lead) => Some(lead.task),
        }
    }

    /// The processes of the group.
    pub(super) fn among(&self) -> NodeSet {
        match &self.role {
            GroupRole::Away => NodeSet::EMPTY,
            GroupRole::Member { among, .. } => *among,
            GroupRole::Coordinator(lead) => lead.among,
        }
    }

    /// Whether so many may do an update.
    pub(super) fn are_enough(&self, nodes: NodeSet) -> bool {
        self.rule == UpdateRule::AnyGroup || 2 * nodes.len() > self.nodes
    }

    pub(super) fn standing(&self) -> LogStanding {
        let (length, digest) = (self.log.length(), self.log.digest());
        LogStanding { length, digest, in_doubt: self.prepared.map(Box::new) }
    }

    /// Without the majority rule: what is in the log.
    pub(super) fn known(&self) -> UpdateMessage {
        UpdateMessage::Known { version: self.log.version(), digest: self.log.digest() }
    }

    /// Keeps the log and what is prepared.
    pub(super) fn keep(&self, fx: &mut UpdateEffects) {
        let (updates, built) = match self.rule {
            UpdateRule::Majority => (self.log.updates().to_vec(), Vec::new()),
            UpdateRule::AnyGroup => (Vec::new(), self.log.built()),
        };
        fx.save(UpdateCells { updates, prepared: self.prepared, built });
    }

    pub(super) fn refuse(&mut self, value: i32, why: RefusalReason, fx: &mut UpdateEffects) {
        fx.line(line::REFUSE);
        let times = self.refused.map_or(0, |refused| refused.times) + 1;
        self.refused = Some(RefusedUpdate { times, value, why });
    }

    /// The coordinator will not do the first order that waits here. If an earlier one may have done it, it goes on
    /// waiting; else it is refused.
    pub(super) fn hear_refusal(&mut self, id: OrderId, why: RefusalReason, fx: &mut UpdateEffects) {
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
    pub(super) fn submit(&mut self, fx: &mut UpdateEffects) {
        let task = self.task();
        let Some(first) = self.orders.front_mut() else { return };
        first.first = first.first.or(task);
        let asked = first.asked;
        match &mut self.role {
            GroupRole::Away => {}
            GroupRole::Member { .. } => self.request(fx),
            GroupRole::Coordinator(lead) => lead.take(asked),
        }
    }

    /// Orders that are in the log by now are acknowledged.
    pub(super) fn acknowledge(&mut self, fx: &mut UpdateEffects) {
        let before = self.orders.len();
        while let Some(position) = self.orders.front().and_then(|order| self.log.position_of(order.asked.id)) {
            let Some(AskedUpdate { id, .. }) = self.orders.pop_front().map(|order| order.asked) else { break };
            fx.line(line::ACKNOWLEDGE);
            let times = self.acknowledged.map_or(0, |acknowledged| acknowledged.times) + 1;
            self.acknowledged = Some(AcknowledgedUpdate { times, id, position });
        }
        if self.orders.len() < before {
            match (self.orders.is_empty(), &self.role) {
                (true, _) => fx.cancel_timer(UpdateTimer::Request),
                _ => self.submit(fx),
            }
        }
    }

    /// Takes a part of a log that follows this one. Returns whether it does.
    pub(super) fn take_entries(&mut self, part: &LogPart, fx: &mut UpdateEffects) -> bool {
        let follows = part.first == self.log.length() + 1 && part.before == self.log.digest();
        let has_room = self.log.length() as usize + part.updates.len() <= self.log_max as usize;
        if !follows || !has_room || part.updates.is_empty() {
            return false;
        }
        fx.line(line::TAKE_ENTRIES);
        part.updates.iter().for_each(|update| self.log.append(*update));
        // Whatever has the place of the prepared one decides about it.
        self.take_log(|log, prepared| prepared.position <= log.length(), fx);
        true
    }

    /// Takes what is new of a part of another log. Returns whether anything is. While a vote is under way the log stays
    /// as the voters have it. The union is taken however long it is: when the log is full, it is orders that are
    /// refused.
    pub(super) fn take_lacking(&mut self, part: &[BuiltUpdate], fx: &mut UpdateEffects) -> bool {
        if matches!(&self.role, GroupRole::Coordinator(lead) if lead.voting.is_some()) {
            return false;
        }
        let in_conflict = |log: &UpdateLog| log.conflicts().map(|list| list.updates);
        let before = in_conflict(&self.log);
        self.learnt = self.log.join(part);
        if self.learnt.is_empty() {
            return false;
        }
        fx.line(line::TAKE_LACKING);
        if in_conflict(&self.log) != before {
            fx.line(line::CONFLICT);
        }
        self.take_log(|log, prepared| log.has(prepared.update.by), fx);
        true
    }

    /// The log has grown by what others have: it may say what became of the prepared update.
    fn take_log(&mut self, is_settled: impl Fn(&UpdateLog, &PreparedUpdate) -> bool, fx: &mut UpdateEffects) {
        if self.prepared.is_some_and(|prepared| is_settled(&self.log, &prepared)) {
            self.prepared = None;
            if let GroupRole::Member { .. } = self.role {
                fx.cancel_timer(UpdateTimer::Doubt);
            }
        }
        self.keep(fx);
        self.acknowledge(fx);
    }

    /// Whether a message of this kind belongs to the rule: no other comes but by a fault.
    pub(super) fn is_of_rule(&self, message: &UpdateMessage) -> bool {
        match message {
            UpdateMessage::Entries(_) => self.rule == UpdateRule::Majority,
            UpdateMessage::Known { .. } | UpdateMessage::Lacking(_) => self.rule == UpdateRule::AnyGroup,
            _ => true,
        }
    }

    pub(super) fn stop(&mut self, fx: &mut UpdateEffects) {
        fx.line(line::STOP);
        let timers = match self.role {
            GroupRole::Away => &[][..],
            GroupRole::Member { .. } => &[UpdateTimer::Request, UpdateTimer::Doubt],
            GroupRole::Coordinator(_) => {
                &[UpdateTimer::Request, UpdateTimer::Resend, UpdateTimer::Silent, UpdateTimer::Knock]
            }
        };
        timers.iter().for_each(|timer| fx.cancel_timer(*timer));
        self.role = GroupRole::Away;
        self.reports.clear();
    }
}
