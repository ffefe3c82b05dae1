//! A simulated lab on the screen: a session that grows only as far as a person looks, and branches where a person
//! breaks it.
//!
//! Invariant: the lab goes no further than a person asked to see; the records of the playback are those that the lab
//! made on its present branch.

use std::sync::Arc;

use super::playback::Playback;
use super::scene::Scene;
use crate::input::action::{Action, FeedKind};
use crate::input::keymap::Keymap;
use record::{Answer, Record, Request};
use script::{Refused, RequestOutcome, SharedLab, Steps, VirtualMoment};

/// A screen holds at most this many records; then the lab stops.
const RECORDS_MAX: usize = 300_000;

/// A long way is simulated in pieces of this many nanoseconds of the lab's time.
const SLICE: i64 = 1_000_000_000;

#[derive(Debug)]
pub struct SimulatedLab {
    /// What it has done, and the position in it.
    pub playback: Playback,
    lab: SharedLab,
}

/// The effect of a request on the session.
#[derive(Clone, Debug)]
pub struct Branched {
    pub answer: Answer,
    /// The records that have happened to the scene.
    pub happened: Vec<Arc<Record>>,
    /// How many records no longer exist.
    pub forgotten: usize,
    /// When, in nanoseconds since the lab began.
    pub at: i64,
}

/// How far a simulation went.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Reached {
    /// As far as was asked.
    It,
    /// Nothing happens within the span that was asked for.
    Nothing,
    /// Nothing will ever happen again by itself.
    Rest,
    /// No more records are taken.
    Full,
}

impl Reached {
    /// The message about it.
    pub fn words(self, keymap: &Keymap) -> Option<String> {
        match self {
            Reached::It => None,
            Reached::Nothing => {
                let event = keymap.name_of(Action::EventForward, FeedKind::Simulated);
                Some(format!("Up to this moment nothing happens that the flow shows; `{event}` goes on."))
            }
            Reached::Rest => {
                Some("Nothing more happens by itself; recover or resume a node, or order something.".into())
            }
            Reached::Full => Some(format!(
                "This screen holds at most {RECORDS_MAX} records, so the lab stops here. Go back and branch, or leave."
            )),
        }
    }
}

impl SimulatedLab {
    /// A lab as far as it has gone, at its end.
    pub fn new(lab: SharedLab) -> (SimulatedLab, Scene) {
        let playback = Playback::new(Some(&lab.borrow().head()), Vec::new());
        let mut simulated = SimulatedLab { playback, lab };
        let now = simulated.lab.borrow().now();
        simulated.advance(now);
        let scene = simulated.playback.seek(now);
        (simulated, scene)
    }

    /// Lets the lab go on to this time, if it has not.
    pub fn reach(&mut self, at: i64) -> Reached {
        while self.playback.end() < at {
            if self.playback.len() >= RECORDS_MAX {
                return Reached::Full;
            }
            // In pieces: nobody knows in advance how many records a span brings.
            self.advance(at.min(self.playback.end().saturating_add(SLICE)));
        }
        Reached::It
    }

    /// Lets the lab go on to the next record after the position, if it has not; no further than this time.
    pub fn reach_next(&mut self, until: i64) -> Reached {
        while self.playback.next().is_none() {
            let next = self.lab.borrow().next_at();
            match next {
                None => return Reached::Rest,
                Some(at) if at > until => return Reached::Nothing,
                Some(_) if self.playback.len() >= RECORDS_MAX => return Reached::Full,
                Some(at) => self.advance(at),
            }
        }
        Reached::It
    }

    /// Whether the lab's own steps are being played at the moment of this scene.
    pub fn steps(&self, scene: &Scene) -> Steps {
        self.lab.borrow().steps_at(self.moment(scene))
    }

    /// Makes a request at the moment of the scene, which then goes on to just after it. The error is a refusal.
    pub fn ask(&mut self, scene: &mut Scene, request: &Request) -> Result<Branched, Refused> {
        let moment = self.moment(scene);
        let RequestOutcome { answer, kept, records } = self.lab.borrow_mut().ask(moment, request)?;
        let forgotten = self.playback.len().saturating_sub(kept);
        let now = self.lab.borrow().now();
        self.playback.cut(kept);
        self.playback.grow(records, now);
        let happened = self.playback.advance_to(now, scene);
        Ok(Branched { answer, happened, forgotten, at: now })
    }

    /// The moment that the scene shows.
    fn moment(&self, scene: &Scene) -> VirtualMoment {
        let next = match self.playback.next() {
            Some(_) => self.playback.next_time(),
            None => self.lab.borrow().next_at(),
        };
        match next {
            Some(next) if next <= scene.at => VirtualMoment::After(self.playback.position() as u64),
            _ => VirtualMoment::At(scene.at),
        }
    }

    fn advance(&mut self, at: i64) {
        let records = self.lab.borrow_mut().advance_to(at);
        self.playback.grow(records, at);
    }
}
