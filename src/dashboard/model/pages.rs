//! What lies over a screen: pages, one on the other, and what each is about.
//!
//! Invariants: closing the upper one shows the one beneath as it was left. An answer to "why" and a list stay as they were
//! when they were opened; only a person moves in them. What a list shows of a session was made harmless for a terminal.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::pair::SessionDifference;
use super::row::Row;
use fault::FaultId;
use judge::why::{AskedWhy, Explanation, Need, RerunGoal, Sentence, SessionPast};
use protocol::{Assumption, Facts, LineNumber, NodeId, Property};
use record::{Head, MessageId, NotOneSession, Record, SessionError};

/// A page over a screen.
#[derive(Clone, Debug)]
pub struct Layer {
    /// What it is about.
    pub about: Subject,
    /// How many lines it is scrolled down.
    pub scroll: usize,
    /// Which of its links is under the cursor.
    pub chosen: Option<usize>,
    /// The text that its lines must contain, in the help.
    pub search: String,
    /// The page beneath.
    pub beneath: Option<Box<Layer>>,
}

impl Layer {
    /// A page from its beginning, over nothing but the screen.
    pub fn new(about: Subject) -> Layer {
        Layer { about, scroll: 0, chosen: None, search: String::new(), beneath: None }
    }
}

/// What a layer is about.
#[derive(Clone, Debug)]
pub enum Subject {
    Help,
    /// Why something is so.
    Why(Box<WhyAnswer>),
    /// All about a record that an answer cites; closing it leads back to the answer.
    Cited(Box<WhyAnswer>, Arc<Row>),
    /// All about a node.
    Node(NodeId),
    /// All about a row's record.
    Row(Arc<Row>),
    /// All about a line of the listing.
    Line(Box<LineRecords>),
    /// All about a fault.
    Fault(FaultId),
    /// All about what one node sends to another.
    Link(NodeId, NodeId),
    /// One datagram that waits on the link from the first node to the second.
    Held(NodeId, NodeId, MessageId),
    /// The lab's steps.
    Steps,
    /// What was predicted of elections, and the score.
    Score,
    /// What two sessions differ in.
    Difference(Arc<SessionDifference>),
    /// The recorded sessions.
    Sessions(Arc<[ListedSession]>),
    /// The list of violations.
    Violations,
    /// The list of what the algorithm assumes and promises.
    Promises,
    /// One assumption.
    Assumption(Assumption),
    /// One promise.
    Promise(Property),
}

/// At most so many are listed.
const ROWS_MAX: usize = 200;

/// A line and its last records.
#[derive(Clone, Debug)]
pub struct LineRecords {
    /// The line.
    pub number: LineNumber,
    /// A row for each of the last records that went through it, the newest first.
    pub rows: Vec<Arc<Row>>,
}

impl LineRecords {
    /// The last of these records, which are in their order, that went through the line.
    pub fn new(number: LineNumber, records: &[Arc<Record>], facts: Option<&Facts>) -> LineRecords {
        let through = |record: &&Arc<Record>| record.step().is_some_and(|step| step.lines.contains(&number));
        let newest = records.iter().rev().filter(through).take(ROWS_MAX);
        LineRecords { number, rows: newest.map(|record| Arc::new(Row::first_of(record, facts))).collect() }
    }
}

/// Plays a lab again without each of these faults, to show what is sought.
pub type Rerun = fn(&Head, &[Arc<Record>], &RerunGoal, &[FaultId]) -> Vec<(FaultId, Need)>;

/// The answer.
#[derive(Clone, Debug)]
pub struct WhyAnswer {
    /// What was asked.
    pub asked: AskedWhy,
    /// The moment at which it is explained; a record is explained as of itself.
    pub until: Option<i64>,
    /// The answer.
    pub explanation: Explanation,
    /// Which sentence is under the cursor.
    pub cursor: usize,
    /// Which record of this sentence was opened last, if one was.
    pub opened: Option<usize>,
}

impl WhyAnswer {
    /// The answer out of these records; nothing if they do not hold what was asked about.
    pub fn new(asked: AskedWhy, until: Option<i64>, head: Option<&Head>, records: &[Arc<Record>]) -> Option<WhyAnswer> {
        let session_past = session_past(head, upto(records, until));
        Some(WhyAnswer { asked, until, explanation: asked.answer(&session_past)?, cursor: 0, opened: None })
    }

    pub fn sentences(&self) -> Vec<&Sentence> {
        self.explanation.all().collect()
    }

    /// The number of the next record of the sentence under the cursor, from its first on; nothing after its last one.
    pub fn open_next(&mut self) -> Option<u64> {
        let next = self.opened.map_or(0, |opened| opened + 1);
        let number =
            self.sentences().get(self.cursor).and_then(|sentence| sentence.records.get(next)).map(|cited| cited.number);
        self.opened = number.map(|_| next);
        number
    }

    /// Asks which of its faults were needed.
    pub fn ask_needs(&mut self, rerun: Rerun, head: Option<&Head>, records: &[Arc<Record>]) {
        let faults = self.explanation.faults();
        let (Some(head), false) = (head, faults.is_empty()) else {
            self.explanation.needs = vec!["It names no fault that could be left out.".to_owned()];
            return;
        };
        // The last one's number counts them.
        if records.last().is_none_or(|last| last.number != records.len() as u64) {
            let why = "This screen does not hold the session from its beginning; `hustings why` with --needed reads its file.";
            self.explanation.needs = vec![why.to_owned()];
            return;
        }
        let records = upto(records, self.until);
        let Some(sought) = self.asked.sought(&session_past(Some(head), records)) else {
            let why = "A lab that is played again is searched for a state or a violation. This is neither, so what it needed \
                       is not known.";
            self.explanation.needs = vec![why.to_owned()];
            return;
        };
        let needs = rerun(head, records, &sought, &faults);
        self.explanation.needs = needs.iter().map(|(fault, need)| need.told(&fault.to_string())).collect();
    }
}

/// The records up to this moment; all without one.
fn upto(records: &[Arc<Record>], until: Option<i64>) -> &[Arc<Record>] {
    let Some(until) = until else { return records };
    let end = records.iter().rposition(|record| record.at <= until).map_or(0, |last| last + 1);
    &records[..end]
}

/// These records as session_past.
pub fn session_past<'a>(head: Option<&'a Head>, records: &'a [Arc<Record>]) -> SessionPast<'a> {
    SessionPast::new(head, records.iter().map(|record| &**record))
}

/// A session in the list.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ListedSession {
    /// The session's file.
    pub path: PathBuf,
    pub name: String,
    /// The session's lab, age and size, in words.
    pub about: String,
}

/// How a person says which session is meant.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum SessionChoice {
    /// By its file.
    File(PathBuf),
    /// By a file's name, `last`, its number in the list, or the beginning of its name.
    Named(String),
}

/// Why the sessions are not listed, or one of them is not opened.
#[derive(Debug, thiserror::Error)]
pub enum NoSession {
    /// The place of the sessions cannot be read.
    #[error("The recorded sessions cannot be listed: {0}.")]
    Unlisted(io::Error),
    /// The name means none, or several.
    #[error("{0}")]
    NoneOrSeveral(NotOneSession),
    /// The session cannot be read.
    #[error("{path} cannot be read: {error}.", path = path.display())]
    Unreadable {
        /// The session's file.
        path: PathBuf,
        /// Why.
        error: SessionError,
    },
}
