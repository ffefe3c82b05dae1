//! `measure detectors`: the failure detectors of Stoller 1997, sections 2 and 6, on the same traffic and under the same
//! loss: how soon they report a crash, how often they are mistaken, how long that lasts, and what they cost.
//!
//! They are tried under Bully-FD, which takes all of them. All nodes come under one leader. Then messages are lost for
//! so many periods while all nodes are up: whoever is reported is reported by mistake. Then, in a moment in which all
//! follow the leader, it crashes, and messages go on being lost; the first report of it is its detection.
//!
//! Invariant: a trial is a function of its point and its seed; the intervals of all points hold together.

use std::cell::RefCell;
use std::sync::Arc;

use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::measurement::{self, Measurement};
use super::messages::FailoverTrace;
use super::plot::{Axis, Corner, Marks, SvgPlot};
use super::sample::{CONFIDENCE, Estimate, Sample, add_fields, counts_told};
use super::trial::{dice, lab_text, nanos, plan, span};
use election::detector::{self, Choice, SETTING};
use fault::Percent;
use lab::{Lab, LabErrors, parse};
use protocol::{Card, LineNumber, NodeId, Registry, SettingKind, SettingValue, Settings, Span, Timing};
use record::{Body, Record};
use sim::{NetworkKind, Simulated};

/// The algorithm under which the detectors are tried.
const ALGORITHM: &str = "bully-fd";
/// The bound T of the labs.
const T: Span = Span::from_millis(100);
/// For so many periods all nodes are up while messages are lost.
const PERIODS: u64 = 50;
/// The lines of Bully-FD on a report of its detector, figure 1, On DownSig.
const REPORTS: std::ops::RangeInclusive<LineNumber> = 9..=13;
/// How many latencies the crash may go unnoticed.
const PATIENCE: u64 = 20;
/// How many things are estimated at a point.
const ESTIMATED: usize = 2;

/// Every detector with each of some chances of loss.
#[derive(Debug)]
pub struct DetectorsMeasurement {
    points: Vec<DetectorPoint>,
}

/// One point: a detector, and how much is lost.
#[derive(Clone, Debug)]
pub struct DetectorPoint {
    /// The detector, as a lab names it.
    pub detector: &'static str,
    /// The chance that a message is lost, below 1.
    pub p: Percent,
    lab: Arc<Lab>,
}

/// Trials of one point, added up. Times are in microseconds.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct DetectorsSum {
    /// How many there were.
    pub held: u64,
    /// The reports of nodes that were up, in a trial.
    pub mistakes: Sample,
    /// How long not all followed one leader after a mistake, each time that it was so.
    pub upsets: Sample,
    /// The messages of the detectors in a trial.
    pub messages: Sample,
    /// How long after its crash the leader was reported first.
    pub detected_after: Sample,
    /// How many crashes nobody reported in time.
    pub undetected: u64,
}

add_fields!(DetectorsSum { held, mistakes, upsets, messages, detected_after, undetected });

/// A row: a point, its sum, and what is estimated from it, times in milliseconds.
pub struct DetectorsRow {
    point: DetectorPoint,
    sum: DetectorsSum,
    detected_after: Option<Estimate>,
    mistakes: Option<Estimate>,
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

/// A column of the sheet.
type Column = measurement::Column<DetectorsRow>;

impl DetectorsMeasurement {
    /// Every detector with each of these chances of loss, among so many nodes.
    ///
    /// # Errors
    /// The algorithm takes no such lab: a bug of this program.
    pub fn new(registry: Registry, chances: &[Percent], nodes: u16) -> Result<DetectorsMeasurement, LabErrors> {
        let detectors = registry.card(ALGORITHM).map(detectors_of).unwrap_or_default();
        let points = detectors.iter().flat_map(|&detector| chances.iter().map(move |&p| (detector, p)));
        let points = points.map(|(detector, p)| DetectorPoint::new(registry, detector, p, nodes));
        Ok(DetectorsMeasurement { points: points.collect::<Result<_, _>>()? })
    }
}

impl Measurement for DetectorsMeasurement {
    type Point = DetectorPoint;
    type Sum = DetectorsSum;
    type Row = DetectorsRow;

    fn points(&self) -> &[DetectorPoint] {
        &self.points
    }

    fn look(&self, point: &DetectorPoint, seed: u64, sum: &mut DetectorsSum) {
        point.try_out(seed, sum);
    }

    fn rows(&self, sums: &[DetectorsSum]) -> Vec<DetectorsRow> {
        let intervals = sums.len() * ESTIMATED;
        let row = |(point, sum): (&DetectorPoint, &DetectorsSum)| DetectorsRow {
            point: point.clone(),
            sum: *sum,
            detected_after: sum.detected_after.estimate(intervals).map(|estimate| estimate.by(1_000.0)),
            mistakes: sum.mistakes.estimate(intervals),
        };
        self.points.iter().zip(sums).map(row).collect()
    }

    fn columns(&self) -> Vec<Column> {
        let millis = |micros: f64| micros / 1_000.0;
        let half = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.half);
        vec![
            Column::text("detector", "detector", |row| row.point.detector.to_owned()),
            Column::number("p", "p", 2, |row| Some(row.point.p.fraction())),
            Column::count("bound", "latency_ms", |row| row.point.latency().nanos() / 1_000_000),
            Column::number("detect", "mean_detected_after_ms", 0, move |row| row.sum.detected_after.mean().map(millis)),
            Column::number("+-", "interval_detected_after_ms", 0, move |row| half(row.detected_after)),
            Column::number("worst", "worst_detected_after_ms", 0, move |row| {
                row.sum.detected_after.most().map(|most| millis(most as f64))
            }),
            Column::number("mistakes", "mean_mistakes", 2, |row| row.sum.mistakes.mean()),
            Column::number("+-", "interval_mistakes", 2, move |row| half(row.mistakes)),
            Column::number("upset", "mean_upset_ms", 0, move |row| row.sum.upsets.mean().map(millis)),
            Column::count(None, "upsets", |row| row.sum.upsets.count),
            Column::number("messages", "mean_messages_per_period", 1, |row| {
                row.sum.messages.mean().map(|mean| mean / PERIODS as f64)
            }),
            Column::count(None, "trials", |row| row.sum.held),
            Column::count(None, "crashes_not_detected", |row| row.sum.undetected),
            Column::count(None, "trials_without_crash", |row| row.sum.without_crash()),
        ]
    }

    /// Mistakes over p.
    fn plot(&self, _: &[DetectorsSum], rows: &[DetectorsRow]) -> Option<SvgPlot> {
        let marks = Marks::by_name(rows.iter().map(|row| {
            let mark = row.mistakes.map(|Estimate { mean, half }| (row.point.p.fraction(), mean, half));
            (row.point.detector, mark)
        }));
        let widest = rows.iter().map(|row| row.point.p.fraction()).fold(0.01, f64::max);
        Some(SvgPlot {
            title: "Failure detectors: mistakes".to_owned(),
            x: Axis { label: "chance p that a message is lost".to_owned(), from: -0.02 * widest, to: widest * 1.05 },
            y: Axis {
                label: format!("reports of nodes that are up, in {PERIODS} periods (mean)"),
                from: 0.0,
                to: Marks::highest(&marks, 1.0) * 1.05,
            },
            legend: Corner::UpperLeft,
            curves: Vec::new(),
            marks,
        })
    }

    fn remarks(&self, _: &[DetectorsSum], rows: &[DetectorsRow]) -> Vec<String> {
        let lab = self.points.first().map(|point| &point.lab);
        let (nodes, period) = lab.map_or((0, 0), |lab| (lab.roster.len(), lab.timing.silence.nanos() / 1_000_000));
        let mut remarks = vec![format!(
            "Bully-FD with {nodes} nodes, which follow one leader; each point is {} trials, and all intervals hold together \
             with {:.0} % confidence. A period is {period} ms. `detect`: milliseconds from the leader's crash until the \
             first node reports it, even if it would have done so for a loss alone; `bound`: the most, if nothing is lost. \
             `mistakes`: reports of nodes that are up, in {PERIODS} periods. `upset`: milliseconds in which not all \
             followed one leader after a mistake, each time. `messages`: those of the detectors in a period.",
            counts_told(rows.iter().map(|row| row.sum.held)),
            100.0 * CONFIDENCE,
        )];
        let told = |count: &dyn Fn(&DetectorsSum) -> u64| {
            let of = rows.iter().filter(|row| count(&row.sum) > 0);
            let of = of.map(|DetectorsRow { point, sum, .. }| {
                format!("{} of {} ({}, p = {:.2})", count(sum), sum.held, point.detector, point.p.fraction())
            });
            of.collect::<Vec<_>>().join(", ")
        };
        let (undetected, without_crash) = (told(&|sum| sum.undetected), told(&DetectorsSum::without_crash));
        if !undetected.is_empty() {
            remarks.push(format!("Crashes that nobody reported in time, of all trials: {undetected}."));
        }
        if !without_crash.is_empty() {
            remarks.push(format!(
                "Trials in which not all followed one leader for so long that no crash was tried: {without_crash}."
            ));
        }
        remarks
    }
}

/// The detectors that this algorithm takes.
fn detectors_of(card: &Card) -> &'static [&'static str] {
    let words = card.settings.iter().find(|setting| setting.name == SETTING).map(|setting| setting.kind);
    match words {
        Some(SettingKind::Word(words)) => words,
        _ => &[],
    }
}

impl DetectorPoint {
    /// The periods are the same for all detectors. A period of the detector is long enough for the lap of an attendance
    /// list, and the leader's own questions come less often, so that no detector rides on them.
    fn new(registry: Registry, detector: &'static str, p: Percent, nodes: u16) -> Result<DetectorPoint, LabErrors> {
        let silence = T * (u64::from(nodes) * 2 + 10);
        let opening = lab_text(
            ("detector", "The leader crashes."),
            ALGORITHM,
            nodes,
            0,
            &Timing { t: T, check: silence * 2, silence },
        );
        let text = format!("{opening}[settings]\n{SETTING} = \"{detector}\"\n");
        Ok(DetectorPoint { detector, p, lab: Arc::new(parse("detector", &text, registry)?) })
    }

    /// How long the detector may take to report a node that is down, if nothing is lost.
    fn latency(&self) -> Span {
        let settings = Settings::default().with(SETTING, SettingValue::Word(self.detector.to_owned()));
        Choice::of(&settings).latency(&self.lab.timing, self.lab.roster.len())
    }

    /// Makes the trial with this seed, and adds what came of it.
    fn try_out(&self, seed: u64, sum: &mut DetectorsSum) {
        let trace = RefCell::new(TrialTrace::default());
        let plan = plan(&self.lab, seed, NetworkKind::Even);
        let mut simulated = sim::start(&plan, Box::new(|record| trace.borrow_mut().take(record)));
        let simulated = simulated.as_mut();
        let silence = self.lab.timing.silence;
        come_under_one(simulated, &trace, silence * (20 * u64::from(self.lab.roster.len())));
        // The crash must not come at the same point of every period.
        let moment = dice(seed).next_u64() % silence.nanos();
        simulated.advance_to(simulated.now() + nanos(silence) + moment as i64);
        simulated.inject(&format!("loss *->* {}", self.p));
        trace.borrow_mut().begin();
        simulated.advance_to(simulated.now() + nanos(silence * PERIODS));
        sum.held += 1;
        trace.borrow().add_to(sum);
        if let Some(leader) = come_under_one(simulated, &trace, silence * PERIODS) {
            match self.detect(simulated, &trace, leader) {
                Some(after) => sum.detected_after.add(after.nanos() / 1_000),
                None => sum.undetected += 1,
            }
        }
    }

    /// The leader crashes; returns how long it takes until somebody reports it.
    fn detect(&self, simulated: &mut dyn Simulated, trace: &RefCell<TrialTrace>, leader: NodeId) -> Option<Span> {
        let crashed_at = simulated.now();
        trace.borrow_mut().last_report = None;
        simulated.inject(&format!("crash {leader}"));
        let until = crashed_at + nanos(self.latency() * PATIENCE);
        while simulated.now() < until {
            simulated.advance_to(simulated.now() + nanos(T));
            if let Some(at) = trace.borrow().last_report {
                return Some(span(at - crashed_at));
            }
        }
        None
    }
}

/// Carries it on until all follow one leader; nothing if that does not come for so long.
fn come_under_one(simulated: &mut dyn Simulated, trace: &RefCell<TrialTrace>, within: Span) -> Option<NodeId> {
    let until = simulated.now() + nanos(within);
    loop {
        let leader = trace.borrow().trace.states.leader();
        if leader.is_some() || simulated.now() >= until {
            return leader;
        }
        simulated.advance_to(simulated.now() + nanos(T));
    }
}

impl DetectorsSum {
    /// In how many trials not all followed one leader for so long that the crash did not come.
    fn without_crash(&self) -> u64 {
        self.held - self.detected_after.count - self.undetected
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
        match (self.trace.states.leader(), self.upset_since) {
            (None, None) => self.upset_since = Some(record.at),
            (Some(_), Some(since)) => {
                self.upsets.push(span(record.at - since));
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

    /// Adds what was counted.
    fn add_to(&self, sum: &mut DetectorsSum) {
        let of_detectors = self.trace.sent.iter().filter(|(kind, _)| detector::Message::KINDS.contains(&kind.as_ref()));
        sum.mistakes.add(self.reports);
        sum.messages.add(of_detectors.map(|(_, count)| count).sum());
        self.upsets.iter().for_each(|upset| sum.upsets.add(upset.nanos() / 1_000));
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::Exhibit;
    use super::super::measurement::tests::{shown, written};
    use super::*;
    use registry::BUILT_IN;

    fn tried(chances: &[u8], seeds: &str) -> (Vec<DetectorsSum>, Exhibit) {
        let chances: Vec<Percent> = chances.iter().map(|p| Percent::whole(*p)).collect();
        shown(&DetectorsMeasurement::new(BUILT_IN, &chances, 5).unwrap(), seeds)
    }

    #[test]
    fn with_nothing_lost_no_detector_is_mistaken_and_each_reports_a_crash_within_its_latency() {
        let (sums, exhibit) = tried(&[0], "0..20");
        assert_eq!(sums.len(), 4);
        for (sum, row) in sums.iter().zip(&exhibit.sheet.text()[1..]) {
            assert_eq!((sum.mistakes.most(), sum.upsets.count, sum.detected_after.count), (Some(0), 0, 20), "{row:?}");
            let latency_ms: u64 = row[2].parse().unwrap();
            assert!(sum.detected_after.most().unwrap() <= 1_000 * latency_ms, "{row:?}");
            assert!(sum.messages.least() > Some(0), "{row:?}");
        }
    }

    #[test]
    fn with_loss_the_detector_that_asks_others_is_mistaken_least_of_those_that_ask() {
        let (sums, _) = tried(&[20], "0..10");
        let [asking, telling, listing, cooperative] = &sums[..] else { panic!("{sums:?}") };
        for sum in [asking, telling, listing] {
            assert!(sum.mistakes.mean() > Some(0.5), "{sum:?}");
        }
        assert!(cooperative.mistakes.mean() < asking.mistakes.mean(), "{cooperative:?} {asking:?}");
        assert!(asking.upsets.count > 0 && asking.upsets.mean() > Some(0.0));
    }

    #[test]
    fn the_same_seeds_give_the_same_sheet() {
        let (_, exhibit) = tried(&[0, 10], "3..6");
        insta::assert_snapshot!(written(&exhibit, " "));
        assert!(exhibit.plot.unwrap().svg().unwrap().contains("cooperative"));
    }
}
