//! `hustings measure messages`: what a leader's crash costs, Stoller 1997, section 7.
//!
//! Invariant: a name that is no algorithm's is refused with the names that there are.

use super::super::parts::SurveyQuestion;
use super::super::registry_in_use;
use super::super::tell::remark;
use super::super::{candidates, code};
use super::numbers::{NumberList, names, parse_algorithms, parse_numbers};
use super::surveying::Surveying;
use measure::messages::MessagesSurvey;
use protocol::Card;
use sim::campaign::Seeds;

/// What `measure messages` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The algorithms; without it, all
    #[arg(long, value_name = "NAME,...", value_parser = parse_algorithms, add = candidates::algorithms_with_commas())]
    algorithms: Option<NumberList<Card>>,
    /// The numbers of processes, such as 5,9 or 4-8; what an algorithm does not take is left out
    #[arg(long, value_name = "N,...", default_value = "5,9,17,33,64", value_parser = parse_nodes)]
    nodes: NumberList<u16>,
    /// The seeds: one failover of each point for each
    #[arg(long, value_name = "A..B", default_value = "0..40")]
    seeds: Seeds,
    #[command(flatten)]
    surveying: Surveying,
}

/// Measures the messages.
pub fn main(arguments: &Arguments) -> u8 {
    let Arguments { algorithms, nodes, seeds, surveying } = arguments;
    let algorithms = names(algorithms.as_ref());
    let question = SurveyQuestion::Messages { algorithms, nodes: nodes.0.clone() };
    match asked(question.clone()) {
        Ok(survey) => surveying.show(question, &survey, *seeds),
        Err(code) => code,
    }
}

/// The survey of this question.
///
/// # Errors
/// There is no such algorithm, or it takes no such lab; stderr has the reason.
pub fn asked(asked: SurveyQuestion) -> Result<MessagesSurvey, u8> {
    let SurveyQuestion::Messages { algorithms, nodes } = asked else { unreachable!("another measurement's question") };
    let cards = parse_algorithms(&algorithms.join(",")).map_err(|error| {
        remark(error);
        code::LAB_INVALID
    })?;
    MessagesSurvey::new(registry_in_use(), &cards.0, &nodes).map_err(|errors| {
        remark(errors);
        code::LAB_INVALID
    })
}

fn parse_nodes(text: &str) -> Result<NumberList<u16>, String> {
    parse_numbers(text, 3..=64, "processes", "5,9 or 4-8")
}
