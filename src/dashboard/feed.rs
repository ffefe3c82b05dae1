//! The source of the records, and its state.
//!
//! Invariant: only the code that fetches records knows which feed it is; all other code uses what the model says of it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::action::FeedKind;
use super::flight_recorder::FlightRecorder;
use super::freshness::{Freshness, Motion};
use super::noted::BEFORE_SHOWN;
use super::playback::Playback;
use super::simulated::SimulatedLab;
use super::so_far_wanted::SoFarWanted;
use crate::record::Record;
use crate::script::Steps;
use crate::world::flow::{FlowRules, changes_rows};

/// A screen keeps this many records of a running lab.
const RECORDS_MAX: usize = 20_000;
/// When there are more, those that are not shown by default go, but for those among so many newest ones and those
/// shortly before one that is shown.
const UNSEEN_KEPT: usize = 4_000;
/// Others go only when this many are left; so many go at once.
const SEEN_MAX: usize = 16_000;
const SEEN_DROPPED: usize = 4_000;

/// Where records come from.
#[derive(Debug)]
pub enum Feed {
    /// A running lab.
    Live(Live),
    /// A session file.
    Replay(Playback),
    /// A lab in virtual time.
    Simulated(SimulatedLab),
}

/// A running lab, as the screen hears it.
#[derive(Debug)]
pub struct Live {
    /// The state of the connection.
    pub contact: Contact,
    /// The latest stamp heard, and when it came by the screen's own clock.
    pub heard: Option<(i64, Duration)>,
    /// Whether the lab's own steps are being played.
    pub steps: Steps,
    /// Where the session is being written, if it is.
    pub session: Option<PathBuf>,
    /// The newest records, those without a row too.
    pub records: VecDeque<Arc<Record>>,
    /// What of the session is being read, if the screen came when the lab was under way.
    pub reading: Option<SoFarWanted>,
    /// The last minute.
    pub recorder: FlightRecorder,
}

impl Live {
    /// A lab of which nothing was heard yet.
    pub fn new() -> Live {
        Live {
            contact: Contact::Calling,
            heard: None,
            steps: Steps::Playing,
            session: None,
            records: VecDeque::new(),
            reading: None,
            recorder: FlightRecorder::default(),
        }
    }

    /// The records that are kept of what came before this one; none if it is not kept itself.
    pub fn before(&self, record: &Arc<Record>) -> Vec<Arc<Record>> {
        let place = self.records.iter().rposition(|kept| Arc::ptr_eq(kept, record));
        self.records.range(..place.unwrap_or(0)).cloned().collect()
    }

    /// Keeps a record; if there is no room, older ones go, first those that the flow does not show by default.
    pub fn keep(&mut self, record: Arc<Record>, rules: &FlowRules) {
        self.recorder.take(Arc::clone(&record));
        self.records.push_back(record);
        if self.records.len() <= RECORDS_MAX {
            return;
        }
        let (rules, older) = (rules.by_default(), self.records.len() - UNSEEN_KEPT);
        // How far behind each record the next one comes that is shown.
        let mut ahead = 0;
        let is_kept = |record: &Arc<Record>| {
            ahead = if changes_rows(&rules, record) { 0 } else { ahead + 1 };
            ahead <= BEFORE_SHOWN
        };
        let mut kept: Vec<bool> = self.records.range(..older).rev().map(is_kept).collect();
        self.records.retain(|_| kept.pop().unwrap_or(true));
        if self.records.len() > SEEN_MAX {
            self.records.drain(..SEEN_DROPPED);
        }
    }
}

/// The state of the connection to a running lab.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Contact {
    /// Nothing was heard yet.
    Calling,
    /// The lab sends.
    Hearing,
    /// The lab sent, and has been silent for longer than a second.
    Silent,
    /// It has said that it is over, and why.
    Ended(String),
    /// It is gone without a message.
    Gone,
}

impl Feed {
    /// The newest records up to what is shown, in their order; of a running lab none from the first on that is later
    /// than this.
    pub fn records(&self, until: i64) -> Vec<Arc<Record>> {
        match self {
            Feed::Live(live) => live.records.iter().take_while(|record| record.at <= until).cloned().collect(),
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => playback.records_before(),
        }
    }

    /// Those of them that have been read: of a session file fewer, until nobody has moved in it for a while.
    pub fn records_read(&self, until: i64) -> Vec<Arc<Record>> {
        match self {
            Feed::Live(_) => self.records(until),
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => playback.records_read(),
        }
    }

    /// The newest of them.
    pub fn newest_record(&self, until: i64) -> Option<Arc<Record>> {
        match self {
            Feed::Live(live) => live.records.iter().take_while(|record| record.at <= until).last().cloned(),
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => playback.last(),
        }
    }

    /// Whether it is a running lab of which something came before all that this screen holds.
    pub fn begins_in_midst(&self) -> bool {
        matches!(self, Feed::Live(live) if live.recorder.begins_in_midst())
    }

    /// Whether it is a running lab of which what was before is being read.
    pub fn is_being_read(&self) -> bool {
        matches!(self, Feed::Live(Live { reading: Some(_), .. }))
    }

    /// Its kind, for the table of keys.
    pub fn kind(&self) -> FeedKind {
        match self {
            Feed::Live(_) => FeedKind::Live,
            Feed::Replay(_) => FeedKind::Replay,
            Feed::Simulated(_) => FeedKind::Simulated,
        }
    }

    /// Its state.
    pub fn standing(&self) -> Freshness {
        match self {
            Feed::Live(live) => match (&live.contact, live.heard) {
                (Contact::Calling, _) | (Contact::Silent, None) => Freshness::Calling,
                (Contact::Hearing, _) => Freshness::Live,
                (Contact::Silent, Some((at, _))) => Freshness::SilentSince(at),
                (Contact::Ended(_), _) => Freshness::Over,
                (Contact::Gone, _) => Freshness::Gone,
            },
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => Freshness::Played {
                motion: playback.motion,
                speed: playback.speed,
                position: playback.position(),
                count: playback.len(),
            },
        }
    }

    /// How its session is played; `None` of a running lab, which has a present.
    pub fn motion(&self) -> Option<Motion> {
        match self {
            Feed::Live(_) => None,
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => Some(playback.motion),
        }
    }

    /// The session that is played; `None` of a running lab.
    pub fn playback_mut(&mut self) -> Option<&mut Playback> {
        match self {
            Feed::Live(_) => None,
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => Some(playback),
        }
    }

    /// Whether the lab records what the screen hears.
    pub fn is_recorded(&self) -> bool {
        matches!(self, Feed::Live(Live { session: Some(_), contact: Contact::Hearing, .. }))
    }
}
