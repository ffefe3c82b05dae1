//! What the judge has found: contradictions that wait to be told, and the disputes that stand.
//!
//! A contradiction of two states has one of three grades. *Possible*: nothing that happened orders them, so they stand
//! in one consistent cut. *Certain*: each began before the other ended, by happened-before, so they stand together in
//! every observation of what happened. *Observed*: both stood at one instant of the clock that all processes of the
//! machine share. The clock has the last word: certain is said where it cannot tell.
//!
//! Invariant: contradictions over one dispute are one finding while any pair of theirs stands, so that a lab in which
//! four nodes follow one coordinator and a fifth another has one violation and not twenty.

use super::assertions::{Dispute, told};
use super::breaks::stamp;
use super::clock::{Clocks, Moment};
use super::interval::{Interval, IntervalId, Intervals};
use super::quiet::Scope;
use crate::protocol::{Assumption, NodeId, NodeSet, Property};

/// Two states that stood together for no longer than this, by their stamps, need not have stood at one instant, in
/// nanoseconds. A process reads the clock, then its machine takes the step, then the record is written: microseconds.
/// Between two of them it may lose the processor for a turn of the scheduler, and that is a millisecond here.
const STAMPING_UNCERTAIN: i64 = 1_000_000;

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
    pub basis: Basis,
    matter: Matter,
}

/// What makes a state of affairs a contradiction.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Basis {
    /// It may never be. A broken assumption excuses it.
    Never,
    /// It may not be any more, for it has been quiet since that stamp, and for long. If it was not quiet, it may. What was
    /// broken of the lasting assumptions since the other stamp excuses it.
    Quiet { scope: Scope, since: i64, lasting: &'static [Assumption], lasts_from: i64 },
}

#[derive(Clone, Debug)]
enum Matter {
    /// Two states of one consistent cut, the earlier first.
    Pair([Side; 2]),
    /// How things stood, in words: the end of an election, a group, a lab long after the last fault.
    Told(String),
}

#[derive(Clone, Debug)]
struct Side {
    id: IntervalId,
    node: NodeId,
    claim: String,
    first_turn: u64,
    since: i64,
    until: Option<i64>,
    /// Whether what ended it knew of the beginning of the other.
    outlasts: bool,
}

impl Side {
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
            first_turn: interval.first_turn(),
            since: interval.since,
            until: interval.until(),
            outlasts: false,
        };
        Finding {
            property,
            accused: [a.node, b.node].into_iter().collect(),
            from: earlier.since,
            since: later.since,
            deadline: told_by,
            basis: Basis::Never,
            matter: Matter::Pair([side(earlier), side(later)]),
        }
    }

    /// What these words tell is wrong.
    pub fn of_words(
        property: Property,
        basis: Basis,
        accused: NodeSet,
        (from, since): (i64, i64),
        what: String,
        told_by: i64,
    ) -> Finding {
        Finding { property, accused, from, since, deadline: told_by, basis, matter: Matter::Told(what) }
    }

    /// Whether it can be told, when all running processes have spoken at this stamp or later.
    pub fn is_ripe(&self, all_spoke: i64, now: i64) -> bool {
        self.deadline <= now || self.since.saturating_add(STAMPING_UNCERTAIN) < all_spoke
    }

    /// Whether it is wrong only because it was quiet for long.
    pub fn is_of_quiet(&self) -> bool {
        matches!(self.basis, Basis::Quiet { .. })
    }

    /// An interval ended at this stamp, by this turn of its node.
    pub fn note_end(&mut self, id: IntervalId, moment: &Moment, at: i64) {
        let Matter::Pair([a, b]) = &mut self.matter else { return };
        let (side, other) = match (a.id == id, b.id == id) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return,
        };
        side.until = Some(at);
        side.outlasts = moment.knows(other.node, other.first_turn);
    }

    /// The sentence, without the cause.
    pub fn told(&self, clocks: &Clocks, now: i64) -> String {
        let (grade, what) = match &self.matter {
            Matter::Pair([earlier, later]) => {
                let what = format!("{}, {}", earlier.told(self.since), later.told(self.since));
                (self.grade(earlier, later, clocks, now), what)
            }
            Matter::Told(what) => ("observed", what.clone()),
        };
        format!("{} violated at {} ({grade}): {what}", self.property, stamp(self.since))
    }

    fn grade(&self, earlier: &Side, later: &Side, clocks: &Clocks, now: i64) -> &'static str {
        let both_until = [earlier.until, later.until].into_iter().flatten().fold(now, i64::min);
        if both_until.saturating_sub(self.since) > STAMPING_UNCERTAIN {
            return "observed";
        }
        let outlasts = |side: &Side, other: &Side| match side.until {
            Some(_) => side.outlasts,
            None => clocks.now_of(side.node).knows(other.node, other.first_turn),
        };
        if outlasts(earlier, later) && outlasts(later, earlier) { "certain" } else { "possible" }
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
        let past = intervals.past_ids();
        let stands = |open: &IntervalId, other: &IntervalId| {
            intervals.is_open(*open) && (intervals.is_open(*other) || past.contains(other))
        };
        for standing in &mut self.0 {
            standing.pairs.retain(|(a, b)| stands(a, b) || stands(b, a));
        }
        self.0.retain(|standing| !standing.pairs.is_empty());
    }

    /// Whether two states that contradict each other stand at this moment.
    pub fn any_now(&self, intervals: &Intervals) -> bool {
        let stands = |(a, b): &(IntervalId, IntervalId)| intervals.is_open(*a) && intervals.is_open(*b);
        self.0.iter().any(|standing| standing.pairs.iter().any(stands))
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
