//! The one clock: CLOCK_MONOTONIC, which all processes of the machine share.
//!
//! Invariant: stamps are nanoseconds since the lab's epoch, so they compare across processes.

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds of CLOCK_MONOTONIC.
pub fn monotonic_nanos() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux always has CLOCK_MONOTONIC");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// Stamps of one lab.
#[derive(Copy, Clone, Debug)]
pub struct Clock {
    /// When the lab began, in nanoseconds of CLOCK_MONOTONIC.
    pub epoch: u64,
}

impl Clock {
    /// Nanoseconds since the lab began; negative before that.
    pub fn now(&self) -> i64 {
        monotonic_nanos() as i64 - self.epoch as i64
    }
}
