//! Elections that come to nothing: a process has taken part in one, and names nobody after it.
//!
//! Source: King, Gendreau and Ni 1988, section 3 (uniqueness and freedom from deadlock). A phase `normal` after an
//! election in which a process took part is an end of that election: only a process that has heard of none is idle. A list
//! with nothing above -1 elects nobody, so an election has failed only if somebody stood in it who has been up since, or
//! if it left out one who was up and may be elected. And where at most t may be faulty, an election is promised nothing in
//! which more than t others are dead, lie, or are only just back.
//!
//! Invariant: a process's part in an election is forgotten when it names a master, dies or lies.

use protocol::{Course, NodeId, NodeMap, NodeSet, StateVector};

/// What each process has gone through since it named a master last.
#[derive(Clone, Default, Debug)]
pub(super) struct FruitlessElections {
    attempts: NodeMap<ElectionAttempt>,
    /// The nodes that have lied in the election that they are in.
    aside: NodeSet,
    /// The nodes that are dead, or lie.
    gone: NodeSet,
    /// When each of those that were gone came back.
    returned: NodeMap<i64>,
    /// The nodes whose latest capacity was not -1.
    eligible: NodeSet,
    /// For how long, in nanoseconds, one that has come back may have missed what an election needs.
    time_bound: i64,
    /// How many may be missing from an election, if the algorithm says how many.
    faulty_max: Option<usize>,
}

/// The part of one process in the latest of these elections. Stamps are nanoseconds since the lab began.
#[derive(Clone, Debug)]
struct ElectionAttempt {
    /// Which, if elections have numbers.
    election: Option<u64>,
    began: i64,
    /// When it was over for this process, if it is.
    ended: Option<i64>,
    /// Whether the process stood as a candidate.
    has_stood: bool,
    /// Whether it asks the operator for help since then.
    asks_for_help: bool,
    /// The others that were gone or only just back.
    missing: NodeSet,
}

/// An election that should have elected somebody, and after which nobody of those who took part names a master.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) struct FailedElection {
    /// When the first process entered it, in nanoseconds since the lab began.
    pub began: i64,
    /// When it was over for the last one.
    pub ended: i64,
    /// Who took part, and has been up since.
    pub nodes: NodeSet,
    /// The nodes of these whose election had the number of the latest candidate's, or, if nobody stood, of the latest
    /// one's.
    pub together: NodeSet,
}

impl FruitlessElections {
    /// None yet. The bound is that of the algorithm, in nanoseconds.
    pub fn new(time_bound: i64, faulty_max: Option<usize>) -> FruitlessElections {
        FruitlessElections { time_bound, faulty_max, ..FruitlessElections::default() }
    }

    /// The node's state after a step of it.
    pub fn take_state(&mut self, node: NodeId, state: &StateVector, at: i64) {
        if self.gone.remove(node) {
            self.returned.insert(node, at);
        }
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
                    let (election, missing) = (state.election, self.missing(at));
                    let attempt = ElectionAttempt {
                        election,
                        began: at,
                        ended: None,
                        has_stood: stands,
                        asks_for_help: false,
                        missing,
                    };
                    self.attempts.insert(node, attempt);
                }
            }
        } else if state.believes_in().is_some() {
            self.attempts.remove(&node);
        } else if let Some(attempt) = attempt {
            attempt.ended.get_or_insert(at);
            attempt.asks_for_help = state.course() == Course::Help;
        }
    }

    /// The capacity of the node at a step of it.
    pub fn take_capacity(&mut self, node: NodeId, capacity: i64) {
        if capacity >= 0 {
            self.eligible.insert(node);
        } else {
            self.eligible.remove(node);
        }
    }

    /// The node's process has died, or lies.
    pub fn forget(&mut self, node: NodeId) {
        self.attempts.remove(&node);
        self.aside.remove(node);
        self.gone.insert(node);
        for attempt in self.attempts.values_mut().filter(|attempt| attempt.ended.is_none()) {
            attempt.missing.insert(node);
        }
    }

    /// The node's process lies no longer: what it says of the election that it lied in does not count.
    pub fn set_aside(&mut self, node: NodeId) {
        self.attempts.remove(&node);
        self.aside.insert(node);
    }

    /// The latest election of these processes that has failed although somebody stood in it, if none of them is still
    /// within one.
    pub fn failed_with_candidates(&self, running: &NodeSet) -> Option<FailedElection> {
        self.failed(running).filter(|failed| failed.nodes.iter().any(|node| self.attempts[&node].has_stood))
    }

    /// The latest election of these processes that has failed, if none of them is still within one.
    pub fn failed(&self, running: &NodeSet) -> Option<FailedElection> {
        let attempts = self.attempts.iter().filter(|(node, _)| running.contains(**node));
        let over = |(node, attempt): (&NodeId, &ElectionAttempt)| Some((*node, attempt.began, attempt.ended?));
        let over: Vec<(NodeId, i64, i64)> = attempts.map(over).collect::<Option<_>>()?;
        let latest_of = |such: &dyn Fn(NodeId) -> bool| {
            over.iter().filter(|(node, ..)| such(*node)).max_by_key(|(_, began, _)| *began)
        };
        let stood = latest_of(&|node| self.attempts[&node].has_stood);
        let left_out = latest_of(&|_| true).filter(|latest| self.has_left_out(latest, running));
        stood.into_iter().chain(left_out).find_map(|last| self.failed_around(last, &over))
    }

    /// The election of which this was the last to begin, among these that are over; nothing if more were missing than may.
    fn failed_around(
        &self,
        (candidate, last_began, last_ended): &(NodeId, i64, i64),
        over: &[(NodeId, i64, i64)],
    ) -> Option<FailedElection> {
        // A number may be used again, so what was at that time is one election.
        let at_once = || over.iter().filter(|(_, began, ended)| began <= last_ended && ended >= last_began);
        let missing = at_once().fold(NodeSet::default(), |all, (node, ..)| all.union(&self.attempts[node].missing));
        if self.faulty_max.is_some_and(|max| missing.len() > max) {
            return None;
        }
        let election = self.attempts[candidate].election;
        let is_of_candidate = |node: &NodeId| self.attempts[node].election == election;
        Some(FailedElection {
            began: at_once().map(|(_, began, _)| *began).min()?,
            ended: at_once().map(|(.., ended)| *ended).max()?,
            nodes: at_once().map(|(node, ..)| *node).collect(),
            together: at_once().map(|(node, ..)| *node).filter(is_of_candidate).collect(),
        })
    }

    /// Whether this process's election with nobody above -1 has left out one of these who may be elected and was up before
    /// it: who has just started may take part in none, and then begins the next. Who asks for help may have been in it alone, by a word that nobody else took for a beginning, and says so.
    fn has_left_out(&self, (of, began, ended): &(NodeId, i64, i64), running: &NodeSet) -> bool {
        if self.attempts[of].asks_for_help {
            return false;
        }
        let was_up = |node: &NodeId| self.returned.get(node).is_none_or(|back| back < began);
        let was_elsewhere = |node: &NodeId| {
            self.attempts
                .get(node)
                .is_none_or(|attempt| attempt.ended.is_some_and(|over| over < *began) || attempt.began > *ended)
        };
        self.eligible.intersection(running).iter().any(|node| was_up(&node) && was_elsewhere(&node))
    }

    /// The nodes that are gone at this stamp, or only just back.
    fn missing(&self, at: i64) -> NodeSet {
        let just_back = self.returned.iter().filter(|(_, back)| at.saturating_sub(**back) <= self.time_bound);
        just_back.map(|(node, _)| *node).chain(self.gone.iter()).collect()
    }
}
