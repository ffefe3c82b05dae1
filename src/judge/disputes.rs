//! The disputes that stand: pairs of intervals that contradict each other over the same claims.
//!
//! A dispute is told when it opens. What excuses the pair that opened it need not excuse one that joins later: a pair
//! that is harder to excuse than all before, or about a node that none before was about, is raised again, and told if
//! nothing excuses it, until the dispute has been told without an excuse.
//!
//! Invariant: contradictions over one dispute are one violation while any pair of theirs stands, so that a lab in which
//! four nodes follow one coordinator and a fifth another has one violation and not twenty; or two, if it was excused at
//! first and later it was not.

use super::assertions::Dispute;
use super::finding::{Charge, Raised, Window};
use super::interval::{IntervalId, Intervals};
use crate::protocol::{NodeSet, Property};

/// A dispute that stands.
#[derive(Clone, Debug)]
struct Standing {
    serial: u64,
    property: Property,
    dispute: Dispute,
    pairs: Vec<(IntervalId, IntervalId)>,
    /// What was raised of it; nothing more is to be if it was told without an excuse.
    raised: Option<RaisedBefore>,
}

/// What was raised of a dispute.
#[derive(Copy, Clone, Debug)]
struct RaisedBefore {
    /// The window that is hardest to excuse.
    window: Window,
    /// The nodes that it was about.
    nodes: NodeSet,
}

impl RaisedBefore {
    fn is_news(&self, charge: &Charge) -> bool {
        charge.window.is_harder_than(&self.window) || !charge.nodes.minus(&self.nodes).is_empty()
    }

    fn and(self, charge: &Charge) -> RaisedBefore {
        RaisedBefore { window: self.window.hardest(charge.window), nodes: self.nodes.union(&charge.nodes) }
    }
}

/// The disputes that stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Disputes {
    standing: Vec<Standing>,
    last_serial: u64,
}

impl Disputes {
    /// Lets go of pairs that no longer stand: a pair does while one of its intervals is open and the other kept.
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

    /// Whether two states that contradict each other stand at this moment.
    pub fn any_now(&self, intervals: &Intervals) -> bool {
        let stands = |(a, b): &(IntervalId, IntervalId)| intervals.is_open(*a) && intervals.is_open(*b);
        self.standing.iter().any(|standing| standing.pairs.iter().any(stands))
    }

    /// Adds pairs to a dispute, with what has to be excused of them. Says whether they raise it, and leaves of the charges
    /// those that do.
    pub fn add(
        &mut self,
        property: Property,
        dispute: Dispute,
        pairs: Vec<(IntervalId, IntervalId)>,
        charges: &mut Vec<Charge>,
    ) -> Option<Raised> {
        let first = *charges.first()?;
        let all = |before: RaisedBefore, charges: &[Charge]| charges.iter().fold(before, RaisedBefore::and);
        let known = self.standing.iter_mut().find(|known| known.property == property && known.dispute == dispute);
        let Some(known) = known else {
            self.last_serial += 1;
            let serial = self.last_serial;
            let raised = all(RaisedBefore { window: first.window, nodes: first.nodes }, charges);
            self.standing.push(Standing { serial, property, dispute, pairs, raised: Some(raised) });
            return Some(Raised::Opens(serial));
        };
        known.pairs.extend(pairs);
        let before = known.raised?;
        charges.retain(|charge| before.is_news(charge));
        known.raised = Some(all(before, charges));
        (!charges.is_empty()).then_some(Raised::Joins(known.serial))
    }

    /// It was told that nothing excuses this one.
    pub fn condemn(&mut self, serial: u64) {
        self.standing.iter_mut().filter(|standing| standing.serial == serial).for_each(|standing| {
            standing.raised = None;
        });
    }

    /// How many pairs stand.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.standing.iter().map(|standing| standing.pairs.len()).sum()
    }
}
