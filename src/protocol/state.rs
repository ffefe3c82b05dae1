//! The state vector of Garcia-Molina 1982, wide enough for every algorithm of the lab.
//!
//! Invariant: two equal state vectors look the same to every panel and to the judge.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Ballot, Course, FencingWork, Incarnation, NodeId, NodeSet, Work};

crate::worded! {
    /// The common status `s`. [`StateVector::word`] has the algorithm's own word for it, if it has others.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Status {
        /// Since a crash and until the first election; in King and Ni's tables the phase `normal`, before the process has
        /// begun.
        Down = "Down",
        /// An election is under way.
        Election = "Election",
        /// There is a coordinator; the task is being given out.
        Reorganization = "Reorganization",
        /// At work under a coordinator (King and Ni: `stop` or `master`).
        Normal = "Normal",
    }
}

/// The number `g` of a group: unique, and never used twice, across crashes too. Compared for equality only.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct GroupNumber {
    /// The node that made the number.
    pub node: NodeId,
    /// The counter, saved before the number is sent.
    pub counter: u64,
}

impl GroupNumber {
    /// A counter that begins anew with each incarnation of its node: the incarnations are counted by this much.
    pub const OF_INCARNATION: u64 = 1_000_000_000;
}

impl fmt::Display for GroupNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.counter / Self::OF_INCARNATION, self.counter % Self::OF_INCARNATION) {
            (0, counter) => f.pad(&format!("{}.{counter}", self.node)),
            (incarnation, counter) => f.pad(&format!("{}.{incarnation}.{counter}", self.node)),
        }
    }
}

/// The task definition `d`: what a coordinator gives out in Reorganization. Equal definitions are equal values.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The coordinator that computed it.
    pub author: NodeId,
    /// The author's incarnation then.
    pub incarnation: Incarnation,
    /// Which of the author's definitions in that incarnation.
    pub serial: u32,
    /// The group's members besides the author: a member learns `Up` from this.
    pub members: NodeSet,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}.{}", self.author, self.incarnation, self.serial))
    }
}

/// What a node holds of the election, as every panel and the judge see it.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct StateVector {
    /// The common status `s`.
    pub status: Status,
    /// The paper's own word for the status, such as `coll2`.
    pub word: Cow<'static, str>,
    /// The coordinator `c`; it has a meaning in Reorganization and Normal only.
    pub coordinator: Option<NodeId>,
    /// The group number `g`, where the algorithm has one.
    pub group: Option<GroupNumber>,
    /// The task definition `d`.
    pub task: Option<Task>,
    /// `Up`: the other nodes that it takes for members of the group; it has a meaning at a coordinator only.
    pub up: NodeSet,
    /// `h`: the node that halted it last.
    pub halted_by: Option<NodeId>,
    /// The number of the election, if the algorithm numbers elections.
    pub election: Option<u64>,
    /// What it holds of that election, if capacities decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ballot: Option<Box<Ballot>>,
    /// What it does for its group, if the lab has an application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Box<Work>>,
}

impl StateVector {
    /// What every algorithm has: a status, the paper's word for it, and a coordinator.
    pub fn new(status: Status, word: impl Into<Cow<'static, str>>, coordinator: Option<NodeId>) -> StateVector {
        StateVector {
            status,
            word: word.into(),
            coordinator,
            group: None,
            task: None,
            up: NodeSet::EMPTY,
            halted_by: None,
            election: None,
            ballot: None,
            work: None,
        }
    }

    /// Where it is on its way through elections: the ballot's word, or, without one, the status.
    pub fn course(&self) -> Course {
        match (&self.ballot, self.status) {
            (Some(ballot), _) => ballot.course,
            (None, Status::Down) => Course::Idle,
            (None, Status::Election | Status::Reorganization) => Course::Electing,
            (None, Status::Normal) => Course::AtRest,
        }
    }

    /// Whether it is the state of a bystander: of a process that does not elect.
    pub fn stands_by(&self) -> bool {
        matches!(self.work.as_deref(), Some(Work::Fencing(FencingWork::Resource(_))))
    }

    /// Whether it takes itself for the coordinator (a King and Ni master too).
    pub fn coordinates(&self, me: NodeId) -> bool {
        self.believes_in() == Some(me)
    }

    /// The process that it believes in: its coordinator, in the statuses in which that has a meaning.
    pub fn believes_in(&self) -> Option<NodeId> {
        match self.status {
            Status::Reorganization | Status::Normal => self.coordinator,
            Status::Down | Status::Election => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lists, Received};

    fn state(status: Status, ballot: Option<Box<Ballot>>) -> StateVector {
        let (word, up) = (Cow::Borrowed(status.word()), NodeSet::EMPTY);
        let (coordinator, group, task, halted_by, election) = (None, None, None, None, None);
        StateVector { status, word, coordinator, group, task, up, halted_by, election, ballot, work: None }
    }

    #[test]
    fn a_group_number_shows_the_incarnation_where_its_counter_holds_it() {
        let number = |counter| GroupNumber { node: NodeId::new(3).unwrap(), counter };
        assert_eq!(number(7).to_string(), "3.7");
        assert_eq!(number(2_000_000_007).to_string(), "3.2.7");
        assert_eq!(format!("{:>6}", number(1_000_000_000)), " 3.1.0");
        assert_eq!(serde_json::to_string(&number(2_000_000_007)).unwrap(), r#"{"node":3,"counter":2000000007}"#);
    }

    #[test]
    fn without_a_ballot_the_status_tells_the_course() {
        let course = |status| state(status, None).course();
        assert_eq!(
            [Status::Down, Status::Election, Status::Reorganization, Status::Normal].map(course),
            [Course::Idle, Course::Electing, Course::Electing, Course::AtRest]
        );
        let ballot = Ballot { course: Course::Help, stands_with: None, announcements: 0, lists: None };
        assert_eq!(state(Status::Election, Some(ballot.into())).course(), Course::Help);
    }

    #[test]
    fn a_state_without_a_ballot_is_written_as_ever_and_an_old_one_is_read() {
        let old = r#"{"status":"down","word":"Down","coordinator":null,"group":null,"task":null,"up":"-","halted_by":null,"election":null}"#;
        let plain = state(Status::Down, None);
        assert_eq!(serde_json::to_string(&plain).unwrap(), old);
        assert_eq!(serde_json::from_str::<StateVector>(old).unwrap(), plain);
    }

    #[test]
    fn a_ballot_is_written_with_what_it_has_and_read_again() {
        let node = |number| NodeId::new(number).unwrap();
        let stood = Ballot { course: Course::AtRest, stands_with: Some(3), announcements: 0, lists: None };
        assert_eq!(serde_json::to_string(&stood).unwrap(), r#"{"course":"at-rest","stands_with":3}"#);
        let received = vec![(node(1), Received::First(1)), (node(2), Received::Entries(vec![(node(2), 5)]))];
        let lists = Lists { candidates: vec![(node(1), 4)], received, decided: None };
        let collecting = Ballot { lists: Some(lists), announcements: 2, ..stood };
        let text = serde_json::to_string(&collecting).unwrap();
        assert!(text.ends_with(r#""lists":{"candidates":[[1,4]],"received":[[1,1],[2,[[2,5]]]]}}"#), "{text}");
        assert_eq!(serde_json::from_str::<Ballot>(&text).unwrap(), collecting);
    }
}
