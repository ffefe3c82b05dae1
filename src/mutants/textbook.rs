//! Bugs planted in the textbook's Bully and ring.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::textbook::bully::{self, TextbookBully};
use election::textbook::ring::{Load, Message, Ring, Timer};
use fault::{Bug, Given, Reaction};
use protocol::Effect;

/// Bully: the timer of T' runs on after the coordinator is recorded; T' after an answer the election starts over.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct WaitNotCancelled;

impl Bug for WaitNotCancelled {
    type Machine = TextbookBully;

    fn done(&mut self, _: &mut TextbookBully, step: Reaction<TextbookBully>, _: i64) -> Reaction<TextbookBully> {
        step.without(|effect| matches!(effect, Effect::CancelTimer { timer: bully::Timer::Coordinator }))
    }
}

/// Bully: only the first request is sent, so nobody misses a coordinator that fails later.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AsksOnce;

impl Bug for AsksOnce {
    type Machine = TextbookBully;

    fn give(
        &mut self,
        machine: &mut TextbookBully,
        given: Given<TextbookBully>,
        capacity: i64,
    ) -> Reaction<TextbookBully> {
        given
            .to(machine, capacity)
            .without(|effect| matches!(effect, Effect::SetTimer { timer: bully::Timer::Check, .. }))
    }
}

/// Ring, rule 2a with its two sends in the other order: a number is back before all others have passed.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OwnNumberLast;

impl Bug for OwnNumberLast {
    type Machine = Ring;

    fn give(&mut self, machine: &mut Ring, given: Given<Ring>, capacity: i64) -> Reaction<Ring> {
        let mut step = given.to(machine, capacity);
        let is_elect =
            |effect: &Effect<Ring>| matches!(effect, sends!(Message::HandOver { load: Load::Elect { .. }, .. }));
        let both: Vec<usize> = (0..step.effects.len()).filter(|place| is_elect(&step.effects[*place])).collect();
        if let [own, other] = both[..] {
            step.effects.swap(own, other);
        }
        step
    }
}

/// Ring: no time-out, as on the page; a process waits for ever for a message that died with another process.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct WaitsForEver;

impl Bug for WaitsForEver {
    type Machine = Ring;

    fn done(&mut self, _: &mut Ring, step: Reaction<Ring>, _: i64) -> Reaction<Ring> {
        step.without(|effect| matches!(effect, Effect::SetTimer { timer: Timer::Return, .. }))
    }
}
