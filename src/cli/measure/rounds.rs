//! `hustings measure rounds`: figure 1 of King, Gendreau and Ni 1988.
//!
//! Invariant: every number that is out of range is refused with what would do.

use std::num::NonZeroU32;

use super::super::code;
use super::super::parts::SurveyQuestion;
use super::super::tell::remark;
use super::holding::{hold_real, play};
use super::numbers::{NumberList, parse_numbers, parse_real};
use super::surveying::Surveying;
use fault::Percent;
use measure::rounds::{CANDIDATES_MAX, P_MAX, RoundsSurvey, Starts, Tables};
use sim::campaign::Seeds;

/// What `measure rounds` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The chances that a receiver misses a broadcast
    #[arg(long, value_name = "P,...", value_delimiter = ',', default_value = "5%,10%,20%,30%,40%,50%", value_parser = parse_p)]
    p: Vec<Percent>,
    /// The numbers of candidates, such as 1-20 or 2,5,10; all processes are candidates
    #[arg(long, value_name = "N,...", default_value = "1-20", value_parser = parse_candidates)]
    candidates: NumberList<u16>,
    /// When the processes begin: at one moment, or each at its own moment of the first T
    #[arg(long, value_enum, default_value = "together")]
    starts: StartsWord,
    /// Whether the holes of the tables are mended; false: the tables to the letter
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    errata: bool,
    /// The seeds: one election of each point for each
    #[arg(long, value_name = "A..B", default_value = "0..1000")]
    seeds: Seeds,
    /// Hold so many elections at each chance on real processes besides, with five candidates if they are among those
    /// asked for, else with the most
    #[arg(long, value_name = "N", conflicts_with = "shard", value_parser = parse_real)]
    real: Option<NonZeroU32>,
    #[command(flatten)]
    surveying: Surveying,
}

/// How many candidates real elections have, if such a point is asked for.
const REAL_CANDIDATES: u16 = 5;

/// See [`Starts`].
#[derive(Copy, Clone, Debug, clap::ValueEnum)]
enum StartsWord {
    /// At one moment
    Together,
    /// Each at its own moment of the first T
    Spread,
}

/// Measures the rounds.
pub fn main(arguments: &Arguments) -> u8 {
    let Arguments { p, candidates, starts, errata, seeds, real, surveying } = arguments;
    let starts = match starts {
        StartsWord::Together => Starts::Together,
        StartsWord::Spread => Starts::Spread,
    };
    let tables = if *errata { Tables::Mended } else { Tables::ToTheLetter };
    let (p, candidates) = (p.clone(), candidates.0.clone());
    let question = SurveyQuestion::Rounds { p, candidates, starts, tables };
    let survey = asked(question.clone()).and_then(|mut survey| {
        surveying.check()?;
        if let Some(real) = real {
            let places = survey.real_points(REAL_CANDIDATES);
            hold_real(real.get(), &places, &mut |place, seed| survey.hold_real(place, seed, play))?;
        }
        Ok(survey)
    });
    survey.map_or_else(|code| code, |survey| surveying.show(question, &survey, *seeds))
}

/// The survey of this question.
///
/// # Errors
/// A number is out of range, which the command line does not let through; stderr has the reason.
pub fn asked(asked: SurveyQuestion) -> Result<RoundsSurvey, u8> {
    let SurveyQuestion::Rounds { p, candidates, starts, tables } = asked else {
        unreachable!("another measurement's question")
    };
    let is_in_range = |number: &u16| (1..=CANDIDATES_MAX).contains(number);
    if !candidates.iter().all(is_in_range) || p.iter().any(|p| *p > P_MAX) {
        remark("a part asks for numbers that are out of range");
        return Err(code::LAB_INVALID);
    }
    Ok(RoundsSurvey::new(&p, &candidates, starts, tables))
}

fn parse_p(text: &str) -> Result<Percent, String> {
    let p: Percent = text.trim().parse().map_err(|error: fault::PercentTextError| error.to_string())?;
    if p > P_MAX {
        return Err(format!("with more than {P_MAX} lost, elections last too long; write a number from 0% to {P_MAX}"));
    }
    Ok(p)
}

fn parse_candidates(text: &str) -> Result<NumberList<u16>, String> {
    parse_numbers(text, 1..=CANDIDATES_MAX, "candidates", "1-20 or 2,5,10")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_of_loss_is_a_percentage_of_80_at_most() {
        assert_eq!(parse_p("30%").unwrap(), Percent::whole(30));
        assert!(parse_p("0.3").unwrap_err().contains("such as `30%`"));
        assert!(parse_p("81%").unwrap_err().ends_with("write a number from 0% to 80%"));
    }
}
