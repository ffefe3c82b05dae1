//! How any measurement is carried out and shown, and what all of them take.
//!
//! Invariant: a measurement that is broken off shows what it has, and says so; a part that is broken off is not
//! printed.

use std::num::{NonZeroU32, NonZeroUsize};

use super::super::bar::ProgressBar;
use super::super::columns::counted;
use super::super::output::remark;
use super::super::parts::{self, PartSet, SurveyQuestion};
use super::super::signals::Signals;
use super::super::{code, jobs};
use super::holding::hold_real;
use super::showing::Showing;
use host::HostError;
use measure::time::T;
use measure::{Findings, FindingsExtent, Measurement, RealProgress, carry_out};
use protocol::Span;
use sim::campaign::{CampaignControl, Progress, SeedShard, Seeds};

/// What all measurements take.
#[derive(Debug, clap::Args)]
pub struct Surveying {
    /// The number of threads; without it, one for each processor
    #[arg(long, value_name = "N", value_parser = jobs::parse)]
    jobs: Option<NonZeroUsize>,
    /// Look at one shard of the seeds, such as 1/8 for the first of eight, and print a part for `hustings merge`
    #[arg(long, value_name = "I/N", conflicts_with_all = ["csv", "svg"])]
    shard: Option<SeedShard>,
    #[command(flatten)]
    showing: Showing,
}

/// What is done with a measurement.
pub enum Task<'a> {
    /// Is carried out.
    CarryOut(Order<'a>),
    /// What these parts of it have found is shown.
    Merge(&'a PartSet, &'a Showing),
}

/// A measurement that a person orders.
pub struct Order<'a> {
    /// What is measured.
    pub question: SurveyQuestion,
    /// With which seeds.
    pub seeds: Seeds,
    /// How it is carried out.
    pub surveying: &'a Surveying,
    /// How many runs on real processes each of the points has that take any.
    pub real: Option<NonZeroU32>,
    /// The bound T of the real ones, where it may be chosen.
    pub real_t: Option<Span>,
}

impl Task<'_> {
    /// The bound T of real runs.
    pub fn real_t(&self) -> Span {
        match self {
            Task::CarryOut(order) => order.real_t.unwrap_or(T),
            Task::Merge(..) => T,
        }
    }

    /// Makes the runs on real processes that are ordered, at these points.
    ///
    /// # Errors
    /// The plot could not be written, a lab did not start, or a signal came; stderr has the reason, and this is the
    /// exit code.
    pub fn hold_real(
        &self,
        points: &[usize],
        hold: &mut dyn FnMut(usize, u64) -> Result<RealProgress, HostError>,
    ) -> Result<(), u8> {
        match self {
            Task::CarryOut(Order { real: Some(real), surveying, .. }) => {
                surveying.showing.check()?;
                hold_real(real.get(), points, hold)
            }
            Task::CarryOut(_) | Task::Merge(..) => Ok(()),
        }
    }

    /// Carries the measurement out, or merges its parts, and shows what was found; returns the exit code.
    ///
    /// # Errors
    /// It could not; stderr has the reason, and this is the exit code.
    pub fn perform<M: Measurement>(&self, measurement: &M) -> Result<u8, u8> {
        match self {
            Task::CarryOut(order) => order.carry_out(measurement),
            Task::Merge(parts, showing) => {
                showing.check()?;
                showing.show(&measurement.exhibit(&merged(measurement, parts)?))?;
                Ok(code::MET)
            }
        }
    }
}

impl<'a> Order<'a> {
    fn carry_out<M: Measurement>(&self, measurement: &M) -> Result<u8, u8> {
        let Surveying { jobs, shard, showing } = self.surveying;
        showing.check()?;
        let seeds = parts::seeds_of(self.seeds, *shard)?;
        let signals = Signals::listen()?;
        let jobs = jobs::or_all(*jobs);
        let points = counted(measurement.points().len() as u64, "point");
        remark(format!("{points}, seeds {seeds}, on {}", counted(jobs.get() as u64, "thread")));
        let mut bar = ProgressBar::new();
        let mut watch = |done| {
            bar.show(&Progress { done, seeds: seeds.number(), first_failed: None });
            if signals.has_come() { CampaignControl::NoFurther } else { CampaignControl::On }
        };
        let Findings { sums, extent } = signals.interrupt.over(|| carry_out(measurement, seeds, jobs, &mut watch));
        bar.clear();
        let broken_off = signals.came().filter(|_| extent == FindingsExtent::BrokenOff);
        match (broken_off, *shard) {
            (None, None) => showing.show(&measurement.exhibit(&sums))?,
            (None, Some(shard)) => parts::print(self.question.clone(), self.seeds, shard, sums),
            (Some(_), None) => {
                showing.show(&measurement.exhibit(&sums))?;
                remark("broken off: the table holds what was measured until then");
            }
            (Some(_), Some(_)) => remark("broken off: no part is printed"),
        }
        Ok(broken_off.map_or(code::MET, code::signal))
    }
}

/// The sums of all parts together.
fn merged<M: Measurement>(measurement: &M, parts: &PartSet) -> Result<Vec<M::Sum>, u8> {
    let refused = |why: String| {
        remark(why);
        code::LAB_INVALID
    };
    let found: Vec<Vec<M::Sum>> = parts.found().map_err(refused)?;
    let mut sums: Vec<M::Sum> = measurement.points().iter().map(|_| M::Sum::default()).collect();
    for part in found {
        if part.len() != sums.len() {
            return Err(refused(format!("a part has {} points, and not {}", part.len(), sums.len())));
        }
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    Ok(sums)
}
