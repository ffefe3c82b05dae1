//! A screen for a session file: at once with its first piece, or when all of it has been read.
//!
//! Invariant: what of the file cannot be used is told once, when the whole file is known.

use super::errand::Destination;
use super::feed::Feed;
use super::marks::SessionMarks;
use super::model::{Model, Tone};
use super::options::{Options, Source};
use super::playback::{Playback, Unusable};
use record::{Session, SessionError, StoredSession};

impl Model {
    /// A screen for a session file, which is at the beginning; the file is read on as time passes.
    ///
    /// # Errors
    /// Its first records cannot be read.
    pub fn opened(options: &Options, session: StoredSession) -> Result<Model, SessionError> {
        let head = session.head().cloned();
        let mut model = Model::replay(options, head, Playback::opened(session)?);
        model.read_marks(&options.source);
        model.tell_unusable();
        Ok(model)
    }

    /// The same, read to its end.
    ///
    /// # Errors
    /// The session cannot be read to its end.
    pub fn stored(options: &Options, session: StoredSession) -> Result<Model, SessionError> {
        let head = session.head().cloned();
        let mut model = Model::replay(options, head, Playback::stored(session)?);
        model.read_marks(&options.source);
        model.tell_unusable();
        Ok(model)
    }

    /// Reads what was written beside the session of this source, if it is one; says what cannot be read.
    fn read_marks(&mut self, source: &Source) {
        let Source::Session(path) = source else { return };
        let (marks, told) = SessionMarks::of(path, self.head.as_ref());
        self.marks = marks;
        told.into_iter().for_each(|told| self.tell_long(Tone::Bad, told));
    }

    /// Whether a session file is not known to its end yet.
    pub fn is_reading(&self) -> bool {
        matches!(&self.feed, Feed::Replay(playback) if !playback.is_whole())
    }

    /// Whether this screen can go there at once.
    pub fn knows(&self, to: Destination) -> bool {
        match &self.feed {
            Feed::Replay(playback) => playback.knows(to),
            Feed::Live(_) | Feed::Simulated(_) => true,
        }
    }

    /// How much of the session file has been read, in percent.
    pub fn percent_read(&self) -> u32 {
        match &self.feed {
            Feed::Replay(playback) => (playback.share_read() * 100.0) as u32,
            Feed::Live(_) | Feed::Simulated(_) => 100,
        }
    }

    /// How many records of a session file are missing, as far as it was read.
    pub fn lost(&self) -> u64 {
        match &self.feed {
            Feed::Replay(playback) => playback.lost(),
            Feed::Live(_) | Feed::Simulated(_) => 0,
        }
    }

    /// Whether a session file lacks the lab's end, as far as it was read.
    pub fn lacks_end(&self) -> bool {
        match &self.feed {
            Feed::Replay(playback) => playback.lacks_end(),
            Feed::Live(_) | Feed::Simulated(_) => false,
        }
    }

    /// Reads the next piece of a session file that is not known to its end yet.
    pub fn read_on(&mut self) {
        let Feed::Replay(playback) = &mut self.feed else { return };
        self.is_dirty |= playback.read_on();
        self.tell_unusable();
    }

    /// Once the file is known to its end: says which lines of it cannot be used, and why it ends there if it should not.
    pub fn tell_unusable(&mut self) {
        let Feed::Replay(playback) = &mut self.feed else { return };
        let Some(Unusable { count, first, end }) = playback.take_unusable() else { return };
        if let Some(line) = first.first() {
            let lines: Vec<String> = first.iter().map(|skipped| skipped.line.to_string()).collect();
            let more = if count > lines.len() { " and others" } else { "" };
            let (lines, why) = (lines.join(", "), &line.why);
            let text = format!("{count} of the file's lines were skipped: {lines}{more} (line {}: {why})", line.line);
            self.tell_long(Tone::Bad, text);
        }
        if let Some(error) = end {
            self.tell_long(Tone::Bad, format!("The file is not read any further: {error}"));
        }
    }
}
