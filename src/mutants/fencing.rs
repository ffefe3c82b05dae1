//! Bugs planted in fencing beside King and Ni's B.1, whose numbers rise, and beside Bully without a fence.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::fencing::{FencingMessage, ResourceCells};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{AnyMessage, AnySaved};
use election::bully::Bully;
use election::king_ni::b1::AlgorithmB1;
use fault::{Bug, Given, Reaction};
use protocol::{
    Algorithm, Effect, Effects, FencingNumber, FencingWork, ResourceWork, Setup, StateVector, Work, WriterWork,
};

type WithB1 = Working<AlgorithmB1>;
type WithBully = Working<Bully>;
type Done = Reaction<WithB1>;

/// Such a message between a coordinator and the resource.
macro_rules! outside {
    ($message:pat) => {
        WorkingMessage::Outside(AnyMessage::Fencing($message))
    };
}

/// The resource starts with its content, and without the highest number that it has seen.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HighestNotRestored;

impl Bug for HighestNotRestored {
    type Machine = WithB1;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<<WithB1 as Algorithm>::Saved>,
        fx: &mut Effects<WithB1>,
    ) -> WithB1 {
        let saved = saved.map(|cells| match cells.application {
            Some(AnySaved::Fencing(of_resource)) => {
                let without = AnySaved::Fencing(ResourceCells { highest: None, ..of_resource });
                WorkingCells { application: Some(without), ..cells }
            }
            _ => cells,
        });
        WithB1::start(setup, saved, fx)
    }
}

/// The resource refuses higher numbers, and takes lower ones.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct RefusesTheHigher;

impl Bug for RefusesTheHigher {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, mut given: Given<WithB1>, capacity: i64) -> Done {
        if let Given::Message(_, outside!(FencingMessage::Write { number, .. })) = &mut given {
            number.count = u64::MAX - number.count;
        }
        given.to(machine, capacity)
    }
}

/// The resource compares the ids of coordinators first, and the numbers of their elections among equal ids.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ComparesIdsFirst;

impl Bug for ComparesIdsFirst {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, mut given: Given<WithB1>, capacity: i64) -> Done {
        if let Given::Message(_, outside!(FencingMessage::Write { number, .. })) = &mut given {
            number.count += u64::from(number.node.get()) * 1_000_000;
        }
        given.to(machine, capacity)
    }
}

/// The resource takes the value of a write before it looks at its number, and then says that it has refused it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct RefusedIsTaken {
    value: Option<u64>,
}

impl Bug for RefusedIsTaken {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, given: Given<WithB1>, capacity: i64) -> Done {
        let written = match &given {
            Given::Message(_, outside!(FencingMessage::Write { value, .. })) => Some(*value),
            _ => None,
        };
        let step = given.to(machine, capacity);
        if written.is_some() {
            let is_refusal =
                |effect: &Effect<WithB1>| matches!(effect, sends!(outside!(FencingMessage::Refused { .. })));
            self.value = written.filter(|_| step.effects.iter().any(is_refusal));
        }
        step
    }

    fn state(&self, machine: &WithB1) -> StateVector {
        let mut state = machine.state();
        if let (Some(Work::Fencing(FencingWork::Resource(work))), Some(value)) = (state.work.as_deref_mut(), self.value)
        {
            work.value = value;
        }
        state
    }
}

/// A process writes in all its terms with the number of its first one.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct FirstNumberForEver {
    first: Option<FencingNumber>,
}

impl Bug for FirstNumberForEver {
    type Machine = WithB1;

    fn done(&mut self, machine: &mut WithB1, mut step: Done, _: i64) -> Done {
        self.first = self.first.or(writer_work(&machine.state()).number);
        for effect in &mut step.effects {
            if let (sends!(outside!(FencingMessage::Write { number, .. })), Some(first)) = (effect, self.first) {
                *number = first;
            }
        }
        step
    }
}

/// A coordinator that is halted goes on with its writes, until it coordinates again.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct WritesWhenHalted {
    /// It as it was before it was halted.
    at_work: Option<WithBully>,
}

impl Bug for WritesWhenHalted {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Reaction<WithBully> {
        let is_its =
            matches!(given, Given::Timer(WorkingTimer::Application(_)) | Given::Message(_, WorkingMessage::Outside(_)));
        if let (true, Some(at_work)) = (is_its, &mut self.at_work) {
            return given.to(at_work, capacity);
        }
        let before = machine.clone();
        let step = given.to(machine, capacity);
        let writes = |machine: &WithBully| writer_work(&machine.state()).term.is_some();
        match (writes(&before), writes(machine)) {
            (true, false) => {
                self.at_work = Some(before);
                step.without(|effect| matches!(effect, Effect::CancelTimer { timer: WorkingTimer::Application(_) }))
            }
            (_, true) => {
                self.at_work = None;
                step
            }
            (false, false) => step,
        }
    }
}

/// What this state shows of writes.
pub(super) fn writer_work(state: &StateVector) -> WriterWork {
    match state.work.as_deref() {
        Some(Work::Fencing(FencingWork::Writer(work))) => work.clone(),
        _ => WriterWork::default(),
    }
}

/// What this state shows of the resource.
pub(super) fn resource_work(state: &StateVector) -> ResourceWork {
    match state.work.as_deref() {
        Some(Work::Fencing(FencingWork::Resource(work))) => work.clone(),
        _ => ResourceWork::default(),
    }
}
