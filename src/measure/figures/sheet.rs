//! What was counted in the runs of a lab, as a sheet, as a plot, and in sentences.
//!
//! Invariant: a run in which the stretch did not come to its end is told and counts for no mean.

use super::super::exhibit::Exhibit;
use super::super::plot::{Axis, Corner, Marks, SvgPlot};
use super::super::sample::CONFIDENCE;
use super::counted::Counted;
use super::stretch::Bounds;
use super::sum::FiguresSum;
use world::{FigureSheet, SheetCell, SheetColumn};

/// What a row of the sheet is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RowForm {
    /// Something that was counted, over all runs.
    Means,
    /// A run.
    Each,
}

/// What was measured.
pub fn exhibit(lab: &str, bounds: &Bounds, counted: &[Counted], form: RowForm, sum: &FiguresSum) -> Exhibit {
    let sheet = match form {
        RowForm::Means => means(counted, sum),
        RowForm::Each => each(counted, sum),
    };
    Exhibit {
        sheet,
        plot: counted.first().and_then(|first| plot(lab, first, sum)),
        remarks: remarks(lab, bounds, counted, sum),
    }
}

fn means(counted: &[Counted], sum: &FiguresSum) -> FigureSheet {
    let intervals = counted.len();
    let row = |(place, counted): (usize, &Counted)| {
        let sample = sum.sample(place);
        let count = |count: Option<u64>| count.map_or(SheetCell::Nothing, SheetCell::Count);
        vec![
            SheetCell::Text(counted.word().into_owned()),
            SheetCell::of(sample.mean(), 2),
            SheetCell::of(sample.estimate(intervals).map(|estimate| estimate.half), 2),
            count(sample.least()),
            count(sample.most()),
            SheetCell::Count(sample.count),
            SheetCell::Count(sum.unended() as u64),
        ]
    };
    let heads = [
        (Some("counted"), "counted"),
        (Some("mean"), "mean"),
        (Some("+-"), "interval"),
        (Some("least"), "least"),
        (Some("most"), "most"),
        (Some("runs"), "runs"),
        (Some("unended"), "runs_without_end"),
    ];
    FigureSheet { columns: SheetColumn::all(&heads), rows: counted.iter().enumerate().map(row).collect() }
}

fn each(counted: &[Counted], sum: &FiguresSum) -> FigureSheet {
    let words: Vec<String> = counted.iter().map(|counted| counted.word().into_owned()).collect();
    let heads: Vec<(Option<&str>, &str)> =
        std::iter::once("seed").chain(words.iter().map(String::as_str)).map(|word| (Some(word), word)).collect();
    let row = |(seed, values): (&u64, &Option<Vec<u64>>)| {
        let cells = (0..counted.len())
            .map(|place| values.as_ref().map_or(SheetCell::Nothing, |of| SheetCell::Count(of[place])));
        std::iter::once(SheetCell::Count(*seed)).chain(cells).collect()
    };
    FigureSheet { columns: SheetColumn::all(&heads), rows: sum.runs.iter().map(row).collect() }
}

/// The share of the runs in which at most so much of the first thing was counted; nothing if no stretch came to its end.
fn plot(lab: &str, first: &Counted, sum: &FiguresSum) -> Option<SvgPlot> {
    let mut values: Vec<u64> = sum.runs.values().flatten().map(|values| values[0]).collect();
    values.sort_unstable();
    let (least, most) = (*values.first()? as f64, *values.last()? as f64);
    let room = ((most - least) * 0.05).max(1.0);
    let share = |(place, value): (usize, &u64)| (*value as f64, (place + 1) as f64 / values.len() as f64, 0.0);
    Some(SvgPlot {
        title: format!("{lab}, {} runs", values.len()),
        x: Axis { label: first.word().into_owned(), from: least - room, to: most + room },
        y: Axis { label: "share of the runs with at most so many".to_owned(), from: 0.0, to: 1.05 },
        legend: Corner::LowerRight,
        curves: Vec::new(),
        marks: vec![Marks { name: first.word().into_owned(), points: values.iter().enumerate().map(share).collect() }],
    })
}

fn remarks(lab: &str, bounds: &Bounds, counted: &[Counted], sum: &FiguresSum) -> Vec<String> {
    let from = bounds.from.as_ref().map_or("the beginning".to_owned(), |step| format!("the step \"{}\"", step.name));
    let until = bounds.until.as_ref().map_or("the end".to_owned(), |until| format!("`{until}`"));
    let mut remarks = vec![format!(
        "{lab}, from {from} until {until}, in {} runs. {} with {:.0} % confidence.",
        sum.runs.len(),
        if counted.len() == 1 { "The interval holds" } else { "The intervals hold together" },
        100.0 * CONFIDENCE,
    )];
    match sum.unended() {
        0 => {}
        unended => remarks.push(format!("In {unended} of these runs that did not come; they count for no mean.")),
    }
    remarks
}
