//! `hustings measure figures LAB`: any count in a stretch of any lab.
//!
//! Invariant: a step, a condition or a count that the lab does not have is refused with what it has.

use std::path::PathBuf;
use std::sync::Arc;

use super::super::lab_files::LabText;
use super::super::parts::{AskedLab, SurveyQuestion};
use super::super::run::Time;
use super::super::tell::remark;
use super::super::{candidates, code, lab_files};
use super::surveying::Surveying;
use lab::{Condition, Lab, LabStep};
use measure::figures::{Bounds, Counted, FiguresSurvey, RowForm};
use sim::campaign::Seeds;

/// What `measure figures` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
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
}

/// Counts it.
pub fn main(arguments: &Arguments) -> u8 {
    let Arguments { lab, count, from, until, seeds, each, surveying } = arguments;
    let text = match lab_files::read(Some(lab)) {
        Ok(lab) => lab.text,
        Err(code) => return code,
    };
    let lab = AskedLab { file: lab.clone(), text };
    let question =
        SurveyQuestion::Figures { lab, count: count.clone(), from: from.clone(), until: until.clone(), each: *each };
    match asked(question.clone()) {
        Ok(survey) => surveying.show(question, &survey, *seeds),
        Err(code) => code,
    }
}

/// The survey of this question.
///
/// # Errors
/// The lab is not correct, or does not have the step, the condition or the count; stderr has the reason.
pub fn asked(asked: SurveyQuestion) -> Result<FiguresSurvey, u8> {
    let SurveyQuestion::Figures { lab: AskedLab { file, text }, count, from, until, each } = asked else {
        unreachable!("another measurement's question")
    };
    let lab = lab_files::parse_for(Time::Virtual, &LabText { name: file.display().to_string(), text })?;
    let refused = |why: String| {
        remark(why);
        code::USAGE
    };
    let from = from.as_deref().map(|name| step(&lab, name)).transpose().map_err(refused)?;
    let until = until.as_deref().map(|text| condition(&lab, text)).transpose().map_err(refused)?;
    let counted = distinct(&count).into_iter().map(|word| Counted::parse(word, &lab));
    let counted = counted.collect::<Result<_, _>>().map_err(|error| refused(error.to_string()))?;
    let form = if each { RowForm::Each } else { RowForm::Means };
    Ok(FiguresSurvey { lab: Arc::new(lab), bounds: Bounds { from, until }, counted, form })
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
