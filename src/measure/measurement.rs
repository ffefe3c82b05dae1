//! Measurements: points, each looked at with every seed, and what was added up there, as a sheet, a plot and sentences.
//!
//! Work is handed out to the threads by small ranges of seeds, each with all points, so a measurement that is broken off
//! has looked at its points about equally often.
//!
//! Invariant: what is found is a function of the points and the seeds: it depends neither on the order of the summands
//! nor on the number of threads.

use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::plot::SvgPlot;
use sim::Interrupt;
use sim::campaign::{CampaignControl, Seeds};
use world::{FigureSheet, SheetCell, SheetColumn};

/// How many seeds of a point are looked at in one go.
const SEEDS_AT_ONCE: u64 = 4;
/// How often progress is reported.
const TELLS_EVERY: Duration = Duration::from_millis(100);

/// A claim of a paper, measured on many simulated runs.
pub trait Measurement: Sync {
    /// Where the same thing is tried with every seed, such as an algorithm with a number of processes.
    type Point: Sync;
    /// What is added up at a point.
    type Sum: AddAssign + Default + Send + Serialize + DeserializeOwned;
    /// What a row of the sheet is made of: mostly a point and its sum.
    type Row;

    /// The points, in the order of their sums.
    fn points(&self) -> &[Self::Point];
    /// Makes the trials of this point with this seed, and adds what came of them.
    fn look(&self, point: &Self::Point, seed: u64, sum: &mut Self::Sum);
    /// The rows that these sums make, one sum for each point.
    fn rows(&self, sums: &[Self::Sum]) -> Vec<Self::Row>;
    /// The columns of the sheet.
    fn columns(&self) -> Vec<Column<Self::Row>>;
    /// The plot, if there is anything to draw.
    fn plot(&self, sums: &[Self::Sum], rows: &[Self::Row]) -> Option<SvgPlot>;
    /// What they come to, in sentences.
    fn remarks(&self, sums: &[Self::Sum], rows: &[Self::Row]) -> Vec<String>;

    /// What these sums show, one for each point.
    fn exhibit(&self, sums: &[Self::Sum]) -> Exhibit {
        let (rows, columns) = (self.rows(sums), self.columns());
        let cells = |row: &Self::Row| columns.iter().map(|column| (column.cell)(row)).collect();
        let heads = columns.iter().map(|column| column.head.clone());
        let sheet = FigureSheet { columns: heads.collect(), rows: rows.iter().map(cells).collect() };
        Exhibit { sheet, plot: self.plot(sums, &rows), remarks: self.remarks(sums, &rows) }
    }
}

/// A column of a sheet: its head, and what stands there in each row.
pub struct Column<R> {
    head: SheetColumn,
    cell: Box<dyn Fn(&R) -> SheetCell>,
}

/// What a measurement shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Exhibit {
    /// The table.
    pub sheet: FigureSheet,
    pub plot: Option<SvgPlot>,
    /// The sentences.
    pub remarks: Vec<String>,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings<T> {
    /// By point.
    pub sums: Vec<T>,
    /// Whether every point was looked at with every seed.
    pub extent: FindingsExtent,
}

/// How far a measurement came.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FindingsExtent {
    /// To its end.
    Whole,
    /// Was broken off.
    BrokenOff,
}

impl<R> Column<R> {
    /// A column with its title for people and its field in CSV, which has the unit. It is in CSV alone without a title, and
    /// for people alone without a field.
    pub fn new<'h>(
        title: impl Into<Option<&'h str>>,
        field: impl Into<Option<&'h str>>,
        cell: impl Fn(&R) -> SheetCell + 'static,
    ) -> Column<R> {
        let [title, field] = [title.into(), field.into()].map(|head| head.map(str::to_owned));
        Column { head: SheetColumn { title, field }, cell: Box::new(cell) }
    }

    /// A column of words.
    pub fn text<'h>(
        title: impl Into<Option<&'h str>>,
        field: impl Into<Option<&'h str>>,
        text: impl Fn(&R) -> String + 'static,
    ) -> Column<R> {
        Column::new(title, field, move |row| SheetCell::Text(text(row)))
    }

    /// A column of counts.
    pub fn count<'h>(
        title: impl Into<Option<&'h str>>,
        field: &'h str,
        count: impl Fn(&R) -> u64 + 'static,
    ) -> Column<R> {
        Column::new(title, field, move |row| SheetCell::Count(count(row)))
    }

    /// A column of numbers with so many digits after their points; a cell may have none.
    pub fn number<'h>(
        title: impl Into<Option<&'h str>>,
        field: &'h str,
        digits: usize,
        number: impl Fn(&R) -> Option<f64> + 'static,
    ) -> Column<R> {
        Column::new(title, field, move |row| SheetCell::of(number(row), digits))
    }
}

/// Looks at every point with every seed. Reports ten times a second how many seeds are done, about; the answer says
/// whether it goes on.
pub fn carry_out<M: Measurement>(
    measurement: &M,
    seeds: Seeds,
    jobs: NonZeroUsize,
    watch: &mut dyn FnMut(u64) -> CampaignControl,
) -> Findings<M::Sum> {
    let points = measurement.points();
    let pieces = seeds.number().div_ceil(SEEDS_AT_ONCE) * points.len() as u64;
    let (next, interrupt) = (AtomicU64::new(0), Interrupt::of_thread());
    let none = || -> Vec<M::Sum> { points.iter().map(|_| M::Sum::default()).collect() };
    let mut sums = none();
    let mut whole = true;
    let work = |seeds: Seeds| {
        let mut sums = none();
        loop {
            if interrupt.is_raised() {
                return (sums, false);
            }
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                return (sums, true);
            }
            let (range, place) = (piece / points.len() as u64, piece as usize % points.len());
            let first = seeds.first() + range * SEEDS_AT_ONCE;
            for seed in first..(first + SEEDS_AT_ONCE).min(seeds.end()) {
                let mut found = M::Sum::default();
                measurement.look(&points[place], seed, &mut found);
                if interrupt.is_raised() {
                    // It may have been broken off.
                    return (sums, false);
                }
                sums[place] += found;
            }
        }
    };
    std::thread::scope(|scope| {
        // Nothing is ever sent: the last thread to end closes it.
        let (alive, all_ended) = channel::<()>();
        let threads: Vec<_> = (0..jobs.get())
            .map(|_| {
                let (alive, work, interrupt) = (alive.clone(), &work, &interrupt);
                scope.spawn(move || {
                    let _alive = alive;
                    interrupt.over(|| work(seeds))
                })
            })
            .collect();
        drop(alive);
        while all_ended.recv_timeout(TELLS_EVERY) == Err(RecvTimeoutError::Timeout) {
            let done = next.load(Ordering::Relaxed).min(pieces) * SEEDS_AT_ONCE / points.len().max(1) as u64;
            if watch(done.min(seeds.number())) == CampaignControl::NoFurther {
                interrupt.raise();
            }
        }
        for thread in threads {
            let (found, is_whole) = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            sums.iter_mut().zip(found).for_each(|(sum, part)| *sum += part);
            whole &= is_whole;
        }
    });
    Findings { sums, extent: if whole { FindingsExtent::Whole } else { FindingsExtent::BrokenOff } }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::sample::Sample;
    use super::*;

    /// What this measurement finds with these seeds.
    pub(crate) fn found<M: Measurement>(measurement: &M, seeds: &str) -> Vec<M::Sum> {
        let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        carry_out(measurement, seeds.parse().unwrap(), jobs, &mut |_| CampaignControl::On).sums
    }

    /// What this measurement finds with these seeds, and shows.
    pub(crate) fn shown<M: Measurement>(measurement: &M, seeds: &str) -> (Vec<M::Sum>, Exhibit) {
        let sums = found(measurement, seeds);
        let exhibit = measurement.exhibit(&sums);
        (sums, exhibit)
    }

    /// An exhibit but for its plot: the table, with this between its cells, CSV and the sentences.
    pub(crate) fn written(exhibit: &Exhibit, between: &str) -> String {
        let Exhibit { sheet, remarks, .. } = exhibit;
        let rows: Vec<String> = sheet.text().iter().map(|row| row.join(between)).collect();
        [rows, sheet.csv(), remarks.clone()].map(|part| part.join("\n")).join("\n\n")
    }

    /// What a measurement does with each of its points, which are numbers, and a seed.
    struct Numbers(&'static [u64], fn(u64, u64, &mut Sample));

    impl Measurement for Numbers {
        type Point = u64;
        type Sum = Sample;
        type Row = Sample;

        fn points(&self) -> &[u64] {
            self.0
        }

        fn look(&self, point: &u64, seed: u64, sum: &mut Sample) {
            (self.1)(*point, seed, sum);
        }

        fn rows(&self, sums: &[Sample]) -> Vec<Sample> {
            sums.to_vec()
        }

        fn columns(&self) -> Vec<Column<Sample>> {
            vec![
                Column::text("many", None, |row: &Sample| row.count.to_string()),
                Column::number(None, "mean", 0, Sample::mean),
            ]
        }

        fn plot(&self, _: &[Sample], _: &[Sample]) -> Option<SvgPlot> {
            None
        }

        fn remarks(&self, _: &[Sample], rows: &[Sample]) -> Vec<String> {
            vec![format!("{} rows.", rows.len())]
        }
    }

    fn jobs(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    #[test]
    fn each_point_is_looked_at_with_each_seed_whatever_the_threads() {
        let (multiples, seeds) =
            (Numbers(&[0, 1, 2], |point, seed, sum| sum.add(seed * point)), "5..16".parse().unwrap());
        let alone = carry_out(&multiples, seeds, jobs(1), &mut |_| CampaignControl::On);
        assert_eq!(alone.extent, FindingsExtent::Whole);
        assert_eq!(alone.sums.iter().map(|sum| sum.count).collect::<Vec<_>>(), [11, 11, 11]);
        assert_eq!(alone.sums[2].mean(), Some(20.0));
        assert_eq!(carry_out(&multiples, seeds, jobs(5), &mut |_| CampaignControl::On), alone);
        assert_eq!(
            written(&multiples.exhibit(&alone.sums[1..]), " "),
            "many\n11\n11\n\nmean\n10.000\n20.000\n\n2 rows."
        );
    }

    #[test]
    fn a_survey_that_is_broken_off_has_looked_at_its_points_about_equally_often() {
        let slow = Numbers(&[0, 1], |_, _, sum| {
            std::thread::sleep(Duration::from_millis(5));
            sum.add(1);
        });
        let found = carry_out(&slow, "0..1000000".parse().unwrap(), jobs(2), &mut |_| CampaignControl::NoFurther);
        assert_eq!(found.extent, FindingsExtent::BrokenOff);
        let counts: Vec<u64> = found.sums.iter().map(|sum| sum.count).collect();
        assert!(counts[0] > 0 && counts[0].abs_diff(counts[1]) <= 2 * SEEDS_AT_ONCE, "{counts:?}");
    }
}
