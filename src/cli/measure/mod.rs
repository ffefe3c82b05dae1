//! `hustings measure WHAT`: what the papers claim, measured on many simulated runs.
//!
//! Invariant: stdout holds only the table, its CSV or a part, once, at the end; progress goes to stderr.

mod asked;
mod holding;
mod options;
mod showing;
mod task;

use super::parts::PartSet;
use asked::measure;
use options::MeasureCommand;
use task::Task;

pub use showing::Showing;

/// What `measure` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: MeasureCommand,
}

/// Measures it; returns the exit code.
pub fn main(arguments: &Arguments) -> u8 {
    let order = arguments.what.order();
    order.and_then(|order| measure(&order.question.clone(), &Task::CarryOut(order))).unwrap_or_else(|code| code)
}

/// Shows the measurement that these parts make: the same table, CSV and plot as those of one over all seeds. Returns the
/// exit code. Campaigns are not measurements.
pub fn show_merged(parts: &PartSet, showing: &Showing) -> u8 {
    measure(&parts.asked, &Task::Merge(parts, showing)).unwrap_or_else(|code| code)
}
