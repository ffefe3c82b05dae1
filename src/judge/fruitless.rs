//! Elections that come to nothing: a process has taken part in one, and names nobody after it.
//!
//! Source: King, Gendreau and Ni 1988, section 3 (uniqueness and freedom from deadlock). A phase `normal` after an
//! election in which a process took part is an end of that election: only a process that has heard of none is idle. A list
//! with nothing above -1 elects nobody, so an election has failed only if somebody stood in it who has been up since.
//!
//! Invariant: a process's part in an election is forgotten when it names a master, dies or lies.

use std::collections::BTreeMap;

use crate::protocol::{Course, NodeId, NodeSet, StateVector};

/// What each process has gone through since it named a master last.
#[derive(Clone, Default, Debug)]
pub(super) struct FruitlessElections {
    attempts: BTreeMap<NodeId, ElectionAttempt>,
    /// Those that have lied in the election that they are in.
    aside: NodeSet,
}

/// The part of one process in the latest of these elections. Stamps are nanoseconds since the lab began.
#[derive(Copy, Clone, Debug)]
struct ElectionAttempt {
    /// Which, if elections have numbers.
    election: Option<u64>,
    began: i64,
    /// When it was over for this process, if it is.
    ended: Option<i64>,
    /// Whether the process stood as a candidate.
    has_stood: bool,
}

/// An election in which somebody stood, and after which nobody of those who took part names a master.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) struct FailedElection {
    /// When the first process entered it, in nanoseconds since the lab began.
    pub began: i64,
    /// When it was over for the last one.
    pub ended: i64,
    /// Who took part, and has been up since.
    pub nodes: NodeSet,
}

impl FruitlessElections {
    /// The node's state after a step of it.
    pub fn take_state(&mut self, node: NodeId, state: &StateVector, at: i64) {
        if self.aside.contains(node) && state.course() == Course::Electing {
            return;
        }
        self.aside.remove(node);
        let attempt = self.attempts.get_mut(&node);
        if state.course() == Course::Electing {
            let stands = state.ballot.as_ref().is_some_and(|ballot| ballot.stands_with.is_some_and(|with| with >= 0));
            match attempt.filter(|attempt| attempt.ended.is_none() && attempt.election == state.election) {
                Some(attempt) => attempt.has_stood |= stands,
                None => {
                    let attempt =
                        ElectionAttempt { election: state.election, began: at, ended: None, has_stood: stands };
                    self.attempts.insert(node, attempt);
                }
            }
        } else if state.believes_in().is_some() {
            self.attempts.remove(&node);
        } else if let Some(attempt) = attempt {
            attempt.ended.get_or_insert(at);
        }
    }

    /// The node's process has died, or lies.
    pub fn forget(&mut self, node: NodeId) {
        self.attempts.remove(&node);
        self.aside.remove(node);
    }

    /// The node's process lies no longer: what it says of the election that it lied in does not count.
    pub fn set_aside(&mut self, node: NodeId) {
        self.attempts.remove(&node);
        self.aside.insert(node);
    }

    /// The latest election of these processes that has failed, if none of them is still within one.
    pub fn failed(&self, running: &NodeSet) -> Option<FailedElection> {
        let attempts = self.attempts.iter().filter(|(node, _)| running.contains(**node));
        let over = |(node, attempt): (&NodeId, &ElectionAttempt)| Some((*node, attempt.began, attempt.ended?));
        let over: Vec<(NodeId, i64, i64)> = attempts.map(over).collect::<Option<_>>()?;
        let candidates = over.iter().filter(|(node, ..)| self.attempts[node].has_stood);
        let (_, last_began, last_ended) = candidates.max_by_key(|(_, began, _)| *began)?;
        // A number may be used again, so what was at that time is one election.
        let at_once = || over.iter().filter(|(_, began, ended)| began <= last_ended && ended >= last_began);
        Some(FailedElection {
            began: at_once().map(|(_, began, _)| *began).min()?,
            ended: at_once().map(|(.., ended)| *ended).max()?,
            nodes: at_once().map(|(node, ..)| *node).collect(),
        })
    }
}
