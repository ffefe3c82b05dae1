//! The survey of any lab: what is counted in a stretch of its runs, for each seed.
//!
//! Invariant: a seed plays the same run as in `simulate`.

use std::cell::RefCell;
use std::sync::Arc;

use super::super::{Exhibit, SeedSurvey};
use super::counted::Counted;
use super::sheet::{RowForm, exhibit};
use super::stretch::{Bounds, RunStretch};
use super::sum::FiguresSum;
use lab::Lab;
use script::Pace;
use sim::{After, Moves, Plan, Recorded, Weather};

/// The survey.
#[derive(Clone, Debug)]
pub struct FiguresSurvey {
    /// The lab.
    pub lab: Arc<Lab>,
    /// From where to where is counted.
    pub bounds: Bounds,
    /// What is counted.
    pub counted: Vec<Counted>,
    /// How it is shown.
    pub form: RowForm,
}

impl SeedSurvey for FiguresSurvey {
    type Sum = FiguresSum;

    fn points(&self) -> usize {
        1
    }

    fn look(&self, _: usize, seed: u64, sum: &mut FiguresSum) {
        let plan = Plan {
            lab: Arc::clone(&self.lab),
            seed,
            dice: seed,
            weather: Weather::Drawn,
            moves: Moves::Typed,
            pace: Pace::Played,
            recorded: Recorded::Unjudged,
            after: After::End,
        };
        let stretch = RefCell::new(RunStretch::new(&self.lab, &self.bounds));
        let end = sim::run(&plan, Box::new(|record| stretch.borrow_mut().take(record)));
        let ended_at = i64::try_from(end.lasted).unwrap_or(i64::MAX);
        sum.add(seed, stretch.into_inner().finish(ended_at, &self.counted));
    }

    fn exhibit(&self, sums: &[FiguresSum]) -> Exhibit {
        exhibit(&self.lab.name, &self.bounds, &self.counted, self.form, &sums[0])
    }
}
