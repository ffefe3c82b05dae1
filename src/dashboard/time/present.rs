//! A running lab that goes on while a screen shows its past.
//!
//! Invariant: whatever comes from the lab reaches its present, whatever the screen shows.

use super::delayed::Delayed;
use super::feed::Feed;
use super::scene::Scene;
use script::PictureStop;

/// The present of a lab whose past is on the screen.
#[derive(Debug)]
pub struct Present {
    /// The lab, as the screen hears it.
    pub feed: Feed,
    /// The present.
    pub scene: Scene,
    /// The picture behind it, if there was one.
    pub delayed: Option<Box<Delayed>>,
    /// At what its picture was to stop.
    pub stop: Option<PictureStop>,
}
