//! What the driver chooses when a machine wants something done: the number of a message, the span of a timer.
//!
//! Invariant: a span is a function of the seed, the node, its incarnation and how many were drawn before it.

use protocol::{Incarnation, NodeId, Setup, Span};
use record::MessageId;

/// The choices of one incarnation of a node.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    me: NodeId,
    incarnation: Incarnation,
    seed: u64,
    /// The last number used for each receiver, by the receiver's number; for the multicast at 0.
    sequences: Vec<u64>,
    draws: u64,
}

impl Choices {
    /// No choice made yet. `seed` is the seed of the draws.
    pub fn new(setup: &Setup, seed: u64) -> Choices {
        let sequences = vec![0; usize::from(setup.roster.len()) + 1];
        Choices { me: setup.me, incarnation: setup.incarnation, seed, sequences, draws: 0 }
    }

    /// The identity of the next message to this node, or of the next multicast.
    pub fn next_id(&mut self, to: Option<NodeId>) -> MessageId {
        let place = to.map_or(0, |to| usize::from(to.get()));
        // A garbled message may have made the machine believe in nodes that the lab does not have.
        if place >= self.sequences.len() {
            self.sequences.resize(place + 1, 0);
        }
        self.sequences[place] += 1;
        MessageId { from: self.me, incarnation: self.incarnation, to, sequence: self.sequences[place] }
    }

    /// A span from the range; equal ends are no draw.
    #[inline]
    pub fn draw(&mut self, shortest: Span, longest: Span) -> Span {
        let spread = longest.saturating_sub(shortest);
        if spread == Span::ZERO { shortest } else { shortest + self.share_of(spread) }
    }

    /// What the dice of this incarnation's lies begin with.
    pub fn of_lies(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"lie");
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(&self.me.get().to_le_bytes());
        hasher.update(&self.incarnation.0.to_le_bytes());
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_le_bytes(bytes)
    }

    fn share_of(&mut self, spread: Span) -> Span {
        self.draws += 1;
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"timer");
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(&self.me.get().to_le_bytes());
        hasher.update(&self.incarnation.0.to_le_bytes());
        hasher.update(&self.draws.to_le_bytes());
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        // 53 bits are what a float holds exactly.
        spread.scaled((u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64)
    }
}
