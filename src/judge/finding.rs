//! What the judge has found: contradictions that wait to be reported.
//!
//! A contradiction of two states has one of three grades. *Possible*: no event orders them, so they belong to one
//! consistent cut. *Certain*: each began before the other ended, by happened-before, so every observer saw both at
//! once. *Observed*: both existed at one instant of the clock that all processes of the machine share. The clock
//! decides first: certain is said only where the clock cannot tell. What comes later may make it surer; then both grades
//! are told.
//!
//! Invariant: a contradiction is excused only if the pair of states that is hardest to excuse is.

use super::assertions::{Dispute, claim};
use super::interval::{Interval, IntervalId};
use super::quiet::Scope;
use super::repeated_reports::Raised;
use super::work::WorkGrade;
use protocol::{Assumption, NodeSet, Property};
use record::{Claim, Contradiction, Grade};
use world::clock::Clocks;
use world::moment::CausalMoment;

/// Two states that overlap for no longer than this, by their stamps, may have shared no instant, in nanoseconds. A
/// process reads the clock, then its machine takes the step, then the record is written: microseconds. Between two of
/// these it may lose the processor for a turn of the scheduler, and that is a millisecond here.
pub(super) const STAMPING_UNCERTAIN: i64 = 1_000_000;

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
    /// What a broken assumption has to excuse: each of these.
    pub charges: Vec<ContradictingNodes>,
    /// When it is reported at the latest.
    pub deadline: i64,
    pub basis: Basis,
    /// Which contradiction that stands it is about, if it is about one.
    pub raised: Option<Raised>,
    pub matter: ContradictionContent,
}

/// Nodes whose states contradict each other.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) struct ContradictingNodes {
    pub nodes: NodeSet,
    /// The stamps between which a broken assumption excuses it, without the algorithm's own time bound.
    pub window: Window,
    pub roots: CauseDepth,
}

/// How far back the cause of a contradiction may lie.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum CauseDepth {
    /// To the moment when the lab was last at rest, and correct.
    SinceRest,
    /// Further: a group number may be used again long after its cells were lost, and a resource keeps the highest number
    /// that it has seen, whether it was garbled or not. Of two that serve one service one may hear of the other late, while
    /// the algorithm has come to rest.
    BeforeRest,
    /// As far as the lab goes: what was once wrong in a log or a history stays in it, and so does a second token in a lab.
    Ever,
}

/// From the beginning of the earlier state of two to that of the later.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) struct Window {
    pub from: i64,
    pub to: i64,
}

impl Window {
    /// Of two states that began then.
    pub fn of(a: &Interval, b: &Interval) -> Window {
        Window { from: a.since.min(b.since), to: a.since.max(b.since) }
    }

    /// Whether something may excuse the other and not this one. An excuse of this one excuses every window around it.
    pub fn is_harder_than(&self, other: &Window) -> bool {
        self.from > other.from || self.to < other.to
    }

    /// The harder one to excuse. The windows of one new state all end with it, or nearly: this is the one that begins
    /// last.
    pub fn hardest(self, other: Window) -> Window {
        if (other.from, -other.to) > (self.from, -self.to) { other } else { self }
    }
}

/// Why a state of affairs is a contradiction.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Basis {
    /// Is never allowed. A broken assumption excuses it.
    Never,
    /// Is no longer allowed, because it has been quiet since that stamp, for long enough. Without quiet it is
    /// allowed. A break of a lasting assumption within the window of its charge excuses it.
    Quiet { scope: Scope, since: i64, lasting: &'static [Assumption] },
}

/// The content of a contradiction.
#[derive(Clone, Debug)]
pub(super) enum ContradictionContent {
    /// Two states of one consistent cut, the earlier first.
    Pair([ContradictingState; 2]),
    /// Any other: the end of an election, a group, a lab long after the last fault.
    Other(Contradiction, WorkGrade),
}

/// One of two states that contradict each other.
#[derive(Clone, Debug)]
pub(super) struct ContradictingState {
    id: IntervalId,
    claim: Claim,
    first_turn: u64,
    /// Whether its end knew of the beginning of the other.
    outlasts: bool,
}

impl ContradictingState {
    /// What it claims; that it has ended counts only if it had by then.
    fn claimed(&self, at: i64) -> Claim {
        Claim { until: self.claim.until.filter(|until| *until <= at), ..self.claim.clone() }
    }
}

impl Finding {
    /// Two intervals of one consistent cut contradict each other, and others with them.
    pub fn of_pair(
        property: Property,
        dispute: Dispute,
        (a, b): (&Interval, &Interval),
        charges: Vec<ContradictingNodes>,
        told_by: i64,
    ) -> Finding {
        let (earlier, later) = if a.since <= b.since { (a, b) } else { (b, a) };
        let side = |interval: &Interval| ContradictingState {
            id: interval.id,
            claim: claim(interval, dispute),
            first_turn: interval.first_turn,
            outlasts: false,
        };
        Finding {
            property,
            accused: [a.node, b.node].into_iter().collect(),
            from: earlier.since,
            since: later.since,
            charges,
            deadline: told_by,
            basis: Basis::Never,
            raised: None,
            matter: ContradictionContent::Pair([side(earlier), side(later)]),
        }
    }

    /// A contradiction of any kind but two claims.
    pub fn of(
        property: Property,
        basis: Basis,
        accused: NodeSet,
        (from, since): (i64, i64),
        what: Contradiction,
        told_by: i64,
    ) -> Finding {
        let roots = match property {
            Property::GroupNumbers | Property::ElectionSafety | Property::Fencing | Property::Service => {
                CauseDepth::BeforeRest
            }
            _ => CauseDepth::SinceRest,
        };
        let charges = vec![ContradictingNodes { nodes: accused, window: Window { from, to: since }, roots }];
        let matter = ContradictionContent::Other(what, WorkGrade::Observed);
        Finding { property, accused, from, since, charges, deadline: told_by, basis, raised: None, matter }
    }

    /// The same, as sure as this.
    pub fn with_grade(mut self, sure: WorkGrade) -> Finding {
        if let ContradictionContent::Other(_, grade) = &mut self.matter {
            *grade = sure;
        }
        self
    }

    /// The same, with causes as far back as the lab goes.
    pub fn of_all_time(mut self) -> Finding {
        self.charges.iter_mut().for_each(|charge| charge.roots = CauseDepth::Ever);
        self
    }

    /// Whether it can be reported, when all running processes have spoken at this stamp or later, and stamps are
    /// uncertain by this much.
    pub fn is_ripe(&self, all_spoke: i64, uncertain: i64, now: i64) -> bool {
        self.deadline <= now || self.since.saturating_add(uncertain) < all_spoke
    }

    /// Whether it is wrong only because it was quiet for long.
    pub fn is_of_quiet(&self) -> bool {
        matches!(self.basis, Basis::Quiet { .. })
    }

    /// An interval ended at this stamp, by this turn of its node.
    pub fn note_end(&mut self, id: IntervalId, moment: &CausalMoment, at: i64) {
        let ContradictionContent::Pair([a, b]) = &mut self.matter else { return };
        let (side, other) = match (a.id == id, b.id == id) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return,
        };
        side.claim.until = Some(at);
        side.outlasts = moment.knows(other.claim.node, other.first_turn);
    }

    /// What contradicts what.
    pub fn contradiction(&self) -> Contradiction {
        match &self.matter {
            ContradictionContent::Pair(sides) => {
                Contradiction::Claims(sides.each_ref().map(|side| side.claimed(self.since)))
            }
            ContradictionContent::Other(what, _) => what.clone(),
        }
    }

    /// How sure it is by what is known now; stamps are uncertain by this much.
    pub fn grade(&self, clocks: &Clocks, uncertain: i64, now: i64) -> Grade {
        let [earlier, later] = match &self.matter {
            ContradictionContent::Pair(sides) => sides,
            ContradictionContent::Other(_, WorkGrade::Observed | WorkGrade::Inherited) => return Grade::Observed,
            ContradictionContent::Other(_, WorkGrade::Possible) => return Grade::Possible,
        };
        let both_until = [earlier.claim.until, later.claim.until].into_iter().flatten().fold(now, i64::min);
        if both_until.saturating_sub(self.since) > uncertain {
            return Grade::Observed;
        }
        let outlasts = |side: &ContradictingState, other: &ContradictingState| match side.claim.until {
            Some(_) => side.outlasts,
            None => clocks.now_of(side.claim.node).knows(other.claim.node, other.first_turn),
        };
        if outlasts(earlier, later) && outlasts(later, earlier) { Grade::Certain } else { Grade::Possible }
    }
}
