//! When each order comes in an exported lab, how long each expectation has, and when the lab ends.
//!
//! In virtual time every order comes at its time again, to the nanosecond, since all that follows may hang on it: what had
//! not the time to come true is not expected. Real processes are never as fast twice, so there an order comes later if
//! what is expected before it needs the time.
//!
//! Invariant: no expectation outlasts the next order, which may break what it expects; orders that came less than a T
//! apart come as far apart, and nothing is expected between them.

use super::session_orders::{OrderWithEffects, SessionOrders, moment, span};
use protocol::Span;
use record::{Head, Origin};
use world::between;

/// Every expectation has at least this many T, unless the next order comes sooner.
pub(super) const WITHIN_T_MIN: u64 = 10;

/// The times of a lab that is made of a session.
pub(super) struct Schedule {
    /// For each episode of the story when it begins, in nanoseconds since the lab began, and how long what is expected
    /// after it has, if anything is.
    pub slots: Vec<(i64, Option<Span>)>,
    /// When the lab ends, in nanoseconds since it began.
    pub ended: i64,
    origin: Origin,
    t: Span,
}

impl Schedule {
    /// The times of this story.
    pub fn new(head: &Head, story: &SessionOrders) -> Schedule {
        let mut schedule = Schedule { slots: Vec::new(), ended: 0, origin: head.origin, t: head.timing.t };
        let next = story.episodes.iter().skip(1).map(|episode| Some(episode.at)).chain([None]);
        for (episode, next) in story.episodes.iter().zip(next) {
            let room = next.map(|next| next - episode.at);
            let within = schedule.within(episode, room);
            schedule.slots.push((schedule.ended, within));
            let least = within.map_or(0, nanos);
            let lasts = match (room, head.origin) {
                (Some(room), Origin::Simulated) => room,
                (Some(room), Origin::Live) => room.max(least),
                (None, _) => (story.ended - episode.at).max(least),
            };
            schedule.ended = schedule.ended.saturating_add(lasts);
        }
        schedule
    }

    /// How long what is expected after an episode has, if the next order came so long after it.
    fn within(&self, episode: &OrderWithEffects, room: Option<i64>) -> Option<Span> {
        let twice = episode.settled.as_ref()?.took.saturating_mul(2);
        let (t, least) = (nanos(self.t), self.t * WITHIN_T_MIN);
        let needed = twice.min((twice / 2).saturating_add(nanos(least)));
        match (room, self.origin) {
            (Some(room), _) if room < t => None,
            (Some(room), Origin::Simulated) if room < needed => None,
            (Some(room), Origin::Simulated) if room < twice.max(nanos(least)) => Some(self.at(room)),
            (Some(_) | None, Origin::Live | Origin::Simulated) => Some(span(twice).max(least)),
        }
    }

    /// By how much the lab ends later than the session.
    pub fn later(&self, story: &SessionOrders) -> i64 {
        self.ended - story.ended
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
    pub fn left_out(&self, story: &SessionOrders) -> Vec<String> {
        let with_next = story.episodes.iter().zip(&self.slots).zip(story.episodes.iter().skip(1));
        let left_out = with_next.filter_map(|((episode, (_, within)), next)| {
            let settled = episode.settled.as_ref().filter(|_| within.is_none())?;
            let room = next.at - episode.at;
            let conditions: Vec<String> =
                settled.conditions.iter().map(|condition| format!("`{condition}`")).collect();
            (room >= nanos(self.t) && !conditions.is_empty()).then(|| {
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

fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}
