//! Bugs planted in the weighed copies beside King and Ni's B.1 (King, Gendreau and Ni 1988, section 7, item 3).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::AnyMessage;
use application::copies::CopyMessage;
use application::working::{Working, WorkingCells, WorkingMessage};
use election::king_ni::ElectionNumber;
use election::king_ni::b1::AlgorithmB1;
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, CAPACITIES, Effect, Effects, HeldCopy, SettingValue, Setup};

type WithB1 = Working<AlgorithmB1>;
type Done = Reaction<WithB1>;
type Cells = WorkingCells<ElectionNumber>;

/// Such a message of the copies.
macro_rules! says {
    ($message:pat) => {
        WorkingMessage::Application(_, AnyMessage::Copies($message))
    };
}

/// A majority of the processes is taken for a majority of the weight.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CountsHeads;

impl Bug for CountsHeads {
    type Machine = WithB1;

    fn start(&mut self, setup: &Setup, saved: Option<Cells>, fx: &mut Effects<WithB1>) -> WithB1 {
        let heads = SettingValue::Numbers(vec![1; usize::from(setup.roster.len())]);
        let settings = setup.settings.clone().with(CAPACITIES.name, heads);
        WithB1::start(&Setup { settings, ..setup.clone() }, saved, fx)
    }
}

/// The heaviest copy is taken for a majority: whoever is elected needs nobody else.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LargestIsEnough;

impl Bug for LargestIsEnough {
    type Machine = WithB1;

    fn start(&mut self, setup: &Setup, saved: Option<Cells>, fx: &mut Effects<WithB1>) -> WithB1 {
        let place = usize::from(setup.me.get()) - 1;
        let own = (0..usize::from(setup.roster.len())).map(|other| u32::from(other == place)).collect();
        let settings = setup.settings.clone().with(CAPACITIES.name, SettingValue::Numbers(own));
        WithB1::start(&Setup { settings, ..setup.clone() }, saved, fx)
    }
}

/// A master goes on from its own copy, whatever the others hold.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct GoesOnFromItsOwn;

impl Bug for GoesOnFromItsOwn {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, mut given: Given<WithB1>, capacity: i64) -> Done {
        if let Given::Message(_, says!(CopyMessage::Copy(_, held))) = &mut given {
            *held = HeldCopy::default();
        }
        given.to(machine, capacity)
    }
}

/// A process says that it holds a write before it has kept it: in its next life it does not.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HeldNotSaved;

impl Bug for HeldNotSaved {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, given: Given<WithB1>, capacity: i64) -> Done {
        let is_written = matches!(given, Given::Message(_, says!(CopyMessage::Write(_))));
        let step = given.to(machine, capacity);
        if is_written { step.without(|effect| matches!(effect, Effect::Save { .. })) } else { step }
    }
}

/// A process starts without its copy.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CellsNotRead;

impl Bug for CellsNotRead {
    type Machine = WithB1;

    fn start(&mut self, setup: &Setup, saved: Option<Cells>, fx: &mut Effects<WithB1>) -> WithB1 {
        let saved = saved.map(|cells| WorkingCells { application: None, ..cells });
        WithB1::start(setup, saved, fx)
    }
}

/// Whoever is asked for its copy counts as one that holds the write, too.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AnswerIsWritten;

impl Bug for AnswerIsWritten {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, given: Given<WithB1>, capacity: i64) -> Done {
        let wrote = match &given {
            Given::Message(
                from,
                WorkingMessage::Application(task, AnyMessage::Copies(CopyMessage::Copy(version, _))),
            ) => {
                let wrote = AnyMessage::Copies(CopyMessage::Wrote(*version));
                Some(Given::Message(*from, WorkingMessage::Application(*task, wrote)))
            }
            _ => None,
        };
        let step = given.to(machine, capacity);
        match wrote {
            Some(wrote) => step.then(wrote.to(machine, capacity)),
            None => step,
        }
    }
}

/// A process adds one more than it is told to hold.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HoldsOneMore;

impl Bug for HoldsOneMore {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, mut given: Given<WithB1>, capacity: i64) -> Done {
        if let Given::Message(_, says!(CopyMessage::Write(held))) = &mut given {
            held.counter += 1;
        }
        given.to(machine, capacity)
    }
}
