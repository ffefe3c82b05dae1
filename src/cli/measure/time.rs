//! `hustings measure time`: how long the algorithms take to agree, beside their bounds.
//!
//! Invariant: a name that is no algorithm's is refused with the names that there are.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use super::super::parts::SurveyQuestion;
use super::super::registry_in_use;
use super::super::tell::remark;
use super::super::{candidates, code};
use super::holding::{hold_real, play};
use super::numbers::{NumberList, names, parse_algorithms, parse_numbers, parse_real};
use super::surveying::Surveying;
use measure::SeedSurvey;
use measure::time::{T, TimeSurvey, TimeTopic};
use protocol::{Card, Span};
use sim::campaign::Seeds;

/// The bounds T that real trials may have.
const REAL_T: RangeInclusive<Span> = Span::from_millis(20)..=Span::from_millis(10_000);

/// What `measure time` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// What is measured. The plot shows the ladder if it was asked for, else the failovers, else the merges
    #[arg(
        long = "of",
        value_name = "TOPIC,...",
        value_enum,
        value_delimiter = ',',
        default_value = "failover,merge,ladder"
    )]
    topics: Vec<TopicWord>,
    /// The algorithms; without it, all. Only invitation merges groups, and the ladder is one for async-bully
    #[arg(long, value_name = "NAME,...", value_parser = parse_algorithms, add = candidates::algorithms_with_commas())]
    algorithms: Option<NumberList<Card>>,
    /// The numbers of processes in failovers, such as 5,9 or 4-8; what an algorithm does not take is left out
    #[arg(long, value_name = "N,...", default_value = "5,9,17,33", value_parser = parse_nodes)]
    nodes: NumberList<u16>,
    /// The seeds: two trials of each point for each, one with even delays and one with any
    #[arg(long, value_name = "A..B", default_value = "0..20")]
    seeds: Seeds,
    /// Also make this many trials on real processes: of each failover with the fewest processes, and of each merge
    #[arg(long, value_name = "N", conflicts_with = "shard", value_parser = parse_real)]
    real: Option<NonZeroU32>,
    /// The bound T of the real trials, such as 500ms where this computer is slow; without it, 100ms as in the simulation
    #[arg(long, value_name = "SPAN", requires = "real", value_parser = parse_real_t)]
    real_t: Option<Span>,
    #[command(flatten)]
    surveying: Surveying,
}

/// See [`TimeTopic`].
#[derive(Copy, Clone, Eq, PartialEq, Debug, clap::ValueEnum)]
enum TopicWord {
    /// The common start, and the leader's crash
    Failover,
    /// 2 to 8 groups of invitation after a partition of 16 processes
    Merge,
    /// 11 to 41 processes of async-bully whose links make it take longest
    Ladder,
}

/// Measures the times.
pub fn main(arguments: &Arguments) -> u8 {
    let Arguments { topics, algorithms, nodes, seeds, real, real_t, surveying } = arguments;
    let is_asked = |topic: &TimeTopic| topics.iter().any(|word| TimeTopic::from(*word) == *topic);
    let question = SurveyQuestion::Time {
        topics: TimeTopic::ALL.into_iter().filter(is_asked).collect(),
        algorithms: names(algorithms.as_ref()),
        nodes: nodes.0.clone(),
    };
    let survey = asked(question.clone()).and_then(|survey| {
        let mut survey = survey.with_real_t(real_t.unwrap_or(T));
        surveying.check()?;
        if let Some(real) = real {
            let points = survey.real_points();
            hold_real(real.get(), &points, &mut |point, seed| survey.hold_real(point, seed, play))?;
        }
        Ok(survey)
    });
    survey.map_or_else(|code| code, |survey| surveying.show(question, &survey, *seeds))
}

/// The survey of this question.
///
/// # Errors
/// There is no such algorithm, or none of these is measured so; stderr has the reason.
pub fn asked(asked: SurveyQuestion) -> Result<TimeSurvey, u8> {
    let SurveyQuestion::Time { topics, algorithms, nodes } = asked else {
        unreachable!("another measurement's question")
    };
    let cards = parse_algorithms(&algorithms.join(",")).map_err(|error| {
        remark(error);
        code::LAB_INVALID
    })?;
    let survey = TimeSurvey::new(registry_in_use(), &topics, &cards.0, &nodes).map_err(|errors| {
        remark(errors);
        code::LAB_INVALID
    })?;
    if survey.points() == 0 {
        remark("nothing is measured: merges need the algorithm invitation, and the ladder needs async-bully");
        return Err(code::USAGE);
    }
    Ok(survey)
}

fn parse_real_t(text: &str) -> Result<Span, String> {
    let t: Span = text.trim().parse().map_err(|error: protocol::SpanTextError| error.to_string())?;
    if REAL_T.contains(&t) { Ok(t) } else { Err(format!("write a span from {} to {}", REAL_T.start(), REAL_T.end())) }
}

fn parse_nodes(text: &str) -> Result<NumberList<u16>, String> {
    parse_numbers(text, 3..=64, "processes", "5,9 or 4-8")
}

impl From<TopicWord> for TimeTopic {
    fn from(word: TopicWord) -> TimeTopic {
        match word {
            TopicWord::Failover => TimeTopic::Failover,
            TopicWord::Merge => TimeTopic::Merge,
            TopicWord::Ladder => TimeTopic::Ladder,
        }
    }
}
