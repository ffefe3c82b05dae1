//! One trial of a point in virtual time: all start and come to rest, something befalls them, and they come to rest again.
//!
//! The fault comes at a moment of its own within the periods, so that it is noticed as soon or as late as may be. All
//! are at rest if nothing follows for longer than a detector and a period need.
//!
//! Invariant: a trial is a function of its point, its seed and its weather.

use std::cell::RefCell;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::point::{T, TimePoint, TimedScene};
use super::rest::{RestTrace, RestUnder};
use election::stoller::asynchronous::ladder;
use lab::{Lab, LabErrors, parse};
use protocol::{Registry, Span, Timing};
use script::Pace;
use sim::{After, Moves, Plan, Recorded, Simulated, Weather};

/// If nobody elects after so many T, all are ordered to.
pub(super) const IDLE: u64 = 20;

/// Trials that are to be made with many seeds.
#[derive(Clone, Debug)]
pub struct RestGround {
    /// The point.
    pub(super) point: TimePoint,
    lab: Arc<Lab>,
}

/// What came of a trial; nothing where the processes did not come to rest.
#[derive(Copy, Clone, Default, PartialEq, Debug)]
pub struct RestTrial {
    /// How the first election began.
    pub beginning: TrialBeginning,
    /// From the common start.
    pub start: Option<RestTime>,
    /// From what befell them then.
    pub fault: Option<RestTime>,
}

/// How the first election of a trial begins.
#[derive(Copy, Clone, Eq, PartialEq, Default, Debug)]
pub enum TrialBeginning {
    /// The processes elect when they start.
    #[default]
    ByThemselves,
    /// They must be ordered to.
    Ordered,
}

/// How long something took.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct RestTime {
    /// Until the first process left its rest.
    pub noticed_after: Span,
    /// Until all were at rest.
    pub rest_after: Span,
}

/// A trial that is under way.
struct Playing<'a> {
    simulated: Box<dyn Simulated + 'a>,
    trace: &'a RefCell<RestTrace>,
    timing: Timing,
    quiet_bound: Span,
}

impl RestGround {
    /// The trials of this point.
    ///
    /// # Errors
    /// The algorithm does not take these periods: a bug of this program.
    pub fn new(registry: Registry, point: TimePoint) -> Result<RestGround, LabErrors> {
        let mut text = opening(&point, T, 0);
        if let TimedScene::Ladder(rungs) = point.scene {
            let cuts: Vec<String> = cuts(rungs).iter().map(|cut| format!("\"{cut}\"")).collect();
            text += &format!("[[step]]\nat = \"0s\"\ndo = [{}]\n", cuts.join(", "));
        }
        Ok(RestGround { point, lab: Arc::new(parse("time", &text, registry)?) })
    }

    /// Makes the trial with this seed and weather.
    pub fn make(&self, seed: u64, weather: Weather) -> RestTrial {
        let plan = Plan {
            lab: Arc::clone(&self.lab),
            seed,
            dice: seed,
            weather,
            moves: Moves::Typed,
            pace: Pace::Played,
            recorded: Recorded::Unjudged,
            after: After::Nothing,
        };
        let trace = RefCell::new(RestTrace::default());
        let simulated = sim::start(&plan, Box::new(|record| trace.borrow_mut().take(record)));
        let (timing, quiet_bound) = (self.lab.timing, self.point.quiet_bound());
        let mut playing = Playing { simulated, trace: &trace, timing, quiet_bound };
        let (beginning, start) = playing.start(self.wanted());
        let fault = start.and_then(|_| {
            playing.pass(self.moment(seed));
            self.fault(&mut playing)
        });
        RestTrial { beginning, start, fault }
    }

    /// What befalls the processes, and how long it takes them to come to rest again.
    fn fault(&self, playing: &mut Playing<'_>) -> Option<RestTime> {
        match self.point.scene {
            TimedScene::Failover => {
                let leader = playing.trace.borrow().leader()?;
                playing.rest_after(&format!("crash {leader}"), self.wanted())
            }
            TimedScene::Ladder(_) => playing.rest_after("crash 1", self.wanted()),
            TimedScene::Merge(groups) => {
                let parts = partition(self.point.nodes, groups);
                playing.rest_after(&parts, RestUnder::Leaders(groups.into()))?;
                playing.rest_after("heal", self.wanted())
            }
        }
    }

    /// Who leads in the end.
    pub(super) fn wanted(&self) -> RestUnder {
        match self.point.scene {
            TimedScene::Failover | TimedScene::Merge(_) => RestUnder::Leaders(1),
            TimedScene::Ladder(_) => RestUnder::Any,
        }
    }

    /// How long the processes are at rest before anything befalls them, in nanoseconds.
    pub(super) fn moment(&self, seed: u64) -> i64 {
        let Timing { check, silence, .. } = self.lab.timing;
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        // The seed also fixes the network, which must not follow this moment.
        dice.set_stream(1);
        i64::try_from(dice.next_u64() % (check + silence).nanos()).unwrap_or(0)
    }
}

impl RestTime {
    /// The same time, so many times as long.
    pub fn scaled(self, factor: f64) -> RestTime {
        RestTime { noticed_after: self.noticed_after.scaled(factor), rest_after: self.rest_after.scaled(factor) }
    }
}

impl Playing<'_> {
    /// All start; where nobody elects by itself, all are ordered to.
    fn start(&mut self, wanted: RestUnder) -> (TrialBeginning, Option<RestTime>) {
        self.trace.borrow_mut().begin(0, wanted);
        self.pass(nanos(T * IDLE));
        let is_idle = self.trace.borrow().is_idle() && self.trace.borrow().rest_since.is_none();
        let (beginning, time) = if is_idle {
            (TrialBeginning::Ordered, self.rest_after("elect *", wanted))
        } else {
            (TrialBeginning::ByThemselves, self.rest_since(0))
        };
        // Nobody was at rest, so there is nothing to notice.
        (beginning, time.map(|time| RestTime { noticed_after: Span::ZERO, ..time }))
    }

    /// Gives this order; how long it takes until all are at rest under these leaders.
    fn rest_after(&mut self, order: &str, wanted: RestUnder) -> Option<RestTime> {
        let from = self.simulated.now();
        self.trace.borrow_mut().begin(from, wanted);
        self.simulated.inject(order);
        self.rest_since(from)
    }

    /// Carries it on until nothing follows any more, or for as long as the Card gives it twice.
    fn rest_since(&mut self, from: i64) -> Option<RestTime> {
        let settled = nanos(settled(&self.timing));
        let until = from + 2 * nanos(self.quiet_bound) + 2 * settled;
        while self.simulated.now() < until {
            self.pass(settled / 4);
            let RestTrace { left_at, rest_since, .. } = *self.trace.borrow();
            if let Some(rest_since) = rest_since.filter(|since| since + settled <= self.simulated.now()) {
                let left_at = left_at.unwrap_or(rest_since);
                return Some(RestTime { noticed_after: span(left_at - from), rest_after: span(rest_since - from) });
            }
        }
        None
    }

    fn pass(&mut self, nanos: i64) {
        let until = self.simulated.now() + nanos;
        self.simulated.advance_to(until);
    }
}

/// For how long all are at rest before it is believed: a detector reports by then, or a leader's question is answered.
pub(super) fn settled(timing: &Timing) -> Span {
    timing.check * 2 + timing.silence * 2 + timing.t * 6
}

/// How the lab of a point begins, with this bound T.
pub(super) fn opening(point: &TimePoint, t: Span, seed: u64) -> String {
    let Timing { t, check, silence } = point.timing_at(t);
    format!(
        "name = \"time\"\nabout = \"All come to rest.\"\nalgorithm = \"{}\"\nnodes = {}\nseed = {seed}\n\
         T = \"{t}\"\ncheck = \"{check}\"\nsilence = \"{silence}\"\n",
        point.card.name, point.nodes
    )
}

/// The fault lines that leave no links but those of a ladder.
fn cuts(rungs: u16) -> Vec<String> {
    let (nodes, links) = ladder(rungs);
    let cut = |low: u16| {
        let far = (low + 1..=nodes).filter(|high| !links.contains(&(low, *high)));
        let far: Vec<String> = far.map(|high| high.to_string()).collect();
        (!far.is_empty()).then(|| format!("cut {low}<->{}", far.join(",")))
    };
    (1..nodes).filter_map(cut).collect()
}

/// The fault line that parts them into so many groups, as equal as may be.
pub(super) fn partition(nodes: u16, groups: u16) -> String {
    let first = |group: u16| nodes * group / groups + 1;
    let parts: Vec<String> = (0..groups).map(|group| format!("{}-{}", first(group), first(group + 1) - 1)).collect();
    format!("partition {}", parts.join("|"))
}

pub(super) fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}

pub(super) fn span(nanos: i64) -> Span {
    Span::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_keeps_its_links_and_no_others() {
        let cuts = cuts(1);
        assert_eq!(cuts, ["cut 1<->3,4,6", "cut 2<->4,5,6", "cut 3<->4,5", "cut 5<->6"]);
    }

    #[test]
    fn the_parts_of_a_partition_are_as_equal_as_may_be() {
        assert_eq!(partition(16, 2), "partition 1-8|9-16");
        assert_eq!(partition(16, 3), "partition 1-5|6-10|11-16");
    }
}
