//! The tracks of a session: what happened at each node, what was ordered, what was judged, each in its own order.
//!
//! Times are no part of it: two runs of a lab never share them, on real processes. Nor is what only tells of this
//! computer: process ids, datagrams of strangers, what the recorder did.
//!
//! Invariant: of a session not more is kept than a few numbers for each record.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use serde::Serialize;

use super::other_input::MissingPart;
use protocol::{NodeId, Span};
use record::{Body, Input, LostRecords, Record, Session, SessionEntry, SessionError, Step};

/// One of the tracks.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub enum CourseTrack {
    /// What the lab and persons ordered.
    Orders,
    /// What happened at this node.
    Node(NodeId),
    /// Verdicts and violations.
    Judged,
}

/// A record in its track.
#[derive(Copy, Clone, Debug)]
pub(super) struct TrackRecord {
    /// What it says, in short: two records that say the same have the same.
    pub says: u64,
    /// The record's place among those of the session, from 0.
    pub place: u64,
    /// The record's stamp.
    pub at: i64,
}

/// A session by its tracks.
#[derive(Debug, Default)]
pub(super) struct SessionCourse {
    pub tracks: BTreeMap<CourseTrack, Vec<TrackRecord>>,
    /// How many records are missing within it, by their numbers and by what it says.
    pub missing: u64,
    /// The session's last record, if the lab's end is missing.
    pub cut_after: Option<u64>,
}

impl SessionCourse {
    /// Goes through the session.
    pub fn of(session: &dyn Session) -> Result<SessionCourse, SessionError> {
        let mut course = SessionCourse::default();
        let (mut place, mut lost, mut last, mut has_end) = (0, LostRecords::default(), 0, false);
        session.go_through(&mut |entry| {
            match entry {
                SessionEntry::Record(record) => {
                    let before = lost.count();
                    lost.take(record.number);
                    if let Body::Gap(missed) = &record.body {
                        // The numbers tell of some of them, or of none.
                        let told = missed.count.saturating_sub(lost.count() - before);
                        course.missing = course.missing.saturating_add(told);
                    }
                    last = record.number;
                    has_end |= matches!(record.body, Body::Ended { .. });
                    course.take(&record, place);
                    place += 1;
                }
                SessionEntry::Skipped(_) => lost.skip(),
                SessionEntry::Head(_) => {}
            }
            ControlFlow::Continue(())
        })?;
        course.missing = course.missing.saturating_add(lost.count());
        course.cut_after = (!has_end).then_some(last);
        Ok(course)
    }

    fn take(&mut self, record: &Record, place: u64) {
        if let Some((track, says)) = said(record) {
            self.tracks.entry(track).or_default().push(TrackRecord { says, place, at: record.at });
        }
    }

    /// What may have happened that it does not show.
    pub fn untold(&self) -> MissingPart {
        match (self.missing, self.cut_after) {
            (0, None) => MissingPart::Nothing,
            (0, Some(last)) => MissingPart::After(last),
            _ => MissingPart::Within,
        }
    }

    pub fn track(&self, track: CourseTrack) -> &[TrackRecord] {
        self.tracks.get(&track).map_or(&[], Vec::as_slice)
    }
}

/// The record's track and what it says there; nothing if it belongs to none.
fn said(record: &Record) -> Option<(CourseTrack, u64)> {
    let of_node = record.node.map_or(CourseTrack::Orders, CourseTrack::Node);
    let judged = |says| Some((CourseTrack::Judged, says));
    match &record.body {
        Body::Step(step) => Some((of_node, short(&timeless(step)))),
        Body::Spawned { .. } => Some((of_node, short_body(Body::Spawned { pid: 0 }))),
        Body::Late { id, message, .. } => {
            let late = Body::Late { id: *id, span: Span::ZERO, message: message.clone() };
            Some((of_node, short_body(late)))
        }
        // What it counts up stands in records of its own.
        Body::Ended { why, .. } => Some((of_node, short_body(Body::Ended { why: why.clone(), outcome: None }))),
        Body::Verdict { about, outcome, .. } => judged(short(&(about, outcome))),
        Body::Violation(report) => judged(short(&(report.property, report.nodes, report.because()))),
        Body::AssumptionBroken(report) => judged(short(&(report.broken.assumption, report.broken.by.fault()))),
        Body::Refused { .. }
        | Body::Overflowed { .. }
        | Body::FaultInForce { .. }
        | Body::Undecidable { .. }
        | Body::Note { .. }
        | Body::Marker { .. }
        | Body::Gap(_)
        | Body::RecordingSuspended { .. }
        | Body::RecordingResumed { .. }
        | Body::Unknown(_)
        | Body::Untold { .. } => None,
        body => Some((of_node, short_body(body.clone()))),
    }
}

/// The step without the times in it.
fn timeless(step: &Step) -> Step {
    let mut step = step.clone();
    if let Input::Timer { set, due, .. } = &mut step.input {
        (*set, *due) = (0, 0);
    }
    step
}

fn short_body(body: Body) -> u64 {
    short(&Record::of_host(0, body))
}

fn short(what: &impl Serialize) -> u64 {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(what).expect("what stands in a record is plain data").hash(&mut hasher);
    hasher.finish()
}
