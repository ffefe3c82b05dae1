//! Follows the records of a lab: which process left its rest first, and since when all are at rest under their leaders.
//!
//! Invariant: what it knows comes from the records alone.

use protocol::{Course, GroupNumber, NodeId, NodeMap, StateVector, Status};
use record::{Body, Record};

/// Who must lead for all to be at rest.
#[derive(Copy, Clone, Eq, PartialEq, Default, Debug)]
pub enum RestUnder {
    /// So many leaders.
    Leaders(usize),
    /// Whoever leads: the network decides how many there are.
    #[default]
    Any,
}

/// What the records have told so far.
#[derive(Clone, Default, Debug)]
pub struct RestTrace {
    wanted: RestUnder,
    /// When the first process left its rest in the present part, in nanoseconds.
    pub left_at: Option<i64>,
    /// Since when all that run are at rest, if they are, in nanoseconds.
    pub rest_since: Option<i64>,
    states: NodeMap<RestingState>,
}

/// What is known of a process's state.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct RestingState {
    /// The leader under which it is at rest, and the number of its group.
    under: Option<(NodeId, Option<GroupNumber>)>,
    course: Course,
}

impl RestTrace {
    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => {
                if let Some(state) = &step.state {
                    let now = RestingState::of(state);
                    let before = self.states.insert(node, now);
                    if before.is_none_or(|before| before.under != now.under) {
                        self.left_at.get_or_insert(record.at);
                    }
                    if before != Some(now) {
                        self.look(record.at);
                    }
                }
            }
            (Body::Died { .. }, Some(node)) => {
                self.states.remove(&node);
                self.look(record.at);
            }
            _ => {}
        }
    }

    /// The next part begins at this moment: all must come to rest under these leaders.
    pub fn begin(&mut self, at: i64, wanted: RestUnder) {
        (self.wanted, self.left_at, self.rest_since) = (wanted, None, None);
        self.look(at);
    }

    /// The leader of all, if they are at rest under one.
    pub fn leader(&self) -> Option<NodeId> {
        self.leaders().filter(|leaders| leaders.len() == 1)?.pop()
    }

    /// Whether no process is on its way through an election.
    pub fn is_idle(&self) -> bool {
        self.states.values().all(|state| state.course != Course::Electing)
    }

    /// Those who lead, if each process is at rest under one of them, and in the same group.
    fn leaders(&self) -> Option<Vec<NodeId>> {
        let mut leaders = Vec::new();
        for state in self.states.values() {
            let (leader, group) = state.under?;
            if self.states.get(&leader)?.under != Some((leader, group)) {
                return None;
            }
            if !leaders.contains(&leader) {
                leaders.push(leader);
            }
        }
        Some(leaders)
    }

    fn look(&mut self, at: i64) {
        let is_meant = |leaders: Vec<NodeId>| match self.wanted {
            RestUnder::Leaders(number) => leaders.len() == number,
            RestUnder::Any => !leaders.is_empty(),
        };
        match (self.leaders().is_some_and(is_meant), self.rest_since) {
            (true, None) => self.rest_since = Some(at),
            (false, Some(_)) => self.rest_since = None,
            _ => {}
        }
    }
}

impl RestingState {
    fn of(state: &StateVector) -> RestingState {
        let is_at_rest = state.status == Status::Normal && state.course() == Course::AtRest;
        let leader = state.coordinator.filter(|_| is_at_rest);
        RestingState { under: leader.map(|leader| (leader, state.group)), course: state.course() }
    }
}
