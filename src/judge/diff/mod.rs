//! Two sessions held against each other: where their courses part, and why.
//!
//! A session is compared track by track ([`tracks`]): what happened at each node, what was ordered, what was judged. Where
//! several tracks differ, the difference whose record comes first in its session is the first one: the records of a
//! session are in causal order, so nothing that differs happened before it there.
//!
//! Invariant: sessions with the same records have no difference; a difference is told with the records of both.

mod answers;
mod other_input;
#[cfg(test)]
mod tests;
mod tracks;
mod words;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::Value;

use self::other_input::AwaitedInput;
pub use self::tracks::CourseTrack;
use self::tracks::{SessionCourse, TrackRecord};
use record::{Record, Session, SessionEntry, SessionError, json_value};
use world::stamp;

/// So many records before the difference are told.
const BEFORE: usize = 4;

/// Two sessions held against each other.
#[derive(Debug)]
pub struct HeldAgainst {
    /// Where their courses part first, if they do.
    pub first: Option<FirstDifference>,
    /// The first records of one course whose stamps differ, by their numbers in both.
    pub other_times: Option<(u64, u64)>,
    /// How many records are missing within each.
    pub missing: [u64; 2],
    /// The last record of each that lacks the lab's end.
    pub cut_after: [Option<u64>; 2],
}

/// Where two sessions part.
#[derive(Debug)]
pub struct FirstDifference {
    /// In which track.
    pub track: CourseTrack,
    /// Which record of the track it is, from 1.
    pub ordinal: usize,
    /// What each session has there; nothing if its track has ended.
    pub has: [Option<ToldRecord>; 2],
    /// What both had before it in the track, the latest last.
    pub before: Vec<[ToldRecord; 2]>,
    /// Why, as far as the records tell: sentences.
    pub why: Vec<String>,
}

/// A record, told.
#[derive(Clone, Debug, Serialize)]
pub struct ToldRecord {
    /// The record's number.
    pub number: u64,
    /// The record's stamp, in nanoseconds of lab time.
    pub at: i64,
    /// What it tells, in words.
    pub words: String,
}

impl ToldRecord {
    fn of(record: &Record) -> ToldRecord {
        ToldRecord { number: record.number, at: record.at, words: words::words_of(record) }
    }

    /// The number and stamp for people: `record 17, 0.012 s`.
    pub fn place(&self) -> String {
        format!("record {}, {}", self.number, stamp(self.at))
    }
}

/// Holds two sessions against each other, whose names these are.
///
/// # Errors
/// One of them cannot be read to its end.
pub fn held_against(names: [&str; 2], sessions: [&dyn Session; 2]) -> Result<HeldAgainst, SessionError> {
    let courses = [SessionCourse::of(sessions[0])?, SessionCourse::of(sessions[1])?];
    let missing = [courses[0].missing, courses[1].missing];
    let cut_after = [courses[0].cut_after, courses[1].cut_after];
    let Some((track, place)) = parting(&courses) else {
        let other_times = other_times(&courses, sessions)?;
        return Ok(HeldAgainst { first: None, other_times, missing, cut_after });
    };
    let from = place.saturating_sub(BEFORE);
    let mut told: [Vec<Record>; 2] = Default::default();
    for side in 0..2 {
        let track = courses[side].track(track);
        told[side] = records_at(sessions[side], &track[from..track.len().min(place + 1)])?;
    }
    let differing: [Option<&Record>; 2] = [told[0].get(place - from), told[1].get(place - from)];
    let both = told[0].iter().zip(&told[1]).take(place - from);
    let mut why = Vec::new();
    for (side, other) in [(0, 1), (1, 0)] {
        let awaited = differing[side].and_then(|record| Some((AwaitedInput::of(record)?, record.node?)));
        let Some((awaited, node)) = awaited.filter(|_| !is_same_input(differing)) else { continue };
        let from = courses[other].track(track).get(place).map_or(u64::MAX, |passed| passed.place);
        let untold = courses[other].untold();
        why.push(awaited.told((names[other], sessions[other]), node, from, untold)?);
    }
    why.extend(is_same_input(differing).then(|| same_input(names, differing)).flatten());
    Ok(HeldAgainst {
        first: Some(FirstDifference {
            track,
            ordinal: place + 1,
            has: differing.map(|record| record.map(ToldRecord::of)),
            before: both.map(|(one, other)| [ToldRecord::of(one), ToldRecord::of(other)]).collect(),
            why,
        }),
        other_times: None,
        missing,
        cut_after,
    })
}

/// The track whose difference comes first, and at which of its records.
fn parting(courses: &[SessionCourse; 2]) -> Option<(CourseTrack, usize)> {
    let tracks: BTreeSet<CourseTrack> = courses.iter().flat_map(|course| course.tracks.keys().copied()).collect();
    let partings = tracks.into_iter().filter_map(|track| {
        let [one, other] = [courses[0].track(track), courses[1].track(track)];
        let differs = |place: &usize| one.get(*place).map(|of| of.says) != other.get(*place).map(|of| of.says);
        let place = (0..one.len().max(other.len())).find(differs)?;
        let earlier = [one, other].into_iter().filter_map(|track| track.get(place)).map(|passed| passed.place).min();
        Some((earlier, track, place))
    });
    partings.min().map(|(_, track, place)| (track, place))
}

/// The first records with other stamps, of two sessions of one course.
fn other_times(courses: &[SessionCourse; 2], sessions: [&dyn Session; 2]) -> Result<Option<(u64, u64)>, SessionError> {
    let both = courses[0].tracks.iter().flat_map(|(track, of)| of.iter().zip(courses[1].track(*track)));
    let first = both.filter(|(one, other)| one.at != other.at).min_by_key(|(one, _)| one.place);
    let Some((one, other)) = first else { return Ok(None) };
    let number = |session, passed: &TrackRecord| {
        Ok::<u64, SessionError>(records_at(session, &[*passed])?.first().map_or(0, |record| record.number))
    };
    Ok(Some((number(sessions[0], one)?, number(sessions[1], other)?)))
}

/// The records of these places, which rise.
fn records_at(session: &dyn Session, places: &[TrackRecord]) -> Result<Vec<Record>, SessionError> {
    let mut records = Vec::new();
    let mut place = 0;
    let mut wanted = places.iter().map(|passed| passed.place).peekable();
    session.go_through(&mut |entry| {
        let Some(next) = wanted.peek() else { return ControlFlow::Break(()) };
        if let SessionEntry::Record(record) = entry {
            if place == *next {
                records.push(record);
                wanted.next();
            }
            place += 1;
        }
        ControlFlow::Continue(())
    })?;
    Ok(records)
}

/// Whether both are steps of the same input.
fn is_same_input(differing: [Option<&Record>; 2]) -> bool {
    let [one, other] = differing.map(|record| record.and_then(Record::step).map(|step| written(&step.input)));
    one.is_some() && one == other
}

/// What a machine makes of the same input in the one session and in the other.
fn same_input(names: [&str; 2], differing: [Option<&Record>; 2]) -> Option<String> {
    let [one, other] = differing.map(|record| record.and_then(Record::step));
    let node = differing[0].and_then(|record| record.node)?;
    let told = answers::told(names, node, [one?, other?])?;
    Some(format!("Its input is the same in both, and so is everything before it at this node; {told}."))
}

/// A part of a record as it stands there, without the times of a timer.
fn written(part: &impl Serialize) -> Value {
    let mut value = json_value(part);
    if let Some(timer) = value.get_mut("timer").and_then(Value::as_object_mut) {
        timer.remove("set");
        timer.remove("due");
    }
    value
}
