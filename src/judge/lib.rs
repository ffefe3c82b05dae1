//! Assertions and the assumption meter (the notes' "what must hold, and how it is judged").
//!
//! The [`Judge`] takes records in causal order. It gives every node its claims (`interval`), holds the claims against the
//! promised properties (`assertions`, `ending`), and looks for an excuse in what the `meter` has seen break. A property is one function and one table line in `assertions.rs`.
//!
//! What an application does, a [`WorkJudge`] of its own judges: it finds what is wrong, and the judge what excuses that.
//!
//! Invariant: every reported violation was one, and every violation is reported; if records are missing, the judge says
//! so.

mod assertions;
mod assumed;
mod breaks;
pub mod cut;
pub mod diff;
mod disputes;
mod ending;
mod failed_elections;
mod figures;
mod finding;
mod interval;
mod latest_events;
mod liars;
mod liveness;
mod meter;
mod numbers;
mod overdue;
mod processes;
mod progress;
mod quiet;
mod repeated_reports;
mod terms;
#[cfg(test)]
mod tests;
mod timers;
pub mod trial;
mod verdict;
pub mod why;
mod work;

pub use assumed::AssumptionView;
pub use liveness::{is_of_quiet, is_of_the_whole};
pub use verdict::Judge;
pub use work::{CopiedJudge, JudgedWork, ProcessLife, WorkAtRest, WorkGrade, WorkJudge, WrongWork};
