//! `hustings explore LAB --crashes 1 …`: every order in which a small lab may go.
//!
//! Invariant: stdout holds the terms, the table of properties and the counts, once, at the end; progress goes to
//! stderr.

mod keeping;
mod news;
mod serving;
mod table;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use self::news::SearchNews;
use super::output::remark;
use super::run::{Time, gravest};
use super::signals::Signals;
use super::{candidates, code, jobs, lab_files};
use explore::{
    ASKED_WORDS, ExploreReport, ExploreTerms, ExploreWish, FaultKind, FaultsLeft, HoldsIn, LabQuestion, Limits,
    PropertyFound, QUESTIONS_MAX, SearchControl, SearchExtent, can_be_asked, explore,
};
use lab::Condition;
use protocol::NodeSet;

/// What `explore` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A lab file, or the name of a lab that `labs` lists. Its steps are left out, except for those at 0: these may cut
    /// links and order elections
    #[arg(value_name = "LAB", add = candidates::lab())]
    lab: PathBuf,
    /// The most crashes, between any two events and within any step
    #[arg(long, value_name = "N", default_value_t = 0)]
    crashes: u8,
    /// The most recoveries
    #[arg(long, value_name = "N", default_value_t = 0)]
    recoveries: u8,
    /// The most lost messages
    #[arg(long, value_name = "N", default_value_t = 0)]
    losses: u8,
    /// Only messages of this kind are lost, such as init; may be given several times
    #[arg(long, value_name = "KIND", requires = "losses")]
    lost: Vec<String>,
    /// The most pauses, each of any length
    #[arg(long, value_name = "N", default_value_t = 0)]
    pauses: u8,
    /// The most false alarms: a timer that waits for another node runs out before its time
    #[arg(long, value_name = "N", default_value_t = 0)]
    false_alarms: u8,
    /// The most orders to hold an election
    #[arg(long, value_name = "N", default_value_t = 0)]
    elections: u8,
    /// Ask whether this condition of a lab file, such as "help none", holds in every state from --from on
    #[arg(long, value_name = "CONDITION")]
    always: Vec<Condition>,
    /// Ask whether this condition, such as "groups 2", holds in no state from --from on
    #[arg(long, value_name = "CONDITION")]
    never: Vec<Condition>,
    /// The tick from which --always and --never are asked; without it, the horizon
    #[arg(long, value_name = "TICK")]
    from: Option<u16>,
    /// These nodes are down from the start
    #[arg(long, value_name = "NODES")]
    down: Option<NodeSet>,
    /// Faults come before this tick; without it, before two whole elections are over
    #[arg(long, value_name = "TICK")]
    faults_until: Option<u16>,
    /// The last tick; without it, one bound of quiet after the last fault
    #[arg(long, value_name = "TICK")]
    horizon: Option<u16>,
    /// The number of threads; without it, one for each processor. No finding and no count depends on it
    #[arg(long, value_name = "N", value_parser = jobs::parse)]
    jobs: Option<NonZeroUsize>,
    /// Stop when this many unique states were seen
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    states: u64,
    /// Stop when the program has so much memory, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4_096)]
    memory: u64,
    /// In place of the search, show the lab in a browser, state by state, on 127.0.0.1 at this port, or at a free one
    /// if it is 0, until Ctrl-C. The checker behind the pages stops at --states
    #[arg(long, value_name = "PORT", conflicts_with_all = ["keep", "memory"])]
    serve: Option<u16>,
    /// Keep each counterexample in this directory: as a lab file, and as the session that the simulator makes of it
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// Explores the lab, if its file is correct and it can be explored.
pub fn main(arguments: &Arguments) -> u8 {
    let terms = match terms(arguments) {
        Ok(terms) => terms,
        Err(code) => return code,
    };
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(code) => return code,
    };
    if !terms.left_out.is_empty() {
        remark(format!("left out: {}: only the steps at 0 are explored", steps(&terms.left_out)));
    }
    let jobs = jobs::or_all(arguments.jobs);
    if let Some(port) = arguments.serve {
        return serving::serve_until_told(terms, port, arguments.states, jobs, &mut signals);
    }
    if let Some(Err(code)) = arguments.keep.as_ref().map(|directory| keeping::prepare(directory, &terms)) {
        return code;
    }
    let limits = Limits { states: arguments.states, resident: arguments.memory.saturating_mul(1 << 20) };
    let mut news = SearchNews::new(terms.horizon);
    let report = explore(&terms, limits, jobs, &mut |tally| {
        news.show(tally);
        if signals.has_come() { SearchControl::Stop } else { SearchControl::GoOn }
    });
    news.clear();
    match report {
        Ok(report) => {
            table::tell(&terms, &report, limits, news.began.elapsed());
            let kept = arguments.keep.as_ref().map_or(Ok(()), |directory| keeping::keep(directory, &terms, &report));
            let found = signals.came().map_or_else(|| exit_code(&report), code::signal);
            kept.map_or_else(|code| gravest(&[code, found]), |()| found)
        }
        Err(overflow) => {
            remark(format!("{}: {overflow}", arguments.lab.display()));
            code::LAB_INVALID
        }
    }
}

fn terms(arguments: &Arguments) -> Result<ExploreTerms, u8> {
    let text = lab_files::read(Some(&arguments.lab))?;
    let lab = lab_files::parse_for(Time::Virtual, &text)?;
    let wish = ExploreWish {
        faults: faults(arguments),
        down: arguments.down.unwrap_or_default(),
        faults_until: arguments.faults_until,
        horizon: arguments.horizon,
        lost: arguments.lost.clone(),
        questions: questions(arguments),
        asked_from: arguments.from,
    };
    if let Some(kind) = wish.lost.iter().find(|kind| !lab.card.messages.contains(&kind.as_str())) {
        remark(format!(
            "--lost {kind}: {} has no such message; it has {}",
            lab.card.title,
            lab.card.messages.join(", ")
        ));
        return Err(code::USAGE);
    }
    let unknown = wish.down.minus(&lab.roster.all());
    if !unknown.is_empty() {
        remark(format!("--down: there is no node {unknown} in this lab; it has {}", lab.roster.all()));
        return Err(code::USAGE);
    }
    if let Some(what) = unanswerable(&wish, lab.roster.all()) {
        remark(what);
        return Err(code::USAGE);
    }
    if lab.roster.electors().all().minus(&wish.down).is_empty() && arguments.recoveries == 0 {
        remark("--down leaves no process up, and --recoveries lets none start: nothing could happen");
        return Err(code::USAGE);
    }
    let terms = ExploreTerms::new(Arc::new(lab), &text.name, &wish).map_err(|errors| {
        remark(errors);
        code::LAB_INVALID
    })?;
    if terms.asked_from > terms.horizon {
        remark(format!("--from {}: no state is asked, for the horizon is tick {}", terms.asked_from, terms.horizon));
        return Err(code::USAGE);
    }
    Ok(ExploreTerms { called: arguments.lab.display().to_string(), ..terms })
}

fn questions(arguments: &Arguments) -> Vec<LabQuestion> {
    let of = |conditions: &[Condition], holds_in: HoldsIn| -> Vec<LabQuestion> {
        conditions.iter().map(|condition| LabQuestion { holds_in, condition: condition.clone() }).collect()
    };
    [of(&arguments.always, HoldsIn::All), of(&arguments.never, HoldsIn::None)].concat()
}

/// What is wrong with the questions, if something is.
fn unanswerable(wish: &ExploreWish, nodes: NodeSet) -> Option<String> {
    if wish.questions.len() > QUESTIONS_MAX {
        return Some(format!(
            "at most {QUESTIONS_MAX} questions are asked at once; leave out some --always and --never"
        ));
    }
    if wish.questions.is_empty() && wish.asked_from.is_some() {
        return Some("--from says when --always and --never are asked; give one of them, or leave it out".to_owned());
    }
    let wrong = |question: &LabQuestion| {
        let unknown = question.condition.nodes().minus(&nodes);
        if !unknown.is_empty() {
            Some(format!("--{question}: there is no node {unknown} in this lab; it has {nodes}"))
        } else if !can_be_asked(&question.condition) {
            Some(format!("--{question}: no state of an election answers that; the conditions are {ASKED_WORDS}"))
        } else {
            None
        }
    };
    wish.questions.iter().find_map(wrong)
}

fn faults(arguments: &Arguments) -> FaultsLeft {
    FaultKind::ALL.map(|kind| match kind {
        FaultKind::Crash => arguments.crashes,
        FaultKind::Recovery => arguments.recoveries,
        FaultKind::Loss => arguments.losses,
        FaultKind::Pause => arguments.pauses,
        FaultKind::FalseAlarm => arguments.false_alarms,
        FaultKind::Elect => arguments.elections,
    })
}

fn steps(names: &[String]) -> String {
    match names {
        [one] => format!("step \"{one}\""),
        _ => format!("{} steps", names.len()),
    }
}

fn exit_code(report: &ExploreReport) -> u8 {
    let codes = report.rows.iter().map(|(_, found)| match found {
        PropertyFound::False(_) => code::VIOLATED,
        PropertyFound::Open => code::UNKNOWN,
        PropertyFound::True
        | PropertyFound::NoElection
        | PropertyFound::NoRest(_)
        | PropertyFound::NeverWhole
        | PropertyFound::NotLookedAt => code::MET,
    });
    let unfinished = if report.exhaustion == SearchExtent::Exhausted { code::MET } else { code::UNKNOWN };
    gravest(&codes.chain([unfinished]).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{Args, Command, FromArgMatches};

    use super::*;

    /// The exit code of the command with these arguments.
    fn exit_code_of(arguments: &[&str]) -> u8 {
        let command = Arguments::augment_args(Command::new("explore"));
        let matches = command.try_get_matches_from(["explore"].iter().chain(arguments)).expect("arguments");
        main(&Arguments::from_arg_matches(&matches).expect("arguments"))
    }

    #[test]
    fn the_exit_code_tells_what_was_found() {
        let early = ["bully-early", "--down", "3", "--recoveries", "1", "--horizon", "8"];
        assert_eq!(exit_code_of(&early), code::VIOLATED);
        assert_eq!(exit_code_of(&["bully-fd-hole-1", "--horizon", "8"]), code::MET);
        assert_eq!(exit_code_of(&["bully-early", "--states", "50"]), code::UNKNOWN);
        assert_eq!(exit_code_of(&["app-shards"]), code::LAB_INVALID);
        assert_eq!(exit_code_of(&["bully-early", "--down", "4"]), code::USAGE);
        assert_eq!(exit_code_of(&["bully-early", "--down", "1-3"]), code::USAGE);
        assert_eq!(exit_code_of(&["bully-early", "--never", "coordinator 4"]), code::USAGE);
        assert_eq!(exit_code_of(&["bully-early", "--never", "done 2"]), code::USAGE);
        assert_eq!(exit_code_of(&["bully-early", "--from", "3"]), code::USAGE);
        let too_late = ["bully-early", "--horizon", "8", "--from", "9", "--never", "coordinator 3"];
        assert_eq!(exit_code_of(&too_late), code::USAGE);
        let asked = ["bully-fd-hole-1", "--horizon", "8", "--from", "0"];
        assert_eq!(exit_code_of(&[&asked[..], &["--never", "coordinator 2 of 1"]].concat()), code::MET);
        assert_eq!(exit_code_of(&[&asked[..], &["--always", "coordinator 1"]].concat()), code::VIOLATED);
    }

    #[test]
    fn what_is_kept_names_the_file_that_was_given_and_a_place_that_is_taken_is_refused_before_the_search() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("mine.toml").display().to_string();
        let lab = lab_files::read(Some(Path::new("bully-early"))).expect("a built-in lab");
        std::fs::write(&file, lab.text).expect("a lab file");
        let kept = directory.path().join("kept").display().to_string();
        let (file, kept) = (file.as_str(), kept.as_str());
        let arguments = [file, "--down", "3", "--recoveries", "1", "--horizon", "8", "--keep", kept];
        assert_eq!(exit_code_of(&arguments), code::VIOLATED);
        let text = std::fs::read_to_string(format!("{kept}/bully-early-assertion-1.toml")).expect("a lab file");
        assert!(text.contains(&format!("#     hustings explore {file} --")), "{text}");
        // Not one state is looked at.
        assert_eq!(exit_code_of(&[&arguments[..], &["--states", "1"]].concat()), code::ENVIRONMENT);
        assert_eq!(exit_code_of(&[file, "--states", "1", "--keep", file]), code::ENVIRONMENT);
    }
}
