//! `measure duel`: one script, played by several algorithms with the same seeds.
//!
//! Each algorithm's lab has the nodes, the periods and the steps of the script's lab, the algorithm's own settings as its
//! Card gives them, and nothing that is expected. A step that waits for a moment of one algorithm, or for a node that the
//! others would not elect, suits not all of them, and is refused.
//!
//! Invariant: all labs of a duel have the same steps at the same times; a run is a function of its lab and its seed. Who
//! wins a row has the least mean, by more than the intervals of both; else nobody wins it.

use std::cell::RefCell;
use std::ops::AddAssign;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::measurement::{self, Measurement};
use super::plot::{Axis, Corner, Marks, SvgPlot};
use super::sample::{CONFIDENCE, Estimate, Sample, counts_told};
use super::trial::{nanos, plan, span};
use lab::{Lab, LabErrors, When, parse};
use protocol::{Card, NodeMap, Settings, Span};
use record::{Body, Record};
use sim::{NetworkKind, Plan, Recorded};
use world::{Figures, SheetCell};

/// One script, and the algorithms that play it.
#[derive(Clone, Debug)]
pub struct DuelMeasurement {
    /// The name of the script's lab.
    name: String,
    /// One lab for each algorithm.
    labs: Vec<Arc<Lab>>,
    /// How long a lab goes on after its last step: as long as the slowest of the algorithms may need.
    tail: Span,
}

/// Why a lab's script is none for a duel.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// A step waits for something that not all algorithms come to.
    #[error(
        "the step \"{step}\" of {lab} waits for `{when}`, to which not every algorithm comes; in a duel a step has a \
         time, or waits for `all normal` or `groups K`"
    )]
    Waits {
        lab: String,
        step: String,
        /// What it waits for.
        when: String,
    },
    /// The lab has an application, which not every algorithm takes.
    #[error("{0} has an application, and a duel is of elections alone; take the [application] out of it")]
    HasApplication(String),
    /// An algorithm does not take the lab.
    #[error("{algorithm} does not take this lab:\n{errors}")]
    Refuses {
        algorithm: &'static str,
        /// Why.
        errors: LabErrors,
    },
}

/// Runs of one algorithm, added up.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct DuelSum {
    /// How many there were.
    pub held: u64,
    /// In how many of them not all steps of the lab were taken; they do not count.
    pub cut_short: u64,
    /// In the order of [`COMPARED`].
    samples: [Sample; COMPARED.len()],
}

/// One run of an algorithm.
struct DuelRun {
    figures: Figures,
    /// How long no process that ran took itself for the coordinator, from the first step on.
    without_coordinator: Span,
}

/// What is compared; less is better.
struct Compared {
    /// The words for it, and its field in CSV.
    names: (&'static str, &'static str),
    /// By how much an observed number is larger than the shown one: times are observed in microseconds and shown in
    /// milliseconds.
    unit: f64,
    /// What a run says of it, if it does.
    of: fn(&DuelRun) -> Option<u64>,
    /// The most that it may be under the lab's algorithm, if that is a number: of the rows, only the longest time until all
    /// agree has one.
    bound: fn(&Lab) -> Option<Span>,
}

/// The rows of a duel.
const COMPARED: [Compared; 8] = [
    // A broadcast is one message.
    Compared::count("messages", "messages", |run| Some(run.figures.messages)),
    Compared::count("bytes", "bytes", |run| Some(run.figures.bytes)),
    // Each process's way through one.
    Compared::count("processes in elections", "processes_in_elections", |run| Some(run.figures.elections)),
    // Where capacities decide.
    Compared::count("rounds of an election", "rounds", |run| run.figures.rounds.checked_div(run.figures.ends)),
    // From a disturbance until all agree, on average.
    Compared::time("agreed after, ms", "agreed_after_ms", |run| {
        run.figures.agreed_after.nanos().checked_div(run.figures.agreements).map(|nanos| nanos / 1_000)
    }),
    // The same, the longest. Its bound is that after which the judge asks for agreement.
    Compared {
        bound: |lab| Some((lab.card.quiet_bound.value)(&lab.timing, lab.roster.len(), &lab.settings)),
        ..Compared::time("agreed after at most, ms", "agreed_after_at_most_ms", |run| {
            (run.figures.agreements > 0).then(|| run.figures.agreed_after_max.nanos() / 1_000)
        })
    },
    Compared::time("no coordinator, ms", "without_coordinator_ms", |run| Some(run.without_coordinator.nanos() / 1_000)),
    // How long two states contradicted each other.
    Compared::time("contradictions, ms", "unsafe_ms", |run| Some(run.figures.unsafe_for.nanos() / 1_000)),
];

/// A row: what is compared, each algorithm's estimate and bound as they are shown, and the place of the one that wins.
pub struct DuelRow {
    title: &'static str,
    field: &'static str,
    estimates: Vec<Option<Estimate>>,
    bounds: Vec<Option<f64>>,
    winner: Option<&'static str>,
}

/// Who coordinates, as the records come.
#[derive(Default)]
struct Vacancy {
    coordinates: NodeMap<bool>,
    /// Since when nobody does, in nanoseconds.
    vacant_since: Option<i64>,
    vacant: i64,
    /// Whether the first step was taken.
    has_begun: bool,
}

/// A column of the sheet.
type Column = measurement::Column<DuelRow>;

impl DuelMeasurement {
    /// The duel of these algorithms over the script of this lab.
    ///
    /// # Errors
    /// The script does not suit all of them.
    pub fn new(lab: &Lab, cards: &[Card]) -> Result<DuelMeasurement, DuelError> {
        if lab.application().is_some() {
            return Err(DuelError::HasApplication(lab.name.clone()));
        }
        for step in &lab.steps {
            let when = match &step.when {
                When::Condition { condition, .. } if !condition.nodes().is_empty() => condition.to_string(),
                When::Moment(moment) => moment.to_string(),
                When::At(_) | When::Condition { .. } => continue,
            };
            return Err(DuelError::Waits { lab: lab.name.clone(), step: step.name.clone(), when });
        }
        let labs: Vec<Arc<Lab>> = cards.iter().map(|card| played_by(lab, card)).collect::<Result<_, _>>()?;
        let patience = |lab: &Arc<Lab>| (lab.card.quiet_bound.value)(&lab.timing, lab.roster.len(), &lab.settings);
        let tail = labs.iter().map(patience).max().unwrap_or(Span::ZERO);
        Ok(DuelMeasurement { name: lab.name.clone(), labs, tail })
    }
}

/// The lab with another algorithm, checked as if a person had written it.
fn played_by(lab: &Lab, card: &Card) -> Result<Arc<Lab>, DuelError> {
    // The settings of the lab's own algorithm stay.
    let settings = if card.name == lab.card.name {
        lab.settings.clone()
    } else {
        Settings::defaults(card.settings, lab.roster.all())
    };
    let played = Lab { card: *card, settings, expectations: Vec::new(), ..lab.clone() };
    let parsed = parse(&lab.name, &played.written(), lab.registry);
    parsed.map(Arc::new).map_err(|errors| DuelError::Refuses { algorithm: card.name, errors })
}

impl Measurement for DuelMeasurement {
    type Point = Arc<Lab>;
    type Sum = DuelSum;
    type Row = DuelRow;

    fn points(&self) -> &[Arc<Lab>] {
        &self.labs
    }

    fn look(&self, lab: &Arc<Lab>, seed: u64, sum: &mut DuelSum) {
        sum.held += 1;
        let Some(run) = play(lab, self.tail, seed) else {
            sum.cut_short += 1;
            return;
        };
        for (sample, compared) in sum.samples.iter_mut().zip(COMPARED) {
            (compared.of)(&run).into_iter().for_each(|value| sample.add(value));
        }
    }

    fn rows(&self, sums: &[DuelSum]) -> Vec<DuelRow> {
        let intervals = sums.len() * COMPARED.len();
        let row = |(place, Compared { names: (title, field), unit, bound, .. }): (usize, Compared)| {
            let estimate = |sum: &DuelSum| sum.samples[place].estimate(intervals).map(|estimate| estimate.by(unit));
            let estimates: Vec<Option<Estimate>> = sums.iter().map(estimate).collect();
            let bound = |lab: &Arc<Lab>| bound(lab).map(|bound| bound.nanos() as f64 / 1e3 / unit);
            let winner = winner(&estimates).map(|place| self.labs[place].card.name);
            DuelRow { title, field, estimates, bounds: self.labs.iter().map(bound).collect(), winner }
        };
        COMPARED.into_iter().enumerate().map(row).collect()
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::text("less is better", None, |row| row.title.to_owned()),
            Column::text(None, "compared", |row| row.field.to_owned()),
        ];
        for (place, name) in self.labs.iter().map(|lab| lab.card.name).enumerate() {
            columns.push(Column::text(name, None, move |row| {
                let of_bound = row.bounds[place].map_or_else(String::new, |bound| format!(" of {bound:.0}"));
                let told = |Estimate { mean, half }| format!("{mean:.1} +- {half:.1}{of_bound}");
                row.estimates[place].map_or_else(|| "-".to_owned(), told)
            }));
            let [mean, interval, bound] = ["mean", "interval", "bound"].map(|what| format!("{name}_{what}"));
            columns.extend([
                Column::number(None, &mean, 1, move |row| row.estimates[place].map(|of| of.mean)),
                Column::number(None, &interval, 1, move |row| row.estimates[place].map(|of| of.half)),
                Column::number(None, &bound, 1, move |row| row.bounds[place]),
            ]);
        }
        columns.push(Column::new("wins", "wins", |row| {
            row.winner.map_or(SheetCell::Nothing, |name| SheetCell::Text(name.to_owned()))
        }));
        columns
    }

    /// Each row as a multiple of the least mean in it.
    fn plot(&self, sums: &[DuelSum], rows: &[DuelRow]) -> Option<SvgPlot> {
        let least = |row: &DuelRow| row.estimates.iter().flatten().map(|of| of.mean).fold(f64::INFINITY, f64::min);
        let apart = 0.5 / self.labs.len().max(1) as f64;
        let marks = self.labs.iter().enumerate().map(|(place, lab)| {
            let point = |(index, row): (usize, &DuelRow)| {
                let (Estimate { mean, half }, least) = (row.estimates[place]?, least(row));
                let aside = apart * (place as f64 - (self.labs.len() - 1) as f64 / 2.0);
                (least > 0.0).then_some(((index + 1) as f64 + aside, mean / least, half / least))
            };
            Marks { name: lab.card.name.to_owned(), points: rows.iter().enumerate().filter_map(point).collect() }
        });
        let marks: Vec<Marks> = marks.collect();
        let highest = Marks::highest(&marks, 1.0);
        Some(SvgPlot {
            title: format!("{}, {} seeds", self.name, sums.iter().map(|sum| sum.held).max().unwrap_or_default()),
            x: Axis { label: "row of the table".to_owned(), from: 0.0, to: rows.len() as f64 + 1.0 },
            y: Axis { label: "mean, by the least mean of the row".to_owned(), from: 0.0, to: highest * 1.3 },
            legend: Corner::UpperLeft,
            curves: Vec::new(),
            marks,
        })
    }

    fn remarks(&self, sums: &[DuelSum], _: &[DuelRow]) -> Vec<String> {
        let mut remarks = vec![format!(
            "{}: one script and the same {} seeds for all, and {} after the last step. Means of a run; the intervals hold \
             together with {:.0} % confidence. A row is won by whose interval lies below all others.",
            self.name,
            counts_told(sums.iter().map(|sum| sum.held)),
            self.tail,
            100.0 * CONFIDENCE,
        )];
        for (lab, sum) in self.labs.iter().zip(sums) {
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
}

/// The place of the one whose interval lies below all others; nobody if only one says anything of it.
fn winner(estimates: &[Option<Estimate>]) -> Option<usize> {
    let told = || estimates.iter().enumerate().filter_map(|(place, estimate)| Some((place, (*estimate)?)));
    let (best, least) = told().min_by(|(_, one), (_, other)| one.mean.total_cmp(&other.mean))?;
    let is_beaten =
        |(place, other): (usize, Estimate)| place == best || least.mean + least.half < other.mean - other.half;
    (told().count() > 1 && told().all(is_beaten)).then_some(best)
}

/// Plays the lab with this seed until so long after its last step; nothing if its steps were not all taken.
fn play(lab: &Arc<Lab>, tail: Span, seed: u64) -> Option<DuelRun> {
    let plan = Plan { recorded: Recorded::Yes, ..plan(lab, seed, NetworkKind::Drawn) };
    let vacancy = RefCell::new(Vacancy::default());
    let mut simulated = sim::start(&plan, Box::new(|record| vacancy.borrow_mut().take(record)));
    let patience = lab.steps.iter().fold(Span::ZERO, |sum, step| match &step.when {
        When::At(span) => sum.max(*span),
        When::Condition { then_wait, .. } => sum + *then_wait + lab.limit,
        When::Moment(_) => sum + lab.limit,
    });
    let until = nanos(patience + lab.timing.t);
    while simulated.world().steps.len() < lab.steps.len() && simulated.now() < until {
        simulated.advance_to(simulated.now() + nanos(lab.timing.t));
    }
    if simulated.world().steps.len() < lab.steps.len() {
        return None;
    }
    let end_at = simulated.now() + nanos(tail);
    simulated.advance_to(end_at);
    let figures = simulated.end().run.figures;
    let without_coordinator = vacancy.into_inner().vacant_until(end_at);
    Some(DuelRun { figures, without_coordinator })
}

impl Compared {
    const fn count(title: &'static str, field: &'static str, of: fn(&DuelRun) -> Option<u64>) -> Compared {
        Compared { names: (title, field), unit: 1.0, of, bound: |_| None }
    }

    const fn time(title: &'static str, field: &'static str, of: fn(&DuelRun) -> Option<u64>) -> Compared {
        Compared { names: (title, field), unit: 1e3, of, bound: |_| None }
    }
}

impl AddAssign for DuelSum {
    fn add_assign(&mut self, other: DuelSum) {
        self.held += other.held;
        self.cut_short += other.cut_short;
        self.samples.iter_mut().zip(other.samples).for_each(|(sample, other)| *sample += other);
    }
}

impl Vacancy {
    fn take(&mut self, record: &Record) {
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => {
                if let Some(state) = &step.state {
                    self.coordinates.insert(node, state.coordinates(node));
                }
            }
            (Body::Died { .. }, Some(node)) => {
                self.coordinates.remove(&node);
            }
            (Body::StepTaken { .. }, _) => self.has_begun = true,
            _ => return,
        }
        let is_vacant = self.has_begun && !self.coordinates.values().any(|coordinates| *coordinates);
        match (is_vacant, self.vacant_since) {
            (true, None) => self.vacant_since = Some(record.at),
            (false, Some(since)) => {
                self.vacant += record.at - since;
                self.vacant_since = None;
            }
            _ => {}
        }
    }

    fn vacant_until(self, end: i64) -> Span {
        let last = self.vacant_since.map_or(0, |since| end - since);
        span(self.vacant + last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::tests::{shown, written};
    use super::*;
    use registry::BUILT_IN;

    fn duel(lab: &str, names: &[&str]) -> Result<DuelMeasurement, DuelError> {
        let path = format!("{}/labs/{lab}.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let lab = parse(lab, &std::fs::read_to_string(path).unwrap(), BUILT_IN).unwrap();
        let cards: Vec<Card> = BUILT_IN.cards().filter(|card| names.contains(&card.name)).copied().collect();
        DuelMeasurement::new(&lab, &cards)
    }

    #[test]
    fn every_algorithm_plays_the_script_of_the_duel_to_its_end() {
        let names: Vec<&str> = BUILT_IN.cards().map(|card| card.name).collect();
        let (sums, _) = shown(&duel("duel", &names).unwrap(), "0..2");
        for (card, sum) in BUILT_IN.cards().zip(&sums) {
            assert_eq!((sum.held, sum.cut_short), (2, 0), "{}", card.name);
            assert!(COMPARED[0].names.0 == "messages" && sum.samples[0].least() > Some(0), "{}", card.name);
        }
    }

    #[test]
    fn a_duel_of_bully_and_bully_fd_has_a_winner_in_each_row_that_differs() {
        let (_, exhibit) = shown(&duel("duel", &["bully", "bully-fd"]).unwrap(), "0..12");
        insta::assert_snapshot!(written(&exhibit, " | "));
        assert!(exhibit.plot.unwrap().svg().unwrap().contains("bully-fd"));
    }

    #[test]
    fn a_script_that_waits_for_one_algorithms_leader_is_refused() {
        let error = duel("first", &["bully", "async-bully"]).unwrap_err().to_string();
        assert!(error.contains("waits for `coordinator 4`") && error.contains("`all normal` or `groups K`"), "{error}");
    }
}
