//! `hustings shrink SESSION`: the fewest faults of a recorded session with which its violation still comes, as a lab
//! file.
//!
//! The session's lab is simulated with the session's seeds: its lab file as it is, if nobody else ordered anything,
//! else the session's orders, each at its time.
//!
//! Invariant: a lab file that is written was simulated as its head says, and showed the violation; if the simulator
//! does not show what the session holds, nothing is written.

use std::io::{self, IsTerminal, Write, stderr};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::columns::counted;
use super::new_file::{self, Existing};
use super::output::{remark, remark_in_place, say};
use super::registry_in_use;
use super::signals::Signals;
use super::{candidates, code, session_names, shrunk_lab};
use export::orders_alone;
use lab::Lab;
use record::{Body, Head, Record, Session, SessionEntry, StoredSession, ViolationReport};
use sim::shrink::{ShrinkProgress, Shrunk, WantedViolation, showing, shrink};
use sim::{AfterScript, NetworkKind, Plan};

const EXIT_CODES: &str = "Exit codes: 0 the lab was written; 2 usage, or no such violation; 5 unknown: the session has no \
                          violation, it does not come in virtual time, or the file is no session; 1 or 6 a file cannot \
                          be read or written.";

/// What `shrink` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// The session's file, of one in parts any of them; or `last`, or the number or the beginning of a name that
    /// `sessions` lists
    #[arg(value_name = "SESSION", add = candidates::session())]
    file: PathBuf,
    /// This violation, by its place among the violations, from 1; without it, the first that nothing excuses, or the
    /// first
    #[arg(long, value_name = "N")]
    violation: Option<usize>,
    /// The new lab file; without it, stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists already
    #[arg(long, requires = "output")]
    force: bool,
}

impl Arguments {
    fn existing(&self) -> Existing {
        if self.force { Existing::Replaced } else { Existing::Kept }
    }
}

/// What of a session has to do with its violations.
#[derive(Debug, Default)]
struct SessionFindings {
    violations: Vec<ViolationReport>,
    /// Whether anything was ordered that no step of the lab orders.
    is_by_hand: bool,
}

/// Shrinks the session.
pub fn main(arguments: &Arguments) -> u8 {
    if let Some(path) = &arguments.output
        && let Err(error) = new_file::check(path, arguments.existing())
    {
        return refused(path, &error);
    }
    let file = match session_names::file_of(&arguments.file) {
        Ok(file) => file,
        Err(code) => return code,
    };
    let read = StoredSession::open(&file).and_then(|session| {
        let findings = SessionFindings::of(&session, &file)?;
        Ok((session, findings))
    });
    let (session, findings) = match read {
        Ok(read) => read,
        Err(error) => {
            remark(format!("{}: {error}", file.display()));
            return code::unread(&error);
        }
    };
    let unknown = |why: &str| {
        remark(format!("{}: {why}", file.display()));
        code::UNKNOWN
    };
    let Some(head) = session.head() else {
        return unknown(
            "the session's head is missing, and only the head names the lab; name a file that has its first line",
        );
    };
    let report = match findings.chosen(arguments.violation) {
        Ok(Some(report)) => report,
        Ok(None) => return unknown("the session has no violation, so there is nothing to show again"),
        Err(why) => {
            remark(why);
            return code::USAGE;
        }
    };
    remark(format!("shrinking towards: {}", report.text));
    let labs = match labs_of(&session, head, findings.is_by_hand) {
        Ok(labs) => labs,
        Err(why) => return unknown(&why),
    };
    let plans: Vec<Plan> = labs.into_iter().map(|lab| plan_of(Lab { seed: head.seed, ..lab }, head)).collect();
    let signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(code) => return code,
    };
    let wanted = WantedViolation::of(report);
    let shrunk = signals.interrupt.over(|| {
        shrunk(&plans, wanted).or_else(|| {
            let other = other_contradiction(&plans, report)?;
            remark(format!(
                "virtual time does not show this contradiction, but another one of {}; shrinking towards that: {}",
                report.property, other.text
            ));
            self::shrunk(&plans, WantedViolation::of(&other))
        })
    });
    match (shrunk, signals.came()) {
        (Some(shrunk), None) => write(arguments, head, shrunk),
        (Some(shrunk), Some(signal)) => {
            remark(format!("signal {signal} told it to end: this lab is the shortest so far"));
            match write(arguments, head, shrunk) {
                code::MET => code::signal(signal),
                other => other,
            }
        }
        (None, Some(signal)) => {
            remark(format!("signal {signal} told it to end before the violation had come again; nothing was written"));
            code::signal(signal)
        }
        (None, None) => unknown(
            "the violation does not come when the session's orders are simulated: what decided it (this computer's \
             timing, or a build of before) is not in virtual time; nothing was written",
        ),
    }
}

impl SessionFindings {
    fn of(session: &StoredSession, file: &std::path::Path) -> Result<SessionFindings, record::SessionError> {
        let mut findings = SessionFindings::default();
        session.go_through(&mut |entry| {
            match entry {
                SessionEntry::Record(record) => findings.take(record),
                SessionEntry::Skipped(skipped) => {
                    remark(format!("{}:{}: skipped: {}", file.display(), skipped.line, skipped.why));
                }
                SessionEntry::Head(_) => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(findings)
    }

    fn take(&mut self, record: Record) {
        match record.body {
            Body::Violation(report) => self.violations.push(report),
            Body::FaultOrdered { step: None, .. } => self.is_by_hand = true,
            _ => {}
        }
    }

    /// The violation that is meant, if there is any; else why there is no such one.
    fn chosen(&self, wanted: Option<usize>) -> Result<Option<&ViolationReport>, String> {
        let Some(wanted) = wanted else {
            let unexcused = self.violations.iter().find(|report| !report.is_excused() && !report.is_by_machine());
            return Ok(unexcused.or(self.violations.first()));
        };
        let count = self.violations.len();
        let found = wanted.checked_sub(1).and_then(|place| self.violations.get(place));
        found.map(Some).ok_or_else(|| format!("there is no violation {wanted}: the session has {count}"))
    }
}

/// The labs that may show what the session shows, the most faithful first; or why there is none.
fn labs_of(session: &StoredSession, head: &Head, is_by_hand: bool) -> Result<Vec<Lab>, String> {
    let orders = orders_alone(session, None, 0).map_err(|error| format!("its orders cannot be read: {error}"))?;
    let texts = [head.lab_file.clone(), orders];
    let mut labs: Vec<Lab> = Vec::new();
    for text in texts.iter().skip(usize::from(is_by_hand)) {
        let simulable = |lab: &Lab| lab.check_simulable("the session's lab").is_ok();
        labs.extend(lab::parse("the session's lab", text, registry_in_use()).ok().filter(simulable));
    }
    if labs.is_empty() { Err("its lab is none for this build, or cannot be simulated".to_owned()) } else { Ok(labs) }
}

/// What was shrunk: under which plan, towards what, and what is left.
struct ShrunkPlan {
    plan: Plan,
    wanted: WantedViolation,
    shrunk: Shrunk,
}

/// The first of these plans that shows the violation, shrunk.
fn shrunk(plans: &[Plan], wanted: WantedViolation) -> Option<ShrunkPlan> {
    let is_watched = stderr().is_terminal();
    let mut tell = |progress: ShrinkProgress| {
        if is_watched {
            remark_in_place(format!(
                "{}, {} left",
                counted(progress.runs, "simulation"),
                counted(progress.lines as u64, "fault line")
            ));
        }
    };
    let shrunk = plans.iter().find_map(|plan| {
        Some((plan.clone(), shrink(plan, &wanted, &|plan, listener| sim::run(plan, listener), &mut tell)?))
    });
    if is_watched {
        remark_in_place("");
    }
    shrunk.map(|(plan, shrunk)| ShrunkPlan { plan, wanted, shrunk })
}

/// The first violation that the plans show of the same property with the same excuse, where none shows this
/// contradiction.
fn other_contradiction(plans: &[Plan], report: &ViolationReport) -> Option<ViolationReport> {
    let wanted = WantedViolation::of_any_kind(report);
    plans.iter().find_map(|plan| {
        let plan = Plan { after: AfterScript::Judgement, ..plan.clone() };
        showing(&plan, &wanted, &|plan, listener| sim::run(plan, listener)).wanted().cloned()
    })
}

/// The lab with the session's seeds and kind of network.
fn plan_of(lab: Lab, head: &Head) -> Plan {
    let plan = Plan::of(Arc::new(lab));
    match &head.drawn {
        Some(drawn) => Plan { seed: drawn.seed, network_kind: NetworkKind::Drawn, ..plan },
        None => plan,
    }
}

/// Writes the lab, and says what is left and how it is seen again.
fn write(arguments: &Arguments, head: &Head, ShrunkPlan { plan, wanted, shrunk }: ShrunkPlan) -> u8 {
    let name = arguments.output.as_ref().map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
    let Some(written) = shrunk_lab::written(head, &wanted, &plan, &shrunk, &name) else {
        remark("the shrunk lab does not show the violation when its file is read back; this is a bug of hustings");
        return code::BUG;
    };
    let Some(path) = &arguments.output else {
        written.text.lines().for_each(say);
        remark(told(&shrunk, &written.command, head));
        return code::MET;
    };
    match new_file::write(path, arguments.existing(), &mut |file: &mut dyn Write| {
        file.write_all(written.text.as_bytes())
    }) {
        Ok(()) => {
            remark(told(&shrunk, &written.command, head));
            code::MET
        }
        Err(error) => refused(path, &error),
    }
}

/// Says why the lab's file cannot be written; returns the exit code.
fn refused(path: &Path, error: &io::Error) -> u8 {
    remark(format!("{}: {error}", path.display()));
    code::of_io(error)
}

/// What is left: `2 of 24 fault lines and 3 of 5 nodes are left, after 61 simulations; … shows it`.
fn told(shrunk: &Shrunk, command: &str, head: &Head) -> String {
    format!(
        "{} of {} and {} of {} are left, after {}; `{command}` shows the violation",
        shrunk.lines,
        counted(shrunk.lines_before as u64, "fault line"),
        shrunk.lab.roster.electors().len(),
        counted(u64::from(head.nodes), "node"),
        counted(shrunk.runs, "simulation"),
    )
}
