//! What stands behind the order filter: `duplicate`, `reorder` and `garble`, and then the machine.
//!
//! They are thrown for in this order, and for a copy apart from its original, so a copy may be overtaken, or garbled,
//! where the original is not. A message that is to be overtaken waits for the next message of its link (in the ordered
//! broadcast: for the next one of any sender, as all share one order) and is delivered right behind it. If none comes
//! it goes on alone, after half of what its one way may still take: so `reorder` breaks assumption 7 and not 8. A
//! message that has used up its time on the way does not wait at all.
//!
//! Invariant: at most one message of a link waits to be overtaken; nothing is lost here, nothing is kept past its
//! bound, and of each that waits it is told that it does.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use litemap::LiteMap;

use super::Departure;
use super::held::CourierChanges;
use fault::{CopyKind, FaultId, LinkFault, Passage, Tampering, tampered};
use protocol::{NodeId, Span};

/// Which messages can overtake each other: those of one sender, or all of the ordered broadcast.
pub type Lane = Option<NodeId>;

/// The origin of a message.
#[derive(Copy, Clone, Debug)]
pub struct MessageOrigin {
    /// The messages among which it can be overtaken.
    pub lane: Lane,
    /// From which node to which.
    pub passage: Passage,
    /// When it left its sender, in nanoseconds of lab time; of an ordered broadcast its stamp.
    pub sent: u64,
    /// What a person did to it while it was held.
    pub by_hand: CourierChanges,
}

/// Messages on their last way to the machine.
#[derive(Clone, Debug)]
pub struct TamperedQueue<P> {
    one_way: Span,
    leaving: VecDeque<Departure<P>>,
    waiting: LiteMap<Lane, OvertakenMessage<P>>,
}

/// A message that is to be overtaken.
#[derive(Clone, Debug)]
struct OvertakenMessage<P> {
    by: FaultId,
    /// When it goes on if nothing has overtaken it, in nanoseconds of lab time.
    until: u64,
    passage: Passage,
    delivery: Departure<P>,
}

impl<P: Clone> TamperedQueue<P> {
    /// Nothing is on its way. One way may take this long at most.
    pub fn new(one_way: Span) -> TamperedQueue<P> {
        TamperedQueue { one_way, leaving: VecDeque::new(), waiting: LiteMap::new() }
    }

    /// Sends a message on its way; [`TamperedQueue::pop`] gives what leaves now.
    pub fn push(&mut self, faults: &[LinkFault], seed: u64, now: u64, way: MessageOrigin, payload: P) {
        let MessageOrigin { lane, passage, sent, by_hand } = way;
        let patience = Span::from_nanos(sent.saturating_add(self.one_way.nanos()).saturating_sub(now) / 2);
        let thrown = |kind, specimen| tampered(faults, seed, &passage, kind, specimen);
        let mut specimens = &[CopyKind::Original, CopyKind::Copy][..1];
        if let Some(by) = by_hand.overtaken {
            self.leaving.push_back(Departure::Overtaken { passage, by });
        }
        let thrown_for = || thrown(Tampering::Duplicate, CopyKind::Original).map(|(by, _)| by);
        if let Some(by) = by_hand.doubled.or_else(thrown_for) {
            self.leaving.push_back(Departure::Duplicated { passage, by });
            specimens = &[CopyKind::Original, CopyKind::Copy];
        }
        for &specimen in specimens {
            let delivery = match thrown(Tampering::Garble, specimen) {
                Some((by, place)) => Departure::Garble { passage, payload: payload.clone(), by, place },
                None => Departure::Deliver(passage, payload.clone()),
            };
            let reorder = thrown(Tampering::Reorder, specimen);
            // A copy does not overtake its own original: nobody could tell.
            let overtaken = match self.waiting.get(&lane) {
                Some(straggler) if straggler.passage == passage => {
                    self.leaving.push_back(delivery);
                    continue;
                }
                _ => self.waiting.remove(&lane),
            };
            match (overtaken, reorder) {
                // It overtakes, and must not wait itself: so two messages that are to be overtaken change places.
                (Some(overtaken), _) => {
                    self.leaving.push_back(delivery);
                    self.leaving.push_back(Departure::Overtaken { passage: overtaken.passage, by: overtaken.by });
                    self.leaving.push_back(overtaken.delivery);
                }
                (None, Some((by, _))) if patience > Span::ZERO => {
                    self.leaving.push_back(Departure::Waits { passage, payload: payload.clone(), by, span: patience });
                    let until = now.saturating_add(patience.nanos());
                    self.waiting.insert(lane, OvertakenMessage { by, until, passage, delivery });
                }
                (None, _) => self.leaving.push_back(delivery),
            }
        }
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.leaving.is_empty() && self.waiting.is_empty()
    }

    /// The next one that leaves by `now`.
    pub fn pop(&mut self, now: u64) -> Option<Departure<P>> {
        if let Some(leaves) = self.leaving.pop_front() {
            return Some(leaves);
        }
        let lane = *self.waiting.iter().find(|(_, straggler)| straggler.until <= now)?.0;
        self.waiting.remove(&lane).map(|straggler| straggler.delivery)
    }

    /// When the next one leaves, if nothing overtakes it.
    pub fn next_release(&self) -> Option<u64> {
        if self.leaving.is_empty() { self.waiting.values().map(|straggler| straggler.until).min() } else { Some(0) }
    }
}
