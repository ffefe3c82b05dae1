//! Fencing: a resource that takes writes of coordinators, and what keeps a late write of an older one out.
//!
//! The resource is a process of its own that does not elect. A coordinator reads its content, and writes the content +
//! 1 with the number of its term. If it is paused between the two, another may be elected meanwhile, and write; then
//! the first one goes on, and its late write lands on the later one. It cannot know better: it has been asleep
//! (Garcia-Molina 1982, section II: assumption 9 says that no node pauses). So the resource must look: with a fence it
//! refuses a number that is lower than the highest that has landed. That helps where the numbers rise from one
//! coordinator to the next (King, Gendreau and Ni 1988, whose elections this lab numbers), and not where they only
//! differ.
//!
//! Invariant: a process writes only while it coordinates in Normal, as far as it knows; what has landed is in the safe
//! cells of the resource before anybody is told.

mod card;
mod judge;
mod message;
mod resource;
#[cfg(test)]
mod tests;
mod words;
mod writer;

pub use message::FencingMessage;
use resource::Resource;
pub use resource::ResourceCells;
pub use writer::FencingTimer;
use writer::Writer;

use crate::LabApplication;
use protocol::{
    Application, ApplicationCard, ApplicationEffects, ApplicationEntry, FencingWork, NodeId, NodeSet, Settings, Setup,
    StateVector, Work,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<Fencing>(),
    judge: judge::of,
    did: words::did,
    row: words::row,
    fields: words::fields,
};

/// One process's part: it writes while it coordinates, or it is the resource.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Fencing {
    /// Elects.
    Writer(Writer),
    /// Is the bystander of the lab.
    Resource(Resource),
}

type FencingEffects = ApplicationEffects<Fencing>;

impl Application for Fencing {
    type Message = FencingMessage;
    type Timer = FencingTimer;
    type Saved = ResourceCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<ResourceCells>) -> Fencing {
        match setup.roster.bystanders().highest() {
            Some(resource) if resource != setup.me => Fencing::Writer(Writer::new(setup, settings, resource)),
            _ => Fencing::Resource(Resource::new(settings, saved.unwrap_or_default())),
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut FencingEffects) {
        match self {
            Fencing::Writer(writer) => writer.on_state(state, fx),
            Fencing::Resource(_) => {}
        }
    }

    fn on_message(&mut self, from: NodeId, message: FencingMessage, fx: &mut FencingEffects) {
        match self {
            Fencing::Writer(writer) => writer.on_answer(message, fx),
            Fencing::Resource(resource) => resource.on_question(from, message, fx),
        }
    }

    fn on_timer(&mut self, timer: FencingTimer, fx: &mut FencingEffects) {
        match self {
            Fencing::Writer(writer) => writer.on_timer(timer, fx),
            Fencing::Resource(_) => {}
        }
    }

    fn waits_for(&self, timer: FencingTimer) -> NodeSet {
        match (timer, self) {
            (FencingTimer::Answer, Fencing::Writer(writer)) => NodeSet::of(writer.resource()),
            _ => NodeSet::EMPTY,
        }
    }

    fn work(&self) -> Work {
        Work::Fencing(match self {
            Fencing::Writer(writer) => FencingWork::Writer(writer.work()),
            Fencing::Resource(resource) => FencingWork::Resource(resource.work()),
        })
    }
}
