//! Bugs planted in mutual exclusion beside King and Ni's B.1 (King, Gendreau and Ni 1988, section 7, item 6).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::exclusion::ExclusionTimer;
use application::working::{Working, WorkingMessage, WorkingTimer};
use application::{AnyMessage, AnyTimer};
use election::king_ni::b1::{self, AlgorithmB1};
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, SectionWork, Stance, StateVector, Work};

type WithSection = Working<AlgorithmB1>;
type Done = Reaction<WithSection>;

/// More than any criterion gives.
const CRITERION_MAX: i64 = 9_999_999_999;

const INSIDE_IS_OVER: WorkingTimer<b1::Timer> = WorkingTimer::Application(AnyTimer::Exclusion(ExclusionTimer::Inside));

/// A process stands the higher the shorter it has waited: who has just been inside gets in again before the others.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ShortestWaitFirst;

impl Bug for ShortestWaitFirst {
    type Machine = WithSection;

    fn give(&mut self, machine: &mut WithSection, given: Given<WithSection>, capacity: i64) -> Done {
        given.to(machine, CRITERION_MAX - capacity)
    }
}

/// All that wait stand alike, whatever the criterion says: the highest id among them always wins.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CriterionIgnored;

impl Bug for CriterionIgnored {
    type Machine = WithSection;

    fn give(&mut self, machine: &mut WithSection, given: Given<WithSection>, capacity: i64) -> Done {
        given.to(machine, capacity.min(1))
    }
}

/// A process that is inside does not stand in an election, as if it wanted nothing: another one is elected, and enters
/// beside it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct InsideDoesNotStand;

impl Bug for InsideDoesNotStand {
    type Machine = WithSection;

    fn give(&mut self, machine: &mut WithSection, given: Given<WithSection>, capacity: i64) -> Done {
        let is_inside = section(&machine.state()).stance == Stance::Inside && given != Given::Timer(INSIDE_IS_OVER);
        given.to(machine, if is_inside { -1 } else { capacity })
    }
}

/// A process that leaves begins the election first, and leaves when it hears who was elected: that one is inside already.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LeavesAtTheMastersWord {
    stays: bool,
}

impl Bug for LeavesAtTheMastersWord {
    type Machine = WithSection;

    fn give(&mut self, machine: &mut WithSection, given: Given<WithSection>, capacity: i64) -> Done {
        match given {
            Given::Timer(INSIDE_IS_OVER) => self.stays = true,
            Given::Message(_, WorkingMessage::Election(b1::Message::Elected { .. }, _)) => self.stays = false,
            _ => {}
        }
        given.to(machine, capacity)
    }

    fn state(&self, machine: &WithSection) -> StateVector {
        let mut state = machine.state();
        if let (true, Some(Work::Exclusion(section))) = (self.stays, state.work.as_deref_mut()) {
            section.stance = Stance::Inside;
        }
        state
    }
}

/// A process that is inside does not hear that its time is over: it never leaves.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NeverLeaves;

impl Bug for NeverLeaves {
    type Machine = WithSection;

    fn give(&mut self, machine: &mut WithSection, given: Given<WithSection>, capacity: i64) -> Done {
        match given {
            Given::Timer(INSIDE_IS_OVER) => Reaction::none(),
            given => given.to(machine, capacity),
        }
    }
}

/// A master that is idle does not hear that others want in.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct WantsIgnored;

impl Bug for WantsIgnored {
    type Machine = WithSection;

    fn give(&mut self, machine: &mut WithSection, given: Given<WithSection>, capacity: i64) -> Done {
        match given {
            Given::Message(_, WorkingMessage::Application(_, AnyMessage::Exclusion(_))) => Reaction::none(),
            given => given.to(machine, capacity),
        }
    }
}

/// How this state shows the process to stand to the section.
pub(super) fn section(state: &StateVector) -> SectionWork {
    let section = state.work.as_deref().and_then(Work::section);
    section.unwrap_or(SectionWork { stance: Stance::Outside, entries: 0 })
}
