//! How fast this computer lets a lab's time run, by what it shows while the lab runs: how late the host itself wakes.
//!
//! Faster lab time leaves the computer less of its own time for each bound. The judge holds a process for stopped when
//! it is late by half the one-way bound, and a machine that comes within half of that is too slow for the lab.
//!
//! Invariant: it is measured in this computer's time, so the speed that is in force does not matter.

use std::collections::VecDeque;

use fault::LabSpeed;
use protocol::{DELTA_MIN, Span};

/// The shortest T that is measured to work here (`benches/`).
const T_MIN: Span = Span::from_millis(5);
/// How many of the newest wakes count: the host wakes several times a second.
const WAKES: usize = 60;
/// A speed is told to a hundredth.
const STEP: u64 = 10;

/// How late the host woke, newest last, in nanoseconds of this computer's time.
#[derive(Clone, Default, Debug)]
pub struct WakeDelays(VecDeque<u64>);

/// The times within which a lab's processes must act, in lab time.
#[derive(Copy, Clone, Debug)]
pub struct TimeBounds {
    /// The lab's T.
    pub t: Span,
    /// The longest that one way may take.
    pub one_way_bound: Span,
    /// How long an ordered broadcast takes, if the lab's algorithm uses it.
    pub delta: Option<Span>,
}

impl WakeDelays {
    /// The host was to wake at the first of these moments, and woke at the second.
    pub fn woke(&mut self, due: i64, at: i64) {
        if self.0.len() == WAKES {
            self.0.pop_front();
        }
        self.0.push_back(u64::try_from(at.saturating_sub(due)).unwrap_or(0));
    }

    /// The fastest speed that a lab with these times bears here.
    pub fn fastest(&self, tightest: &TimeBounds) -> LabSpeed {
        let within = |span: Span, least: u64| thousandths(span.nanos(), least);
        let late = self.0.iter().copied().max().unwrap_or(0);
        let by_t = within(tightest.t, T_MIN.nanos());
        let by_delta = tightest.delta.map(|delta| within(delta, DELTA_MIN.nanos()));
        let by_lateness = within(tightest.one_way_bound, late.saturating_mul(4));
        let least = by_delta.into_iter().chain([by_t, by_lateness]).min().unwrap_or(by_t);
        let limits = LabSpeed::SLOWEST..=LabSpeed::FASTEST;
        let thousandths = u16::try_from(least - least % STEP).unwrap_or(u16::MAX);
        LabSpeed::of_thousandths(thousandths.clamp(limits.start().thousandths(), limits.end().thousandths()))
            .unwrap_or(LabSpeed::PLAIN)
    }
}

/// How many thousandths of `least` there are in `nanos`.
fn thousandths(nanos: u64, least: u64) -> u64 {
    u64::try_from(u128::from(nanos) * 1_000 / u128::from(least.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tightest(t_ms: u64) -> TimeBounds {
        let t = Span::from_millis(t_ms);
        TimeBounds { t, one_way_bound: t * 1 / 2, delta: None }
    }

    fn fastest(wake_delays: &WakeDelays, tightest: &TimeBounds) -> String {
        wake_delays.fastest(tightest).to_string()
    }

    #[test]
    fn a_computer_that_wakes_in_time_bears_all_down_to_the_shortest_t() {
        let wake_delays = WakeDelays::default();
        assert_eq!(fastest(&wake_delays, &tightest(200)), "10x");
        assert_eq!(fastest(&wake_delays, &tightest(12)), "2.4x");
        assert_eq!(fastest(&wake_delays, &tightest(1)), "0.2x");
        let broadcast = TimeBounds { delta: Some(Span::from_millis(9)), ..tightest(12) };
        assert_eq!(fastest(&wake_delays, &broadcast), "1.8x");
    }

    #[test]
    fn a_computer_that_wakes_late_bears_less_until_it_has_woken_in_time_for_long() {
        let mut wake_delays = WakeDelays::default();
        wake_delays.woke(1_000, 8_001_000);
        // 100 ms for one way: 8 ms late, four times, 3.125 times.
        assert_eq!(fastest(&wake_delays, &tightest(200)), "3.12x");
        (1..WAKES).for_each(|_| wake_delays.woke(5, 4));
        assert_eq!(fastest(&wake_delays, &tightest(200)), "3.12x");
        wake_delays.woke(5, 6);
        assert_eq!(fastest(&wake_delays, &tightest(200)), "10x");
    }
}
