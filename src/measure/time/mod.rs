//! `measure time`: how long an algorithm takes until all agree, beside its Card's bounds: from the common start, from a
//! leader's crash, and from the end of a partition for the groups of Invitation (Garcia-Molina 1982, section IV). For
//! the Asynchronous Bully it also tries the links on which appendix B of Stoller 1997 fails.
//!
//! Two times are told apart. An election lasts from the first process that leaves its rest until all agree; its bound is
//! that of one election, T, 3T, 5T or rounds of 3T. The whole time begins with the fault, which must be noticed first;
//! its bound is the one after which the judge asks for agreement, such as c_S.
//!
//! Invariant: times are in the T of the simulation's labs; the intervals of all rows hold together; the mean of real trials
//! is held against the interval in which that of as many simulated ones lies.

mod real_trial;
mod stability_trial;

use serde::{Deserialize, Serialize};

use super::measurement::{self, Measurement};
use super::plot::{Axis, Corner, Curve, Mark, Marks, SvgPlot};
use super::real_runs::{PlayReal, RealProgress, RealSum, RealSums, left_out_words};
use super::sample::{CONFIDENCE, Estimate, counts_told};
use election::stoller::asynchronous::ladder;
use lab::LabErrors;
use protocol::{Card, Registry, Span};
use real_trial::{RealTimeSum, hold};
use sim::NetworkKind;
use stability_trial::{RestSum, TimePoint, TimeSum, TimedScene, TimesByNetwork};

pub use stability_trial::T;

/// How many processes are parted into groups that merge again.
const PARTED_NODES: u16 = 16;
/// Into how many groups they are parted.
const GROUPS: std::ops::RangeInclusive<u16> = 2..=8;
/// How many rungs the ladders have: 11, 21, 31 and 41 processes.
const RUNGS: [u16; 4] = [2, 4, 6, 8];
/// A time that grows with an exponent above this is not linear. Over these n, n - 3 alone has the exponent 1.2.
const LINEAR_UP_TO: f64 = 1.3;

/// Failovers, merges and ladders.
#[derive(Debug)]
pub struct TimeMeasurement {
    points: Vec<TimePoint>,
    /// The bound T of real trials.
    real_t: Span,
    real: RealSums<RealTimeSum>,
}

/// What is measured.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeTopic {
    /// The common start and a leader's crash, for every algorithm.
    Failover,
    /// The end of a partition, under Invitation.
    Merge,
    /// The links on which the Asynchronous Bully takes longest.
    Ladder,
}

/// A row: a point and one of its two parts, with what is estimated of it, in T.
pub struct TimeRow {
    point: TimePoint,
    since: RowFrom,
    sum: TimesByNetwork,
    election: Option<Estimate>,
    whole: Option<Estimate>,
    /// What real trials came to, if there were any.
    real: Option<RealSum<RestSum>>,
}

/// From when on a row counts.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum RowFrom {
    /// From the common start.
    Start,
    /// From what befell the processes then.
    Fault,
}

impl TimeTopic {
    /// All of them.
    pub const ALL: [TimeTopic; 3] = [TimeTopic::Failover, TimeTopic::Merge, TimeTopic::Ladder];
}

/// A column of the sheet.
type Column = measurement::Column<TimeRow>;

impl TimeMeasurement {
    /// These topics. Failovers are of each of these algorithms with each of these numbers of processes that its Card
    /// allows; the other topics are of one algorithm, and are left out if it is not among these. Real trials have this
    /// bound T.
    ///
    /// # Errors
    /// An algorithm takes no such lab: a bug of this program.
    pub fn new(
        registry: Registry,
        topics: &[TimeTopic],
        cards: &[Card],
        nodes: &[u16],
        real_t: Span,
    ) -> Result<TimeMeasurement, LabErrors> {
        let mut points = Vec::new();
        for topic in topics {
            for card in cards {
                let scenes: Vec<(u16, TimedScene)> = match topic {
                    TimeTopic::Failover => {
                        let sizes = nodes.iter().filter(|nodes| **nodes <= card.nodes_max);
                        sizes.map(|nodes| (*nodes, TimedScene::Failover)).collect()
                    }
                    TimeTopic::Merge if card.name == "invitation" => {
                        GROUPS.map(|groups| (PARTED_NODES, TimedScene::Merge(groups))).collect()
                    }
                    TimeTopic::Ladder if card.name == "async-bully" => {
                        RUNGS.map(|rungs| (ladder(rungs).0, TimedScene::Ladder(rungs))).to_vec()
                    }
                    TimeTopic::Merge | TimeTopic::Ladder => continue,
                };
                for (nodes, scene) in scenes {
                    points.push(TimePoint::new(registry, *card, nodes, scene)?);
                }
            }
        }
        Ok(TimeMeasurement { points, real_t, real: RealSums::new() })
    }

    /// Where real trials are made: failovers of the fewest processes, and merges. A ladder takes too many processes.
    pub fn real_points(&self) -> Vec<usize> {
        let failovers = self.points.iter().filter(|point| point.scene == TimedScene::Failover);
        let fewest = failovers.map(|point| point.nodes).min();
        let is_real = |point: &TimePoint| match point.scene {
            TimedScene::Failover => Some(point.nodes) == fewest,
            TimedScene::Merge(_) => true,
            TimedScene::Ladder(_) => false,
        };
        (0..self.points.len()).filter(|place| is_real(&self.points[*place])).collect()
    }

    /// Makes a trial of this point on real processes with this seed, and shows it beside the simulated ones.
    ///
    /// # Errors
    /// The lab did not start; nothing is added.
    pub fn hold_real<E>(&mut self, point: usize, seed: u64, play: PlayReal<E>) -> Result<RealProgress, E> {
        let (progress, [start, fault]) = hold(&self.points[point], self.real_t, seed, play)?;
        self.real.entry(point).or_default().take(progress, |sum| {
            sum.start.add(start);
            sum.fault.add(fault);
        });
        Ok(progress)
    }
}

impl Measurement for TimeMeasurement {
    type Point = TimePoint;
    type Sum = TimeSum;
    type Row = TimeRow;

    fn points(&self) -> &[TimePoint] {
        &self.points
    }

    fn look(&self, point: &TimePoint, seed: u64, sum: &mut TimeSum) {
        let (even, drawn) = (point.make(seed, NetworkKind::Even), point.make(seed, NetworkKind::Drawn));
        sum.start.even.add(even.start);
        sum.start.drawn.add(drawn.start);
        sum.fault.even.add(even.fault);
        sum.fault.drawn.add(drawn.fault);
    }

    fn rows(&self, sums: &[TimeSum]) -> Vec<TimeRow> {
        let parts = self.points.iter().zip(sums).enumerate().flat_map(|(place, (point, sum))| {
            let real = self.real.get(&place);
            let of = |part: fn(&RealTimeSum) -> RestSum| {
                real.map(|RealSum { sum, left_out }| RealSum { sum: part(sum), left_out: *left_out })
            };
            let start = (point, RowFrom::Start, sum.start, of(|sum| sum.start));
            let fault = (point, RowFrom::Fault, sum.fault, of(|sum| sum.fault));
            match point.scene {
                // The start of a merge is that of any lab.
                TimedScene::Merge(_) => vec![fault],
                TimedScene::Failover | TimedScene::Ladder(_) => vec![start, fault],
            }
        });
        let parts: Vec<_> = parts.collect();
        let intervals = 2 * parts.len();
        let row =
            |(point, since, sum, real): (&TimePoint, RowFrom, TimesByNetwork, Option<RealSum<RestSum>>)| TimeRow {
                point: point.clone(),
                since,
                sum,
                election: sum.even.election_us.estimate(intervals).map(estimate_in_t),
                whole: sum.even.whole_us.estimate(intervals).map(estimate_in_t),
                real,
            };
        parts.into_iter().map(row).collect()
    }

    fn columns(&self) -> Vec<Column> {
        let half = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.half);
        let mut columns = vec![
            Column::text("from", "from", TimeRow::from),
            Column::text("algorithm", "algorithm", |row| row.point.card.name.to_owned()),
            Column::count("n", "processes", |row| row.point.nodes.into()),
            Column::count(None, "trials", |row| row.sum.held()),
            Column::count(None, "unsettled", |row| row.sum.unsettled()),
            Column::number("noticed", "noticed_t", 1, |row| row.sum.even.noticed_us.mean().map(us_in_t)),
            Column::number("election", "election_t", 1, |row| row.sum.even.election_us.mean().map(us_in_t)),
            Column::number("+-", "election_interval_t", 1, move |row| half(row.election)),
            Column::number("worst", "election_worst_t", 1, TimeRow::worst_election),
            Column::number("bound", "election_bound_t", 0, |row| Some(row.election_bound())),
            Column::number("of it", "election_worst_by_bound", 2, |row| {
                row.worst_election().map(|worst| worst / row.election_bound())
            }),
            Column::number("in all", "whole_t", 1, TimeRow::mean_whole),
            Column::number("+-", "whole_interval_t", 1, move |row| half(row.whole)),
            Column::number("worst", "whole_worst_t", 1, TimeRow::worst_whole),
            Column::number("bound", "whole_bound_t", 0, |row| Some(row.quiet_bound())),
            Column::number("of it", "whole_worst_by_bound", 2, |row| {
                row.worst_whole().map(|worst| worst / row.quiet_bound())
            }),
            Column::number(None, "whole_by_n_less_1_bound", 2, |row| {
                let is_ladder = matches!(row.point.scene, TimedScene::Ladder(_));
                row.by_the_paper().filter(|_| is_ladder)
            }),
        ];
        if !self.real.is_empty() {
            let real = |row: &TimeRow| row.real.unwrap_or_default();
            columns.extend([
                Column::number("real", "whole_real_t", 1, move |row| real(row).sum.whole_us.mean().map(us_in_t)),
                Column::number("worst", "whole_worst_real_t", 1, move |row| {
                    real(row).sum.whole_us.most().map(|worst| us_in_t(worst as f64))
                }),
                Column::number(None, "election_real_t", 1, move |row| real(row).sum.election_us.mean().map(us_in_t)),
                Column::count(None, "trials_real", move |row| real(row).sum.held),
                Column::count(None, "unsettled_real", move |row| real(row).sum.unsettled()),
                Column::count(None, "left_out_real", move |row| real(row).left_out),
            ]);
        }
        columns
    }

    fn plot(&self, _: &[TimeSum], rows: &[TimeRow]) -> Option<SvgPlot> {
        ladder_plot(rows).or_else(|| failover_plot(rows))
    }

    fn remarks(&self, _: &[TimeSum], rows: &[TimeRow]) -> Vec<String> {
        let mut remarks = vec![format!(
            "Times in T. An election lasts from the first process that leaves its rest until all are at rest again; \
             `bound` is its Card's for one election. `noticed` is the time before that, `in all` both together, and its \
             bound the one after which the judge asks for agreement. Means of {} trials with even delays; the worst also of \
             as many with delays and starts drawn anyhow within the assumptions; `of it`: the worst by the bound. All \
             intervals hold together with {:.0} % confidence.",
            counts_told(rows.iter().map(|row| row.sum.even.held)),
            100.0 * CONFIDENCE,
        )];
        remarks.extend(periods(rows));
        remarks.extend(unsettled(rows));
        remarks.extend(beyond(rows));
        remarks.extend(merged(rows));
        remarks.extend(ladder_words(rows));
        if !self.real.is_empty() {
            remarks.push(self.real_words(rows));
        }
        remarks
    }
}

impl TimeRow {
    /// The row in words: its algorithm, its processes, what it counts from.
    fn named(&self) -> String {
        format!("{} with {} ({})", self.point.card.name, self.point.nodes, self.from())
    }

    /// What the row counts from.
    fn from(&self) -> String {
        match (self.since, self.point.scene) {
            (RowFrom::Start, TimedScene::Ladder(_)) => "ladder's start".to_owned(),
            (RowFrom::Start, _) => "start".to_owned(),
            (RowFrom::Fault, TimedScene::Failover) => "crash".to_owned(),
            (RowFrom::Fault, TimedScene::Merge(groups)) => format!("{groups} groups"),
            (RowFrom::Fault, TimedScene::Ladder(_)) => "crash on ladder".to_owned(),
        }
    }

    /// The longest election.
    fn worst_election(&self) -> Option<f64> {
        self.sum.worst_election_us().map(|us| us_in_t(us as f64))
    }

    /// The longest of all.
    fn worst_whole(&self) -> Option<f64> {
        self.sum.worst_whole_us().map(|us| us_in_t(us as f64))
    }

    fn election_bound(&self) -> f64 {
        in_t(self.point.election_bound())
    }

    fn quiet_bound(&self) -> f64 {
        in_t(self.point.quiet_bound())
    }

    /// The mean of all.
    fn mean_whole(&self) -> Option<f64> {
        self.sum.even.whole_us.mean().map(us_in_t)
    }

    /// The mean of all by the bound of one election.
    fn by_the_paper(&self) -> Option<f64> {
        Some(self.mean_whole()? / self.election_bound())
    }

    fn is_ladder_since(&self, since: RowFrom) -> bool {
        matches!(self.point.scene, TimedScene::Ladder(_)) && self.since == since
    }

    /// Where its mark stands in a plot of failovers, or of merges, if it is one.
    fn x(&self, of: FailoverPlot) -> Option<f64> {
        match (of, self.since, self.point.scene) {
            (FailoverPlot::Crashes, RowFrom::Fault, TimedScene::Failover) => Some(self.point.nodes.into()),
            (FailoverPlot::Merges, _, TimedScene::Merge(groups)) => Some(groups.into()),
            _ => None,
        }
    }
}

/// A span in T.
fn in_t(span: Span) -> f64 {
    span.nanos() as f64 / T.nanos() as f64
}

/// Microseconds in T.
fn us_in_t(us: f64) -> f64 {
    us * 1_000.0 / T.nanos() as f64
}

/// An estimate of microseconds in T.
fn estimate_in_t(Estimate { mean, half }: Estimate) -> Estimate {
    Estimate { mean: us_in_t(mean), half: us_in_t(half) }
}

/// The ladder's times by the paper's bound, whose factor is unknown: if it holds, they lie on a level.
fn ladder_plot(rows: &[TimeRow]) -> Option<SvgPlot> {
    let fit = ladder_fit(rows, RowFrom::Fault)?;
    let of = |since| rows.iter().filter(move |row| row.is_ladder_since(since));
    let mark = |row: &TimeRow| {
        let (Estimate { mean, half }, bound) = (row.whole?, row.election_bound());
        Some((f64::from(row.point.nodes), mean / bound, half / bound))
    };
    let marks = |name: &str, since| Marks { name: name.to_owned(), points: of(since).filter_map(mark).collect() };
    let marks = vec![marks("after the crash of 1", RowFrom::Fault), marks("after the common start", RowFrom::Start)];
    let most = of(RowFrom::Fault).map(|row| f64::from(row.point.nodes)).fold(0.0, f64::max);
    let fitted = of(RowFrom::Fault).map(|row| {
        let n = f64::from(row.point.nodes);
        (n, fit.at(n) / row.election_bound())
    });
    Some(SvgPlot {
        title: "The Asynchronous Bully on a ladder".to_owned(),
        x: Axis { label: "processes n".to_owned(), from: 0.0, to: most + 2.0 },
        y: Axis {
            label: "time by (n-1) max(tau + 2T, tau_FD) (mean)".to_owned(),
            from: 0.0,
            to: Marks::highest(&marks, 1.0) * 1.1,
        },
        legend: Corner::UpperLeft,
        curves: vec![
            Curve { name: Some(format!("a time that grows as n^{:.2}", fit.exponent)), points: fitted.collect() },
            Curve {
                name: Some("the paper's bound with the factor 1".to_owned()),
                points: vec![(0.0, 1.0), (most, 1.0)],
            },
        ],
        marks,
    })
}

/// What a plot of failovers shows.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum FailoverPlot {
    /// From a leader's crash to agreement, over the number of processes.
    Crashes,
    /// From the end of a partition to agreement, over the number of groups.
    Merges,
}

/// The failovers, or the merges if there are no failovers.
fn failover_plot(rows: &[TimeRow]) -> Option<SvgPlot> {
    let has_crashes = rows.iter().any(|row| row.x(FailoverPlot::Crashes).is_some());
    let (of, title, x) = if has_crashes {
        (FailoverPlot::Crashes, "From a leader's crash to agreement", "processes n")
    } else {
        (FailoverPlot::Merges, "From the end of a partition to agreement", "groups that merge")
    };
    let mark = |x: f64, estimate: Option<Estimate>| estimate.map(|Estimate { mean, half }| (x, mean, half));
    let drawn = || rows.iter().filter_map(|row| Some((row, row.x(of)?)));
    let mut marks = Marks::by_name(drawn().map(|(row, x)| (row.point.card.name, mark(x, row.whole))));
    let intervals = rows.iter().filter(|row| row.real.is_some()).count();
    let real = |(row, x): (&TimeRow, f64)| mark(x, row.real?.sum.whole_us.estimate(intervals).map(estimate_in_t));
    let real: Vec<Mark> = drawn().filter_map(real).collect();
    if !real.is_empty() {
        marks.push(Marks { name: "real processes".to_owned(), points: real });
    }
    let most = marks.iter().flat_map(|marks| &marks.points).fold(0.0, |most: f64, (x, ..)| most.max(*x));
    let highest = Marks::highest(&marks, 0.0);
    (highest > 0.0).then(|| SvgPlot {
        title: title.to_owned(),
        x: Axis { label: x.to_owned(), from: 0.0, to: most + 1.0 },
        y: Axis { label: "time in T (mean)".to_owned(), from: 0.0, to: highest * 1.3 },
        legend: Corner::UpperLeft,
        curves: Vec::new(),
        marks,
    })
}

/// The periods that the labs have.
fn periods(rows: &[TimeRow]) -> Option<String> {
    let of = |row: &TimeRow| {
        let timing = row.point.timing();
        (in_t(timing.check), in_t(timing.silence))
    };
    let (check, silence) = of(rows.iter().min_by(|one, other| of(one).1.total_cmp(&of(other).1))?);
    let mut longer: Vec<String> = rows
        .iter()
        .filter(|row| of(row) != (check, silence))
        .map(|row| {
            let (check, silence) = of(row);
            format!("{} with {} ({check:.0}T, {silence:.0}T)", row.point.card.name, row.point.nodes)
        })
        .collect();
    longer.dedup();
    let longer = if longer.is_empty() { String::new() } else { format!("; longer ones: {}", longer.join(", ")) };
    Some(format!("The periods `check` and `silence` are {check:.0}T and {silence:.0}T{longer}."))
}

fn unsettled(rows: &[TimeRow]) -> Option<String> {
    let told = rows.iter().filter(|row| row.sum.unsettled() > 0);
    let told: Vec<String> =
        told.map(|row| format!("{}: {} of {}", row.named(), row.sum.unsettled(), row.sum.held())).collect();
    (!told.is_empty())
        .then(|| format!("Trials that did not come to rest, or had not before, and do not count: {}.", told.join("; ")))
}

/// The elections that were longer than one may be, and what took longer than its bound.
fn beyond(rows: &[TimeRow]) -> Vec<String> {
    let is_linked = |row: &&TimeRow| !matches!(row.point.scene, TimedScene::Ladder(_));
    let mut longer: Vec<&str> = rows
        .iter()
        .filter(is_linked)
        .filter(|row| row.worst_election().is_some_and(|worst| worst > row.election_bound()))
        .map(|row| row.point.card.name)
        .collect();
    longer.dedup();
    let late = rows.iter().filter(|row| row.worst_whole().is_some_and(|worst| worst > row.quiet_bound()));
    let late: Vec<String> = late.map(TimeRow::named).collect();
    let late = if late.is_empty() {
        "Nothing took longer than the bound for all.".to_owned()
    } else {
        format!("Longer than the bound for all took: {}.", late.join("; "))
    };
    let elections = (!longer.is_empty()).then(|| {
        format!(
            "Longer than the bound of one election took those of {}: there several elections or merges follow each \
             other or overlap, and what is measured is all of them together.",
            longer.join(", ")
        )
    });
    elections.into_iter().chain([late]).collect()
}

/// How long Invitation takes to merge.
fn merged(rows: &[TimeRow]) -> Option<String> {
    let told = rows.iter().filter_map(|row| match row.point.scene {
        TimedScene::Merge(groups) => Some(format!("{:.1}T of {groups}", row.mean_whole()?)),
        TimedScene::Failover | TimedScene::Ladder(_) => None,
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| {
        format!(
            "Invitation makes one group of {PARTED_NODES} processes after a partition: {}; `bound` is that of one Merge.",
            told.join(", ")
        )
    })
}

/// Whether the paper's bound holds on the ladder.
fn ladder_words(rows: &[TimeRow]) -> Option<String> {
    let told = |since| {
        let fit = ladder_fit(rows, since)?;
        let factors = rows.iter().filter(|row| row.is_ladder_since(since));
        let factors: Vec<String> =
            factors.filter_map(|row| Some(format!("{:.1} (n = {})", row.by_the_paper()?, row.point.nodes))).collect();
        let verdict = if fit.exponent <= LINEAR_UP_TO { "linear" } else { "not linear" };
        Some((factors.join(", "), format!("{verdict}: it grows as n^{:.2}", fit.exponent)))
    };
    let ((crash, crash_grows), (start, start_grows)) = (told(RowFrom::Fault)?, told(RowFrom::Start)?);
    Some(format!(
        "Appendix B of Stoller has c_A as O((n-1) max(tau + 2T, tau_FD)). On the ladder, five nodes a rung, the \
         Asynchronous Bully needs so many times (n-1) max(tau + 2T, tau_FD) after the crash of node 1: {crash}. That is \
         {crash_grows} (least squares of log time over log n). From the common start it needs {start}, which is \
         {start_grows}. On the ladder `bound` is (n-1) max(tau + 2T, tau_FD), and that for all is the Card's c_A."
    ))
}

/// How the time grows on the ladder.
fn ladder_fit(rows: &[TimeRow], since: RowFrom) -> Option<PowerFit> {
    let of = rows.iter().filter(|row| row.is_ladder_since(since));
    let times: Vec<(f64, f64)> = of
        .filter_map(|row| Some((f64::from(row.point.nodes), row.mean_whole().filter(|whole| *whole > 0.0)?)))
        .collect();
    PowerFit::of(&times)
}

impl TimeMeasurement {
    /// What the real trials come to.
    fn real_words(&self, rows: &[TimeRow]) -> String {
        let of: Vec<(&TimeRow, RestSum)> = rows.iter().filter_map(|row| Some((row, row.real?.sum))).collect();
        let compared = of.iter().filter_map(|(row, real)| {
            let foretold = row.sum.even.whole_us.foretold(real.whole_us.count, of.len())?;
            Some((row, us_in_t(real.whole_us.mean()?), estimate_in_t(foretold)))
        });
        let compared: Vec<_> = compared.collect();
        let outside = compared.iter().filter(|(_, mean, foretold)| !foretold.has(*mean));
        let outside = outside.map(|(row, mean, foretold)| {
            format!("{}: {mean:.1}T, and {:.1}T +- {:.1}T", row.named(), foretold.mean, foretold.half)
        });
        let outside: Vec<String> = outside.collect();
        let outside_words =
            if outside.is_empty() { String::new() } else { format!(" Outside: {}.", outside.join("; ")) };
        let is_late = |(row, real): &&(&TimeRow, RestSum)| {
            real.whole_us.most().is_some_and(|worst| us_in_t(worst as f64) > row.quiet_bound())
        };
        let late: Vec<String> = of.iter().filter(is_late).map(|(row, _)| row.named()).collect();
        let late = if late.is_empty() {
            "none took longer than the bound for all".to_owned()
        } else {
            format!("longer than the bound for all took: {}", late.join("; "))
        };
        let unsettled: u64 = of.iter().map(|(_, real)| real.unsettled()).sum();
        let unsettled = if unsettled == 0 { String::new() } else { format!("; {unsettled} did not come to rest") };
        format!(
            "On real processes with a T of {}: within the interval in which the mean of as many simulated trials lies, the \
             means of {} of {} rows (these intervals hold together with {:.0} % confidence).{outside_words} Of the real \
             trials {late}{unsettled}{}.",
            self.real_t,
            compared.len() - outside.len(),
            compared.len(),
            100.0 * CONFIDENCE,
            left_out_words(self.real.values().map(|real| real.left_out).sum()),
        )
    }
}

/// How a time grows with the number of processes: a power law, y = factor * x^exponent.
#[derive(Copy, Clone, PartialEq, Debug)]
struct PowerFit {
    factor: f64,
    exponent: f64,
}

impl PowerFit {
    /// The least-squares line of log y over log x, which are positive; nothing of fewer than two numbers of processes.
    fn of(points: &[(f64, f64)]) -> Option<PowerFit> {
        let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
        let count = logs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|(x, _)| *x), mean(|(_, y)| *y));
        let scatter: f64 = logs.iter().map(|log| (log.0 - x).powi(2)).sum();
        let common: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
        let exponent = common / scatter;
        (scatter > 0.0).then(|| PowerFit { factor: (y - exponent * x).exp(), exponent })
    }

    /// The time at this number of processes.
    fn at(&self, x: f64) -> f64 {
        self.factor * x.powf(self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::Exhibit;
    use super::super::measurement::tests::{shown, written};
    use super::super::sample::Sample;
    use super::*;
    use registry::BUILT_IN;

    fn measured(topics: &[TimeTopic], names: &[&str], nodes: &[u16], seeds: &str) -> (Vec<TimeSum>, Exhibit) {
        let cards: Vec<Card> = BUILT_IN.cards().filter(|card| names.contains(&card.name)).copied().collect();
        shown(&TimeMeasurement::new(BUILT_IN, topics, &cards, nodes, T).unwrap(), seeds)
    }

    #[test]
    fn every_algorithm_has_its_points_and_the_other_topics_are_of_one() {
        let points = |topics: &[TimeTopic], cards: &[Card]| {
            TimeMeasurement::new(BUILT_IN, topics, cards, &[5, 64], T).unwrap().points().len()
        };
        let all: Vec<Card> = BUILT_IN.cards().copied().collect();
        let small = all.iter().filter(|card| card.nodes_max < 64).count();
        assert_eq!(points(&[TimeTopic::Failover], &all), 2 * BUILT_IN.algorithms.len() - small);
        assert_eq!(points(&[TimeTopic::Merge, TimeTopic::Ladder], &all), 7 + 4);
        let bully: Vec<Card> = BUILT_IN.cards().filter(|card| card.name == "bully").copied().collect();
        assert_eq!(points(&[TimeTopic::Merge, TimeTopic::Ladder], &bully), 0);
    }

    #[test]
    fn no_algorithm_takes_longer_than_its_card_says_from_the_start_and_from_a_crash() {
        for card in BUILT_IN.cards() {
            let (sums, _) = measured(&[TimeTopic::Failover], &[card.name], &[5], "0..3");
            let point = TimePoint::new(BUILT_IN, *card, 5, TimedScene::Failover).unwrap();
            let bound = point.quiet_bound().nanos() / 1_000;
            for sum in [sums[0].start, sums[0].fault] {
                assert_eq!((sum.held(), sum.unsettled()), (6, 0), "{}", card.name);
                let worst = sum.worst_whole_us().unwrap();
                assert!(worst <= bound, "{}: {worst} us, and not {bound} us", card.name);
            }
            // The whole is what was noticed and the election.
            let fault = sums[0].fault.even;
            let mean = |sample: Sample| sample.mean().unwrap();
            assert!((mean(fault.noticed_us) + mean(fault.election_us) - mean(fault.whole_us)).abs() < 2.0);
        }
    }

    #[test]
    fn the_same_seeds_give_the_same_sheet() {
        let (topics, names) = ([TimeTopic::Failover, TimeTopic::Merge], ["bully", "invitation", "king-ni-c"]);
        let (_, exhibit) = measured(&topics, &names, &[5], "3..6");
        insta::assert_snapshot!(written(&exhibit, " "));
        insta::assert_snapshot!("time_plot", exhibit.plot.unwrap().svg().unwrap());
    }

    #[test]
    fn a_power_law_is_found_and_one_point_has_none() {
        let fit = PowerFit::of(&[(2.0, 12.0), (4.0, 48.0), (10.0, 300.0)]).unwrap();
        assert!((fit.factor - 3.0).abs() < 1e-9 && (fit.exponent - 2.0).abs() < 1e-9, "{fit:?}");
        assert!((fit.at(5.0) - 75.0).abs() < 1e-6);
        assert_eq!(PowerFit::of(&[(3.0, 1.0), (3.0, 2.0)]), None);
    }
}
