//! `hustings measure duel LAB --algorithms A,B`: one script, several algorithms.
//!
//! Invariant: a script that not every algorithm can play is refused before anything is played.

use std::path::PathBuf;

use super::super::lab_files::LabText;
use super::super::parts::{AskedLab, SurveyQuestion};
use super::super::run::Time;
use super::super::tell::remark;
use super::super::{candidates, code, lab_files};
use super::numbers::{NumberList, parse_algorithms};
use super::surveying::Surveying;
use measure::duel::Contest;
use protocol::Card;
use sim::campaign::Seeds;

/// What `measure duel` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A lab file, or the name of a lab that `labs` lists, such as duel: its nodes, periods and steps are played
    #[arg(value_name = "LAB", add = candidates::lab())]
    lab: PathBuf,
    /// The algorithms that play it
    #[arg(long, value_name = "NAME,...", required = true, value_parser = parse_algorithms, add = candidates::algorithms_with_commas())]
    algorithms: NumberList<Card>,
    /// The seeds; all algorithms play each of them
    #[arg(long, value_name = "A..B", default_value = "0..200")]
    seeds: Seeds,
    #[command(flatten)]
    surveying: Surveying,
}

/// Holds the duel.
pub fn main(arguments: &Arguments) -> u8 {
    let Arguments { lab, algorithms, seeds, surveying } = arguments;
    let text = match lab_files::read(Some(lab)) {
        Ok(lab) => lab.text,
        Err(code) => return code,
    };
    let algorithms = algorithms.0.iter().map(|card| card.name.to_owned()).collect();
    let question = SurveyQuestion::Duel { lab: AskedLab { file: lab.clone(), text }, algorithms };
    match asked(question.clone()) {
        Ok(contest) => surveying.show(question, &contest, *seeds),
        Err(code) => code,
    }
}

/// The duel of this question.
///
/// # Errors
/// The lab is not correct, or not every algorithm can play it; stderr has the reason.
pub fn asked(asked: SurveyQuestion) -> Result<Contest, u8> {
    let SurveyQuestion::Duel { lab: AskedLab { file, text }, algorithms } = asked else {
        unreachable!("another measurement's question")
    };
    let lab = lab_files::parse_for(Time::Virtual, &LabText { name: file.display().to_string(), text })?;
    let refused = |why: String| {
        remark(why);
        code::USAGE
    };
    let cards = parse_algorithms(&algorithms.join(",")).map_err(refused)?;
    if cards.0.len() < 2 {
        return Err(refused("a duel needs two algorithms; name another one with --algorithms".to_owned()));
    }
    Contest::new(&lab, &cards.0).map_err(|error| {
        remark(error);
        code::LAB_INVALID
    })
}
