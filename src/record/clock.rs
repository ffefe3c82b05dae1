//! The one clock: CLOCK_MONOTONIC, which all processes of this computer share.
//!
//! Invariant: every stamp of every process is a reading of it, so stamps of different processes can be compared.

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds of CLOCK_MONOTONIC.
pub fn monotonic_nanos() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux always has CLOCK_MONOTONIC");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}
