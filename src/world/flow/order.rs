//! The order in which a screen shows records: causes come first, and stamps break ties. A record takes its place by its
//! stamp among those that came up to 50 ms before. On a live screen records wait that long, so that what is shown stays
//! where it is.
//!
//! Invariant: a record that comes later than that stands where it came.

use fault::LabSpeed;
use record::{Body, Record};

/// A record takes its place among those whose stamps are at most this much later, in nanoseconds of this computer's time:
/// that is what it takes from a process to the screen, at whatever speed lab time runs.
const OUT_OF_ORDER_MAX: i64 = 50_000_000;

/// The order at one moment.
#[derive(Copy, Clone, Debug)]
pub struct StampOrder {
    /// Records with a later stamp wait.
    until: i64,
    /// How fast lab time runs.
    speed: LabSpeed,
}

impl StampOrder {
    /// Nothing waits yet.
    pub fn new(speed: LabSpeed) -> StampOrder {
        StampOrder { until: i64::MAX, speed }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        if let Body::SpeedSet { speed, .. } = record.body {
            self.speed = speed;
        }
    }

    /// Before how many of the newest records one of this stamp stands; theirs are given with the newest first.
    pub fn later(&self, at: i64, newest: impl Iterator<Item = i64>) -> usize {
        let latest = at.saturating_add(self.speed.lab_time(OUT_OF_ORDER_MAX));
        newest.take_while(|known| *known > at && *known <= latest).count()
    }

    /// Is this time now: records wait that may not be in order yet.
    pub fn wait(&mut self, now: i64) {
        self.until = now.saturating_sub(self.speed.lab_time(OUT_OF_ORDER_MAX));
    }

    /// Whether a record of this stamp waits.
    pub fn holds(&self, at: i64) -> bool {
        at > self.until
    }
}
