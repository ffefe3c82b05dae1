//! The names of a machine's timers, each put into words once.
//!
//! Invariant: a timer's name is what it says of itself, whether it was remembered or not.

use protocol::{MachineKind, TimerKey};
use record::TimerName;

/// The most names that are remembered. A machine has a handful of timers, unless it counts them.
const NAMES_MAX: usize = 32;

/// Names that were asked for before.
#[derive(Clone, Default, Debug)]
pub(super) struct TimerNames(Vec<(TimerKey, TimerName)>);

impl TimerNames {
    /// The name of this timer of a machine of this kind.
    pub fn of(&mut self, timer: TimerKey, kind: MachineKind) -> TimerName {
        if let Some((_, name)) = self.0.iter().find(|(named, _)| *named == timer) {
            return name.clone();
        }
        let name = TimerName::from(&*liar::timer_name(kind, timer));
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
    use protocol::trial::{CountingAlgorithm, TrialTimer};

    #[test]
    fn a_name_is_the_timers_own() {
        let (mut names, kind) = (TimerNames::default(), MachineKind::of::<CountingAlgorithm>());
        let bells = [
            TrialTimer::Alone,
            TrialTimer::Drawn,
            TrialTimer::Numbered(1),
            TrialTimer::Numbered(2 * NAMES_MAX as u64),
            TrialTimer::Alone,
        ];
        for bell in bells.into_iter().chain((0..3 * NAMES_MAX as u64).map(TrialTimer::Numbered)) {
            assert_eq!(&*names.of(TimerKey::of(&bell), kind), bell.to_string());
        }
        assert!(names.0.len() <= NAMES_MAX);
    }
}
