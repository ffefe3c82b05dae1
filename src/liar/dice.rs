//! A liar's dice.
//!
//! Invariant: the same order throws the same numbers.

use protocol::{NodeId, NodeSet};

/// A generator (xorshift*): numbers that look like chance, from the number in the order to lie.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct LieDice(u64);

impl LieDice {
    /// The dice that begin with this number.
    pub fn new(seed: u64) -> LieDice {
        LieDice(seed | 1)
    }

    /// A whole number from 0 up to but without `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % end
    }

    /// One of these nodes, if there are any.
    pub fn one_of(&mut self, nodes: NodeSet) -> Option<NodeId> {
        if nodes.is_empty() { None } else { nodes.iter().nth(self.below(nodes.len() as u64) as usize) }
    }
}
