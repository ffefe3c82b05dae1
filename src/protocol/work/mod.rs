//! What a process does for its group between elections, as every panel and the judge see it: one file an application.
//!
//! Invariant: two equal works look the same to every panel and to the judge.

pub mod copies;
pub mod fencing;
pub mod history;
pub mod joining;
pub mod section;
pub mod service;
pub mod shards;
pub mod token;
pub mod updates;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    CopyWork, FencingWork, HistoryWork, Incarnation, JoinWork, MemberView, NodeId, RefusedUpdate, SectionWork,
    ServiceWork, ShardWork, StateVector, Status, Task, TokenWork, UpdateWork,
};

/// What a process does for its group. Each application has its own.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A long computation in shards.
    Shards(ShardWork),
    /// The history of the groups.
    History(HistoryWork),
    /// Updates of a replicated counter.
    Updates(UpdateWork),
    /// Writes of coordinators to a resource.
    Fencing(FencingWork),
    /// A critical section, entered by election.
    Exclusion(SectionWork),
    /// Services that users ask for.
    Service(ServiceWork),
    /// A critical section, entered with a token.
    Token(TokenWork),
    /// Weighed copies of a counter.
    Copies(CopyWork),
    /// Members of a group, and newcomers.
    Joining(JoinWork),
}

impl Work {
    /// How the process stands to a critical section, if the application has one.
    pub fn section(&self) -> Option<SectionWork> {
        match self {
            Work::Exclusion(section) => Some(*section),
            Work::Token(work) => Some(work.section),
            _ => None,
        }
    }

    /// What the process knows of the token, if the application has one.
    pub fn token(&self) -> Option<TokenWork> {
        match self {
            Work::Token(work) => Some(*work),
            _ => None,
        }
    }

    /// What the process holds of a replicated counter, if the application has one.
    pub fn counter(&self) -> Option<i64> {
        match self {
            Work::Updates(work) => Some(work.counter),
            Work::Copies(work) => Some(work.held.counter),
            _ => None,
        }
    }

    /// The members that the process knows, if the application has some.
    pub fn members(&self) -> Option<MemberView> {
        match self {
            Work::Joining(work) => Some(work.view),
            _ => None,
        }
    }

    /// How often the process has refused something, or was refused, since its start, if that can be.
    pub fn refusals(&self) -> Option<u64> {
        let times = |refused: Option<RefusedUpdate>| Some(refused.map_or(0, |refused| u64::from(refused.times)));
        match self {
            Work::Updates(work) => times(work.refused),
            Work::Copies(work) => times(work.refused),
            Work::Fencing(FencingWork::Resource(work)) => Some(work.refused),
            Work::Joining(work) => Some(u64::from(work.refusals)),
            _ => None,
        }
    }
}

/// Names a [`Task`].
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct TaskId {
    /// [`Task::author`].
    pub author: NodeId,
    /// [`Task::incarnation`].
    pub incarnation: Incarnation,
    /// [`Task::serial`].
    pub serial: u32,
}

impl TaskId {
    /// The task of a process that is at work in its group. Where an algorithm gives out no task, the election by which
    /// the group came to be stands for one: it names the coordinator, incarnation 0, which no process has, and the lowest
    /// 32 bits of the election's number.
    pub fn at_work(state: &StateVector) -> Option<TaskId> {
        let coordinator = state.believes_in().filter(|_| state.status == Status::Normal)?;
        let of_election =
            |number: u64| TaskId { author: coordinator, incarnation: Incarnation(0), serial: number as u32 };
        state.task.map(|task| TaskId::of(&task)).or_else(|| state.election.map(of_election))
    }

    /// The name of this task.
    pub fn of(task: &Task) -> TaskId {
        TaskId { author: task.author, incarnation: task.incarnation, serial: task.serial }
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.author, self.incarnation, self.serial)
    }
}
