//! What `hold` keeps back until its release.
//!
//! Invariant: what a sender sent is kept in the order in which it came, and nothing leaves by time alone. A delay
//! counts from the arrival: what is let go before that is over waits for the rest of it.

use std::collections::BTreeMap;

use crate::fault::{FaultId, Passage, ReleaseOrder};
use crate::protocol::NodeId;

/// Held datagrams, by their sender.
#[derive(Clone, Debug)]
pub struct Kept<P> {
    by_sender: BTreeMap<NodeId, Vec<Held<P>>>,
    len: usize,
}

/// A held datagram.
#[derive(Clone, Debug)]
pub struct Held<P> {
    /// The fault that holds it.
    pub by: FaultId,
    /// Its way.
    pub passage: Passage,
    /// What is in it.
    pub payload: P,
    /// When no delay would keep it any longer, in nanoseconds of lab time.
    pub until: u64,
}

impl<P> Default for Kept<P> {
    fn default() -> Kept<P> {
        Kept { by_sender: BTreeMap::new(), len: 0 }
    }
}

impl<P> Kept<P> {
    /// Keeps a datagram; returns what is in it.
    pub fn push(&mut self, held: Held<P>) -> &P {
        self.len += 1;
        let of_sender = self.by_sender.entry(held.passage.from).or_default();
        let place = of_sender.len();
        of_sender.push(held);
        &of_sender[place].payload
    }

    /// Takes out the held datagrams of each sender for which `order` answers, in the order that it answers. It is asked
    /// with each sender and the fault that holds the sender's first datagram.
    pub fn take(&mut self, order: impl Fn(NodeId, FaultId) -> Option<ReleaseOrder>) -> Vec<Held<P>> {
        let mut taken = Vec::new();
        for (sender, held) in &mut self.by_sender {
            match held.first().and_then(|first| order(*sender, first.by)) {
                Some(ReleaseOrder::InOrder) => taken.append(held),
                Some(ReleaseOrder::Reversed) => taken.extend(held.drain(..).rev()),
                None => {}
            }
        }
        self.by_sender.retain(|_, held| !held.is_empty());
        self.len -= taken.len();
        taken
    }

    /// How many are held.
    pub fn len(&self) -> usize {
        self.len
    }
}
