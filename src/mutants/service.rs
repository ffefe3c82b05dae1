//! Bugs planted in services beside King and Ni's B.1 (King, Gendreau and Ni 1988, section 7, items 1, 2 and 4).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::service::{ServiceMessage, ServiceTimer};
use application::working::{Working, WorkingMessage, WorkingTimer};
use application::{AnyMessage, AnyTimer};
use election::king_ni::b1::{self, AlgorithmB1};
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, Effects, NodeId, PART_LINE, ServiceLog, ServiceWork, Setup, StateVector, Work};

type WithService = Working<AlgorithmB1>;
type Done = Reaction<WithService>;

const RECOVER: WorkingTimer<b1::Timer> = WorkingTimer::Application(AnyTimer::Service(ServiceTimer::Recover));

/// Such a message about a service.
macro_rules! about {
    ($message:pat) => {
        WorkingMessage::Application(_, AnyMessage::Service($message))
    };
}

/// A server counts one prime too many in each part.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CountsOnePrimeMore;

impl Bug for CountsOnePrimeMore {
    type Machine = WithService;

    fn state(&self, machine: &WithService) -> StateVector {
        with(machine.state(), |work| {
            if let Some(part) = &mut work.part {
                part.primes += 1;
            }
        })
    }
}

/// A server that hears a newer account does not look who serves: it goes on, and both do the same parts.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ServerNotRead {
    me: Option<NodeId>,
}

impl Bug for ServerNotRead {
    type Machine = WithService;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<<WithService as Algorithm>::Saved>,
        fx: &mut Effects<WithService>,
    ) -> WithService {
        self.me = Some(setup.me);
        WithService::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut WithService, mut given: Given<WithService>, capacity: i64) -> Done {
        if let Given::Message(_, about!(ServiceMessage::Log(log))) = &mut given
            && service_work(&machine.state()).serves.contains(log.id.node)
        {
            log.server = self.me;
        }
        given.to(machine, capacity)
    }
}

/// A server tells for a part what all parts up to it hold: from its second part on that is too much.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SumToldForThePart {
    sum: Option<u32>,
}

impl Bug for SumToldForThePart {
    type Machine = WithService;

    fn done(&mut self, _: &mut WithService, step: Done, _: i64) -> Done {
        let kept = |effect: &Effect<WithService>| match effect {
            sends!(about!(ServiceMessage::Log(log))) => Some(log.primes),
            _ => None,
        };
        if step.lines.contains(&PART_LINE) {
            self.sum = step.effects.iter().find_map(kept);
        }
        step
    }

    fn state(&self, machine: &WithService) -> StateVector {
        with(machine.state(), |work| {
            if let (Some(part), Some(sum)) = (&mut work.part, self.sum) {
                part.primes = sum;
            }
        })
    }
}

/// A process takes for the account of the service for its user what it was told last, and not the newest.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LastAccountTaken {
    told: Option<ServiceLog>,
}

impl Bug for LastAccountTaken {
    type Machine = WithService;

    fn give(&mut self, machine: &mut WithService, given: Given<WithService>, capacity: i64) -> Done {
        let told = match &given {
            Given::Message(_, about!(ServiceMessage::Log(log))) => Some(*log),
            _ => None,
        };
        let before = service_work(&machine.state()).asked;
        let step = given.to(machine, capacity);
        let asked = service_work(&machine.state()).asked;
        self.told = match (asked, told) {
            (Some(asked), Some(told)) if asked.id == told.id => Some(told),
            _ if asked == before => self.told,
            _ => None,
        };
        step
    }

    fn state(&self, machine: &WithService) -> StateVector {
        with(machine.state(), |work| work.asked = work.asked.map(|asked| self.told.unwrap_or(asked)))
    }
}

/// A new master asks for the accounts, and sets no timer for the answers: it never serves anything.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AnswersNotAwaited;

impl Bug for AnswersNotAwaited {
    type Machine = WithService;

    fn give(&mut self, machine: &mut WithService, given: Given<WithService>, capacity: i64) -> Done {
        given.to(machine, capacity).without(|effect| matches!(effect, Effect::SetTimer { timer: RECOVER, .. }))
    }
}

/// The state, with its work changed by this.
fn with(mut state: StateVector, change: impl FnOnce(&mut ServiceWork)) -> StateVector {
    if let Some(Work::Service(work)) = state.work.as_deref_mut() {
        change(work);
    }
    state
}

/// What this state shows of services.
pub(super) fn service_work(state: &StateVector) -> ServiceWork {
    match state.work.as_deref() {
        Some(Work::Service(work)) => work.clone(),
        _ => ServiceWork::default(),
    }
}
