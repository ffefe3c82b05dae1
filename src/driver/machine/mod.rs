//! The driver: one machine, its timers, its sequence numbers.
//!
//! If the armed moment comes in a step, the step is held there: its record says so, and its effects wait. Those up to
//! the hold are carried out when the driver is told to ([`Driver::reach_hold`]), those behind it when the step may go
//! on. Meanwhile the machine gets no input.
//!
//! Invariant: of each input the record is handed out before any of its effects is carried out, the effects are carried
//! out in their order, and a save is done before a later send leaves. Time is an argument. The machine behaves the same
//! whether or not records are kept.

#[cfg(test)]
mod tests;

use super::choices::Choices;
use super::hold::HeldEffects;
use super::names::TimerNames;
use super::timers::{Running, Timers};
use super::{Environment, Stamp, message_id};
use fault::{ClockRate, OwnClock, Passage};
use liar::ProcessMachine;
use protocol::capacity::CriterionFunction;
use protocol::{
    Delivery, Lying, MachineKind, Order, Payload, SavedCells, Setup, Span, StateVector, StepEffect, StepEffects,
    TimerKey, codec,
};
use record::{Body, EffectText, Input, MessageId, Step, StepHold};

/// A machine and what belongs to it.
#[derive(Clone, Debug)]
pub struct Driver {
    setup: Setup,
    kind: MachineKind,
    criterion: CriterionFunction,
    machine: ProcessMachine,
    timers: Timers<TimerKey>,
    /// The clock of the timers.
    clock: OwnClock,
    choices: Choices,
    steps: u64,
    /// What the criterion gave at this input.
    given: i64,
    /// The state that was recorded last; absent while nobody reads the records.
    told: Option<StateVector>,
    names: TimerNames,
    held: Option<HeldEffects<FixedEffect>>,
    /// Buffer for effects, reused from step to step.
    effects: StepEffects,
    /// Buffer for the fixed effects, reused from step to step.
    deeds: Vec<FixedEffect>,
}

/// One effect as it will be carried out, every choice made.
#[derive(Clone, Debug)]
enum FixedEffect {
    Send { id: MessageId, message: Payload },
    SetTimer { timer: TimerKey, span: Span },
    CancelTimer { timer: TimerKey },
    Save { saved: SavedCells },
    Help { text: String },
}

impl Driver {
    /// Starts the machine. `seed` is that of the draws, `rate` that of its clock if it is not the lab's.
    ///
    /// # Errors
    /// The safe cells could not be written: the node must halt, and nothing that followed the save was carried out. The
    /// same holds for every method here.
    pub fn start<S: Environment>(
        kind: MachineKind,
        setup: Setup,
        seed: u64,
        saved: Option<SavedCells>,
        rate: Option<ClockRate>,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<Driver, S::Error> {
        let mut clock = OwnClock::default();
        if rate.is_some() {
            clock.set_rate(rate, now.lab());
        }
        let criterion = CriterionFunction::new(&setup, seed);
        let given = criterion.capacity(1, now.lab(), || surroundings.idleness());
        let mut effects = StepEffects::new(given);
        let input = is_told(surroundings).then_some(Input::Start { saved: saved.is_some() });
        let machine = ProcessMachine::Honest(kind.start(&setup, saved.as_ref(), &mut effects));
        let mut driver = Driver {
            choices: Choices::new(&setup, seed),
            setup,
            kind,
            criterion,
            machine,
            timers: Timers::new(),
            clock,
            steps: 0,
            given,
            told: None,
            names: TimerNames::default(),
            held: None,
            effects,
            deeds: Vec::new(),
        };
        match input {
            Some(input) => driver.finish_told(input, None, now, surroundings)?,
            None => driver.finish_untold(now, surroundings)?,
        }
        Ok(driver)
    }

    /// A message has come through the link.
    pub fn on_message<S: Environment>(
        &mut self,
        passage: &Passage,
        message: &Payload,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let input = is_told(surroundings).then(|| Input::Message { id: message_id(passage), message: message.text() });
        // A message that must come through the ordered broadcast is ignored if it came by unicast.
        let counts =
            passage.multicast || self.kind.card().delivery != Delivery::OrderedBroadcast || !message.is_for_all();
        self.take_step(input, now, surroundings, |machine, fx| {
            if counts {
                machine.on_message(passage.from, message, fx);
            }
        })
    }

    /// The operator ordered something.
    pub fn on_order<S: Environment>(&mut self, order: Order, now: Stamp, surroundings: &mut S) -> Result<(), S::Error> {
        let order = self.with_dice(order);
        let input = is_told(surroundings).then_some(Input::Order { order });
        let Order::Lie(lying) = order else {
            return self.take_step(input, now, surroundings, |machine, fx| machine.on_order(order, fx));
        };
        let (kind, setup) = (self.kind, self.setup.clone());
        self.take_step(input, now, surroundings, |machine, fx| machine.take_lying(lying, kind, &setup, fx))
    }

    /// Takes the first timer that was due by this moment of lab time; returns whether there was one.
    pub fn on_due_timer<S: Environment>(
        &mut self,
        by: u64,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<bool, S::Error> {
        let Some(Running { due, timer, set }) = self.timers.take_due(self.clock.own_at(by)) else { return Ok(false) };
        let due = self.clock.lab_at(due);
        let input = is_told(surroundings).then(|| {
            let waited_for = self.machine.waits_for(timer);
            Input::Timer { timer: self.names.of(timer, self.kind), set, due, waited_for }
        });
        self.take_step(input, now, surroundings, |machine, fx| machine.on_timer(timer, fx))?;
        Ok(true)
    }

    /// Whether its last step is held: then it must get no input until it has gone on.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Carries out the effects before the hold, if the hold belongs to this lab step. Timers among them run from when
    /// the machine took its step.
    pub fn reach_hold<S: Environment>(&mut self, by: &str, surroundings: &mut S) -> Result<(), S::Error> {
        let Some(held) = self.held.as_mut().filter(|held| held.by == by) else { return Ok(()) };
        let (taken, before) = (held.taken, std::mem::take(&mut held.before));
        before.into_iter().try_for_each(|deed| self.carry_out(deed, taken, surroundings))?;
        surroundings.become_held(by);
        Ok(())
    }

    /// Carries out what this step of the lab holds back, if it holds anything. Timers among them start at `now`.
    pub fn go_on<S: Environment>(&mut self, by: &str, now: Stamp, surroundings: &mut S) -> Result<(), S::Error> {
        let Some(HeldEffects { taken, before, behind, .. }) = self.held.take_if(|held| held.by == by) else {
            return Ok(());
        };
        before.into_iter().try_for_each(|deed| self.carry_out(deed, taken, surroundings))?;
        behind.into_iter().try_for_each(|deed| self.carry_out(deed, now, surroundings))
    }

    /// From this moment on the machine's clock runs at this rate, or as the lab's. Running timers keep their remaining
    /// time by that clock.
    pub fn set_rate(&mut self, rate: Option<ClockRate>, now: Stamp) {
        self.clock.set_rate(rate, now.lab());
    }

    /// When the next timer is due, in lab time.
    pub fn next_due(&self) -> Option<u64> {
        self.timers.next_due().map(|own| self.clock.lab_at(own))
    }

    /// What panels and the judge see of it.
    pub fn state(&self) -> StateVector {
        self.machine.state()
    }

    /// What the machine was told at its start.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Adds a random seed to an order to lie; any other order is unchanged.
    fn with_dice(&self, order: Order) -> Order {
        match order {
            Order::Lie(lying) => Order::Lie(Lying { dice: self.choices.of_lies(), ..lying }),
            order => order,
        }
    }

    /// `input` is present if the step is to be recorded.
    fn take_step<S: Environment>(
        &mut self,
        input: Option<Input>,
        now: Stamp,
        surroundings: &mut S,
        run: impl FnOnce(&mut ProcessMachine, &mut StepEffects),
    ) -> Result<(), S::Error> {
        assert!(!self.is_held(), "a machine that is held was given something");
        self.given = self.criterion.capacity(self.steps + 1, now.lab(), || surroundings.idleness());
        self.effects.begin_anew(self.given);
        match input {
            Some(input) => {
                let before = self.told.take().unwrap_or_else(|| self.machine.state());
                run(&mut self.machine, &mut self.effects);
                self.finish_told(input, Some(before), now, surroundings)
            }
            None => {
                run(&mut self.machine, &mut self.effects);
                self.finish_untold(now, surroundings)
            }
        }
    }

    /// Carries the effects out; nobody reads of it, and no moment is waited for.
    fn finish_untold<S: Environment>(&mut self, now: Stamp, surroundings: &mut S) -> Result<(), S::Error> {
        self.steps += 1;
        self.told = None;
        if self.criterion.counts_wins() {
            self.criterion.take_state(&self.machine.state(), now.lab());
        }
        let Driver { effects, choices, timers, clock, .. } = self;
        for effect in effects.list.drain(..) {
            match effect {
                StepEffect::Send { to, message } => send(&choices.next_id(Some(to)), message, now, surroundings),
                StepEffect::Broadcast { message } => send(&choices.next_id(None), message, now, surroundings),
                StepEffect::SetTimer { timer, shortest, longest } => {
                    timers.set(started(timer, choices.draw(shortest, longest), clock, now));
                }
                StepEffect::CancelTimer { timer } => timers.cancel(timer),
                StepEffect::Save { saved } => surroundings.save(saved)?,
                StepEffect::Help { .. } => {}
            }
        }
        Ok(())
    }

    /// Makes every choice, hands the record out, then carries the effects out, if there is no hold. `before` is the
    /// state before this step; there is none before a start.
    fn finish_told<S: Environment>(
        &mut self,
        input: Input,
        before: Option<StateVector>,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let (capacity, lines) = (self.effects.capacity, self.effects.lines.clone());
        let lies = self.effects.lies.clone();
        let measured = Some(self.given).filter(|given| self.criterion.is_measured() && *given != capacity);
        let mut deeds = std::mem::take(&mut self.deeds);
        deeds.extend(self.effects.list.drain(..).map(|effect| FixedEffect::of(effect, &mut self.choices)));
        let effects = self.in_words(&deeds);
        self.steps += 1;
        let state = self.machine.state();
        self.criterion.take_state(&state, now.lab());
        let changed = (before.as_ref() != Some(&state)).then(|| state.clone());
        self.told = Some(state);
        let incarnation = self.setup.incarnation;
        let mut step = Step {
            incarnation,
            step: self.steps,
            input,
            capacity,
            measured,
            lines,
            effects,
            lies,
            held: None,
            state: changed,
        };
        let word = before.as_ref().map(|before| &*before.word);
        let hold = surroundings.armed().take_hold(self.setup.me, &step, word);
        step.held.clone_from(&hold);
        // Do not hold a step if the record was lost: nobody would release it. If nobody reads records, the hold itself
        // tells of it.
        let is_heard = !surroundings.keeps_records() || surroundings.record(now, Body::Step(step));
        let hold = hold.filter(|_| is_heard);
        if let Some(StepHold { by, after }) = hold {
            let behind = deeds.split_off(after);
            self.held = Some(HeldEffects { by, taken: now, before: deeds, behind });
            return Ok(());
        }
        deeds.drain(..).try_for_each(|deed| self.carry_out(deed, now, surroundings))?;
        self.deeds = deeds;
        Ok(())
    }

    /// The kind of its machine.
    pub fn kind(&self) -> MachineKind {
        self.kind
    }

    fn in_words(&mut self, deeds: &[FixedEffect]) -> Vec<EffectText> {
        let mut effects = Vec::with_capacity(deeds.len());
        for deed in deeds {
            effects.push(match deed {
                FixedEffect::Send { id, message } => EffectText::Send { id: *id, message: message.text() },
                FixedEffect::SetTimer { timer, span } => {
                    EffectText::SetTimer { timer: self.names.of(*timer, self.kind), span: *span }
                }
                FixedEffect::CancelTimer { timer } => {
                    EffectText::CancelTimer { timer: self.names.of(*timer, self.kind) }
                }
                FixedEffect::Save { saved } => EffectText::Save { body: codec::hex(&saved.encode()) },
                FixedEffect::Help { text } => EffectText::Help { text: text.clone() },
            });
        }
        effects
    }

    fn carry_out<S: Environment>(
        &mut self,
        deed: FixedEffect,
        now: Stamp,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        match deed {
            FixedEffect::Send { id, message } => send(&id, message, now, surroundings),
            FixedEffect::SetTimer { timer, span } => self.timers.set(started(timer, span, &self.clock, now)),
            FixedEffect::CancelTimer { timer } => self.timers.cancel(timer),
            FixedEffect::Save { saved } => surroundings.save(saved)?,
            FixedEffect::Help { .. } => {}
        }
        Ok(())
    }
}

impl FixedEffect {
    fn of(effect: StepEffect, choices: &mut Choices) -> FixedEffect {
        match effect {
            StepEffect::Send { to, message } => FixedEffect::Send { id: choices.next_id(Some(to)), message },
            StepEffect::Broadcast { message } => FixedEffect::Send { id: choices.next_id(None), message },
            StepEffect::SetTimer { timer, shortest, longest } => {
                FixedEffect::SetTimer { timer, span: choices.draw(shortest, longest) }
            }
            StepEffect::CancelTimer { timer } => FixedEffect::CancelTimer { timer },
            StepEffect::Save { saved } => FixedEffect::Save { saved },
            StepEffect::Help { text } => FixedEffect::Help { text },
        }
    }
}

fn send<S: Environment>(id: &MessageId, message: Payload, now: Stamp, surroundings: &mut S) {
    // A datagram that does not leave is lost: the papers' assumption 8, not this node's end.
    if let Err(error) = surroundings.send(id, message)
        && surroundings.keeps_records()
    {
        surroundings.record(now, Body::SendFailed { id: *id, error: error.to_string() });
    }
}

fn started<T>(timer: T, span: Span, clock: &OwnClock, now: Stamp) -> Running<T> {
    Running { due: clock.own_at(now.lab()).saturating_add(span.nanos()), timer, set: now.lab() }
}

/// Whether a step must be put into words: somebody reads it, or a moment is waited for, which is found in the words.
fn is_told(surroundings: &mut impl Environment) -> bool {
    surroundings.keeps_records() || surroundings.armed().is_armed()
}
