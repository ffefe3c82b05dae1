//! What the judge has found: contradictions that wait to be told, and the disputes that stand.
//!
//! Invariant: contradictions over one dispute are one finding while any pair of theirs stands, so that a lab in which
//! four nodes follow one coordinator and a fifth another has one violation and not twenty.

use super::assertions::{Dispute, told};
use super::breaks::stamp;
use super::interval::{Interval, IntervalId, Intervals};
use crate::protocol::{NodeId, NodeSet, Property};

/// A contradiction.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub property: Property,
    /// The nodes it is about.
    pub accused: NodeSet,
    /// When the earlier of the states began, or the election.
    pub from: i64,
    /// When the later of the states began: the contradiction.
    pub since: i64,
    /// When it is told at the latest.
    pub deadline: i64,
    matter: Matter,
}

#[derive(Clone, Debug)]
enum Matter {
    /// Two states of one consistent cut, the earlier first.
    Pair([Side; 2]),
    /// The end of an election.
    End(String),
}

#[derive(Clone, Debug)]
struct Side {
    id: IntervalId,
    node: NodeId,
    claim: String,
    since: i64,
    until: Option<i64>,
}

impl Side {
    /// Whether it had ended by then.
    fn is_over(&self, at: i64) -> bool {
        self.until.is_some_and(|until| until <= at)
    }

    /// `5 is Normal under 5 since 0.912 s`, or what it was if it had ended by then.
    fn told(&self, at: i64) -> String {
        let Side { node, claim, since, .. } = self;
        match self.until.filter(|until| *until <= at) {
            Some(until) => format!("{node} was {claim} from {} to {}", stamp(*since), stamp(until)),
            None => format!("{node} is {claim} since {}", stamp(*since)),
        }
    }
}

impl Finding {
    /// Two intervals of one consistent cut contradict each other.
    pub fn of_pair(property: Property, dispute: Dispute, a: &Interval, b: &Interval, told_by: i64) -> Finding {
        let (earlier, later) = if a.since <= b.since { (a, b) } else { (b, a) };
        let side = |interval: &Interval| Side {
            id: interval.id,
            node: interval.node,
            claim: told(interval, dispute),
            since: interval.since,
            until: interval.until(),
        };
        Finding {
            property,
            accused: [a.node, b.node].into_iter().collect(),
            from: earlier.since,
            since: later.since,
            deadline: told_by,
            matter: Matter::Pair([side(earlier), side(later)]),
        }
    }

    /// The end of an election is wrong.
    pub fn of_end(property: Property, accused: NodeSet, from: i64, since: i64, what: String, told_by: i64) -> Finding {
        Finding { property, accused, from, since, deadline: told_by, matter: Matter::End(what) }
    }

    /// An interval ended at this stamp.
    pub fn note_end(&mut self, id: IntervalId, at: i64) {
        if let Matter::Pair(sides) = &mut self.matter {
            sides.iter_mut().filter(|side| side.id == id).for_each(|side| side.until = Some(at));
        }
    }

    /// The sentence, without the cause. A contradiction is *observed* if both states stood at one instant of the clock
    /// that all processes share, and *possible* if only no message orders them.
    pub fn told(&self) -> String {
        let (grade, what) = match &self.matter {
            Matter::Pair([earlier, later]) => {
                let over = earlier.is_over(self.since) || later.is_over(self.since);
                let grade = if over { "possible" } else { "observed" };
                (grade, format!("{}, {}", earlier.told(self.since), later.told(self.since)))
            }
            Matter::End(what) => ("observed", what.clone()),
        };
        format!("{} violated at {} ({grade}): {what}", self.property, stamp(self.since))
    }
}

/// A dispute that stands: pairs of intervals that contradict each other over the same claims.
#[derive(Clone, Debug)]
struct Standing {
    property: Property,
    dispute: Dispute,
    pairs: Vec<(IntervalId, IntervalId)>,
}

/// The disputes that stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Disputes(Vec<Standing>);

impl Disputes {
    /// Lets go of pairs that no longer stand: a pair does while one of its intervals is open and the other kept.
    pub fn refresh(&mut self, intervals: &Intervals) {
        if self.0.is_empty() {
            return;
        }
        let (open, past) = intervals.ids();
        let kept = |id: &IntervalId| open.contains(id) || past.contains(id);
        for standing in &mut self.0 {
            standing.pairs.retain(|(a, b)| (open.contains(a) && kept(b)) || (open.contains(b) && kept(a)));
        }
        self.0.retain(|standing| !standing.pairs.is_empty());
    }

    /// Adds pairs to a dispute; says whether the dispute is new.
    pub fn add(&mut self, property: Property, dispute: Dispute, pairs: Vec<(IntervalId, IntervalId)>) -> bool {
        match self.0.iter_mut().find(|standing| standing.property == property && standing.dispute == dispute) {
            Some(standing) => {
                standing.pairs.extend(pairs);
                false
            }
            None => {
                self.0.push(Standing { property, dispute, pairs });
                true
            }
        }
    }

    /// How many pairs stand.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.iter().map(|standing| standing.pairs.len()).sum()
    }
}
