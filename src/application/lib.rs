//! The applications: what an election is for. One folder each, with its machine, its judge, its words and its
//! conditions.
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

mod condition;
pub mod copies;
mod counter;
mod entry;
pub mod exclusion;
pub mod fencing;
pub mod history;
pub mod joining;
pub mod section;
pub mod service;
pub mod shards;
mod shared_conditions;
#[cfg(test)]
mod tests;
pub mod token;
pub mod updates;
mod words;

pub use condition::{Asked, Asks, ConditionForm, KnownLab, WorkCondition};
pub use entry::LabApplication;
use judge::WorkJudge;
use protocol::{ApplicationEntry, ApplicationFacts, Work};
use record::{Head, Step};
pub use words::{Emphasis, Field, RowPart};
use world::World;

/// The applications, in the order in which they are listed.
pub const ALL: [LabApplication; 9] = [
    shards::ENTRY,
    history::ENTRY,
    fencing::ENTRY,
    updates::ENTRY,
    exclusion::ENTRY,
    service::ENTRY,
    token::ENTRY,
    copies::ENTRY,
    joining::ENTRY,
];

/// The conditions that they add, in the order in which they are listed.
pub const CONDITIONS: [&ConditionForm; 11] = [
    &shards::DONE,
    &updates::LOGGED,
    &updates::BLOCKED,
    &updates::CONFLICTS,
    &history::HISTORY,
    &shared_conditions::REFUSED,
    &shared_conditions::COUNTER,
    &joining::MEMBERS,
    &service::SERVED,
    &section::conditions::ENTERED,
    &section::conditions::INSIDE,
];

/// The machines, in the same order.
pub const MACHINES: [&ApplicationEntry; ALL.len()] = {
    let mut machines = [ALL[0].machine; ALL.len()];
    let mut place = 1;
    while place < ALL.len() {
        machines[place] = ALL[place].machine;
        place += 1;
    }
    machines
};

/// The condition that begins with this word.
pub fn condition(word: &str) -> Option<&'static ConditionForm> {
    CONDITIONS.into_iter().find(|form| form.word == word)
}

/// The application of this name.
pub fn named(name: &str) -> Option<LabApplication> {
    ALL.into_iter().find(|application| application.machine.card.name == name)
}

/// The judge of what the application of a session does, if the session has one.
pub fn judge_of(head: &Head) -> Option<Box<dyn WorkJudge>> {
    let application = named(&head.facts.application.as_ref()?.name)?;
    (application.judge)(&head.facts, head.roster()?)
}

/// What a step did for the lab's application, as a fragment after the name of its process.
pub fn did(step: &Step) -> Option<String> {
    let work = step.state.as_ref()?.work.as_deref()?;
    ALL.iter().find_map(|application| (application.did)(work, step))
}

/// The row of a lab with this application: how far the work is, and who does what.
pub fn row(world: &World, facts: &ApplicationFacts) -> Vec<RowPart> {
    named(&facts.name).map_or_else(Vec::new, |application| (application.row)(world, facts))
}

/// What a process holds of the lab's application.
pub fn fields(work: &Work) -> Vec<Field> {
    ALL.iter().flat_map(|application| (application.fields)(work)).collect()
}
