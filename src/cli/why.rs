//! `hustings why SESSION`: why a node is in its state at a moment, or why a violation came, each sentence with the
//! numbers of its records.
//!
//! Invariant: all that it says comes from the session's records, whatever the session claims to be.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::code;
use super::columns::counted;
use super::needed::needs;
use super::session_names;
use super::tell::{COLUMNS, remark, say, wrapped};
use crate::judge::why::{Annals, AskedWhy, Explanation, coordinators, violations};
use crate::protocol::{NodeId, Span};
use crate::record::{Head, LostRecords, Record, Session, SessionEntry, SessionError, StoredSession};

const EXIT_CODES: &str = "Exit codes: 0 told; 2 usage, or no such node or violation; 5 unknown: nothing is on record at \
                          that moment, records are missing, or the file is no session; 1 or 6 the file cannot be read.";

/// What `why` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// The session's file, of one in parts any of them; or `last`, or the number or the beginning of a name that
    /// `sessions` lists
    session: PathBuf,
    /// The moment, since the lab began; without it, the end
    #[arg(long, value_name = "SPAN")]
    at: Option<Span>,
    /// This node; without it, every coordinator and every violation
    #[arg(long)]
    node: Option<NodeId>,
    /// This violation, by its place among the violations, from 1
    #[arg(long, conflicts_with = "node", value_name = "N")]
    violation: Option<usize>,
    /// Simulate the lab again without each of the faults that are named, and tell which were needed
    #[arg(long)]
    needed: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Tells why.
pub fn main(arguments: &Arguments) -> u8 {
    let file = match session_names::file_of(&arguments.session) {
        Ok(file) => file,
        Err(code) => return code,
    };
    let unread = |error: &SessionError| {
        remark(format!("{}: {error}", file.display()));
        code::unread(error)
    };
    let session = match StoredSession::open(&file) {
        Ok(session) => session,
        Err(error) => return unread(&error),
    };
    let (records, lost) = match read(&session, arguments.at, &file) {
        Ok(read) => read,
        Err(error) => return unread(&error),
    };
    if lost > 0 {
        let lost = counted(lost, "record");
        remark(format!("{}: without {lost}, which the file lacks; what they would tell is unknown", file.display()));
    }
    if session.head().is_none() && records.is_empty() {
        remark(format!("{}: no line of it is one of a session", file.display()));
        return code::UNKNOWN;
    }
    let annals = Annals::new(session.head(), &records);
    let asked = match asked(arguments, session.head(), &annals) {
        Ok(asked) => asked,
        Err((code, why)) => {
            remark(why);
            return code;
        }
    };
    let mut is_known = false;
    for (place, question) in asked.iter().enumerate() {
        let Some(mut explanation) = question.answer(&annals) else { continue };
        if let Some(sought) = question.sought(&annals).filter(|_| arguments.needed) {
            let needs = needs(&session, &sought, &explanation.faults());
            explanation.needs = needs.into_iter().map(|(fault, need)| need.told(&fault.to_string())).collect();
        }
        if arguments.json {
            say(serde_json::json!(&explanation));
        } else {
            if place > 0 {
                say("");
            }
            tell(&explanation);
        }
        is_known |= !explanation.headline.records.is_empty();
    }
    if is_known && lost == 0 { code::MET } else { code::UNKNOWN }
}

/// The records up to this moment, and how many are missing among them.
fn read(session: &StoredSession, at: Option<Span>, path: &Path) -> Result<(Vec<Record>, u64), SessionError> {
    let until = at.map_or(i64::MAX, |at| i64::try_from(at.nanos()).unwrap_or(i64::MAX));
    let (mut records, mut lost) = (Vec::new(), LostRecords::default());
    session.go_through(&mut |entry| {
        match entry {
            SessionEntry::Record(record) if record.at > until => return ControlFlow::Break(()),
            SessionEntry::Record(record) => {
                lost.take(record.number);
                records.push(record);
            }
            SessionEntry::Skipped(skipped) => {
                lost.skip();
                remark(format!("{}:{}: skipped: {}", path.display(), skipped.line, skipped.why));
            }
            SessionEntry::Head(_) => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok((records, lost.count()))
}

/// What was asked about, or the code and the words of why it cannot be told.
fn asked(arguments: &Arguments, head: Option<&Head>, annals: &Annals<'_>) -> Result<Vec<AskedWhy>, (u8, String)> {
    let found = violations(annals);
    if let Some(wanted) = arguments.violation {
        let number = wanted.checked_sub(1).and_then(|place| found.get(place));
        let none = || (code::USAGE, format!("there is no violation {wanted}: the session has {} by then", found.len()));
        return number.map(|number| vec![AskedWhy::Record(*number)]).ok_or_else(none);
    }
    if let Some(node) = arguments.node {
        if head.and_then(Head::roster).is_some_and(|roster| !roster.all().contains(node)) {
            return Err((code::USAGE, format!("there is no node {node} in this lab")));
        }
        return Ok(vec![AskedWhy::Node(node)]);
    }
    let nodes = coordinators(annals).iter().map(AskedWhy::Node);
    let asked: Vec<AskedWhy> = nodes.chain(found.into_iter().map(AskedWhy::Record)).collect();
    if asked.is_empty() {
        let why = "nobody coordinates then, and there was no violation; --node asks about one node";
        return Err((code::UNKNOWN, why.to_owned()));
    }
    Ok(asked)
}

fn tell(explanation: &Explanation) {
    let sentences = explanation.all().map(|sentence| &sentence.text).chain(&explanation.needs);
    for (place, sentence) in sentences.enumerate() {
        let (first, more) = if place == 0 { ("", "    ") } else { ("  - ", "    ") };
        for (line, text) in wrapped(sentence, COLUMNS - more.len()).into_iter().enumerate() {
            say(format!("{}{text}", if line == 0 { first } else { more }));
        }
    }
}
