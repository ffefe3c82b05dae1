//! How idle this process is, for King, Gendreau and Ni's criterion function by load: the share of its time in which it
//! does not compute.
//! not compute.
//!
//! Invariant: a measure covers at least the last second, once the process has lived that long, and at most two if it is
//! taken again and again; earlier computing does not count.

use nix::time::{ClockId, clock_gettime};

use super::clock::monotonic;
use protocol::capacity::IDLE;

/// A measure covers at least this time, in nanoseconds.
const WINDOW: u64 = 1_000_000_000;

/// Measures this process.
#[derive(Clone, Debug)]
pub struct LoadMeter {
    older: ClockReading,
    newer: ClockReading,
}

/// The readings of the clocks at a moment, in nanoseconds.
#[derive(Copy, Clone, Debug)]
struct ClockReading {
    /// This computer's.
    wall: u64,
    /// The computing time of this process.
    computed: u64,
}

impl LoadMeter {
    /// From now on.
    pub fn begin() -> LoadMeter {
        LoadMeter::from(ClockReading::now())
    }

    fn from(mark: ClockReading) -> LoadMeter {
        LoadMeter { older: mark, newer: mark }
    }

    /// [`IDLE`] minus the millionths of its recent time in which the process computed.
    pub fn idleness(&mut self) -> i64 {
        self.measure(ClockReading::now())
    }

    fn measure(&mut self, now: ClockReading) -> i64 {
        if now.wall.saturating_sub(self.newer.wall) >= WINDOW {
            self.older = std::mem::replace(&mut self.newer, now);
        }
        let passed = u128::from(now.wall.saturating_sub(self.older.wall)).max(1);
        let computed = u128::from(now.computed.saturating_sub(self.older.computed));
        let share = i64::try_from(computed * u128::from(IDLE.unsigned_abs()) / passed).unwrap_or(IDLE);
        (IDLE - share).max(0)
    }
}

impl ClockReading {
    fn now() -> ClockReading {
        ClockReading { wall: monotonic(), computed: computed() }
    }
}

/// How long this process has computed, in nanoseconds; nothing where the system does not count it.
fn computed() -> u64 {
    let nanos = |time: nix::sys::time::TimeSpec| {
        let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
        seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec()).unwrap_or(0))
    };
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(0, nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(wall_ms: u64, computed_ms: u64) -> ClockReading {
        ClockReading { wall: wall_ms * 1_000_000, computed: computed_ms * 1_000_000 }
    }

    #[test]
    fn a_measure_is_of_the_last_second_or_two_and_what_was_before_is_forgotten() {
        let mut meter = LoadMeter::from(mark(0, 0));
        // A start costs much.
        assert_eq!(meter.measure(mark(100, 50)), IDLE / 2);
        assert_eq!(meter.measure(mark(1_000, 50)), IDLE - 50_000);
        assert_eq!(meter.measure(mark(1_900, 50)), IDLE - 50 * 1_000_000 / 1_900);
        // From here on the first second is forgotten.
        assert_eq!(meter.measure(mark(2_000, 50)), IDLE);
        assert_eq!(meter.measure(mark(2_500, 80)), IDLE - 20_000);
        // If it is asked seldom, it covers the time since the last request.
        assert_eq!(meter.measure(mark(12_000, 80)), IDLE - 3_000);
        assert_eq!(meter.measure(mark(13_000, 80)), IDLE);
    }

    #[test]
    fn more_threads_than_time_are_no_less_than_nothing() {
        let mut meter = LoadMeter::from(mark(0, 0));
        assert_eq!(meter.measure(mark(10, 40)), 0);
        assert_eq!(LoadMeter::from(mark(5, 5)).measure(mark(5, 5)), IDLE);
    }

    #[test]
    fn what_this_process_computes_is_counted() {
        let (before, began) = (computed(), monotonic());
        while monotonic() - began < 5_000_000 {
            std::hint::spin_loop();
        }
        assert!(computed() > before);
    }
}
