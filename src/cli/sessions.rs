//! `hustings sessions`: the recorded sessions, and which of them stay.
//!
//! Invariant: a session that a person recorded goes only when that person forgets it by its name.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::json;

use super::notes::{self, NewNote};
use super::run::gravest;
use super::session_names::{kept_of, listed};
use super::tell::{COLUMNS, remark, say, wrapped};
use super::{candidates, code, config};
use crate::protocol::visible;
use crate::record::{Body, KeptSession, MadeBy, Outcome, Pruning, Record, SessionEntry, StoredSession, prune};

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
        /// `last`, a number of the list, the beginning of a name in it, or the path of its file
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
        /// `last`, a number of the list, the beginning of a name in it, or the path of its file
        #[arg(required = true, value_name = "SESSION", add = candidates::session())]
        sessions: Vec<String>,
    },
}

/// How a session ended, as far as it tells.
#[derive(Debug, Default)]
struct SessionEnd {
    /// The stamp of its last record.
    at: i64,
    violations: usize,
    /// Those that a broken assumption excuses.
    excused: usize,
    failed: usize,
    unknown: usize,
    met: usize,
    has_ended: bool,
    /// Whether the lab expects anything.
    is_expecting: bool,
    /// The lines that cannot be used.
    damaged: usize,
    /// The records that were read, and the largest number of one.
    read: usize,
    last: u64,
    /// The records that should be there by that number, and are not.
    missing: usize,
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
    let sessions = match listed() {
        Ok(sessions) => sessions,
        Err(code) => return code,
    };
    if json {
        sessions.iter().for_each(|session| say(object(session)));
        return code::MET;
    }
    if sessions.is_empty() {
        remark("no session was recorded yet; `hustings up` and `hustings run` record what they do");
        return code::MET;
    }
    let digits = sessions.len().to_string().len();
    for (place, session) in sessions.iter().enumerate() {
        say(format!("{:>digits$}  {}", place + 1, session.name()));
        let indent = " ".repeat(digits + 2);
        let told = about(session, &SessionEnd::of(session));
        wrapped(&told, COLUMNS - indent.len()).iter().for_each(|line| say(format!("{indent}{line}")));
    }
    code::MET
}

/// What a list says of a session besides its name: `first, 3 min ago, 12.3 s, 45 kB: 7 met`.
fn about(session: &KeptSession, end: &SessionEnd) -> String {
    let lab = visible(&session.first.head.name);
    let (age, size, verdict) = (session.age(), session.size(), end.verdict());
    format!("lab {lab}, {age} ago, lasted {}, {size}: {verdict}", seconds(end.at))
}

fn seconds(at: i64) -> String {
    format!("{}.{} s", at / 1_000_000_000, at % 1_000_000_000 / 100_000_000)
}

fn object(session: &KeptSession) -> String {
    let end = SessionEnd::of(session);
    let modified = session.modified.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let made_by = match session.first.made_by {
        Some(MadeBy::Up) => Some("up"),
        Some(MadeBy::Run) => Some("run"),
        Some(MadeBy::Simulate) => Some("simulate"),
        None => None,
    };
    json!({
        "v": 1, "name": session.name(), "path": session.path, "lab": session.first.head.name,
        "algorithm": session.first.head.facts.name, "made_by": made_by, "is_prunable": session.is_prunable(),
        "modified_s": modified, "lasted_ns": end.at, "bytes": session.bytes, "verdict": end.verdict(),
        "violations": end.violations, "excused": end.excused, "met": end.met, "failed": end.failed, "unknown": end.unknown,
    })
    .to_string()
}

impl SessionEnd {
    /// What the records say; of a session that cannot be read, as far as it can.
    fn of(session: &KeptSession) -> SessionEnd {
        let mut end = SessionEnd { is_expecting: session.first.head.expects_something(), ..SessionEnd::default() };
        // What cannot be read has no end, and so it is told.
        let Ok(stored) = StoredSession::open(&session.path) else { return end };
        // The steps say nothing about the end, and are most of a session.
        let mut entries = stored.entries_without_steps();
        while let Ok(Some(entry)) = entries.next_entry() {
            match entry {
                SessionEntry::Record(record) => end.take(&record),
                SessionEntry::Skipped(_) => end.damaged += 1,
                SessionEntry::Head(_) => {}
            }
        }
        let passed = entries.passed();
        end.at = end.at.max(passed.latest.unwrap_or(0));
        let here = (end.read + end.damaged) as u64 + passed.count;
        end.missing = usize::try_from(end.last.saturating_sub(here)).unwrap_or(usize::MAX);
        end
    }

    fn take(&mut self, record: &Record) {
        self.at = self.at.max(record.at);
        self.read += 1;
        self.last = self.last.max(record.number);
        match &record.body {
            Body::Violation(violation) if violation.because.is_some() => self.excused += 1,
            Body::Violation(_) => self.violations += 1,
            Body::Verdict { outcome: Outcome::Met, .. } => self.met += 1,
            Body::Verdict { outcome: Outcome::Failed, .. } => self.failed += 1,
            Body::Verdict { outcome: Outcome::Unknown, .. } => self.unknown += 1,
            Body::Ended { .. } => self.has_ended = true,
            _ => {}
        }
    }

    /// In a few words, the gravest first.
    fn verdict(&self) -> String {
        let counted = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let cut = if self.has_ended { None } else { Some("no end".to_owned()) };
        let violations = if self.violations == 1 { "violation" } else { "violations" };
        let told = [
            cut,
            counted(self.missing, if self.missing == 1 { "record missing" } else { "records missing" }),
            counted(self.damaged, if self.damaged == 1 { "damaged line" } else { "damaged lines" }),
            counted(self.failed, "failed"),
            counted(self.unknown, "unknown"),
            counted(self.met, "met"),
            counted(self.violations, violations),
            counted(self.excused, "excused"),
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
        end.take(&Record::of_host(2_345_000_000, Body::Ended { why: String::new() }));
        assert_eq!((end.verdict().as_str(), seconds(end.at)), ("nothing was expected", "2.3 s".to_owned()));
        end.is_expecting = true;
        assert_eq!(end.verdict(), "nothing was decided");
        (end.met, end.failed, end.violations) = (3, 1, 1);
        assert_eq!(end.verdict(), "1 failed, 3 met, 1 violation");
        end.missing = 2;
        assert_eq!(end.verdict(), "2 records missing, 1 failed, 3 met, 1 violation");
    }
}
