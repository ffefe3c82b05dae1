//! `hustings check LAB…`: all errors of lab files, without running them.

use std::path::PathBuf;

use super::candidates;
use super::columns::counted;
use super::lab_files;
use super::output::say;
use super::run::gravest;
use lab::Lab;

/// What `check` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Lab files, or names of labs that `labs` lists
    #[arg(required = true, value_name = "LAB", add = candidates::lab())]
    labs: Vec<PathBuf>,
}

/// What a lab holds: its nodes, steps and expectations, and its questions if it asks any.
fn held(lab: &Lab) -> String {
    let questions = lab.steps.iter().filter(|step| step.narration.question().is_some()).count();
    let counts = [
        (usize::from(lab.roster.electors().len()), "node"),
        (lab.steps.len(), "step"),
        (lab.expectations.len(), "expectation"),
        (questions, "question"),
    ];
    let told = counts.iter().filter(|(count, what)| *count > 0 || *what != "question");
    told.map(|(count, what)| counted(*count as u64, what)).collect::<Vec<_>>().join(", ")
}

/// Checks each file; prints what each correct file holds.
pub fn main(arguments: &Arguments) -> u8 {
    let mut codes = Vec::new();
    for path in &arguments.labs {
        match lab_files::read(Some(path)).and_then(|text| lab_files::parse(&text)) {
            Ok(lab) => say(format!("{}: ok: {}, {}", path.display(), lab.card.title, held(&lab))),
            Err(code) => codes.push(code),
        }
    }
    gravest(&codes)
}
