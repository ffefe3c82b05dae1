//! The log of updates: what is in the safe cells, with the counter that it adds up to and a digest of every prefix.
//!
//! With the majority rule the log is a line: it grows at its end alone. Without it two groups may both do updates; the
//! log is then the union of both, in one order that depends on nothing but its content (`graph`).
//!
//! Invariant: nothing leaves the log, and each update is in it once.

use std::hash::{Hash, Hasher};

use super::graph::UpdateGraph;
use super::message::{BuiltUpdate, LogStanding};
use super::version::LogVersion;
use protocol::{ConflictList, LogDigest, LoggedUpdate, OrderId, TransactionId};

/// The log of one process.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub(super) struct UpdateLog {
    updates: Vec<LoggedUpdate>,
    /// The digest after each of them.
    digests: Vec<LogDigest>,
    counter: i64,
    form: LogForm,
}

/// What each update builds on.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
enum LogForm {
    /// All before it.
    #[default]
    Line,
    /// What its coordinator had in its log.
    Graph(Box<UpdateGraph>),
}

/// How far the log of a member goes, as far as that is known.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum LogReach {
    /// Of a line: so far.
    Length(u32),
    /// Of a graph: so far.
    Version(LogVersion),
    /// Is a graph, and another one than here.
    Other,
}

/// The digest stands for the log.
impl Hash for UpdateLog {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.length(), self.digest()).hash(state);
    }
}

impl UpdateLog {
    /// The line of these updates.
    pub fn of(updates: &[LoggedUpdate]) -> UpdateLog {
        let mut log = UpdateLog::default();
        updates.iter().for_each(|update| log.append(*update));
        log
    }

    /// The graph of these updates, none of which comes before what it builds on.
    pub fn graph_of(updates: &[BuiltUpdate]) -> UpdateLog {
        let mut log = UpdateLog { form: LogForm::Graph(Box::default()), ..UpdateLog::default() };
        log.join(updates);
        log
    }

    /// Adds the update at the next place: it builds on the whole log.
    pub fn append(&mut self, update: LoggedUpdate) {
        self.digests.push(self.digest().after(&update));
        self.counter += i64::from(update.value);
        self.updates.push(update);
        if let LogForm::Graph(graph) = &mut self.form {
            graph.append(update.by.task.author);
        }
    }

    /// Takes in those that are new, up to one that builds on something that is not here. Returns the new ones. A line
    /// takes none.
    pub fn join(&mut self, part: &[BuiltUpdate]) -> Vec<LoggedUpdate> {
        let LogForm::Graph(graph) = &mut self.form else { return Vec::new() };
        let (new, first) = graph.join(&mut self.updates, part);
        self.counter += new.iter().map(|update| i64::from(update.value)).sum::<i64>();
        self.digests.truncate(first);
        for update in &self.updates[self.digests.len()..] {
            self.digests.push(self.digests.last().copied().unwrap_or_default().after(update));
        }
        new
    }

    /// All updates, in order.
    pub fn updates(&self) -> &[LoggedUpdate] {
        &self.updates
    }

    /// Of a graph, all updates with what they build on.
    pub fn built(&self) -> Vec<BuiltUpdate> {
        match &self.form {
            LogForm::Line => Vec::new(),
            LogForm::Graph(graph) => graph.built(&self.updates).collect(),
        }
    }

    /// Of a graph, the next updates that a log of this version lacks, as many as a message holds.
    pub fn lacking(&self, version: &LogVersion) -> Box<[BuiltUpdate]> {
        match &self.form {
            LogForm::Line => Box::default(),
            LogForm::Graph(graph) => graph.lacking(&self.updates, version),
        }
    }

    /// Of a graph, what it holds.
    pub fn version(&self) -> LogVersion {
        match &self.form {
            LogForm::Line => LogVersion::default(),
            LogForm::Graph(graph) => graph.version().clone(),
        }
    }

    /// The updates that conflict, if any do. Those of a line never do.
    pub fn conflicts(&self) -> Option<&ConflictList> {
        match &self.form {
            LogForm::Line => None,
            LogForm::Graph(graph) => graph.conflicts(),
        }
    }

    /// How many there are.
    pub fn length(&self) -> u32 {
        self.updates.len() as u32
    }

    /// What they add up to.
    pub fn counter(&self) -> i64 {
        self.counter
    }

    /// The digest of all.
    pub fn digest(&self) -> LogDigest {
        self.digests.last().copied().unwrap_or_default()
    }

    /// The digest of the first `length` updates, if the log has as many.
    pub fn digest_at(&self, length: u32) -> Option<LogDigest> {
        match length {
            0 => Some(LogDigest::default()),
            length => self.digests.get(length as usize - 1).copied(),
        }
    }

    /// How far a log goes that is told of like this. Of a line that does not go with this one, nothing.
    pub fn reach_of(&self, standing: &LogStanding) -> Option<LogReach> {
        match &self.form {
            LogForm::Line => {
                let fits = self.digest_at(standing.length).is_none_or(|digest| digest == standing.digest);
                fits.then_some(LogReach::Length(standing.length))
            }
            LogForm::Graph(graph) if standing.digest == self.digest() => {
                Some(LogReach::Version(graph.version().clone()))
            }
            LogForm::Graph(_) => Some(LogReach::Other),
        }
    }

    /// Whether such a log lacks something that this one has, as far as that is known.
    pub fn exceeds(&self, reach: &LogReach) -> bool {
        match (&self.form, reach) {
            (LogForm::Line, LogReach::Length(length)) => *length < self.length(),
            (LogForm::Graph(graph), LogReach::Version(version)) => !version.covers(graph.version()),
            _ => false,
        }
    }

    /// Whether such a log has, or may have, something that this one lacks.
    pub fn may_lack(&self, reach: &LogReach) -> bool {
        match (&self.form, reach) {
            (LogForm::Line, LogReach::Length(length)) => *length > self.length(),
            (LogForm::Graph(graph), LogReach::Version(version)) => !graph.version().covers(version),
            (LogForm::Graph(_), LogReach::Other) => true,
            _ => false,
        }
    }

    /// Whether what this attempt wants at this place can no longer come to be: on a line, once another one is there.
    pub fn has_other_than(&self, by: TransactionId, position: u32) -> bool {
        let place = (position as usize).checked_sub(1).and_then(|place| self.updates.get(place));
        matches!(self.form, LogForm::Line) && place.is_some_and(|update| update.by != by)
    }

    /// Whether this transaction did one of its updates. The latest are looked at first.
    pub fn has(&self, by: TransactionId) -> bool {
        self.updates.iter().rev().any(|update| update.by == by)
    }

    /// The place of this update, if it is in the log. The latest are looked at first.
    pub fn position_of(&self, id: OrderId) -> Option<u32> {
        self.updates.iter().rposition(|update| update.id == id).map(|place| place as u32 + 1)
    }

    /// The updates after the first `length`, at most `most` of them.
    pub fn after(&self, length: u32, most: usize) -> Vec<LoggedUpdate> {
        self.updates.iter().skip(length as usize).take(most).copied().collect()
    }
}
