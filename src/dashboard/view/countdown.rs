//! What a process waits for, and how long it has waited: the timer that its records tell of.
//!
//! Invariant: what has passed is never more than the whole, even while the time-out is late.

use super::paint;
use super::theme::GlyphSet;
use world::{NodeView, ProcessState};

/// The cells of a bar.
const CELLS: i64 = 6;

/// A timer that runs.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Countdown {
    pub name: String,
    /// The time since it was set, in nanoseconds.
    passed: i64,
    /// The time from then until it is due, in nanoseconds.
    whole: i64,
}

impl Countdown {
    /// What the process waits for at this moment, if it is up and waits for something.
    pub fn of(view: &NodeView, at: i64) -> Option<Countdown> {
        let timer = view.awaited().filter(|_| matches!(view.process, ProcessState::Running | ProcessState::Paused))?;
        let whole = timer.due - timer.set;
        Some(Countdown { name: timer.name.to_string(), passed: (at - timer.set).clamp(0, whole), whole })
    }

    /// The time that is left, in seconds: `0.6s`.
    pub fn left(&self) -> String {
        format!("{}s", paint::seconds(self.whole - self.passed, 1))
    }

    /// The timer in words, with a bar: `Halt 0.1/0.2s ▮▮▮▯▯▯`.
    pub fn words(&self, glyphs: &GlyphSet) -> String {
        let full = if self.whole == 0 { CELLS } else { CELLS * self.passed / self.whole };
        let cell = |place: i64| if place < full { glyphs.bar[0] } else { glyphs.bar[1] };
        let bar: String = (0..CELLS).map(cell).collect();
        let (passed, whole) = (paint::seconds(self.passed, 1), paint::seconds(self.whole, 1));
        format!("{} {passed}/{whole}s {bar}", self.name)
    }
}

impl Countdown {
    /// The same in at most so many columns: a long name is cut, the time is not.
    pub fn words_within(&self, glyphs: &GlyphSet, columns: u16) -> String {
        let words = self.words(glyphs);
        let surplus = usize::from(paint::width(&words).saturating_sub(columns));
        if surplus == 0 {
            return words;
        }
        let kept = self.name.chars().count().saturating_sub(surplus + usize::from(paint::width(glyphs.cut)));
        let name = self.name.chars().take(kept).collect::<String>() + glyphs.cut;
        Countdown { name, ..self.clone() }.words(glyphs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::theme::{ASCII, UNICODE};
    use protocol::{NodeId, Roster};
    use world::{Recurrence, TimerView, World};

    #[test]
    fn a_countdown_says_what_has_passed_of_the_whole() {
        let countdown = |passed| Countdown { name: "Halt".into(), passed, whole: 1_000_000_000 };
        assert_eq!(countdown(0).words(&UNICODE), "Halt 0.0/1.0s ▯▯▯▯▯▯");
        assert_eq!(countdown(400_000_000).words(&ASCII), "Halt 0.4/1.0s ##....");
        assert_eq!(countdown(1_000_000_000).words(&UNICODE), "Halt 1.0/1.0s ▮▮▮▮▮▮");
        assert_eq!(countdown(400_000_000).left(), "0.6s");
    }

    /// Node 1 with these timers: name, set, due, whether it recurs.
    fn waiting(process: ProcessState, timers: &[(&str, i64, i64, Recurrence)]) -> NodeView {
        let world = World::new(Roster::new(1).unwrap());
        let mut view = world.nodes[&NodeId::new(1).unwrap()].clone();
        let timer = |(name, set, due, recurrence): &(&str, i64, i64, Recurrence)| TimerView {
            name: (*name).into(),
            set: *set,
            due: *due,
            recurrence: *recurrence,
        };
        (view.process, view.timers) = (process, timers.iter().map(timer).collect());
        view
    }

    #[test]
    fn a_process_that_is_up_waits_for_what_is_due_first_and_is_no_period() {
        let (once, again) = (Recurrence::Once, Recurrence::Again);
        let timers = [("check", 0, 300, again), ("answers", 100, 700, once), ("Halt", 100, 500, once)];
        let at = |process, at| Countdown::of(&waiting(process, &timers), at);
        let halt = |passed| Some(Countdown { name: "Halt".into(), passed, whole: 400 });
        assert_eq!(at(ProcessState::Running, 150), halt(50));
        assert_eq!(at(ProcessState::Paused, 900), halt(400), "it is late, and stays at its whole");
        assert_eq!([at(ProcessState::Dead, 150), at(ProcessState::Starting, 150)], [None, None]);
        let period = Countdown::of(&waiting(ProcessState::Running, &timers[..1]), 100).unwrap();
        assert_eq!((period.name.as_str(), period.passed), ("check", 100));
        assert_eq!(Countdown::of(&waiting(ProcessState::Running, &[]), 100), None);
    }

    #[test]
    fn a_long_name_is_cut_and_the_time_is_not() {
        let countdown = Countdown { name: "answers to AreYouNormal".into(), passed: 0, whole: 1_000_000_000 };
        assert_eq!(countdown.words_within(&UNICODE, 32), "answers to AreY… 0.0/1.0s ▯▯▯▯▯▯");
        assert_eq!(countdown.words_within(&UNICODE, 60), countdown.words(&UNICODE));
    }
}
