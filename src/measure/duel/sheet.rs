//! A duel as a sheet, as a plot, and in sentences.
//!
//! Invariant: who wins a row has the least mean, by more than the intervals of both; else nobody wins it.

use super::super::exhibit::Exhibit;
use super::super::plot::{Axis, Corner, Marks, SvgPlot};
use super::super::sample::{CONFIDENCE, Estimate, counts_told};
use super::contest::Contest;
use super::sum::{Compared, DuelSum};
use lab::Lab;
use world::{FigureSheet, SheetCell, SheetColumn};

/// What was measured.
pub fn exhibit(contest: &Contest, sums: &[DuelSum]) -> Exhibit {
    Exhibit { sheet: sheet(contest, sums), plot: Some(plot(contest, sums)), remarks: remarks(contest, sums) }
}

fn names(contest: &Contest) -> impl Iterator<Item = &'static str> {
    contest.labs.iter().map(|lab| lab.card.name)
}

/// The estimate of each algorithm, as it is shown.
fn estimates(sums: &[DuelSum], compared: Compared) -> Vec<Option<Estimate>> {
    let intervals = sums.len() * Compared::ALL.len();
    let scaled = |Estimate { mean, half }| Estimate { mean: mean / compared.scale(), half: half / compared.scale() };
    sums.iter().map(|sum| sum.sample(compared).estimate(intervals).map(scaled)).collect()
}

fn sheet(contest: &Contest, sums: &[DuelSum]) -> FigureSheet {
    let of_people = |title: &str| SheetColumn { title: Some(title.to_owned()), field: None };
    let of_csv = |field: String| SheetColumn { title: None, field: Some(field) };
    let mut columns = vec![of_people("less is better"), of_csv("compared".to_owned())];
    for name in names(contest) {
        columns.push(of_people(name));
        columns.extend(["mean", "interval", "bound"].map(|what| of_csv(format!("{name}_{what}"))));
    }
    columns.push(SheetColumn { title: Some("wins".to_owned()), field: Some("wins".to_owned()) });
    let row = |compared: Compared| {
        let (title, field) = compared.names();
        let mut row = vec![SheetCell::Text(title.to_owned()), SheetCell::Text(field.to_owned())];
        let estimates = estimates(sums, compared);
        for (lab, estimate) in contest.labs.iter().zip(&estimates) {
            let bound = bound(compared, lab);
            let of_bound = bound.map_or_else(String::new, |bound| format!(" of {bound:.0}"));
            let text = estimate.map(|Estimate { mean, half }| format!("{mean:.1} +- {half:.1}{of_bound}"));
            row.push(SheetCell::Text(text.unwrap_or_else(|| "-".to_owned())));
            row.push(SheetCell::of(estimate.map(|estimate| estimate.mean), 1));
            row.push(SheetCell::of(estimate.map(|estimate| estimate.half), 1));
            row.push(SheetCell::of(bound, 1));
        }
        row.push(
            winner(&estimates)
                .map_or(SheetCell::Nothing, |place| SheetCell::Text(contest.labs[place].card.name.to_owned())),
        );
        row
    };
    FigureSheet { columns, rows: Compared::ALL.into_iter().map(row).collect() }
}

/// The bound of the lab's algorithm, as it is shown: of the rows, the longest time until all agree has one in numbers. It
/// is that after which the judge asks for agreement.
fn bound(compared: Compared, lab: &Lab) -> Option<f64> {
    let bound = (lab.card.quiet_bound.value)(&lab.timing, lab.roster.len(), &lab.settings);
    (compared == Compared::AgreedAfterMost).then(|| bound.nanos() as f64 / 1e3 / compared.scale())
}

/// The place of the one whose interval lies below all others; nobody if only one says anything of it.
fn winner(estimates: &[Option<Estimate>]) -> Option<usize> {
    let told = || estimates.iter().enumerate().filter_map(|(place, estimate)| Some((place, (*estimate)?)));
    let (best, least) = told().min_by(|(_, one), (_, other)| one.mean.total_cmp(&other.mean))?;
    let is_beaten =
        |(place, other): (usize, Estimate)| place == best || least.mean + least.half < other.mean - other.half;
    (told().count() > 1 && told().all(is_beaten)).then_some(best)
}

/// Each row as a multiple of the least mean in it.
fn plot(contest: &Contest, sums: &[DuelSum]) -> SvgPlot {
    let rows: Vec<Vec<Option<Estimate>>> =
        Compared::ALL.into_iter().map(|compared| estimates(sums, compared)).collect();
    let least = |row: &[Option<Estimate>]| row.iter().flatten().map(|of| of.mean).fold(f64::INFINITY, f64::min);
    let apart = 0.5 / contest.labs.len().max(1) as f64;
    let marks = names(contest).enumerate().map(|(place, name)| {
        let point = |(index, row): (usize, &Vec<Option<Estimate>>)| {
            let (Estimate { mean, half }, least) = (row[place]?, least(row));
            let aside = apart * (place as f64 - (contest.labs.len() - 1) as f64 / 2.0);
            (least > 0.0).then_some(((index + 1) as f64 + aside, mean / least, half / least))
        };
        Marks { name: name.to_owned(), points: rows.iter().enumerate().filter_map(point).collect() }
    });
    let marks: Vec<Marks> = marks.collect();
    let highest = marks.iter().flat_map(|of| &of.points).map(|(_, mean, half)| mean + half).fold(1.0, f64::max);
    SvgPlot {
        title: format!("{}, {} seeds", contest.name, sums.iter().map(|sum| sum.held).max().unwrap_or_default()),
        x: Axis { label: "row of the table".to_owned(), from: 0.0, to: Compared::ALL.len() as f64 + 1.0 },
        y: Axis { label: "mean, by the least mean of the row".to_owned(), from: 0.0, to: highest * 1.3 },
        legend: Corner::UpperLeft,
        curves: Vec::new(),
        marks,
    }
}

fn remarks(contest: &Contest, sums: &[DuelSum]) -> Vec<String> {
    let mut remarks = vec![format!(
        "{}: one script and the same {} seeds for all, and {} after the last step. Means of a run; the intervals hold \
         together with {:.0} % confidence. A row is won by whose interval lies below all others.",
        contest.name,
        counts_told(sums.iter().map(|sum| sum.held)),
        contest.tail,
        100.0 * CONFIDENCE,
    )];
    for (lab, sum) in contest.labs.iter().zip(sums) {
        let card = &lab.card;
        let time = (card.time_bound.value)(&lab.timing, lab.roster.len(), &lab.settings);
        remarks.push(format!(
            "The bounds of {}: time of an election {time} ({}); until all agree: {}; messages: {}.",
            card.name, card.time_bound.text, card.quiet_bound.text, card.message_bound
        ));
        if sum.cut_short > 0 {
            remarks.push(format!(
                "In {} of its runs {} did not come to what a step waits for; they do not count.",
                sum.cut_short, card.name
            ));
        }
    }
    remarks
}
