//! `hustings check LAB…`: all errors of lab files, without running them.

use std::path::PathBuf;

use super::lab_files;
use super::run::gravest;
use super::tell::say;

/// What `check` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Lab files, or names of labs that `labs` lists
    #[arg(required = true, value_name = "LAB")]
    labs: Vec<PathBuf>,
}

/// Checks each file; prints what each correct file holds.
pub fn main(arguments: &Arguments) -> u8 {
    let mut codes = Vec::new();
    for path in &arguments.labs {
        match lab_files::read(Some(path)).and_then(|text| lab_files::parse(&text)) {
            Ok(lab) => say(format!(
                "{}: ok: {}, {} nodes, {} steps, {} expectations",
                path.display(),
                lab.card.title,
                lab.roster.electors().len(),
                lab.steps.len(),
                lab.expectations.len()
            )),
            Err(code) => codes.push(code),
        }
    }
    gravest(&codes)
}
