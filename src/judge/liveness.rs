//! The properties of quiet: what must be true one bound after the last fault, and stay true. One function and one table
//! line each.
//!
//! Sources: assertions 2 and 4 from Garcia-Molina 1982, sections III and IV; SLE2, ALE2 and ALE2' from Stoller 1997; the
//! end state from the textbook's Bully and ring; that elections end from King, Gendreau and Ni 1988; the steady leader
//! from Ongaro and Ousterhout 2014.
//!
//! Invariant: a function here sees the states of running processes, and the parts that they are linked in; nothing of
//! time or faults.

use std::collections::BTreeMap;

use super::failed_elections::{FailedElection, FruitlessElections};
use super::progress::progress;
use super::quiet::Scope;
use super::work::WorkJudge;
use protocol::{Assumption, Course, GroupNumber, NodeId, NodeMap, NodeSet, Property, Rank, StateVector, Status};
use record::{Contradiction, NodesWithState, StalledWork};
use world::index;

/// For how many elections their participants are remembered.
const ELECTIONS_MAX: usize = 64;

/// What a property of quiet is about; none for a property of every moment, or of ends.
pub(super) fn scope_of(property: Property) -> Option<Scope> {
    QUIET_ASSERTIONS.iter().find(|row| row.property == property).map(|row| row.scope)
}

/// In a lab of at most this many nodes every cover by linked sets is looked at.
const COVERED_EXACTLY_MAX: usize = 16;

/// A property of a lab that is at rest.
pub(super) struct QuietAssertion {
    pub property: Property,
    pub scope: Scope,
    /// The assumptions that stay broken until the next election if they were broken within this one: a message garbled
    /// in it remains in the states of its receivers, however quiet it is now, and so does a lie. One after its end does
    /// not.
    pub lasting: &'static [Assumption],
    /// What is wrong with the lab.
    pub wrong: fn(&RestingLab) -> Option<Wrong>,
}

/// What makes words untrue that stay in the states of those who heard them.
const UNTRUE: &[Assumption] = &[Assumption::NothingGarbled, Assumption::AllCooperate, Assumption::NothingFromNowhere];

/// What was believed although it was never so. Of the algorithms that repair themselves only one to the letter may keep it.
const LIES: &[Assumption] = &[Assumption::AllCooperate];

/// The properties of quiet.
pub(super) const QUIET_ASSERTIONS: &[QuietAssertion] = &[
    QuietAssertion { lasting: LIES, ..whole(Property::Assertion2, one_coordinator) },
    QuietAssertion { lasting: LIES, ..of_parts(Property::Assertion4, assertion_4) },
    QuietAssertion { lasting: LIES, ..whole(Property::Sle2, one_coordinator) },
    QuietAssertion { lasting: LIES, ..of_links(Property::Ale2, ale_2) },
    QuietAssertion { lasting: LIES, ..of_links(Property::Ale2Prime, ale_2_prime) },
    QuietAssertion { lasting: UNTRUE, ..whole(Property::DeadlockFree, elections_end) },
    QuietAssertion { lasting: UNTRUE, ..whole(Property::DeadlockFreeMalicious, elections_end_with_all) },
    QuietAssertion { lasting: UNTRUE, ..whole(Property::EndState, end_state) },
    QuietAssertion { lasting: LIES, scope: Scope::MostUp, ..whole(Property::SteadyLeader, one_coordinator) },
    // A loss within an election is not reported again: its end stays as it is, until the next one.
    QuietAssertion { lasting: &Assumption::ALL, ..whole(Property::Uniqueness, one_master) },
    // What was a lie, garbled or lost lies in logs and accounts for ever.
    QuietAssertion {
        lasting: &[Assumption::AllCooperate, Assumption::NothingGarbled, Assumption::SafeCells],
        ..whole(Property::Progress, progress)
    },
];

/// Whether the property is one of quiet that is due only where all running processes are linked.
pub fn is_of_the_whole(property: Property) -> bool {
    matches!(scope_of(property), Some(Scope::Whole | Scope::MostUp))
}

/// Whether the property is one of quiet: due only when nothing has happened for the bound.
pub fn is_of_quiet(property: Property) -> bool {
    scope_of(property).is_some()
}

/// A lab that should be at rest.
pub(super) struct RestingLab<'a> {
    /// The latest state of each node, by its place.
    pub states: &'a [Option<StateVector>],
    pub rank: Rank,
    pub running: NodeSet,
    /// The running processes whose work has not changed for as long as an election takes.
    pub steady: NodeSet,
    /// The processes that lie: they are not among those that run.
    pub liars: NodeSet,
    /// If the property is about parts, each of them; if it is about links, for each running node the nodes that it is
    /// linked with, itself among them.
    pub parts: &'a [NodeSet],
    /// Which processes have taken part in numbered elections, if a promised property asks for it.
    pub took_part: Option<&'a Participants>,
    /// Since this stamp no process has come or stopped, and no link has failed: no election that began later may have
    /// missed a process.
    pub settled: i64,
    /// For how long a break excuses what rests after it, where only the mends would put that right.
    pub unrepaired: ExcuseTerm,
    /// The elections that have come to nothing.
    pub fruitless: &'a FruitlessElections,
    /// The judge of the lab's application.
    pub work: Option<&'a dyn WorkJudge>,
}

/// The participants of each of the latest numbered elections that have not crashed since.
#[derive(Clone, Default, Debug)]
pub(super) struct Participants {
    elections: BTreeMap<u64, Election>,
    /// Whether there was any election.
    is_any: bool,
}

/// One election: when its first state was seen, and its participants.
#[derive(Clone, Debug)]
struct Election {
    began: i64,
    nodes: NodeSet,
}

impl Participants {
    /// The participants of no election yet, if one of these properties asks who took part.
    pub fn asked_for(properties: &[Property]) -> Option<Participants> {
        properties.contains(&Property::EndState).then(Participants::default)
    }

    /// A node's state after a step of it.
    pub fn take_state(&mut self, node: NodeId, state: &StateVector, at: i64) {
        if let (Status::Election, Some(number)) = (state.status, state.election) {
            self.is_any = true;
            let election = self.elections.entry(number).or_insert(Election { began: at, nodes: NodeSet::EMPTY });
            election.nodes.insert(node);
            if self.elections.len() > ELECTIONS_MAX {
                self.elections.pop_first();
            }
        }
    }

    /// The node's process crashed: its next life has taken part in nothing. If all have crashed, numbers may begin
    /// anew.
    pub fn take_crash(&mut self, node: NodeId) {
        self.elections.retain(|_, election| {
            election.nodes.remove(node);
            !election.nodes.is_empty()
        });
    }

    /// When the election of this number began.
    pub fn began_at(&self, number: u64) -> Option<i64> {
        self.elections.get(&number).map(|election| election.began)
    }
}

/// The nodes that are wrong, and their state.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct Wrong {
    pub nodes: NodeSet,
    pub what: WrongRest,
    /// The nodes whose states make theirs wrong.
    pub against: NodeSet,
    /// For how long a break of a lasting assumption excuses it.
    pub excused: ExcuseTerm,
}

/// What is wrong with a lab at rest.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) enum WrongRest {
    /// How nodes stand.
    States(Vec<NodesWithState>),
    /// What is undone.
    Undone(StalledWork),
}

impl WrongRest {
    /// As a contradiction in a lab that has been quiet since then.
    pub fn since(self, quiet_since: i64) -> Contradiction {
        match self {
            WrongRest::States(states) => Contradiction::AtRest { quiet_since, states },
            WrongRest::Undone(what) => Contradiction::Undone { quiet_since, what },
        }
    }
}

/// For how long a break excuses what is wrong after it.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum ExcuseTerm {
    /// For as long as nobody holds another election.
    UntilNextElection,
    /// For as long as the lab goes: it lies in what processes keep.
    Always,
    /// Not at all: the algorithm puts it right without another election.
    Never,
    /// If it is any assumption and was broken within this election: to begin another one is the application's.
    OfElection(FailedElection),
}

impl RestingLab<'_> {
    fn state(&self, node: NodeId) -> Option<&StateVector> {
        self.states[index(node)].as_ref()
    }

    /// The node that all of these are Normal under, and in which group, if it is the same for all.
    fn one_group(&self, nodes: &NodeSet) -> Option<(NodeId, Option<GroupNumber>)> {
        let mut all = nodes.iter().map(|node| self.normal(node));
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }

    fn normal(&self, node: NodeId) -> Option<(NodeId, Option<GroupNumber>)> {
        let state = self.state(node).filter(|state| state.status == Status::Normal)?;
        Some((state.coordinator?, state.group))
    }

    /// The node that it is Normal under.
    fn names(&self, node: NodeId) -> Option<NodeId> {
        self.normal(node).map(|(coordinator, _)| coordinator)
    }

    /// The same as [`RestingLab::wrong`], of what only the mends would put right.
    fn unrepaired(&self, nodes: NodeSet) -> Wrong {
        Wrong { excused: self.unrepaired, ..self.wrong(nodes) }
    }

    /// Nobody is elected, although this election is over.
    fn nobody_elected(&self, failed: FailedElection) -> Option<Wrong> {
        let is_named = self.running.iter().any(|node| self.names(node).is_some());
        (!is_named).then(|| Wrong { excused: ExcuseTerm::OfElection(failed), ..self.wrong(self.running) })
    }

    /// What is wrong with these nodes: their state.
    fn wrong(&self, nodes: NodeSet) -> Wrong {
        let what = WrongRest::States(standing(self.states, nodes));
        Wrong { nodes, what, against: NodeSet::EMPTY, excused: ExcuseTerm::UntilNextElection }
    }

    /// Whether it cannot be said yet what is wrong: a liar that is silent, or begins elections, makes one election follow
    /// the other, so only what is at rest is judged while it lies.
    pub fn is_open(&self) -> bool {
        !self.liars.is_empty() && self.running.iter().any(|node| self.state(node).is_some_and(is_within))
    }
}

/// How these nodes stand.
pub(super) fn standing(states: &[Option<StateVector>], nodes: NodeSet) -> Vec<NodesWithState> {
    NodesWithState::of(nodes, |node| states[index(node)].as_ref())
}

/// Whether a process in this state is on its way through an election.
pub(super) fn is_within(state: &StateVector) -> bool {
    state.course() == Course::Electing
}

/// Whether a process in this state is at the end of an election, and will not go on by itself.
pub(super) fn is_at_end(state: &StateVector) -> bool {
    matches!(state.course(), Course::AtRest | Course::Help)
}

/// Some node is Normal under itself, and every node that is up is Normal under it.
fn one_coordinator(repose: &RestingLab) -> Option<Wrong> {
    let one = repose.one_group(&repose.running);
    match one {
        Some((coordinator, _)) if repose.running.contains(coordinator) => None,
        _ => Some(repose.unrepaired(repose.running)),
    }
}

/// In each part one node coordinates, and all are Normal under it in one group.
fn assertion_4(repose: &RestingLab) -> Option<Wrong> {
    let is_wrong = |part: &&NodeSet| !repose.one_group(part).is_some_and(|(one, _)| part.contains(one));
    repose.parts.iter().find(is_wrong).map(|part| repose.unrepaired(*part))
}

/// Every node that is up is Normal, and its leader is up and in its group.
fn ale_2_prime(repose: &RestingLab) -> Option<Wrong> {
    let is_right = |node: &NodeId| {
        repose.normal(*node).is_some_and(|(leader, group)| {
            let leads = repose.state(leader).is_some_and(|state| state.group == group);
            repose.running.contains(leader) && leads
        })
    };
    let wrong: NodeSet = repose.running.iter().filter(|node| !is_right(node)).collect();
    (!wrong.is_empty()).then(|| repose.unrepaired(wrong))
}

/// As ALE2', and there are not too many groups. Take the fewest sets that cover all running nodes, where all nodes of a set
/// are linked with each other. There may be no more groups than such sets. If no two leaders are linked, this holds: no
/// set has two of them.
fn ale_2(repose: &RestingLab) -> Option<Wrong> {
    let leaders: NodeSet = repose.running.iter().filter_map(|node| repose.names(node)).collect();
    let mut groups: Vec<_> = repose.running.iter().filter_map(|node| repose.normal(node)).collect();
    groups.sort();
    groups.dedup();
    let linked: NodeMap<NodeSet> = repose.running.iter().zip(repose.parts.iter().copied()).collect();
    let is_alone = |leader: NodeId| linked.get(&leader).is_some_and(|linked| linked.intersection(&leaders).len() == 1);
    let are_apart = groups.len() == leaders.len() && leaders.iter().all(is_alone);
    let are_too_many = || !are_apart && groups.len() > 1 && are_covered(&linked, groups.len() - 1);
    ale_2_prime(repose).or_else(|| are_too_many().then(|| repose.unrepaired(repose.running)))
}

/// Whether this many sets of nodes, all linked with each other, cover all. In a large lab only the first cover found is
/// looked at.
fn are_covered(linked: &NodeMap<NodeSet>, most: usize) -> bool {
    fn add(left: &[(NodeId, NodeSet)], sets: &mut Vec<NodeSet>, most: usize, is_small: bool) -> bool {
        let Some(((node, linked), left)) = left.split_first() else { return true };
        for place in 0..sets.len() {
            if !sets[place].minus(linked).is_empty() {
                continue;
            }
            sets[place].insert(*node);
            let is_done = add(left, sets, most, is_small);
            if is_done || !is_small {
                return is_done;
            }
            sets[place].remove(*node);
        }
        if sets.len() == most {
            return false;
        }
        sets.push(NodeSet::of(*node));
        let is_done = add(left, sets, most, is_small);
        sets.pop();
        is_done
    }
    let all: Vec<(NodeId, NodeSet)> = linked.iter().map(|(node, linked)| (*node, *linked)).collect();
    add(&all, &mut Vec::new(), most, all.len() <= COVERED_EXACTLY_MAX)
}

/// No running process is still within an election: each names a running master that takes itself for one, asks the
/// operator, or has heard of no election. A liar may be elected, and keep silent. And if nobody names a master, no election
/// has failed in which somebody stood: no loss prevents that one of these is elected, but a loss may leave out those who
/// would have stood.
fn elections_end(repose: &RestingLab) -> Option<Wrong> {
    still_within(repose).or_else(|| repose.nobody_elected(repose.fruitless.failed_with_candidates(&repose.running)?))
}

/// The same where every message arrives: nor has one failed that left out who would have stood.
fn elections_end_with_all(repose: &RestingLab) -> Option<Wrong> {
    still_within(repose).or_else(|| repose.nobody_elected(repose.fruitless.failed(&repose.running)?))
}

/// The processes that are still within an election, or name a master that is none.
fn still_within(repose: &RestingLab) -> Option<Wrong> {
    let itself = repose.running.iter().filter(|node| repose.names(*node) == Some(*node));
    let masters: NodeSet = itself.chain(repose.liars.iter()).collect();
    let is_astray = |node: &NodeId| repose.names(*node).is_some_and(|master| !masters.contains(master));
    let is_within = |node: &NodeId| repose.state(*node).is_some_and(is_within);
    let wrong: NodeSet = repose.running.iter().filter(|node| is_within(node) || is_astray(node)).collect();
    let named = wrong.iter().filter_map(|node| repose.names(node)).collect::<NodeSet>();
    let against = named.intersection(&repose.running);
    (!wrong.is_empty()).then(|| Wrong { against, ..repose.wrong(wrong) })
}

/// All running processes name one master, once any of them names one, or an election has failed. A mended master claims
/// again and again, to the processes that do not ask it, that it is master; so no earlier break excuses them. To the
/// letter no master does this.
fn one_master(repose: &RestingLab) -> Option<Wrong> {
    let states = || repose.running.iter().filter_map(|node| Some((node, repose.state(node)?)));
    let named = |state: &StateVector| if is_at_end(state) { state.believes_in() } else { None };
    let masters: NodeSet = states().filter_map(|(_, state)| named(state)).collect();
    if masters.is_empty() {
        return repose.nobody_elected(repose.fruitless.failed(&repose.running)?);
    }
    let is_under_one = masters.len() == 1 && states().all(|(_, state)| named(state).is_some());
    if is_under_one {
        return None;
    }
    Some(repose.unrepaired(repose.running))
}

/// All processes that are up name the one of them that outranks the others. Where elections have numbers (the ring,
/// where a process does not take over just because it returns), it is the largest participant of the latest one, and
/// all running processes had to take part if no one could have been missed. If there was no election, no process needs
/// to name one.
fn end_state(repose: &RestingLab) -> Option<Wrong> {
    let latest = repose.running.iter().filter_map(|node| repose.state(node)?.election).max();
    let election = || repose.took_part?.elections.get(&latest?);
    let (largest, took_part) = match (latest, election()) {
        // A process that is alone on its ring is elected at once.
        (Some(_), _) if repose.states.len() == 1 => (repose.rank.first_of(&repose.running), NodeSet::EMPTY),
        (Some(_), Some(election)) => {
            let up = election.nodes.intersection(&repose.running);
            let asked = if election.began >= repose.settled { repose.running } else { up };
            (repose.rank.first_of(&asked), up)
        }
        (Some(_), None) => (None, NodeSet::EMPTY),
        (None, _) => (repose.rank.first_of(&repose.running), NodeSet::EMPTY),
    };
    let is_nobody_right = largest.is_none() && repose.took_part.is_some_and(|took_part| took_part.is_any);
    let is_wrong = |node: &NodeId| is_nobody_right || repose.names(*node) != largest;
    let wrong: NodeSet = repose.running.iter().filter(is_wrong).collect();
    (!wrong.is_empty()).then(|| Wrong { against: took_part, ..repose.wrong(wrong) })
}

const fn whole(property: Property, wrong: fn(&RestingLab) -> Option<Wrong>) -> QuietAssertion {
    QuietAssertion { property, scope: Scope::Whole, lasting: &[], wrong }
}

const fn of_parts(property: Property, wrong: fn(&RestingLab) -> Option<Wrong>) -> QuietAssertion {
    QuietAssertion { property, scope: Scope::Parts, lasting: &[], wrong }
}

const fn of_links(property: Property, wrong: fn(&RestingLab) -> Option<Wrong>) -> QuietAssertion {
    QuietAssertion { property, scope: Scope::Links, lasting: &[], wrong }
}
