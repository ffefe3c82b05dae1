//! What all measurements take, and how they are carried out.
//!
//! Invariant: a measurement that is broken off shows what it has, and says so; a part that is broken off is not printed.

use std::num::NonZeroUsize;

use super::super::bar::Bar;
use super::super::columns::counted;
use super::super::parts::{self, SurveyQuestion};
use super::super::signals::Signals;
use super::super::tell::remark;
use super::super::{code, jobs};
use super::showing::Showing;
use measure::{Findings, SeedSurvey, SurveyExtent, carry_out};
use sim::campaign::{Go, Progress, SeedShard, Seeds};

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

impl Surveying {
    /// Whether the files that it is to write can be made.
    ///
    /// # Errors
    /// One cannot; stderr has the reason, and this is the exit code.
    pub fn check(&self) -> Result<(), u8> {
        self.showing.check()
    }

    /// Carries out the survey with these seeds and shows what it finds, or prints it as a part; returns the exit code.
    pub fn show(&self, asked: SurveyQuestion, survey: &impl SeedSurvey, seeds: Seeds) -> u8 {
        self.try_to_show(asked, survey, seeds).unwrap_or_else(|code| code)
    }

    fn try_to_show(&self, asked: SurveyQuestion, survey: &impl SeedSurvey, all: Seeds) -> Result<u8, u8> {
        self.showing.check()?;
        let seeds = parts::seeds_of(all, self.shard)?;
        let signals = Signals::listen()?;
        let jobs = jobs::or_all(self.jobs);
        let points = counted(survey.points() as u64, "point");
        remark(format!("{points}, seeds {seeds}, on {}", counted(jobs.get() as u64, "thread")));
        let mut bar = Bar::new();
        let mut watch = |done| {
            bar.show(&Progress { done, seeds: seeds.number(), first_failed: None });
            if signals.has_come() { Go::NoFurther } else { Go::On }
        };
        let Findings { sums, extent } = signals.interrupt.over(|| carry_out(survey, seeds, jobs, &mut watch));
        bar.clear();
        let broken_off = signals.came().filter(|_| extent == SurveyExtent::BrokenOff);
        match (broken_off, self.shard) {
            (None, None) => self.showing.show(&survey.exhibit(&sums))?,
            (None, Some(shard)) => parts::print(asked, all, shard, sums),
            (Some(_), None) => {
                self.showing.show(&survey.exhibit(&sums))?;
                remark("broken off: the table holds what was measured until then");
            }
            (Some(_), Some(_)) => remark("broken off: no part is printed"),
        }
        Ok(broken_off.map_or(code::MET, code::signal))
    }
}
