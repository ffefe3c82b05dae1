//! The dice that draw a swarm's labs.
//!
//! Invariant: the throws are a function of the lab and the seed: blake3 makes a stream of them.

use lab::Lab;
use protocol::{NodeId, NodeSet, Span};

/// Times are drawn to the microsecond, so that a lab file shows them whole.
const GRAIN: u64 = 1_000;

/// A stream of throws.
pub(super) struct Dice(blake3::OutputReader);

impl Dice {
    /// The dice of this seed of this lab. The name is part of it too: two labs that differ only in their steps, which
    /// no swarm plays, get different faults.
    pub fn new(lab: &Lab, seed: u64) -> Dice {
        Dice::of("hustings swarm 2", lab, seed)
    }

    /// Other dice of this seed of this lab, for returns.
    pub fn of_returns(lab: &Lab, seed: u64) -> Dice {
        Dice::of("hustings swarm returns", lab, seed)
    }

    fn of(context: &str, lab: &Lab, seed: u64) -> Dice {
        let mut hasher = blake3::Hasher::new_derive_key(context);
        for text in [lab.name.as_str(), lab.card.name] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let periods = [lab.timing.t, lab.timing.check, lab.timing.silence].map(Span::nanos);
        for number in periods.into_iter().chain([u64::from(lab.roster.len()), seed]) {
            hasher.update(&number.to_le_bytes());
        }
        Dice(hasher.finalize_xof())
    }

    /// A number less than this one, which is not 0; each as likely as the others, but for less than a hair.
    pub fn below(&mut self, number: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        ((u128::from(u64::from_le_bytes(bytes)) * u128::from(number)) >> 64) as u64
    }

    /// A number from `least` to `most`, both included.
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// Whether an event of this chance in a hundred happens.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of these; there is at least one.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    /// One of these nodes; there is at least one.
    pub fn one(&mut self, of: NodeSet) -> NodeId {
        let nodes: Vec<NodeId> = of.iter().collect();
        self.pick(&nodes)
    }

    /// Several of these nodes, or one if there are no more; seldom all.
    pub fn some(&mut self, of: NodeSet) -> NodeSet {
        let mut chosen: NodeSet = of.iter().filter(|_| self.chance(40)).collect();
        if chosen.is_empty() {
            chosen.insert(self.one(of));
        }
        chosen
    }

    /// A duration from `shortest` to `longest`, to the microsecond.
    pub fn span(&mut self, shortest: Span, longest: Span) -> Span {
        let (shortest, longest) = (shortest.nanos() / GRAIN, longest.nanos() / GRAIN);
        Span::from_nanos(self.within(shortest, longest.max(shortest)) * GRAIN)
    }
}
