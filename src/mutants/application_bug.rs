//! A bug that can be planted in an application: an application around an application.
//!
//! Invariant: the application within is the true one, whole. Without a bug the wrapper changes nothing.

use std::fmt::Debug;
use std::hash::Hash;

use protocol::{
    Application, ApplicationCard, ApplicationEffect, ApplicationEffects, ELECTING_LINE, NodeId, NodeSet, Settings,
    Setup, StateVector, Work,
};

/// What an application wants done.
pub type Wanted<P> = Vec<ApplicationEffect<P>>;

/// A mistake. Everything that it does not define stays as it is without it.
pub trait ApplicationBug: Clone + Default + Eq + Hash + Debug + Send + Sync + 'static {
    /// The application that it is planted in.
    type Within: Application;

    /// The application starts.
    fn start(setup: &Setup, settings: &Settings, saved: Option<<Self::Within as Application>::Saved>) -> Self::Within {
        Application::start(setup, settings, saved)
    }

    /// A message as the application reads it.
    fn read(message: <Self::Within as Application>::Message) -> <Self::Within as Application>::Message {
        message
    }

    /// A message came.
    fn hear(
        &mut self,
        within: &mut Self::Within,
        from: NodeId,
        message: <Self::Within as Application>::Message,
        effects: &mut ApplicationEffects<Self::Within>,
    ) {
        within.on_message(from, message, effects);
    }

    /// A timer has run out.
    fn time_out(
        &mut self,
        within: &mut Self::Within,
        timer: <Self::Within as Application>::Timer,
        effects: &mut ApplicationEffects<Self::Within>,
    ) {
        within.on_timer(timer, effects);
    }

    /// Changes what the application wants done.
    fn done(&mut self, wanted: Wanted<Self::Within>) -> Wanted<Self::Within> {
        wanted
    }

    /// [`Application::report`].
    fn report(&self, within: &Self::Within) -> Option<<Self::Within as Application>::Message> {
        within.report()
    }

    /// [`Application::capacity`].
    fn capacity(&self, within: &Self::Within, given: i64) -> i64 {
        within.capacity(given)
    }

    /// [`Application::work`].
    fn work(&self, within: &Self::Within) -> Work {
        within.work()
    }
}

/// An application with a planted bug.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct ApplicationMutant<B: ApplicationBug> {
    bug: B,
    within: B::Within,
}

impl<B: ApplicationBug> ApplicationMutant<B> {
    fn step(
        &mut self,
        effects: &mut ApplicationEffects<Self>,
        run: impl FnOnce(&mut B, &mut B::Within, &mut ApplicationEffects<B::Within>),
    ) {
        let mut inner = ApplicationEffects::default();
        run(&mut self.bug, &mut self.within, &mut inner);
        let (wanted, lines, saved) = inner.into_parts();
        // An order to elect says its line itself.
        lines.into_iter().filter(|line| *line != ELECTING_LINE).for_each(|line| effects.line(line));
        saved.into_iter().for_each(|saved| effects.save(saved));
        for effect in self.bug.done(wanted) {
            match effect {
                ApplicationEffect::Send { to, message } => effects.send(to, message),
                ApplicationEffect::SetTimer { timer, span } => effects.set_timer(timer, span),
                ApplicationEffect::CancelTimer { timer } => effects.cancel_timer(timer),
                ApplicationEffect::Elect => effects.elect(),
            }
        }
    }
}

impl<B: ApplicationBug> Application for ApplicationMutant<B> {
    type Message = <B::Within as Application>::Message;
    type Timer = <B::Within as Application>::Timer;
    type Saved = <B::Within as Application>::Saved;
    const CARD: ApplicationCard = <B::Within as Application>::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<Self::Saved>) -> Self {
        ApplicationMutant { bug: B::default(), within: B::start(setup, settings, saved) }
    }

    fn on_start(&mut self, effects: &mut ApplicationEffects<Self>) {
        self.step(effects, |_, within, effects| within.on_start(effects));
    }

    fn on_state(&mut self, state: &StateVector, effects: &mut ApplicationEffects<Self>) {
        self.step(effects, |_, within, effects| within.on_state(state, effects));
    }

    fn capacity(&self, given: i64) -> i64 {
        self.bug.capacity(&self.within, given)
    }

    fn on_message(&mut self, from: NodeId, message: Self::Message, effects: &mut ApplicationEffects<Self>) {
        self.step(effects, |bug, within, effects| bug.hear(within, from, B::read(message), effects));
    }

    fn on_timer(&mut self, timer: Self::Timer, effects: &mut ApplicationEffects<Self>) {
        self.step(effects, |bug, within, effects| bug.time_out(within, timer, effects));
    }

    fn on_update(&mut self, value: i32, effects: &mut ApplicationEffects<Self>) {
        self.step(effects, |_, within, effects| within.on_update(value, effects));
    }

    fn on_request(&mut self, effects: &mut ApplicationEffects<Self>) {
        self.step(effects, |_, within, effects| within.on_request(effects));
    }

    fn report(&self) -> Option<Self::Message> {
        self.bug.report(&self.within)
    }

    fn on_report(&mut self, from: NodeId, report: Self::Message, effects: &mut ApplicationEffects<Self>) {
        self.step(effects, |_, within, effects| within.on_report(from, report, effects));
    }

    fn definition(&self) -> Option<Self::Message> {
        self.within.definition()
    }

    fn waits_for(&self, timer: Self::Timer) -> NodeSet {
        self.within.waits_for(timer)
    }

    fn work(&self) -> Work {
        self.bug.work(&self.within)
    }
}
