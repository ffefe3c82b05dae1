//! The work of a group in shards: whether a result is the one computed alone, and whether a shard was given out or computed
//! twice (the property `work`).
//!
//! Under one definition a shard belongs to one process, for ever: that needs no order of events, and it is told when the
//! shard is given to a second one, for a wrong division goes on for as long as its definition. Nor does it need one that
//! a process computes what it does not have, or one shard twice, or works outside of Normal, or keeps a wrong count; as a
//! wrong count goes on from one to the next, it is told once. That two coordinators have a shard given out at once is judged in consistent
//! cuts: of two stretches in which coordinators have shards given out, neither ends before the other begins, by
//! happened-before. The dead give nothing out: a stretch with a later stamp than a crash comes after all stretches before
//! that crash, whether its coordinator knows of it or not.
//!
//! Invariant: a stretch whose past goes through a gap is not kept: it proves nothing.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use judge::{JudgedWork, ProcessLife, WorkGrade, WorkJudge, WrongWork};
use protocol::{
    ComputingGroups, DefinitionId, Facts, NodeId, NodeMap, NodeSet, Property, Roster, ShardFacts, ShardResult,
    ShardSet, ShardWork, StateVector, TaskId, Work, prime_count,
};
use record::WorkContradiction;
use world::index;
use world::moment::{CausalMoment, PastExtent};

/// The most ended stretches of one node that are kept.
const ENDED_MAX: usize = 256;

/// The judge of a lab of these facts and nodes.
pub fn of(facts: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    let shards = facts.application.as_ref()?.shards?;
    Some(Box::new(SharedWork::new(shards, roster)))
}

/// What is remembered of the shards.
#[derive(Clone, Debug)]
struct SharedWork {
    facts: ShardFacts,
    /// The results that were computed alone, here.
    alone: BTreeMap<u16, u32>,
    /// Who has had which shards out under each definition.
    given: BTreeMap<DefinitionId, NodeMap<ShardSet>>,
    /// Which shards each node has computed under each definition.
    computed: BTreeMap<(DefinitionId, NodeId), ShardSet>,
    /// Whether it was told that a count is wrong.
    told_wrong: bool,
    nodes: Vec<WorkingNode>,
}

#[derive(Clone, Default, Debug)]
struct WorkingNode {
    /// The process's work after its last step.
    work: ShardWork,
    /// What was in its safe cells before that step, for sure.
    kept: ShardSet,
    /// Whether it works outside of Normal.
    strays: bool,
    /// Whether no record of it is missing.
    is_known: bool,
    /// The stretch in which it coordinates and has shards given out, if it does now.
    open: Option<OutstandingShards>,
    ended: VecDeque<OutstandingShards>,
}

/// How long a coordinator has shards given out, and which: fewer and fewer.
#[derive(Clone, Debug)]
struct OutstandingShards {
    definition: DefinitionId,
    shards: ShardSet,
    since: i64,
    /// The node's turn that ended it.
    end: Option<u64>,
    /// When its node crashed first after it, which may be what ended it.
    crashed_at: Option<i64>,
}

impl WorkJudge for SharedWork {
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let wrong = self.judge(moment, state, life, at)?;
        Some(JudgedWork::of(Property::Work, wrong, moment, at))
    }

    fn take_crash(&mut self, moment: &CausalMoment, at: i64) {
        self.change_stretch(moment, None, ShardSet::EMPTY, at);
        let own = &mut self.nodes[index(moment.node)];
        own.ended.iter_mut().for_each(|stretch| stretch.crashed_at = stretch.crashed_at.or(Some(at)));
        (own.work.under, own.work.out, own.strays) = (None, ShardSet::EMPTY, false);
    }

    fn touch_gap(&mut self, node: NodeId) {
        self.nodes[index(node)] = WorkingNode::default();
    }

    fn let_go(&mut self, node: NodeId, known: u64) {
        self.nodes[index(node)].ended.retain(|stretch| stretch.end.is_none_or(|end| end > known));
    }
}

impl SharedWork {
    pub fn new(facts: ShardFacts, roster: Roster) -> SharedWork {
        let nodes = vec![WorkingNode::default(); usize::from(roster.len())];
        let (alone, given, computed) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        SharedWork { facts, alone, given, computed, told_wrong: false, nodes }
    }

    /// Returns what is wrong, or nothing if there was nothing to judge.
    fn judge(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<Vec<WrongWork>> {
        let Some(Work::Shards(work)) = state.work.as_deref() else { return None };
        let node = moment.node;
        let mut wrong = Vec::new();
        let mut say = |nodes: NodeSet, since: i64, what: WorkContradiction| {
            wrong.push(WrongWork { nodes, since, what, grade: WorkGrade::Observed })
        };
        let own = &mut self.nodes[index(node)];
        let last = std::mem::replace(&mut own.work, work.clone());
        let (was_known, strayed) = (own.is_known, own.strays);
        // What the last step of a process says that it keeps may not have come to its cells; what the next one begins
        // with was there.
        let (kept, is_there) = match life {
            ProcessLife::Begins => (own.kept, work.done),
            ProcessLife::GoesOn => (last.done, last.done),
        };
        (own.kept, own.is_known) = (is_there, true);
        own.strays = work.under.is_some_and(|under| TaskId::at_work(state) != Some(under.task));
        let lost = kept.minus(&work.done);
        if !lost.is_empty() {
            say(NodeSet::of(node), at, WorkContradiction::LostResults { node, lost });
        }
        if let (Some(definition), true, false) = (work.under, own.strays, strayed) {
            say(NodeSet::of(node), at, WorkContradiction::WorksOutsideNormal { node, definition });
        }
        let is_new = work.under != last.under;
        let gained = if is_new { work.out } else { work.out.minus(&last.out) };
        if let (Some(definition), false) = (work.under, gained.is_empty()) {
            let given = self.given.entry(definition).or_default();
            for (other, shards) in given.iter().filter(|(other, _)| **other != node) {
                let twice = shards.intersection(&gained);
                if !twice.is_empty() {
                    let what = WorkContradiction::GivenTwice { definition, shards: twice, other: *other, node };
                    say([*other, node].into_iter().collect(), at, what);
                }
            }
            let mine = given.get_or_default(node);
            *mine = mine.union(&gained);
        }
        let computed = work.latest.filter(|latest| was_known && last.latest != Some(*latest));
        for (nodes, what) in computed.map(|result| self.wrong_result(node, &last, result)).into_iter().flatten() {
            say(nodes, at, what);
        }
        if (work.done, work.primes) != (last.done, last.primes)
            && !self.told_wrong
            && let alone = work.done.iter().map(|shard| u64::from(self.alone(shard))).sum::<u64>()
            && alone != work.primes
        {
            self.told_wrong = true;
            let what = WorkContradiction::WrongSum { node, shards: work.done, primes: work.primes, right: alone };
            say(NodeSet::of(node), at, what);
        }
        let begun = self.change_stretch(moment, work.under.filter(|_| !work.given.is_empty()), work.given, at);
        if let Some((other, stretch)) = begun.then(|| self.contradicting(moment)).flatten() {
            let mine = &self.nodes[index(node)].work;
            let twice = stretch.shards.intersection(&mine.given);
            let what = WorkContradiction::GivenOutTwice {
                other,
                shards: twice,
                by_other: stretch.definition,
                node,
                by_node: mine.under,
            };
            say([other, node].into_iter().collect(), stretch.since, what);
        }
        let is_judged = is_new && work.under.is_some() || computed.is_some() || begun || !wrong.is_empty();
        is_judged.then_some(wrong)
    }

    /// What is wrong with what a node has computed, as its work was before.
    fn wrong_result(
        &mut self,
        node: NodeId,
        last: &ShardWork,
        result: ShardResult,
    ) -> Vec<(NodeSet, WorkContradiction)> {
        let (shard, primes, alone) = (result.shard, result.primes, self.alone(result.shard));
        let mut wrong = Vec::new();
        if alone != primes {
            self.told_wrong = true;
            let what = WorkContradiction::WrongShard { node, shard, primes, right: alone };
            wrong.push((NodeSet::of(node), what));
        }
        let Some(definition) = last.under.filter(|_| last.out.contains(shard)) else {
            wrong.push((NodeSet::of(node), WorkContradiction::NotOut { node, shard }));
            return wrong;
        };
        // That another one computes it too was told when it was given to both.
        let own = self.computed.entry((definition, node)).or_default();
        if own.contains(shard) {
            let what = WorkContradiction::ComputedTwice { node, shard, definition };
            wrong.push((NodeSet::of(node), what));
        }
        own.insert(shard);
        wrong
    }

    /// How many primes a shard has.
    fn alone(&mut self, shard: u16) -> u32 {
        let numbers = self.facts.numbers;
        let first = u64::from(shard.saturating_sub(1)).saturating_mul(numbers);
        *self.alone.entry(shard).or_insert_with(|| prime_count(first..first.saturating_add(numbers)))
    }

    /// From this moment on the node has these shards given out. Returns whether a new stretch began.
    fn change_stretch(
        &mut self,
        moment: &CausalMoment,
        definition: Option<DefinitionId>,
        shards: ShardSet,
        at: i64,
    ) -> bool {
        let own = &mut self.nodes[index(moment.node)];
        if let (Some(open), Some(definition)) = (&mut own.open, definition)
            && open.definition == definition
        {
            open.shards = shards;
            return false;
        }
        if let Some(mut ended) = own.open.take() {
            ended.end = Some(moment.own);
            if own.ended.len() == ENDED_MAX {
                own.ended.pop_front();
            }
            own.ended.push_back(ended);
        }
        let Some(definition) = definition.filter(|_| moment.chain == PastExtent::Whole) else { return false };
        own.open = Some(OutstandingShards { definition, shards, since: at, end: None, crashed_at: None });
        true
    }

    /// A stretch of another node in one consistent cut with the one that has just begun at this moment, with a shard that
    /// both have given out.
    fn contradicting(&self, moment: &CausalMoment) -> Option<(NodeId, OutstandingShards)> {
        if self.facts.groups != ComputingGroups::WithMajority {
            return None;
        }
        let new = self.nodes[index(moment.node)].open.as_ref()?;
        for (place, other) in (1..).zip(&self.nodes) {
            let Some(node) = NodeId::new(place).filter(|node| *node != moment.node) else { continue };
            let is_unended = |stretch: &&OutstandingShards| {
                stretch.crashed_at.is_none_or(|crash| new.since <= crash)
                    && stretch.end.is_none_or(|end| !moment.knows(node, end))
            };
            let meets = |stretch: &&OutstandingShards| !stretch.shards.intersection(&new.shards).is_empty();
            if let Some(found) = other.open.iter().chain(&other.ended).filter(is_unended).find(meets) {
                return Some((node, found.clone()));
            }
        }
        None
    }
}
