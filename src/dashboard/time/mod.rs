//! Which moment is shown, and where the records come from that lead to it.

pub mod feed;
pub mod flight_recorder;
pub mod freshness;
pub mod playback;
pub mod record_store;
pub mod scene;
pub mod session_so_far;
pub mod simulated;
pub mod timeline;
