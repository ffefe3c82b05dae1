//! The explorer: every order in which a small lab may go, in ticks, and the properties that hold in all of them.
//!
//! [`terms`] says what is explored of a lab: its periods in ticks, which faults may come and when, the horizon. [`model`]
//! says how it goes, over the true machines, and [`space`] makes a model of stateright of that; a state is a [`frame`],
//! whose machines and messages stand in [`tables`] by their numbers. [`search`] goes through all of its states, breadth
//! first, and [`properties`] asks the judge's own properties of each; [`question`]s of
//! one's own are answered by [`answers`]. [`report`] is the whole way from terms to findings,
//! [`told`] puts a way into words, and [`script`] makes a lab file of it, of [`scripted`] lines, as close to the way as
//! [`closeness`] says. [`served`] is the model of stateright's web Explorer, and
//! [`pages`] are its pages.
//!
//! Invariant: the same terms give the same findings, to the last count.

mod action;
mod answers;
mod closeness;
mod frame;
mod model;
mod pages;
mod properties;
mod question;
mod report;
mod script;
mod scripted;
mod search;
mod served;
mod space;
mod staged;
mod state_hash;
mod tables;
mod terms;
#[cfg(test)]
mod tests;
mod timetable;
mod told;

pub use action::{ActionKind, LabAction};
pub use closeness::NotWritten;
pub use frame::{FaultKind, FaultsLeft};
pub use model::LabModel;
pub use question::{ASKED_WORDS, ExploredClaim, HoldsIn, LabQuestion, QUESTIONS_MAX, can_be_asked};
pub use report::{Counterexample, CounterexampleLab, ExploreReport, PropertyFound, explore, explore_as};
pub use script::WrittenLab;
pub use search::{
    Exploration, FoundWay, Limits, SearchControl, SearchExtent, SearchFollower, SearchTally, ToTheEnd, WaySought,
    search,
};
pub use served::serve;
pub use staged::Staged;
pub use tables::TimerOverflow;
pub use terms::{ExploreTerms, ExploreWish};
pub use told::WayEvent;
