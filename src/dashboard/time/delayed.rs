//! A picture that is behind the present of a running lab: it stands at a moment, or plays what came since, event by event.
//!
//! Invariant: a moment at which it stands is the one that a replay shows at its time; no record is left out of what is
//! played; if records are missing behind the moment, it does not go on from there. One that catches up never falls further
//! behind: what is said stays for as long as it did in the lab, or until it is read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::scene::Scene;
use crate::view::paint;
use record::{Body, Record};
use script::PictureStop;

/// At most this many records wait to be played.
const WAITING_MAX: usize = 20_000;
/// Nobody sees a shorter silence between two events.
const SILENCE_MIN: Duration = Duration::from_millis(20);

/// A picture behind the present.
#[derive(Clone, Debug)]
pub struct Delayed {
    /// What it shows.
    pub scene: Scene,
    /// How it goes on.
    pub motion: DelayedMotion,
    /// The records after that.
    later: Later,
    /// Until the screen's clock shows this, people read what a step has said.
    read_until: Duration,
}

/// How a picture behind the present goes on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum DelayedMotion {
    /// It stands; a record may still belong to its moment until the first that is later.
    Standing,
    /// It plays; the next event comes when the screen's clock shows this.
    Paced {
        /// That time.
        next: Duration,
    },
    /// It plays as it happened, but for long silences while nothing is read, until it shows the present.
    CatchingUp {
        /// When the last event was shown, by the screen's clock, or until when an answer is read.
        since: Duration,
        /// When that event happened.
        seen_at: i64,
    },
}

/// Where a picture that plays is held.
#[derive(Debug)]
pub struct PictureHolds<'a> {
    /// Here it stands from then on.
    pub stop: Option<&'a PictureStop>,
    /// At these steps of the lab it stands too: they ask something.
    pub asks: BTreeSet<String>,
    /// What these steps say takes so long to read: meanwhile a picture that catches up cuts no silence short.
    pub says: BTreeMap<String, Duration>,
}

/// The records after what is shown.
#[derive(Clone, Debug)]
enum Later {
    /// These wait.
    Waiting(VecDeque<Arc<Record>>),
    /// Some are missing.
    Cut,
}

impl Delayed {
    /// It stands at the moment of the newest record, rounded up to a microsecond.
    pub fn standing(scene: &Scene) -> Delayed {
        let at = paint::round_up(scene.world.now);
        let mut scene = Scene { at, ..scene.clone() };
        // All records of the moment have come: none of its rows has to wait.
        scene.wait_for_order(i64::MAX);
        Delayed {
            scene,
            motion: DelayedMotion::Standing,
            later: Later::Waiting(VecDeque::new()),
            read_until: Duration::ZERO,
        }
    }

    /// It plays from the present on.
    pub fn paced(scene: &Scene, clock: Duration) -> Delayed {
        let mut delayed = Delayed {
            scene: scene.clone(),
            motion: DelayedMotion::Standing,
            later: Later::Waiting(VecDeque::new()),
            read_until: Duration::ZERO,
        };
        delayed.go_on(clock);
        delayed
    }

    /// From now on it plays. Returns whether it can.
    pub fn go_on(&mut self, clock: Duration) -> bool {
        if self.is_cut() {
            return false;
        }
        // Its rows come in the order of the session, as in a replay.
        self.scene.wait_for_order(i64::MAX);
        self.motion = DelayedMotion::Paced { next: clock };
        true
    }

    /// From now on it plays until it shows the present. Returns whether it can.
    pub fn catch_up(&mut self, clock: Duration) -> bool {
        let can = self.go_on(clock);
        if can {
            self.motion = DelayedMotion::CatchingUp { since: clock, seen_at: self.scene.at };
        }
        can
    }

    /// What is said has been read: it does not wait any longer before the next event.
    pub fn hasten(&mut self, clock: Duration) {
        self.read_until = Duration::ZERO;
        if let DelayedMotion::CatchingUp { since, .. } = &mut self.motion {
            *since = clock.min(*since);
        }
    }

    /// If it catches up, the next event waits until the screen's clock shows this.
    pub fn wait_until(&mut self, until: Duration) {
        if let DelayedMotion::CatchingUp { since, .. } = &mut self.motion {
            *since = until;
        }
    }

    /// Whether it was to play until it shows the present, and does.
    pub fn has_caught_up(&self) -> bool {
        let is_empty = matches!(&self.later, Later::Waiting(waiting) if waiting.is_empty());
        is_empty && matches!(self.motion, DelayedMotion::CatchingUp { .. })
    }

    /// From now on it stands, at the moment that it has reached or at that of its newest record, whichever is later,
    /// rounded up to a microsecond. Returns the records of that moment that it had not played yet.
    pub fn stand(&mut self) -> Vec<Arc<Record>> {
        self.motion = DelayedMotion::Standing;
        self.scene.at = self.scene.at.max(paint::round_up(self.scene.world.now));
        let Later::Waiting(waiting) = &mut self.later else { return Vec::new() };
        let later = waiting.iter().position(|record| record.at > self.scene.at).unwrap_or(waiting.len());
        let of_the_moment: Vec<Arc<Record>> = waiting.drain(..later).collect();
        of_the_moment.iter().for_each(|record| self.scene.take(record));
        of_the_moment
    }

    /// Records are missing after those that it has.
    pub fn cut(&mut self) {
        self.later = Later::Cut;
    }

    /// Takes in a record that has just come. Returns whether that changes what is shown.
    pub fn take(&mut self, record: &Arc<Record>) -> bool {
        let Later::Waiting(waiting) = &mut self.later else { return false };
        // Stamps are not in order.
        if self.motion == DelayedMotion::Standing && waiting.is_empty() && record.at <= self.scene.at {
            self.scene.take(record);
            return true;
        }
        if waiting.len() == WAITING_MAX {
            self.cut();
        } else {
            waiting.push_back(Arc::clone(record));
        }
        false
    }

    /// Plays what is due at this time of the screen's clock: the next event that can be seen, and what cannot be seen
    /// before it. Events are at least so far apart; of a picture that catches up, at most so far. While none wait, the
    /// picture is at the present. Where the stop comes, or a step that asks, the picture stands. Returns the records that
    /// were played.
    pub fn play(
        &mut self,
        clock: Duration,
        apart: Duration,
        present: i64,
        holds: &PictureHolds<'_>,
    ) -> Vec<Arc<Record>> {
        let Later::Waiting(waiting) = &self.later else { return Vec::new() };
        if waiting.is_empty() && self.motion != DelayedMotion::Standing {
            self.scene.at = self.scene.at.max(present);
        }
        let mut played = Vec::new();
        while let Some(record) = self.take_due(clock, apart) {
            let step = match &record.body {
                Body::StepTaken { step } => Some(step),
                _ => None,
            };
            let has_stopped =
                self.scene.take_until(&record, holds.stop) || step.is_some_and(|step| holds.asks.contains(step));
            self.scene.at = self.scene.at.max(record.at);
            if let (Some(read), DelayedMotion::CatchingUp { since, seen_at }) =
                (step.and_then(|step| holds.says.get(step)), &mut self.motion)
            {
                (*since, *seen_at) = (clock, record.at.max(*seen_at));
                self.read_until = clock + *read;
            }
            played.push(record);
            if has_stopped {
                played.extend(self.stand());
                break;
            }
        }
        self.pass_time(clock);
        played
    }

    /// While something is read, time goes on in the picture as it did in the lab, up to the next record.
    fn pass_time(&mut self, clock: Duration) {
        if let (DelayedMotion::CatchingUp { since, seen_at }, Later::Waiting(waiting)) = (self.motion, &self.later)
            && let Some(next) = waiting.front().filter(|_| clock < self.read_until)
        {
            let passed = i64::try_from(clock.saturating_sub(since).as_nanos()).unwrap_or(i64::MAX);
            self.scene.at = self.scene.at.max(seen_at.saturating_add(passed).min(next.at));
        }
    }

    /// The next record, if it is due; when the one after it is due depends on whether this one can be seen.
    fn take_due(&mut self, clock: Duration, apart: Duration) -> Option<Arc<Record>> {
        let Later::Waiting(waiting) = &mut self.later else { return None };
        let record = waiting.front()?;
        let is_seen = self.scene.flow.shows(record);
        match &mut self.motion {
            DelayedMotion::Standing => return None,
            DelayedMotion::Paced { next } if clock < *next => return None,
            DelayedMotion::Paced { next } if is_seen => *next = clock + apart,
            DelayedMotion::Paced { .. } => {}
            DelayedMotion::CatchingUp { since, .. } if clock < *since => return None,
            DelayedMotion::CatchingUp { since, seen_at } => {
                let silence = Duration::from_nanos(u64::try_from(record.at - *seen_at).unwrap_or(0));
                // While something is read, the next words come no sooner than they did.
                let is_read = clock < self.read_until && clock < *since + silence;
                let silence = silence.min(apart);
                if is_read || is_seen && silence >= SILENCE_MIN && clock < *since + silence {
                    return None;
                }
                if is_seen {
                    (*since, *seen_at) = (clock, record.at.max(*seen_at));
                }
            }
        }
        waiting.pop_front()
    }

    /// How many records wait to be played, if none is missing.
    pub fn waiting(&self) -> Option<usize> {
        match &self.later {
            Later::Waiting(waiting) => Some(waiting.len()),
            Later::Cut => None,
        }
    }

    /// Whether records are missing after those that it has, so that it cannot go on.
    pub fn is_cut(&self) -> bool {
        matches!(self.later, Later::Cut)
    }
}
