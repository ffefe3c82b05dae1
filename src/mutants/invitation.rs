//! Bugs planted in Invitation (Garcia-Molina 1982, Appendix II; listings 10.22 to 10.28 of Chow and Johnson 1997).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::garcia_molina::YesOrNo;
use election::invitation::{Invitation, Message, SafeCells, Timer};
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, Effects, Setup, Status};

type Done = Reaction<Invitation>;

/// Recovery does not read the counter from the safe cells: other groups get the numbers of its first life.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CounterNotRestored;

impl Bug for CounterNotRestored {
    type Machine = Invitation;

    fn start(&mut self, setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Invitation>) -> Invitation {
        Invitation::start(setup, saved.map(|cells| SafeCells { counter: 0, ..cells }), fx)
    }
}

/// The safe cells are saved only after everything has been sent: a node that dies between the two has used a number
/// that it will use again.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SavedAfterSent;

impl Bug for SavedAfterSent {
    type Machine = Invitation;

    fn done(&mut self, _: &mut Invitation, step: Done, _: i64) -> Done {
        let is_save = |effect: &Effect<Invitation>| matches!(effect, Effect::Save { .. });
        let (saves, others): (Vec<_>, Vec<_>) = step.effects.into_iter().partition(is_save);
        Reaction { effects: others.into_iter().chain(saves).collect(), lines: step.lines }
    }
}

/// Ready is taken from any group: a late one makes a member Normal with another group's task.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReadyOfAnyGroup;

impl Bug for ReadyOfAnyGroup {
    type Machine = Invitation;

    fn give(&mut self, machine: &mut Invitation, given: Given<Invitation>, capacity: i64) -> Done {
        match (given, machine.state().group) {
            (Given::Message(from, Message::Ready { call, task, .. }), Some(group)) => {
                Given::Message(from, Message::Ready { call, group, task }).to(machine, capacity)
            }
            (given, _) => given.to(machine, capacity),
        }
    }
}

/// Ready is not answered: its coordinator gives up every Merge.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReadyNotAnswered;

impl Bug for ReadyNotAnswered {
    type Machine = Invitation;

    fn done(&mut self, _: &mut Invitation, step: Done, _: i64) -> Done {
        step.without(|effect| matches!(effect, sends!(Message::ReadyAnswer { .. })))
    }
}

/// The timer of Ready is not cancelled when all have answered: T later the coordinator recovers, out of its own group.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct TimerNotCancelled;

impl Bug for TimerNotCancelled {
    type Machine = Invitation;

    fn done(&mut self, _: &mut Invitation, step: Done, _: i64) -> Done {
        step.without(|effect| matches!(effect, Effect::CancelTimer { timer: Timer::Ready }))
    }
}

/// Accept is answered and forgotten: nobody comes into `Up`, and those who have accepted are left out.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AcceptForgotten;

impl Bug for AcceptForgotten {
    type Machine = Invitation;

    fn give(&mut self, machine: &mut Invitation, given: Given<Invitation>, capacity: i64) -> Done {
        match given {
            Given::Message(from, Message::Accept { call, .. }) if machine.state().status == Status::Election => {
                let answer = Effect::Send { to: from, message: Message::AcceptAnswer { call, accepted: YesOrNo::Yes } };
                Reaction { effects: vec![answer], lines: Vec::new() }
            }
            given => given.to(machine, capacity),
        }
    }
}
