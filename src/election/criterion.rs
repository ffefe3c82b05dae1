//! The criterion function `f()` of King, Gendreau and Ni 1988, section 2: a process's capacity.
//!
//! Invariant: a non-candidate's capacity is -1, and nobody else's is negative.

use crate::protocol::Setup;

/// The capacity of the process that is set up so: its id if it is a candidate (the algorithm's setting `candidates`,
/// everybody where there is none), else -1.
pub fn capacity(setup: &Setup) -> i64 {
    match setup.settings.nodes("candidates") {
        Some(candidates) if !candidates.contains(setup.me) => -1,
        _ => i64::from(setup.me.get()),
    }
}
