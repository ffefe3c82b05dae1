//! `hustings merge FILE…`: the table that the parts of a campaign or of a measurement make.
//!
//! Invariant: if the parts do not belong together, overlap or are not all there, nothing is printed to stdout or
//! written.

use std::path::PathBuf;

use super::measure::{self, Showing};
use super::output::remark;
use super::parts::{PartSet, SurveyQuestion};
use super::run::VerdictForm;
use super::{code, simulate};

/// What `merge` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The parts that `simulate` or `measure` printed with --shard, in any order
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Of a campaign: the table as one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    showing: Showing,
}

/// Merges the parts.
pub fn main(arguments: &Arguments) -> u8 {
    let parts = match PartSet::read(&arguments.files) {
        Ok(parts) => parts,
        Err(wrong) => {
            wrong.iter().for_each(remark);
            return code::LAB_INVALID;
        }
    };
    match parts.asked {
        SurveyQuestion::Simulate { .. } if arguments.showing.is_asked_for() => {
            remark("these are parts of a campaign, which has neither CSV nor a plot; use --json, or nothing");
            code::USAGE
        }
        SurveyQuestion::Simulate { .. } => {
            simulate::show_merged(&parts, if arguments.json { VerdictForm::Json } else { VerdictForm::Text })
        }
        _ if arguments.json => {
            remark("these are parts of a measurement, which has no JSON; use --csv, --svg, or nothing");
            code::USAGE
        }
        _ => measure::show_merged(&parts, &arguments.showing),
    }
}
