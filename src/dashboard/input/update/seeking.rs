//! `seek`: to a time, a record, a fault, an election, a violation, or what somebody wrote.
//!
//! Invariant: what cannot be found is said, and nothing moves.

use super::time::put_off_until;
use super::{marking, time};
use crate::input::action::FeedKind;
use crate::model::Model;
use crate::time::playback::{Destination, LeapTarget, SeekOrder};
use fault::FaultId;
use protocol::{Span, SpanTextError};
use record::{NoteKind, SessionNote};

/// What a line may name besides a time.
const PLACES: &str = "`beginning`, `end`, `record 120`, `step NAME`, `fault f2`, `election 3`, `violation 1`, `marker 2`, `note \
                      TEXT`, `chapter 1`";

/// Where a line wants to go.
#[derive(Clone, Eq, PartialEq, Debug)]
enum SeekTarget {
    /// To this time, in nanoseconds.
    Time(i64),
    /// To the beginning of the session.
    Beginning,
    /// To its end.
    End,
    /// To where the lab's step of this name was taken.
    Step(String),
    /// To just after the record of this number.
    Record(u64),
    /// To the target of this ordinal.
    LeapTarget(LeapTarget, usize),
    /// To the note of this kind with this ordinal, or the first whose text holds this.
    Note(NoteKind, String),
}

/// Why a line leads nowhere.
#[derive(Debug, thiserror::Error)]
pub enum NotSought {
    /// A running lab is shown.
    #[error("A running lab cannot seek; `hustings replay` seeks in a session.")]
    NoOtherTime,
    /// The line names no place.
    #[error("`seek` goes to a time: write `seek 12.5s`, or `seek 90` for 90 s; or to {PLACES}")]
    NoTarget,
    /// The line names no time, and no other place.
    #[error("`{0}` is no time and no place: write `seek 12.5s`, or `seek 90` for 90 s; or go to {PLACES}")]
    NotAPlace(String),
    /// The time is longer than any lab lasts.
    #[error(transparent)]
    TooLong(SpanTextError),
    /// What should be a number is none.
    #[error("`{0}` is no number; write `seek {1}`")]
    NotANumber(String, &'static str),
    /// There is no such thing.
    #[error("There is no {0} in this session{1}.")]
    NotThere(String, &'static str),
}

/// Goes where the words after `seek` say.
pub fn seek(model: &mut Model, words: &str) -> Result<(), NotSought> {
    if model.feed_kind() == FeedKind::Live {
        return Err(NotSought::NoOtherTime);
    }
    let target = parse(words)?;
    if destination(&target).is_some_and(|to| put_off_until(model, to, SeekOrder::Line(words.to_owned()))) {
        return Ok(());
    }
    let so_far = if model.feed_kind() == FeedKind::Simulated { ", as far as it has been simulated" } else { "" };
    let found = match &target {
        SeekTarget::Time(at) => go(model, *at),
        SeekTarget::Beginning => go(model, i64::MIN),
        SeekTarget::End => go(model, i64::MAX),
        SeekTarget::Step(name) => match model.taken_at(name) {
            Some(at) => go(model, at),
            None => false,
        },
        SeekTarget::Record(number) => time::leap_to(model, |playback| playback.record_of(*number)),
        SeekTarget::LeapTarget(target, ordinal) => time::leap_to(model, |playback| playback.nth_of(*target, *ordinal)),
        SeekTarget::Note(kind, wanted) => match note(model, *kind, wanted) {
            Some(note) => {
                marking::go_to(model, &note);
                true
            }
            None => false,
        },
    };
    if found { Ok(()) } else { Err(NotSought::NotThere(words.to_owned(), so_far)) }
}

/// Goes to this time and stops there.
fn go(model: &mut Model, at: i64) -> bool {
    time::stand(model);
    time::seek(model, at);
    true
}

/// What has to be known of the session before this can be found; nothing, if it is known already.
fn destination(target: &SeekTarget) -> Option<Destination> {
    Some(match target {
        SeekTarget::Time(at) => Destination::Time(*at),
        SeekTarget::End | SeekTarget::Step(_) => Destination::End,
        SeekTarget::Record(number) => Destination::Record(*number),
        SeekTarget::LeapTarget(target, ordinal) => Destination::Nth(*target, *ordinal),
        SeekTarget::Beginning | SeekTarget::Note(..) => return None,
    })
}

fn parse(words: &str) -> Result<SeekTarget, NotSought> {
    let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
    let rest = rest.trim();
    let ordinal = |form| rest.parse::<usize>().map_err(|_| NotSought::NotANumber(rest.to_owned(), form));
    if let Some(kind) = NoteKind::ALL.into_iter().find(|kind| kind.word() == first) {
        return if rest.is_empty() { Err(NotSought::NoTarget) } else { Ok(SeekTarget::Note(kind, rest.to_owned())) };
    }
    match first {
        "" => Err(NotSought::NoTarget),
        "beginning" | "start" if rest.is_empty() => Ok(SeekTarget::Beginning),
        "end" | "last" if rest.is_empty() => Ok(SeekTarget::End),
        "step" if rest.is_empty() => Err(NotSought::NoTarget),
        "step" => Ok(SeekTarget::Step(rest.to_owned())),
        "record" => {
            let number = rest.parse().map_err(|_| NotSought::NotANumber(rest.to_owned(), "record 120"));
            Ok(SeekTarget::Record(number?))
        }
        "fault" => {
            let id = rest.parse().map(|FaultId(id)| id).or_else(|_| rest.parse::<u32>());
            let id = id.map_err(|_| NotSought::NotANumber(rest.to_owned(), "fault f2"))?;
            Ok(SeekTarget::LeapTarget(LeapTarget::Fault, usize::try_from(id).unwrap_or(usize::MAX)))
        }
        "election" => Ok(SeekTarget::LeapTarget(LeapTarget::Election, ordinal("election 3")?)),
        "violation" => Ok(SeekTarget::LeapTarget(LeapTarget::Violation, ordinal("violation 1")?)),
        _ => moment(words).map(SeekTarget::Time).map_err(|error| match error {
            SpanTextError::NotASpan(words) => NotSought::NotAPlace(words),
            SpanTextError::TooLong(_) => NotSought::TooLong(error),
        }),
    }
}

/// The note of this kind that is meant: by its place among them, or by a piece of its text.
fn note(model: &Model, kind: NoteKind, wanted: &str) -> Option<SessionNote> {
    let by_place = wanted.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
    let mut of_kind: Vec<SessionNote> =
        model.notes_and_chapters().into_iter().filter(|note| note.kind == kind).collect();
    let lower = wanted.to_lowercase();
    let by_text = || of_kind.iter().position(|note| note.text.to_lowercase().contains(&lower));
    let place = by_place.filter(|place| *place < of_kind.len()).or_else(by_text)?;
    Some(of_kind.swap_remove(place))
}

/// The moment that is meant: a number without a unit is one of seconds, and one that is longer than any lab lasts is
/// its end.
fn moment(time: &str) -> Result<i64, SpanTextError> {
    let (number, unit) = time.split_at(time.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(time.len()));
    let unit = if unit.is_empty() { "s" } else { unit };
    match format!("{number}{unit}").parse::<Span>() {
        Ok(span) => Ok(i64::try_from(span.nanos()).unwrap_or(i64::MAX - 1)),
        Err(_) if number.parse::<f64>().is_ok() && format!("1{unit}").parse::<Span>().is_ok() => Ok(i64::MAX - 1),
        Err(_) => Err(SpanTextError::NotASpan(time.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_it_goes() {
        for (words, target) in [
            ("12.5s", SeekTarget::Time(12_500_000_000)),
            ("90", SeekTarget::Time(90_000_000_000)),
            ("record 120", SeekTarget::Record(120)),
            ("fault f2", SeekTarget::LeapTarget(LeapTarget::Fault, 2)),
            ("fault 2", SeekTarget::LeapTarget(LeapTarget::Fault, 2)),
            ("election 3", SeekTarget::LeapTarget(LeapTarget::Election, 3)),
            ("violation 1", SeekTarget::LeapTarget(LeapTarget::Violation, 1)),
            ("beginning", SeekTarget::Beginning),
            ("end", SeekTarget::End),
            ("last", SeekTarget::End),
            ("step crash", SeekTarget::Step("crash".to_owned())),
            ("marker the end", SeekTarget::Note(NoteKind::Marker, "the end".to_owned())),
            ("chapter 2", SeekTarget::Note(NoteKind::Chapter, "2".to_owned())),
        ] {
            assert_eq!(parse(words).unwrap(), target, "{words}");
        }
        for (words, told) in [
            ("", "`seek` goes to a time"),
            ("marker", "`seek` goes to a time"),
            ("record two", "`two` is no number; write `seek record 120`"),
            ("soon", "`soon` is no time and no place"),
            ("soon", "`step NAME`"),
            ("step", "`step NAME`"),
            ("end of it", "`end of it` is no time and no place"),
        ] {
            let error = parse(words).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
