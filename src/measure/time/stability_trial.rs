//! One trial in virtual time: all start and come to rest, something befalls them, and they come to rest again.
//!
//! The fault comes at a moment of its own within the periods, so that it is noticed as soon or as late as may be. All
//! are at rest if nothing follows for longer than a detector and a period need.
//!
//! Means are taken over even delays, which have one law; the worst of all also over drawn delays, which may be
//! anything that the assumptions allow.
//!
//! Invariant: a trial is a function of its point, its seed and its kind of network, and the periods of a point keep to its Card's
//! rules.

use std::cell::RefCell;
use std::sync::Arc;

use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::super::sample::{Sample, add_fields};
use super::super::trial::{RestChange, RestStates, dice, lab_text, nanos, plan, span};
use election::detector::Choice;
use election::stoller::asynchronous::ladder;
use lab::{Lab, LabErrors, parse};
use protocol::{Card, NodeId, Registry, Roster, Settings, Span, Timing};
use record::Record;
use sim::{NetworkKind, Simulated, transit_bound};

/// The bound T of the labs.
pub const T: Span = Span::from_millis(100);
/// If nobody elects after so many T, all are ordered to.
pub const IDLE: u64 = 20;
/// `check` and `silence` in T, if the Card allows periods as short as these.
const PERIODS: (u64, u64) = (5, 10);
/// How often a period is doubled at most until the Card allows it.
const DOUBLINGS: usize = 16;

/// One point: an algorithm, a number of processes, and what befalls them.
#[derive(Clone, Debug)]
pub struct TimePoint {
    /// The algorithm.
    pub card: Card,
    /// How many processes there are.
    pub nodes: u16,
    /// What befalls them after their start.
    pub scene: TimedScene,
    lab: Arc<Lab>,
}

/// What befalls the processes once they have come to rest after their start.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum TimedScene {
    /// All are linked; the leader crashes.
    Failover,
    /// A partition into so many groups ends; each had come under a leader of its own.
    Merge(u16),
    /// Linked as a ladder of so many rungs; node 1 crashes.
    Ladder(u16),
}

/// What came of a trial; nothing where the processes did not come to rest.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct RestTrial {
    /// How the first election began.
    pub beginning: TrialBeginning,
    /// From the common start.
    pub start: Option<RestTime>,
    /// From what befell them then.
    pub fault: Option<RestTime>,
}

/// How the first election of a trial begins.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum TrialBeginning {
    /// The processes elect when they start.
    ByThemselves,
    /// Must be ordered to.
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

/// Trials of one point, added up.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimeSum {
    /// From the common start.
    pub start: TimesByNetwork,
    /// From what befell the processes then.
    pub fault: TimesByNetwork,
}

/// Times, by kind of network.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimesByNetwork {
    /// With even delays.
    pub even: RestSum,
    /// With drawn delays.
    pub drawn: RestSum,
}

/// Times of one kind over one kind of network, in microseconds.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct RestSum {
    /// How many trials there were.
    pub held: u64,
    /// Until the first process left its rest.
    pub noticed_us: Sample,
    /// From then on until all were at rest.
    pub election_us: Sample,
    /// Both together.
    pub whole_us: Sample,
}

add_fields!(TimeSum { start, fault });
add_fields!(TimesByNetwork { even, drawn });
add_fields!(RestSum { held, noticed_us, election_us, whole_us });

/// Who must lead for all to be at rest.
#[derive(Copy, Clone, Eq, PartialEq, Default, Debug)]
pub enum RestUnder {
    /// So many leaders.
    Leaders(usize),
    /// Whoever leads: the network decides how many there are.
    #[default]
    Any,
}

/// Follows the records: which process left its rest first, and since when all are at rest under their leaders.
#[derive(Clone, Default, Debug)]
pub struct RestTrace {
    wanted: RestUnder,
    /// When the first process left its rest in the present part, in nanoseconds.
    left_at: Option<i64>,
    /// Since when all that run are at rest, if they are, in nanoseconds.
    pub rest_since: Option<i64>,
    states: RestStates,
}

/// A trial that is under way.
struct Playing<'a> {
    simulated: Box<dyn Simulated + 'a>,
    trace: &'a RefCell<RestTrace>,
    timing: Timing,
    quiet_bound: Span,
}

impl TimePoint {
    /// So many processes of this algorithm, and what befalls them.
    ///
    /// # Errors
    /// The algorithm does not take these periods: a bug of this program.
    pub fn new(registry: Registry, card: Card, nodes: u16, scene: TimedScene) -> Result<TimePoint, LabErrors> {
        let mut text = lab_opening(&card, nodes, T, 0);
        if let TimedScene::Ladder(rungs) = scene {
            let cuts: Vec<String> = cuts(rungs).iter().map(|cut| format!("\"{cut}\"")).collect();
            text += &format!("[[step]]\nat = \"0s\"\ndo = [{}]\n", cuts.join(", "));
        }
        Ok(TimePoint { card, nodes, scene, lab: Arc::new(parse("time", &text, registry)?) })
    }

    /// The periods.
    pub fn timing(&self) -> Timing {
        self.lab.timing
    }

    /// The periods with another bound T.
    pub fn timing_at(&self, t: Span) -> Timing {
        timing_at(&self.card, self.nodes, t)
    }

    /// The longest that a datagram may take, with this bound T.
    pub fn transit_bound_at(&self, t: Span) -> Span {
        transit_bound(&self.card, &self.timing_at(t), &self.lab.settings)
    }

    /// How long one election may take. On a ladder it is what the paper has for all together, without its unknown
    /// factor: (n-1) max(tau + 2 delta, tau_FD).
    pub fn election_bound(&self) -> Span {
        let Lab { timing, settings, .. } = &*self.lab;
        match self.scene {
            TimedScene::Ladder(_) => {
                let latency = Choice::of(settings).latency(timing, self.nodes);
                (timing.check + timing.t * 2).max(latency) * u64::from(self.nodes - 1)
            }
            TimedScene::Failover | TimedScene::Merge(_) => (self.card.time_bound.value)(timing, self.nodes, settings),
        }
    }

    /// How long after the last fault all agree.
    pub fn quiet_bound(&self) -> Span {
        (self.card.quiet_bound.value)(&self.lab.timing, self.nodes, &self.lab.settings)
    }

    /// Makes the trial with this seed and kind of network.
    pub fn make(&self, seed: u64, network_kind: NetworkKind) -> RestTrial {
        let (plan, trace) = (plan(&self.lab, seed, network_kind), RefCell::new(RestTrace::default()));
        let simulated = sim::start(&plan, Box::new(|record| trace.borrow_mut().take(record)));
        let mut playing =
            Playing { simulated, trace: &trace, timing: self.lab.timing, quiet_bound: self.quiet_bound() };
        let (beginning, start) = playing.start(self.wanted());
        let fault = start.and_then(|_| {
            playing.pass(self.moment(seed));
            self.fault(&mut playing)
        });
        RestTrial { beginning, start, fault }
    }

    /// What befalls the processes, and how long it takes them to come to rest again.
    fn fault(&self, playing: &mut Playing<'_>) -> Option<RestTime> {
        match self.scene {
            TimedScene::Failover => {
                let leader = playing.trace.borrow().leader()?;
                playing.rest_after(&format!("crash {leader}"), self.wanted())
            }
            TimedScene::Ladder(_) => playing.rest_after("crash 1", self.wanted()),
            TimedScene::Merge(groups) => {
                let parts = partition(self.nodes, groups);
                playing.rest_after(&parts, RestUnder::Leaders(groups.into()))?;
                playing.rest_after("heal", self.wanted())
            }
        }
    }

    /// Who leads in the end.
    pub fn wanted(&self) -> RestUnder {
        match self.scene {
            TimedScene::Failover | TimedScene::Merge(_) => RestUnder::Leaders(1),
            TimedScene::Ladder(_) => RestUnder::Any,
        }
    }

    /// How long the processes are at rest before anything befalls them, in nanoseconds.
    pub fn moment(&self, seed: u64) -> i64 {
        let Timing { check, silence, .. } = self.lab.timing;
        i64::try_from(dice(seed).next_u64() % (check + silence).nanos()).unwrap_or(0)
    }
}

/// How the text of a lab begins, with this bound T.
pub fn lab_opening(card: &Card, nodes: u16, t: Span, seed: u64) -> String {
    lab_text(("time", "All come to rest."), card.name, nodes, seed, &timing_at(card, nodes, t))
}

/// The periods with this bound T: short ones, and where the Card does not allow them twice as long until it does.
fn timing_at(card: &Card, nodes: u16, t: Span) -> Timing {
    let all = Roster::new(nodes).map(|roster| roster.all());
    let settings = Settings::defaults(card.settings, all.expect("a Card allows no more nodes than a roster may have"));
    let mut timing = Timing { t, check: t * PERIODS.0, silence: t * PERIODS.1 };
    for _ in 0..DOUBLINGS {
        match card.periods.iter().find(|rule| !(rule.holds)(&timing, nodes, &settings)) {
            Some(rule) if rule.key == "check" => timing.check = timing.check * 2,
            Some(_) => timing.silence = timing.silence * 2,
            None => break,
        }
    }
    timing
}

/// For how long all are at rest before it is believed: a detector reports by then, or a leader's question is answered.
pub fn settled(timing: &Timing) -> Span {
    timing.check * 2 + timing.silence * 2 + timing.t * 6
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
pub fn partition(nodes: u16, groups: u16) -> String {
    let first = |group: u16| nodes * group / groups + 1;
    let parts: Vec<String> = (0..groups).map(|group| format!("{}-{}", first(group), first(group + 1) - 1)).collect();
    format!("partition {}", parts.join("|"))
}

impl Playing<'_> {
    /// All start; where nobody elects by itself, all are ordered to.
    fn start(&mut self, wanted: RestUnder) -> (TrialBeginning, Option<RestTime>) {
        self.trace.borrow_mut().begin(0, wanted);
        self.pass(nanos(T * IDLE));
        let (beginning, time) = if self.trace.borrow().is_idle() {
            (TrialBeginning::Ordered, self.rest_after("elect *", wanted))
        } else {
            (TrialBeginning::ByThemselves, self.rest_since(0))
        };
        (beginning, time.map(RestTime::at_once))
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
            let trace = self.trace.borrow();
            if trace.rest_since.is_some_and(|since| since + settled <= self.simulated.now()) {
                return trace.time_from(from);
            }
        }
        None
    }

    fn pass(&mut self, nanos: i64) {
        let until = self.simulated.now() + nanos;
        self.simulated.advance_to(until);
    }
}

impl RestTrace {
    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        let change = self.states.take(record);
        if change == RestChange::Under {
            self.left_at.get_or_insert(record.at);
        }
        if change != RestChange::Nothing {
            self.look(record.at);
        }
    }

    /// The next part begins at this moment: all must come to rest under these leaders.
    pub fn begin(&mut self, at: i64, wanted: RestUnder) {
        (self.wanted, self.left_at, self.rest_since) = (wanted, None, None);
        self.look(at);
    }

    /// How long it took from this moment, if all are at rest.
    pub fn time_from(&self, from: i64) -> Option<RestTime> {
        let rest_since = self.rest_since?;
        let left_at = self.left_at.unwrap_or(rest_since);
        Some(RestTime { noticed_after: span(left_at - from), rest_after: span(rest_since - from) })
    }

    /// The leader of all, if they are at rest under one.
    fn leader(&self) -> Option<NodeId> {
        self.states.leaders().filter(|leaders| leaders.len() == 1)?.pop()
    }

    /// Whether nobody is at rest as is wanted, and nobody is on its way there.
    fn is_idle(&self) -> bool {
        self.states.is_idle() && self.rest_since.is_none()
    }

    fn look(&mut self, at: i64) {
        let is_meant = |leaders: Vec<NodeId>| match self.wanted {
            RestUnder::Leaders(number) => leaders.len() == number,
            RestUnder::Any => !leaders.is_empty(),
        };
        match (self.states.leaders().is_some_and(is_meant), self.rest_since) {
            (true, None) => self.rest_since = Some(at),
            (false, Some(_)) => self.rest_since = None,
            _ => {}
        }
    }
}

impl RestTime {
    /// The same time, so many times as long.
    pub fn scaled(self, factor: f64) -> RestTime {
        RestTime { noticed_after: self.noticed_after.scaled(factor), rest_after: self.rest_after.scaled(factor) }
    }

    /// The same at the start: nobody was at rest, so there was nothing to notice.
    pub fn at_once(self) -> RestTime {
        RestTime { noticed_after: Span::ZERO, ..self }
    }
}

impl TimesByNetwork {
    /// How many trials there were, in all weathers.
    pub fn held(&self) -> u64 {
        self.even.held + self.drawn.held
    }

    /// In how many of them not all came to rest.
    pub fn unsettled(&self) -> u64 {
        self.even.unsettled() + self.drawn.unsettled()
    }

    /// The longest election.
    pub fn worst_election_us(&self) -> Option<u64> {
        self.even.election_us.most().max(self.drawn.election_us.most())
    }

    /// The longest of all.
    pub fn worst_whole_us(&self) -> Option<u64> {
        self.even.whole_us.most().max(self.drawn.whole_us.most())
    }
}

impl RestSum {
    /// In how many trials not all came to rest.
    pub fn unsettled(&self) -> u64 {
        self.held - self.whole_us.count
    }

    /// One more trial; nothing if not all came to rest.
    pub fn add(&mut self, time: Option<RestTime>) {
        self.held += 1;
        let Some(RestTime { noticed_after, rest_after }) = time else { return };
        self.noticed_us.add(noticed_after.nanos() / 1_000);
        self.election_us.add(rest_after.saturating_sub(noticed_after).nanos() / 1_000);
        self.whole_us.add(rest_after.nanos() / 1_000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry::BUILT_IN;

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

    #[test]
    fn the_periods_of_a_point_keep_to_its_card() {
        for card in BUILT_IN.cards() {
            for nodes in [3, 17, card.nodes_max.min(64)] {
                let timing = timing_at(card, nodes, T);
                let settings = Settings::defaults(card.settings, Roster::new(nodes).unwrap().all());
                assert!(card.periods.iter().all(|rule| (rule.holds)(&timing, nodes, &settings)), "{}", card.name);
            }
        }
    }

    #[test]
    fn the_crash_on_a_ladder_takes_longer_than_the_papers_bound_and_the_start_does_not() {
        let of = |rungs| {
            let card = BUILT_IN.card("async-bully").unwrap();
            let point = TimePoint::new(BUILT_IN, *card, 1 + 5 * rungs, TimedScene::Ladder(rungs)).unwrap();
            let trial = point.make(1, NetworkKind::Even);
            let by_bound = |time: RestTime| time.rest_after.nanos() as f64 / point.election_bound().nanos() as f64;
            assert!(trial.fault.unwrap().rest_after < point.quiet_bound());
            (by_bound(trial.start.unwrap()), by_bound(trial.fault.unwrap()))
        };
        let ((start_of_2, crash_of_2), (start_of_4, crash_of_4)) = (of(2), of(4));
        assert!(start_of_2 < 1.2 && start_of_4 < 1.2, "{start_of_2} {start_of_4}");
        assert!(crash_of_4 > 1.5 && crash_of_4 > 1.4 * crash_of_2, "{crash_of_2} {crash_of_4}");
    }
}
