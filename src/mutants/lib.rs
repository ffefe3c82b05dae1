//! Planted bugs, each a few lines around an unchanged machine, and the hunt for them.
//!
//! A judge that reports nothing proves little until the same judge has reported something. So there is a bug here for
//! each promise, and two for each application. It breaks its promise while all assumptions hold that the promise needs,
//! and the simulator hunts it like any other bug.
//!
//! Invariant: no line of an algorithm's file knows of them, and none is in the program.

/// The effect of sending such a message to somebody.
macro_rules! sends {
    ($message:pat) => {
        Effect::Send { message: $message, .. }
    };
}

#[cfg(test)]
mod application;
#[cfg(test)]
mod application_bug;
pub mod bully;
#[cfg(test)]
mod hunt;
#[cfg(test)]
mod invitation;
pub mod king_ni;
#[cfg(test)]
mod labs;
#[cfg(test)]
mod raft;
#[cfg(test)]
mod shrunk;
pub mod stoller;
#[cfg(test)]
mod table;
#[cfg(test)]
mod textbook;
