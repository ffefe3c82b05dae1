//! A machine's timers, by their names.
//!
//! Invariant: each that runs stands here once; those that are due together run out in the order of their names.

/// The timers that run. A machine has a handful.
#[derive(Clone, Debug)]
pub(super) struct Timers<T> {
    running: Vec<Running<T>>,
    /// When the first of them is due: read far more often than it changes.
    earliest: Option<u64>,
}

/// A timer that runs: due by the machine's own clock, set at a moment of lab time, both in nanoseconds.
#[derive(Copy, Clone, Debug)]
pub(super) struct Running<T> {
    pub due: u64,
    pub timer: T,
    pub set: u64,
}

impl<T: Copy + Ord> Timers<T> {
    /// None runs.
    pub fn new() -> Timers<T> {
        Timers { running: Vec::new(), earliest: None }
    }

    /// A timer starts, or starts anew.
    #[inline]
    pub fn set(&mut self, started: Running<T>) {
        let due = started.due;
        let before = match self.running.iter_mut().find(|running| running.timer == started.timer) {
            Some(running) => Some(std::mem::replace(running, started).due),
            None => {
                self.running.push(started);
                None
            }
        };
        match self.earliest {
            Some(earliest) if earliest < due => {
                if before == Some(earliest) {
                    self.find_earliest();
                }
            }
            _ => self.earliest = Some(due),
        }
    }

    /// A timer stops, if it runs.
    pub fn cancel(&mut self, timer: T) {
        if let Some(place) = self.running.iter().position(|running| running.timer == timer) {
            self.take(place);
        }
    }

    /// Takes out the first that was due by this moment of the machine's own clock.
    pub fn take_due(&mut self, by: u64) -> Option<Running<T>> {
        let due = self.earliest.filter(|due| *due <= by)?;
        let together = self.running.iter().enumerate().filter(|(_, running)| running.due == due);
        let (place, _) = together.min_by_key(|(_, running)| running.timer)?;
        Some(self.take(place))
    }

    /// When the next one is due, by the machine's own clock.
    pub fn next_due(&self) -> Option<u64> {
        self.earliest
    }

    fn take(&mut self, place: usize) -> Running<T> {
        let taken = self.running.swap_remove(place);
        if self.earliest == Some(taken.due) {
            self.find_earliest();
        }
        taken
    }

    fn find_earliest(&mut self) {
        self.earliest = self.running.iter().map(|running| running.due).min();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn timers_run_out_as_if_sorted(deeds in proptest::collection::vec((0..3, 0..5u8, 0..20u64), 0..80)) {
            let (mut timers, mut plain) = (Timers::new(), BTreeMap::new());
            for (deed, timer, moment) in deeds {
                match deed {
                    0 => {
                        timers.set(Running { due: moment, timer, set: 0 });
                        plain.insert(timer, moment);
                    }
                    1 => {
                        timers.cancel(timer);
                        plain.remove(&timer);
                    }
                    _ => {
                        let first = plain.iter().map(|(timer, due)| (*due, *timer)).min();
                        let first = first.filter(|(due, _)| *due <= moment);
                        first.map(|(_, timer)| plain.remove(&timer));
                        let taken = timers.take_due(moment).map(|running| (running.due, running.timer));
                        prop_assert_eq!(taken, first);
                    }
                }
                prop_assert_eq!(timers.next_due(), plain.values().copied().min());
            }
        }
    }
}
