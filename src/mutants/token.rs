//! Bugs planted in path compression beside Bully.
//!
//! One more mistake breaks no promise: who forwards a request and does not point at its requester still points at one that
//! leads to the last of the list. The ways only become long, which a test of whole labs counts.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::token::{TokenMessage, TokenTimer};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{AnyMessage, AnyTimer};
use election::bully::Bully;
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, Effects, NodeId, Setup, Stance, StateVector, TokenWork, Work};

type WithToken = Working<Bully>;
type Done = Reaction<WithToken>;

/// Such a message about the token.
macro_rules! about {
    ($message:pat) => {
        WorkingMessage::Outside(AnyMessage::Token($message))
    };
}

const INSIDE_IS_OVER: WorkingTimer<<Bully as Algorithm>::Timer> =
    WorkingTimer::Application(AnyTimer::Token(TokenTimer::Inside));

/// A process starts as if for the first time: the one that had the token first has one again.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CellsNotRead;

impl Bug for CellsNotRead {
    type Machine = WithToken;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<<WithToken as Algorithm>::Saved>,
        fx: &mut Effects<WithToken>,
    ) -> WithToken {
        WithToken::start(setup, saved.map(|cells| WorkingCells { application: None, ..cells }), fx)
    }
}

/// A process hands the token over and does not keep that: if it dies then, it returns with the token.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HandOverNotSaved;

impl Bug for HandOverNotSaved {
    type Machine = WithToken;

    fn done(&mut self, _: &mut WithToken, step: Done, _: i64) -> Done {
        let hands_over = |effect: &Effect<WithToken>| matches!(effect, sends!(about!(TokenMessage::Token { .. })));
        if !step.effects.iter().any(hands_over) {
            return step;
        }
        step.without(|effect| matches!(effect, Effect::Save { .. }))
    }
}

/// A process that is inside, and the last of the list, hands the token to whoever asks, and stays until its time is over.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HandsOnWhileInside {
    stays: bool,
}

impl Bug for HandsOnWhileInside {
    type Machine = WithToken;

    fn give(&mut self, machine: &mut WithToken, given: Given<WithToken>, capacity: i64) -> Done {
        if given == Given::Timer(INSIDE_IS_OVER) {
            self.stays = false;
        }
        let is_inside = |work: TokenWork| work.section.stance == Stance::Inside;
        let was_alone = is_inside(token_work(&machine.state())) && token_work(&machine.state()).next.is_none();
        let step = given.to(machine, capacity);
        if !was_alone || token_work(&machine.state()).next.is_none() {
            return step;
        }
        self.stays = true;
        step.then(Given::Timer(INSIDE_IS_OVER).to(machine, capacity))
    }

    fn state(&self, machine: &WithToken) -> StateVector {
        with(machine.state(), |work| {
            if self.stays {
                work.section.stance = Stance::Inside;
            }
        })
    }
}

/// A process takes the token whatever its number says: one that comes again is a second one.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct TokenTakenAgain {
    highest: u64,
}

impl Bug for TokenTakenAgain {
    type Machine = WithToken;

    fn give(&mut self, machine: &mut WithToken, mut given: Given<WithToken>, capacity: i64) -> Done {
        if let Given::Message(_, about!(TokenMessage::Token { number })) = &mut given {
            // Since the last one it has handed over one at most, and that has raised the number by one.
            *number = (*number).max(self.highest + 2);
            self.highest = *number;
        }
        given.to(machine, capacity)
    }
}

/// A process that is not the last of the list takes a request for its own next one: who was the next has no place any more.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NextOverwritten {
    next: Option<NodeId>,
}

impl Bug for NextOverwritten {
    type Machine = WithToken;

    fn give(&mut self, machine: &mut WithToken, given: Given<WithToken>, capacity: i64) -> Done {
        let has_next = token_work(&machine.state()).next.is_some();
        let is_request = matches!(given, Given::Message(_, about!(TokenMessage::Request { .. })));
        let mut step = given.to(machine, capacity);
        if has_next && is_request {
            let forwarded = |effect: &Effect<WithToken>| match effect {
                sends!(about!(TokenMessage::Request { of, .. })) => Some(*of),
                _ => None,
            };
            self.next = step.effects.iter().find_map(forwarded).or(self.next);
            return step.without(|effect| forwarded(effect).is_some());
        }
        for effect in &mut step.effects {
            if let Effect::Send { to, message: about!(TokenMessage::Token { .. }) } = effect {
                *to = self.next.take().unwrap_or(*to);
            }
        }
        step
    }

    fn state(&self, machine: &WithToken) -> StateVector {
        with(machine.state(), |work| work.next = self.next.or(work.next))
    }
}

/// The state, with its work changed by this.
fn with(mut state: StateVector, change: impl FnOnce(&mut TokenWork)) -> StateVector {
    if let Some(Work::Token(work)) = state.work.as_deref_mut() {
        change(work);
    }
    state
}

/// What this state shows of the token.
pub(super) fn token_work(state: &StateVector) -> TokenWork {
    state.work.as_deref().and_then(Work::token).unwrap_or_default()
}
