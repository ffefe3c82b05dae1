//! The end of an election of King, Gendreau and Ni: every running process is final.
//!
//! Final is Status Normal (`stop`, `master`) and the word `help`. A process whose word is `normal` or `start` has never heard of
//! the election and is counted apart: it holds no end up and names nobody.
//!
//! When an end is looked at: a *step* has just made a process final (also with another master), and now all running
//! ones are. A crash alone makes no end: who crashes after the end leaves the others as they are, and the paper promises
//! nothing of that. Records come in causal order, so the states seen are those of one consistent cut. The election
//! under way began when its number was first seen, or, where elections have no numbers, when a process last left its
//! rest while all others were at theirs. Crashes since then are told to the properties.
//!
//! Invariant: one end is looked at once: it is known by its election and by who names whom.

use std::collections::BTreeMap;

use super::clock::Chain;
use crate::protocol::{NodeId, NodeSet, StateVector, Status};

/// The word of a process that asks the operator for help.
pub(super) const HELP: &str = "help";
/// The words of a process that has not heard of an election.
const NEVER_HEARD: [&str; 2] = ["normal", "start"];
/// The most elections whose beginnings are remembered.
const ELECTIONS_MAX: usize = 64;

/// The end of an election.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    /// Who is normal, under which master, after which election; by id.
    pub named: Vec<Named>,
    /// Who is in help.
    pub help: NodeSet,
    /// Who may be elected: those who run and whose capacity was no -1.
    pub candidates: NodeSet,
    /// Who crashed since the latest election began.
    pub crashed_within: NodeSet,
    /// Who runs.
    pub running: NodeSet,
    /// When the latest election began, in nanoseconds since the lab began.
    pub began: i64,
    /// When the election began that the latest masters are named after, or, if nobody is normal, the latest one.
    pub decided: i64,
}

/// A process that is normal under a master.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct Named {
    pub node: NodeId,
    pub word: String,
    pub master: NodeId,
    pub election: Option<u64>,
}

impl Ending {
    /// Those who are normal after the election of the highest number that anyone is normal after.
    pub fn latest(&self) -> impl Iterator<Item = &Named> {
        let highest = self.named.iter().map(|named| named.election).max();
        self.named.iter().filter(move |named| Some(named.election) == highest)
    }

    /// What makes two ends with the same fault one: the election, by its beginning, and the masters that are named
    /// after it.
    pub fn outcome(&self) -> (i64, Vec<NodeId>) {
        let mut masters: Vec<NodeId> = self.latest().map(|named| named.master).collect();
        masters.sort();
        masters.dedup();
        (self.decided, masters)
    }

    /// Who came to an end.
    pub fn nodes(&self) -> NodeSet {
        self.named.iter().map(|named| named.node).collect::<NodeSet>().union(&self.help)
    }
}

#[derive(Clone, Eq, PartialEq, Debug)]
enum Phase {
    NeverHeard,
    Electing,
    Normal(Named),
    Help,
}

impl Phase {
    fn of(node: NodeId, state: &StateVector) -> Phase {
        match (state.status, state.coordinator) {
            (Status::Normal, Some(master)) => {
                Phase::Normal(Named { node, word: state.word.to_string(), master, election: state.election })
            }
            _ if state.word == HELP => Phase::Help,
            _ if NEVER_HEARD.contains(&state.word.as_ref()) => Phase::NeverHeard,
            _ => Phase::Electing,
        }
    }

    fn is_final(&self) -> bool {
        matches!(self, Phase::Normal(_) | Phase::Help)
    }
}

/// An end as it is known again: its election, by its beginning, and how everybody stands.
type Seen = (u64, Vec<(NodeId, Phase)>);

/// When an election began: how many steps and crashes came before it, and its stamp.
#[derive(Clone, Debug)]
struct Beginning {
    events: u64,
    at: i64,
    /// Who has been seen in it, or at its end, and has not crashed since.
    nodes: NodeSet,
    /// When the last of them crashed, if all have.
    left: Option<i64>,
}

/// Watches for the ends of elections.
#[derive(Clone, Debug)]
pub(super) struct Endings {
    /// How long an election takes: so long after all have left it others may still hear of it.
    time_bound: i64,
    phases: BTreeMap<NodeId, Phase>,
    /// Whose latest capacity was no -1.
    candidates: NodeSet,
    /// The elections that somebody up has been in, by their numbers.
    began: BTreeMap<Option<u64>, Beginning>,
    crashes: BTreeMap<NodeId, u64>,
    events: u64,
    seen: Option<Seen>,
    broken: bool,
}

impl Endings {
    /// Nothing has begun; an election takes so long, in nanoseconds.
    pub fn new(time_bound: i64) -> Endings {
        Endings {
            time_bound,
            phases: BTreeMap::new(),
            candidates: NodeSet::EMPTY,
            began: BTreeMap::new(),
            crashes: BTreeMap::new(),
            events: 0,
            seen: None,
            broken: false,
        }
    }

    /// A node's state after a step of it; `running` includes the node. Gives the end that this step made.
    pub fn take_state(
        &mut self,
        node: NodeId,
        state: &StateVector,
        chain: Chain,
        at: i64,
        running: NodeSet,
    ) -> Option<Ending> {
        self.events += 1;
        self.broken |= chain == Chain::Broken;
        let phase = Phase::of(node, state);
        self.note_beginning(node, &phase, state.election, at);
        let changed = self.phases.insert(node, phase.clone()) != Some(phase.clone());
        // After a gap no set of states is known to be one cut.
        (changed && phase.is_final() && !self.broken).then(|| self.end(running)).flatten()
    }

    /// What a node's capacity was at a step of it.
    pub fn take_capacity(&mut self, node: NodeId, capacity: i64) {
        if capacity >= 0 {
            self.candidates.insert(node);
        } else {
            self.candidates.remove(node);
        }
    }

    /// The node's process crashed.
    pub fn take_crash(&mut self, node: NodeId, at: i64) {
        self.events += 1;
        self.crashes.insert(node, self.events);
        self.phases.remove(&node);
        for beginning in self.began.values_mut() {
            if beginning.nodes.remove(node) && beginning.nodes.is_empty() {
                beginning.left = Some(at);
            }
        }
    }

    /// Records are missing: no end is known to be one from now on.
    pub fn touch_gap(&mut self) {
        self.broken = true;
    }

    /// When the election of this number began, or the latest without one, if that is known.
    pub fn began_at(&self, election: Option<u64>) -> Option<i64> {
        self.began.get(&election).map(|beginning| beginning.at)
    }

    fn note_beginning(&mut self, node: NodeId, phase: &Phase, election: Option<u64>, at: i64) {
        // When nobody is up who was in it, and nobody can hear of it any more, its number may be used anew; and if the
        // number was garbled it is no later one than those in use.
        let is_over = |beginning: &Beginning| beginning.left.is_some_and(|left| at - left > self.time_bound);
        self.began.retain(|_, beginning| !is_over(beginning));
        let begins = match election {
            Some(_) => !self.began.contains_key(&election),
            None => {
                let others = || self.phases.iter().filter(|(other, _)| **other != node);
                *phase == Phase::Electing
                    && self.phases.get(&node) != Some(&Phase::Electing)
                    && others().all(|(_, other)| *other != Phase::Electing)
            }
        };
        if begins {
            let (events, nodes) = (self.events, NodeSet::EMPTY);
            self.began.insert(election, Beginning { events, at, nodes, left: None });
            if self.began.len() > ELECTIONS_MAX {
                self.began.pop_first();
            }
        }
        if let Some(beginning) = self.began.get_mut(&election) {
            beginning.nodes.insert(node);
            beginning.left = None;
        }
    }

    fn end(&mut self, running: NodeSet) -> Option<Ending> {
        let phases = || running.iter().filter_map(|node| Some((node, self.phases.get(&node)?)));
        if phases().any(|(_, phase)| *phase == Phase::Electing) {
            return None;
        }
        let is_known = |beginning: &&Beginning| beginning.left.is_none();
        let latest = self.began.values().rev().find(is_known);
        let (began, began_at) = latest.map_or((0, 0), |latest| (latest.events, latest.at));
        let seen = (began, phases().map(|(node, phase)| (node, phase.clone())).collect());
        if self.seen.as_ref() == Some(&seen) {
            return None;
        }
        let normal = phases().filter_map(|(_, phase)| match phase {
            Phase::Normal(named) => Some(named.clone()),
            _ => None,
        });
        let named: Vec<Named> = normal.collect();
        let decided = named.iter().map(|named| named.election).max().and_then(|latest| self.began.get(&latest));
        let ending = Ending {
            decided: decided.map_or(began_at, |decided| decided.at),
            named,
            help: phases().filter(|(_, phase)| **phase == Phase::Help).map(|(node, _)| node).collect(),
            candidates: self.candidates.intersection(&running),
            crashed_within: self.crashes.iter().filter(|(_, crash)| **crash >= began).map(|(node, _)| *node).collect(),
            running,
            began: began_at,
        };
        self.seen = Some(seen);
        Some(ending)
    }
}
