//! Going to where a session file has not been read to yet.
//!
//! Invariant: an errand ends at its destination, or where somebody asks for something else.

use crate::action::Action;
use crate::errand::{Destination, ErrandDeed, ReadingErrand};
use crate::freshness::Motion;
use crate::model::{Model, Tone};
use crate::playback::Landmark;

/// Puts off what this key does, if the session has not been read so far. Returns whether it does.
pub fn put_off(model: &mut Model, action: Action) -> bool {
    model.errand = None;
    let to = match action {
        Action::End => Destination::End,
        Action::FaultForward => Destination::Next(Landmark::Fault),
        Action::ViolationForward => Destination::Next(Landmark::Violation),
        Action::ElectionForward => Destination::Next(Landmark::Election),
        _ => return false,
    };
    put_off_until(model, to, ErrandDeed::Key(action))
}

/// Puts this off, if the session has not been read so far. Returns whether it does.
pub fn put_off_until(model: &mut Model, to: Destination, deed: ErrandDeed) -> bool {
    model.errand = None;
    if model.knows(to) {
        return false;
    }
    if let Some(playback) = model.feed.playback_mut() {
        playback.motion = Motion::Standing;
    }
    model.errand = Some(ReadingErrand { to, deed });
    model.tell(Tone::Plain, "The session is read on to there; Esc stays here.");
    true
}
