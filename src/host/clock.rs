//! The lab's clock as the host reads it.
//!
//! Invariant: stamps are nanoseconds since the lab's epoch, so stamps of different processes can be compared.

use crate::record::monotonic_nanos;

/// Stamps of one lab.
#[derive(Copy, Clone, Debug)]
pub struct HostClock {
    /// When the lab began, in nanoseconds of CLOCK_MONOTONIC.
    pub epoch: u64,
}

impl HostClock {
    /// Nanoseconds since the lab began; negative before that.
    pub fn now(&self) -> i64 {
        monotonic_nanos() as i64 - self.epoch as i64
    }
}
