//! What a leader's crash costs, as a sheet, as a plot, and in sentences.
//!
//! Invariant: the intervals of all points hold together with the confidence of a table.

use super::super::exhibit::Exhibit;
use super::super::plot::{Axis, Corner, Curve, Marks, SvgPlot};
use super::super::sample::{CONFIDENCE, Estimate, counts_told};
use super::failover::STEADY;
use super::point::{FailoverPoint, Noticing};
use super::sum::MessagesSum;
use world::{FigureSheet, SheetCell, SheetColumn};

const COLUMNS: [(Option<&str>, &str); 16] = [
    (Some("algorithm"), "algorithm"),
    (Some("n"), "processes"),
    (Some("seen"), "noticed_within"),
    (None, "failovers"),
    (None, "failovers_without_agreement"),
    (Some("mean"), "mean_messages"),
    (Some("+-"), "interval_messages"),
    (Some("worst"), "worst_messages"),
    (None, "half_n_squared"),
    (Some("n*n"), "n_squared"),
    (Some("/n*n"), "mean_by_n_squared"),
    (Some("tally"), "mean_tally_by_n_squared"),
    (Some("others"), "mean_periodic_messages_until_agreed"),
    (Some("steady"), "mean_steady_messages_per_check"),
    (None, "mean_agreed_after_ms"),
    (None, "mean_messages_by_kind"),
];

/// From so many processes on the two algorithms of Stoller's section 7 are compared.
const COMPARED_FROM: u16 = 16;

/// What was measured.
pub fn exhibit(points: &[FailoverPoint], sums: &[MessagesSum]) -> Exhibit {
    let rows = || points.iter().zip(sums);
    Exhibit {
        sheet: FigureSheet {
            columns: SheetColumn::all(&COLUMNS),
            rows: rows().map(|(point, sum)| row(point, sum, sums.len())).collect(),
        },
        plot: Some(plot(points, sums)),
        remarks: remarks(points, sums),
    }
}

fn row(point: &FailoverPoint, sum: &MessagesSum, intervals: usize) -> Vec<SheetCell> {
    let square = f64::from(point.nodes).powi(2);
    let kinds = sum.kinds.iter().map(|(kind, count)| format!("{kind} {:.2}", *count as f64 / sum.sent.count as f64));
    vec![
        SheetCell::Text(point.card.name.to_owned()),
        SheetCell::Count(point.nodes.into()),
        SheetCell::Text(point.noticing.word().to_owned()),
        SheetCell::Count(sum.held),
        SheetCell::Count(sum.held - sum.sent.count),
        SheetCell::of(sum.sent.mean(), 0),
        SheetCell::of(sum.sent.estimate(intervals).map(|estimate| estimate.half), 0),
        sum.sent.most().map_or(SheetCell::Nothing, SheetCell::Count),
        SheetCell::Number(square / 2.0, 0),
        SheetCell::Number(square, 0),
        SheetCell::of(sum.sent.mean().map(|mean| mean / square), 2),
        SheetCell::of(sum.early.mean().map(|mean| mean / square), 2),
        SheetCell::of(sum.periodic.mean(), 0),
        SheetCell::of(sum.steady.mean().map(|mean| mean / STEADY as f64), 0),
        SheetCell::of(sum.agreed_after_us.mean().map(|mean| mean / 1_000.0), 0),
        SheetCell::Text(kinds.collect::<Vec<_>>().join("; ")),
    ]
}

/// Messages for each process over the number of processes: of two algorithms however the crash is noticed, of more
/// where it is noticed within T.
fn plot(points: &[FailoverPoint], sums: &[MessagesSum]) -> SvgPlot {
    let mut series: Vec<(&str, Noticing)> = points.iter().map(|point| (point.card.name, point.noticing)).collect();
    series.sort_by_key(|(_, noticing)| *noticing as u8);
    let mut seen = Vec::new();
    series.retain(|one| {
        !seen.contains(one) && {
            seen.push(*one);
            true
        }
    });
    if series.len() > 2 * Noticing::ALL.len() {
        series.retain(|(_, noticing)| *noticing == Noticing::WithinAMessage);
    }
    let most = f64::from(points.iter().map(|point| point.nodes).max().unwrap_or(1));
    let marks = series.iter().map(|(name, noticing)| Marks {
        name: format!("{name}, noticed {}", noticed_words(*noticing)),
        points: points
            .iter()
            .zip(sums)
            .filter(|(point, _)| (point.card.name, point.noticing) == (*name, *noticing))
            .filter_map(|(point, sum)| {
                let Estimate { mean, half } = sum.sent.estimate(sums.len())?;
                let n = f64::from(point.nodes);
                Some((n, mean / n, half / n))
            })
            .collect(),
    });
    let marks: Vec<Marks> = marks.collect();
    let highest = marks.iter().flat_map(|of| &of.points).map(|(_, mean, half)| mean + half).fold(most, f64::max);
    let curve =
        |name: &str, by: f64| Curve { name: Some(name.to_owned()), points: vec![(0.0, 0.0), (most, most * by)] };
    SvgPlot {
        title: "What a leader's crash costs".to_owned(),
        x: Axis { label: "processes n".to_owned(), from: 0.0, to: most + 2.0 },
        y: Axis { label: "messages for each process (mean)".to_owned(), from: 0.0, to: highest * 1.05 },
        legend: Corner::UpperLeft,
        curves: vec![curve("n*n messages in all", 1.0), curve("n*n/2 messages in all", 0.5)],
        marks,
    }
}

fn remarks(points: &[FailoverPoint], sums: &[MessagesSum]) -> Vec<String> {
    let mut remarks = vec![format!(
        "Messages from the crash of the leader on, but for those that are sent at every period; a broadcast is one. \
         Noticing costs nothing here: an order stands for it, so what a detector asks before, such as the question of \
         each Timeout of Bully, comes on top; `measure figures LAB --from STEP` counts it with the rest. \
         Each point is the mean of {} failovers; all {} intervals hold together with {:.0} % confidence. `seen`: \
         within what time the others notice the crash, all at once, each within the longest time T of one message, or \
         each within the time of 4n messages. Of Invitation the questions who coordinates count until all agree, for by \
         them its groups find each other. `tally`: the messages of the elections that had begun when the next in \
         rank began one, and of this one, by n*n, as Stoller counts. `others`: messages of each period until all \
         agreed. `steady`: messages in a check period while nothing happens; `check` is longer than 4n messages take.",
        counts_told(sums.iter().map(|sum| sum.held)),
        sums.len(),
        100.0 * CONFIDENCE,
    )];
    let unsettled = points.iter().zip(sums).filter(|(_, sum)| sum.sent.count < sum.held).map(|(point, sum)| {
        let FailoverPoint { card, nodes, noticing } = point;
        format!(
            "{} with {nodes}, {}: {} of {}",
            card.name,
            noticed_words(*noticing),
            sum.held - sum.sent.count,
            sum.held
        )
    });
    let unsettled: Vec<String> = unsettled.collect();
    if !unsettled.is_empty() {
        remarks
            .push(format!("Failovers after which not all agreed, and which do not count: {}.", unsettled.join("; ")));
    }
    remarks.extend(tally(points, sums));
    remarks.extend(compared(points, sums));
    let mut told: Vec<&str> = Vec::new();
    for point in points {
        if !told.contains(&point.card.name) {
            told.push(point.card.name);
            remarks.push(format!("The bound of {}: {}.", point.card.name, point.card.message_bound));
        }
    }
    remarks
}

/// Whether the paper's N*N/2 stands by its own tally.
fn tally(points: &[FailoverPoint], sums: &[MessagesSum]) -> Option<String> {
    let of = |noticing: Noticing| {
        let of = points.iter().zip(sums).filter(move |(point, _)| point.noticing == noticing);
        let (point, sum) = of.filter(|(_, sum)| sum.early.count > 0).max_by_key(|(point, _)| point.nodes)?;
        let square = f64::from(point.nodes).powi(2);
        Some((point.nodes, sum.early.mean()? / square, sum.sent.mean()? / square))
    };
    let told: Option<Vec<_>> = Noticing::ALL.into_iter().map(|noticing| Some((noticing, of(noticing)?))).collect();
    let told = told?;
    let n = told.first()?.1.0;
    let parts = told.iter().map(|(noticing, (_, early, all))| {
        format!("{early:.2} n*n by the tally and {all:.2} n*n in all where it is noticed {}", noticed_words(*noticing))
    });
    Some(format!(
        "Stoller's section 7 has n*n/2 messages on average for the Asynchronous Bully, n*n at worst. At n = {n} it takes {}.",
        parts.collect::<Vec<_>>().join(", ")
    ))
}

/// How many times as many messages Invitation takes as the Asynchronous Bully; the paper says twice.
fn compared(points: &[FailoverPoint], sums: &[MessagesSum]) -> Option<String> {
    let estimate = |name: &str, nodes: u16, noticing: Noticing| {
        let place = points
            .iter()
            .position(|point| (point.card.name, point.nodes, point.noticing) == (name, nodes, noticing))?;
        sums[place].sent.estimate(sums.len())
    };
    let quotients: Vec<String> = points
        .iter()
        .filter(|point| point.card.name == "invitation" && point.nodes >= COMPARED_FROM)
        .filter_map(|point| {
            let FailoverPoint { nodes, noticing, .. } = *point;
            let Estimate { mean, half } =
                estimate("invitation", nodes, noticing)?.over(estimate("async-bully", nodes, noticing)?);
            Some(format!("{mean:.2} +- {half:.2} (n = {nodes}, {})", noticed_words(noticing)))
        })
        .collect();
    (!quotients.is_empty()).then(|| {
        format!(
            "Invitation takes so many times the messages of the Asynchronous Bully, and the paper has twice: {}.",
            quotients.join(", ")
        )
    })
}

fn noticed_words(noticing: Noticing) -> &'static str {
    match noticing {
        Noticing::AtOnce => "at once",
        Noticing::WithinAMessage => "within T",
        Noticing::Within4n => "within 4n messages' time",
    }
}
