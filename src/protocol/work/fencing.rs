//! A resource that takes writes of coordinators, and the numbers with which they write.
//!
//! The resource is no member of a group. It may refuse a write whose number is lower than the highest that it has seen:
//! it is fenced then. That helps as far as the numbers rise from one coordinator to the next, and each Card says whether
//! its own do ([`CoordinatorNumbers`](crate::CoordinatorNumbers)).
//!
//! Invariant: numbers are compared by their count first, and by their node among equal counts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{GroupNumber, Incarnation, NodeId, StateVector};

/// The number with which a coordinator writes: of its election, else of its group, else of its task.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct FencingNumber {
    /// What is counted. An incarnation counts as [`GroupNumber::OF_INCARNATION`].
    pub count: u64,
    /// Who made the number.
    pub node: NodeId,
}

impl FencingNumber {
    /// The number of the coordinator that a process in this state believes in, if its algorithm has one.
    pub fn of(state: &StateVector) -> Option<FencingNumber> {
        let coordinator = state.believes_in()?;
        let election = state.election.map(|count| FencingNumber { count, node: coordinator });
        let group = || state.group.map(|group| FencingNumber { count: group.counter, node: group.node });
        let task = || {
            state.task.map(|task| FencingNumber {
                count: u64::from(task.incarnation.0) * GroupNumber::OF_INCARNATION + u64::from(task.serial),
                node: task.author,
            })
        };
        election.or_else(group).or_else(task)
    }
}

impl fmt::Display for FencingNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match (self.count / GroupNumber::OF_INCARNATION, self.count % GroupNumber::OF_INCARNATION) {
            (0, count) => format!("{count}.{}", self.node),
            (incarnation, count) => format!("{incarnation}.{count}.{}", self.node),
        };
        f.pad(&text)
    }
}

/// Names one term of a coordinator: from when it comes to Normal until it leaves it, or has another number there.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct TermId {
    /// The coordinator.
    pub node: NodeId,
    /// The incarnation then.
    pub incarnation: Incarnation,
    /// Which of its terms in that incarnation, from 1.
    pub serial: u32,
}

impl fmt::Display for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.node, self.incarnation, self.serial)
    }
}

/// A process's part in the writing.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FencingWork {
    /// A process that elects: it writes while it coordinates.
    Writer(WriterWork),
    /// The resource.
    Resource(ResourceWork),
}

/// What a process that elects writes.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct WriterWork {
    /// The term as coordinator; absent while it does not coordinate in Normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<TermId>,
    /// The number with which it writes in this term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<FencingNumber>,
    /// How far its present write is.
    pub progress: WriteProgress,
    /// How many of its writes have landed since it started, as far as it knows.
    pub landed: u64,
    /// How many were refused.
    pub refused: u64,
}

/// How far a write is.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteProgress {
    /// There is none.
    #[default]
    None,
    /// The resource was asked for its content.
    Reads,
    /// This value was sent to it.
    Writes(u64),
}

/// What the resource holds.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ResourceWork {
    /// The content, which is in its safe cells.
    pub value: u64,
    /// The highest number of a write that has landed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest: Option<FencingNumber>,
    /// How many writes have landed since the lab began.
    pub landed: u64,
    /// How many were refused since this process started.
    pub refused: u64,
    /// The latest write that came to this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<WriteView>,
}

/// A write, and what the resource did with it.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct WriteView {
    /// The writer's term.
    pub term: TermId,
    /// The number.
    pub number: FencingNumber,
    /// The new content.
    pub value: u64,
    /// What the resource did with it.
    pub fate: WriteFate,
}

/// What the resource did with a write.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteFate {
    /// Is the content now.
    Landed,
    /// The number is lower than one that was seen.
    Refused,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeSet, Status, Task, Work};

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn normal() -> StateVector {
        StateVector::new(Status::Normal, "", Some(node(5)))
    }

    #[test]
    fn a_coordinator_has_the_number_of_its_election_or_its_group_or_its_task() {
        let task = Task { author: node(5), incarnation: Incarnation(2), serial: 3, members: NodeSet::EMPTY };
        let with_task = StateVector { task: Some(task), ..normal() };
        let group = GroupNumber { node: node(5), counter: 7 };
        let with_group = StateVector { group: Some(group), ..with_task.clone() };
        let with_election = StateVector { election: Some(4), ..with_group.clone() };
        let number = |state: &StateVector| FencingNumber::of(state).map(|number| number.to_string());
        let told = [&normal(), &with_task, &with_group, &with_election].map(number);
        assert_eq!(told, [None, Some("2.3.5".to_owned()), Some("7.5".to_owned()), Some("4.5".to_owned())]);
        assert_eq!(FencingNumber::of(&StateVector { status: Status::Election, ..with_election }), None);
    }

    #[test]
    fn the_count_decides_and_then_the_node() {
        let number = |count, of| FencingNumber { count, node: node(of) };
        assert!(number(1, 5) < number(2, 4) && number(2, 4) < number(2, 5));
    }

    #[test]
    fn a_work_is_read_as_it_was_written() {
        let term = TermId { node: node(5), incarnation: Incarnation(1), serial: 2 };
        let number = FencingNumber { count: 7, node: node(5) };
        let latest = Some(WriteView { term, number, value: 4, fate: WriteFate::Refused });
        let resource = ResourceWork { value: 6, highest: Some(number), landed: 3, refused: 1, latest };
        let (progress, landed) = (WriteProgress::Writes(9), 1);
        let writer = WriterWork { term: Some(term), number: Some(number), progress, landed, refused: 0 };
        for work in [FencingWork::Resource(resource), FencingWork::Writer(writer)] {
            let work = Work::Fencing(work);
            let text = serde_json::to_string(&work).unwrap();
            assert!(text.starts_with(r#"{"fencing":{""#), "{text}");
            assert_eq!(serde_json::from_str::<Work>(&text).unwrap(), work);
        }
    }
}
