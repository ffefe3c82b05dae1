//! What `hold` keeps back until its release.
//!
//! Invariant: what a sender sent is kept in the order in which it came, and nothing leaves by time alone. A delay
//! counts from the arrival: what is let go before that is over waits for the rest of it.

use litemap::LiteMap;

use fault::{FaultId, Passage, ReleaseOrder};
use protocol::NodeId;

/// Held datagrams, by their sender.
#[derive(Clone, Debug)]
pub struct HeldDatagrams<P> {
    by_sender: LiteMap<NodeId, Vec<Held<P>>>,
    len: usize,
}

/// A held datagram.
#[derive(Clone, Debug)]
pub struct Held<P> {
    /// The fault that holds it.
    pub by: FaultId,
    /// The way.
    pub passage: Passage,
    /// What is in it.
    pub payload: P,
    /// When no delay would keep it any longer, in nanoseconds of lab time.
    pub until: u64,
}

/// What a person did to a datagram while it was held.
#[derive(Copy, Clone, Default, Debug)]
pub struct CourierChanges {
    /// Put it before all others.
    pub first: Option<FaultId>,
    /// Let another one overtake it.
    pub overtaken: Option<FaultId>,
    /// Doubled it.
    pub doubled: Option<FaultId>,
}

impl<P> Default for HeldDatagrams<P> {
    fn default() -> HeldDatagrams<P> {
        HeldDatagrams { by_sender: LiteMap::new(), len: 0 }
    }
}

impl<P> HeldDatagrams<P> {
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
        for (sender, held) in self.by_sender.iter_mut() {
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

    /// What is held of this sender, the next one first.
    pub fn of(&mut self, sender: NodeId) -> &mut [Held<P>] {
        self.by_sender.get_mut(&sender).map(Vec::as_mut_slice).unwrap_or_default()
    }

    /// Takes out what is held of this sender at this place, if anything is.
    pub fn remove(&mut self, sender: NodeId, place: usize) -> Option<Held<P>> {
        let held = self.by_sender.get_mut(&sender).filter(|held| place < held.len())?;
        let taken = held.remove(place);
        if held.is_empty() {
            self.by_sender.remove(&sender);
        }
        self.len -= 1;
        Some(taken)
    }

    /// How many are held.
    pub fn len(&self) -> usize {
        self.len
    }
}
