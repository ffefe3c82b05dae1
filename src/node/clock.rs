//! Stamps in lab time, made of the one clock that all processes of this computer share.
//!
//! Invariant: the stamps of different processes can be compared; timers and delays are in lab time, and only this file
//! converts it into readings of the clock.

use std::sync::{Arc, OnceLock};

pub use driver::Stamp;
pub use record::monotonic_nanos as monotonic;
use record::{LabTime, SpeedFile};

/// Turns readings of this computer's clock into stamps.
#[derive(Clone, Debug)]
pub struct StampClock(LabTime);

impl StampClock {
    /// The stamp of a reading that has been taken.
    pub fn stamp(&self, reading: u64) -> Stamp {
        Stamp { at: self.0.at(reading) }
    }

    /// The first reading at this lab time, as far as it is known now.
    pub fn reading(&self, lab: u64) -> u64 {
        self.0.reading(lab)
    }

    /// This computer's time at a stamp, where that is not lab time: nanoseconds since the lab began.
    pub fn other_wall(&self, stamp: Stamp) -> Option<i64> {
        self.0.other_wall(stamp.at)
    }
}

/// The clock of a lab that may not have begun: shared by the node, its watchers and its panic hook.
#[derive(Clone, Default, Debug)]
pub struct LabClock(Arc<OnceLock<StampClock>>);

impl LabClock {
    /// The lab began at this reading of CLOCK_MONOTONIC, and has this table of speeds. It begins once: a second call
    /// changes nothing.
    pub fn begin(&self, epoch: u64, speeds: SpeedFile) -> &StampClock {
        self.0.get_or_init(|| StampClock(LabTime::new(epoch, speeds)))
    }

    /// The clock, if the lab has begun.
    pub fn get(&self) -> Option<&StampClock> {
        self.0.get()
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
    fn the_clock_does_not_run_backwards() {
        let (first, second) = (monotonic(), monotonic());
        assert!(first > 0 && second >= first);
    }
}
