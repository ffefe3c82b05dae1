//! What a swarm offers those that draw a fault: dice, and links and nodes of the lab.
//!
//! Invariant: what is drawn is a function of the lab and of what the dice throw.

use super::Target;
use crate::protocol::{Channel, NodeSet, Span};

/// Draws.
pub trait Draw {
    /// The channel on which the algorithm sends.
    fn channel(&self) -> Channel;
    /// The lab's nodes.
    fn all(&self) -> NodeSet;
    /// How long one way may take.
    fn one_way_bound(&self) -> Span;
    /// A number below this one.
    fn below(&mut self, number: u64) -> u64;
    /// A number from the one to the other.
    fn within(&mut self, least: u64, most: u64) -> u64;
    /// Whether something of this chance in a hundred comes about.
    fn chance(&mut self, percent: u64) -> bool;
    /// A length of time from the one to the other.
    fn span(&mut self, shortest: Span, longest: Span) -> Span;
    /// The two ends of a link, or of several.
    fn link(&mut self) -> (Target, Target);
    /// One node, several, or whoever coordinates.
    fn node(&mut self) -> Target;
    /// The same, or all.
    fn node_or_all(&mut self) -> Target;
    /// Parts of the lab; nobody is left out.
    fn parts(&mut self) -> Vec<Target>;
}

/// One of these, of which there is at least one.
pub(super) fn pick<T: Copy>(draw: &mut dyn Draw, of: &[T]) -> T {
    of[draw.below(of.len() as u64) as usize]
}
