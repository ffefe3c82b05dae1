//! `measure rounds`: how many rounds Algorithm C takes under loss, beside what King, Gendreau and Ni expect (1988,
//! section 6, figure 1), and how often it fails, which their formula cannot.
//!
//! All processes are candidates. They start, and once those that ask for a master have given up, losses begin and the
//! processes are ordered to elect: at one moment, or each at its own moment of the first T. Nobody watches the master
//! before the end. What each process is in at the end is read from its state.
//!
//! Rounds are the inits, which are one, and the final master's announcements. With one candidate the formula has 1 and
//! the machine takes 2, because it announces itself all the same.
//!
//! Invariant: an election is a function of its point and its seed; the intervals of all points hold together.

use std::sync::Arc;

use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::measurement::{self, Measurement};
use super::plot::{Axis, Corner, Curve, Marks, SvgPlot};
use super::real_runs::{PlayReal, RealProgress, RealSum, RealSums, left_out_words};
use super::sample::{CONFIDENCE, Estimate, Sample, add_fields, counts_told};
use super::trial::{dice, lab_text, nanos, plan};
use fault::{FaultLine, Percent};
use lab::{Condition, Lab, LabStep, Narration, When, parse};
use protocol::{Course, NodeId, NodeMap, Span, StateVector, Timing};
use record::Body;
use registry::BUILT_IN;
use sim::campaign::CampaignControl;
use sim::{NetworkKind, Plan, Recorded, Simulated};

/// The most candidates: a broadcast goes to each other one, and each may answer each.
pub const CANDIDATES_MAX: u16 = 100;
/// The largest chance of loss: with a larger one elections last longer than they are looked at.
pub const P_MAX: Percent = Percent::whole(80);

/// The bound T of a simulated lab.
const T: Span = Span::from_millis(200);
/// When losses begin, in T: no process asks for a master any more.
const LOSSES_BEGIN: u64 = 9;
/// When the election begins, in T.
const BEGINS: u64 = 10;
/// How long after that its end is looked at, in T: there is time for 65 rounds.
const LASTS: u64 = 200;

/// The bound T of a lab on real processes: a computer that does little else keeps it.
const REAL_T: Span = Span::from_millis(60);
/// Each real link holds a datagram for up to this share of T, in twentieths: the simulation's links take any time up to T,
/// and those of one computer none.
const HELD: u64 = 19;
/// A real election that has not ended is looked at so long after its begin, in T: there is time for 15 rounds.
const REAL_LASTS: u64 = 50;
/// How long after the last process has come to an end a real lab ends, in T.
const RESTS: u64 = 2;

/// How far the marks of two chances stand apart, in candidates.
const APART: f64 = 0.12;

/// Figure 1: chances of loss, each with some numbers of candidates.
#[derive(Debug)]
pub struct RoundsMeasurement {
    starts: Starts,
    tables: Tables,
    points: Vec<RoundsPoint>,
    real: RealSums<RoundsSum>,
    machine: MachineStart,
}

/// Begins a simulation of Algorithm C.
type MachineStart = fn(&Plan) -> Box<dyn Simulated>;

/// One point of the figure.
#[derive(Clone, Debug)]
pub struct RoundsPoint {
    /// How many candidates there are; all processes are candidates.
    candidates: u16,
    /// The chance that a receiver misses a broadcast, below 1.
    p: Percent,
    /// The rounds that the formula expects.
    expected: f64,
    /// The lab, in which nobody begins an election yet.
    lab: Lab,
}

/// When the processes are ordered to elect.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    /// At one moment.
    Together,
    /// Each at a moment of the first T, each moment as likely as another.
    Spread,
}

/// Which holes of the tables are mended.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tables {
    /// All.
    Mended,
    /// None: the tables to the letter.
    ToTheLetter,
}

/// Elections of one point, added up: rounds, and failures, each kind for itself.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct RoundsSum {
    /// How many elections were held.
    pub held: u64,
    /// How many ended with one master that all name.
    pub good: u64,
    /// The rounds where the first election ended with a master; of several masters the most.
    pub first: Sample,
    /// The rounds where a later one did, which is held because nobody heard of the end of the first.
    pub later: Sample,
    /// How many ended without a master. An election may have failed in several ways.
    pub no_master: u64,
    /// With several masters.
    pub several: u64,
    /// With a process that names a master that is none.
    pub misled: u64,
    /// With a process that asks for help.
    pub in_help: u64,
    /// With a process that has heard of no election.
    pub never_heard: u64,
}

add_fields!(RoundsSum { held, good, first, later, no_master, several, misled, in_help, never_heard });

/// A row: a point, its sum, the estimated rounds, and what real elections came to.
pub struct RoundsRow {
    point: RoundsPoint,
    sum: RoundsSum,
    first: Option<Estimate>,
    real: Option<RealSum<RoundsSum>>,
}

/// A column of the sheet.
type Column = measurement::Column<RoundsRow>;

impl RoundsMeasurement {
    /// These chances, each with these numbers of candidates.
    pub fn new(chances: &[Percent], candidates: &[u16], starts: Starts, tables: Tables) -> RoundsMeasurement {
        let most = candidates.iter().copied().max().unwrap_or_default();
        let points = chances.iter().flat_map(|&p| {
            let expected = expected_rounds(p.fraction(), most.into());
            let point = move |&candidates: &u16| {
                let expected = expected[usize::from(candidates) - 1];
                RoundsPoint { candidates, p, expected, lab: lab_of(candidates, p, tables, T) }
            };
            candidates.iter().map(point)
        });
        let machine: MachineStart = |plan| sim::start(plan, Box::new(|_| {}));
        RoundsMeasurement { starts, tables, points: points.collect(), real: RealSums::new(), machine }
    }

    /// Where real elections are held: one point for each chance, with this number of candidates, or with the largest one.
    pub fn real_points(&self, candidates: u16) -> Vec<usize> {
        let mut chances: Vec<Percent> = self.points.iter().map(|point| point.p).collect();
        chances.dedup();
        let of = |p: Percent| self.points.iter().enumerate().filter(move |(_, point)| point.p == p);
        let best = |p: Percent| of(p).max_by_key(|(_, point)| (point.candidates == candidates, point.candidates));
        chances.into_iter().filter_map(|p| Some(best(p)?.0)).collect()
    }

    /// Holds an election of this point on real processes, over real multicast, with this seed, and shows it beside the
    /// simulated ones.
    ///
    /// # Errors
    /// The lab did not start; nothing is added.
    pub fn hold_real<E>(&mut self, point: usize, seed: u64, play: PlayReal<E>) -> Result<RealProgress, E> {
        let mut states: NodeMap<StateVector> = NodeMap::new();
        let progress = play(self.real_lab(&self.points[point], seed), &mut |record| {
            if let (Some(node), Body::Step(step)) = (record.node, &record.body)
                && let Some(state) = &step.state
            {
                states.insert(node, state.clone());
            }
            CampaignControl::On
        })?;
        let add = |sum: &mut RoundsSum| sum.add(&states.into_iter().collect::<Vec<_>>());
        self.real.entry(point).or_default().take(progress, add);
        Ok(progress)
    }

    /// The lab of a real election, on links that take up to nearly T. It ends when all have come to the end, or after so
    /// long that there was time for many rounds.
    fn real_lab(&self, point: &RoundsPoint, seed: u64) -> Lab {
        let mut lab = begun(&lab_of(point.candidates, point.p, self.tables, REAL_T), self.starts, seed);
        let delay = format!("delay *->* 0ms..{}", REAL_T * HELD / 20);
        lab.steps[0].lines.push(delay.parse().expect("a range of delays"));
        let when = When::Condition { condition: Condition::AllNormal, then_wait: REAL_T * RESTS };
        lab.steps.push(step(lab.steps.len(), when, &[]));
        lab.text = lab.written();
        Lab { seed, limit: REAL_T * (BEGINS + REAL_LASTS), ..lab }
    }

    fn conditions(&self) -> String {
        let tables = match self.tables {
            Tables::Mended => "mended",
            Tables::ToTheLetter => "to the letter",
        };
        let starts = match self.starts {
            Starts::Together => "all begin together",
            Starts::Spread => "begins spread over T",
        };
        format!("Algorithm C {tables}, {starts}")
    }
}

impl Measurement for RoundsMeasurement {
    type Point = RoundsPoint;
    type Sum = RoundsSum;
    type Row = RoundsRow;

    fn points(&self) -> &[RoundsPoint] {
        &self.points
    }

    fn look(&self, point: &RoundsPoint, seed: u64, sum: &mut RoundsSum) {
        let mut lab = begun(&point.lab, self.starts, seed);
        let end = T * (BEGINS + LASTS);
        lab.steps.push(step(lab.steps.len(), When::At(end), &[]));
        let plan = Plan { recorded: Recorded::No, ..plan(&Arc::new(lab), seed, NetworkKind::Even) };
        let mut simulated = (self.machine)(&plan);
        simulated.advance_to(nanos(end));
        let states = point.lab.roster.all();
        let states = states.iter().filter_map(|node| Some((node, simulated.state(node)?)));
        sum.add(&states.collect::<Vec<_>>());
    }

    fn rows(&self, sums: &[RoundsSum]) -> Vec<RoundsRow> {
        let row = |(place, (point, sum)): (usize, (&RoundsPoint, &RoundsSum))| RoundsRow {
            point: point.clone(),
            sum: *sum,
            first: sum.first.estimate(sums.len()),
            real: self.real.get(&place).copied(),
        };
        self.points.iter().zip(sums).enumerate().map(row).collect()
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::number("p", "p", 2, |row| Some(row.point.p.fraction())),
            Column::count("n", "candidates", |row| row.point.candidates.into()),
            Column::number("formula", "formula_rounds", 3, |row| Some(row.point.expected)),
            Column::number("rounds", "mean_rounds", 3, |row| row.sum.first.mean()),
            Column::number("+-", "interval_rounds", 3, |row| row.first.map(|estimate| estimate.half)),
            Column::count(None, "elections", |row| row.sum.held),
            Column::count("well", "ended_well", |row| row.sum.good),
            Column::count("none", "no_master", |row| row.sum.no_master),
            Column::count("many", "several_masters", |row| row.sum.several),
            Column::count("other", "other_master_named", |row| row.sum.misled),
            Column::count("help", "in_help", |row| row.sum.in_help),
            Column::count("never", "never_heard", |row| row.sum.never_heard),
            Column::count("later", "later_elections", |row| row.sum.later.count),
            Column::number(None, "mean_rounds_later", 3, |row| row.sum.later.mean()),
        ];
        if !self.real.is_empty() {
            let real = |row: &RoundsRow| row.real.unwrap_or_default();
            columns.extend([
                Column::number("real", "mean_rounds_real", 3, move |row| real(row).sum.first.mean()),
                Column::count(None, "elections_real", move |row| real(row).sum.held),
                Column::count(None, "ended_well_real", move |row| real(row).sum.good),
                Column::count(None, "left_out_real", move |row| real(row).left_out),
            ]);
        }
        columns
    }

    /// Figure 1: rounds over candidates, a curve and marks for each p.
    fn plot(&self, _: &[RoundsSum], rows: &[RoundsRow]) -> Option<SvgPlot> {
        let mut chances: Vec<Percent> = rows.iter().map(|row| row.point.p).collect();
        chances.dedup();
        let of = |p: Percent| rows.iter().filter(move |row| row.point.p == p);
        let highest = rows.iter().map(|row| match row.first {
            Some(Estimate { mean, half }) => row.point.expected.max(mean + half),
            None => row.point.expected,
        });
        let most = rows.iter().map(|row| row.point.candidates).max().unwrap_or(1);
        let curve = |(place, &p): (usize, &Percent)| Curve {
            name: (place == 0).then(|| "equation 1 (dashed)".to_owned()),
            points: of(p).map(|row| (row.point.candidates.into(), row.point.expected)).collect(),
        };
        let marks = |(place, &p): (usize, &Percent)| {
            // Beside the marks of the other chances, so that bars do not hide each other.
            let aside = APART * (place as f64 - (chances.len() - 1) as f64 / 2.0);
            let mark = |row: &RoundsRow| {
                let Estimate { mean, half } = row.first?;
                Some((f64::from(row.point.candidates) + aside, mean, half))
            };
            Marks { name: format!("p = {:.2}", p.fraction()), points: of(p).filter_map(mark).collect() }
        };
        let mut marks: Vec<Marks> = chances.iter().enumerate().map(marks).collect();
        if !self.real.is_empty() {
            let mark = |row: &RoundsRow| {
                let Estimate { mean, half } = row.real?.sum.first.estimate(self.real.len())?;
                Some((f64::from(row.point.candidates), mean, half))
            };
            marks.push(Marks { name: "real processes".into(), points: rows.iter().filter_map(mark).collect() });
        }
        Some(SvgPlot {
            title: self.conditions(),
            x: Axis { label: "candidates".into(), from: 0.0, to: f64::from(most) + 1.0 },
            y: Axis {
                label: "rounds until there is a master (mean)".into(),
                from: 0.8,
                to: highest.fold(2.0, f64::max) + 0.1,
            },
            legend: Corner::LowerRight,
            curves: chances.iter().enumerate().map(curve).collect(),
            marks,
        })
    }

    fn remarks(&self, _: &[RoundsSum], rows: &[RoundsRow]) -> Vec<String> {
        let mut remarks = vec![format!(
            "{}. Each of {} points is the mean of {} elections, with its interval; all intervals hold \
             together with {:.0} % confidence. `none`, `many`, `other`, `help` and `never` count elections that ended \
             without a master, with several masters, with a process that names one which is no master, that asks for \
             help, or that has heard of no election. `later` counts those in which a process began anew; their rounds \
             are not in the mean.",
            self.conditions(),
            rows.len(),
            counts_told(rows.iter().map(|row| row.sum.held)),
            100.0 * CONFIDENCE,
        )];
        let several = rows.iter().filter(|row| row.point.candidates > 1);
        let several: Vec<(&RoundsPoint, Estimate)> = several.filter_map(|row| Some((&row.point, row.first?))).collect();
        let is_above = |(point, Estimate { mean, half }): &&(&RoundsPoint, Estimate)| mean - half > point.expected;
        let is_below = |(point, Estimate { mean, half }): &&(&RoundsPoint, Estimate)| mean + half < point.expected;
        let above = several.iter().filter(is_above);
        let above: Vec<String> =
            above.map(|(point, _)| format!("p = {:.2} with {}", point.p.fraction(), point.candidates)).collect();
        let names = if above.is_empty() { String::new() } else { format!(" ({})", above.join(", ")) };
        remarks.push(format!(
            "Of {} points with several candidates, {} lie above the formula by more than their interval{names}, \
             and {} below it.",
            several.len(),
            above.len(),
            several.iter().filter(is_below).count(),
        ));
        if rows.iter().any(|row| row.point.candidates == 1) {
            remarks.push(
                "With one candidate the formula has 1 round, and the machine takes 2: it announces itself all the same."
                    .to_owned(),
            );
        }
        if !self.real.is_empty() {
            remarks.extend(real_remarks(rows));
        }
        remarks
    }
}

/// What real elections came to, beside as many simulated ones.
fn real_remarks(rows: &[RoundsRow]) -> Vec<String> {
    let real: Vec<(&RoundsRow, RealSum<RoundsSum>)> = rows.iter().filter_map(|row| Some((row, row.real?))).collect();
    let mut inside = 0;
    let mut remarks: Vec<String> = Vec::new();
    for (row, RealSum { sum, left_out }) in &real {
        let few = sum.first.count;
        let (Some(mean), Some(foretold)) = (sum.first.mean(), row.sum.first.foretold(few, real.len())) else {
            continue;
        };
        let is_inside = foretold.has(mean);
        inside += usize::from(is_inside);
        remarks.push(format!(
            "p = {:.2} with {}, on real processes: a mean of {mean:.3} rounds, {} the {:.3} +- {:.3} in which \
             the mean of {} lies; {} of {} ended well{}.",
            row.point.p.fraction(),
            row.point.candidates,
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

impl RoundsSum {
    /// One more election ended with these states, the last one of each process.
    fn add(&mut self, states: &[(NodeId, StateVector)]) {
        let announced = |state: &StateVector| state.ballot.as_ref().map_or(0, |ballot| u64::from(ballot.announcements));
        let masters = states.iter().filter(|(node, state)| state.coordinates(*node));
        let masters: Vec<(NodeId, u64)> = masters.map(|(node, state)| (*node, announced(state))).collect();
        let is_master = |node: NodeId| masters.iter().any(|(master, _)| *master == node);
        let named = || states.iter().map(|(_, state)| state.believes_in());
        let is_on = |course: Course| states.iter().any(|(_, state)| state.course() == course);
        self.held += 1;
        if let Some(announced) = masters.iter().map(|(_, announced)| announced).max() {
            let is_later = states.iter().any(|(_, state)| state.election > Some(1));
            let rounds = if is_later { &mut self.later } else { &mut self.first };
            rounds.add(1 + announced);
        }
        let is_good = matches!(masters[..], [(master, _)] if named().all(|named| named == Some(master)));
        self.good += u64::from(is_good);
        self.no_master += u64::from(masters.is_empty());
        self.several += u64::from(masters.len() > 1);
        self.misled += u64::from(named().flatten().any(|named| !is_master(named)));
        self.in_help += u64::from(is_on(Course::Help));
        self.never_heard += u64::from(is_on(Course::Idle));
    }
}

/// A lab with this T, in which nobody begins an election yet.
fn lab_of(candidates: u16, p: Percent, tables: Tables, t: Span) -> Lab {
    let (check, silence) = (t * 2 * LASTS, t * 2 * LASTS + t);
    let opening = lab_text(("rounds", "An election."), "king-ni-c", candidates, 0, &Timing { t, check, silence });
    let text = format!("{opening}[settings]\nerrata = {}\n", tables == Tables::Mended);
    let mut lab = parse("rounds", &text, BUILT_IN).expect("the lab of an election is correct");
    lab.steps.push(step(0, When::At(t * LOSSES_BEGIN), &[&format!("loss *->* {p}")]));
    lab
}

/// The same lab, in which all are ordered to elect.
fn begun(lab: &Lab, starts: Starts, seed: u64) -> Lab {
    let (t, mut lab) = (lab.timing.t, lab.clone());
    match starts {
        Starts::Together => lab.steps.push(step(1, When::At(t * BEGINS), &["elect *"])),
        Starts::Spread => {
            let mut dice = dice(seed);
            let nodes = lab.roster.all();
            let mut moments: Vec<(u64, NodeId)> =
                nodes.iter().map(|node| (dice.next_u64() % t.nanos(), node)).collect();
            moments.sort_unstable();
            for (place, (after, node)) in moments.into_iter().enumerate() {
                let at = When::At(t * BEGINS + Span::from_nanos(after));
                lab.steps.push(step(1 + place, at, &[&format!("elect {node}")]));
            }
        }
    }
    lab
}

fn step(place: usize, when: When, lines: &[&str]) -> LabStep {
    let line = |line: &&str| line.parse::<FaultLine>().expect("the lines of an election are correct");
    let lines = lines.iter().map(line).collect();
    LabStep { name: LabStep::name_of(place), when, lines, narration: Narration::default() }
}

/// The rounds that King, Gendreau and Ni expect of Algorithm C with 1, 2, ... candidates, up to this many; p is below 1:
/// equation 1 of section 6 and its appendix. With one candidate there is 1, and with p = 0 and more candidates 2.
///
/// The formula counts one broadcast a round, `elected`; it leaves `dup` out, and it cannot fail. Each of i announcers
/// misses each other one's broadcast with the chance p, and gives way to the larger ones that it hears; P(i,j) is the
/// chance that j of i are left.
fn expected_rounds(p: f64, most: usize) -> Vec<f64> {
    let left = left_of(p, most);
    let mut expected = vec![1.0];
    for (a, of_a) in left.iter().enumerate().skip(2) {
        let none_gives_way = of_a[a];
        let fewer = (1..a).map(|i| (expected[i - 1] + 1.0) * of_a[i]).sum::<f64>();
        expected.push((none_gives_way + fewer) / (1.0 - none_gives_way));
    }
    expected.truncate(most);
    expected
}

/// `P(i,j)`, by i and j from 0.
fn left_of(p: f64, most: usize) -> Vec<Vec<f64>> {
    let mut left = vec![vec![0.0; most + 1]; most + 1];
    for i in 1..=most {
        // The i-th in rank stays if it misses the i-1 that outrank it.
        let stays = p.powi(i as i32 - 1);
        for j in 1..=i {
            left[i][j] = if i == 1 { 1.0 } else { left[i - 1][j] * (1.0 - stays) + left[i - 1][j - 1] * stays };
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::super::measurement::tests::{found, written};
    use super::*;
    use fault::Mutant;
    use mutants::king_ni::{DupNotSent, NobodyGivesWay};
    use protocol::MachineKind;
    use sim::start_as;

    #[test]
    fn the_values_are_those_of_figure_1() {
        for (p, five, hundred) in [(0.1, 2.122, 2.122), (0.2, 2.300, 2.300), (0.3, 2.554, 2.557), (0.5, 3.450, 3.498)] {
            let expected = expected_rounds(p, 100);
            assert!((expected[4] - five).abs() < 6e-4, "p = {p}: {}", expected[4]);
            assert!((expected[99] - hundred).abs() < 6e-4, "p = {p}: {}", expected[99]);
        }
    }

    #[test]
    fn one_candidate_takes_one_round_and_two_take_one_more_until_one_of_them_hears() {
        for p in [0.0, 0.05, 0.5, 0.8] {
            let expected = expected_rounds(p, 2);
            assert_eq!(expected[0], 1.0);
            assert!((expected[1] - (1.0 + 1.0 / (1.0 - p))).abs() < 1e-12, "p = {p}: {}", expected[1]);
        }
        assert!(expected_rounds(0.0, 20)[1..].iter().all(|rounds| *rounds == 2.0));
    }

    #[test]
    fn three_rounds_are_crossed_where_the_notes_say() {
        assert!((expected_rounds(0.5, 2)[1] - 3.0).abs() < 1e-12);
        assert!(expected_rounds(0.413, 100)[99] < 3.0 && expected_rounds(0.415, 100)[99] > 3.0);
    }

    const CHANCES: [u8; 6] = [5, 10, 20, 30, 40, 50];

    fn measurement(chances: &[u8], candidates: &[u16], starts: Starts, tables: Tables) -> RoundsMeasurement {
        let chances: Vec<Percent> = chances.iter().map(|p| Percent::whole(*p)).collect();
        RoundsMeasurement::new(&chances, candidates, starts, tables)
    }

    /// The points whose mean lies above the formula by more than its interval and this much more.
    fn above(measurement: &RoundsMeasurement, sums: &[RoundsSum], by: f64) -> Vec<(u16, Percent)> {
        let is_above = |(point, sum): &(&RoundsPoint, &RoundsSum)| {
            let estimate = sum.first.estimate(sums.len()).unwrap();
            estimate.mean - estimate.half > point.expected + by
        };
        let points = measurement.points().iter().zip(sums).filter(is_above);
        points.map(|(point, _)| (point.candidates, point.p)).collect()
    }

    #[test]
    fn together_no_mean_of_several_candidates_lies_above_the_formula_and_one_candidate_takes_two_rounds() {
        let measurement = measurement(&CHANCES, &[1, 2, 5, 10], Starts::Together, Tables::Mended);
        let sums = found(&measurement, "0..120");
        let ones: Vec<(u16, Percent)> = CHANCES.iter().map(|p| (1, Percent::whole(*p))).collect();
        assert_eq!(above(&measurement, &sums, 0.0), ones);
        for (point, sum) in measurement.points().iter().zip(&sums) {
            assert_eq!(sum.held, 120);
            assert!(point.candidates > 1 || (point.expected, sum.first.mean()) == (1.0, Some(2.0)));
        }
    }

    #[test]
    fn spread_starts_cost_at_most_a_twentieth_of_a_round_and_for_much_loss_nothing() {
        let measurement = measurement(&CHANCES, &[2, 5, 10], Starts::Spread, Tables::Mended);
        let sums = found(&measurement, "0..120");
        assert_eq!(above(&measurement, &sums, 0.05), []);
        for (point, sum) in measurement.points().iter().zip(&sums).filter(|(point, _)| point.p >= Percent::whole(30)) {
            let mean = sum.first.mean().unwrap();
            assert!(mean < point.expected, "{point:?}: {mean}");
        }
    }

    #[test]
    fn to_the_letter_a_follower_that_misses_the_one_announcement_asks_for_help() {
        let measurement = measurement(&[10], &[2, 5, 10], Starts::Together, Tables::ToTheLetter);
        for (point, sum) in measurement.points().iter().zip(found(&measurement, "0..400")) {
            let share = 1.0 - 0.9f64.powi(i32::from(point.candidates) - 1);
            // Four standard deviations of a count of four hundred.
            let scatter = 4.0 * (400.0 * share * (1.0 - share)).sqrt();
            assert!((sum.in_help as f64 - 400.0 * share).abs() < scatter, "{point:?}: {sum:?}");
            assert_eq!((sum.later.count, sum.no_master), (0, 0));
        }
    }

    /// Hole 2 strikes where `elected` is faster than `init` was.
    #[test]
    fn to_the_letter_spread_starts_leave_processes_in_help_with_nothing_lost() {
        let measurement = measurement(&[0], &[2, 5, 10], Starts::Spread, Tables::ToTheLetter);
        let helpless: Vec<u64> = found(&measurement, "0..400").iter().map(|sum| sum.in_help).collect();
        assert!((25..75).contains(&helpless[0]), "{helpless:?}");
        assert!((90..165).contains(&helpless[1]) && (115..200).contains(&helpless[2]), "{helpless:?}");
    }

    #[test]
    fn mended_most_elections_end_well_with_three_of_ten_lost() {
        let measurement = measurement(&[30], &[2, 5, 10], Starts::Together, Tables::Mended);
        let sums = found(&measurement, "0..1000");
        for (sum, least) in sums.iter().zip([955, 980, 985]) {
            assert!(sum.good >= least, "{sum:?}, and at least {least}");
        }
    }

    /// What three of ten lost do to five candidates with this machine, in a thousand elections.
    fn at_five(machine: Option<MachineStart>) -> RoundsSum {
        let measurement = measurement(&[30], &[5], Starts::Together, Tables::Mended);
        let machine = machine.unwrap_or(measurement.machine);
        found(&RoundsMeasurement { machine, ..measurement }, "0..1000")[0]
    }

    #[test]
    fn the_table_shows_that_nobody_gives_way_and_that_dup_is_not_sent() {
        let (true_one, formula) = (at_five(None), expected_rounds(0.3, 5)[4]);
        let mutant: MachineStart = |plan| start_as(MachineKind::of::<Mutant<NobodyGivesWay>>(), plan, Box::new(|_| {}));
        let stubborn = at_five(Some(mutant)).first.estimate(1).unwrap();
        assert!(stubborn.mean - stubborn.half > formula, "{stubborn:?} of {formula}");
        let mutant: MachineStart = |plan| start_as(MachineKind::of::<Mutant<DupNotSent>>(), plan, Box::new(|_| {}));
        let silent = at_five(Some(mutant));
        assert!(2 * silent.several >= 3 * true_one.several.max(1), "{} and {}", silent.several, true_one.several);
    }

    #[test]
    fn the_same_seeds_give_the_same_sheet() {
        let measurement = measurement(&[10, 30], &[1, 2, 5], Starts::Spread, Tables::Mended);
        let exhibit = measurement.exhibit(&found(&measurement, "7..31"));
        insta::assert_snapshot!(written(&exhibit, " "));
        insta::assert_snapshot!("plot", exhibit.plot.unwrap().svg().unwrap());
    }
}
