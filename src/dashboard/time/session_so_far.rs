//! What a running lab has recorded up to some record, read from its session file for a screen that has come late.
//!
//! Invariant: it is what a screen would hold that had heard the lab from its first record on.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::feed::{Live, SoFarWanted};
use super::scene::Scene;
use record::{Body, Record, Session, SessionEntry, SessionError, StoredSession};

/// After so many entries the reader is asked whether it is to go on.
const ENTRIES_AT_ONCE: usize = 1_000;

/// What the session holds up to that record.
#[derive(Debug)]
pub struct SessionSoFar {
    /// What was wanted.
    pub wanted: SoFarWanted,
    /// The scene after the last record.
    pub scene: Scene,
    /// The last minute, as a screen keeps it.
    pub live: Live,
    /// What was noted.
    pub notes: Vec<Record>,
}

/// Why it was not read.
#[derive(Debug, thiserror::Error)]
pub enum NotReadSoFar {
    /// The file cannot be read.
    #[error("its session {path} cannot be read: {error}", path = .path.display())]
    Session {
        /// The file.
        path: PathBuf,
        /// Why.
        error: SessionError,
    },
    /// The file is the session of another lab, or is cut within its head.
    #[error("{path} is not its session", path = .0.display())]
    AnotherLab(PathBuf),
    /// Not all records are in the file.
    #[error("its session {path} lacks records", path = .0.display())]
    LacksRecords(PathBuf),
    /// There is no thread to read it.
    #[error("this computer refuses a thread to read its session: {0}")]
    NoThread(io::Error),
    /// The reader was told to stop.
    #[error("the screen has ended")]
    Unwanted,
}

impl SessionSoFar {
    /// Reads it, and asks now and then whether to go on.
    ///
    /// # Errors
    /// The session cannot be read so far, or is not to be.
    pub fn read(
        wanted: SoFarWanted,
        mut goes_on: impl FnMut() -> ControlFlow<()>,
    ) -> Result<SessionSoFar, NotReadSoFar> {
        let unread = |error| NotReadSoFar::Session { path: wanted.path.clone(), error };
        let session = StoredSession::open(&wanted.path).map_err(unread)?;
        let head = session.head().filter(|head| head.lab_id == wanted.lab_id);
        let head = head.ok_or_else(|| NotReadSoFar::AnotherLab(wanted.path.clone()))?;
        let mut so_far = SessionSoFar {
            wanted: wanted.clone(),
            scene: Scene::new(Some(head)),
            live: Live::new(),
            notes: Vec::new(),
        };
        so_far.live.recorder.begin(so_far.scene.world.clone(), None, &[]);
        let (mut count, mut last, mut is_wanted) = (0_usize, 0, true);
        session
            .go_through(&mut |entry| {
                count += 1;
                if count.is_multiple_of(ENTRIES_AT_ONCE) && goes_on().is_break() {
                    is_wanted = false;
                    return ControlFlow::Break(());
                }
                if let SessionEntry::Record(record) = entry {
                    if record.number > wanted.until {
                        return ControlFlow::Break(());
                    }
                    last = record.number;
                    so_far.take(record);
                }
                if last < wanted.until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .map_err(unread)?;
        match (is_wanted, last == wanted.until) {
            (false, _) => Err(NotReadSoFar::Unwanted),
            (true, false) => Err(NotReadSoFar::LacksRecords(wanted.path)),
            (true, true) => Ok(so_far),
        }
    }

    fn take(&mut self, record: Record) {
        if let Body::Note { .. } = record.body {
            self.notes.push(record.clone());
        }
        self.hear(&Arc::new(record));
    }

    /// This record followed.
    pub fn hear(&mut self, record: &Arc<Record>) {
        self.live.recorder.take(Arc::clone(record));
        self.scene.take(record);
    }

    /// The records among these that came after it, if none is missing between.
    pub fn followed_by(&self, records: &[Arc<Record>]) -> Option<Vec<Arc<Record>>> {
        let until = self.wanted.until;
        // What this screen itself wrote about a gap has no number.
        let known = records.iter().rposition(|of| of.number > 0 && of.number <= until);
        let later = records[known.map_or(0, |known| known + 1)..].to_vec();
        let is_whole = later.iter().zip(until + 1..).all(|(record, number)| record.number == number);
        is_whole.then_some(later)
    }
}
