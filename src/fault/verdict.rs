//! What the link faults in force do to one datagram at its receiver.
//!
//! Invariant: a loss wins over a hold, and a hold over a delay; unicast and multicast are judged alike, except by
//! effects that name one of them. The result breaks assumption 8.

use std::collections::BTreeMap;

use super::effect::{DatagramUnderFault, FaultOutcome, holding};
use super::{FaultId, LinkFault};
use protocol::{Incarnation, NodeId, Span};

/// One datagram at one receiver.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Passage {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// Whether it came by multicast.
    pub multicast: bool,
    /// The sender's incarnation.
    pub incarnation: Incarnation,
    /// The number on that channel.
    pub sequence: u64,
}

/// What happens to a datagram.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum LinkVerdict {
    /// Passes.
    Deliver,
    /// Is lost.
    Drop(FaultId),
    /// Is held back; the id names the fault that holds it longest.
    Hold(FaultId, Span),
    /// Is kept until it is released, and its delay counts from now all the same.
    Keep(FaultId, Span),
}

/// For each fault that limits the rate of a link, and each sender: when the next datagram may pass, in nanoseconds of
/// lab time.
#[derive(Clone, Default, Debug)]
pub struct RateLimits(BTreeMap<(FaultId, NodeId), u64>);

impl RateLimits {
    /// Forgets the faults that are no longer in force.
    pub fn keep(&mut self, faults: &[LinkFault]) {
        self.0.retain(|(id, _), _| faults.iter().any(|fault| fault.id == *id));
    }
}

/// What the faults in force do to a datagram that arrives now. Delays add up, and count from the arrival for held
/// datagrams too.
pub fn verdict(faults: &[LinkFault], seed: u64, passage: &Passage, now: u64, paces: &mut RateLimits) -> LinkVerdict {
    let concerning = || faults.iter().filter(|fault| fault.rule.concerns(passage.from, passage.to));
    let mut wait = Wait::default();
    for fault in concerning() {
        match fault.rule.effect.fate(&DatagramUnderFault { seed, fault, passage }) {
            FaultOutcome::Passes => {}
            FaultOutcome::Lost => return LinkVerdict::Drop(fault.id),
            FaultOutcome::Waits(span) => wait.add(fault.id, span),
        }
    }
    for fault in concerning().filter(|fault| fault.rule.effect.queues()) {
        match fault.rule.effect.queue(now, paces.0.entry((fault.id, passage.from)).or_default()) {
            FaultOutcome::Passes => {}
            FaultOutcome::Lost => return LinkVerdict::Drop(fault.id),
            FaultOutcome::Waits(span) => wait.add(fault.id, span),
        }
    }
    match (holding(faults, passage.from, passage.to), wait.longest) {
        (Some(by), _) => LinkVerdict::Keep(by, wait.whole),
        (None, Some((by, _))) => LinkVerdict::Hold(by, wait.whole),
        (None, None) => LinkVerdict::Deliver,
    }
}

/// How long a datagram has to wait, and which fault makes it wait longest.
#[derive(Default)]
struct Wait {
    whole: Span,
    longest: Option<(FaultId, Span)>,
}

impl Wait {
    fn add(&mut self, by: FaultId, span: Span) {
        self.whole = self.whole + span;
        if self.longest.is_none_or(|(_, longest)| span > longest) {
            self.longest = Some((by, span));
        }
    }
}

#[cfg(test)]
pub(super) mod test {
    //! Faults by their lines, and what they do to a datagram.

    use super::*;

    /// This fault in force.
    pub fn fault(id: u32, line: &str) -> LinkFault {
        LinkFault { id: FaultId(id), text: line.to_owned(), rule: line.parse().unwrap() }
    }

    pub fn unicast(from: u16, to: u16, sequence: u64) -> Passage {
        let node = |number| NodeId::new(number).unwrap();
        Passage { from: node(from), to: node(to), multicast: false, incarnation: Incarnation(1), sequence }
    }

    pub fn multicast(from: u16, to: u16, sequence: u64) -> Passage {
        Passage { multicast: true, ..unicast(from, to, sequence) }
    }

    pub fn verdict_by(faults: &[LinkFault], seed: u64, passage: &Passage) -> LinkVerdict {
        verdict(faults, seed, passage, 0, &mut RateLimits::default())
    }

    pub fn verdict_of(faults: &[LinkFault], passage: &Passage) -> LinkVerdict {
        verdict_by(faults, 1, passage)
    }

    /// Whether the fault loses the datagram.
    pub fn bites(fault: &LinkFault, passage: &Passage) -> bool {
        verdict_of(std::slice::from_ref(fault), passage) == LinkVerdict::Drop(fault.id)
    }
}
