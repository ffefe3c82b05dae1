//! How long each expectation of an exported lab has, and when the lab ends.
//!
//! Invariant: no expectation outlasts the next order, which may break what it expects. None has less than a T, and each
//! has twice the time that the session took, or ten T more than that.

use std::fmt;

use super::story::{Episode, Story};
use super::text::{moment, span};
use crate::protocol::Span;
use crate::record::{Head, Origin};
use crate::world::between;

/// Every expectation has at least this many T, unless the next order comes sooner.
pub(super) const WITHIN_T_MIN: u64 = 10;

/// The times of a lab that is made of a session.
pub(super) struct Schedule {
    /// How long what is expected after each episode of the story has, if anything is.
    pub within: Vec<Option<Within>>,
    /// When the lab ends, in nanoseconds since it began.
    pub ended: i64,
    origin: Origin,
    t: i64,
}

/// How long an expectation has.
#[derive(Copy, Clone)]
pub(super) enum Within {
    /// The least: ten T.
    Least(Span),
    /// Twice what the session took.
    Twice(Span),
    /// Until the next order.
    UntilNext(Span),
}

impl Schedule {
    /// The times of this story.
    pub fn new(head: &Head, story: &Story) -> Schedule {
        let t = nanos(head.timing.t);
        let mut schedule = Schedule { within: Vec::new(), ended: story.ended, origin: head.origin, t };
        let next = story.episodes.iter().skip(1).map(|episode| Some(episode.at)).chain([None]);
        for (episode, next) in story.episodes.iter().zip(next) {
            let within = schedule.within(episode, next);
            if let (Some(within), None) = (within, next) {
                schedule.ended = schedule.ended.max(episode.at.saturating_add(nanos(within.span())));
            }
            schedule.within.push(within);
        }
        schedule
    }

    fn within(&self, episode: &Episode, next: Option<i64>) -> Option<Within> {
        let twice = episode.settled.as_ref()?.took.saturating_mul(2);
        let least = self.t.saturating_mul(WITHIN_T_MIN as i64);
        let room = next.map_or(i64::MAX, |next| next - episode.at);
        let needed = twice.min(twice / 2 + least).max(self.t);
        let until_next = (room >= needed).then(|| Within::UntilNext(self.at(room)));
        match twice > least {
            _ if room < twice.max(least) => until_next,
            true => Some(Within::Twice(span(twice))),
            false => Some(Within::Least(span(least))),
        }
    }

    /// A moment of the session as the lab has it. Virtual time comes again to the nanosecond; the times of real processes
    /// are told to the millisecond.
    pub fn at(&self, nanos: i64) -> Span {
        match self.origin {
            Origin::Live => span(nanos),
            Origin::Simulated => Span::from_nanos(u64::try_from(nanos).unwrap_or(0)),
        }
    }

    /// What is not expected because the next order came too soon: sentences.
    pub fn left_out(&self, story: &Story) -> Vec<String> {
        let with_next = story.episodes.iter().zip(&self.within).zip(story.episodes.iter().skip(1));
        let left_out = with_next.filter_map(|((episode, within), next)| {
            let settled = episode.settled.as_ref().filter(|_| within.is_none())?;
            let room = next.at - episode.at;
            let conditions: Vec<String> =
                settled.conditions.iter().map(|condition| format!("`{condition}`")).collect();
            (room >= self.t && !conditions.is_empty()).then(|| {
                let (took, room) = (between(settled.took), between(room));
                format!(
                    "{} is not expected at {}: it came after {took}, and the next order after {room}, which is less than \
                     twice as long",
                    conditions.join(" and "),
                    moment(episode.at),
                ) + "."
            })
        });
        left_out.collect()
    }
}

impl Within {
    fn span(self) -> Span {
        match self {
            Within::Least(span) | Within::Twice(span) | Within::UntilNext(span) => span,
        }
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Within::Least(_) => write!(f, "{WITHIN_T_MIN}T"),
            Within::Twice(span) | Within::UntilNext(span) => write!(f, "{span}"),
        }
    }
}

fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}
