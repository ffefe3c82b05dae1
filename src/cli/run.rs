//! `hustings run LAB…`: labs without a screen, one after another, each judged.
//!
//! Invariant: stdout holds one line for each expectation and violation, and a last one for the lab; everything else
//! goes to stderr.

use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::net::SocketAddrV4;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::columns::grouped;
use super::json_kinds::undocumented;
use super::output::{remark, remark_in_place, say};
use super::signals::Signals;
use super::{candidates, code, config, lab_files, simulated};
use host::{EndsBy, LabEnd, LabNews, LabOwner, RunPlan};
use judge::AssumptionView;
use lab::Lab;
use record::{Body, Death, EffectText, MadeBy, Record, Recording};
use script::Pace;
use world::{Elections, stamp};

/// So many elections are told at the end of a lab.
const ELECTIONS_TOLD_MAX: usize = 10;

/// How a lab is run, for `run` and `up` alike.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct HowToRun {
    /// The multicast group, for labs that broadcast, such as 239.255.9.9:24999
    #[arg(long, value_name = "GROUP:PORT", value_parser = parse_group)]
    pub group: Option<SocketAddrV4>,
    /// Keep the processes' stores below this directory, which must be there, while the lab runs: on a disk, for example
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Record the session to this new file: compressed if its name ends with .zst, else as plain text. Without it, the
    /// session goes to a new compressed file in $XDG_STATE_HOME/hustings or ~/.local/state/hustings. There the program
    /// keeps all sessions of `up`. Of those of `run` and `simulate` it keeps the newest 100, and at most 1 GiB
    #[arg(long, value_name = "FILE", conflicts_with = "no_record")]
    record: Option<PathBuf>,
    /// Record no session
    #[arg(long)]
    no_record: bool,
}

impl HowToRun {
    /// Where the session goes that this command records.
    pub fn recording(&self, made_by: MadeBy) -> Recording {
        match (&self.record, self.no_record) {
            (Some(path), _) => Recording::To(path.clone()),
            (None, true) => Recording::Off,
            (None, false) => Recording::Default(made_by),
        }
    }
}

fn parse_group(text: &str) -> Result<SocketAddrV4, String> {
    let group: SocketAddrV4 = text.parse().map_err(|_| "write it as 239.255.x.y:port".to_owned())?;
    match group.ip().octets() {
        [239, 255, ..] if group.port() >= 1024 => Ok(group),
        [239, 255, ..] => Err("the port must be 1024 or higher".to_owned()),
        _ => Err("the group must lie in 239.255.0.0/16, which no router passes on".to_owned()),
    }
}

/// What `run` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Lab files, or names of labs that `labs` lists
    #[arg(required = true, value_name = "LAB", add = candidates::lab())]
    labs: Vec<PathBuf>,
    /// One JSON object a line on stdout
    #[arg(long)]
    json: bool,
    /// Run in virtual time: the same machines, faults and judge, without processes and without waiting
    #[arg(long, conflicts_with_all = ["group", "store"])]
    sim: bool,
    #[command(flatten)]
    how: HowToRun,
}

/// Runs the labs, if every file is correct.
pub fn main(arguments: Arguments) -> u8 {
    if arguments.how.record.is_some() && arguments.labs.len() > 1 {
        remark("--record FILE takes only one lab; without it, each session gets its own file");
        return code::USAGE;
    }
    let time = if arguments.sim { Time::Virtual } else { Time::Real };
    let labs = match lab_files::parse_all(time, &arguments.labs) {
        Ok(labs) => labs,
        Err(code) => return code,
    };
    let form = if arguments.json { VerdictForm::Json } else { VerdictForm::Text };
    run_all(labs, &arguments.how, MadeBy::Run, time, form)
}

/// In which time labs run.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Time {
    /// In the time of this computer, with real processes.
    Real,
    /// In virtual time.
    Virtual,
}

/// How verdicts are printed.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum VerdictForm {
    /// As sentences.
    Text,
    /// As JSON objects.
    Json,
}

/// Runs the labs one after another for this command; the gravest of their codes counts.
pub fn run_all(labs: Vec<Lab>, how: &HowToRun, made_by: MadeBy, time: Time, form: VerdictForm) -> u8 {
    let recording = how.recording(made_by);
    let kept = config::load_and_tell().retention();
    let signals = match time {
        Time::Real => None,
        Time::Virtual => match Signals::listen() {
            Ok(signals) => Some(signals),
            Err(code) => return code,
        },
    };
    let mut codes = Vec::new();
    for lab in labs {
        if let Some(pruned) = kept.and_then(|kept| recording.make_room(kept)) {
            remark(pruned);
        }
        let ran = match &signals {
            None => run_one(lab, how, recording.clone(), form),
            Some(signals) => simulate_one(lab, &recording, form, signals),
        };
        codes.push(ran);
        if ran > 128 {
            return ran;
        }
    }
    gravest(&codes)
}

/// The first of 70, 6, 3, 1, 4, 5 that occurred.
pub fn gravest(codes: &[u8]) -> u8 {
    let order = [code::BUG, code::ENVIRONMENT, code::LAB_INVALID, code::FAILED, code::VIOLATED, code::UNKNOWN];
    order.into_iter().find(|code| codes.contains(code)).unwrap_or(code::MET)
}

fn run_one(lab: Lab, how: &HowToRun, recording: Recording, form: VerdictForm) -> u8 {
    let (name, periodic) = (lab.name.clone(), lab.card.periodic);
    remark(format!("{name}: {}, {} nodes, T {}", lab.card.title, lab.roster.electors().len(), lab.timing.t));
    tell_of_liars(&lab);
    let tells = told_steps(&lab);
    let plan = RunPlan {
        lab,
        group: how.group,
        store: how.store.clone(),
        recording,
        pace: Pace::Played,
        ends_by: EndsBy::Script,
        lifeline: LabOwner::None,
    };
    let mut printer = Printer { name: &name, periodic, tells, form, progress: None };
    match host::run(plan, &mut |progress| printer.tell(&progress)) {
        Ok(end) => {
            printer.tell_end(&end);
            end.signal.map_or_else(|| exit_code(&end), code::signal)
        }
        Err(error) => {
            remark(format!("{name}: {}", code::why_not_started(&error)));
            code::not_started(&error)
        }
    }
}

fn simulate_one(lab: Lab, recording: &Recording, form: VerdictForm, signals: &Signals) -> u8 {
    let (name, periodic) = (lab.name.clone(), lab.card.periodic);
    remark(format!("{name}: {}, {} nodes, T {}, simulated", lab.card.title, lab.roster.electors().len(), lab.timing.t));
    tell_of_liars(&lab);
    let progress = stderr().is_terminal().then(LabProgress::begin);
    let mut printer = Printer { name: &name, periodic, tells: told_steps(&lab), form, progress };
    let plan = sim::Plan::of(Arc::new(lab));
    let run = || simulated::run(&plan, None, recording, &mut |record| printer.tell_record(record));
    match signals.interrupt.over(run) {
        Ok(end) => {
            printer.tell_end(&end);
            signals.came().map_or_else(|| exit_code(&end), code::signal)
        }
        Err(error) => {
            remark(format!("{name}: {error}"));
            code::ENVIRONMENT
        }
    }
}

fn tell_of_liars(lab: &Lab) {
    if let Some(told) = lab.told_of_liars() {
        remark(format!("{}: {told}", lab.name));
    }
}

/// If this computer kept the lab from going on as it should, that code counts more than the expectations of the lab
/// without it.
fn exit_code(end: &LabEnd) -> u8 {
    if end.hindrance.is_some() { code::ENVIRONMENT } else { end.run.summary.exit_code() }
}

/// What the steps of these names tell, as lines.
fn told_steps(lab: &Lab) -> BTreeMap<String, String> {
    lab.steps.iter().filter_map(|step| Some((step.name.clone(), step.narration.in_a_line()?))).collect()
}

struct Printer<'a> {
    name: &'a str,
    /// The kinds of messages that its algorithm sends while nothing happens.
    periodic: &'a [&'static str],
    /// What its steps tell.
    tells: BTreeMap<String, String>,
    form: VerdictForm,
    /// How far a simulated lab is, where a terminal shows it.
    progress: Option<LabProgress>,
}

/// How far a simulated lab is: one line on the terminal of stderr, removed before anything else is printed.
struct LabProgress {
    /// When it was looked at last.
    looked: Instant,
    records: u64,
    is_shown: bool,
}

impl LabProgress {
    /// So often it is shown anew, and a lab that is over sooner shows nothing.
    const SHOWN_EVERY: Duration = Duration::from_millis(200);
    /// The clock is looked at every so many records.
    const RECORDS_UNWATCHED: u64 = 1024;

    fn begin() -> LabProgress {
        LabProgress { looked: Instant::now(), records: 0, is_shown: false }
    }

    fn take(&mut self, name: &str, record: &Record) {
        self.records += 1;
        if self.records.is_multiple_of(Self::RECORDS_UNWATCHED) && self.looked.elapsed() >= Self::SHOWN_EVERY {
            (self.looked, self.is_shown) = (Instant::now(), true);
            remark_in_place(format!(
                "{name}: {} of lab time, {} records; Ctrl-C ends it",
                stamp(record.at),
                grouped(self.records)
            ));
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            remark_in_place("");
        }
    }
}

/// What a process asks the operator for.
fn asked_for_help(effect: &EffectText) -> Option<&str> {
    match effect {
        EffectText::Help { text } => Some(text),
        _ => None,
    }
}

impl Printer<'_> {
    fn tell(&mut self, progress: &LabNews<'_>) {
        if let LabNews::Record(record) = progress {
            self.tell_record(record);
        }
    }

    fn tell_record(&mut self, record: &Record) {
        if let Some(progress) = &mut self.progress {
            progress.take(self.name, record);
        }
        let of = record.node.map_or_else(String::new, |node| format!("node {node}: "));
        let what = match &record.body {
            Body::StepTaken { step } => match self.tells.get(step) {
                Some(told) => told.clone(),
                None => format!("step \"{step}\""),
            },
            Body::FaultOrdered { id, line, .. } => format!("{id} {line}"),
            Body::FaultNotInForce { id, why } => format!("{id} not in force: {why}"),
            Body::Note { text } => format!("{of}{text}"),
            Body::Died { death: Death::Signalled { signal } } => {
                format!("{of}somebody else killed its process (signal {signal})")
            }
            Body::Died { death: Death::Exited { code } } => {
                format!("{of}its process ended by itself (exit code {code})")
            }
            Body::RecordingSuspended { why } => format!("recording is suspended: {why}"),
            Body::RecordingResumed { count } => {
                format!("recording has resumed; {count} records are missing in the file")
            }
            Body::Violation(report) => report.text.clone(),
            Body::Step(step) => match step.effects.iter().find_map(asked_for_help) {
                Some(text) => format!("{of}help: {text}"),
                None => return,
            },
            Body::Verdict { outcome, text, .. } => {
                self.clear_progress();
                return match self.form {
                    VerdictForm::Text => say(text),
                    VerdictForm::Json => {
                        self.say_object("expectation", json!({"outcome": outcome, "text": text, "at": record.at}));
                    }
                };
            }
            _ => return,
        };
        self.clear_progress();
        remark(format!("{}: {}: {what}", self.name, stamp(record.at)));
    }

    fn clear_progress(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.clear();
        }
    }

    fn tell_end(&mut self, end: &LabEnd) {
        self.clear_progress();
        for violation in &end.run.violations {
            match self.form {
                VerdictForm::Text => say(violation),
                VerdictForm::Json => self.say_object("violation", json!({"text": violation})),
            }
        }
        if let Some(defect) = &end.run.defect {
            remark(format!("{}: {defect}", self.name));
        }
        if let Some(why) = &end.run.unknown {
            remark(format!("{}: verdicts are unknown: {why}", self.name));
        }
        self.tell_elections(&end.run.elections);
        if let Some(section) = &end.run.section {
            match self.form {
                VerdictForm::Text => remark(format!("{}: {section}", self.name)),
                VerdictForm::Json => self.say_object("section", json!({"text": section})),
            }
        }
        self.tell_assumptions(end);
        self.tell_promises(end);
        match self.form {
            VerdictForm::Text => say(end),
            VerdictForm::Json => self.say_object(
                "end",
                json!({
                    "met": end.run.summary.met, "expected": end.run.summary.total,
                    "violations": end.run.summary.violations, "excused": end.run.summary.excused,
                    "by_machine": end.run.summary.by_machine, "never_due": end.never_due(),
                    "session": end.session, "code": exit_code(end),
                }),
            ),
        }
    }

    /// Prints an object of this kind with these fields, all of which the table of kinds has.
    fn say_object(&self, kind: &str, mut object: Value) {
        debug_assert_eq!(undocumented(kind, &object), Vec::<String>::new(), "{kind}");
        object["v"] = 1.into();
        object["lab"] = self.name.into();
        object["kind"] = kind.into();
        say(object);
    }

    /// The latest elections, a line each.
    fn tell_elections(&self, elections: &Elections) {
        let told = elections.latest.iter().rev().take(ELECTIONS_TOLD_MAX).rev();
        if self.form == VerdictForm::Json {
            return told.for_each(|election| self.say_object("election", json!({"is": election})));
        }
        let earlier = elections.count - told.len() as u64;
        if earlier > 0 {
            remark(format!("{}: {earlier} earlier elections, and the last {ELECTIONS_TOLD_MAX}:", self.name));
        }
        told.for_each(|election| remark(format!("{}: {}", self.name, election.in_a_line(self.periodic))));
    }

    /// How often each promise was judged, and the outcomes.
    fn tell_promises(&self, end: &LabEnd) {
        for (property, tally) in end.run.tallies.iter() {
            match self.form {
                VerdictForm::Text => remark(format!("{}: {property}: {tally}", self.name)),
                VerdictForm::Json => self.say_object("promise", json!({"property": property, "is": tally})),
            }
        }
    }

    /// Which assumptions were broken, and which a fault only tried to break; and the lab in figures.
    fn tell_assumptions(&self, end: &LabEnd) {
        match self.form {
            VerdictForm::Text => {
                for view in &end.run.assumptions {
                    if let Some(text) = told(view) {
                        remark(format!("{}: {text}", self.name));
                    }
                }
            }
            VerdictForm::Json => {
                for view in &end.run.assumptions {
                    self.say_object("assumption", json!({"is": view}));
                }
                self.say_object("figures", json!({"are": end.run.figures}));
            }
        }
    }
}

/// What happened to an assumption, if that deserves a line: it was broken, or a fault tried to break it.
fn told(view: &AssumptionView) -> Option<String> {
    let meant: Vec<String> = view.meant_by.iter().map(ToString::to_string).collect();
    let need = match &view.needed_by[..] {
        [] => "none of its promises rests on it".to_owned(),
        [promise] => format!("{promise} rests on it"),
        promises => {
            let names: Vec<String> = promises.iter().map(ToString::to_string).collect();
            format!("{} rest on it", names.join(", "))
        }
    };
    match &view.text {
        Some(text) => {
            let (faults, machine) = (view.by_faults, view.by_machine);
            Some(format!("{text}; {need}; breaks: {faults} by faults, {machine} by this computer"))
        }
        None if meant.is_empty() => None,
        None => Some(format!("{} held, although {} might have broken it; {need}", view.assumption, meant.join(", "))),
    }
}
