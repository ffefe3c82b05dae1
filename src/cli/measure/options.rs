//! What each measurement takes, and the order that a person gives so.
//!
//! Invariant: numbers are in order, each once; names are in the order in which they were given. What is out of range, or
//! no algorithm, is refused with what would do.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::super::parts::{AskedLab, SurveyQuestion};
use super::super::{candidates, lab_files, registry_in_use};
use super::task::{Order, Surveying};
use fault::Percent;
use lab::near;
use measure::rounds::{CANDIDATES_MAX, P_MAX, Starts, Tables};
use measure::time::TimeTopic;
use protocol::{Card, Span};
use sim::campaign::Seeds;

/// The bounds T that real trials may have.
const REAL_T: RangeInclusive<Span> = Span::from_millis(20)..=Span::from_millis(10_000);
/// With more than this lost, hardly any election of Bully-FD comes to its end.
const DETECTORS_P_MAX: Percent = Percent::whole(50);

/// The measurements, with what each takes.
#[derive(Debug, clap::Subcommand)]
pub enum MeasureCommand {
    /// The rounds of King, Gendreau and Ni's Algorithm C under loss, beside the formula of their figure 1, and how often
    /// it fails
    Rounds {
        /// The chances that a receiver misses a broadcast
        #[arg(long, value_name = "P,...", value_delimiter = ',', default_value = "5%,10%,20%,30%,40%,50%", value_parser = parse_rounds_p)]
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
    },
    /// The messages that a leader's crash costs with each algorithm, by how it is noticed (Stoller 1997, section 7)
    Messages {
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
    },
    /// The time from the common start, from a leader's crash and from the end of a partition until all agree, beside the
    /// bounds of each algorithm
    Time {
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
    },
    /// The failure detectors under the same loss: how soon they report a crash, how often they are mistaken, for how
    /// long, and with how many messages (Stoller 1997, sections 2 and 6)
    Detectors {
        /// The chances that a message is lost
        #[arg(long, value_name = "P,...", value_delimiter = ',', default_value = "0%,1%,5%,10%,20%", value_parser = parse_detectors_p)]
        p: Vec<Percent>,
        /// The number of nodes
        #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(3..=32))]
        nodes: u16,
        /// The seeds: one trial of each point for each
        #[arg(long, value_name = "A..B", default_value = "0..100")]
        seeds: Seeds,
        #[command(flatten)]
        surveying: Surveying,
    },
    /// Several algorithms over one script with the same seeds, side by side, and who wins each row
    Duel {
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
    },
    /// Any count in a stretch of any lab, such as the Halts from a crash until the next leader
    Figures {
        /// A lab file, or the name of a lab that `labs` lists
        #[arg(value_name = "LAB", add = candidates::lab())]
        lab: PathBuf,
        /// What to count: kinds of messages, `messages` (all), `own` (without those of each period), `bytes`,
        /// `elections`, `time_us`
        #[arg(long, value_name = "KIND,...", value_delimiter = ',', default_value = "messages")]
        count: Vec<String>,
        /// Count from this step of the lab on, with what its orders begin; without it, from the beginning
        #[arg(long, value_name = "STEP")]
        from: Option<String>,
        /// Count until this condition holds, such as "coordinator 4", once all that the step orders is in force; without it,
        /// until the end
        #[arg(long, value_name = "CONDITION")]
        until: Option<String>,
        /// The seeds; each plays the run that it plays in `simulate`
        #[arg(long, value_name = "A..B", default_value = "0..1000")]
        seeds: Seeds,
        /// One row for each run, and not for each count
        #[arg(long)]
        each: bool,
        #[command(flatten)]
        surveying: Surveying,
    },
}

/// See [`Starts`].
#[derive(Copy, Clone, Debug, clap::ValueEnum)]
pub enum StartsWord {
    /// At one moment
    Together,
    /// Each at its own moment of the first T
    Spread,
}

/// See [`TimeTopic`].
#[derive(Copy, Clone, Eq, PartialEq, Debug, clap::ValueEnum)]
pub enum TopicWord {
    /// The common start, and the leader's crash
    Failover,
    /// 2 to 8 groups of invitation after a partition of 16 processes
    Merge,
    /// 11 to 41 processes of async-bully whose links make it take longest
    Ladder,
}

impl MeasureCommand {
    /// The order that a person gives so.
    ///
    /// # Errors
    /// The lab cannot be read; stderr has the reason, and this is the exit code.
    pub fn order(&self) -> Result<Order<'_>, u8> {
        let order =
            |question, seeds: &Seeds, surveying| Order { question, seeds: *seeds, surveying, real: None, real_t: None };
        Ok(match self {
            MeasureCommand::Rounds { p, candidates, starts, errata, seeds, real, surveying } => {
                let starts = match starts {
                    StartsWord::Together => Starts::Together,
                    StartsWord::Spread => Starts::Spread,
                };
                let tables = if *errata { Tables::Mended } else { Tables::ToTheLetter };
                let (p, candidates) = (p.clone(), candidates.0.clone());
                let question = SurveyQuestion::Rounds { p, candidates, starts, tables };
                Order { real: *real, ..order(question, seeds, surveying) }
            }
            MeasureCommand::Messages { algorithms, nodes, seeds, surveying } => {
                let (algorithms, nodes) = (names(algorithms.as_ref()), nodes.0.clone());
                order(SurveyQuestion::Messages { algorithms, nodes }, seeds, surveying)
            }
            MeasureCommand::Time { topics, algorithms, nodes, seeds, real, real_t, surveying } => {
                let is_asked = |topic: &TimeTopic| topics.iter().any(|word| TimeTopic::from(*word) == *topic);
                let topics = TimeTopic::ALL.into_iter().filter(is_asked).collect();
                let (algorithms, nodes) = (names(algorithms.as_ref()), nodes.0.clone());
                let question = SurveyQuestion::Time { topics, algorithms, nodes };
                Order { real: *real, real_t: *real_t, ..order(question, seeds, surveying) }
            }
            MeasureCommand::Detectors { p, nodes, seeds, surveying } => {
                order(SurveyQuestion::Detectors { p: p.clone(), nodes: *nodes }, seeds, surveying)
            }
            MeasureCommand::Duel { lab, algorithms, seeds, surveying } => {
                let (lab, algorithms) = (asked_lab(lab)?, names(Some(algorithms)));
                order(SurveyQuestion::Duel { lab, algorithms }, seeds, surveying)
            }
            MeasureCommand::Figures { lab, count, from, until, seeds, each, surveying } => {
                let (lab, count) = (asked_lab(lab)?, count.clone());
                let (from, until, each) = (from.clone(), until.clone(), *each);
                order(SurveyQuestion::Figures { lab, count, from, until, each }, seeds, surveying)
            }
        })
    }
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

fn asked_lab(file: &Path) -> Result<AskedLab, u8> {
    Ok(AskedLab { file: file.to_owned(), text: lab_files::read(Some(file))?.text })
}

/// A list as a person gives it.
#[derive(Clone, Debug)]
pub struct NumberList<T>(pub Vec<T>);

/// Numbers and ranges such as `1-3,7`, all of this range; an error says what to write instead.
fn parse_numbers(text: &str, range: RangeInclusive<u16>, what: &str, such_as: &str) -> Result<NumberList<u16>, String> {
    let form = || {
        let (first, last) = (range.start(), range.end());
        format!("`{text}` is not a list of {what}; write numbers from {first} to {last}, such as {such_as}")
    };
    let number = |text: &str| text.trim().parse().ok().filter(|number| range.contains(number)).ok_or_else(form);
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u16, u16) = (number(first)?, number(last)?);
        if first > last {
            return Err(form());
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(NumberList(numbers))
}

/// The names of these algorithms, or of all.
fn names(algorithms: Option<&NumberList<Card>>) -> Vec<String> {
    let name = |card: &Card| card.name.to_owned();
    algorithms.map_or_else(
        || registry_in_use().cards().map(name).collect(),
        |algorithms| algorithms.0.iter().map(name).collect(),
    )
}

/// Algorithms by their names, such as `bully,invitation`.
///
/// # Errors
/// The name that is no algorithm's, and those that there are.
pub fn parse_algorithms(text: &str) -> Result<NumberList<Card>, String> {
    let card = |name: &str| {
        let names: Vec<&str> = registry_in_use().cards().map(|card| card.name).collect();
        registry_in_use().card(name.trim()).copied().ok_or_else(|| {
            let meant = match &near(name.trim(), &names)[..] {
                [] => String::new(),
                near => format!("did you mean {}? ", near.join(", ")),
            };
            format!("there is no algorithm `{name}`; {meant}the algorithms are {}", names.join(", "))
        })
    };
    let mut cards: Vec<Card> = Vec::new();
    for name in text.split(',') {
        let card = card(name)?;
        if !cards.iter().any(|other| other.name == card.name) {
            cards.push(card);
        }
    }
    Ok(NumberList(cards))
}

/// How many runs a person wants on real processes; an error says what to write instead.
fn parse_real(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number of real runs; write 1 or more, or leave out --real"))
}

fn parse_real_t(text: &str) -> Result<Span, String> {
    let t: Span = text.trim().parse().map_err(|error: protocol::SpanTextError| error.to_string())?;
    if REAL_T.contains(&t) { Ok(t) } else { Err(format!("write a span from {} to {}", REAL_T.start(), REAL_T.end())) }
}

fn parse_nodes(text: &str) -> Result<NumberList<u16>, String> {
    parse_numbers(text, 3..=64, "processes", "5,9 or 4-8")
}

fn parse_candidates(text: &str) -> Result<NumberList<u16>, String> {
    parse_numbers(text, 1..=CANDIDATES_MAX, "candidates", "1-20 or 2,5,10")
}

fn parse_rounds_p(text: &str) -> Result<Percent, String> {
    parse_p(text, P_MAX, ", elections last too long")
}

fn parse_detectors_p(text: &str) -> Result<Percent, String> {
    parse_p(text, DETECTORS_P_MAX, " hardly any election ends")
}

fn parse_p(text: &str, most: Percent, why: &str) -> Result<Percent, String> {
    let p: Percent = text.trim().parse().map_err(|error: fault::PercentTextError| error.to_string())?;
    if p > most {
        return Err(format!("with more than {most} lost{why}; write a number from 0% to {most}"));
    }
    Ok(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_of_loss_is_a_percentage_with_a_most() {
        assert_eq!(parse_rounds_p("30%").unwrap(), Percent::whole(30));
        assert!(parse_rounds_p("0.3").unwrap_err().contains("such as `30%`"));
        assert!(parse_rounds_p("81%").unwrap_err().ends_with("write a number from 0% to 80%"));
        assert_eq!(parse_detectors_p("5%").unwrap(), Percent::whole(5));
        assert!(parse_detectors_p("51%").unwrap_err().ends_with("write a number from 0% to 50%"));
    }

    #[test]
    fn numbers_and_ranges_come_in_order_each_once() {
        assert_eq!(parse_candidates("7,1-3,2").unwrap().0, [1, 2, 3, 7]);
        for wrong in ["", "0", "5-2", "1-101", "many", "1..20"] {
            let error = parse_candidates(wrong).unwrap_err();
            assert!(error.ends_with("write numbers from 1 to 100, such as 1-20 or 2,5,10"), "{error}");
        }
    }

    #[test]
    fn no_real_runs_are_asked_for_by_leaving_the_option_out() {
        assert_eq!(parse_real("3").map(NonZeroU32::get), Ok(3));
        for wrong in ["0", "-1", "many"] {
            assert!(parse_real(wrong).unwrap_err().ends_with("write 1 or more, or leave out --real"));
        }
    }

    #[test]
    fn algorithms_are_named_and_an_unknown_one_is_refused_with_the_names() {
        let names = |text| parse_algorithms(text).map(|cards| cards.0.iter().map(|card| card.name).collect::<Vec<_>>());
        assert_eq!(names("invitation,bully,invitation").unwrap(), ["invitation", "bully"]);
        let error = names("buly").unwrap_err();
        assert!(error.contains("did you mean bully?") && error.ends_with("raft"), "{error}");
    }
}
