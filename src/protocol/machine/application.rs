//! An application of a program: [`ApplicationEntry`], and its machines behind a pointer.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use super::{Payload, ReadBefore, SavedCells, TimerKey};
use crate::codec;
use crate::{
    Application, ApplicationCard, ApplicationEffect, ApplicationEffects, LineNumber, NodeId, NodeSet, Order, Settings,
    Setup, Span, StateVector, Work,
};

/// What an application gives to a program: its Card, and how its machine is started and its messages are read.
#[derive(Copy, Clone, Debug)]
pub struct ApplicationEntry {
    /// The Card of the application.
    pub card: ApplicationCard,
    pub(super) start: fn(&Setup, &Settings, Option<&SavedCells>) -> BoxedApplication,
    pub(super) read_message: ReadBefore<Payload>,
    pub(super) read_cells: ReadBefore<SavedCells>,
    pub(super) timer_name: fn(TimerKey) -> String,
}

/// A machine of some application.
#[derive(Debug)]
pub(super) struct BoxedApplication(Box<dyn ApplicationMachine>);

/// What the machine of an application returns for one input.
#[derive(Clone, Default, Debug)]
pub(super) struct WorkEffects {
    /// In order.
    pub list: Vec<WorkEffect>,
    /// The lines that were gone through.
    pub lines: Vec<LineNumber>,
    /// What is to be kept before anything leaves.
    pub saved: Option<SavedCells>,
}

/// One thing that an application wants done: an [`ApplicationEffect`] without its type.
#[derive(Clone, Debug)]
pub(super) enum WorkEffect {
    /// [`ApplicationEffect::Send`].
    Send(NodeId, Payload),
    /// [`ApplicationEffect::SetTimer`].
    SetTimer(TimerKey, Span),
    /// [`ApplicationEffect::CancelTimer`].
    CancelTimer(TimerKey),
    /// [`ApplicationEffect::Elect`].
    Elect,
}

/// An application's machine behind a pointer.
trait ApplicationMachine: Any + Debug + Send + Sync {
    fn on_start(&mut self) -> WorkEffects;
    fn on_state(&mut self, state: &StateVector) -> WorkEffects;
    fn capacity(&self, given: i64) -> i64;
    fn on_message(&mut self, from: NodeId, message: &Payload) -> WorkEffects;
    fn on_report(&mut self, from: NodeId, report: &Payload) -> WorkEffects;
    fn on_timer(&mut self, timer: TimerKey) -> WorkEffects;
    fn on_order(&mut self, order: Order) -> WorkEffects;
    fn report(&self) -> Option<Payload>;
    fn definition(&self) -> Option<Payload>;
    fn waits_for(&self, timer: TimerKey) -> NodeSet;
    fn work(&self) -> Work;
    fn copied(&self) -> Box<dyn ApplicationMachine>;
    fn is_same(&self, other: &dyn ApplicationMachine) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl ApplicationEntry {
    /// The entry of this application.
    pub const fn of<P: Application>() -> &'static ApplicationEntry {
        const {
            &ApplicationEntry {
                card: P::CARD,
                start: |setup, settings, saved| {
                    let of_kind = |saved: &SavedCells| saved.get::<P::Saved>().expect("refused before").clone();
                    BoxedApplication(Box::new(Typed(P::start(setup, settings, saved.map(of_kind)))))
                },
                read_message: |body| {
                    codec::decode_message_before::<P::Message>(body).map(|(message, rest)| (Payload::of(message), rest))
                },
                read_cells: |bytes| {
                    codec::decode_saved_before::<P::Saved>(bytes).map(|(saved, rest)| (SavedCells::of(saved), rest))
                },
                timer_name: |timer| timer.read::<P::Timer>().to_string(),
            }
        }
    }
}

impl BoxedApplication {
    /// [`Application::on_start`].
    pub fn on_start(&mut self) -> WorkEffects {
        self.0.on_start()
    }

    /// [`Application::on_state`].
    pub fn on_state(&mut self, state: &StateVector) -> WorkEffects {
        self.0.on_state(state)
    }

    /// [`Application::capacity`].
    pub fn capacity(&self, given: i64) -> i64 {
        self.0.capacity(given)
    }

    /// [`Application::on_message`].
    pub fn on_message(&mut self, from: NodeId, message: &Payload) -> WorkEffects {
        self.0.on_message(from, message)
    }

    /// [`Application::on_report`].
    pub fn on_report(&mut self, from: NodeId, report: &Payload) -> WorkEffects {
        self.0.on_report(from, report)
    }

    /// [`Application::on_timer`].
    pub fn on_timer(&mut self, timer: TimerKey) -> WorkEffects {
        self.0.on_timer(timer)
    }

    /// [`Application::on_update`] and [`Application::on_request`]. Other orders do nothing.
    pub fn on_order(&mut self, order: Order) -> WorkEffects {
        self.0.on_order(order)
    }

    /// [`Application::report`].
    pub fn report(&self) -> Option<Payload> {
        self.0.report()
    }

    /// [`Application::definition`].
    pub fn definition(&self) -> Option<Payload> {
        self.0.definition()
    }

    /// [`Application::waits_for`].
    pub fn waits_for(&self, timer: TimerKey) -> NodeSet {
        self.0.waits_for(timer)
    }

    /// [`Application::work`].
    pub fn work(&self) -> Work {
        self.0.work()
    }
}

impl Clone for BoxedApplication {
    fn clone(&self) -> BoxedApplication {
        BoxedApplication(self.0.copied())
    }
}

impl PartialEq for BoxedApplication {
    fn eq(&self, other: &BoxedApplication) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Eq for BoxedApplication {}

impl Hash for BoxedApplication {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl WorkEffects {
    fn of<P: Application>(run: impl FnOnce(&mut ApplicationEffects<P>)) -> WorkEffects {
        let mut effects = ApplicationEffects::default();
        run(&mut effects);
        let (list, lines, saved) = effects.into_parts();
        let without_type = |effect| match effect {
            ApplicationEffect::Send { to, message } => WorkEffect::Send(to, Payload::of(message)),
            ApplicationEffect::SetTimer { timer, span } => WorkEffect::SetTimer(TimerKey::of(&timer), span),
            ApplicationEffect::CancelTimer { timer } => WorkEffect::CancelTimer(TimerKey::of(&timer)),
            ApplicationEffect::Elect => WorkEffect::Elect,
        };
        WorkEffects { list: list.into_iter().map(without_type).collect(), lines, saved: saved.map(SavedCells::of) }
    }

    /// Adds what came after.
    pub fn extend(&mut self, later: WorkEffects) {
        self.list.extend(later.list);
        self.lines.extend(later.lines);
        self.saved = later.saved.or(self.saved.take());
    }
}

/// An application's machine.
#[derive(Clone, Debug)]
struct Typed<P>(P);

fn typed<P: Application>(message: &Payload) -> P::Message {
    message.get::<P::Message>().expect("a message of this application").clone()
}

impl<P: Application> ApplicationMachine for Typed<P> {
    fn on_start(&mut self) -> WorkEffects {
        WorkEffects::of(|effects| self.0.on_start(effects))
    }

    fn on_state(&mut self, state: &StateVector) -> WorkEffects {
        WorkEffects::of(|effects| self.0.on_state(state, effects))
    }

    fn capacity(&self, given: i64) -> i64 {
        self.0.capacity(given)
    }

    fn on_message(&mut self, from: NodeId, message: &Payload) -> WorkEffects {
        WorkEffects::of(|effects| self.0.on_message(from, typed::<P>(message), effects))
    }

    fn on_report(&mut self, from: NodeId, report: &Payload) -> WorkEffects {
        WorkEffects::of(|effects| self.0.on_report(from, typed::<P>(report), effects))
    }

    fn on_timer(&mut self, timer: TimerKey) -> WorkEffects {
        WorkEffects::of(|effects| self.0.on_timer(timer.read(), effects))
    }

    fn on_order(&mut self, order: Order) -> WorkEffects {
        WorkEffects::of(|effects| match order {
            Order::Update(value) => self.0.on_update(value, effects),
            Order::Request => self.0.on_request(effects),
            Order::Elect | Order::StartOver | Order::Lie(_) => {}
        })
    }

    fn report(&self) -> Option<Payload> {
        self.0.report().map(Payload::of)
    }

    fn definition(&self) -> Option<Payload> {
        self.0.definition().map(Payload::of)
    }

    fn waits_for(&self, timer: TimerKey) -> NodeSet {
        self.0.waits_for(timer.read())
    }

    fn work(&self) -> Work {
        self.0.work()
    }

    fn copied(&self) -> Box<dyn ApplicationMachine> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn ApplicationMachine) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Typed<P>>().is_some_and(|other| self.0 == other.0)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}
