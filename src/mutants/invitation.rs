//! Bugs planted in Invitation (Garcia-Molina 1982, Appendix II; listings 10.22 to 10.28 of Chow and Johnson 1997).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::invitation::{Invitation, Message, SafeCells};
use fault::{Bug, MutantInput, MutantOutput};
use protocol::{Algorithm, Effect, Effects, Setup};

type Done = MutantOutput<Invitation>;

/// Recovery does not read the counter from the safe cells: other groups get the numbers of its first life.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CounterNotRestored;

impl Bug for CounterNotRestored {
    type Machine = Invitation;

    fn start(&mut self, setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Invitation>) -> Invitation {
        Invitation::start(setup, saved.map(|cells| SafeCells { counter: 0, ..cells }), fx)
    }
}

/// Ready is taken from any group: a late one makes a member Normal with another group's task.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReadyOfAnyGroup;

impl Bug for ReadyOfAnyGroup {
    type Machine = Invitation;

    fn give(&mut self, machine: &mut Invitation, given: MutantInput<Invitation>, capacity: i64) -> Done {
        match (given, machine.state().group) {
            (MutantInput::Message(from, Message::Ready { call, task, .. }), Some(group)) => {
                MutantInput::Message(from, Message::Ready { call, group, task }).to(machine, capacity)
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
