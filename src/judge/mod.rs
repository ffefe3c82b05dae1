//! Order, world, assertions and the assumption meter.
//!
//! Invariant: what is shown as a violation was one, and what was one is shown; where records are missing it says so.

mod world;

pub use world::{FaultState, FaultView, GroupView, NodeView, ProcessState, Receipt, VerdictView, ViolationView, World};
