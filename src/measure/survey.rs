//! Surveys: the same points, each looked at with every seed, on several threads.
//!
//! Work is handed out by small ranges of seeds, each with all points, so a survey that is broken off has looked at its
//! points about equally often.
//!
//! Invariant: what a survey finds is a function of its points and seeds: what is added up depends
//! neither on the order of the summands nor on the number of threads.

use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::exhibit::Exhibit;
use sim::Interrupt;
use sim::campaign::{Go, Seeds};

/// How many seeds of a point are looked at in one go.
const SEEDS_AT_ONCE: u64 = 4;
/// How often progress is reported.
const TELLS_EVERY: Duration = Duration::from_millis(100);

/// Points at which a lab is looked at with many seeds.
pub trait SeedSurvey: Sync {
    /// What is added up at a point.
    type Sum: AddAssign + Default + Send + Serialize + DeserializeOwned;

    /// How many points there are.
    fn points(&self) -> usize;
    /// Looks at this point with this seed.
    fn look(&self, point: usize, seed: u64, sum: &mut Self::Sum);
    /// What these sums show, one for each point.
    fn exhibit(&self, sums: &[Self::Sum]) -> Exhibit;
}

/// What a survey has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings<T> {
    /// By point.
    pub sums: Vec<T>,
    /// Whether every point was looked at with every seed.
    pub extent: SurveyExtent,
}

/// How far a survey came.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum SurveyExtent {
    /// To its end.
    Whole,
    /// It was broken off.
    BrokenOff,
}

/// Carries out a survey. Reports ten times a second how many seeds are done, about; the answer says whether it goes on.
pub fn carry_out<S: SeedSurvey>(
    survey: &S,
    seeds: Seeds,
    jobs: NonZeroUsize,
    watch: &mut dyn FnMut(u64) -> Go,
) -> Findings<S::Sum> {
    let points = survey.points() as u64;
    let pieces = seeds.number().div_ceil(SEEDS_AT_ONCE) * points;
    let (next, interrupt) = (AtomicU64::new(0), Interrupt::of_thread());
    let mut sums: Vec<S::Sum> = none(survey);
    let mut whole = true;
    let work = |seeds: Seeds| {
        let mut sums: Vec<S::Sum> = none(survey);
        loop {
            if interrupt.is_raised() {
                return (sums, false);
            }
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                return (sums, true);
            }
            let (first, point) = (seeds.first() + piece / points * SEEDS_AT_ONCE, (piece % points) as usize);
            for seed in first..(first + SEEDS_AT_ONCE).min(seeds.end()) {
                let mut found = S::Sum::default();
                survey.look(point, seed, &mut found);
                if interrupt.is_raised() {
                    // It may have been broken off.
                    return (sums, false);
                }
                sums[point] += found;
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
            let done = next.load(Ordering::Relaxed).min(pieces) * SEEDS_AT_ONCE / points.max(1);
            if watch(done.min(seeds.number())) == Go::NoFurther {
                interrupt.raise();
            }
        }
        for thread in threads {
            let (found, is_whole) = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            sums.iter_mut().zip(found).for_each(|(sum, part)| *sum += part);
            whole &= is_whole;
        }
    });
    Findings { sums, extent: if whole { SurveyExtent::Whole } else { SurveyExtent::BrokenOff } }
}

/// Nothing found yet, at each point.
fn none<S: SeedSurvey>(survey: &S) -> Vec<S::Sum> {
    (0..survey.points()).map(|_| S::Sum::default()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Sample;
    use super::*;

    /// At each point the seeds times the point are observed.
    struct Multiples;

    impl SeedSurvey for Multiples {
        type Sum = Sample;

        fn points(&self) -> usize {
            3
        }

        fn look(&self, point: usize, seed: u64, sum: &mut Sample) {
            sum.add(seed * point as u64);
        }

        fn exhibit(&self, _: &[Sample]) -> Exhibit {
            unreachable!("nobody looks at it")
        }
    }

    fn jobs(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    #[test]
    fn each_point_is_looked_at_with_each_seed_whatever_the_threads() {
        let seeds: Seeds = "5..16".parse().unwrap();
        let alone = carry_out(&Multiples, seeds, jobs(1), &mut |_| Go::On);
        assert_eq!(alone.extent, SurveyExtent::Whole);
        assert_eq!(alone.sums.iter().map(|sum| sum.count).collect::<Vec<_>>(), [11, 11, 11]);
        assert_eq!(alone.sums[2].mean(), Some(20.0));
        assert_eq!(carry_out(&Multiples, seeds, jobs(5), &mut |_| Go::On), alone);
    }

    /// It takes for ever, unless it is broken off.
    struct Slow;

    impl SeedSurvey for Slow {
        type Sum = Sample;

        fn points(&self) -> usize {
            2
        }

        fn look(&self, _: usize, _: u64, sum: &mut Sample) {
            std::thread::sleep(Duration::from_millis(5));
            sum.add(1);
        }

        fn exhibit(&self, _: &[Sample]) -> Exhibit {
            unreachable!("nobody looks at it")
        }
    }

    #[test]
    fn a_survey_that_is_broken_off_has_looked_at_its_points_about_equally_often() {
        let seeds: Seeds = "0..1000000".parse().unwrap();
        let found = carry_out(&Slow, seeds, jobs(2), &mut |_| Go::NoFurther);
        assert_eq!(found.extent, SurveyExtent::BrokenOff);
        let counts: Vec<u64> = found.sums.iter().map(|sum| sum.count).collect();
        assert!(counts[0] > 0 && counts[0].abs_diff(counts[1]) <= 2 * SEEDS_AT_ONCE, "{counts:?}");
    }
}
