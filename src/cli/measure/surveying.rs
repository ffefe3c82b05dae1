//! What all measurements take, and how they show what they found.
//!
//! Invariant: a plot's file is refused before anything is measured if it cannot be made then; a measurement that is
//! broken off shows what it has, and says so.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::super::bar::Bar;
use super::super::columns::{aligned, counted};
use super::super::new_file::{self, Existing};
use super::super::signals::Signals;
use super::super::tell::{COLUMNS, remark, say, wrapped};
use super::super::{code, jobs};
use crate::measure::{Exhibit, Findings, SeedSurvey, SurveyExtent, SvgPlot, carry_out};
use crate::sim::campaign::{Go, Progress, Seeds};

/// What all measurements take.
#[derive(Debug, clap::Args)]
pub struct Surveying {
    /// The number of threads; without it, one for each processor
    #[arg(long, value_name = "N", value_parser = jobs::parse)]
    jobs: Option<NonZeroUsize>,
    /// The table as CSV
    #[arg(long)]
    csv: bool,
    /// Draw a plot to this new file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace the plot's file if it exists already
    #[arg(long, requires = "svg")]
    force: bool,
}

impl Surveying {
    /// Carries out the survey with these seeds and shows what it finds; returns the exit code.
    pub fn show(&self, survey: &impl SeedSurvey, seeds: Seeds) -> u8 {
        match self.try_to_show(survey, seeds) {
            Ok(code) | Err(code) => code,
        }
    }

    fn try_to_show(&self, survey: &impl SeedSurvey, seeds: Seeds) -> Result<u8, u8> {
        if let Some(path) = self.svg.as_deref().filter(|path| !self.force && path.symlink_metadata().is_ok()) {
            remark(format!(
                "{}: the file exists already; name a new file, or add --force to replace it",
                path.display()
            ));
            return Err(code::ENVIRONMENT);
        }
        let mut signals = Signals::listen()?;
        let jobs = jobs::or_all(self.jobs);
        let points = counted(survey.points() as u64, "point");
        remark(format!("{points}, seeds {seeds}, on {}", counted(jobs.get() as u64, "thread")));
        let mut bar = Bar::new();
        let Findings { sums, extent } = carry_out(survey, seeds, jobs, &mut |done| {
            bar.show(&Progress { done, seeds: seeds.number(), first_failed: None });
            if signals.has_come() { Go::NoFurther } else { Go::On }
        });
        bar.clear();
        let Exhibit { sheet, plot, remarks } = survey.exhibit(&sums);
        if self.csv {
            sheet.csv().iter().for_each(say);
        } else {
            aligned(&sheet.text(), 0).iter().for_each(say);
            for remark in &remarks {
                say("");
                wrapped(remark, COLUMNS).iter().for_each(say);
            }
        }
        if let (Some(path), Some(plot)) = (&self.svg, plot) {
            self.draw(path, &plot)?;
        }
        match (extent, signals.came) {
            (SurveyExtent::BrokenOff, Some(signal)) => {
                remark("broken off: the table holds what was measured until then");
                Ok(code::signal(signal))
            }
            _ => Ok(code::MET),
        }
    }

    fn draw(&self, path: &Path, plot: &SvgPlot) -> Result<(), u8> {
        let svg = plot.svg().map_err(|error| {
            remark(format!("{}: {error}", path.display()));
            code::FAILED
        })?;
        let existing = if self.force { Existing::Replaced } else { Existing::Kept };
        new_file::write(path, existing, &mut |out| out.write_all(svg.as_bytes())).map_err(|error| {
            remark(format!("cannot write to {}: {error}", path.display()));
            if error.kind() == ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(&error) }
        })
    }
}
