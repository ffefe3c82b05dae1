//! `hustings why SESSION`: why a node is in its state at a moment, or why a violation came, each sentence with the
//! numbers of its records.
//!
//! Invariant: all that it says comes from the session's records, whatever the session claims to be.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::columns::counted;
use super::necessary_faults::needs;
use super::output::{COLUMNS, remark, say, wrapped};
use super::session_names;
use super::{candidates, code};
use judge::why::{AskedWhy, Explanation, SessionPast, coordinators, violations};
use protocol::{NodeId, Span};
use record::{Body, Head, HeldRecords, LostRecords, Session, SessionEntry, SessionError, StoredSession};
use world::stamp;

const EXIT_CODES: &str = "Exit codes: 0 told; 2 usage, or no such node or violation; 5 unknown: nothing is on record at \
                          that moment, records are missing, the session stops before it, or the file is no session; 1 or 6 the file cannot be read.";

/// What `why` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// The session's file, of one in parts any of them; or `last`, or the number or the beginning of a name that
    /// `sessions` lists
    #[arg(add = candidates::session())]
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
    let known = match KnownRecords::read(&session, arguments.at, &file) {
        Ok(known) => known,
        Err(error) => return unread(&error),
    };
    if session.head().is_none() && known.records.is_empty() && known.begins_later.is_none() {
        remark(format!("{}: no line of it is one of a session", file.display()));
        return code::UNKNOWN;
    }
    known.untold().iter().for_each(|untold| remark(format!("{}: {untold}", file.display())));
    let session_past = SessionPast::new(session.head(), &*known.records);
    let asked = match asked(arguments, session.head(), &session_past, &known) {
        Ok(asked) => asked,
        Err((code, why)) => {
            remark(why);
            return code;
        }
    };
    let mut is_known = false;
    for (place, question) in asked.iter().enumerate() {
        let Some(mut explanation) = question.answer(&session_past) else { continue };
        if let Some(sought) = question.sought(&session_past).filter(|_| arguments.needed) {
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
    let is_there = known.lost == 0 && !known.is_cut_before(arguments.at);
    if is_known && is_there { code::MET } else { code::UNKNOWN }
}

/// What a session tells up to a moment.
#[derive(Default)]
struct KnownRecords {
    records: HeldRecords,
    /// How many records are missing that may be of that time.
    lost: u64,
    /// The moment of the first record, if it is after the one that is asked about.
    begins_later: Option<i64>,
    /// Whether it stops before the moment that is asked about, or before the end, and the lab's end is missing.
    is_cut: bool,
}

impl KnownRecords {
    /// Reads the records up to this moment, and says which lines cannot be used.
    fn read(session: &StoredSession, at: Option<Span>, path: &Path) -> Result<KnownRecords, SessionError> {
        let until = at.map_or(i64::MAX, |at| i64::try_from(at.nanos()).unwrap_or(i64::MAX));
        let (mut known, mut lost) = (KnownRecords { is_cut: true, ..KnownRecords::default() }, LostRecords::default());
        let mut held = Ok(());
        let read = session.go_through(&mut |entry| {
            match entry {
                SessionEntry::Record(record) => {
                    // Records that are missing before the next one may lie before the moment that is asked about.
                    lost.take_record(&record);
                    if record.at > until {
                        known.is_cut = false;
                        known.begins_later = known.records.is_empty().then_some(record.at);
                        return ControlFlow::Break(());
                    }
                    known.is_cut &= !matches!(record.body, Body::Ended { .. });
                    held = known.records.push(record);
                }
                SessionEntry::Skipped(skipped) => {
                    lost.skip();
                    remark(format!("{}:{}: skipped: {}", path.display(), skipped.line, skipped.why));
                }
                SessionEntry::Head(_) => {}
            }
            if held.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        read.and(held)?;
        known.lost = lost.count();
        Ok(known)
    }

    /// Whether it stops before this moment.
    fn is_cut_before(&self, at: Option<Span>) -> bool {
        self.is_cut && at.is_some()
    }

    /// What nobody can know by these records: sentences without their full stops.
    fn untold(&self) -> Vec<String> {
        let lost = (self.lost > 0).then(|| {
            format!("without {}, which the file lacks; what they would tell is unknown", counted(self.lost, "record"))
        });
        let cut = self.is_cut.then(|| match self.records.last() {
            Some(last) => {
                let (number, at) = last.until();
                format!("no end: it stops at {}, after record {number}; what came after is unknown", stamp(at))
            }
            None => "no end, and no record: it has only its first line".to_owned(),
        });
        lost.into_iter().chain(cut).collect()
    }

    /// Why there is nobody and nothing to ask about, as far as these records tell.
    fn why_nothing(&self) -> String {
        let who = "nobody coordinates then, and there was no violation";
        match (self.begins_later, self.lost) {
            (Some(first), _) => format!("nothing is known of that moment: the first record is of {}", stamp(first)),
            (None, 1..) => {
                "no record tells of a coordinator then, or of a violation; as records are missing, nobody knows \
                            whether there was one; --node asks about one node"
                    .to_owned()
            }
            (None, 0) if self.records.is_empty() => "nothing is known of that moment: it has no record".to_owned(),
            (None, 0) if self.is_cut => format!("{who} up to where the session stops; --node asks about one node"),
            (None, 0) => format!("{who}; --node asks about one node"),
        }
    }
}

/// What was asked about, or the code and the words of why it cannot be told.
fn asked(
    arguments: &Arguments,
    head: Option<&Head>,
    session_past: &SessionPast<'_>,
    known: &KnownRecords,
) -> Result<Vec<AskedWhy>, (u8, String)> {
    let found = violations(session_past);
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
    let nodes = coordinators(session_past).iter().map(AskedWhy::Node);
    let asked: Vec<AskedWhy> = nodes.chain(found.into_iter().map(AskedWhy::Record)).collect();
    if asked.is_empty() {
        return Err((code::UNKNOWN, known.why_nothing()));
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cli::{built_in, lab_files};
    use record::{FirstLine, Record};

    /// The lines of a session of the first lab.
    fn lines() -> Vec<String> {
        let lab = lab_files::parse(&built_in::named("first").unwrap()).unwrap();
        let plan = sim::Plan::of(Arc::new(lab));
        let head = FirstLine { head: sim::head(&plan), made_by: None, part: 0 };
        let mut lines = vec![serde_json::to_string(&head).unwrap()];
        sim::run(&plan, Box::new(|record| lines.push(record.to_line())));
        lines
    }

    fn known(lines: &[String], at_ms: Option<u64>) -> KnownRecords {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        let session = StoredSession::open(&path).unwrap();
        KnownRecords::read(&session, at_ms.map(Span::from_millis), &path).unwrap()
    }

    #[test]
    fn what_is_missing_is_told_and_nothing_is_told_not_to_have_been() {
        let whole = lines();
        assert!(known(&whole, None).untold().is_empty());
        assert!(known(&whole, None).why_nothing().starts_with("nobody coordinates then, and there was no violation;"));

        let late: Vec<String> = whole[..1].iter().chain(&whole[whole.len() / 2..]).cloned().collect();
        for at_ms in [None, Some(7_500)] {
            let known = known(&late, at_ms);
            assert!(known.lost > 10 && known.untold()[0].starts_with("without "), "{:?}", known.untold());
            assert!(known.why_nothing().contains("nobody knows whether there was one"));
        }
        let before = known(&late, Some(100));
        assert!(before.records.is_empty() && before.lost > 10);
        assert!(before.why_nothing().starts_with("nothing is known of that moment: the first record is of "));

        // Records that are missing around the moment may lie before it.
        let number = whole.iter().position(|line| line.contains("\"kind\":\"fault-ordered\"")).unwrap();
        let holed: Vec<String> = whole[..number].iter().chain(&whole[number + 20..]).cloned().collect();
        let at = |line: &String| Record::from_line(line).unwrap().at;
        let (from, to) = (at(&whole[number - 1]), at(&whole[number + 20]));
        let between = u64::try_from(from + (to - from) / 2).unwrap() / 1_000_000;
        assert!(from < between as i64 * 1_000_000 && to > between as i64 * 1_000_000);
        assert_eq!(known(&holed, Some(between)).lost, 20);
    }

    #[test]
    fn a_session_without_an_end_is_told_as_that_where_its_end_is_asked_about() {
        let whole = lines();
        let cut = known(&whole[..whole.len() / 2], None);
        assert!(cut.untold()[0].starts_with("no end: it stops at "), "{:?}", cut.untold());
        assert!(cut.why_nothing().ends_with("up to where the session stops; --node asks about one node"));
        assert!(known(&whole[..whole.len() / 2], Some(100)).untold().is_empty());
        let later = known(&whole[..whole.len() / 2], Some(60_000));
        assert!(later.is_cut && later.untold() == cut.untold());
        assert!(!known(&whole, Some(60_000)).is_cut);
        let head = known(&whole[..1], None);
        assert_eq!(head.untold(), ["no end, and no record: it has only its first line"]);
        assert_eq!(head.why_nothing(), "nothing is known of that moment: it has no record");
    }
}
