//! What a swarm gives to the code that draws a fault: dice, and links and nodes of the lab.
//!
//! Invariant: a drawn fault is a function of the lab and of the throws of the dice.

use super::Target;
use protocol::{Channel, NodeSet, Span};

pub trait Draw {
    /// The channel on which the algorithm sends.
    fn channel(&self) -> Channel;
    /// The lab's nodes.
    fn all(&self) -> NodeSet;
    /// How long one way may take.
    fn one_way_bound(&self) -> Span;
    /// A number below this one.
    fn below(&mut self, number: u64) -> u64;
    /// A number between these two.
    fn within(&mut self, least: u64, most: u64) -> u64;
    /// Whether an event of this chance in a hundred happens.
    fn chance(&mut self, percent: u64) -> bool;
    /// A duration between these two.
    fn span(&mut self, shortest: Span, longest: Span) -> Span;
    /// The two ends of a link, or of several.
    fn link(&mut self) -> (Target, Target);
    /// One node, several, or the coordinator.
    fn node(&mut self) -> Target;
    /// The same, or all.
    fn node_or_all(&mut self) -> Target;
    /// Parts of the lab; nobody is left out.
    fn parts(&mut self) -> Vec<Target>;
}

/// One of these; there is at least one.
pub(super) fn pick<T: Copy>(draw: &mut dyn Draw, of: &[T]) -> T {
    of[draw.below(of.len() as u64) as usize]
}
