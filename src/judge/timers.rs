//! A node's timers, as its steps tell them.
//!
//! Invariant: setting a timer again costs only the search for its name; one node has few names.

use fault::{ClockRate, OwnClock};
use protocol::Span;

/// The most names of timers that are kept of one node.
const TIMERS_MAX: usize = 64;

/// A node's timers that run: when each is due, in nanoseconds by the machine's own clock.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeTimers {
    due: Vec<TimerDue>,
    clock: OwnClock,
}

/// A timer that has run at some time, by its name; it has no moment while it does not run.
#[derive(Clone, Debug)]
struct TimerDue {
    name: String,
    due: Option<u64>,
}

impl NodeTimers {
    /// A timer runs out after this span by the machine's own clock, from this moment of lab time on.
    pub fn set(&mut self, name: &str, lab: i64, span: Span) {
        let own = self.clock.own_at(u64::try_from(lab).unwrap_or(0));
        let due = own.saturating_add(span.nanos());
        match self.due.iter_mut().find(|timer| timer.name == name) {
            Some(timer) => timer.due = Some(due),
            None => {
                if self.due.len() == TIMERS_MAX {
                    self.due.retain(|timer| timer.due.is_some());
                }
                self.due.push(TimerDue { name: name.to_owned(), due: Some(due) });
            }
        }
    }

    pub fn stop(&mut self, name: &str) {
        self.due.iter_mut().filter(|timer| timer.name == name).for_each(|timer| timer.due = None);
    }

    pub fn stop_all(&mut self) {
        self.due.clear();
    }

    /// From this moment of lab time on the machine's clock runs at this rate, or at the lab's.
    pub fn set_rate(&mut self, rate: Option<ClockRate>, lab: i64) {
        self.clock.set_rate(rate, u64::try_from(lab).unwrap_or(0));
    }

    /// There is no machine any more; the clock of the next one runs at the lab's rate until it learns another.
    pub fn forget(&mut self) {
        self.stop_all();
        self.clock = OwnClock::default();
    }

    /// When the next one is due, in lab time.
    pub fn earliest(&self) -> Option<i64> {
        let own = self.due.iter().filter_map(|timer| timer.due).min()?;
        Some(i64::try_from(self.clock.lab_at(own)).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_due_by_the_machines_own_clock() {
        let mut timers = NodeTimers::default();
        timers.set_rate(Some("0.5x".parse().unwrap()), 100);
        timers.set("Alone", 100, Span::from_nanos(50));
        assert_eq!(timers.earliest(), Some(200));
        timers.set_rate(None, 150);
        assert_eq!(timers.earliest(), Some(175), "half of it was left");
        timers.forget();
        timers.set("Alone", 300, Span::from_nanos(50));
        assert_eq!(timers.earliest(), Some(350));
    }
}
