//! The source of the records, and its state.
//!
//! Invariant: only the code that fetches records knows which feed it is; all other code uses what the model says of it.

use std::path::PathBuf;
use std::time::Duration;

use super::flight_recorder::FlightRecorder;
use super::freshness::Freshness;
use super::playback::Playback;
use super::simulated::SimulatedLab;
use crate::input::action::FeedKind;
use script::Steps;

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
    /// What of the session is being read, if the screen came when the lab was under way.
    pub reading: Option<SoFarWanted>,
    /// When the session was last wanted, by the screen's own clock.
    pub read_at: Option<Duration>,
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
            reading: None,
            read_at: None,
            recorder: FlightRecorder::default(),
        }
    }

    /// How current the lab's records are.
    pub fn freshness(&self) -> Freshness {
        match (&self.contact, self.heard) {
            (Contact::Calling, _) | (Contact::Silent, None) => Freshness::Calling,
            (Contact::Hearing, _) => Freshness::Live,
            (Contact::Silent, Some((at, _))) => Freshness::SilentSince(at),
            (Contact::Ended(_), _) => Freshness::Over,
            (Contact::Gone, _) => Freshness::Gone,
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
    /// The lab has said that it is over, and why.
    Ended(String),
    /// The lab is gone without a message.
    Gone,
}

impl Feed {
    /// Whether it is a running lab of which something came before all that this screen holds.
    pub fn begins_in_midst(&self) -> bool {
        matches!(self, Feed::Live(live) if live.recorder.begins_in_midst())
    }

    /// Whether it is a running lab of which what was before is being read.
    pub fn is_being_read(&self) -> bool {
        matches!(self, Feed::Live(Live { reading: Some(_), .. }))
    }

    /// The kind of feed, for the table of keys.
    pub fn kind(&self) -> FeedKind {
        match self {
            Feed::Live(_) => FeedKind::Live,
            Feed::Replay(_) => FeedKind::Replay,
            Feed::Simulated(_) => FeedKind::Simulated,
        }
    }

    /// The session that is played; `None` of a running lab.
    pub fn playback(&self) -> Option<&Playback> {
        match self {
            Feed::Live(_) => None,
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => Some(playback),
        }
    }

    /// The same, to play on.
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

/// Which session is to be read, and how far.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct SoFarWanted {
    /// Where the session is being written.
    pub path: PathBuf,
    /// The lab that writes it.
    pub lab_id: String,
    /// The number of the last record that is wanted.
    pub until: u64,
}
