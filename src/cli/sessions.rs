//! `hustings sessions`: the recorded sessions, and which of them stay.
//!
//! A list reads the beginning and the end of each session; the whole of one only if its end does not tell what came
//! out.
//!
//! Invariant: a session that a person recorded goes only when that person forgets it by its name; what cannot be read
//! is told as that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;

use super::notes::{self, NewNote};
use super::output::{COLUMNS, remark, say, wrapped};
use super::run::gravest;
use super::session_names::{kept_of, listed};
use super::{candidates, code, config};
use protocol::visible_line;
use record::{
    Body, KeptSession, LabOutcome, MadeBy, Outcome, Pruning, Record, SessionEnding, SessionEntry, SessionError,
    StoredSession, VERSION, in_threads, prune,
};

/// What `sessions` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<SessionsCommand>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What is done with sessions; without it, they are listed.
#[derive(Debug, clap::Subcommand)]
enum SessionsCommand {
    /// Remove the oldest sessions that `run` and `simulate` recorded by themselves, past the limits; they do so too
    Prune {
        /// Only tell which these are
        #[arg(long)]
        dry_run: bool,
    },
    /// Rename a session so that it is never removed to make room
    Keep {
        /// A name in the list or its beginning, `last`, a number of the list, or the path of its file
        #[arg(required = true, value_name = "SESSION", add = candidates::session())]
        sessions: Vec<String>,
    },
    /// List what was written about a session: markers, notes, chapters
    Notes {
        /// The session's file; or `last`, or the number or the beginning of a name that `sessions` lists
        #[arg(add = candidates::session())]
        session: PathBuf,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Write a marker, a note or a chapter about a moment of a session, into a file beside it
    Note(NewNote),
    /// Delete a session, and what was written about it
    Forget {
        /// A name in the list or its beginning, `last`, a number of the list, or the path of its file
        #[arg(required = true, value_name = "SESSION", add = candidates::session())]
        sessions: Vec<String>,
    },
}

/// How a session ended, as far as it tells.
#[derive(Debug, Default)]
struct SessionEnd {
    /// The stamp of its last record; absent while its lab runs.
    at: Option<i64>,
    /// What came out.
    outcome: LabOutcome,
    has_ended: bool,
    /// Whether the lab expects anything.
    is_expecting: bool,
    /// The lines that cannot be used.
    damaged: usize,
    /// The records that were read, and the largest number of one.
    read: u64,
    last: u64,
}

/// Lists the sessions, or does what is asked.
pub fn main(arguments: &Arguments) -> u8 {
    match &arguments.what {
        None => list(arguments.json),
        Some(SessionsCommand::Prune { dry_run }) => {
            let (pruning, verb) = if *dry_run { (Pruning::Told, "would remove") } else { (Pruning::Done, "removed") };
            let Some(kept) = config::load_and_tell().retention() else {
                remark("nothing is removed while the config file is wrong");
                return code::USAGE;
            };
            let gone = prune(kept, pruning);
            gone.iter().for_each(|path| say(format!("{verb} {}", path.display())));
            if gone.is_empty() {
                remark("nothing is to be removed");
            }
            code::MET
        }
        Some(SessionsCommand::Keep { sessions }) => each(sessions, |session| {
            if !session.is_prunable() {
                return Ok(format!("{} keeps its name: it is never removed to make room", session.name()));
            }
            session.keep().map(|path| format!("{} is kept as {}", session.name(), path.display()))
        }),
        Some(SessionsCommand::Notes { session, json }) => notes::list(session, *json),
        Some(SessionsCommand::Note(new)) => notes::add(new),
        Some(SessionsCommand::Forget { sessions }) => {
            each(sessions, |session| session.forget().map(|()| format!("{} is gone", session.name())))
        }
    }
}

/// Finds all these sessions first, so that numbers mean what the list said; then does this with each, once.
fn each(names: &[String], act: impl Fn(&KeptSession) -> std::io::Result<String>) -> u8 {
    let meant: Result<Vec<KeptSession>, u8> = names.iter().map(|name| kept_of(name)).collect();
    let mut meant = match meant {
        Ok(meant) => meant,
        Err(code) => return code,
    };
    let mut seen = BTreeSet::new();
    meant.retain(|session| seen.insert(session.path.clone()));
    let codes: Vec<u8> = meant
        .iter()
        .map(|session| match act(session) {
            Ok(told) => {
                say(told);
                code::MET
            }
            Err(error) => {
                remark(format!("{}: {error}", session.name()));
                code::of_io(&error)
            }
        })
        .collect();
    gravest(&codes)
}

fn list(json: bool) -> u8 {
    let shelf = match listed() {
        Ok(shelf) => shelf,
        Err(code) => return code,
    };
    if shelf.sessions.is_empty() && shelf.unreadable.is_empty() && !json {
        remark("no session was recorded yet; `hustings up` and `hustings run` record what they do");
        return code::MET;
    }
    let ends = in_threads(&shelf.sessions, SessionEnd::of);
    let digits = shelf.sessions.len().to_string().len();
    let mut codes = Vec::new();
    for (place, (session, end)) in shelf.sessions.iter().zip(&ends).enumerate() {
        codes.extend(end.as_ref().err().map(code_of));
        match json {
            true => say(object(session, end)),
            false => say_row(&(place + 1).to_string(), digits, &session.name(), &about(session, end)),
        }
    }
    for (path, error) in &shelf.unreadable {
        codes.push(code::ENVIRONMENT);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match json {
            true => say(json!({"v": 1, "name": name, "path": path, "unreadable": error.to_string()})),
            false => say_row("-", digits, &name, &format!("cannot be read: {error}")),
        }
    }
    gravest(&codes)
}

/// Says what is told of a session: its name behind its number, and below it the rest.
fn say_row(number: &str, digits: usize, name: &str, told: &str) {
    say(format!("{number:>digits$}  {}", visible_line(name)));
    let indent = " ".repeat(digits + 2);
    wrapped(told, COLUMNS - indent.len()).iter().for_each(|line| say(format!("{indent}{line}")));
}

/// The system refuses to read it, or it is no session.
fn code_of(error: &SessionError) -> u8 {
    match error {
        SessionError::Refused { .. } => code::ENVIRONMENT,
        // That it is there is all that the list owes.
        SessionError::OtherVersion(_) => code::MET,
        error => code::unread(error),
    }
}

/// What a list says of a session besides its name: `first, 3 min ago, 12.3 s, 45 kB: 7 met`.
fn about(session: &KeptSession, end: &Result<SessionEnd, SessionError>) -> String {
    let lab = visible_line(&session.head.name);
    let (age, size) = (session.age(), session.size());
    match end {
        Ok(SessionEnd { at: None, .. }) => format!("lab {lab}, {age} ago, {size}: still runs"),
        Ok(end @ SessionEnd { at: Some(at), .. }) => {
            format!("lab {lab}, {age} ago, lasted {}, {size}: {}", seconds(*at), end.verdict())
        }
        Err(error) => format!("lab {lab}, {age} ago, {size}: cannot be read: {error}"),
    }
}

fn seconds(at: i64) -> String {
    format!("{}.{} s", at / 1_000_000_000, at % 1_000_000_000 / 100_000_000)
}

fn object(session: &KeptSession, end: &Result<SessionEnd, SessionError>) -> String {
    let modified = session.modified.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let made_by = match session.head.made_by {
        Some(MadeBy::Up) => Some("up"),
        Some(MadeBy::Run) => Some("run"),
        Some(MadeBy::Simulate) => Some("simulate"),
        None => None,
    };
    let mut object = json!({
        "v": 1, "name": session.name(), "path": session.path, "lab": session.head.name,
        "algorithm": session.head.algorithm(), "made_by": made_by, "is_prunable": session.is_prunable(),
        "made_s": session.made(), "modified_s": modified, "bytes": session.bytes,
    });
    let told = match end {
        Ok(end) => {
            let LabOutcome { met, failed, unknown, violations, excused, .. } = end.outcome;
            let verdict = if end.at.is_some() { end.verdict() } else { "still runs".to_owned() };
            json!({
                "lasted_ns": end.at, "verdict": verdict, "violations": violations, "excused": excused, "met": met,
                "failed": failed, "unknown": unknown,
            })
        }
        Err(error) => json!({"unreadable": error.to_string()}),
    };
    if let (Some(object), serde_json::Value::Object(told)) = (object.as_object_mut(), told) {
        object.extend(told);
    }
    object.to_string()
}

impl SessionEnd {
    /// What the end of the session says, or else all its records.
    fn of(session: &KeptSession) -> Result<SessionEnd, SessionError> {
        if session.head.version != VERSION {
            return Err(SessionError::OtherVersion(session.head.version));
        }
        match session.ending()? {
            SessionEnding::Ended(at, outcome) => {
                let mut end = SessionEnd { at: Some(at), outcome, has_ended: true, ..SessionEnd::default() };
                // It only matters to a lab of which nothing else is told, and takes longer to find than all the rest.
                end.is_expecting = outcome == LabOutcome::default() && session.head.expects_something();
                Ok(end)
            }
            SessionEnding::Running => Ok(SessionEnd::default()),
            SessionEnding::Untold => SessionEnd::read(&session.path, session.head.expects_something()),
        }
    }

    fn read(path: &Path, is_expecting: bool) -> Result<SessionEnd, SessionError> {
        let mut end = SessionEnd { is_expecting, ..SessionEnd::default() };
        let stored = StoredSession::open(path)?;
        // The steps say nothing about the end, and are most of a session.
        let mut entries = stored.entries_without_steps();
        while let Some(entry) = entries.next_entry()? {
            match entry {
                SessionEntry::Record(record) => end.take(&record),
                SessionEntry::Skipped(_) => end.damaged += 1,
                SessionEntry::Head(_) => {}
            }
        }
        let passed = entries.passed();
        end.at = Some(end.at.max(passed.latest).unwrap_or(0));
        let here = end.read + end.damaged as u64 + passed.count;
        end.outcome.missing = end.last.saturating_sub(here);
        Ok(end)
    }

    fn take(&mut self, record: &Record) {
        self.at = self.at.max(Some(record.at));
        self.read += 1;
        self.last = self.last.max(record.number);
        let outcome = &mut self.outcome;
        match &record.body {
            Body::Violation(violation) if violation.is_excused() => outcome.excused += 1,
            Body::Violation(_) => outcome.violations += 1,
            Body::Verdict { outcome: Outcome::Met, .. } => outcome.met += 1,
            Body::Verdict { outcome: Outcome::Failed, .. } => outcome.failed += 1,
            Body::Verdict { outcome: Outcome::Unknown, .. } => outcome.unknown += 1,
            Body::Ended { .. } => self.has_ended = true,
            _ => {}
        }
    }

    /// In a few words, the gravest first.
    fn verdict(&self) -> String {
        let LabOutcome { met, failed, unknown, violations, excused, missing } = self.outcome;
        let counted = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let cut = if self.has_ended { None } else { Some("no end".to_owned()) };
        let told = [
            cut,
            (missing > 0).then(|| format!("{missing} {} missing", if missing == 1 { "record" } else { "records" })),
            counted(self.damaged, if self.damaged == 1 { "damaged line" } else { "damaged lines" }),
            counted(failed, "failed"),
            counted(unknown, "unknown"),
            counted(met, "met"),
            counted(violations, if violations == 1 { "violation" } else { "violations" }),
            counted(excused, "excused"),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        match (told.is_empty(), self.is_expecting) {
            (false, _) => told.join(", "),
            (true, true) => "nothing was decided".to_owned(),
            (true, false) => "nothing was expected".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_session_is_told_in_a_few_words() {
        let mut end = SessionEnd::default();
        assert_eq!(end.verdict(), "no end");
        end.take(&Record::of_host(2_345_000_000, Body::Ended { why: String::new(), outcome: None }));
        assert_eq!((end.verdict().as_str(), seconds(end.at.unwrap())), ("nothing was expected", "2.3 s".to_owned()));
        end.is_expecting = true;
        assert_eq!(end.verdict(), "nothing was decided");
        end.outcome = LabOutcome { met: 3, failed: 1, violations: 1, ..LabOutcome::default() };
        assert_eq!(end.verdict(), "1 failed, 3 met, 1 violation");
        end.outcome.missing = 2;
        assert_eq!(end.verdict(), "2 records missing, 1 failed, 3 met, 1 violation");
    }
}
