//! The names of a machine's timers, each put into words once.
//!
//! Invariant: a timer's name is what it says of itself, whether it was remembered or not. Older sessions have the names
//! of the code in their place, and these are still understood.

use super::untyped::{MachineKind, TimerKey};
use crate::record::{EffectText, Input, Step, TimerName};

/// The most names that are remembered. A machine has a handful of timers, unless it counts them.
const NAMES_MAX: usize = 32;

/// Names that were asked for before.
#[derive(Clone, Default, Debug)]
pub(super) struct TimerNames(Vec<NamedTimer>);

#[derive(Clone, Debug)]
struct NamedTimer {
    timer: TimerKey,
    name: TimerName,
    /// Its name in the code.
    coded: String,
}

impl TimerNames {
    /// The name of this timer of a machine of this kind.
    pub fn of(&mut self, timer: TimerKey, kind: &MachineKind) -> TimerName {
        if let Some(named) = self.0.iter().find(|named| named.timer == timer) {
            return named.name.clone();
        }
        let words = kind.timer_words(timer);
        let name = TimerName::from(&*words.shown);
        if self.0.len() == NAMES_MAX {
            self.0.clear();
        }
        self.0.push(NamedTimer { timer, name: name.clone(), coded: words.coded });
        name
    }

    /// A step of an older session with the names of today, as far as they were asked for before.
    pub fn renamed(&self, mut step: Step) -> Step {
        let rename = |name: &mut TimerName| {
            if let Some(named) = self.0.iter().find(|named| named.coded == **name) {
                *name = named.name.clone();
            }
        };
        if let Input::Timer { timer, .. } = &mut step.input {
            rename(timer);
        }
        for effect in &mut step.effects {
            if let EffectText::SetTimer { timer, .. } | EffectText::CancelTimer { timer } = effect {
                rename(timer);
            }
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[derive(Copy, Clone, PartialEq, Debug)]
    struct Round(usize);

    impl fmt::Display for Round {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "round {}", self.0)
        }
    }

    #[test]
    fn a_name_is_what_the_timer_says_of_itself_however_many_there_are() {
        let mut names = TimerNames::new();
        for round in [0, 1, 2 * NAMES_MAX, 1] {
            assert_eq!(names.of(Round(round)), TimerName::from(&*format!("round {round}")));
        }
        (0..3 * NAMES_MAX).for_each(|round| assert_eq!(&*names.of(Round(round)), format!("round {round}")));
        assert!(names.0.len() <= NAMES_MAX);
    }

    #[test]
    fn the_names_of_an_older_session_are_those_of_the_code() {
        let mut names = TimerNames::new();
        names.of(Round(3));
        let step = |timer: &str| Step {
            effects: vec![
                EffectText::SetTimer { timer: timer.into(), span: crate::protocol::Span::ZERO },
                EffectText::CancelTimer { timer: timer.into() },
            ],
            ..Step::first(Input::Timer { timer: timer.into(), set: 0, due: 0, waited_for: Default::default() })
        };
        assert_eq!(names.renamed(step("Round(3)")), step("round 3"));
        assert_eq!(names.renamed(step("round 3")), step("round 3"));
        assert_eq!(names.renamed(step("Round(4)")), step("Round(4)"), "a timer that the machine does not have");
    }
}
