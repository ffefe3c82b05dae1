//! The failure detectors as a sheet, as a plot, and in sentences.
//!
//! Invariant: the intervals of all points hold together with the confidence of a table.

use super::super::exhibit::Exhibit;
use super::super::plot::{Axis, Corner, Marks, SvgPlot};
use super::super::sample::{CONFIDENCE, Estimate, Sample, counts_told};
use super::point::DetectorPoint;
use super::sum::DetectorsSum;
use super::trial::PERIODS;
use world::{FigureSheet, SheetCell, SheetColumn};

const COLUMNS: [(Option<&str>, &str); 14] = [
    (Some("detector"), "detector"),
    (Some("p"), "p"),
    (Some("bound"), "latency_ms"),
    (Some("detect"), "mean_detected_after_ms"),
    (Some("+-"), "interval_detected_after_ms"),
    (Some("worst"), "worst_detected_after_ms"),
    (Some("mistakes"), "mean_mistakes"),
    (Some("+-"), "interval_mistakes"),
    (Some("upset"), "mean_upset_ms"),
    (None, "upsets"),
    (Some("messages"), "mean_messages_per_period"),
    (None, "trials"),
    (None, "crashes_not_detected"),
    (None, "trials_without_crash"),
];

/// How many things are estimated at a point.
const ESTIMATED: usize = 2;

/// What was measured.
pub fn exhibit(points: &[DetectorPoint], sums: &[DetectorsSum]) -> Exhibit {
    let rows = points.iter().zip(sums).map(|(point, sum)| row(point, sum, sums.len() * ESTIMATED));
    Exhibit {
        sheet: FigureSheet { columns: SheetColumn::all(&COLUMNS), rows: rows.collect() },
        plot: Some(plot(points, sums)),
        remarks: remarks(points, sums),
    }
}

fn row(point: &DetectorPoint, sum: &DetectorsSum, intervals: usize) -> Vec<SheetCell> {
    let millis = |micros: f64| micros / 1_000.0;
    let half = |sample: &Sample| sample.estimate(intervals).map(|estimate| estimate.half);
    vec![
        SheetCell::Text(point.detector.to_owned()),
        SheetCell::Number(point.p.fraction(), 2),
        SheetCell::Count(point.latency().nanos() / 1_000_000),
        SheetCell::of(sum.detected_after.mean().map(millis), 0),
        SheetCell::of(half(&sum.detected_after).map(millis), 0),
        SheetCell::of(sum.detected_after.most().map(|most| millis(most as f64)), 0),
        SheetCell::of(sum.mistakes.mean(), 2),
        SheetCell::of(half(&sum.mistakes), 2),
        SheetCell::of(sum.upsets.mean().map(millis), 0),
        SheetCell::Count(sum.upsets.count),
        SheetCell::of(sum.messages.mean().map(|mean| mean / PERIODS as f64), 1),
        SheetCell::Count(sum.held),
        SheetCell::Count(sum.undetected),
        SheetCell::Count(sum.without_crash()),
    ]
}

/// Mistakes over p.
fn plot(points: &[DetectorPoint], sums: &[DetectorsSum]) -> SvgPlot {
    let mut detectors: Vec<&str> = points.iter().map(|point| point.detector).collect();
    detectors.dedup();
    let marks = detectors.iter().map(|detector| {
        let of = points.iter().zip(sums).filter(|(point, _)| point.detector == *detector);
        let mark = |(point, sum): (&DetectorPoint, &DetectorsSum)| {
            let Estimate { mean, half } = sum.mistakes.estimate(sums.len() * ESTIMATED)?;
            Some((point.p.fraction(), mean, half))
        };
        Marks { name: (*detector).to_owned(), points: of.filter_map(mark).collect() }
    });
    let marks: Vec<Marks> = marks.collect();
    let highest = marks.iter().flat_map(|of| &of.points).map(|(_, mean, half)| mean + half).fold(1.0, f64::max);
    let widest = points.iter().map(|point| point.p.fraction()).fold(0.01, f64::max);
    SvgPlot {
        title: "Failure detectors: mistakes".to_owned(),
        x: Axis { label: "chance p that a message is lost".to_owned(), from: -0.02 * widest, to: widest * 1.05 },
        y: Axis {
            label: format!("reports of nodes that are up, in {PERIODS} periods (mean)"),
            from: 0.0,
            to: highest * 1.05,
        },
        legend: Corner::UpperLeft,
        curves: Vec::new(),
        marks,
    }
}

fn remarks(points: &[DetectorPoint], sums: &[DetectorsSum]) -> Vec<String> {
    let (nodes, period) =
        points.first().map_or((0, 0), |point| (point.nodes, point.timing().silence.nanos() / 1_000_000));
    let mut remarks = vec![format!(
        "Bully-FD with {nodes} nodes, which follow one leader; each point is {} trials, and all intervals hold together \
         with {:.0} % confidence. A period is {period} ms. `detect`: milliseconds from the leader's crash until the \
         first node reports it, even if it would have done so for a loss alone; `bound`: the most, if nothing is lost. \
         `mistakes`: reports of nodes that are up, in {PERIODS} periods. `upset`: milliseconds in which not all \
         followed one leader after a mistake, each time. `messages`: those of the detectors in a period.",
        counts_told(sums.iter().map(|sum| sum.held)),
        100.0 * CONFIDENCE,
    )];
    let told = |count: &dyn Fn(&DetectorsSum) -> u64| {
        let of = points.iter().zip(sums).filter(|(_, sum)| count(sum) > 0);
        let of = of.map(|(point, sum)| {
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
