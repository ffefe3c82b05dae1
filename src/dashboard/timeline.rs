//! The whole session in short: when faults were ordered, when elections were held and violations found, what people wrote
//! about it, and which moment is on the screen.
//!
//! Invariant: it tells of all that is known, also of what is later than the moment on the screen.

use super::feed::Feed;
use super::model::Model;
use super::playback::Landmark;
use super::simulated::SimulatedLab;
use super::steps_words::book;
use crate::world::World;

/// The whole session; times are nanoseconds since the lab began.
#[derive(Clone, Debug)]
pub struct SessionTimeline {
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
        let chapters = |world: &World| book(self).map(|book| book.chapters(world)).unwrap_or_default();
        let mut timeline = match &self.feed {
            Feed::Live(_) => {
                // What is later than an open question would give its answer away.
                let known = if self.open_question().is_some() { self.seen() } else { &self.scene };
                let world = &known.world;
                let violations = world.violations.iter().map(|view| view.at).collect();
                SessionTimeline::of(world, (known.at.max(world.now), at), violations, chapters(world))
            }
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => {
                let violations = playback.times_of(Landmark::Violation).collect();
                let whole = playback.whole();
                SessionTimeline::of(whole, (playback.end().max(at), at), violations, chapters(whole))
            }
        };
        timeline.notes.extend(self.marks.all().map(|note| (note.at, note.text.clone())));
        timeline
    }
}

impl SessionTimeline {
    fn of(world: &World, (end, at): (i64, i64), violations: Vec<i64>, notes: Vec<(i64, String)>) -> SessionTimeline {
        let faults = world.faults.iter();
        let elections = world.elections.latest.iter();
        SessionTimeline {
            end: end.max(1),
            at,
            faults: faults.map(|fault| (fault.ordered, fault.id.to_string(), fault.line.to_string())).collect(),
            elections: elections.map(|election| (election.began, election.ended, election.ordinal)).collect(),
            violations,
            notes,
        }
    }
}
