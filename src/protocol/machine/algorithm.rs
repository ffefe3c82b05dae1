//! An algorithm of a program: [`AlgorithmEntry`], and its machines behind a pointer.

use std::any::Any;
use std::hash::Hasher;

use super::{
    BoxedMachine, Machine, Payload, ReadBefore, SavedCells, StepEffect, StepEffects, TimerKey, TypedMessage,
    last_message,
};
use crate::codec;
use crate::deceit::ElectionDeceit;
use crate::{Algorithm, Card, Deceit, Effect, Effects, NodeId, NodeSet, Order, Setup, StateVector};

/// What an algorithm gives to a program: its Card, and how its machine is started and its messages are read.
#[derive(Copy, Clone, Debug)]
pub struct AlgorithmEntry {
    /// The Card of the algorithm.
    pub card: Card,
    pub(super) deceit: ElectionDeceit,
    pub(super) start: fn(&Setup, Option<&SavedCells>, &mut StepEffects) -> BoxedMachine,
    pub(super) read_message: ReadBefore<Payload>,
    pub(super) read_cells: ReadBefore<SavedCells>,
    pub(super) timer_name: fn(TimerKey) -> String,
}

impl AlgorithmEntry {
    /// The entry of this algorithm. Its processes tell the lies that need nothing of its messages.
    pub const fn of<A: Algorithm>() -> &'static AlgorithmEntry {
        const { &AlgorithmEntry::with_deceit::<A>(ElectionDeceit::NONE) }
    }

    /// The entry of an algorithm that says what a liar can make of its messages.
    pub const fn that_deceives<A: Algorithm<Message: Deceit>>() -> &'static AlgorithmEntry {
        const { &AlgorithmEntry::with_deceit::<A>(ElectionDeceit::of::<A>()) }
    }

    const fn with_deceit<A: Algorithm>(deceit: ElectionDeceit) -> AlgorithmEntry {
        // Messages are moved often.
        assert!(size_of::<A::Message>() <= 64, "a message has at most 64 bytes: what is longer lies behind an Arc");
        AlgorithmEntry {
            card: A::CARD,
            deceit,
            start: |setup, saved, fx| {
                let saved = saved
                    .map(|saved| saved.get::<A::Saved>().expect("what is not of this kind was refused before").clone());
                let mut effects = Effects::new(fx.capacity);
                let machine = A::start(setup, saved, &mut effects);
                hand_on(&mut effects, fx);
                BoxedMachine(Box::new(Typed { machine, effects }))
            },
            read_message: |body| {
                codec::decode_message_before::<A::Message>(body).map(|(message, rest)| (Payload::of(message), rest))
            },
            read_cells: |bytes| {
                codec::decode_saved_before::<A::Saved>(bytes).map(|(saved, rest)| (SavedCells::of(saved), rest))
            },
            timer_name: |timer| timer.read::<A::Timer>().to_string(),
        }
    }
}

/// An algorithm's machine, and the memory of its last step's effects.
#[derive(Clone, Debug)]
struct Typed<A: Algorithm> {
    machine: A,
    effects: Effects<A>,
}

impl<A: Algorithm> Typed<A> {
    fn step(&mut self, fx: &mut StepEffects, run: impl FnOnce(&mut A, &mut Effects<A>)) {
        self.effects.begin_anew(fx.capacity);
        run(&mut self.machine, &mut self.effects);
        hand_on(&mut self.effects, fx);
    }
}

impl<A: Algorithm> Machine for Typed<A> {
    fn on_message(&mut self, from: NodeId, message: &Payload, fx: &mut StepEffects) {
        let message = message.get::<A::Message>().expect("a message of this kind").clone();
        self.step(fx, |machine, effects| machine.on_message(from, message, effects));
    }

    fn on_timer(&mut self, timer: TimerKey, fx: &mut StepEffects) {
        self.step(fx, |machine, effects| machine.on_timer(timer.read(), effects));
    }

    fn on_order(&mut self, order: Order, fx: &mut StepEffects) {
        self.step(fx, |machine, effects| machine.on_order(order, effects));
    }

    fn waits_for(&self, timer: TimerKey) -> NodeSet {
        self.machine.waits_for(timer.read())
    }

    fn state(&self) -> StateVector {
        self.machine.state()
    }

    fn copied(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn Machine) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Typed<A>>().is_some_and(|other| self.machine == other.machine)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.machine.hash(&mut hasher);
    }
}

/// Moves the effects of a step, in order, to where the driver reads them.
pub(super) fn hand_on<A: Algorithm>(effects: &mut Effects<A>, fx: &mut StepEffects) {
    fx.capacity = effects.capacity();
    fx.lines.extend_from_slice(effects.lines());
    for effect in effects.drain() {
        let effect = match effect {
            Effect::Send { to, message } => StepEffect::Send { to, message: shared(message, &fx.list) },
            Effect::Broadcast { message } => StepEffect::Broadcast { message: shared(message, &fx.list) },
            Effect::SetTimer { timer, shortest, longest } => {
                StepEffect::SetTimer { timer: TimerKey::of(&timer), shortest, longest }
            }
            Effect::CancelTimer { timer } => StepEffect::CancelTimer { timer: TimerKey::of(&timer) },
            Effect::Save { saved } => StepEffect::Save { saved: SavedCells::of(saved) },
            Effect::Help { text } => StepEffect::Help { text },
        };
        fx.list.push(effect);
    }
}

/// The message without its type. Most messages go to several nodes, one after the other, and are kept once.
fn shared<M: TypedMessage>(message: M, before: &[StepEffect]) -> Payload {
    match last_message(before) {
        Some(last) if last.get() == Some(&message) => last.clone(),
        _ => Payload::of(message),
    }
}
