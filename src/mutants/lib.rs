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

pub mod bully;
#[cfg(test)]
mod conflicts;
#[cfg(test)]
mod copies;
#[cfg(test)]
mod copies_labs;
#[cfg(test)]
mod exclusion;
#[cfg(test)]
mod fencing;
#[cfg(test)]
mod fencing_labs;
#[cfg(test)]
mod history;
#[cfg(test)]
mod hunt;
#[cfg(test)]
mod invitation;
#[cfg(test)]
mod joining;
#[cfg(test)]
mod joining_labs;
pub mod king_ni;
#[cfg(test)]
mod king_ni_lists;
#[cfg(test)]
mod king_ni_ordered;
#[cfg(test)]
mod king_ni_signed;
#[cfg(test)]
mod labs;
#[cfg(test)]
mod raft;
#[cfg(test)]
mod service;
#[cfg(test)]
mod shards;
#[cfg(test)]
mod shrunk;
pub mod stoller;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod textbook;
#[cfg(test)]
mod token;
#[cfg(test)]
mod updates;
