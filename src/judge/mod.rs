//! Order, world, assertions and the assumption meter (the notes' "what must hold, and how it is judged").
//!
//! Records go through the [`Orderer`], which puts the nodes' streams into one causal order, then into the [`World`] and
//! the [`Judge`]. The judge gives every event its past (`clock`), every node its claims (`interval`), holds the
//! claims against the promised properties (`assertions`, `ending`), and looks for an excuse in what the `meter`
//! has seen break. A property is one function and one table line in `assertions.rs`.
//!
//! Invariant: what is shown as a violation was one, and what was one is shown; where records are missing it says so.

mod assertions;
mod assumed;
mod breaks;
mod chronicle;
mod clock;
mod disputes;
mod dying;
mod ending;
mod fault_view;
mod figures;
mod finding;
mod flight;
mod interval;
mod liveness;
mod meter;
mod numbers;
mod order;
mod past;
mod processes;
mod quiet;
mod tally;
#[cfg(test)]
mod tests;
mod timers;
mod verdict;
mod violations;
mod world;

pub use assumed::AssumptionView;
pub use fault_view::{FaultState, FaultView, Receipt};
pub use liveness::is_of_quiet;
pub use order::Orderer;
pub use tally::{Figures, Tallies, Tally};
pub use verdict::Judge;
pub use violations::{ViolationView, Violations};
pub use world::{BrokenView, GroupView, NodeView, ProcessState, VerdictView, World};
