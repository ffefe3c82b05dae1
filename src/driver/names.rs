//! The names of a machine's timers, each put into words once.
//!
//! Invariant: a timer's name is what it says of itself, whether it was remembered or not. Older sessions have the names
//! of the code in their place, and these are still understood.
use protocol::{MachineKind, TimerKey};
use record::{EffectText, Input, Step, TimerName};

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
        let words = liar::timer_words(kind, timer);
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
    use super::*;
    use protocol::trial::{Bell, Trial};

    #[test]
    fn a_name_is_what_the_timer_says_of_itself_however_many_there_are() {
        let (mut names, kind) = (TimerNames::default(), MachineKind::of::<Trial>());
        let bells = [Bell::Alone, Bell::Drawn, Bell::Numbered(1), Bell::Numbered(2 * NAMES_MAX as u64), Bell::Alone];
        for bell in bells.into_iter().chain((0..3 * NAMES_MAX as u64).map(Bell::Numbered)) {
            assert_eq!(&*names.of(TimerKey::of(&bell), kind), bell.to_string());
        }
        assert!(names.0.len() <= NAMES_MAX);
    }

    #[test]
    fn the_names_of_an_older_session_are_those_of_the_code() {
        let mut names = TimerNames::default();
        names.of(TimerKey::of(&Bell::Numbered(3)), MachineKind::of::<Trial>());
        let step = |timer: &str| Step {
            effects: vec![
                EffectText::SetTimer { timer: timer.into(), span: protocol::Span::ZERO },
                EffectText::CancelTimer { timer: timer.into() },
            ],
            ..Step::first(Input::Timer { timer: timer.into(), set: 0, due: 0, waited_for: Default::default() })
        };
        assert_eq!(names.renamed(step("Numbered(3)")), step("bell 3"));
        assert_eq!(names.renamed(step("bell 3")), step("bell 3"));
        assert_eq!(names.renamed(step("Numbered(4)")), step("Numbered(4)"), "a timer that the machine does not have");
    }
}
