//! A machine that elects and an application beside it, as one machine: it is what a process of a lab with an application
//! runs.
//!
//! After each input of the algorithm the application is told the state vector, if that has changed. Its report goes with
//! the message by which its process joins a group, and the coordinator's definition with the message that gives out the
//! task; the Card of the algorithm names both. A message of the application bears the task of its sender's group, and
//! is dropped where that is not the receiver's, or the receiver is not in Normal (Garcia-Molina 1982, section IV:
//! messages of other groups are ignored). A bystander of the lab runs the application alone, and is in no group: what
//! goes to it and comes from it bears no task, and it hears nothing of the election. Nor does a message bear a task whose
//! application wants all to hear it.
//!
//! The application may do what an operator does: order an election at its own process. And it may give the process
//! another capacity.
//!
//! Invariant: the algorithm takes the same steps as without an application, with that capacity and these orders; what
//! both keep is one save, before anything of the step leaves.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{AnyApplication, AnyEffect, AnyEffects, AnyMessage, AnySaved, AnyTimer};
use protocol::{
    Algorithm, Card, Claimant, Deceit, Described, Effect, Effects, Hearers, Keyring, NodeId, NodeSet, Order, Roster,
    Setup, StateVector, Status, TaskId,
};

/// The word for the state of a bystander.
const BYSTANDER: &str = "Bystander";

/// Both machines of a process.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Working<A: Algorithm> {
    me: NodeId,
    bystanders: NodeSet,
    part: Part<A>,
    application: AnyApplication,
    /// What the application was told last.
    told: StateVector,
    cells: WorkingCells<A::Saved>,
}

/// Whether a process elects.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Part<A> {
    /// It does, with this machine.
    Elects(A),
    /// It is a bystander.
    StandsBy,
}

/// What both keep in safe cells.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct WorkingCells<S> {
    /// Those of the algorithm, if it has ever saved.
    pub election: Option<S>,
    /// Those of the application, if it has ever saved.
    pub application: Option<AnySaved>,
}

/// What such a process sends.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum WorkingMessage<M> {
    /// A message of the algorithm, and what the application gave it to carry.
    Election(M, Option<AnyMessage>),
    /// A message of the application, to a process that is at work on this task.
    Application(TaskId, AnyMessage),
    /// A message of the application that bears no task: to a bystander or from one, or of an application that all hear.
    Outside(AnyMessage),
}

/// The timers of such a process.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum WorkingTimer<T> {
    /// The algorithm's.
    Election(T),
    /// The application's.
    Application(AnyTimer),
}

impl<M: Described> Described for WorkingMessage<M> {
    fn kind(&self) -> &'static str {
        match self {
            WorkingMessage::Election(message, _) => message.kind(),
            WorkingMessage::Application(_, message) | WorkingMessage::Outside(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            WorkingMessage::Election(message, carried) => {
                let carried = carried.iter().flat_map(Described::fields);
                message.fields().into_iter().chain(carried).collect()
            }
            WorkingMessage::Application(_, message) | WorkingMessage::Outside(message) => message.fields(),
        }
    }

    fn is_for_all(&self) -> bool {
        of_election(self).is_some_and(M::is_for_all)
    }
}

impl<T: fmt::Display> fmt::Display for WorkingTimer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkingTimer::Election(timer) => fmt::Display::fmt(timer, f),
            WorkingTimer::Application(timer) => fmt::Display::fmt(timer, f),
        }
    }
}

impl<A: Algorithm> Algorithm for Working<A> {
    type Message = WorkingMessage<A::Message>;
    type Timer = WorkingTimer<A::Timer>;
    type Saved = WorkingCells<A::Saved>;
    const CARD: Card = A::CARD;

    fn start(setup: &Setup, saved: Option<Self::Saved>, fx: &mut Effects<Self>) -> Self {
        let cells = saved.unwrap_or(WorkingCells { election: None, application: None });
        let application = AnyApplication::start(setup, cells.application.clone());
        let given = fx.capacity();
        let mut inner = with_capacity_of(&application, given, fx);
        let bystanders = setup.roster.bystanders();
        let (part, told) = if bystanders.contains(setup.me) {
            // It is at work from its start, under nobody.
            (Part::StandsBy, StateVector::new(Status::Normal, BYSTANDER, None))
        } else {
            let of_electors = Setup { roster: setup.roster.electors(), ..setup.clone() };
            let election = A::start(&of_electors, cells.election.clone(), &mut inner);
            (Part::Elects(election), StateVector::new(Status::Down, "", None))
        };
        let mut both = Working { me: setup.me, bystanders, part, application, told, cells };
        let mut effects = both.application.on_start();
        effects.extend(both.tell_state());
        both.carry_out(given, inner, effects, fx);
        both
    }

    fn on_message(&mut self, from: NodeId, message: Self::Message, fx: &mut Effects<Self>) {
        let given = fx.capacity();
        let mut inner = with_capacity_of(&self.application, given, fx);
        let may_hear = self.hears_outside(from);
        let effects = match (message, &mut self.part) {
            (WorkingMessage::Election(message, carried), Part::Elects(election)) => {
                let is_report = A::CARD.hands_in.contains(&message.kind());
                let before = TaskId::at_work(&self.told);
                election.on_message(from, message, &mut inner);
                let mut effects = self.tell_state();
                match carried {
                    Some(report) if is_report && self.prepares() => {
                        effects.extend(self.application.on_report(from, report));
                    }
                    Some(definition) if !is_report && self.has_begun_under(from, before) => {
                        effects.extend(self.application.on_message(from, definition));
                    }
                    _ => {}
                }
                effects
            }
            (WorkingMessage::Application(task, message), _) if TaskId::at_work(&self.told) == Some(task) => {
                self.application.on_message(from, message)
            }
            (WorkingMessage::Outside(message), _) if may_hear => self.application.on_message(from, message),
            _ => AnyEffects::default(),
        };
        self.carry_out(given, inner, effects, fx);
    }

    fn on_timer(&mut self, timer: Self::Timer, fx: &mut Effects<Self>) {
        let given = fx.capacity();
        let mut inner = with_capacity_of(&self.application, given, fx);
        let effects = match (timer, &mut self.part) {
            (WorkingTimer::Election(timer), Part::Elects(election)) => {
                election.on_timer(timer, &mut inner);
                self.tell_state()
            }
            (WorkingTimer::Election(_), Part::StandsBy) => AnyEffects::default(),
            (WorkingTimer::Application(timer), _) => self.application.on_timer(timer),
        };
        self.carry_out(given, inner, effects, fx);
    }

    fn on_elect(&mut self, fx: &mut Effects<Self>) {
        self.on_order(Order::Elect, fx);
    }

    fn on_order(&mut self, order: Order, fx: &mut Effects<Self>) {
        let given = fx.capacity();
        let mut inner = with_capacity_of(&self.application, given, fx);
        let Part::Elects(election) = &mut self.part else { return };
        election.on_order(order, &mut inner);
        let mut effects = self.tell_state();
        effects.extend(self.application.on_order(order));
        self.carry_out(given, inner, effects, fx);
    }

    fn waits_for(&self, timer: Self::Timer) -> NodeSet {
        match (timer, &self.part) {
            (WorkingTimer::Election(timer), Part::Elects(election)) => election.waits_for(timer),
            (WorkingTimer::Election(_), Part::StandsBy) => NodeSet::EMPTY,
            (WorkingTimer::Application(timer), _) => self.application.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        StateVector { work: Some(Box::new(self.application.work())), ..self.told.clone() }
    }
}

impl<A: Algorithm> Working<A> {
    /// Tells the application the state vector, if it has changed.
    fn tell_state(&mut self) -> AnyEffects {
        let Part::Elects(election) = &self.part else { return AnyEffects::default() };
        let state = election.state();
        if state == self.told {
            return AnyEffects::default();
        }
        self.told = state;
        self.application.on_state(&self.told)
    }

    /// Whether this process coordinates a group that is not at work yet.
    fn prepares(&self) -> bool {
        self.told.status != Status::Normal
    }

    /// Whether this process is at work in a group.
    fn is_at_work(&self) -> bool {
        self.told.status == Status::Normal && self.told.believes_in().is_some()
    }

    /// Whether it hears messages of the application from that node, and may send such to it, that name no task.
    fn hears_outside(&self, other: NodeId) -> bool {
        match (&self.part, self.application.hearers()) {
            (Part::StandsBy, _) | (Part::Elects(_), Hearers::All) => true,
            (Part::Elects(_), Hearers::Group) => self.bystanders.contains(other) && self.is_at_work(),
        }
    }

    /// Whether this process has just come to work under this coordinator.
    fn has_begun_under(&self, coordinator: NodeId, before: Option<TaskId>) -> bool {
        let now = TaskId::at_work(&self.told);
        now.is_some() && now != before && self.told.believes_in() == Some(coordinator)
    }

    /// Joins the effects of both machines, after what the application has ordered of the other one.
    fn carry_out(&mut self, given: i64, inner: Effects<A>, mut beside: AnyEffects, fx: &mut Effects<Self>) {
        let (mut effects, mut lines) = inner.into_parts();
        if beside.list.iter().any(|effect| matches!(effect, AnyEffect::Elect)) {
            let mut ordered = with_capacity_of(&self.application, given, fx);
            if let Part::Elects(election) = &mut self.part {
                election.on_order(Order::Elect, &mut ordered);
            }
            beside.extend(self.tell_state());
            let (later, gone_through) = ordered.into_parts();
            effects.extend(later);
            lines.extend(gone_through);
        }
        lines.into_iter().chain(beside.lines).for_each(|line| fx.line(line));
        let mut saves = if beside.saved.is_some() { Saves::First } else { Saves::InTurn };
        if let Some(saved) = beside.saved {
            self.cells.application = Some(saved);
        }
        // A step saves once: the first save keeps what the last one of the step says.
        let last = effects.iter().rev().find_map(|effect| match effect {
            Effect::Save { saved } => Some(saved.clone()),
            _ => None,
        });
        if let Some(saved) = last {
            self.cells.election = Some(saved);
        }
        for effect in effects {
            match effect {
                Effect::Send { to, message } => {
                    let carried = self.carried_by(message.kind(), to);
                    fx.send(to, WorkingMessage::Election(message, carried));
                }
                Effect::Broadcast { message } => fx.broadcast(WorkingMessage::Election(message, None)),
                Effect::SetTimer { timer, shortest, longest } => {
                    fx.add(Effect::SetTimer { timer: WorkingTimer::Election(timer), shortest, longest });
                }
                Effect::CancelTimer { timer } => fx.cancel_timer(WorkingTimer::Election(timer)),
                Effect::Save { .. } => {
                    if saves == Saves::InTurn {
                        fx.save(self.cells.clone());
                        saves = Saves::Done;
                    }
                }
                Effect::Help { text } => fx.help(text),
            }
        }
        if saves == Saves::First {
            fx.save_first(self.cells.clone());
        }
        let task = TaskId::at_work(&self.told);
        for effect in beside.list {
            match (effect, task) {
                (AnyEffect::Send(to, message), _) if self.hears_outside(to) => {
                    fx.send(to, WorkingMessage::Outside(message));
                }
                (AnyEffect::Send(to, message), Some(task)) => fx.send(to, WorkingMessage::Application(task, message)),
                // An application that is not at work sends nothing.
                (AnyEffect::Send(..), None) => {}
                (AnyEffect::SetTimer(timer, span), _) => fx.set_timer(WorkingTimer::Application(timer), span),
                (AnyEffect::CancelTimer(timer), _) => fx.cancel_timer(WorkingTimer::Application(timer)),
                (AnyEffect::Elect, _) => {}
            }
        }
    }

    /// What the application gives a message of the algorithm to carry to this node. A report goes to whom this process
    /// joins: an algorithm that answers also where it does not join (Garcia-Molina's calls return when they are refused)
    /// has nothing to hand in there.
    fn carried_by(&self, kind: &str, to: NodeId) -> Option<AnyMessage> {
        if A::CARD.hands_in.contains(&kind) {
            self.application.report().filter(|_| self.told.coordinator == Some(to) && self.prepares())
        } else if A::CARD.hands_out.contains(&kind) {
            self.application.definition()
        } else {
            None
        }
    }
}

/// A liar lies about the election alone: what a message carries for the application stays as it is.
impl<M: Deceit> Deceit for WorkingMessage<M> {
    fn value(&self) -> Option<i64> {
        of_election(self).and_then(M::value)
    }

    fn with_value(self, value: i64, roster: Roster) -> Self {
        match self {
            WorkingMessage::Election(message, carried) => {
                WorkingMessage::Election(message.with_value(value, roster), carried)
            }
            other => other,
        }
    }

    fn signed(self, keyring: &Keyring, me: NodeId, to: Option<NodeId>) -> Self {
        match self {
            WorkingMessage::Election(message, carried) => {
                WorkingMessage::Election(message.signed(keyring, me, to), carried)
            }
            other => other,
        }
    }

    fn with_names(self, names: NodeSet) -> Option<Self> {
        match self {
            WorkingMessage::Election(message, carried) => {
                Some(WorkingMessage::Election(message.with_names(names)?, carried))
            }
            _ => None,
        }
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            WorkingMessage::Election(message, carried) => {
                Some(WorkingMessage::Election(message.naming(node)?, carried))
            }
            _ => None,
        }
    }

    fn number(&self) -> Option<u64> {
        of_election(self).and_then(M::number)
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        M::claims(claimant).into_iter().map(|message| WorkingMessage::Election(message, None)).collect()
    }

    fn opening(number: u64, capacity: i64) -> Option<Self> {
        Some(WorkingMessage::Election(M::opening(number, capacity)?, None))
    }
}

fn of_election<M>(message: &WorkingMessage<M>) -> Option<&M> {
    match message {
        WorkingMessage::Election(message, _) => Some(message),
        WorkingMessage::Application(..) | WorkingMessage::Outside(_) => None,
    }
}

/// When a step saves.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Saves {
    /// Before anything else: the application keeps something.
    First,
    /// Where the algorithm saves, if it does.
    InTurn,
    /// It has.
    Done,
}

/// No effects yet, with the capacity that the application makes of this one; it is recorded with the step.
fn with_capacity_of<A: Algorithm>(
    application: &AnyApplication,
    given: i64,
    fx: &mut Effects<Working<A>>,
) -> Effects<A> {
    let capacity = application.capacity(given);
    fx.set_capacity(capacity);
    Effects::new(capacity)
}
