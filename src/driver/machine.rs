//! The driver: one machine, its timers, its sequence numbers; generic over the algorithm.
//!
//! A step in which the armed moment comes is held there: its record says so, and the effects behind the hold wait until
//! it is let go on. Meanwhile the machine is given nothing.
//!
//! Invariant: of each input the record is handed out before any of its effects is carried out, the effects are carried
//! out in their order, and a save is done before a later send leaves. Time is an argument. Whether anybody reads the
//! records changes nothing of what is done.

#[cfg(test)]
mod tests;

use super::hold::Held;
use super::names::TimerNames;
use super::{Stamp, Surroundings, codec, message_id};
use crate::election::criterion;
use crate::fault::Passage;
use crate::protocol::{Algorithm, Effect, Effects, NodeId, Order, Setup, Span, StateVector};
use crate::record::{Body, EffectText, Hold, Input, MessageId, MessageText, Step};

/// A machine and what belongs to it.
#[derive(Clone, Debug)]
pub struct Driver<A: Algorithm> {
    setup: Setup,
    /// The criterion's value, which hangs on the setup alone.
    capacity: i64,
    seed: u64,
    machine: A,
    /// Those that run; a machine has a handful, and each stands here once.
    timers: Vec<Running<A::Timer>>,
    /// The last number used for each receiver, by the receiver's number; for the multicast at 0.
    sequences: Vec<u64>,
    steps: u64,
    draws: u64,
    /// The state that was recorded last; absent while nobody reads the records.
    told: Option<StateVector>,
    names: TimerNames<A::Timer>,
    held: Option<Held<Deed<A>>>,
    /// The room of the last step's effects, for those of the next.
    effects: Effects<A>,
    /// The same of the deeds that were made of them.
    deeds: Vec<Deed<A>>,
}

/// A timer that runs, in nanoseconds of lab time.
#[derive(Copy, Clone, Debug)]
struct Running<T> {
    due: u64,
    timer: T,
    set: u64,
}

/// One effect as it will be carried out, every choice made.
#[derive(Clone, Debug)]
enum Deed<A: Algorithm> {
    Send { id: MessageId, message: A::Message },
    SetTimer { timer: A::Timer, span: Span },
    CancelTimer { timer: A::Timer },
    Save { saved: A::Saved },
    Help { text: String },
}

impl<A: Algorithm> Driver<A> {
    /// Starts the machine. `seed` is that of the draws.
    ///
    /// # Errors
    /// The safe cells could not be written: the node is to halt, nothing that followed the save was carried out. So
    /// from every method here.
    pub fn start<S: Surroundings<A>>(
        setup: Setup,
        seed: u64,
        saved: Option<A::Saved>,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<Driver<A>, S::Error> {
        let capacity = criterion::capacity(&setup);
        let mut effects = Effects::new(capacity);
        let input = is_told(surroundings).then_some(Input::Start { saved: saved.is_some() });
        let machine = A::start(&setup, saved, &mut effects);
        let mut driver = Driver {
            sequences: vec![0; usize::from(setup.roster.len()) + 1],
            setup,
            capacity,
            seed,
            machine,
            timers: Vec::new(),
            steps: 0,
            draws: 0,
            told: None,
            names: TimerNames::new(),
            held: None,
            effects: Effects::new(capacity),
            deeds: Vec::new(),
        };
        match input {
            Some(input) => driver.finish_told(input, None, &mut effects, now, surroundings)?,
            None => driver.finish_untold(&mut effects, now, surroundings)?,
        }
        driver.effects = effects;
        Ok(driver)
    }

    /// A message has come through the link.
    pub fn on_message<S: Surroundings<A>>(
        &mut self,
        passage: &Passage,
        message: A::Message,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let input = is_told(surroundings)
            .then(|| Input::Message { id: message_id(passage), message: codec::message_text(&message) });
        self.take_step(input, now, surroundings, |machine, fx| machine.on_message(passage.from, message, fx))
    }

    /// The operator ordered something.
    pub fn on_order<S: Surroundings<A>>(
        &mut self,
        order: Order,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let input = is_told(surroundings).then_some(Input::Order { order });
        self.take_step(input, now, surroundings, |machine, fx| machine.on_order(order, fx))
    }

    /// Takes the first timer that was due by this moment of lab time; says whether there was one.
    pub fn on_due_timer<S: Surroundings<A>>(
        &mut self,
        by: u64,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<bool, S::Error> {
        let due = self.timers.iter().enumerate().filter(|(_, running)| running.due <= by);
        let Some((place, _)) = due.min_by_key(|(_, running)| (running.due, running.timer)) else { return Ok(false) };
        let Running { due, timer, set } = self.timers.swap_remove(place);
        let input = is_told(surroundings).then(|| {
            let waited_for = self.machine.waits_for(timer);
            Input::Timer { timer: self.names.of(timer), set, due, waited_for }
        });
        self.take_step(input, now, surroundings, |machine, fx| machine.on_timer(timer, fx))?;
        Ok(true)
    }

    /// Whether its last step is held: then it is to be given nothing until it has gone on.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Carries out what this step of the lab holds back, if it holds anything. Timers that are set only now run from now.
    pub fn go_on<S: Surroundings<A>>(&mut self, by: &str, now: Stamp, surroundings: &mut S) -> Result<(), S::Error> {
        match self.held.take_if(|held| held.by == by) {
            Some(held) => held.rest.into_iter().try_for_each(|deed| self.carry_out(deed, now, surroundings)),
            None => Ok(()),
        }
    }

    /// When the next timer is due, in lab time.
    pub fn next_due(&self) -> Option<u64> {
        self.timers.iter().map(|running| running.due).min()
    }

    /// What panels and judge see of it.
    pub fn state(&self) -> StateVector {
        self.machine.state()
    }

    /// What the machine was told at its start.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Gives the machine one input; it is in words if the step is to be told.
    fn take_step<S: Surroundings<A>>(
        &mut self,
        input: Option<Input>,
        now: Stamp,
        surroundings: &mut S,
        run: impl FnOnce(&mut A, &mut Effects<A>),
    ) -> Result<(), S::Error> {
        assert!(!self.is_held(), "a machine that is held was given something");
        let mut effects = std::mem::replace(&mut self.effects, Effects::new(self.capacity));
        effects.begin_anew(self.capacity);
        match input {
            Some(input) => {
                let before = self.told.take().unwrap_or_else(|| self.machine.state());
                run(&mut self.machine, &mut effects);
                self.finish_told(input, Some(before), &mut effects, now, surroundings)?;
            }
            None => {
                run(&mut self.machine, &mut effects);
                self.finish_untold(&mut effects, now, surroundings)?;
            }
        }
        self.effects = effects;
        Ok(())
    }

    /// Carries the effects out; nobody reads of it, and nothing is waited for.
    fn finish_untold<S: Surroundings<A>>(
        &mut self,
        effects: &mut Effects<A>,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        self.steps += 1;
        self.told = None;
        for effect in effects.list() {
            match effect {
                Effect::Send { to, message } => {
                    let id = self.next_id(Some(*to));
                    Self::send(&id, message, now, surroundings);
                }
                Effect::Broadcast { message } => {
                    let id = self.next_id(None);
                    Self::send(&id, message, now, surroundings);
                }
                Effect::SetTimer { timer, shortest, longest } => {
                    let span = self.draw(*shortest, *longest);
                    self.set_timer(*timer, span, now);
                }
                Effect::CancelTimer { timer } => self.cancel_timer(*timer),
                Effect::Save { saved } => surroundings.save(saved)?,
                Effect::Help { .. } => {}
            }
        }
        Ok(())
    }

    /// Makes every choice, hands the record out, then carries the effects out, up to the hold if there is one. `before`
    /// is the state before this step; there is none before a start.
    fn finish_told<S: Surroundings<A>>(
        &mut self,
        input: Input,
        before: Option<StateVector>,
        effects: &mut Effects<A>,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let (capacity, lines) = (effects.capacity(), effects.lines().to_vec());
        let mut deeds = std::mem::take(&mut self.deeds);
        deeds.extend(effects.drain().map(|effect| self.decide(effect)));
        let effects = self.in_words(&deeds);
        self.steps += 1;
        let state = self.machine.state();
        let changed = (before.as_ref() != Some(&state)).then(|| state.clone());
        self.told = Some(state);
        let incarnation = self.setup.incarnation;
        let mut step =
            Step { incarnation, step: self.steps, input, capacity, lines, effects, held: None, state: changed };
        let word = before.as_ref().map(|before| &*before.word);
        let hold = surroundings.armed().take_hold(self.setup.me, &step, word);
        step.held.clone_from(&hold);
        // A hold that nobody hears of would have no end. Who reads no records is told of it by the hold itself.
        let is_heard = !surroundings.keeps_records() || surroundings.record(now, Body::Step(step));
        let hold = hold.filter(|_| is_heard);
        let rest = hold.as_ref().map(|hold| deeds.split_off(hold.after));
        deeds.drain(..).try_for_each(|deed| self.carry_out(deed, now, surroundings))?;
        self.deeds = deeds;
        if let Some((Hold { by, .. }, rest)) = hold.zip(rest) {
            surroundings.become_held(&by);
            self.held = Some(Held { by, rest });
        }
        Ok(())
    }

    fn in_words(&mut self, deeds: &[Deed<A>]) -> Vec<EffectText> {
        // Most messages go to several nodes, and say to each the same.
        let mut said: Option<(&A::Message, MessageText)> = None;
        let mut effects = Vec::with_capacity(deeds.len());
        for deed in deeds {
            effects.push(match deed {
                Deed::Send { id, message } => {
                    let same = said.take().filter(|(other, _)| *other == message);
                    let text = same.map_or_else(|| codec::message_text(message), |(_, text)| text);
                    said = Some((message, text.clone()));
                    EffectText::Send { id: *id, message: text }
                }
                Deed::SetTimer { timer, span } => EffectText::SetTimer { timer: self.names.of(*timer), span: *span },
                Deed::CancelTimer { timer } => EffectText::CancelTimer { timer: self.names.of(*timer) },
                Deed::Save { saved } => EffectText::Save { body: codec::saved_text(saved) },
                Deed::Help { text } => EffectText::Help { text: text.clone() },
            });
        }
        effects
    }

    fn decide(&mut self, effect: Effect<A>) -> Deed<A> {
        match effect {
            Effect::Send { to, message } => Deed::Send { id: self.next_id(Some(to)), message },
            Effect::Broadcast { message } => Deed::Send { id: self.next_id(None), message },
            Effect::SetTimer { timer, shortest, longest } => {
                Deed::SetTimer { timer, span: self.draw(shortest, longest) }
            }
            Effect::CancelTimer { timer } => Deed::CancelTimer { timer },
            Effect::Save { saved } => Deed::Save { saved },
            Effect::Help { text } => Deed::Help { text },
        }
    }

    fn next_id(&mut self, to: Option<NodeId>) -> MessageId {
        let place = to.map_or(0, |to| usize::from(to.get()));
        // A garbled message may have made the machine believe in nodes that the lab has not.
        if place >= self.sequences.len() {
            self.sequences.resize(place + 1, 0);
        }
        self.sequences[place] += 1;
        MessageId { from: self.setup.me, incarnation: self.setup.incarnation, to, sequence: self.sequences[place] }
    }

    /// A span from the range, by the node, its incarnation and the draw's number; equal ends are no draw.
    #[inline]
    fn draw(&mut self, shortest: Span, longest: Span) -> Span {
        let spread = longest.saturating_sub(shortest);
        if spread == Span::ZERO { shortest } else { shortest + self.share_of(spread) }
    }

    fn share_of(&mut self, spread: Span) -> Span {
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
        spread.scaled((u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn carry_out<S: Surroundings<A>>(
        &mut self,
        deed: Deed<A>,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        match deed {
            Deed::Send { id, message } => Self::send(&id, &message, now, surroundings),
            Deed::SetTimer { timer, span } => self.set_timer(timer, span, now),
            Deed::CancelTimer { timer } => self.cancel_timer(timer),
            Deed::Save { saved } => surroundings.save(&saved)?,
            Deed::Help { .. } => {}
        }
        Ok(())
    }

    fn send<S: Surroundings<A>>(id: &MessageId, message: &A::Message, now: Stamp, surroundings: &mut S) {
        // A datagram that does not leave is one lost: the papers' assumption 8, not this node's end.
        if let Err(error) = surroundings.send(id, message)
            && surroundings.keeps_records()
        {
            surroundings.record(now, Body::SendFailed { id: *id, error: error.to_string() });
        }
    }

    fn set_timer(&mut self, timer: A::Timer, span: Span, now: Stamp) {
        let running = Running { due: now.lab.saturating_add(span.nanos()), timer, set: now.lab };
        match self.timers.iter_mut().find(|running| running.timer == timer) {
            Some(before) => *before = running,
            None => self.timers.push(running),
        }
    }

    fn cancel_timer(&mut self, timer: A::Timer) {
        if let Some(place) = self.timers.iter().position(|running| running.timer == timer) {
            self.timers.swap_remove(place);
        }
    }
}

/// Whether a step is to be put into words: somebody reads it, or a moment is waited for, which is found in them.
fn is_told<A: Algorithm>(surroundings: &mut impl Surroundings<A>) -> bool {
    surroundings.keeps_records() || surroundings.armed().is_armed()
}
