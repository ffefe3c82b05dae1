//! A replay without a terminal: the same model, updates and panels, drawn into any frame.
//!
//! Invariant: it shows what a screen of the same size shows after the same keys at the same times.

use std::time::Duration;

use crossterm::event::KeyEvent;
use ratatui::Frame;

use super::input::message::ScreenMessage;
use super::input::update::{seek, update};
use super::model::Model;
use super::options::Options;
use super::view::panel::view;
use record::{SessionError, StoredSession};

/// A replay without a terminal.
#[derive(Debug)]
pub struct Offscreen {
    model: Model,
}

impl Offscreen {
    /// This session at its beginning, on a screen of this width and height.
    ///
    /// # Errors
    /// The session cannot be read to its end.
    pub fn replay(options: &Options, session: StoredSession, size: (u16, u16)) -> Result<Offscreen, SessionError> {
        let mut model = Model::stored(options, session)?;
        update(&mut model, ScreenMessage::Resize(size.0, size.1));
        Ok(Offscreen { model })
    }

    /// The same as soon as its first records are known; the rest is read with each turn of the clock.
    ///
    /// # Errors
    /// The session cannot be read.
    pub fn opened(options: &Options, session: StoredSession, size: (u16, u16)) -> Result<Offscreen, SessionError> {
        let mut model = Model::opened(options, session)?;
        update(&mut model, ScreenMessage::Resize(size.0, size.1));
        Ok(Offscreen { model })
    }

    /// Whether the session is not known to its end yet.
    pub fn is_reading(&self) -> bool {
        self.model.is_reading()
    }

    /// A key is pressed; what would leave the screen does nothing here.
    pub fn press(&mut self, key: KeyEvent) {
        update(&mut self.model, ScreenMessage::Key(key));
    }

    /// Goes to this part of the session: 0 is its beginning, 1 its end.
    pub fn seek_part(&mut self, part: f64) {
        let (start, end) = self.span();
        let at = start + ((end - start) as f64 * part.clamp(0.0, 1.0)) as i64;
        seek(&mut self.model, at);
    }

    /// Goes to this moment, in nanoseconds since the lab began, or to the end if that is earlier.
    pub fn seek(&mut self, at: i64) {
        let (_, end) = self.span();
        seek(&mut self.model, at.min(end));
    }

    /// When the session begins and ends, in nanoseconds since the lab began.
    pub fn span(&mut self) -> (i64, i64) {
        let playback = self.model.time.feed.playback();
        playback.map_or((0, 0), |playback| (playback.start(), playback.end()))
    }

    /// Plays the session from here on, as fast as it happened, while the screen's clock goes on.
    pub fn play(&mut self) {
        self.model.time.play_on();
    }

    /// The screen's clock shows this.
    pub fn tick(&mut self, clock: Duration) {
        update(&mut self.model, ScreenMessage::Tick(clock));
    }

    /// Whether something has changed since it was last drawn.
    pub fn has_changed(&self) -> bool {
        self.model.drawing.is_needed()
    }

    /// Draws it.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        view(&self.model, frame);
        self.model.drawing.done();
    }
}
