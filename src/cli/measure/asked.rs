//! The measurement that a question asks for: a command's own, or that of parts.
//!
//! Invariant: what does not fit the lab or the algorithms is refused with what they have.

use std::fmt::Display;
use std::sync::Arc;

use super::super::lab_files::{self, LabText};
use super::super::output::remark;
use super::super::parts::{AskedLab, SurveyQuestion};
use super::super::run::Time;
use super::super::{code, registry_in_use};
use super::holding::play;
use super::options::parse_algorithms;
use super::task::Task;
use lab::{Condition, Lab, LabStep};
use measure::Measurement;
use measure::detectors::DetectorsMeasurement;
use measure::duel::DuelMeasurement;
use measure::figures::{Bounds, Counted, FiguresMeasurement, RowForm};
use measure::messages::MessagesMeasurement;
use measure::rounds::{CANDIDATES_MAX, P_MAX, RoundsMeasurement};
use measure::time::TimeMeasurement;
use protocol::Card;

/// How many candidates real elections have, if such a point is asked for.
const REAL_CANDIDATES: u16 = 5;

/// Performs the task with the measurement that is asked for; returns the exit code.
///
/// # Errors
/// There is no such measurement, or the task could not be performed; stderr has the reason, and this is the exit code.
pub fn measure(asked: &SurveyQuestion, task: &Task<'_>) -> Result<u8, u8> {
    let registry = registry_in_use();
    match asked {
        SurveyQuestion::Simulate { .. } => unreachable!("a campaign is no measurement"),
        SurveyQuestion::Rounds { p, candidates, starts, tables } => {
            let is_in_range = |number: &u16| (1..=CANDIDATES_MAX).contains(number);
            if !candidates.iter().all(is_in_range) || p.iter().any(|p| *p > P_MAX) {
                return Err(invalid("a part asks for numbers that are out of range"));
            }
            let mut rounds = RoundsMeasurement::new(p, candidates, *starts, *tables);
            let points = rounds.real_points(REAL_CANDIDATES);
            task.hold_real(&points, &mut |point, seed| rounds.hold_real(point, seed, play))?;
            task.perform(&rounds)
        }
        SurveyQuestion::Messages { algorithms, nodes } => {
            let cards = cards(algorithms).map_err(invalid)?;
            task.perform(&MessagesMeasurement::new(registry, &cards, nodes).map_err(invalid)?)
        }
        SurveyQuestion::Time { topics, algorithms, nodes } => {
            let cards = cards(algorithms).map_err(invalid)?;
            let time = TimeMeasurement::new(registry, topics, &cards, nodes, task.real_t());
            let mut time = time.map_err(invalid)?;
            if time.points().is_empty() {
                return Err(refused(
                    "nothing is measured: merges need the algorithm invitation, and the ladder needs async-bully",
                ));
            }
            let points = time.real_points();
            task.hold_real(&points, &mut |point, seed| time.hold_real(point, seed, play))?;
            task.perform(&time)
        }
        SurveyQuestion::Detectors { p, nodes } => {
            task.perform(&DetectorsMeasurement::new(registry, p, *nodes).map_err(invalid)?)
        }
        SurveyQuestion::Duel { lab, algorithms } => {
            let (lab, cards) = (parsed(lab)?, cards(algorithms).map_err(refused)?);
            if cards.len() < 2 {
                return Err(refused("a duel needs two algorithms; name another one with --algorithms"));
            }
            task.perform(&DuelMeasurement::new(&lab, &cards).map_err(invalid)?)
        }
        SurveyQuestion::Figures { lab, count, from, until, each } => {
            let lab = parsed(lab)?;
            let from = from.as_deref().map(|name| step(&lab, name)).transpose().map_err(refused)?;
            let until = until.as_deref().map(|text| condition(&lab, text)).transpose().map_err(refused)?;
            let counted = distinct(count).into_iter().map(|word| Counted::parse(word, &lab));
            let counted = counted.collect::<Result<_, _>>().map_err(refused)?;
            let form = if *each { RowForm::Each } else { RowForm::Means };
            task.perform(&FiguresMeasurement { lab: Arc::new(lab), bounds: Bounds { from, until }, counted, form })
        }
    }
}

/// Says why the question cannot be answered; returns the exit code.
fn invalid(why: impl Display) -> u8 {
    remark(why);
    code::LAB_INVALID
}

/// Says why nothing is measured so; returns the exit code.
fn refused(why: impl Display) -> u8 {
    remark(why);
    code::USAGE
}

fn cards(algorithms: &[String]) -> Result<Vec<Card>, String> {
    parse_algorithms(&algorithms.join(",")).map(|cards| cards.0)
}

fn parsed(AskedLab { file, text }: &AskedLab) -> Result<Lab, u8> {
    lab_files::parse_for(Time::Virtual, &LabText { name: file.display().to_string(), text: text.clone() })
}

/// Each word once, in the order in which they were given first.
fn distinct(words: &[String]) -> Vec<&String> {
    let is_first = |(place, word): &(usize, &String)| !words[..*place].contains(word);
    words.iter().enumerate().filter(is_first).map(|(_, word)| word).collect()
}

fn step(lab: &Lab, name: &str) -> Result<LabStep, String> {
    lab.steps.iter().find(|step| step.name == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = lab.steps.iter().map(|step| step.name.as_str()).collect();
        format!("{} has no step \"{name}\"; its steps are {}", lab.name, names.join(", "))
    })
}

fn condition(lab: &Lab, text: &str) -> Result<Condition, String> {
    let condition: Condition = text.parse().map_err(|error| format!("--until \"{text}\": {error}"))?;
    if condition.is_at_end() {
        return Err(format!(
            "`{condition}` is about the whole run; use a condition of a moment, such as \"coordinator 4\""
        ));
    }
    let unknown = condition.nodes().minus(&lab.roster.all());
    if !unknown.is_empty() {
        return Err(format!("there is no node {unknown} in {}; it has {}", lab.name, lab.roster.all()));
    }
    Ok(condition)
}
