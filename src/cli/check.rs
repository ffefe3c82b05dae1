//! `hustings check LAB…`: all errors of lab files, without running them.

use std::path::PathBuf;

use super::lab_files;
use super::run::gravest;
use super::tell::say;
use crate::lab::Lab;

/// What `check` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Lab files, or names of labs that `labs` lists
    #[arg(required = true, value_name = "LAB")]
    labs: Vec<PathBuf>,
}

/// How many questions a lab asks, if it asks any.
fn questions(lab: &Lab) -> String {
    match lab.steps.iter().filter(|step| step.narration.question().is_some()).count() {
        0 => String::new(),
        1 => ", 1 question".to_owned(),
        count => format!(", {count} questions"),
    }
}

/// Checks each file; prints what each correct file holds.
pub fn main(arguments: &Arguments) -> u8 {
    let mut codes = Vec::new();
    for path in &arguments.labs {
        match lab_files::read(Some(path)).and_then(|text| lab_files::parse(&text)) {
            Ok(lab) => say(format!(
                "{}: ok: {}, {} nodes, {} steps, {} expectations{}",
                path.display(),
                lab.card.title,
                lab.roster.electors().len(),
                lab.steps.len(),
                lab.expectations.len(),
                questions(&lab)
            )),
            Err(code) => codes.push(code),
        }
    }
    gravest(&codes)
}
