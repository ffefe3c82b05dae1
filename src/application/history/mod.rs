//! The history of the groups: who was in which group, and from which groups its members came (Garcia-Molina 1982,
//! section IV.B).
//!
//! Each member that joins a group tells the coming coordinator in which group it was at work last. These groups are the
//! parents of the new one, which the coordinator gives out with the task. Older groups are not sent along: the digest of
//! the history is, and who has another one fetches it in numbered parts, the coordinator first and then its members.
//! Where the paper has the history come whole with the task, it comes here while the group is at work.
//!
//! Invariant: a group is in the safe cells of its member before the member does anything in it; what a process knows of
//! the history never shrinks, but for the oldest groups where there are too many.

mod card;
mod conditions;
mod graph;
mod judge;
mod message;
#[cfg(test)]
mod tests;
mod words;

pub use self::conditions::HISTORY;
use card as line;
use graph::GroupHistory;
pub use message::HistoryMessage;
use serde::{Deserialize, Serialize};

use crate::LabApplication;
use protocol::{
    Application, ApplicationCard, ApplicationEffects, ApplicationEntry, FormedGroup, GroupPlace, HistoryWork, NodeId,
    NodeMap, NodeSet, Settings, Setup, Span, StateVector, Status, Task, TaskId, Work,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<History>(),
    judge: judge::of,
    did: |_, _| None,
    row: words::row,
    fields: |_| Vec::new(),
};

/// What one process knows of the history.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct History {
    me: NodeId,
    check: Span,
    known: GroupHistory,
    /// The group in which this process was at work last.
    last: Option<GroupPlace>,
    status: Status,
    /// The task that this process gives out, or has given out, as the coordinator.
    task: Option<Task>,
    /// What those said that joined.
    reports: NodeMap<MemberReport>,
    /// The group in which it is at work.
    group: Option<FormedGroup>,
    coordinator: Option<NodeId>,
    /// The parts that are to come next.
    fetching: NodeMap<u16>,
    /// What the latest input told of.
    learnt: Vec<FormedGroup>,
}

/// What a member said as it joined.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
struct MemberReport {
    last: Option<GroupPlace>,
    digest: u64,
}

/// What is kept in the safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct HistoryCells {
    /// The group in which the process was at work last.
    pub last: Option<GroupPlace>,
    /// A digest of the groups that are no longer kept.
    pub older: u64,
    pub groups: Vec<FormedGroup>,
}

protocol::worded! {
    /// The timers of the history.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum HistoryTimer {
        /// A part has not come.
        Part = "Part of the history",
    }
}

type HistoryEffects = ApplicationEffects<History>;

impl Application for History {
    type Message = HistoryMessage;
    type Timer = HistoryTimer;
    type Saved = HistoryCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, _: &Settings, saved: Option<HistoryCells>) -> History {
        let cells = saved.unwrap_or_default();
        History {
            me: setup.me,
            check: setup.timing.check,
            known: GroupHistory::new(cells.groups, cells.older),
            last: cells.last,
            status: Status::Down,
            task: None,
            reports: NodeMap::new(),
            group: None,
            coordinator: None,
            fetching: NodeMap::new(),
            learnt: Vec::new(),
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut HistoryEffects) {
        self.learnt.clear();
        let at_work_on = TaskId::at_work(state);
        if self.group.as_ref().is_some_and(|group| Some(group.number) != at_work_on) {
            self.stop(fx);
        }
        if state.status == Status::Election && self.status != Status::Election {
            self.reports.clear();
        }
        self.status = state.status;
        self.coordinator = state.believes_in();
        self.task = state.task.filter(|task| state.coordinates(self.me) && task.author == self.me);
        if self.group.is_none() && at_work_on.is_some() && at_work_on == self.task.as_ref().map(TaskId::of) {
            self.lead(fx);
        }
    }

    fn on_message(&mut self, from: NodeId, message: HistoryMessage, fx: &mut HistoryEffects) {
        self.learnt.clear();
        match message {
            HistoryMessage::Definition { group, digest } => self.follow(from, *group, digest, fx),
            HistoryMessage::Fetch { part } => self.give(from, part, fx),
            HistoryMessage::Part { part, parts, digest, older, groups } => {
                if self.fetching.get(&from) == Some(&part) {
                    self.take(from, &groups, fx);
                    self.go_on(from, (part, parts), digest, older, fx);
                }
            }
            HistoryMessage::Report { .. } => {}
        }
    }

    fn on_timer(&mut self, HistoryTimer::Part: HistoryTimer, fx: &mut HistoryEffects) {
        self.learnt.clear();
        fx.line(line::FETCH_AGAIN);
        self.ask(self.fetching.keys().copied().collect(), fx);
    }

    fn report(&self) -> Option<HistoryMessage> {
        Some(HistoryMessage::Report { last: self.last, digest: self.known.digest() })
    }

    fn on_report(&mut self, from: NodeId, report: HistoryMessage, fx: &mut HistoryEffects) {
        self.learnt.clear();
        let HistoryMessage::Report { last, digest } = report else { return };
        fx.line(line::REPORT);
        self.reports.insert(from, MemberReport { last, digest });
    }

    fn definition(&self) -> Option<HistoryMessage> {
        let (group, is_whole, known) = match &self.group {
            Some(group) => (group.clone(), self.fetching.is_empty(), self.known.clone()),
            None => {
                let group = self.new_group()?;
                let mut known = self.known.clone();
                known.take(group.clone());
                (group, self.others_to_fetch_from().is_empty(), known)
            }
        };
        let digest = is_whole.then(|| known.digest());
        let group = graph::pieces(&group).next().expect("there is one at least");
        Some(HistoryMessage::Definition { group: Box::new(group), digest })
    }

    fn waits_for(&self, HistoryTimer::Part: HistoryTimer) -> NodeSet {
        // A member's coordinator may well have answered, and lacked something itself.
        let leads = self.coordinator == Some(self.me);
        self.fetching.keys().copied().filter(|_| leads).collect()
    }

    fn work(&self) -> Work {
        Work::History(HistoryWork {
            group: self.group.clone(),
            learnt: self.learnt.clone(),
            groups: self.known.len() as u32,
            digest: format!("{:016x}", self.known.digest()),
            fetches: self.fetching.keys().copied().collect(),
        })
    }
}

/// A new group.
impl History {
    /// The group that this process gives the task to.
    fn new_group(&self) -> Option<FormedGroup> {
        let task = self.task?;
        let members = task.members.union(&NodeSet::of(self.me));
        let reported = task.members.iter().filter_map(|member| self.reports.get(&member)?.last);
        let mut parents: Vec<GroupPlace> = reported.chain(self.last).collect();
        parents.sort_unstable();
        parents.dedup();
        let depth = parents.last().map_or(0, |deepest| deepest.depth).saturating_add(1);
        let mut parents: Vec<TaskId> = parents.into_iter().map(|parent| parent.number).collect();
        parents.sort_unstable();
        Some(FormedGroup { number: TaskId::of(&task), members, parents: parents.into(), depth })
    }

    /// The members whose history is not this process's own.
    fn others_to_fetch_from(&self) -> NodeSet {
        let Some(task) = self.task else { return NodeSet::EMPTY };
        let digest = self.known.digest();
        let differs = |member: &NodeId| self.reports.get(member).is_some_and(|report| report.digest != digest);
        task.members.iter().filter(differs).collect()
    }

    fn lead(&mut self, fx: &mut HistoryEffects) {
        let Some(group) = self.new_group() else { return };
        fx.line(line::LEAD);
        let from = self.others_to_fetch_from();
        self.enter(group, fx);
        self.fetch(from, fx);
    }

    fn follow(&mut self, from: NodeId, group: FormedGroup, digest: Option<u64>, fx: &mut HistoryEffects) {
        if self.coordinator != Some(from) || self.group.is_some() {
            return;
        }
        fx.line(line::FOLLOW);
        self.enter(group, fx);
        if digest != Some(self.known.digest()) {
            self.fetch(NodeSet::of(from), fx);
        }
    }

    fn enter(&mut self, group: FormedGroup, fx: &mut HistoryEffects) {
        self.last = Some(group.place());
        self.group = Some(group.clone());
        self.known.take(group);
        self.save(fx);
    }

    fn stop(&mut self, fx: &mut HistoryEffects) {
        fx.line(line::STOP);
        self.group = None;
        if !self.fetching.is_empty() {
            self.fetching.clear();
            fx.cancel_timer(HistoryTimer::Part);
        }
    }
}

/// Older groups: who asks for them, and who gives them.
impl History {
    fn fetch(&mut self, from: NodeSet, fx: &mut HistoryEffects) {
        if !from.is_empty() {
            fx.line(line::FETCH);
            self.fetching.extend(from.iter().map(|node| (node, 0)));
            self.ask(from, fx);
        }
    }

    fn ask(&mut self, of: NodeSet, fx: &mut HistoryEffects) {
        for node in of.iter() {
            let part = self.fetching.get(&node).copied().unwrap_or(0);
            fx.send(node, HistoryMessage::Fetch { part });
        }
        fx.set_timer(HistoryTimer::Part, self.check);
    }

    fn give(&mut self, to: NodeId, part: u16, fx: &mut HistoryEffects) {
        let parts = self.known.parts();
        let Some(groups) = parts.get(usize::from(part)) else { return };
        fx.line(line::GIVE);
        let lacks = self.coordinator == Some(self.me) && !self.fetching.is_empty();
        fx.send(
            to,
            HistoryMessage::Part {
                part,
                parts: parts.len() as u16,
                digest: (!lacks).then(|| self.known.digest()),
                older: self.known.older(),
                groups: groups.clone(),
            },
        );
    }

    /// Keeps those of these groups that are new.
    fn take(&mut self, from: NodeId, groups: &[FormedGroup], fx: &mut HistoryEffects) {
        fx.line(line::TAKE);
        let before = self.known.older();
        for group in groups {
            if self.known.take(group.clone()) {
                self.learnt.push(group.clone());
            }
        }
        // What of the older ones a member leaves out is the coordinator's matter.
        if self.coordinator == Some(from) {
            self.known.adopt_older(before);
        }
    }

    /// A part of this other one has come: what comes next.
    fn go_on(
        &mut self,
        from: NodeId,
        (part, parts): (u16, u16),
        digest: Option<u64>,
        older: u64,
        fx: &mut HistoryEffects,
    ) {
        let is_last = part + 1 >= parts;
        let leads = self.coordinator == Some(self.me);
        match (leads, digest) {
            (true, _) if is_last => self.known.join_older(older),
            (false, Some(_)) => self.known.adopt_older(older),
            _ => {}
        }
        let is_done = if leads { is_last } else { digest == Some(self.known.digest()) };
        self.save(fx);
        if is_done {
            self.fetching.remove(&from);
            if self.fetching.is_empty() {
                fx.cancel_timer(HistoryTimer::Part);
            }
        } else if is_last {
            // The coordinator lacks something itself, or knows more by now: its history is looked at again later.
            self.fetching.insert(from, 0);
        } else {
            self.fetching.insert(from, part + 1);
            self.ask(NodeSet::of(from), fx);
        }
    }

    fn save(&self, fx: &mut HistoryEffects) {
        let groups = self.known.groups().cloned().collect();
        fx.save(HistoryCells { last: self.last, older: self.known.older(), groups });
    }
}
