//! `measure figures`: any lab, anything that can be counted, from one of its steps until a condition.
//!
//! A stretch of a run begins when the step is taken: what its orders bring about at once counts. It ends with the first
//! record after which the condition holds, once all that the step orders is in force. Without a step it begins with the
//! lab; without a condition it ends with it.
//!
//! Invariant: a seed plays the same run as in `simulate`, and what is counted comes from its records alone. A run in
//! which the stretch did not come to its end is told and counts for no mean.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::slice;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::measurement::{self, Measurement};
use super::plot::{Axis, Corner, Marks, SvgPlot};
use super::sample::{CONFIDENCE, Sample};
use super::trial::plan;
use lab::{Condition, Lab, LabStep, near};
use record::{Body, EffectText, Record};
use script::holds;
use sim::{AfterScript, NetworkKind, Plan};
use world::{FaultState, SheetCell, World};

/// What is counted in a stretch of a lab's runs.
#[derive(Clone, Debug)]
pub struct FiguresMeasurement {
    /// The lab, which is the only point.
    pub lab: Arc<Lab>,
    /// From where to where is counted.
    pub bounds: Bounds,
    /// What is counted.
    pub counted: Vec<Counted>,
    /// How it is shown.
    pub form: RowForm,
}

/// From where to where a stretch goes.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The step with which it begins.
    pub from: Option<LabStep>,
    /// The condition with which it ends.
    pub until: Option<Condition>,
}

/// Something that is counted.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Counted {
    /// Messages of this kind; a broadcast is one.
    Kind(String),
    Messages,
    /// All but those that are sent at every period anyway.
    Own,
    /// The bytes of the bodies of all messages.
    Bytes,
    /// Elections that began.
    Elections,
    /// Time, in microseconds.
    Time,
}

/// A lab has nothing of this name to count.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("{lab} has nothing called `{word}` to count; {meant}it has {WORDS}, and the message kinds {kinds}")]
pub struct CountedTextError {
    word: String,
    lab: String,
    meant: String,
    kinds: String,
}

/// The words for what is no kind of messages.
const WORDS: &str = "messages, own, bytes, elections, time_us";

/// What a row of the sheet is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RowForm {
    /// Something that was counted, over all runs.
    Means,
    /// A run.
    Each,
}

/// The runs of a lab.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct FiguresSum {
    /// By seed: what was counted, unless the stretch did not come to its end.
    pub runs: BTreeMap<u64, Option<Vec<u64>>>,
}

/// A stretch, as its records come.
#[derive(Debug)]
struct RunStretch<'a> {
    lab: &'a Lab,
    bounds: &'a Bounds,
    world: World,
    stage: StretchStage,
    kinds: BTreeMap<String, u64>,
    own: u64,
    bytes: u64,
}

/// How far a stretch is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum StretchStage {
    Before,
    /// Began at this time, after so many elections, and not all that its step orders is in force yet.
    Ordered(i64, u64),
    /// Began then, and all is in force.
    Within(i64, u64),
    /// Took so many nanoseconds and had so many elections.
    Over(i64, u64),
}

/// A column of the sheet.
type Column = measurement::Column<Vec<SheetCell>>;

impl Measurement for FiguresMeasurement {
    type Point = Arc<Lab>;
    type Sum = FiguresSum;
    /// The cells themselves: what a row is made of depends on its form.
    type Row = Vec<SheetCell>;

    fn points(&self) -> &[Arc<Lab>] {
        slice::from_ref(&self.lab)
    }

    fn look(&self, lab: &Arc<Lab>, seed: u64, sum: &mut FiguresSum) {
        let plan = Plan { after: AfterScript::End, ..plan(lab, seed, NetworkKind::Drawn) };
        let stretch = RefCell::new(RunStretch::new(lab, &self.bounds));
        let end = sim::run(&plan, Box::new(|record| stretch.borrow_mut().take(record)));
        let ended_at = i64::try_from(end.lasted).unwrap_or(i64::MAX);
        sum.runs.insert(seed, stretch.into_inner().finish(ended_at, &self.counted));
    }

    fn rows(&self, sums: &[FiguresSum]) -> Vec<Vec<SheetCell>> {
        match self.form {
            RowForm::Means => means(&self.counted, &sums[0]),
            RowForm::Each => each(&self.counted, &sums[0]),
        }
    }

    fn columns(&self) -> Vec<Column> {
        let words: Vec<Cow<'_, str>> = self.counted.iter().map(Counted::word).collect();
        let heads: Vec<(&str, &str)> = match self.form {
            RowForm::Means => MEANS.to_vec(),
            RowForm::Each => {
                std::iter::once("seed").chain(words.iter().map(Cow::as_ref)).map(|word| (word, word)).collect()
            }
        };
        let column = |(place, (title, field)): (usize, (&str, &str))| {
            Column::new(title, field, move |row: &Vec<SheetCell>| row[place].clone())
        };
        heads.into_iter().enumerate().map(column).collect()
    }

    /// The share of the runs in which at most so much of the first thing was counted; nothing if no stretch came to its
    /// end.
    fn plot(&self, sums: &[FiguresSum], _: &[Vec<SheetCell>]) -> Option<SvgPlot> {
        let first = self.counted.first()?;
        let mut values: Vec<u64> = sums[0].runs.values().flatten().map(|values| values[0]).collect();
        values.sort_unstable();
        let (least, most) = (*values.first()? as f64, *values.last()? as f64);
        let room = ((most - least) * 0.05).max(1.0);
        let share = |(place, value): (usize, &u64)| (*value as f64, (place + 1) as f64 / values.len() as f64, 0.0);
        Some(SvgPlot {
            title: format!("{}, {} runs", self.lab.name, values.len()),
            x: Axis { label: first.word().into_owned(), from: least - room, to: most + room },
            y: Axis { label: "share of the runs with at most so many".to_owned(), from: 0.0, to: 1.05 },
            legend: Corner::LowerRight,
            curves: Vec::new(),
            marks: vec![Marks {
                name: first.word().into_owned(),
                points: values.iter().enumerate().map(share).collect(),
            }],
        })
    }

    fn remarks(&self, sums: &[FiguresSum], _: &[Vec<SheetCell>]) -> Vec<String> {
        let Bounds { from, until } = &self.bounds;
        let from = from.as_ref().map_or("the beginning".to_owned(), |step| format!("the step \"{}\"", step.name));
        let until = until.as_ref().map_or("the end".to_owned(), |until| format!("`{until}`"));
        let mut remarks = vec![format!(
            "{}, from {from} until {until}, in {} runs. {} with {:.0} % confidence.",
            self.lab.name,
            sums[0].runs.len(),
            if self.counted.len() == 1 { "The interval holds" } else { "The intervals hold together" },
            100.0 * CONFIDENCE,
        )];
        match sums[0].unended() {
            0 => {}
            unended => remarks.push(format!("In {unended} of these runs that did not come; they count for no mean.")),
        }
        remarks
    }
}

/// The titles and fields of a sheet of means.
const MEANS: [(&str, &str); 7] = [
    ("counted", "counted"),
    ("mean", "mean"),
    ("+-", "interval"),
    ("least", "least"),
    ("most", "most"),
    ("runs", "runs"),
    ("unended", "runs_without_end"),
];

/// A row for each thing that is counted, over all runs, in the columns of [`MEANS`].
fn means(counted: &[Counted], sum: &FiguresSum) -> Vec<Vec<SheetCell>> {
    let count = |count: Option<u64>| count.map_or(SheetCell::Nothing, SheetCell::Count);
    let row = |(place, thing): (usize, &Counted)| {
        let sample = sum.sample(place);
        vec![
            SheetCell::Text(thing.word().into_owned()),
            SheetCell::of(sample.mean(), 2),
            SheetCell::of(sample.estimate(counted.len()).map(|estimate| estimate.half), 2),
            count(sample.least()),
            count(sample.most()),
            SheetCell::Count(sample.count),
            SheetCell::Count(sum.unended() as u64),
        ]
    };
    counted.iter().enumerate().map(row).collect()
}

/// A row for each run: its seed and what was counted in it.
fn each(counted: &[Counted], sum: &FiguresSum) -> Vec<Vec<SheetCell>> {
    let row = |(seed, values): (&u64, &Option<Vec<u64>>)| {
        let cell = |place: usize| values.as_ref().map_or(SheetCell::Nothing, |of| SheetCell::Count(of[place]));
        std::iter::once(SheetCell::Count(*seed)).chain((0..counted.len()).map(cell)).collect()
    };
    sum.runs.iter().map(row).collect()
}

impl Counted {
    /// What this word means in this lab.
    ///
    /// # Errors
    /// The lab has no such messages.
    pub fn parse(word: &str, lab: &Lab) -> Result<Counted, CountedTextError> {
        let of_application = lab.application().map_or(&[][..], |application| application.messages);
        let kinds = [lab.card.messages, of_application].concat();
        match word {
            "messages" => Ok(Counted::Messages),
            "own" => Ok(Counted::Own),
            "bytes" => Ok(Counted::Bytes),
            "elections" => Ok(Counted::Elections),
            "time_us" => Ok(Counted::Time),
            kind if kinds.contains(&kind) => Ok(Counted::Kind(kind.to_owned())),
            _ => {
                let words: Vec<&str> = WORDS.split(", ").chain(kinds.iter().copied()).collect();
                let meant = match &near(word, &words)[..] {
                    [] => String::new(),
                    near => format!("did you mean {}? ", near.join(", ")),
                };
                Err(CountedTextError { word: word.to_owned(), lab: lab.name.clone(), meant, kinds: kinds.join(", ") })
            }
        }
    }

    /// The word for it.
    pub fn word(&self) -> Cow<'_, str> {
        match self {
            Counted::Kind(kind) => Cow::Borrowed(kind),
            Counted::Messages => Cow::Borrowed("messages"),
            Counted::Own => Cow::Borrowed("own"),
            Counted::Bytes => Cow::Borrowed("bytes"),
            Counted::Elections => Cow::Borrowed("elections"),
            Counted::Time => Cow::Borrowed("time_us"),
        }
    }
}

impl FiguresSum {
    /// What was counted at this place of the list.
    fn sample(&self, place: usize) -> Sample {
        let mut sample = Sample::default();
        self.runs.values().flatten().for_each(|values| sample.add(values[place]));
        sample
    }

    /// How many runs did not come to the end of the stretch.
    fn unended(&self) -> usize {
        self.runs.values().filter(|values| values.is_none()).count()
    }
}

impl AddAssign for FiguresSum {
    fn add_assign(&mut self, mut other: FiguresSum) {
        self.runs.append(&mut other.runs);
    }
}

impl<'a> RunStretch<'a> {
    /// No record has come yet.
    fn new(lab: &'a Lab, bounds: &'a Bounds) -> RunStretch<'a> {
        let world = World::new(lab.roster);
        RunStretch { lab, bounds, world, stage: StretchStage::Before, kinds: BTreeMap::new(), own: 0, bytes: 0 }
    }

    /// Takes in the next record.
    fn take(&mut self, record: &Record) {
        if matches!(self.stage, StretchStage::Over(..)) {
            return;
        }
        let elections = self.world.elections.count;
        self.world.fold(record);
        if self.stage == StretchStage::Before && self.has_begun() {
            self.stage = StretchStage::Ordered(record.at, elections);
        }
        if let (StretchStage::Ordered(..) | StretchStage::Within(..), Body::Step(step)) = (self.stage, &record.body) {
            for effect in &step.effects {
                let EffectText::Send { message, .. } = effect else { continue };
                let kind = message.kind();
                self.own += u64::from(!self.lab.card.periodic.contains(&kind.as_ref()));
                *self.kinds.entry(kind.into_owned()).or_default() += 1;
                self.bytes += message.body_bytes() as u64;
            }
        }
        if let StretchStage::Ordered(since, before) = self.stage
            && self.is_in_force()
        {
            self.stage = StretchStage::Within(since, before);
        }
        if let (StretchStage::Within(since, before), Some(until)) = (self.stage, &self.bounds.until)
            && holds(until, &self.world)
        {
            self.stage = StretchStage::Over(record.at - since, self.world.elections.count - before);
        }
    }

    /// The run has ended at this time: what was counted, if the stretch came to its end.
    fn finish(self, at: i64, counted: &[Counted]) -> Option<Vec<u64>> {
        let (took, elections) = match (self.stage, &self.bounds.until) {
            (StretchStage::Over(took, elections), _) => (took, elections),
            (StretchStage::Within(since, before), None) => (at - since, self.world.elections.count - before),
            _ => return None,
        };
        let value = |counted: &Counted| match counted {
            Counted::Kind(kind) => self.kinds.get(kind).copied().unwrap_or(0),
            Counted::Messages => self.kinds.values().sum(),
            Counted::Own => self.own,
            Counted::Bytes => self.bytes,
            Counted::Elections => elections,
            Counted::Time => u64::try_from(took / 1_000).unwrap_or(0),
        };
        Some(counted.iter().map(value).collect())
    }

    /// Whether the step is taken with which it begins.
    fn has_begun(&self) -> bool {
        self.bounds.from.as_ref().is_none_or(|from| self.world.steps.iter().any(|(step, _)| *step == from.name))
    }

    /// Whether all is in force that this step orders.
    fn is_in_force(&self) -> bool {
        let Some(LabStep { name, lines, .. }) = &self.bounds.from else { return true };
        let Some((_, taken)) = self.world.steps.iter().rfind(|(step, _)| step == name) else { return false };
        let mut ordered = 0;
        for fault in self.world.faults.iter().filter(|of| of.step.as_ref() == Some(name) && of.ordered >= *taken) {
            if fault.state == FaultState::Ordered {
                return false;
            }
            ordered += 1;
        }
        ordered >= lines.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Exhibit;
    use super::super::measurement::tests::found;
    use super::*;
    use lab::parse;
    use registry::BUILT_IN;

    fn lab() -> Arc<Lab> {
        lab_named("first")
    }

    fn lab_named(name: &str) -> Arc<Lab> {
        let path = format!("{}/labs/{name}.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        Arc::new(parse(name, &std::fs::read_to_string(path).unwrap(), BUILT_IN).unwrap())
    }

    fn measurement(from: Option<&str>, until: Option<&str>, counted: &[&str], form: RowForm) -> FiguresMeasurement {
        measurement_of(lab(), from, until, counted, form)
    }

    fn measurement_of(
        lab: Arc<Lab>,
        from: Option<&str>,
        until: Option<&str>,
        counted: &[&str],
        form: RowForm,
    ) -> FiguresMeasurement {
        let from = from.map(|name| lab.steps.iter().find(|step| step.name == name).unwrap().clone());
        let until = until.map(|text| text.parse().unwrap());
        let counted = counted.iter().map(|word| Counted::parse(word, &lab).unwrap()).collect();
        FiguresMeasurement { lab, bounds: Bounds { from, until }, counted, form }
    }

    fn shown(measurement: &FiguresMeasurement, seeds: &str) -> (FiguresSum, Exhibit) {
        let sums = found(measurement, seeds);
        let exhibit = measurement.exhibit(&sums);
        (sums.into_iter().next().unwrap(), exhibit)
    }

    #[test]
    fn a_failover_of_bully_is_counted_from_the_crash_until_the_next_coordinates() {
        let measurement =
            measurement(Some("crash"), Some("coordinator 4"), &["messages", "own", "Halt", "time_us"], RowForm::Means);
        let (sum, exhibit) = shown(&measurement, "0..20");
        assert_eq!(sum.unended(), 0);
        for values in sum.runs.values().flatten() {
            let [messages, own, halts, time] = values[..] else { panic!("{values:?}") };
            assert!(own <= messages && halts <= own && halts >= 3, "{values:?}");
            // The silence of the lab has to pass before anybody notices.
            assert!(time > 100_000, "{values:?}");
        }
        insta::assert_snapshot!(exhibit.sheet.csv().join("\n"));
    }

    #[test]
    fn what_a_step_orders_counts_with_what_it_begins_at_once() {
        let counted = ["elections", "init"];
        let measurement =
            measurement_of(lab_named("king-ni-c"), Some("elect"), Some("master 5"), &counted, RowForm::Each);
        let (sum, _) = shown(&measurement, "0..10");
        // The five candidates each send an init, the first of them at the order.
        assert!(sum.runs.values().all(|values| values.as_deref() == Some(&[1, 5])), "{:?}", sum.runs);
    }

    #[test]
    fn a_stretch_without_bounds_is_the_whole_run_and_each_run_has_a_row() {
        let measurement = measurement(None, None, &["elections", "bytes"], RowForm::Each);
        let (sum, Exhibit { sheet, plot, .. }) = shown(&measurement, "4..9");
        assert_eq!((sheet.rows.len(), sheet.text()[0].join(" ")), (5, "seed elections bytes".to_owned()));
        assert!(sum.runs.values().flatten().all(|values| values[0] > 0 && values[1] > 0));
        assert!(plot.unwrap().svg().unwrap().contains("share of the runs"));
    }

    #[test]
    fn a_condition_that_never_comes_leaves_the_run_without_an_end() {
        let (sum, exhibit) = shown(&measurement(None, Some("groups 5"), &["messages"], RowForm::Means), "0..3");
        let unended = sum.unended();
        assert!(exhibit.sheet.csv()[1].ends_with(&format!(",{},{unended}", 3 - unended)), "{exhibit:?}");
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_kinds() {
        let error = Counted::parse("Hal", &lab()).unwrap_err().to_string();
        assert!(error.contains("did you mean Halt, HaltAnswer?") && error.contains("messages, own, bytes"), "{error}");
        assert!(error.contains("NewCoordinator"), "{error}");
    }
}
