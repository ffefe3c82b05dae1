//! Planted bugs, each a few lines around an unchanged machine, and the hunt for them.
//!
//! A judge that reports nothing proves little until the same judge has reported something. So every bug here breaks a
//! promise of its algorithm, while all assumptions hold that the promise needs, and the simulator hunts it like any
//! other bug.
//!
//! Invariant: no line of an algorithm's file knows of them, and none is in the program.

/// The effect of sending such a message to somebody.
macro_rules! sends {
    ($message:pat) => {
        Effect::Send { message: $message, .. }
    };
}

pub(crate) mod bully;
mod conflicts;
mod copies;
mod copies_labs;
mod exclusion;
mod fencing;
mod fencing_labs;
mod history;
mod hunt;
mod invitation;
mod joining;
mod joining_labs;
pub(crate) mod king_ni;
mod king_ni_lists;
mod king_ni_ordered;
mod king_ni_signed;
mod labs;
mod service;
mod shards;
mod shrunk;
pub(crate) mod stoller;
mod table;
mod tests;
mod textbook;
mod token;
mod updates;
