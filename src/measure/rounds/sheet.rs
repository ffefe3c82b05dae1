//! What was measured of the rounds, as a sheet, as a plot of figure 1, and in sentences.
//!
//! Invariant: the intervals of all points hold together with the confidence of a table.

use std::collections::BTreeMap;

use super::super::exhibit::Exhibit;
use super::super::plot::{Axis, Corner, Curve, Marks, SvgPlot};
use super::super::real::left_out_words;
use super::super::sample::{CONFIDENCE, Estimate, counts_told};
use super::point::{RoundsPoint, Starts, Tables};
use super::real::RealSum;
use super::sum::RoundsSum;
use fault::Percent;
use world::{FigureSheet, SheetCell, SheetColumn};

const COLUMNS: [(Option<&str>, &str); 14] = [
    (Some("p"), "p"),
    (Some("n"), "candidates"),
    (Some("formula"), "formula_rounds"),
    (Some("rounds"), "mean_rounds"),
    (Some("+-"), "interval_rounds"),
    (None, "elections"),
    (Some("well"), "ended_well"),
    (Some("none"), "no_master"),
    (Some("many"), "several_masters"),
    (Some("other"), "other_master_named"),
    (Some("help"), "in_help"),
    (Some("never"), "never_heard"),
    (Some("later"), "later_elections"),
    (None, "mean_rounds_later"),
];

/// What is added where real elections were held.
const REAL_COLUMNS: [(Option<&str>, &str); 4] =
    [(Some("real"), "mean_rounds_real"), (None, "elections_real"), (None, "ended_well_real"), (None, "left_out_real")];

/// What was measured on real processes, by the place of its point.
type Real = BTreeMap<usize, RealSum>;

/// How far the marks of two chances stand apart, in candidates.
const APART: f64 = 0.12;

/// What was measured.
pub fn exhibit(points: &[RoundsPoint], starts: Starts, tables: Tables, (sums, real): (&[RoundsSum], &Real)) -> Exhibit {
    let conditions = format!("Algorithm C {}, {}", tables_words(tables), starts_words(starts));
    let mut plot = plot(points, sums, &conditions);
    let mut remarks = remarks(points, sums, &conditions);
    if !real.is_empty() {
        plot.marks.push(real_marks(points, real));
        remarks.extend(real_remarks(points, sums, real));
    }
    Exhibit { sheet: sheet(points, sums, real), plot: Some(plot), remarks }
}

/// The sheet: one row for each point.
fn sheet(points: &[RoundsPoint], sums: &[RoundsSum], real: &Real) -> FigureSheet {
    let row = |(place, (point, sum)): (usize, (&RoundsPoint, &RoundsSum))| {
        let estimate = sum.first.estimate(sums.len());
        let mut cells = vec![
            SheetCell::Number(point.p.fraction(), 2),
            SheetCell::Count(point.candidates.into()),
            SheetCell::Number(point.expected, 3),
            SheetCell::of(sum.first.mean(), 3),
            SheetCell::of(estimate.map(|estimate| estimate.half), 3),
            SheetCell::Count(sum.held),
            SheetCell::Count(sum.good),
            SheetCell::Count(sum.no_master),
            SheetCell::Count(sum.several),
            SheetCell::Count(sum.misled),
            SheetCell::Count(sum.in_help),
            SheetCell::Count(sum.never_heard),
            SheetCell::Count(sum.later.count),
            SheetCell::of(sum.later.mean(), 3),
        ];
        if !real.is_empty() {
            let of = real.get(&place).copied().unwrap_or_default();
            cells.push(SheetCell::of(of.sum.first.mean(), 3));
            cells.extend([of.sum.held, of.sum.good, of.left_out].map(SheetCell::Count));
        }
        cells
    };
    let mut columns = SheetColumn::all(&COLUMNS);
    if !real.is_empty() {
        columns.extend(SheetColumn::all(&REAL_COLUMNS));
    }
    FigureSheet { columns, rows: points.iter().zip(sums).enumerate().map(row).collect() }
}

/// A mark for each real point.
fn real_marks(points: &[RoundsPoint], real: &Real) -> Marks {
    let mark = |(place, of): (&usize, &RealSum)| {
        let Estimate { mean, half } = of.sum.first.estimate(real.len())?;
        Some((f64::from(points[*place].candidates), mean, half))
    };
    Marks { name: "real processes".into(), points: real.iter().filter_map(mark).collect() }
}

/// What real elections came to, beside as many simulated ones.
fn real_remarks(points: &[RoundsPoint], sums: &[RoundsSum], real: &Real) -> Vec<String> {
    let mut inside = 0;
    let mut remarks: Vec<String> = Vec::new();
    for (&place, RealSum { sum, left_out }) in real {
        let RoundsPoint { candidates, p, .. } = points[place];
        let few = sum.first.count;
        let (Some(mean), Some(foretold)) = (sum.first.mean(), sums[place].first.foretold(few, real.len())) else {
            continue;
        };
        let is_inside = foretold.has(mean);
        inside += usize::from(is_inside);
        remarks.push(format!(
            "p = {:.2} with {candidates}, on real processes: a mean of {mean:.3} rounds, {} the {:.3} +- {:.3} in which \
             the mean of {} lies; {} of {} ended well{}.",
            p.fraction(),
            if is_inside { "inside" } else { "outside" },
            foretold.mean,
            foretold.half,
            if few == 1 { "one simulated election".to_owned() } else { format!("{few} simulated elections") },
            sum.good,
            sum.held,
            left_out_words(*left_out),
        ));
    }
    let told = remarks.len();
    remarks.push(format!(
        "Inside the interval of as many simulated elections: {inside} of {told} real points; these intervals hold together \
         with {:.0} % confidence.",
        100.0 * CONFIDENCE
    ));
    if told < real.len() {
        let left = real.len() - told;
        remarks.push(format!(
            "Left out, for none of their elections counts in the mean: {left} of {} real points.",
            real.len()
        ));
    }
    remarks
}

/// Figure 1: rounds over candidates, a curve and marks for each p.
fn plot(points: &[RoundsPoint], sums: &[RoundsSum], conditions: &str) -> SvgPlot {
    let measured: Vec<(&RoundsPoint, Option<Estimate>)> = estimates(points, sums).collect();
    let mut chances: Vec<Percent> = measured.iter().map(|(point, _)| point.p).collect();
    chances.dedup();
    let of = |p: Percent| measured.iter().filter(move |(point, _)| point.p == p);
    let highest = measured.iter().map(|(point, estimate)| match estimate {
        Some(Estimate { mean, half }) => point.expected.max(mean + half),
        None => point.expected,
    });
    let most = measured.iter().map(|(point, _)| point.candidates).max().unwrap_or(1);
    SvgPlot {
        title: conditions.to_owned(),
        x: Axis { label: "candidates".into(), from: 0.0, to: f64::from(most) + 1.0 },
        y: Axis {
            label: "rounds until there is a master (mean)".into(),
            from: 0.8,
            to: highest.fold(2.0, f64::max) + 0.1,
        },
        legend: Corner::LowerRight,
        curves: chances
            .iter()
            .enumerate()
            .map(|(place, &p)| Curve {
                name: (place == 0).then(|| "equation 1 (dashed)".to_owned()),
                points: of(p).map(|(point, _)| (point.candidates.into(), point.expected)).collect(),
            })
            .collect(),
        marks: chances
            .iter()
            .enumerate()
            .map(|(place, &p)| Marks {
                name: format!("p = {:.2}", p.fraction()),
                points: of(p)
                    .filter_map(|(point, estimate)| {
                        let Estimate { mean, half } = (*estimate)?;
                        // Beside the marks of the other chances, so that bars do not hide each other.
                        let aside = APART * (place as f64 - (chances.len() - 1) as f64 / 2.0);
                        Some((f64::from(point.candidates) + aside, mean, half))
                    })
                    .collect(),
            })
            .collect(),
    }
}

/// What the sheet comes to, in sentences.
fn remarks(points: &[RoundsPoint], sums: &[RoundsSum], conditions: &str) -> Vec<String> {
    let mut remarks = vec![format!(
        "{conditions}. Each of {} points is the mean of {} elections, with its interval; all intervals hold \
         together with {:.0} % confidence. `none`, `many`, `other`, `help` and `never` count elections that ended \
         without a master, with several masters, with a process that names one which is no master, that asks for \
         help, or that has heard of no election. `later` counts those in which a process began anew; their rounds \
         are not in the mean.",
        sums.len(),
        counts_told(sums.iter().map(|sum| sum.held)),
        100.0 * CONFIDENCE,
    )];
    let several: Vec<(&RoundsPoint, Estimate)> = estimates(points, sums)
        .filter(|(point, _)| point.candidates > 1)
        .filter_map(|(point, estimate)| Some((point, estimate?)))
        .collect();
    let named = |is_meant: &dyn Fn(f64, &Estimate) -> bool| {
        let meant = several.iter().filter(|(point, estimate)| is_meant(point.expected, estimate));
        let names: Vec<String> =
            meant.map(|(point, _)| format!("p = {:.2} with {}", point.p.fraction(), point.candidates)).collect();
        (names.len(), names.join(", "))
    };
    let count = several.len();
    let (above, names) = named(&|expected, estimate| estimate.mean - estimate.half > expected);
    let (below, _) = named(&|expected, estimate| estimate.mean + estimate.half < expected);
    let names = if above > 0 { format!(" ({names})") } else { String::new() };
    remarks.push(format!(
        "Of {count} points with several candidates, {above} lie above the formula by more than their interval{names}, \
         and {below} below it."
    ));
    if points.iter().any(|point| point.candidates == 1) {
        remarks.push(
            "With one candidate the formula has 1 round, and the machine takes 2: it announces itself all the same."
                .to_owned(),
        );
    }
    remarks
}

fn estimates<'a>(
    points: &'a [RoundsPoint],
    sums: &'a [RoundsSum],
) -> impl Iterator<Item = (&'a RoundsPoint, Option<Estimate>)> {
    let estimate = |sum: &RoundsSum| sum.first.estimate(sums.len());
    points.iter().zip(sums).map(move |(point, sum)| (point, estimate(sum)))
}

fn tables_words(tables: Tables) -> &'static str {
    match tables {
        Tables::Mended => "mended",
        Tables::ToTheLetter => "to the letter",
    }
}

fn starts_words(starts: Starts) -> &'static str {
    match starts {
        Starts::Together => "all begin together",
        Starts::Spread => "begins spread over T",
    }
}
