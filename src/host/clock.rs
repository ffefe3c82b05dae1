//! The lab's clock as the host reads it: lab time, and this computer's own time for what concerns the computer.
//!
//! Invariant: both count from the lab's beginning, in nanoseconds, and are the same until somebody changes the speed.

use std::io;
use std::thread;
use std::time::Duration;

use fault::LabSpeed;
use record::{LabTime, SpeedFile, monotonic_nanos};

/// The clock of one lab.
#[derive(Debug)]
pub struct HostClock {
    time: LabTime,
    /// The reading at which the latest speed begins.
    speed_begins: u64,
}

impl HostClock {
    /// The clock of a lab that began at this reading of CLOCK_MONOTONIC.
    pub fn new(epoch: u64, speeds: SpeedFile) -> HostClock {
        HostClock { time: LabTime::new(epoch, speeds), speed_begins: epoch }
    }

    /// When the lab began, in nanoseconds of CLOCK_MONOTONIC.
    pub fn epoch(&self) -> u64 {
        self.time.epoch()
    }

    /// Lab time; negative before the lab began.
    pub fn now(&self) -> i64 {
        self.time.at(monotonic_nanos())
    }

    /// This computer's time since the lab began; negative before that.
    pub fn wall(&self) -> i64 {
        self.time.wall(monotonic_nanos())
    }

    /// Lab time at a reading of CLOCK_MONOTONIC.
    pub fn at(&self, reading: u64) -> i64 {
        self.time.at(reading)
    }

    /// This computer's time at a moment of lab time, if that is not the same.
    pub fn other_wall(&self, at: i64) -> Option<i64> {
        self.time.other_wall(at)
    }

    /// This computer's time at a moment of lab time, as far as the speeds are known.
    pub fn wall_of(&self, at: i64) -> i64 {
        self.other_wall(at).unwrap_or(at)
    }

    /// Lab time runs at this speed from a moment soon to come. The error says why not.
    pub fn change_speed(&mut self, speed: LabSpeed) -> io::Result<()> {
        self.speed_begins = self.time.change(speed)?;
        Ok(())
    }

    /// Waits until the speed that was set last has begun.
    pub fn await_speed(&self) {
        thread::sleep(Duration::from_nanos(self.speed_begins.saturating_sub(monotonic_nanos())));
    }
}
