//! Stamps in lab time, made of the one clock that all processes of this computer share.
//!
//! Invariant: the stamps of different processes can be compared; timers and delays are in lab time, and only this file
//! converts it into readings of the clock.

use std::sync::{Arc, OnceLock};

pub use crate::driver::Stamp;
pub use crate::record::monotonic_nanos as monotonic;

/// Turns readings of this computer's clock into stamps.
#[derive(Copy, Clone, Debug)]
pub struct StampClock {
    epoch: u64,
}

impl StampClock {
    /// The clock of a lab that began at this reading of CLOCK_MONOTONIC.
    pub fn new(epoch: u64) -> StampClock {
        StampClock { epoch }
    }

    /// The stamp of a reading.
    pub fn stamp(&self, reading: u64) -> Stamp {
        let since = i128::from(reading) - i128::from(self.epoch);
        let at = i64::try_from(since).expect("a lab does not last 292 years");
        Stamp { at }
    }

    /// The reading at this lab time.
    pub fn reading(&self, lab: u64) -> u64 {
        self.epoch.saturating_add(lab)
    }
}

/// The clock of a lab that may not have begun: shared by the node, its watchers and its panic hook.
#[derive(Clone, Default, Debug)]
pub struct LabClock(Arc<OnceLock<StampClock>>);

impl LabClock {
    /// The lab began at this reading of CLOCK_MONOTONIC. It begins once: a second call changes nothing.
    pub fn begin(&self, epoch: u64) -> StampClock {
        *self.0.get_or_init(|| StampClock::new(epoch))
    }

    /// The clock, if the lab has begun.
    pub fn get(&self) -> Option<StampClock> {
        self.0.get().copied()
    }

    /// Now; the default before the lab has begun.
    pub fn now(&self) -> Stamp {
        self.get().map_or(Stamp::default(), |clock| clock.stamp(monotonic()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_counts_from_the_labs_beginning() {
        let clock = StampClock::new(1_000);
        assert_eq!(clock.stamp(1_250), Stamp::of(250));
        assert_eq!(clock.stamp(900), Stamp { at: -100 });
        assert_eq!(clock.reading(250), 1_250);
    }

    #[test]
    fn the_clock_does_not_run_backwards() {
        let (first, second) = (monotonic(), monotonic());
        assert!(first > 0 && second >= first);
    }
}
