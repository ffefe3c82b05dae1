//! The open disputes: pairs of intervals that contradict each other over the same claims.
//!
//! Invariant: pairs over the same claims are one contradiction as long as any of them lasts, so a lab in which four nodes
//! follow one coordinator and a fifth node another has one violation and not twenty.

use super::assertions::Dispute;
use super::finding::ContradictingNodes;
use super::interval::{IntervalId, Intervals};
use super::repeated_reports::{Raised, Raising, Serials};
use protocol::Property;

/// An open dispute.
#[derive(Clone, Debug)]
struct StandingDispute {
    property: Property,
    dispute: Dispute,
    pairs: Vec<(IntervalId, IntervalId)>,
    raising: Raising,
}

/// The open disputes.
#[derive(Clone, Debug, Default)]
pub(super) struct Disputes {
    standing: Vec<StandingDispute>,
}

impl Disputes {
    /// Drops pairs that have ended: a pair lasts while one of its intervals is open and the other is kept.
    pub fn refresh(&mut self, intervals: &Intervals) {
        if self.standing.is_empty() {
            return;
        }
        let stands = |open: &IntervalId, other: &IntervalId| {
            intervals.is_open(*open) && (intervals.is_open(*other) || intervals.is_past(*other))
        };
        for standing in &mut self.standing {
            standing.pairs.retain(|(a, b)| stands(a, b) || stands(b, a));
        }
        self.standing.retain(|standing| !standing.pairs.is_empty());
    }

    /// Whether two states contradict each other at this moment.
    pub fn any_now(&self, intervals: &Intervals) -> bool {
        let stands = |(a, b): &(IntervalId, IntervalId)| intervals.is_open(*a) && intervals.is_open(*b);
        self.standing.iter().any(|standing| standing.pairs.iter().any(stands))
    }

    /// Adds pairs to a dispute, with what has to be excused of them. Returns whether they raise it, and keeps only the
    /// charges that do.
    pub fn add(
        &mut self,
        property: Property,
        dispute: Dispute,
        pairs: Vec<(IntervalId, IntervalId)>,
        charges: &mut Vec<ContradictingNodes>,
        serials: &mut Serials,
    ) -> Option<Raised> {
        let (first, others) = charges.split_first()?;
        let known = self.standing.iter_mut().find(|known| known.property == property && known.dispute == dispute);
        let Some(known) = known else {
            let raising = Raising::open(serials, first, others);
            self.standing.push(StandingDispute { property, dispute, pairs, raising });
            return Some(raising.opens());
        };
        known.pairs.extend(pairs);
        known.raising.raise(charges)
    }

    /// The contradiction of that number was told without an excuse.
    pub fn condemn(&mut self, serial: u64) {
        self.standing.iter_mut().for_each(|standing| standing.raising.condemn(serial));
    }

    /// How many pairs are open.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.standing.iter().map(|standing| standing.pairs.len()).sum()
    }
}
