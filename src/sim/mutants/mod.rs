//! Planted bugs, each a few lines round a machine that stays as it is, and the hunt for them.
//!
//! A lab whose judge is silent proves little until the same judge has been seen to speak. So every bug here breaks
//! something that its algorithm promises, with all assumptions whole that the promise needs, and is hunted in the
//! simulator as any bug would be.
//!
//! Invariant: no line of an algorithm's file knows of them, and none is in the program.

/// The effect of sending such a message to somebody.
macro_rules! sends {
    ($message:pat) => {
        Effect::Send { message: $message, .. }
    };
}

mod bully;
mod hunt;
mod invitation;
mod king_ni;
mod king_ni_ordered;
mod labs;
mod stoller;
mod table;
mod tests;
mod textbook;
