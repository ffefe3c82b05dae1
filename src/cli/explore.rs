//! `hustings explore LAB --crashes 1 …`: every order in which a small lab may go.
//!
//! Invariant: stdout holds the terms, the table of properties and the counts, once, at the end; progress goes to stderr.

use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::columns::{aligned, counted, grouped};
use super::run::{Time, gravest};
use super::signals::Signals;
use super::tell::{COLUMNS, remark, remark_in_place, say, wrapped};
use super::{code, lab_files};
use crate::explore::{
    Counterexample, Exhaustion, ExploreReport, ExploreTerms, ExploreWish, FaultKind, FaultsLeft, Heed, Limits,
    PropertyFound, SearchTally, explore,
};
use crate::protocol::{NodeSet, Span};

/// Without a terminal, this much time passes between two lines of progress.
const LINES_APART: Duration = Duration::from_secs(10);
/// On a terminal, this much.
const LOOKS_APART: Duration = Duration::from_millis(200);

/// What `explore` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A lab file, or the name of a lab that `labs` lists. Its steps are left out, except for those at 0: these may cut
    /// links and order elections
    #[arg(value_name = "LAB")]
    lab: PathBuf,
    /// At most so many crashes, between any two events and within any step
    #[arg(long, value_name = "N", default_value_t = 0)]
    crashes: u8,
    /// At most so many recoveries
    #[arg(long, value_name = "N", default_value_t = 0)]
    recoveries: u8,
    /// At most so many lost messages
    #[arg(long, value_name = "N", default_value_t = 0)]
    losses: u8,
    /// At most so many pauses, each of any length
    #[arg(long, value_name = "N", default_value_t = 0)]
    pauses: u8,
    /// At most so many false alarms: a timer that waits for another node runs out before its time
    #[arg(long, value_name = "N", default_value_t = 0)]
    false_alarms: u8,
    /// At most so many orders to hold an election
    #[arg(long, value_name = "N", default_value_t = 0)]
    elections: u8,
    /// These nodes are down from the start
    #[arg(long, value_name = "NODES")]
    down: Option<NodeSet>,
    /// Faults come before this tick; without it, before two whole elections are over
    #[arg(long, value_name = "TICK")]
    faults_until: Option<u16>,
    /// The last tick; without it, one bound of quiet after the last fault
    #[arg(long, value_name = "TICK")]
    horizon: Option<u16>,
    /// Stop at so many unique states
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    states: u64,
    /// Stop when the program has so much memory, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4_096)]
    memory: u64,
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
    let limits = Limits { states: arguments.states, resident: arguments.memory.saturating_mul(1 << 20) };
    let mut news = News::new(terms.horizon);
    let report = explore(&terms, limits, &mut |tally| {
        news.show(tally);
        if signals.has_come() { Heed::Stop } else { Heed::GoOn }
    });
    news.clear();
    match report {
        Ok(report) => {
            tell(&terms, &report, arguments, news.began.elapsed());
            signals.came.map_or_else(|| exit_code(&report), code::signal)
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
    };
    let unknown = wish.down.minus(&lab.roster.all());
    if !unknown.is_empty() {
        remark(format!("--down: there is no node {unknown} in this lab; it has {}", lab.roster.all()));
        return Err(code::USAGE);
    }
    ExploreTerms::new(Arc::new(lab), &text.name, &wish).map_err(|errors| {
        remark(errors);
        code::LAB_INVALID
    })
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
        PropertyFound::True | PropertyFound::NoRest(_) | PropertyFound::NotLookedAt => code::MET,
    });
    let unfinished = if report.exhaustion == Exhaustion::Exhausted { code::MET } else { code::UNKNOWN };
    gravest(&codes.chain([unfinished]).collect::<Vec<_>>())
}

/// Shows progress: a line that is replaced on a terminal, else a line now and then.
struct News {
    began: Instant,
    last: Instant,
    horizon: u16,
    is_terminal: bool,
}

impl News {
    fn new(horizon: u16) -> News {
        let began = Instant::now();
        News { began, last: began, horizon, is_terminal: stderr().is_terminal() }
    }

    fn show(&mut self, tally: &SearchTally) {
        if self.last.elapsed() < if self.is_terminal { LOOKS_APART } else { LINES_APART } {
            return;
        }
        self.last = Instant::now();
        let rate = tally.generated as f64 / self.began.elapsed().as_secs_f64();
        let line = format!(
            "tick {} of {}: {} generated, {} unique, depth {}, {} a second",
            tally.stages.len().saturating_sub(1),
            self.horizon,
            grouped(tally.generated),
            grouped(tally.unique),
            tally.depth,
            grouped(rate as u64),
        );
        if self.is_terminal {
            remark_in_place(line);
        } else {
            remark(line);
        }
    }

    fn clear(&self) {
        if self.is_terminal {
            remark_in_place("");
        }
    }
}

fn tell(terms: &ExploreTerms, report: &ExploreReport, arguments: &Arguments, took: Duration) {
    lines_of(terms).iter().flat_map(|line| wrapped(line, COLUMNS)).for_each(say);
    say("");
    let row = |(property, found): &(_, PropertyFound)| vec![format!("{property}"), told(found)];
    let rows: Vec<Vec<String>> = report.rows.iter().map(row).collect();
    aligned(&rows, 2).iter().for_each(say);
    for (property, found) in &report.rows {
        if let PropertyFound::False(example) = found {
            say("");
            tell_example(&property.to_string(), example);
        }
    }
    say("");
    counts(terms, report, arguments, took).iter().flat_map(|line| wrapped(line, COLUMNS)).for_each(say);
}

fn lines_of(terms: &ExploreTerms) -> Vec<String> {
    let ticks = |span: Span| counted(terms.ticks(span), "tick");
    let timing = terms.timing;
    let may = FaultKind::ALL.into_iter().filter(|kind| terms.of(*kind) > 0);
    let may: Vec<String> = may.map(|kind| said(kind, terms.of(kind))).collect();
    let faults = match &may[..] {
        [] => "no faults".to_owned(),
        may => format!("before tick {}: at most {}", terms.faults_until, may.join(", ")),
    };
    let down = if terms.down.is_empty() { String::new() } else { format!("; down from the start: {}", terms.down) };
    let rest = if terms.comes_to_rest() { "" } else { ", too near for properties of rest" };
    vec![
        format!("{}: {}, {} nodes, every order", terms.lab.name, terms.lab.card.title, terms.lab.roster.len()),
        format!(
            "a message takes 0 or 1 tick; T {}, check {}, silence {}",
            ticks(timing.t),
            ticks(timing.check),
            ticks(timing.silence)
        ),
        format!("{faults}{down}; horizon {}{rest}", counted(u64::from(terms.horizon), "tick")),
    ]
}

fn said(kind: FaultKind, number: u8) -> String {
    let (one, many) = match kind {
        FaultKind::Crash => ("crash", "crashes"),
        FaultKind::Recovery => ("recovery", "recoveries"),
        FaultKind::Loss => ("lost message", "lost messages"),
        FaultKind::Pause => ("pause", "pauses"),
        FaultKind::FalseAlarm => ("false alarm", "false alarms"),
        FaultKind::Elect => ("order to elect", "orders to elect"),
    };
    format!("{number} {}", if number == 1 { one } else { many })
}

fn told(found: &PropertyFound) -> String {
    match found {
        PropertyFound::True => "true".to_owned(),
        PropertyFound::False(example) => {
            format!("false: {} in tick {}", counted(example.story.len() as u64, "event"), example.tick)
        }
        PropertyFound::Open => "not exhausted: it holds in all states that were seen".to_owned(),
        PropertyFound::NoRest(quiet) => {
            format!("not judged: it needs {} without a fault before the horizon", counted(u64::from(*quiet), "tick"))
        }
        PropertyFound::NotLookedAt => "not explored: no single state of the lab shows it".to_owned(),
    }
}

fn tell_example(property: &str, example: &Counterexample) {
    say(format!("{property} does not hold after these events:"));
    let rows: Vec<Vec<String>> =
        example.story.iter().map(|event| vec![format!("  tick {}", event.tick), event.says.clone()]).collect();
    aligned(&rows, 2).iter().for_each(say);
    wrapped(&format!("then, in tick {}: {}", example.tick, example.stands), COLUMNS).iter().for_each(say);
}

fn counts(terms: &ExploreTerms, report: &ExploreReport, arguments: &Arguments, took: Duration) -> Vec<String> {
    let SearchTally { generated, unique, depth, stages } = &report.tally;
    let rate = *generated as f64 / took.as_secs_f64().max(1e-9);
    let so_far = format!(
        "{} generated, {} unique, depth {depth}; {} MiB at most, {:.1} s, {} states a second",
        grouped(*generated),
        counted(*unique, "state"),
        grouped(report.resident >> 20),
        took.as_secs_f64(),
        grouped(rate as u64),
    );
    let reached = stages.len().saturating_sub(1);
    let why = match report.exhaustion {
        Exhaustion::Exhausted if usize::from(terms.horizon) <= reached => "exhausted".to_owned(),
        Exhaustion::Exhausted => format!("every property was decided in tick {reached}"),
        Exhaustion::States => format!("not exhausted: stopped at --states {}", grouped(arguments.states)),
        Exhaustion::Memory => format!("not exhausted: stopped at --memory {}", grouped(arguments.memory)),
        Exhaustion::Told => "not exhausted: told to stop".to_owned(),
    };
    let mut lines = vec![so_far, why];
    if report.exhaustion != Exhaustion::Exhausted {
        lines.push(estimate(terms, stages));
    }
    lines
}

/// How many states the whole would have, if each tick had so many more than the last as those before.
fn estimate(terms: &ExploreTerms, stages: &[u64]) -> String {
    let done = stages.len().saturating_sub(2);
    let half = done / 2;
    let advice = "leave out nodes or faults, or set --faults-until or --horizon to an earlier tick";
    if half == 0 || stages[half] == 0 {
        return format!("no tick was finished, so there is no estimate; {advice}");
    }
    let growth = (stages[done - 1].max(1) as f64 / stages[half - 1].max(1) as f64).powf(1.0 / (done - half) as f64);
    let left = f64::from(terms.horizon) - done as f64;
    let log = (stages[done - 1].max(1) as f64).log10() + growth.log10().max(0.0) * left;
    format!(
        "ticks 0 to {} were finished, and each had {growth:.2} times the states of the one before; at this growth the \
         last tick alone has about 10^{log:.0}; {advice}",
        done - 1
    )
}
