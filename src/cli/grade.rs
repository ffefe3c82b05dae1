//! `hustings grade LAB… SESSION…`: a table of a class's labs and sessions, a row each: which expectations were met,
//! which violations were found, which faults were used.
//!
//! Invariant: a lab is simulated with its own seed, and so has the same row each time; a session is read as it is.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::columns::{aligned, aligned_within, counted};
use super::lab_files;
use super::output::{remark, say};
use super::run::gravest;
use super::session_names;
use super::{built_in, candidates, code};
use record::{Body, Head, LostRecords, Outcome, Record, Session, SessionEntry, StoredSession};
use world::{FigureSheet, SheetCell, SheetColumn};

/// What `grade` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 everything is in the table; 3 a lab file is invalid; 1, 5 or 6 a session cannot be read. \
                        What could be read is in the table all the same."
)]
pub struct Arguments {
    /// Lab files (.toml) or names that `labs` lists, which are simulated, and sessions: files, `last`, numbers or
    /// beginnings of names that `sessions` lists
    #[arg(required = true, value_name = "LAB|SESSION", add = candidates::lab_or_session())]
    works: Vec<PathBuf>,
    /// As CSV (RFC 4180), with whole names; the table for people is as wide as the terminal
    #[arg(long)]
    csv: bool,
}

/// A column of the table.
pub struct GradeColumn {
    /// The title for people; absent: it is in CSV alone.
    title: Option<&'static str>,
    /// The name in CSV.
    pub field: &'static str,
    /// What it holds.
    pub about: &'static str,
}

const fn column(title: &'static str, field: &'static str, about: &'static str) -> GradeColumn {
    GradeColumn { title: Some(title), field, about }
}

/// The columns, in their order. The manual reads this table.
pub const COLUMNS: &[GradeColumn] = &[
    column("WORK", "work", "the lab file or the session, as it was named"),
    column("LAB", "lab", "the lab's name"),
    column("ALGORITHM", "algorithm", "the lab's algorithm"),
    column(
        "VERDICT",
        "verdict",
        "`met`, `failed`, `unknown`, `violated` (nothing was expected, and a violation has no excuse), `nothing expected`, \
         or `unfinished`",
    ),
    column("FAULTS USED", "faults_used", "the kinds of faults that were ordered, such as `crash, partition x2`"),
    column("MET", "met", "expectations that were met"),
    column("FAILED", "failed", "expectations that failed"),
    column("UNKNOWN", "unknown", "expectations of which nobody can say"),
    column("VIOLATIONS", "violations", "violations that the judge found, with and without an excuse"),
    column("EXCUSED", "excused", "those of them that have an excuse"),
    column("FAULTS", "faults", "how many faults were ordered; `heal`, `recover`, `elect` and the like are none"),
    GradeColumn { title: None, field: "lasted_ns", about: "how long the lab lasted, in nanoseconds of lab time" },
];
/// So many of the columns are words.
const WORDS: usize = 5;

/// Prints the table.
pub fn main(arguments: &Arguments) -> u8 {
    let (mut codes, mut rows) = (Vec::new(), Vec::new());
    for work in &arguments.works {
        match graded(work) {
            Ok(grade) => rows.push(grade.row(&work.display().to_string())),
            Err(code) => codes.push(code),
        }
    }
    let sheet = FigureSheet { columns: columns(), rows };
    match arguments.csv {
        true => sheet.csv().iter().for_each(say),
        false => table(&sheet).iter().for_each(say),
    }
    gravest(&codes)
}

/// The table, as wide as the terminal; without one, as wide as it is.
fn table(sheet: &FigureSheet) -> Vec<String> {
    let columns = io::stdout().is_terminal().then(crossterm::terminal::size).and_then(Result::ok);
    match columns {
        Some((columns, _)) => aligned_within(&sheet.text(), WORDS, usize::from(columns)),
        None => aligned(&sheet.text(), WORDS),
    }
}

/// What came out of a lab or a session. On an error stderr has the reason.
fn graded(work: &Path) -> Result<Grade, u8> {
    let is_built_in = !work.exists() && work.to_str().is_some_and(|name| built_in::named(name).is_some());
    if is_built_in || work.extension().is_some_and(|extension| extension == "toml") {
        let lab = lab_files::read(Some(work)).and_then(|text| lab_files::parse(&text))?;
        lab.check_simulable(&work.display().to_string()).map_err(|errors| {
            remark(errors);
            remark(format!("{}: record it with `hustings run`, and name its session here", work.display()));
            code::LAB_INVALID
        })?;
        let plan = sim::Plan::of(Arc::new(lab));
        let mut grade = Grade::of(&sim::head(&plan));
        sim::run(&plan, Box::new(|record| grade.take(record)));
        return Ok(grade);
    }
    let file = session_names::file_of(work)?;
    let unread = |error: &record::SessionError| {
        remark(format!("{}: {error}", file.display()));
        code::unread(error)
    };
    let session = StoredSession::open(&file).map_err(|error| unread(&error))?;
    let Some(head) = session.head() else {
        remark(format!("{}: its first line is not that of a session", file.display()));
        return Err(code::UNKNOWN);
    };
    let mut grade = Grade::of(head);
    let read = session.go_through(&mut |entry| {
        match entry {
            SessionEntry::Record(record) => grade.take(&record),
            SessionEntry::Skipped(skipped) => {
                grade.lost.skip();
                remark(format!("{}:{}: skipped: {}", file.display(), skipped.line, skipped.why));
            }
            SessionEntry::Head(_) => {}
        }
        ControlFlow::Continue(())
    });
    read.map_err(|error| unread(&error))?;
    if grade.lost.count() > 0 {
        remark(format!("{}: {} missing or damaged", file.display(), counted(grade.lost.count(), "record")));
    }
    Ok(grade)
}

fn columns() -> Vec<SheetColumn> {
    SheetColumn::all(&COLUMNS.iter().map(|column| (column.title, column.field)).collect::<Vec<_>>())
}

/// What is counted of one work.
#[derive(Clone, Default, Debug)]
struct Grade {
    lab: String,
    algorithm: String,
    met: u64,
    failed: u64,
    unknown: u64,
    violations: u64,
    excused: u64,
    /// How often each kind of fault was ordered.
    faults: BTreeMap<String, u64>,
    lasted: i64,
    has_ended: bool,
    lost: LostRecords,
    /// Whether no verdict was certain from some moment on.
    is_undecidable: bool,
}

impl Grade {
    fn of(head: &Head) -> Grade {
        Grade { lab: head.name.clone(), algorithm: head.facts.name.clone(), ..Grade::default() }
    }

    fn take(&mut self, record: &Record) {
        self.lasted = self.lasted.max(record.at);
        self.lost.take_record(record);
        match &record.body {
            Body::Verdict { outcome: Outcome::Met, .. } => self.met += 1,
            Body::Verdict { outcome: Outcome::Failed, .. } => self.failed += 1,
            Body::Verdict { outcome: Outcome::Unknown, .. } => self.unknown += 1,
            Body::Violation(report) => {
                self.violations += 1;
                self.excused += u64::from(report.is_excused());
            }
            // One that only repairs or orders an election is no fault.
            Body::FaultOrdered { line, .. } if !line.only_repairs() => {
                *self.faults.entry(line.verb().to_owned()).or_default() += 1;
            }
            Body::Ended { .. } => self.has_ended = true,
            Body::Undecidable { .. } => self.is_undecidable = true,
            _ => {}
        }
    }

    /// The verdict in a word: an expectation counts more than what the judge found, for a lab may expect a violation.
    fn verdict(&self) -> &'static str {
        match () {
            () if !self.has_ended => "unfinished",
            () if self.failed > 0 => "failed",
            () if self.unknown > 0 || self.is_undecidable || self.lost.count() > 0 => "unknown",
            () if self.met > 0 => "met",
            () if self.violations > self.excused => "violated",
            () => "nothing expected",
        }
    }

    fn row(&self, work: &str) -> Vec<SheetCell> {
        let used = self.faults.iter().map(|(kind, count)| match count {
            1 => kind.clone(),
            _ => format!("{kind} x{count}"),
        });
        let used = used.collect::<Vec<_>>().join(", ");
        let words = [work, &self.lab, &self.algorithm, self.verdict()].map(|text| SheetCell::Text(text.to_owned()));
        let faults = self.faults.values().sum();
        let counts = [self.met, self.failed, self.unknown, self.violations, self.excused, faults];
        let used = if used.is_empty() { SheetCell::Nothing } else { SheetCell::Text(used) };
        let lasted = SheetCell::Count(u64::try_from(self.lasted).unwrap_or(0));
        words.into_iter().chain([used]).chain(counts.map(SheetCell::Count)).chain([lasted]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_is_graded_by_its_simulation_and_its_session_the_same() {
        let place = tempfile::tempdir().unwrap();
        let first = crate::cli::built_in::named("first").unwrap();
        let (lab, session) = (place.path().join("first.toml"), place.path().join("first.jsonl"));
        std::fs::write(&lab, &first.text).unwrap();
        let plan = sim::Plan::of(Arc::new(lab_files::parse(&first).unwrap()));
        let head = record::FirstLine { head: sim::head(&plan), made_by: None, part: 0 };
        let mut lines = vec![serde_json::to_string(&head).unwrap()];
        sim::run(&plan, Box::new(|record| lines.push(record.to_line())));
        std::fs::write(&session, lines.join("\n") + "\n").unwrap();
        let rows = [&lab, &session].map(|work| graded(work).unwrap().row("work"));
        assert_eq!(rows[0], rows[1]);
        let sheet = FigureSheet { columns: columns(), rows: vec![rows[0].clone()] };
        assert_eq!(
            sheet.text()[1],
            ["work", "first", "bully", "met", "crash", "7", "0", "0", "0", "0", "1"].map(str::to_owned)
        );
        assert!(sheet.csv()[1].starts_with("work,first,bully,met,crash,7,0,0,0,0,1,8"));
        // Without one line.
        let left_out = lines.iter().position(|line| line.contains("\"kind\":\"fault-ordered\"")).unwrap();
        let fewer = [&lines[..left_out], &lines[left_out + 1..]].concat().join("\n") + "\n";
        std::fs::write(&session, fewer).unwrap();
        assert_eq!(graded(&session).unwrap().verdict(), "unknown");
        // Cut before its end.
        std::fs::write(&session, lines[..lines.len() / 2].join("\n") + "\n").unwrap();
        assert_eq!(graded(&session).unwrap().verdict(), "unfinished");
    }
}
