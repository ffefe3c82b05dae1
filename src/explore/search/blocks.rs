//! The states of one depth in blocks, which several threads expand ahead of the one that enters what follows.
//!
//! Whoever is free takes the next block. The entering thread goes through the blocks in their order; while another thread
//! still has the block that is next, it expands a later one itself. A block that is expanded ahead learns nothing new of
//! the model; a state that needs that is left to the entering thread, which comes to it in its turn. So what is entered
//! and learned, and in which order, does not depend on the number of threads.
//!
//! Invariant: no block is more than [`AHEAD`] blocks for each thread ahead of the one that is entered.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use stateright::{Model, Property};

use super::super::staged::Staged;
use super::super::state_hash::hash_of;

/// The most states of a block: enough that handing it to another thread costs little beside it.
pub const BLOCK: usize = 256;
/// So many blocks for each thread are expanded ahead.
const AHEAD: usize = 4;

/// States that wait, each with its number.
pub type WaitingStates<S> = Vec<(S, u32)>;

/// A state that follows another one.
pub struct NextState<S> {
    pub state: S,
    /// The place of the action that leads to it.
    pub place: u16,
    pub hash: u64,
    pub stage: u32,
}

/// What was found of one state.
#[derive(Copy, Clone)]
pub struct ExpandedState {
    /// The properties that do not hold in it, a bit for each place.
    pub broken: u64,
    /// How many states follow; absent: the entering thread looks, for something must be learned first, or nobody has
    /// looked ahead.
    pub followers: Option<usize>,
}

/// A block of states whose turn it is to be entered.
pub struct ExpandedBlock<S> {
    pub states: WaitingStates<S>,
    /// What was found of each; nothing if nobody has looked ahead.
    pub found: Vec<ExpandedState>,
    /// What follows them, in their order.
    pub next: Vec<NextState<S>>,
}

/// Looks at the states of a block and at those that follow, and learns nothing.
pub fn expanded<M: Staged>(model: &M, asked: &[Property<M>], states: WaitingStates<M::State>) -> ExpandedBlock<M::State>
where
    M::State: Hash,
{
    let mut block = ExpandedBlock { found: Vec::with_capacity(states.len()), next: Vec::new(), states };
    let mut following = Vec::new();
    for (state, _) in &block.states {
        let broken = broken(model, asked, state);
        let is_known = model.follow_known(state, &mut following);
        block.found.push(ExpandedState { broken, followers: is_known.then_some(following.len()) });
        block.next.extend(following.drain(..).filter(|_| is_known).map(|(place, state)| of(model, place, state)));
    }
    block
}

/// The properties that do not hold in this state, a bit for each place.
pub fn broken<M: Model>(model: &M, asked: &[Property<M>], state: &M::State) -> u64 {
    let broken = asked.iter().enumerate().filter(|(_, property)| !(property.condition)(model, state));
    broken.fold(0, |bits, (place, _)| bits | 1 << place)
}

/// A state that follows, with what is kept of it.
pub fn of<M: Staged>(model: &M, place: u16, state: M::State) -> NextState<M::State>
where
    M::State: Hash,
{
    NextState { place, hash: hash_of(&state), stage: model.stage(&state), state }
}

/// Where a block stands.
enum BlockState<S> {
    Waits(WaitingStates<S>),
    IsTaken,
    IsExpanded(ExpandedBlock<S>),
}

struct Blocks<S> {
    all: Vec<BlockState<S>>,
    /// The first that nobody has taken.
    next: usize,
    /// So many were entered.
    entered: usize,
    is_over: bool,
}

impl<S> Blocks<S> {
    fn take_next(&mut self) -> Option<(usize, WaitingStates<S>)> {
        let place = self.next;
        let block = std::mem::replace(self.all.get_mut(place)?, BlockState::IsTaken);
        self.next += 1;
        match block {
            BlockState::Waits(states) => Some((place, states)),
            _ => unreachable!("blocks are taken in their order, each once"),
        }
    }
}

/// The blocks of one depth, as several threads share them.
struct SharedBlocks<S> {
    blocks: Mutex<Blocks<S>>,
    changed: Condvar,
    ahead: usize,
}

impl<S> SharedBlocks<S> {
    fn locked(&self) -> MutexGuard<'_, Blocks<S>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waited<'d>(&'d self, blocks: MutexGuard<'d, Blocks<S>>) -> MutexGuard<'d, Blocks<S>> {
        self.changed.wait(blocks).unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, place: usize, block: ExpandedBlock<S>) {
        self.locked().all[place] = BlockState::IsExpanded(block);
        self.changed.notify_all();
    }

    /// A block to expand ahead; nothing when all are taken, or the depth is over.
    fn taken_ahead(&self) -> Option<(usize, WaitingStates<S>)> {
        let mut blocks = self.locked();
        while !blocks.is_over && blocks.next < blocks.all.len() && blocks.next >= blocks.entered + self.ahead {
            blocks = self.waited(blocks);
        }
        if blocks.is_over { None } else { blocks.take_next() }
    }

    /// The block at this place, expanded. Meanwhile this thread expands others.
    fn block(&self, place: usize, expand: &impl Fn(WaitingStates<S>) -> ExpandedBlock<S>) -> ExpandedBlock<S> {
        loop {
            let mut blocks = self.locked();
            assert!(!blocks.is_over, "a thread of the search has failed");
            if matches!(blocks.all[place], BlockState::IsExpanded(_)) {
                blocks.entered = place + 1;
                let block = std::mem::replace(&mut blocks.all[place], BlockState::IsTaken);
                self.changed.notify_all();
                let BlockState::IsExpanded(block) = block else { unreachable!("it is expanded") };
                return block;
            }
            let may_take = blocks.next < place + self.ahead;
            let taken = may_take.then(|| blocks.take_next()).flatten();
            match taken {
                Some((other, states)) => {
                    drop(blocks);
                    self.put(other, expand(states));
                }
                None => drop(self.waited(blocks)),
            }
        }
    }
}

/// Lets all others end when its thread ends: the entering one in any case, another one if it panics.
struct Leaving<'d, S> {
    shared: &'d SharedBlocks<S>,
    enters: bool,
}

impl<S> Drop for Leaving<'_, S> {
    fn drop(&mut self) {
        if self.enters || std::thread::panicking() {
            self.shared.locked().is_over = true;
            self.shared.changed.notify_all();
        }
    }
}

/// Expands blocks ahead with so many threads, and hands each in its turn to `enter`, until that returns something. One
/// thread alone looks ahead at nothing: what follows a state is still at hand when it is entered at once.
pub fn each_in_turn<S: Send, T>(
    blocks: Vec<WaitingStates<S>>,
    jobs: NonZeroUsize,
    expand: impl Fn(WaitingStates<S>) -> ExpandedBlock<S> + Sync,
    mut enter: impl FnMut(ExpandedBlock<S>) -> Option<T>,
) -> Option<T> {
    let threads = jobs.get().min(blocks.len());
    if threads <= 1 {
        let as_it_is = |states| ExpandedBlock { states, found: Vec::new(), next: Vec::new() };
        return blocks.into_iter().map(as_it_is).find_map(enter);
    }
    let count = blocks.len();
    let all = blocks.into_iter().map(BlockState::Waits).collect();
    let blocks = Mutex::new(Blocks { all, next: 0, entered: 0, is_over: false });
    let shared = SharedBlocks { blocks, changed: Condvar::new(), ahead: AHEAD * threads };
    std::thread::scope(|scope| {
        let _entering = Leaving { shared: &shared, enters: true };
        for _ in 1..threads {
            scope.spawn(|| {
                let _leaving = Leaving { shared: &shared, enters: false };
                while let Some((place, states)) = shared.taken_ahead() {
                    shared.put(place, expand(states));
                }
            });
        }
        (0..count).find_map(|place| enter(shared.block(place, &expand)))
    })
}
