//! One trial of a failure detector in virtual time, under Bully-FD, which takes all of them.
//!
//! All nodes come under one leader. Then messages are lost for so many periods while all nodes are up: whoever is
//! reported is reported by mistake. Then, in a moment in which all follow the leader, it crashes, and messages go on being
//! lost; the first report of it is its detection.
//!
//! Invariant: a trial is a function of its point and its seed.

use std::cell::RefCell;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::messages::FailoverTrace;
use super::point::{DetectorPoint, T};
use election::detector;
use lab::{Lab, LabErrors, parse};
use protocol::{LineNumber, NodeId, Registry, Span};
use record::{Body, Record};
use script::Pace;
use sim::{After, Moves, Plan, Recorded, Simulated, Weather};

/// The algorithm under which the detectors are tried.
pub const ALGORITHM: &str = "bully-fd";
/// For so many periods all nodes are up while messages are lost.
pub const PERIODS: u64 = 50;
/// The lines of Bully-FD on a report of its detector, figure 1, On DownSig.
const REPORTS: std::ops::RangeInclusive<LineNumber> = 9..=13;
/// How many latencies the crash may go unnoticed.
const PATIENCE: u64 = 20;

/// A trial that is to be made with many seeds.
#[derive(Clone, Debug)]
pub struct TrialGround {
    point: DetectorPoint,
    lab: Arc<Lab>,
}

/// What came of a trial.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct DetectorTrial {
    /// How many reports were mistakes.
    pub mistakes: u64,
    /// After a mistake, how long not all followed one leader, each time that it was so.
    pub upsets: Vec<Span>,
    /// How many messages the detectors sent.
    pub messages: u64,
    /// How long after its crash the leader was reported first, if it was; nothing if no moment came for its crash.
    pub detected_after: Option<Option<Span>>,
}

/// A trial, as its records come.
#[derive(Default)]
struct TrialTrace {
    trace: FailoverTrace,
    reports: u64,
    last_report: Option<i64>,
    /// Since when not all follow one leader.
    upset_since: Option<i64>,
    upsets: Vec<Span>,
}

impl TrialGround {
    /// The trials of this point.
    ///
    /// # Errors
    /// The algorithm takes no such lab: a bug of this program.
    pub fn new(registry: Registry, point: DetectorPoint) -> Result<TrialGround, LabErrors> {
        let timing = point.timing();
        let text = format!(
            "name = \"detector\"\nabout = \"The leader crashes.\"\nalgorithm = \"{ALGORITHM}\"\nnodes = {}\nseed = 0\n\
             T = \"{}\"\ncheck = \"{}\"\nsilence = \"{}\"\n[settings]\n{} = \"{}\"\n",
            point.nodes,
            timing.t,
            timing.check,
            timing.silence,
            detector::SETTING,
            point.detector
        );
        Ok(TrialGround { point, lab: Arc::new(parse("detector", &text, registry)?) })
    }

    /// Makes the trial with this seed.
    pub fn make(&self, seed: u64) -> DetectorTrial {
        let plan = Plan {
            lab: Arc::clone(&self.lab),
            seed,
            dice: seed,
            weather: Weather::Even,
            moves: Moves::Typed,
            pace: Pace::Played,
            recorded: Recorded::Unjudged,
            after: After::Nothing,
        };
        let trace = RefCell::new(TrialTrace::default());
        let mut simulated = sim::start(&plan, Box::new(|record| trace.borrow_mut().take(record)));
        let simulated = simulated.as_mut();
        let silence = self.point.timing().silence;
        self.come_under_one(simulated, &trace, silence * (20 * u64::from(self.point.nodes)));
        // The crash must not come at the same point of every period.
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        dice.set_stream(1);
        simulated.advance_to(simulated.now() + nanos(silence) + (dice.next_u64() % silence.nanos()) as i64);
        simulated.inject(&format!("loss *->* {}", self.point.p));
        trace.borrow_mut().begin();
        simulated.advance_to(simulated.now() + nanos(silence * PERIODS));
        let trial = trace.borrow().trial();
        let leader = self.come_under_one(simulated, &trace, silence * PERIODS);
        DetectorTrial { detected_after: leader.map(|leader| self.detect(simulated, &trace, leader)), ..trial }
    }

    /// Carries it on until all follow one leader; nothing if that does not come for so long.
    fn come_under_one(
        &self,
        simulated: &mut dyn Simulated,
        trace: &RefCell<TrialTrace>,
        within: Span,
    ) -> Option<NodeId> {
        let until = simulated.now() + nanos(within);
        loop {
            let leader = trace.borrow().trace.leader();
            if leader.is_some() || simulated.now() >= until {
                return leader;
            }
            simulated.advance_to(simulated.now() + nanos(T));
        }
    }

    /// The leader crashes; returns how long it takes until somebody reports it.
    fn detect(&self, simulated: &mut dyn Simulated, trace: &RefCell<TrialTrace>, leader: NodeId) -> Option<Span> {
        let crashed_at = simulated.now();
        trace.borrow_mut().last_report = None;
        simulated.inject(&format!("crash {leader}"));
        let until = crashed_at + nanos(self.point.latency() * PATIENCE);
        while simulated.now() < until {
            simulated.advance_to(simulated.now() + nanos(T));
            if let Some(at) = trace.borrow().last_report {
                return Some(Span::from_nanos(u64::try_from(at - crashed_at).unwrap_or(0)));
            }
        }
        None
    }
}

impl TrialTrace {
    fn take(&mut self, record: &Record) {
        self.trace.take(record);
        if let Body::Step(step) = &record.body {
            let reports = step.lines.iter().filter(|line| REPORTS.contains(*line)).count() as u64;
            if reports > 0 {
                self.reports += reports;
                // The first one is meant, where somebody waits for it.
                self.last_report.get_or_insert(record.at);
            }
        }
        match (self.trace.leader(), self.upset_since) {
            (None, None) => self.upset_since = Some(record.at),
            (Some(_), Some(since)) => {
                self.upsets.push(Span::from_nanos(u64::try_from(record.at - since).unwrap_or(0)));
                self.upset_since = None;
            }
            _ => {}
        }
    }

    /// From now on is counted.
    fn begin(&mut self) {
        self.trace.begin();
        self.reports = 0;
        self.upsets.clear();
    }

    /// What was counted.
    fn trial(&self) -> DetectorTrial {
        let of_detectors = self.trace.sent.iter().filter(|(kind, _)| detector::Message::KINDS.contains(&kind.as_ref()));
        DetectorTrial {
            mistakes: self.reports,
            upsets: self.upsets.clone(),
            messages: of_detectors.map(|(_, count)| count).sum(),
            detected_after: None,
        }
    }
}

fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}
