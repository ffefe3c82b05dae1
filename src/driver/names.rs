//! The names of a machine's timers, each put into words once.
//!
//! Invariant: a timer's name is what its `Debug` says, whether it was remembered or not.

use std::fmt::Debug;

use crate::record::TimerName;

/// The most names that are remembered. A machine has a handful of timers, unless it counts them.
const NAMES_MAX: usize = 32;

/// Names that were asked for before.
#[derive(Clone, Debug)]
pub(super) struct TimerNames<T>(Vec<(T, TimerName)>);

impl<T: Copy + PartialEq + Debug> TimerNames<T> {
    /// None yet.
    pub fn new() -> TimerNames<T> {
        TimerNames(Vec::new())
    }

    /// The name of this timer.
    pub fn of(&mut self, timer: T) -> TimerName {
        if let Some((_, name)) = self.0.iter().find(|(other, _)| *other == timer) {
            return name.clone();
        }
        let name = TimerName::from(&*format!("{timer:?}"));
        if self.0.len() == NAMES_MAX {
            self.0.clear();
        }
        self.0.push((timer, name.clone()));
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_the_timer_says_of_itself_however_many_there_are() {
        let mut names = TimerNames::new();
        for round in [0, 1, 2 * NAMES_MAX, 1] {
            assert_eq!(names.of(Some(round)), TimerName::from(&*format!("Some({round})")));
        }
        (0..3 * NAMES_MAX).for_each(|round| assert_eq!(&*names.of(Some(round)), format!("Some({round})")));
        assert!(names.0.len() <= NAMES_MAX);
    }
}
