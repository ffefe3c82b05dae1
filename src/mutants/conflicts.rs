//! Bugs planted in the updates without the majority rule, beside Bully (Garcia-Molina 1982, section IV.B).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::AnyMessage;
use application::updates::{LogVersion, UpdateMessage};
use application::working::{Working, WorkingMessage};
use election::bully::Bully;
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, StateVector, Work};

type WithBully = Working<Bully>;
type Done = Reaction<WithBully>;

fn lacking(given: &mut Given<WithBully>) -> Option<&mut [application::updates::BuiltUpdate]> {
    match given {
        Given::Message(_, WorkingMessage::Application(_, AnyMessage::Updates(UpdateMessage::Lacking(part)))) => {
            Some(part)
        }
        _ => None,
    }
}

/// A process takes the first update of each coordinator for one that builds on nothing: more updates conflict than do.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct FirstBuildsOnNothing;

impl Bug for FirstBuildsOnNothing {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, mut given: Given<WithBully>, capacity: i64) -> Done {
        let part = lacking(&mut given).into_iter().flatten();
        for built in part.filter(|built| built.after.of(built.update.by.task.author) == 0) {
            built.after = LogVersion::default();
        }
        given.to(machine, capacity)
    }
}

/// A process takes in what it lacks, and does not save it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LackingNotSaved;

impl Bug for LackingNotSaved {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, mut given: Given<WithBully>, capacity: i64) -> Done {
        let is_part = lacking(&mut given).is_some();
        let step = given.to(machine, capacity);
        if is_part { step.without(|effect| matches!(effect, Effect::Save { .. })) } else { step }
    }
}

/// A process does not count the last update in conflict, once there are more than two.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ListsOneLess;

impl Bug for ListsOneLess {
    type Machine = WithBully;

    fn state(&self, machine: &WithBully) -> StateVector {
        let mut state = machine.state();
        if let Some(Work::Updates(work)) = state.work.as_deref_mut()
            && let Some(list) = work.conflicts.as_mut().filter(|list| list.updates > 2)
        {
            list.updates -= 1;
        }
        state
    }
}
