//! The end of an election by capacity (King, Gendreau and Ni 1988): every running process is at its end.
//!
//! A process is at its end at rest, or asking for help ([`Course`]). An idle process takes no part and delays no end. A
//! correct process is one that runs, and has run since the election began.
//!
//! An end is looked at when a *step* has just brought a process to its end (perhaps under another master), and now all
//! running ones are there. A crash alone makes no end: a process that crashes after the end does not change the others,
//! and the paper promises nothing about that. While a message may be on its way from a process that crashed in the
//! election, there is no end either. Records come in causal order, so the states seen are those of one consistent cut.
//! An election begins when its number is first seen, or, where elections have no numbers, when a process sets out on one
//! while no other is on its way through one. An end belongs to the election whose masters are named, and not to a later one
//! that may have elected nobody.
//!
//! Invariant: one end is looked at once: its election and the named masters identify it.

use std::collections::BTreeMap;

use protocol::{Course, NodeId, NodeMap, NodeSet, Standing, StateVector};
use record::{Input, NodeEnd, Step};
use world::moment::PastExtent;

/// The most elections whose beginnings are remembered.
const ELECTIONS_MAX: usize = 64;

/// The end of an election.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    /// The processes that name a master at its end, and after which election; by id.
    pub named: Vec<Named>,
    /// The processes at their end that name nobody.
    pub nameless: Vec<WithoutMaster>,
    /// The candidates in the election whose masters are the latest, that have not crashed since. A process cannot have
    /// heard of candidates from before its start: if one of the masters is that young, they are left out.
    pub stood: Vec<Standing>,
    /// The candidates that have crashed since.
    pub fallen: Vec<Standing>,
    /// The processes that may be elected: they run, and their capacity was not -1.
    pub candidates: NodeSet,
    /// The processes that crashed since that election began.
    pub crashed_within: NodeSet,
    /// The processes that started since that election began.
    pub started_within: NodeSet,
    /// The running processes.
    pub running: NodeSet,
    /// When the latest election began, in nanoseconds since the lab began.
    pub began: i64,
    /// When the election of the latest masters began, or, if nobody names one, the latest election.
    pub decided: i64,
}

/// A process at rest under a master.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct Named {
    pub node: NodeId,
    pub word: String,
    pub master: NodeId,
    pub election: Option<u64>,
    /// The list that decided, where lists do.
    pub list: Option<Vec<Standing>>,
}

/// A process at its end without a master: it asks for help, or rests without a master.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct WithoutMaster {
    pub node: NodeId,
    pub word: String,
}

impl Named {
    /// How it came out of its election.
    pub fn end(&self) -> NodeEnd {
        NodeEnd { node: self.node, word: self.word.clone().into(), master: Some(self.master) }
    }
}

impl WithoutMaster {
    /// How it came out of its election.
    pub fn end(&self) -> NodeEnd {
        NodeEnd { node: self.node, word: self.word.clone().into(), master: None }
    }
}

impl Ending {
    /// The processes that name a master after the election of the highest number.
    pub fn latest(&self) -> impl Iterator<Item = &Named> {
        let highest = self.named.iter().map(|named| named.election).max();
        self.named.iter().filter(move |named| Some(named.election) == highest)
    }

    /// Identifies the same violation in two ends: the election, by its beginning, and the masters that are named after it.
    pub fn outcome(&self) -> (i64, Vec<NodeId>) {
        let mut masters: Vec<NodeId> = self.latest().map(|named| named.master).collect();
        masters.sort();
        masters.dedup();
        (self.decided, masters)
    }

    /// The processes that came to an end.
    pub fn nodes(&self) -> NodeSet {
        self.named.iter().map(|named| named.node).chain(self.nameless.iter().map(|nameless| nameless.node)).collect()
    }

    /// The processes that came to an end, and those running ones that are named masters there.
    pub fn with_masters(&self) -> NodeSet {
        let masters: NodeSet = self.named.iter().map(|named| named.master).collect();
        self.nodes().union(&masters.intersection(&self.running))
    }

    /// The same, and the candidates: one of them may have begun so late that it came to no end.
    pub fn with_candidates(&self) -> NodeSet {
        let stood: NodeSet = self.stood.iter().map(|(node, _)| *node).collect();
        self.with_masters().union(&stood)
    }

    /// The processes that name nobody although they ran all the time.
    pub fn failed(&self) -> impl Iterator<Item = &WithoutMaster> {
        self.nameless.iter().filter(|nameless| !self.started_within.contains(nameless.node))
    }
}

#[derive(Clone, Eq, PartialEq, Debug)]
enum Standpoint {
    Idle,
    Electing,
    Named(Named),
    Nameless(WithoutMaster),
}

impl Standpoint {
    fn of(node: NodeId, state: &StateVector) -> Standpoint {
        let word = || state.word.to_string();
        match (state.course(), state.believes_in()) {
            (Course::Idle, _) => Standpoint::Idle,
            (Course::Electing, _) => Standpoint::Electing,
            (Course::AtRest, Some(master)) => {
                let lists = state.ballot.as_ref().and_then(|ballot| ballot.lists.as_ref());
                let list = lists.and_then(|lists| lists.decided.clone());
                Standpoint::Named(Named { node, word: word(), master, election: state.election, list })
            }
            (Course::AtRest | Course::Help, _) => Standpoint::Nameless(WithoutMaster { node, word: word() }),
        }
    }

    fn is_end(&self) -> bool {
        matches!(self, Standpoint::Named(_) | Standpoint::Nameless(_))
    }
}

/// The identity of an end: its election, by its beginning, and what each process names.
type Seen = (u64, Vec<(NodeId, Standpoint)>);

/// When an election began: how many steps and crashes came before it, and its stamp.
#[derive(Clone, Debug)]
struct Beginning {
    events: u64,
    at: i64,
    /// The processes that were seen in it, or at its end, and have not crashed since.
    nodes: NodeSet,
    /// When the last of them crashed, if all have.
    left: Option<i64>,
}

/// A candidate: in which election, with which capacity, since which step.
#[derive(Copy, Clone, Debug)]
struct Stands {
    election: Option<u64>,
    capacity: i64,
    /// The number of the step in which it became a candidate.
    since: u64,
}

/// Watches for the ends of elections.
#[derive(Clone, Debug)]
pub(super) struct Endings {
    /// How long an election takes: this long after all have left it others may still hear of it.
    time_bound: i64,
    /// How long a message of a process may still be on its way.
    one_way_bound: i64,
    /// Until when a process may still hear of one that crashed in an election.
    open_until: i64,
    phases: NodeMap<Standpoint>,
    /// The nodes whose latest capacity was not -1.
    candidates: NodeSet,
    stands: NodeMap<Stands>,
    /// The crashed nodes that were candidates, as they stood last.
    fallen: NodeMap<Stands>,
    /// The elections that a running process has been in, by their numbers.
    began: BTreeMap<Option<u64>, Beginning>,
    crashes: NodeMap<u64>,
    starts: NodeMap<u64>,
    events: u64,
    seen: Option<Seen>,
    broken: bool,
}

impl Endings {
    /// Nothing has begun; the durations of an election and of one way of a message, in nanoseconds.
    pub fn new(time_bound: i64, one_way_bound: i64) -> Endings {
        Endings {
            time_bound,
            one_way_bound,
            open_until: i64::MIN,
            phases: NodeMap::new(),
            candidates: NodeSet::EMPTY,
            stands: NodeMap::new(),
            fallen: NodeMap::new(),
            began: BTreeMap::new(),
            crashes: NodeMap::new(),
            starts: NodeMap::new(),
            events: 0,
            seen: None,
            broken: false,
        }
    }

    /// A node's state after a step of it; `running` includes the node. Returns the end that this step made.
    pub fn take_state(
        &mut self,
        node: NodeId,
        state: &StateVector,
        chain: PastExtent,
        at: i64,
        running: NodeSet,
    ) -> Option<Ending> {
        self.events += 1;
        self.broken |= chain == PastExtent::Broken;
        let phase = Standpoint::of(node, state);
        self.note_beginning(node, &phase, state.election, at);
        let changed = self.phases.insert(node, phase.clone()) != Some(phase.clone());
        // After a gap no set of states is known to be one cut. And the announcement of a crashed process may not have
        // reached all yet.
        let is_open = at <= self.open_until;
        (changed && phase.is_end() && !self.broken && !is_open).then(|| self.end(running)).flatten()
    }

    /// A step of a node: its capacity, whether it started, and whether it became a candidate in an election.
    pub fn take_step(&mut self, node: NodeId, step: &Step) {
        if matches!(step.input, Input::Start { .. }) {
            self.starts.insert(node, self.events);
        }
        if step.capacity >= 0 {
            self.candidates.insert(node);
        } else {
            self.candidates.remove(node);
        }
        let Some(state) = &step.state else { return };
        if state.ballot.as_ref().is_none_or(|ballot| ballot.stands_with.is_none()) {
            self.stands.remove(&node);
        } else if self.stands.get(&node).is_none_or(|stands| stands.election != state.election) || is_anew(step) {
            // By its criterion, not by its word.
            let (election, capacity) = (state.election, step.capacity);
            self.stands.insert(node, Stands { election, capacity, since: self.events });
        }
    }

    /// The node's process crashed.
    pub fn take_crash(&mut self, node: NodeId, at: i64) {
        self.events += 1;
        self.crashes.insert(node, self.events);
        if self.phases.remove(&node) == Some(Standpoint::Electing) {
            self.open_until = at.saturating_add(self.one_way_bound);
        }
        let fallen = self.stands.remove(&node).map(|stands| (node, stands));
        self.fallen.extend(fallen);
        for beginning in self.began.values_mut() {
            if beginning.nodes.remove(node) && beginning.nodes.is_empty() {
                beginning.left = Some(at);
            }
        }
    }

    /// The node's process lies: it takes no part, and nothing is on its way from it that counts.
    pub fn forget(&mut self, node: NodeId) {
        self.phases.remove(&node);
        self.stands.remove(&node);
        self.fallen.remove(&node);
        self.candidates.remove(node);
    }

    /// Records are missing: from now on no end is known to be one.
    pub fn touch_gap(&mut self) {
        self.broken = true;
    }

    /// When the election of this number began, or the latest without one, if that is known.
    pub fn began_at(&self, election: Option<u64>) -> Option<i64> {
        self.began.get(&election).map(|beginning| beginning.at)
    }

    fn note_beginning(&mut self, node: NodeId, phase: &Standpoint, election: Option<u64>, at: i64) {
        // When all processes of the election are down and nobody can hear of it any more, its number may be used anew;
        // and a garbled number is not later than the numbers in use.
        let is_over = |beginning: &Beginning| beginning.left.is_some_and(|left| at - left > self.time_bound);
        self.began.retain(|_, beginning| !is_over(beginning));
        let begins = match election {
            Some(_) => !self.began.contains_key(&election),
            None => {
                let others = || self.phases.iter().filter(|(other, _)| **other != node);
                *phase == Standpoint::Electing
                    && self.phases.get(&node) != Some(&Standpoint::Electing)
                    && others().all(|(_, other)| *other != Standpoint::Electing)
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
        if phases().any(|(_, phase)| *phase == Standpoint::Electing) {
            return None;
        }
        let is_known = |beginning: &&Beginning| beginning.left.is_none();
        let latest = self.began.values().rev().find(is_known);
        let (latest_events, began) = latest.map_or((0, 0), |latest| (latest.events, latest.at));
        let seen = (latest_events, phases().map(|(node, phase)| (node, phase.clone())).collect());
        if self.seen.as_ref() == Some(&seen) {
            return None;
        }
        let (mut named, mut nameless) = (Vec::new(), Vec::new());
        for (_, phase) in phases() {
            match phase {
                Standpoint::Named(one) => named.push(one.clone()),
                Standpoint::Nameless(one) => nameless.push(one.clone()),
                Standpoint::Idle | Standpoint::Electing => {}
            }
        }
        let number = named.iter().map(|named: &Named| named.election).max();
        let decided = number.and_then(|number| self.began.get(&number));
        let (since, decided) = decided.map_or((latest_events, began), |decided| (decided.events, decided.at));
        let within = |events: &NodeMap<u64>| {
            events.iter().filter(|(_, event)| **event >= since).map(|(node, _)| *node).collect()
        };
        let latest = named.iter().filter(|named| Some(named.election) == number);
        let youngest = latest.filter_map(|named| self.starts.get(&named.master)).max();
        // A process that begins an election comes to stand one event before the election begins.
        let is_of_it = |stands: &Stands| Some(stands.election) == number && stands.since.saturating_add(1) >= since;
        let stood = |(node, stands): (&NodeId, &Stands)| {
            let is_heard = youngest.is_none_or(|started| stands.since >= *started);
            (is_of_it(stands) && is_heard && running.contains(*node)).then_some((*node, stands.capacity))
        };
        let fell = |(node, stands): (&NodeId, &Stands)| is_of_it(stands).then_some((*node, stands.capacity));
        let ending = Ending {
            stood: self.stands.iter().filter_map(stood).collect(),
            fallen: self.fallen.iter().filter_map(fell).collect(),
            candidates: self.candidates.intersection(&running),
            crashed_within: within(&self.crashes),
            started_within: within(&self.starts),
            named,
            nameless,
            running,
            began,
            decided,
        };
        self.seen = Some(seen);
        Some(ending)
    }
}

/// Whether the step has sent the process into an election, where elections have no numbers to tell.
fn is_anew(step: &Step) -> bool {
    step.state.as_ref().is_some_and(|state| state.election.is_none() && state.course() == Course::Electing)
}
