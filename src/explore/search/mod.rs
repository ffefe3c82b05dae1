//! The search through a model, breadth first: every state that can be reached, and to each state that breaks a property
//! a shortest way.
//!
//! A model's states may have stages, as a lab's have ticks: no way leads back to an earlier stage. Stage after stage is
//! searched whole, and within a stage the states come in the order of their depth. So a way that is found first has the
//! fewest ticks, and of those the fewest events. What was seen is kept for the stage at hand and for later ones alone;
//! of every state there remain its parent and the number of the action that led to it, which are enough to go the way
//! again from the beginning.
//!
//! States are told apart by 64 bits of a hash, as in stateright itself: among a hundred million states the chance is
//! about one in 4,000 that two of them are taken for one.
//!
//! The states of one depth are expanded in blocks by several threads ([`blocks`]), and one thread enters what follows. A
//! thread alone enters what follows a state at once.
//!
//! # What is left out, and why no more
//!
//! States with the same future are one state, which the model sees to: faults that may come no more and what a node keeps
//! that stays dead are forgotten, equal messages that keep no order come once, and a crash after the last effect of a step
//! is one between steps. All that may happen then, happens from the one state too, so nothing is lost.
//!
//! *Symmetry.* Nodes may be exchanged if the lab is the same afterwards. But ids are ranks: a machine compares them, and
//! of two nodes one outranks the other. An exchange that keeps an order of finitely many exchanges nothing.
//!
//! *Partial order.* Steps of two nodes in one tick commute, so one order would do for both, if two things held. First,
//! some of the actions of a state must be a persistent set: nothing that the others lead to depends on them. All actions
//! of one node are the least such set, for its messages, timers and faults change one machine. But a step of any other
//! node may send it a message, which may come in the same tick and hence before: that depends on them. So the set grows by
//! every node that may still take a step in the tick, and by every fault that may still come, and is nearly always whole.
//! Second, what is put off must be invisible. But a contradiction is one of an instant: 4 may take itself for coordinator
//! for one step before it hears of 5, and an order in which it hears of 5 first does not have that state. Only steps
//! that change no claim (status, coordinator, group) are invisible, and they are the replies, on which the first
//! condition fails. Sleep sets keep all states and leave out only ways to states that are known already; these cost one
//! look into a table, and memory is what ends a search.
//!
//! Invariant: one order, whatever the number of threads: the same model gives the same counts and the same ways.

mod blocks;

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::num::NonZeroUsize;

use nix::sys::resource::{UsageWho, getrusage};
use stateright::{Expectation, Model, Property};

use self::blocks::{BLOCK, ExpandedBlock, ExpandedState, NextState, WaitingStates, broken, each_in_turn, expanded};
use super::staged::Staged;

/// What ends a search before its end.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Limits {
    /// The most unique states.
    pub states: u64,
    /// The most resident memory of the process, in bytes.
    pub resident: u64,
}

/// How far a search went. A property is decided when it was found false, and its way is enough.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum SearchExtent {
    /// Every state was seen, or every property was decided.
    Exhausted,
    /// So many states were seen.
    States,
    /// So much memory was resident.
    Memory,
    /// Was told to stop.
    Told,
}

/// The counts of a search.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub struct SearchTally {
    /// States generated: the first ones, and one for each action that leads to a state within the boundary.
    pub generated: u64,
    /// The different ones of them.
    pub unique: u64,
    /// The most actions from the beginning to a state, on a shortest way.
    pub depth: u32,
    /// The unique states of each stage.
    pub stages: Vec<u64>,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct Exploration<S> {
    /// The counts.
    pub tally: SearchTally,
    /// How far it went.
    pub exhaustion: SearchExtent,
    /// The most resident memory of the process so far, in bytes.
    pub resident: u64,
    /// The properties that were found false, by name, each with the number of its first state and a shortest way there:
    /// the first state, and the number of each action among those of its state.
    pub found: Vec<(&'static str, FoundWay<S>)>,
}

/// A way from the beginning.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct FoundWay<S> {
    /// Where it begins.
    pub from: S,
    /// Each action, by its place among the actions of its state.
    pub places: Vec<u16>,
}

/// Whether to go on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum SearchControl {
    /// The search goes on.
    GoOn,
    /// Ends.
    Stop,
}

/// Whether a way that was found is enough.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum WaySought {
    /// Is: the property is decided.
    Enough,
    /// Another way to break the same property is looked for.
    Another,
}

/// Who follows a search.
pub trait SearchFollower<S> {
    /// Has come so far: it is told now and then.
    fn hear(&mut self, tally: &SearchTally) -> SearchControl;

    /// The property was found false: this is a shortest way to the next state that breaks it.
    fn find(&mut self, property: &'static str, way: &FoundWay<S>) -> WaySought;
}

/// A follower that lets the search go on to its end, and has enough of one way for each property.
#[derive(Copy, Clone, Debug)]
pub struct ToTheEnd;

impl<S> SearchFollower<S> for ToTheEnd {
    fn hear(&mut self, _: &SearchTally) -> SearchControl {
        SearchControl::GoOn
    }

    fn find(&mut self, _: &'static str, _: &FoundWay<S>) -> WaySought {
        WaySought::Enough
    }
}

/// Searches the whole model with so many threads, or as far as the limits and the follower allow.
pub fn search<M: Staged + Sync>(
    model: &M,
    limits: Limits,
    jobs: NonZeroUsize,
    follower: &mut dyn SearchFollower<M::State>,
) -> Exploration<M::State>
where
    M::State: Clone + Hash + Send,
{
    let mut walk = Sweep::new(model);
    let exhaustion = walk.go(limits, jobs, follower);
    let found = walk.found.iter().map(|(name, at)| (*name, walk.way_to(*at))).collect();
    Exploration { tally: walk.tally, exhaustion, resident: resident(), found }
}

/// The most resident memory of this process so far, in bytes.
pub fn resident() -> u64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0) * 1024)
}

/// So many states are expanded between two looks at the clock and the memory.
const LOOKS_APART: u64 = 1 << 10;
/// No parent: a first state.
const FIRST: u32 = u32::MAX;

/// The states that were seen, by 64 bits of their hashes.
type SeenStates = HashMap<u64, SeenState, BuildHasherDefault<IdentityHasher>>;

/// A state that was seen. Its depth stands here too, where it is at hand when the state is met again.
struct SeenState {
    number: u32,
    depth: u16,
}

/// The states of one stage that wait, by their depth and in blocks, and all that were seen of it.
struct StageStates<S> {
    waiting: BTreeMap<u32, Vec<WaitingStates<S>>>,
    seen: SeenStates,
}

struct Sweep<'m, M: Model> {
    model: &'m M,
    layers: BTreeMap<u32, StageStates<M::State>>,
    /// Of each state its parent, the place of the action, and its depth.
    parents: Vec<u32>,
    places: Vec<u16>,
    depths: Vec<u16>,
    first: Vec<M::State>,
    tally: SearchTally,
    found: Vec<(&'static str, u32)>,
    /// The states that were expanded.
    expanded: u64,
}

impl<'m, M: Staged + Sync> Sweep<'m, M>
where
    M::State: Clone + Hash + Send,
{
    fn new(model: &'m M) -> Sweep<'m, M> {
        let mut walk = Sweep {
            model,
            layers: BTreeMap::new(),
            parents: Vec::new(),
            places: Vec::new(),
            depths: Vec::new(),
            first: model.init_states(),
            tally: SearchTally::default(),
            found: Vec::new(),
            expanded: 0,
        };
        for place in 0..walk.first.len() {
            let state = walk.first[place].clone();
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            walk.enter(blocks::of(model, place, state), FIRST, 0);
        }
        walk
    }

    fn go(&mut self, limits: Limits, jobs: NonZeroUsize, follower: &mut dyn SearchFollower<M::State>) -> SearchExtent {
        let model = self.model;
        let properties = model.properties();
        assert!(properties.iter().all(|property| property.expectation == Expectation::Always), "no other is searched");
        assert!(properties.len() <= 64, "each has a bit");
        let mut open: Vec<usize> = (0..properties.len()).collect();
        while let Some(stage) = self.layers.keys().next().copied() {
            while let Some((depth, mut waiting)) =
                self.layers.get_mut(&stage).and_then(|layer| layer.waiting.pop_first())
            {
                for block in &mut waiting {
                    // What was found again on a shorter way was expanded then.
                    block.retain(|(_, number)| u32::from(self.depths[*number as usize]) == depth);
                }
                let expand = |states| expanded(model, &properties, states);
                let ended = each_in_turn(waiting, jobs, expand, |block| {
                    self.enter_block(block, depth, &properties, &mut open, limits, follower)
                });
                if let Some(exhaustion) = ended {
                    return exhaustion;
                }
            }
            self.layers.remove(&stage);
        }
        SearchExtent::Exhausted
    }

    /// Enters what follows the states of a block, one after the other; returns why the search ends, if it does.
    fn enter_block(
        &mut self,
        block: ExpandedBlock<M::State>,
        depth: u32,
        properties: &[Property<M>],
        open: &mut Vec<usize>,
        limits: Limits,
        follower: &mut dyn SearchFollower<M::State>,
    ) -> Option<SearchExtent> {
        let ExpandedBlock { states, found, next } = block;
        let (mut found, mut next) = (found.into_iter(), next.into_iter());
        let mut following = Vec::new();
        for (state, number) in states {
            let looked = || ExpandedState { broken: broken(self.model, properties, &state), followers: None };
            let of = found.next().unwrap_or_else(looked);
            self.tally.depth = self.tally.depth.max(depth);
            open.retain(|place| of.broken & 1 << *place == 0 || self.find(properties[*place].name, number, follower));
            if open.is_empty() && !properties.is_empty() {
                return Some(SearchExtent::Exhausted);
            }
            match of.followers {
                Some(count) => next.by_ref().take(count).for_each(|next| self.enter(next, number, depth + 1)),
                None => {
                    self.model.follow(&state, &mut following);
                    for (place, state) in following.drain(..) {
                        self.enter(blocks::of(self.model, place, state), number, depth + 1);
                    }
                }
            }
            self.expanded += 1;
            if self.tally.unique >= limits.states {
                return Some(SearchExtent::States);
            }
            if self.expanded.is_multiple_of(LOOKS_APART) {
                if resident() >= limits.resident {
                    return Some(SearchExtent::Memory);
                }
                if follower.hear(&self.tally) == SearchControl::Stop {
                    return Some(SearchExtent::Told);
                }
            }
        }
        None
    }

    fn enter(&mut self, entered: NextState<M::State>, parent: u32, depth: u32) {
        self.tally.generated += 1;
        let NextState { state, place, hash, stage } = entered;
        let depth_kept = u16::try_from(depth).expect("a way has fewer than 65,536 actions");
        let layer = self
            .layers
            .entry(stage)
            .or_insert_with(|| StageStates { waiting: BTreeMap::new(), seen: SeenStates::default() });
        let next = u32::try_from(self.parents.len()).expect("fewer than 2^32 states fit into memory");
        let seen = layer.seen.entry(hash).or_insert(SeenState { number: next, depth: depth_kept });
        let number = seen.number;
        if number == next {
            self.parents.push(parent);
            self.places.push(place);
            self.depths.push(depth_kept);
            self.tally.unique += 1;
            let stage = stage as usize;
            if self.tally.stages.len() <= stage {
                self.tally.stages.resize(stage + 1, 0);
            }
            self.tally.stages[stage] += 1;
        } else if depth_kept < seen.depth {
            seen.depth = depth_kept;
            self.parents[number as usize] = parent;
            self.places[number as usize] = place;
            self.depths[number as usize] = depth_kept;
        } else {
            return;
        }
        let waiting = layer.waiting.entry(depth).or_default();
        match waiting.last_mut() {
            Some(block) if block.len() < BLOCK => block.push((state, number)),
            _ => waiting.push(vec![(state, number)]),
        }
    }

    /// The property does not hold in this state. Whether it stays open.
    fn find(&mut self, name: &'static str, at: u32, follower: &mut dyn SearchFollower<M::State>) -> bool {
        if self.found.iter().all(|(other, _)| *other != name) {
            self.found.push((name, at));
        }
        follower.find(name, &self.way_to(at)) == WaySought::Another
    }

    fn way_to(&self, mut at: u32) -> FoundWay<M::State> {
        let mut places = Vec::new();
        while self.parents[at as usize] != FIRST {
            places.push(self.places[at as usize]);
            at = self.parents[at as usize];
        }
        places.reverse();
        FoundWay { from: self.first[usize::from(self.places[at as usize])].clone(), places }
    }
}

/// Hashes what is a hash already.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers of 64 bits are hashed");
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests;
