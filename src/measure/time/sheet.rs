//! What was measured of the times to agreement, as a sheet, as a plot, and in sentences.
//!
//! Times are in T. What real trials came to stands in columns of its own.
//!
//! Invariant: the intervals of all rows hold together with the confidence of a table.

use super::super::exhibit::Exhibit;
use super::super::plot::{Axis, Corner, Curve, Marks, SvgPlot};
use super::super::sample::{CONFIDENCE, Estimate, Sample, counts_told};
use super::fit::PowerFit;
use super::point::{PARTED_NODES, TimePoint, TimedScene};
use super::real_sheet::{REAL_COLUMNS, RealTimes, real_marks, real_words};
use super::row::{RowFrom, SheetRow, in_t, us_in_t};
use super::sum::TimeSum;
use world::{FigureSheet, SheetCell, SheetColumn};

const COLUMNS: [(Option<&str>, &str); 17] = [
    (Some("from"), "from"),
    (Some("algorithm"), "algorithm"),
    (Some("n"), "processes"),
    (None, "trials"),
    (None, "unsettled"),
    (Some("noticed"), "noticed_t"),
    (Some("election"), "election_t"),
    (Some("+-"), "election_interval_t"),
    (Some("worst"), "election_worst_t"),
    (Some("bound"), "election_bound_t"),
    (Some("of it"), "election_worst_by_bound"),
    (Some("in all"), "whole_t"),
    (Some("+-"), "whole_interval_t"),
    (Some("worst"), "whole_worst_t"),
    (Some("bound"), "whole_bound_t"),
    (Some("of it"), "whole_worst_by_bound"),
    (None, "whole_by_n_less_1_bound"),
];

/// A time that grows with an exponent above this is not linear. Over these n, n - 3 alone has the exponent 1.2.
const LINEAR_UP_TO: f64 = 1.3;

/// What was measured.
pub fn exhibit(points: &[TimePoint], sums: &[TimeSum], real: &RealTimes) -> Exhibit {
    let sums = points.iter().zip(sums).enumerate();
    let rows: Vec<SheetRow<'_>> = sums.flat_map(|(place, (point, sum))| rows(point, sum, real, place)).collect();
    let intervals = 2 * rows.len();
    let mut columns = SheetColumn::all(&COLUMNS);
    let mut cells: Vec<Vec<SheetCell>> = rows.iter().map(|row| row.cells(intervals)).collect();
    let mut remarks = remarks(&rows);
    if !real.sums.is_empty() {
        columns.extend(SheetColumn::all(&REAL_COLUMNS));
        cells.iter_mut().zip(&rows).for_each(|(cells, row)| cells.extend(row.real_cells()));
        remarks.extend(real_words(&rows, real));
    }
    let plot = ladder_plot(&rows, intervals).or_else(|| failover_plot(&rows, intervals));
    Exhibit { sheet: FigureSheet { columns, rows: cells }, plot, remarks }
}

/// A merge has no row for its start, which is that of any lab.
fn rows<'a>(point: &'a TimePoint, sum: &'a TimeSum, real: &'a RealTimes, place: usize) -> Vec<SheetRow<'a>> {
    let row = |since, sum| SheetRow { point, since, sum, real: real.row(place, since) };
    let fault = row(RowFrom::Fault, &sum.fault);
    match point.scene {
        TimedScene::Merge(_) => vec![fault],
        TimedScene::Failover | TimedScene::Ladder(_) => vec![row(RowFrom::Start, &sum.start), fault],
    }
}

impl SheetRow<'_> {
    fn cells(&self, intervals: usize) -> Vec<SheetCell> {
        let (point, even) = (self.point, &self.sum.even);
        let (election_bound, quiet_bound) = (in_t(point.election_bound()), in_t(point.quiet_bound()));
        let [election_worst, worst] = self.worst();
        let estimate = |sample: &Sample| sample.estimate(intervals);
        let half = |estimate: Option<Estimate>| estimate.map(|estimate| us_in_t(estimate.half));
        let is_ladder = matches!(point.scene, TimedScene::Ladder(_));
        vec![
            SheetCell::Text(self.from()),
            SheetCell::Text(point.card.name.to_owned()),
            SheetCell::Count(point.nodes.into()),
            SheetCell::Count(self.sum.held()),
            SheetCell::Count(self.sum.unsettled()),
            SheetCell::of(even.noticed_us.mean().map(us_in_t), 1),
            SheetCell::of(even.election_us.mean().map(us_in_t), 1),
            SheetCell::of(half(estimate(&even.election_us)), 1),
            SheetCell::of(election_worst, 1),
            SheetCell::Number(election_bound, 0),
            SheetCell::of(election_worst.map(|worst| worst / election_bound), 2),
            SheetCell::of(even.whole_us.mean().map(us_in_t), 1),
            SheetCell::of(half(estimate(&even.whole_us)), 1),
            SheetCell::of(worst, 1),
            SheetCell::Number(quiet_bound, 0),
            SheetCell::of(worst.map(|worst| worst / quiet_bound), 2),
            SheetCell::of(self.by_the_paper().filter(|_| is_ladder), 2),
        ]
    }

    /// The longest election and the longest of all, in T.
    fn worst(&self) -> [Option<f64>; 2] {
        [self.sum.worst_election_us(), self.sum.worst_whole_us()].map(|worst| worst.map(|us| us_in_t(us as f64)))
    }

    /// The mean of all, in T.
    fn whole(&self) -> Option<f64> {
        self.sum.even.whole_us.mean().map(us_in_t)
    }

    /// The mean of all by the bound of one election.
    fn by_the_paper(&self) -> Option<f64> {
        Some(self.whole()? / in_t(self.point.election_bound()))
    }

    fn is_ladder_since(&self, since: RowFrom) -> bool {
        matches!(self.point.scene, TimedScene::Ladder(_)) && self.since == since
    }
}

/// The ladder's times by the paper's bound, whose factor is unknown: if it holds, they lie on a level.
fn ladder_plot(rows: &[SheetRow<'_>], intervals: usize) -> Option<SvgPlot> {
    let fit = ladder_fit(rows, RowFrom::Fault)?;
    let of = |since| rows.iter().filter(move |row| row.is_ladder_since(since));
    let marks = |name: &str, since| Marks {
        name: name.to_owned(),
        points: of(since)
            .filter_map(|row| {
                let Estimate { mean, half } = row.sum.even.whole_us.estimate(intervals)?;
                let bound = in_t(row.point.election_bound());
                Some((f64::from(row.point.nodes), us_in_t(mean) / bound, us_in_t(half) / bound))
            })
            .collect(),
    };
    let bounds: Vec<(f64, f64)> =
        of(RowFrom::Fault).map(|row| (f64::from(row.point.nodes), in_t(row.point.election_bound()))).collect();
    let most = bounds.iter().fold(0.0, |most: f64, (n, _)| most.max(*n));
    let fitted: Vec<(f64, f64)> = bounds.iter().map(|(n, bound)| (*n, fit.at(*n) / bound)).collect();
    let marks = vec![marks("after the crash of 1", RowFrom::Fault), marks("after the common start", RowFrom::Start)];
    let points = marks.iter().flat_map(|marks| &marks.points);
    let highest = points.fold(1.0, |most: f64, (_, mean, half)| most.max(mean + half));
    Some(SvgPlot {
        title: "The Asynchronous Bully on a ladder".to_owned(),
        x: Axis { label: "processes n".to_owned(), from: 0.0, to: most + 2.0 },
        y: Axis { label: "time by (n-1) max(tau + 2T, tau_FD) (mean)".to_owned(), from: 0.0, to: highest * 1.1 },
        legend: Corner::UpperLeft,
        curves: vec![
            Curve { name: Some(format!("a time that grows as n^{:.2}", fit.exponent)), points: fitted },
            Curve {
                name: Some("the paper's bound with the factor 1".to_owned()),
                points: vec![(0.0, 1.0), (most, 1.0)],
            },
        ],
        marks,
    })
}

/// From a leader's crash to agreement, over the number of processes.
fn failover_plot(rows: &[SheetRow<'_>], intervals: usize) -> Option<SvgPlot> {
    let crashes = || rows.iter().filter(|row| row.since == RowFrom::Fault && row.point.scene == TimedScene::Failover);
    let merges = || rows.iter().filter(|row| matches!(row.point.scene, TimedScene::Merge(_)));
    let mark = |x: u16, row: &SheetRow<'_>| {
        let Estimate { mean, half } = row.sum.even.whole_us.estimate(intervals)?;
        Some((f64::from(x), us_in_t(mean), us_in_t(half)))
    };
    let mut names: Vec<&str> = crashes().map(|row| row.point.card.name).collect();
    names.dedup();
    let mut marks: Vec<Marks> = names
        .iter()
        .map(|name| Marks {
            name: (*name).to_owned(),
            points: crashes()
                .filter(|row| row.point.card.name == *name)
                .filter_map(|row| mark(row.point.nodes, row))
                .collect(),
        })
        .collect();
    let is_merge = marks.is_empty();
    if is_merge {
        let points = merges().filter_map(|row| match row.point.scene {
            TimedScene::Merge(groups) => mark(groups, row),
            TimedScene::Failover | TimedScene::Ladder(_) => None,
        });
        marks.push(Marks { name: "invitation".to_owned(), points: points.collect() });
    }
    marks.extend(real_marks(rows, is_merge));
    let all = || marks.iter().flat_map(|marks| &marks.points);
    let most = all().fold(0.0, |most: f64, (x, ..)| most.max(*x));
    let highest = all().fold(0.0, |most: f64, (_, mean, half)| most.max(mean + half));
    let (title, x) = if is_merge {
        ("From the end of a partition to agreement", "groups that merge")
    } else {
        ("From a leader's crash to agreement", "processes n")
    };
    (highest > 0.0).then(|| SvgPlot {
        title: title.to_owned(),
        x: Axis { label: x.to_owned(), from: 0.0, to: most + 1.0 },
        y: Axis { label: "time in T (mean)".to_owned(), from: 0.0, to: highest * 1.3 },
        legend: Corner::UpperLeft,
        curves: Vec::new(),
        marks,
    })
}

fn remarks(rows: &[SheetRow<'_>]) -> Vec<String> {
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
    remarks
}

/// The periods that the labs have.
fn periods(rows: &[SheetRow<'_>]) -> Option<String> {
    let of = |row: &SheetRow<'_>| {
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

fn unsettled(rows: &[SheetRow<'_>]) -> Option<String> {
    let told = rows.iter().filter(|row| row.sum.unsettled() > 0);
    let told: Vec<String> =
        told.map(|row| format!("{}: {} of {}", row.named(), row.sum.unsettled(), row.sum.held())).collect();
    (!told.is_empty())
        .then(|| format!("Trials that did not come to rest, or had not before, and do not count: {}.", told.join("; ")))
}

/// The elections that were longer than one may be, and what took longer than its bound.
fn beyond(rows: &[SheetRow<'_>]) -> Vec<String> {
    let is_linked = |row: &&SheetRow<'_>| !matches!(row.point.scene, TimedScene::Ladder(_));
    let mut longer: Vec<&str> = rows
        .iter()
        .filter(is_linked)
        .filter(|row| row.worst()[0].is_some_and(|worst| worst > in_t(row.point.election_bound())))
        .map(|row| row.point.card.name)
        .collect();
    longer.dedup();
    let late = rows.iter().filter(|row| row.worst()[1].is_some_and(|worst| worst > in_t(row.point.quiet_bound())));
    let late: Vec<String> = late.map(SheetRow::named).collect();
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
fn merged(rows: &[SheetRow<'_>]) -> Option<String> {
    let told = rows.iter().filter_map(|row| match row.point.scene {
        TimedScene::Merge(groups) => Some(format!("{:.1}T of {groups}", row.whole()?)),
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
fn ladder_words(rows: &[SheetRow<'_>]) -> Option<String> {
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
fn ladder_fit(rows: &[SheetRow<'_>], since: RowFrom) -> Option<PowerFit> {
    let of = rows.iter().filter(|row| row.is_ladder_since(since));
    let times: Vec<(f64, f64)> =
        of.filter_map(|row| Some((f64::from(row.point.nodes), row.whole().filter(|whole| *whole > 0.0)?))).collect();
    PowerFit::of(&times)
}
