//! The driver: one machine, its timers, its sequence numbers; generic over the algorithm.
//!
//! A step in which the armed moment comes is held there: its record says so, and the effects behind the hold wait until the
//! host lets the node go on. Meanwhile the machine is given nothing.
//!
//! Invariant: of each input the record is handed out before any of its effects is carried out, the effects are carried
//! out in their order, and a save is on disk before a later send leaves. Time is an argument.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;

use super::clock::Stamp;
use super::hold::{Armed, Held};
use super::store::StoreError;
use super::wire;
use crate::election::criterion;
use crate::fault::Passage;
use crate::protocol::{Algorithm, Effect, Effects, NodeId, NodeSet, Order, Setup, Span, StateVector};
use crate::record::{Body, EffectText, Hold, Input, MessageId, Step};

/// What a driver needs around it: the process gives it a host, sockets and a store, a test a notebook.
pub trait Surroundings {
    /// Takes a record, without waiting; says whether the host will have it.
    fn record(&mut self, stamp: Stamp, body: Body) -> bool;
    /// Sends a message body; a multicast if its id has no receiver.
    fn send(&mut self, id: &MessageId, body: &[u8]) -> io::Result<()>;
    /// Has the safe cells on disk when it returns.
    fn save(&mut self, saved: &[u8]) -> Result<(), StoreError>;
    /// The moment that the host waits for.
    fn armed(&mut self) -> &mut Armed;
    /// Everything before the hold has been carried out.
    fn become_held(&mut self, by: &str);
}

/// A machine and what belongs to it.
#[derive(Debug)]
pub struct Driver<A: Algorithm> {
    setup: Setup,
    seed: u64,
    machine: A,
    timers: BTreeMap<A::Timer, Running>,
    /// The last number used for each receiver; for the multicast under `None`.
    sequences: BTreeMap<Option<NodeId>, u64>,
    steps: u64,
    draws: u64,
    /// The state that was recorded last.
    told: StateVector,
    held: Option<Held<Deed<A>>>,
}

/// A timer that runs, in nanoseconds of lab time.
#[derive(Copy, Clone, Debug)]
struct Running {
    set: u64,
    due: u64,
}

/// One effect as it will be carried out, every choice made.
#[derive(Debug)]
enum Deed<A: Algorithm> {
    Send { id: MessageId, body: Vec<u8> },
    SetTimer { timer: A::Timer, span: Span },
    CancelTimer { timer: A::Timer },
    Save { saved: Vec<u8> },
    Nothing,
}

impl<A: Algorithm> Driver<A> {
    /// Starts the machine. `seed` is that of the draws.
    ///
    /// # Errors
    /// The safe cells could not be written: the node is to halt, nothing that followed the save was carried out. So
    /// from every method here.
    pub fn start(
        setup: Setup,
        seed: u64,
        saved: Option<A::Saved>,
        now: Stamp,
        surroundings: &mut impl Surroundings,
    ) -> Result<Driver<A>, StoreError> {
        let mut effects = Effects::new(criterion::capacity(&setup));
        let input = Input::Start { saved: saved.is_some() };
        let machine = A::start(&setup, saved, &mut effects);
        let told = machine.state();
        let mut driver = Driver {
            setup,
            seed,
            machine,
            timers: BTreeMap::new(),
            sequences: BTreeMap::new(),
            steps: 0,
            draws: 0,
            told: told.clone(),
            held: None,
        };
        driver.finish(input, effects, (None, Some(told)), now, surroundings)?;
        Ok(driver)
    }

    /// A message has come through the link.
    pub fn on_message(
        &mut self,
        passage: &Passage,
        message: A::Message,
        now: Stamp,
        surroundings: &mut impl Surroundings,
    ) -> Result<(), StoreError> {
        let body = encoded(&message);
        let input = Input::Message { id: message_id(passage), message: wire::message_text(&message, &body) };
        self.take_step(input, now, surroundings, |machine, fx| machine.on_message(passage.from, message, fx))
    }

    /// The operator ordered something.
    pub fn on_order(
        &mut self,
        order: Order,
        now: Stamp,
        surroundings: &mut impl Surroundings,
    ) -> Result<(), StoreError> {
        self.take_step(Input::Order { order }, now, surroundings, |machine, fx| machine.on_order(order, fx))
    }

    /// Takes the first timer that was due by this moment of lab time; says whether there was one.
    pub fn on_due_timer(
        &mut self,
        by: u64,
        now: Stamp,
        surroundings: &mut impl Surroundings,
    ) -> Result<bool, StoreError> {
        let first = self.timers.iter().min_by_key(|(timer, running)| (running.due, **timer));
        let Some((timer, Running { set, due })) = first.map(|(timer, running)| (*timer, *running)) else {
            return Ok(false);
        };
        if due > by {
            return Ok(false);
        }
        self.timers.remove(&timer);
        let waited_for: NodeSet = self.machine.waits_for(timer);
        let input = Input::Timer { timer: format!("{timer:?}"), set, due, waited_for };
        self.take_step(input, now, surroundings, |machine, fx| machine.on_timer(timer, fx))?;
        Ok(true)
    }

    /// Whether its last step is held: then it is to be given nothing until it has gone on.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Carries out what this step of the lab holds back, if it holds anything. Timers that are set only now run from now.
    pub fn go_on(&mut self, by: &str, now: Stamp, surroundings: &mut impl Surroundings) -> Result<(), StoreError> {
        match self.held.take_if(|held| held.by == by) {
            Some(held) => held.rest.into_iter().try_for_each(|deed| self.carry_out(deed, now, surroundings)),
            None => Ok(()),
        }
    }

    /// When the next timer is due, in lab time.
    pub fn next_due(&self) -> Option<u64> {
        self.timers.values().map(|running| running.due).min()
    }

    fn take_step(
        &mut self,
        input: Input,
        now: Stamp,
        surroundings: &mut impl Surroundings,
        run: impl FnOnce(&mut A, &mut Effects<A>),
    ) -> Result<(), StoreError> {
        assert!(!self.is_held(), "a machine that is held was given something");
        let mut effects = Effects::new(criterion::capacity(&self.setup));
        run(&mut self.machine, &mut effects);
        let state = self.machine.state();
        let before = self.told.word.clone();
        let changed = (state != self.told).then(|| {
            self.told = state.clone();
            state
        });
        self.finish(input, effects, (Some(&before), changed), now, surroundings)
    }

    /// Makes every choice, hands the record out, then carries the effects out, up to the hold if there is one. `before` is
    /// the word for the state before this step.
    fn finish(
        &mut self,
        input: Input,
        effects: Effects<A>,
        (before, state): (Option<&str>, Option<StateVector>),
        now: Stamp,
        surroundings: &mut impl Surroundings,
    ) -> Result<(), StoreError> {
        let capacity = effects.capacity();
        let (effects, lines) = effects.into_parts();
        let (mut deeds, effects): (Vec<Deed<A>>, Vec<EffectText>) =
            effects.into_iter().map(|effect| self.decide(effect)).unzip();
        self.steps += 1;
        let incarnation = self.setup.incarnation;
        let mut step = Step { incarnation, step: self.steps, input, capacity, lines, effects, held: None, state };
        let hold = surroundings.armed().take_hold(self.setup.me, &step, before);
        step.held.clone_from(&hold);
        let is_told = surroundings.record(now, Body::Step(step));
        // A hold that the host does not hear of would have no end.
        let hold = hold.filter(|_| is_told);
        let rest = hold.as_ref().map(|hold| deeds.split_off(hold.after));
        deeds.into_iter().try_for_each(|deed| self.carry_out(deed, now, surroundings))?;
        if let Some((Hold { by, .. }, rest)) = hold.zip(rest) {
            surroundings.become_held(&by);
            self.held = Some(Held { by, rest });
        }
        Ok(())
    }

    fn decide(&mut self, effect: Effect<A>) -> (Deed<A>, EffectText) {
        match effect {
            Effect::Send { to, message } => self.decide_send(Some(to), &message),
            Effect::Broadcast { message } => self.decide_send(None, &message),
            Effect::SetTimer { timer, shortest, longest } => {
                let span = self.draw(shortest, longest);
                (Deed::SetTimer { timer, span }, EffectText::SetTimer { timer: format!("{timer:?}"), span })
            }
            Effect::CancelTimer { timer } => {
                (Deed::CancelTimer { timer }, EffectText::CancelTimer { timer: format!("{timer:?}") })
            }
            Effect::Save { saved } => {
                let saved = wire::encode_saved(&saved).expect("what a machine saves is plain data of bounded size");
                let text = EffectText::Save { body: wire::hex(&saved) };
                (Deed::Save { saved }, text)
            }
            Effect::Help { text } => (Deed::Nothing, EffectText::Help { text }),
        }
    }

    fn decide_send(&mut self, to: Option<NodeId>, message: &A::Message) -> (Deed<A>, EffectText) {
        let sequence = self.sequences.entry(to).or_default();
        *sequence += 1;
        let (from, incarnation) = (self.setup.me, self.setup.incarnation);
        let id = MessageId { from, incarnation, to, sequence: *sequence };
        let body = encoded(message);
        let text = EffectText::Send { id, message: wire::message_text(message, &body) };
        (Deed::Send { id, body }, text)
    }

    /// A span from the range, by the node, its incarnation and the draw's number; equal ends are no draw.
    fn draw(&mut self, shortest: Span, longest: Span) -> Span {
        let spread = longest.saturating_sub(shortest);
        if spread == Span::ZERO {
            return shortest;
        }
        self.draws += 1;
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"timer");
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(&self.setup.me.get().to_le_bytes());
        hasher.update(&self.setup.incarnation.0.to_le_bytes());
        hasher.update(&self.draws.to_le_bytes());
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        // 53 bits are what a float holds exactly.
        shortest + spread.scaled((u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn carry_out(&mut self, deed: Deed<A>, now: Stamp, surroundings: &mut impl Surroundings) -> Result<(), StoreError> {
        match deed {
            Deed::Send { id, body } => {
                // A datagram that does not leave is one lost: the papers' assumption 8, not this node's end.
                if let Err(error) = surroundings.send(&id, &body) {
                    surroundings.record(now, Body::SendFailed { id, error: error.to_string() });
                }
            }
            Deed::SetTimer { timer, span } => {
                self.timers.insert(timer, Running { set: now.lab, due: now.lab.saturating_add(span.nanos()) });
            }
            Deed::CancelTimer { timer } => {
                self.timers.remove(&timer);
            }
            Deed::Save { saved } => surroundings.save(&saved)?,
            Deed::Nothing => {}
        }
        Ok(())
    }
}

/// The identity of a datagram at its receiver.
pub fn message_id(passage: &Passage) -> MessageId {
    let to = (!passage.multicast).then_some(passage.to);
    MessageId { from: passage.from, incarnation: passage.incarnation, to, sequence: passage.sequence }
}

fn encoded<M: serde::Serialize>(message: &M) -> Vec<u8> {
    wire::encode_message(message).expect("what a Card's most nodes allow fits a datagram")
}
