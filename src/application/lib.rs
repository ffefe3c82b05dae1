//! The applications: what an election is for. One folder each, and the one table of all of them.
//!
//! [`working`] sets an application beside the machine that elects: the two are one machine to a driver.
//!
//! Invariant: an application is told what its process's algorithm is in, and cannot reach into it; no driver names one.

/// The lines of an application's listing, counted from [`APPLICATION_LINES`](protocol::APPLICATION_LINES).
macro_rules! listing {
    ($($name:ident = $number:literal, $procedure:literal, $text:literal;)*) => {
        $(pub const $name: ::protocol::LineNumber = ::protocol::APPLICATION_LINES + $number;)*
        pub const LISTING: &[::protocol::Line] =
            &[$(::protocol::Line::new($name, $procedure, $text)),*];
    };
}

pub mod copies;
pub mod exclusion;
pub mod fencing;
pub mod history;
pub mod joining;
pub mod section;
pub mod service;
pub mod shards;
pub mod token;
pub mod updates;
pub mod working;

use std::fmt;

use serde::{Deserialize, Serialize};

use protocol::{
    Application, ApplicationCard, ApplicationEffect, ApplicationEffects, Described, Hearers, LineNumber, NodeId,
    NodeSet, Order, Setup, Span, StateVector, Work,
};

macro_rules! applications {
    ($($name:ident($machine:ty)),* $(,)?) => {
        /// The Cards of all applications, in the table's order.
        pub const APPLICATIONS: &[ApplicationCard] = &[$(<$machine as Application>::CARD),*];

        /// The machine of any application.
        #[derive(Clone, Eq, PartialEq, Hash, Debug)]
        pub enum AnyApplication {
            $(#[doc = "One of the table."] $name($machine)),*
        }

        /// The message of any application. On the wire each has its place in the table for a number: new ones come last.
        #[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
        pub enum AnyMessage {
            $(#[doc = "One of the table."] $name(<$machine as Application>::Message)),*
        }

        /// The timer of any application.
        #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
        pub enum AnyTimer {
            $(#[doc = "One of the table."] $name(<$machine as Application>::Timer)),*
        }

        /// The safe cells of any application.
        #[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
        pub enum AnySaved {
            $(#[doc = "One of the table."] $name(<$machine as Application>::Saved)),*
        }

        impl Described for AnyMessage {
            fn kind(&self) -> &'static str {
                match self { $(AnyMessage::$name(message) => message.kind()),* }
            }

            fn fields(&self) -> Vec<(&'static str, String)> {
                match self { $(AnyMessage::$name(message) => message.fields()),* }
            }
        }

        impl fmt::Display for AnyTimer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(AnyTimer::$name(timer) => fmt::Display::fmt(timer, f)),* }
            }
        }

        impl AnyApplication {
            /// Starts the application that the setup names, with what it saved last, if it has ever saved. Asking for one
            /// that the table does not have is a bug.
            pub fn start(setup: &Setup, saved: Option<AnySaved>) -> AnyApplication {
                let (name, settings) = setup.settings.application().expect("the lab has an application");
                $(if <$machine as Application>::CARD.name == name {
                    let saved = saved.and_then(|saved| match saved {
                        AnySaved::$name(saved) => Some(saved),
                        #[allow(unreachable_patterns)]
                        _ => None,
                    });
                    return AnyApplication::$name(<$machine as Application>::start(setup, settings, saved));
                })*
                panic!("there is no application {name}")
            }

            /// Who hears its messages.
            pub fn hearers(&self) -> Hearers {
                match self { $(AnyApplication::$name(_) => <$machine as Application>::CARD.hearers),* }
            }

            /// [`Application::on_start`].
            pub fn on_start(&mut self) -> AnyEffects {
                match self { $(AnyApplication::$name(machine) => {
                    let mut effects = ApplicationEffects::default();
                    machine.on_start(&mut effects);
                    AnyEffects::of(effects, AnyMessage::$name, AnyTimer::$name, AnySaved::$name)
                }),* }
            }

            /// [`Application::on_state`].
            pub fn on_state(&mut self, state: &StateVector) -> AnyEffects {
                match self { $(AnyApplication::$name(machine) => {
                    let mut effects = ApplicationEffects::default();
                    machine.on_state(state, &mut effects);
                    AnyEffects::of(effects, AnyMessage::$name, AnyTimer::$name, AnySaved::$name)
                }),* }
            }

            /// [`Application::on_message`]. A message of another application does nothing.
            pub fn on_message(&mut self, from: NodeId, message: AnyMessage) -> AnyEffects {
                match (self, message) {
                    $((AnyApplication::$name(machine), AnyMessage::$name(message)) => {
                        let mut effects = ApplicationEffects::default();
                        machine.on_message(from, message, &mut effects);
                        AnyEffects::of(effects, AnyMessage::$name, AnyTimer::$name, AnySaved::$name)
                    })*
                    #[allow(unreachable_patterns)]
                    _ => AnyEffects::default(),
                }
            }

            /// [`Application::on_report`]. A report of another application does nothing.
            pub fn on_report(&mut self, from: NodeId, report: AnyMessage) -> AnyEffects {
                match (self, report) {
                    $((AnyApplication::$name(machine), AnyMessage::$name(report)) => {
                        let mut effects = ApplicationEffects::default();
                        machine.on_report(from, report, &mut effects);
                        AnyEffects::of(effects, AnyMessage::$name, AnyTimer::$name, AnySaved::$name)
                    })*
                    #[allow(unreachable_patterns)]
                    _ => AnyEffects::default(),
                }
            }

            /// [`Application::on_timer`]. A timer of another application does nothing.
            pub fn on_timer(&mut self, timer: AnyTimer) -> AnyEffects {
                match (self, timer) {
                    $((AnyApplication::$name(machine), AnyTimer::$name(timer)) => {
                        let mut effects = ApplicationEffects::default();
                        machine.on_timer(timer, &mut effects);
                        AnyEffects::of(effects, AnyMessage::$name, AnyTimer::$name, AnySaved::$name)
                    })*
                    #[allow(unreachable_patterns)]
                    _ => AnyEffects::default(),
                }
            }

            /// [`Application::on_update`] and [`Application::on_request`]. Other orders do nothing.
            pub fn on_order(&mut self, order: Order) -> AnyEffects {
                match self { $(AnyApplication::$name(machine) => {
                    let mut effects = ApplicationEffects::default();
                    match order {
                        Order::Update(value) => machine.on_update(value, &mut effects),
                        Order::Request => machine.on_request(&mut effects),
                        Order::Elect | Order::StartOver | Order::Lie(_) => {}
                    }
                    AnyEffects::of(effects, AnyMessage::$name, AnyTimer::$name, AnySaved::$name)
                }),* }
            }

            /// [`Application::capacity`].
            pub fn capacity(&self, given: i64) -> i64 {
                match self { $(AnyApplication::$name(machine) => machine.capacity(given)),* }
            }

            /// [`Application::report`].
            pub fn report(&self) -> Option<AnyMessage> {
                match self { $(AnyApplication::$name(machine) => machine.report().map(AnyMessage::$name)),* }
            }

            /// [`Application::definition`].
            pub fn definition(&self) -> Option<AnyMessage> {
                match self { $(AnyApplication::$name(machine) => machine.definition().map(AnyMessage::$name)),* }
            }

            /// [`Application::waits_for`].
            pub fn waits_for(&self, timer: AnyTimer) -> NodeSet {
                match (self, timer) {
                    $((AnyApplication::$name(machine), AnyTimer::$name(timer)) => machine.waits_for(timer),)*
                    #[allow(unreachable_patterns)]
                    _ => NodeSet::EMPTY,
                }
            }

            /// [`Application::work`].
            pub fn work(&self) -> Work {
                match self { $(AnyApplication::$name(machine) => machine.work()),* }
            }
        }
    };
}

applications![
    Shards(shards::Shards),
    History(history::History),
    Fencing(fencing::Fencing),
    Updates(updates::Updates),
    Exclusion(exclusion::Exclusion),
    Service(service::Service),
    Token(token::PathCompression),
    Copies(copies::CounterCopies),
    Joining(joining::Joining),
];

/// One thing that any application wants done.
#[derive(Clone, Debug)]
pub enum AnyEffect {
    /// [`ApplicationEffect::Send`].
    Send(NodeId, AnyMessage),
    /// [`ApplicationEffect::SetTimer`].
    SetTimer(AnyTimer, Span),
    /// [`ApplicationEffect::CancelTimer`].
    CancelTimer(AnyTimer),
    /// [`ApplicationEffect::Elect`].
    Elect,
}

/// What any application returns for one input.
#[derive(Clone, Default, Debug)]
pub struct AnyEffects {
    /// In order.
    pub list: Vec<AnyEffect>,
    /// The lines that were gone through.
    pub lines: Vec<LineNumber>,
    /// What is to be kept before anything leaves.
    pub saved: Option<AnySaved>,
}

impl AnyEffects {
    fn of<P: Application>(
        effects: ApplicationEffects<P>,
        message_of: fn(P::Message) -> AnyMessage,
        timer_of: fn(P::Timer) -> AnyTimer,
        saved_of: fn(P::Saved) -> AnySaved,
    ) -> AnyEffects {
        let (list, lines, saved) = effects.into_parts();
        let any = |effect| match effect {
            ApplicationEffect::Send { to, message } => AnyEffect::Send(to, message_of(message)),
            ApplicationEffect::SetTimer { timer, span } => AnyEffect::SetTimer(timer_of(timer), span),
            ApplicationEffect::CancelTimer { timer } => AnyEffect::CancelTimer(timer_of(timer)),
            ApplicationEffect::Elect => AnyEffect::Elect,
        };
        AnyEffects { list: list.into_iter().map(any).collect(), lines, saved: saved.map(saved_of) }
    }

    /// Adds what came after.
    fn extend(&mut self, later: AnyEffects) {
        self.list.extend(later.list);
        self.lines.extend(later.lines);
        self.saved = later.saved.or(self.saved.take());
    }
}
