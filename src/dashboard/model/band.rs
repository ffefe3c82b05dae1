//! The whole session in short: when faults were ordered, when elections were held and violations found, what people wrote
//! about it, and which moment is on the screen.
//!
//! Invariant: it tells of all that is known, also of what is later than the moment on the screen.

use super::Model;
use crate::time::feed::Feed;
use crate::time::playback::Landmark;
use crate::time::simulated::SimulatedLab;
use crate::view::words::steps::book;
use record::{NoteKind, SessionNote};
use world::World;

/// The whole session; times are nanoseconds since the lab began.
#[derive(Clone, Debug)]
pub struct SessionTimeline {
    /// When it begins: a session a little before the lab, a running lab's past later than the lab.
    pub start: i64,
    /// When it ends, as far as is known.
    pub end: i64,
    /// The moment on the screen.
    pub at: i64,
    /// The faults: when each was ordered, its name, and its line.
    pub faults: Vec<(i64, String, String)>,
    /// The latest elections: when each began and ended, and its number.
    pub elections: Vec<(i64, Option<i64>, u64)>,
    /// When violations were found.
    pub violations: Vec<i64>,
    /// What people wrote, and the chapters of what the lab tells: at which moments, and the words.
    pub notes: Vec<(i64, String)>,
}

impl Model {
    /// The whole session in short.
    pub fn timeline(&self) -> SessionTimeline {
        let at = self.seen().at;
        let world = self.known_world();
        let parts_at = self.side.and_then(|side| side.parts_at);
        let notes = self.landmarks_in_words().into_iter().map(|note| (note.at, note.text));
        let notes = notes.chain(parts_at.map(|at| (at, "difference".to_owned()))).collect();
        match &self.time.feed {
            Feed::Live(_) => {
                let violations = world.violations.iter().map(|view| view.at).collect();
                let end = if self.open_question().is_some() { at } else { self.time.scene.at };
                SessionTimeline::of(world, (end.max(world.now), at), violations, notes)
            }
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => {
                let violations = playback.times_of(Landmark::Violation).collect();
                let mut timeline = SessionTimeline::of(world, (playback.end().max(at), at), violations, notes);
                timeline.begin_at(playback.start());
                timeline
            }
        }
    }

    /// When the lab's step of this name was taken, as far as it may be known.
    pub fn taken_at(&self, step: &str) -> Option<i64> {
        self.known_world().steps.iter().find(|(name, _)| name == step).map(|(_, at)| *at)
    }

    /// The world at the end, as far as it may be shown.
    pub fn known_world(&self) -> &World {
        match &self.time.feed {
            // What is later than an open question would give its answer away.
            Feed::Live(_) if self.open_question().is_some() => &self.seen().world,
            Feed::Live(_) => &self.time.scene.world,
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => playback.whole(),
        }
    }

    /// What people wrote, and the chapters of what the lab tells, by their moments.
    pub fn landmarks_in_words(&self) -> Vec<SessionNote> {
        let chapters = book(self).map(|book| book.chapters(self.known_world())).unwrap_or_default();
        let chapters =
            chapters.into_iter().map(|(at, text)| SessionNote { kind: NoteKind::Chapter, at, after: 0, text });
        let mut all: Vec<SessionNote> = chapters.chain(self.marks.all().cloned()).collect();
        all.sort_by_key(|note| note.at);
        all
    }

    /// One of these in words: its kind, its place among those of its kind, its text.
    pub fn landmark_told(&self, note: &SessionNote) -> String {
        let of_kind: Vec<SessionNote> =
            self.landmarks_in_words().into_iter().filter(|other| other.kind == note.kind).collect();
        let count = of_kind.len();
        let place = of_kind.iter().position(|other| other == note).map_or(count, |place| place + 1);
        format!("{} {place} of {count}: {}", note.kind.word(), note.text)
    }
}

impl SessionTimeline {
    fn of(world: &World, (end, at): (i64, i64), violations: Vec<i64>, notes: Vec<(i64, String)>) -> SessionTimeline {
        let faults = world.faults.iter();
        let elections = world.elections.latest.iter();
        SessionTimeline {
            start: 0,
            end: end.max(1),
            at,
            faults: faults.map(|fault| (fault.ordered, fault.id.to_string(), fault.line.to_string())).collect(),
            elections: elections.map(|election| (election.began, election.ended, election.ordinal)).collect(),
            violations,
            notes,
        }
    }

    /// It tells of nothing that was over before this time.
    fn begin_at(&mut self, start: i64) {
        self.start = start;
        self.end = self.end.max(start.saturating_add(1));
        self.faults.retain(|(at, ..)| *at >= start);
        self.elections.retain(|(_, ended, _)| ended.is_none_or(|ended| ended >= start));
        self.notes.retain(|(at, _)| *at >= start);
    }
}
