//! The world: what records say has happened, without a verdict on it.
//!
//! Records go through the [`Orderer`], which puts the nodes' streams into one causal order, then into the [`World`],
//! their fold, which every screen, condition and expectation reads. [`Clocks`] give every event its past by
//! happened-before, and [`past`] tells what had a part in the state of a process.
//!
//! Invariant: the same records in the same order give the same result, whether they come from a live lab or a file.

pub mod clock;
mod coming_deaths;
mod coverage;
mod elections;
mod fault;
pub mod flight;
pub mod flow;
mod fold;
mod groups;
mod held;
mod history;
pub mod moment;
mod node;
mod order;
pub mod past;
mod phrase;
mod sheet;
mod tally;
mod topology;
mod turns;
mod violations;
mod waits;

pub use coverage::{ListingCoverage, ReachedShare};
pub use elections::{ElectionReason, ElectionView, Elections};
pub use fault::{FaultState, FaultView, ProcessDeed, Receipt};
pub use fold::{BrokenView, SeenParts, VerdictView, World};
pub use groups::{GroupView, groups_among};
pub use held::{HeldDatagram, HeldQueue, HeldQueues};
pub use history::{FormedGroups, FormedView};
pub use moment::index;
pub use node::{NodeView, ProcessState, Recurrence, TimerView};
pub use order::Orderer;
pub use phrase::{Phrase, described, running};
pub use record::{between, length, seconds, stamp};
pub use sheet::{FigureSheet, SheetCell, SheetColumn};
pub use tally::{Figures, Tallies, Tally};
pub use topology::Topology;
pub use violations::Counts;
pub use violations::{ViolationView, Violations};
pub use waits::SectionWaits;
