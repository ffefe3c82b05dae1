//! How a measurement shows what it found: a table, CSV, a plot.
//!
//! Invariant: a plot's file is refused before anything is measured if it could not be made.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::super::code;
use super::super::columns::aligned;
use super::super::new_file::{self, Existing};
use super::super::output::{COLUMNS, remark, say, wrapped};
use measure::{Exhibit, SvgPlot};

/// How a measurement shows what it found.
#[derive(Debug, clap::Args)]
pub struct Showing {
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

impl Showing {
    /// Whether CSV or a plot is asked for.
    pub fn is_asked_for(&self) -> bool {
        self.csv || self.svg.is_some()
    }

    /// Whether the plot's file can be made.
    ///
    /// # Errors
    /// It cannot; stderr has the reason, and this is the exit code.
    pub fn check(&self) -> Result<(), u8> {
        let Some(path) = &self.svg else { return Ok(()) };
        new_file::check(path, self.existing()).map_err(|error| refused(path, &error))
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replaced } else { Existing::Kept }
    }

    /// Shows it.
    ///
    /// # Errors
    /// The plot could not be written; stderr has the reason, and this is the exit code.
    pub fn show(&self, exhibit: &Exhibit) -> Result<(), u8> {
        let Exhibit { sheet, plot, remarks } = exhibit;
        if self.csv {
            sheet.csv().iter().for_each(say);
        } else {
            aligned(&sheet.text(), 0).iter().for_each(say);
            for remark in remarks {
                say("");
                wrapped(remark, COLUMNS).iter().for_each(say);
            }
        }
        match (&self.svg, plot) {
            (Some(path), Some(plot)) => self.draw(path, plot),
            (Some(path), None) => {
                remark(format!("{}: there is nothing to draw", path.display()));
                Err(code::UNKNOWN)
            }
            (None, _) => Ok(()),
        }
    }

    fn draw(&self, path: &Path, plot: &SvgPlot) -> Result<(), u8> {
        let svg = plot.svg().map_err(|error| {
            remark(format!("{}: {error}", path.display()));
            code::FAILED
        })?;
        new_file::write(path, self.existing(), &mut |out| out.write_all(svg.as_bytes()))
            .map_err(|error| refused(path, &error))
    }
}

/// Says why the plot's file cannot be written; returns the exit code.
fn refused(path: &Path, error: &io::Error) -> u8 {
    remark(format!("cannot write to {}: {error}", path.display()));
    if error.kind() == ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(error) }
}
